package service

import (
	"log/slog"
	"net/http"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/schema"
)

// Config is how the service is reached.
type Config struct {
	Connection *profile.Connection
	// Transport carries the requests; nil means the network, or the sandbox.
	Transport http.RoundTripper
	// Sandbox is the service in miniature, which is closed with the connection; nil where the service is real.
	Sandbox *sandbox.Service
	// Ledgers is the folder of the quota's ledgers, shared by all processes of
	// the machine; empty keeps them in memory, for a service in this process.
	Ledgers string
	// Leases hand the quotas over between machines; nil where the runs lie in a folder, or
	// whoever sends has the leases by itself, with [Service.Restore] and [Service.Account].
	Leases Leases
	// Asks are those of other processes for slots of what this one holds, and of this one where it has Leases; nil
	// where the runs lie in a folder.
	Asks  Asks
	Pace  float64 // requests a second, 0 sets no bound, quota.AutoPace follows the limits
	Share float64 // of each limit, 0 means all
	// Timeout bounds one request; 0 means 30 s.
	Timeout     time.Duration
	Concurrency int // of one calendar
	// Patience is how long a wait that the service asks for is borne; 0 means
	// however long it is.
	Patience time.Duration
	// Notice is told, in words, what the service says of a quota that somebody has
	// to know, and whether it is a wait that is borne. It may be nil.
	Notice func(words string, waits bool)
	// Answered is told what each request was answered that has changed something, from any
	// goroutine. It may be nil.
	Answered func(*schema.Operation, []byte)
	Log      *slog.Logger
	Version  string
}

// connections is how many requests a process has under way at once, whatever the
// number of calendars: at any latency up to two seconds more than the pace asks for,
// and within what the smallest usual limits allow a process to open.
const connections = 128

func (c *Config) lag() api.Lag { return api.NewLag(c.Timeout, c.Connection.Limits.Lag) }

// leaves is how long after it began a request leaves, or not at all: whoever takes over from this process looks for it
// by then. It is 0 where nobody does.
func (c *Config) leaves() time.Duration {
	if c.Asks == nil {
		return 0
	}
	return c.lag().Leaves()
}

// flight is the longest that a request may be under way.
func (c *Config) flight() time.Duration { return c.Timeout + time.Second }

// Leases hands the right to send for the owner of a quota from one machine to another. The error is a
// [journal.LockedError] where another process has it.
type Leases interface {
	Lease(owner string) (*journal.Lease, error)
}
