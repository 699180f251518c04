package service

import (
	"errors"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
)

// quotas are those of one process: what counts its requests, by whom they are counted, and the leases of these.
type quotas struct {
	config    *Config
	scheduler *quota.Scheduler
	of        *quotas // whose scheduler and paces they share; nil where they have their own

	unparked bool // what holders of leases have left is to be, too

	granter *granter // nil where nobody can ask
	asker   *asker   // nil where nobody is asked

	leasing   sync.Mutex
	leases    map[string]*leased
	unyielded error // of leases that were given up between requests

	mu      sync.Mutex
	counted map[string]map[quota.Owner]bool        // by the owner whose lease hands them over
	paces   map[*schema.Operation]*quota.Scheduler // of operations that have one
}

func newQuotas(config *Config) *quotas {
	return &quotas{
		config: config, paces: map[*schema.Operation]*quota.Scheduler{},
		leases: map[string]*leased{}, counted: map[string]map[quota.Owner]bool{},
	}
}

// limits returns how all that share the ledgers count.
func (q *quotas) limits() quota.Config {
	c := q.config
	return quota.Config{
		Dir: c.Ledgers, Window: c.Connection.Limits.Window, Pace: c.Pace, Share: c.Share, Lease: c.flight() + c.granted(),
		MaxInFlight: max(connections, c.Concurrency), Patience: c.Patience, Notice: (&notices{config: c, limits: map[string]bool{}}).tell,
	}
}

// flight is the longest that a request may be under way.
func (c *Config) flight() time.Duration { return c.Timeout + time.Second }

// granted is how long what was granted to another process may be used.
func (c *Config) granted() time.Duration {
	if c.Asks == nil {
		return 0
	}
	return grantFor
}

// Unpark ends what an earlier answer of a service has throttled, for all processes of
// the machine, and tells how many quotas were throttled. So it does with what another
// machine has left.
func (q *quotas) Unpark() (int, error) {
	q.unparked = true
	if q.config.Ledgers == "" {
		return 0, nil
	}
	return quota.Unpark(q.limits())
}

// Usage returns the state of the quotas in use.
func (q *quotas) Usage() []quota.Usage { return q.scheduler.Usage() }

// used returns how much of an owner's limit is used.
func (q *quotas) used(owner quota.Owner) Used {
	for _, u := range q.Usage() {
		if u.Owner == owner {
			return Used{u.Limit, u.Limit - u.Left}
		}
	}
	return Used{Limit: owner.Limit}
}

// Waiting returns the time at which the quota lets the next request go, where all
// that could be sent waits for that; else it is zero.
func (q *quotas) Waiting() time.Time { return q.scheduler.Waiting() }

// Full returns the time at which something may leave that waits for the owner of a lease; zero where nothing
// waits, or something may leave now.
func (q *quotas) Full(owner string) time.Time {
	kind, id, _ := strings.Cut(owner, " ")
	return q.scheduler.Full(quota.Owner{Kind: kind, ID: id})
}

// Close gives the owners up, and closes the quota's files.
func (q *quotas) Close() error {
	err := q.Yield()
	if q.asker != nil {
		err = errors.Join(err, q.asker.close())
	}
	if q.granter != nil {
		q.granter.close()
	}
	err = errors.Join(err, q.scheduler.Close())
	for _, paced := range q.paces {
		err = errors.Join(err, paced.Close())
	}
	return err
}
