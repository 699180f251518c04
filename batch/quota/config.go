package quota

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"eventbatch/mapping/own"
)

// Config is what a Scheduler is made of.
type Config struct {
	// Dir is the folder of the ledgers that all processes of the machine
	// share; it is made when the first slot is taken. Empty keeps the ledgers
	// in memory, for a service that lives in this process.
	Dir string
	// Window is the span over which the service counts requests: one minute
	// (service: Limits).
	Window time.Duration
	// Pace is the most requests a second that this process lets go, all lanes
	// together; 0 sets no such bound, and AutoPace follows the limits.
	Pace float64
	// Share is the part of each limit that this machine may use, above 0 up
	// to 1; 0 means all of it.
	Share float64
	// Lease is the longest that a request may be under way: what a process
	// that died had under way comes free Lease+Window after it was taken.
	// 0 means one Window.
	Lease time.Duration
	// MaxInFlight is the most requests that this process has under way at once, all
	// lanes together; 0 sets no such bound. Those that wait hold no slot.
	MaxInFlight int
	// Patience is how long a throttled owner is waited for: Take gives a *ThrottledError
	// where it is longer. 0 sets no bound.
	Patience time.Duration
	// Notice is told what the service says that somebody has to know. It may be nil.
	Notice func(Notice)
}

// Owner is whom a limit belongs to. Kind and ID together name it, so the ID
// has to tell apart base URLs and credentials too. The disk sees it hashed only.
type Owner struct {
	Kind  string // calendar, organization
	ID    string
	Name  string // for people, such as calendar cal-1
	Limit int    // requests in any Window
}

// AutoPace is the pace of 50 requests a second, or of five times what the limits
// of the lanes allow where that is more: it spreads a burst and holds nobody back.
const AutoPace = -1

// safety is what a slot stays out beyond one window.
func safety(window time.Duration) time.Duration { return max(window/1000, time.Microsecond) }

// Notice is something that the service said of an owner's quota, and that somebody
// has to know: it asks for a long wait, or allows less than the owner's limit.
type Notice struct {
	Owner Owner
	Until time.Time // of a long wait, else zero
	Limit int       // that is lower, else zero
}

// Folder returns where the processes of a user on this machine count their requests, made where it was not there; or why
// there is none.
func Folder(variable func(name string) string) (dir, why string) {
	below := func(state string) string { return filepath.Join(state, "eventbatch", "quota") }
	if state := variable("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return below(state), ""
	}
	home := cmp.Or(variable("HOME"), variable("USERPROFILE"))
	if home == "" {
		return "", "HOME is not set"
	}
	dir = below(filepath.Join(home, ".local", "state"))
	if os.MkdirAll(dir, 0o700) != nil || !own.Writable(dir) {
		return "", home + " cannot be written"
	}
	return dir, ""
}
