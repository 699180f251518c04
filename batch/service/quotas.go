package service

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
	"eventbatch/mapping/catalog"
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

// leased is an owner whose lease this process has.
type leased struct {
	*journal.Lease

	waiting int       // requests, for a slot
	used    time.Time // when the last one had its slot
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

// unpark ends what an earlier answer of a service has throttled, for all processes of
// the machine, and tells how many quotas were throttled. So it does with what another
// machine has left.
func (q *quotas) unpark() (int, error) {
	q.unparked = true
	if q.config.Ledgers == "" {
		return 0, nil
	}
	return quota.Unpark(q.limits())
}

// Usage returns the state of the quotas in use.
func (q *quotas) Usage() []quota.Usage { return q.scheduler.Usage() }

// Waiting returns the time at which the quota lets the next request go, where all
// that could be sent waits for that; else it is zero.
func (q *quotas) Waiting() time.Time { return q.scheduler.Waiting() }

// Full returns the time at which something may leave that waits for the owner of a lease; zero where nothing
// waits, or something may leave now.
func (q *quotas) Full(owner string) time.Time {
	kind, id, _ := strings.Cut(owner, " ")
	return q.scheduler.Full(quota.Owner{Kind: kind, ID: id})
}

// usageOf returns the state of an owner's quota, which is unused where nobody has asked for it.
func (q *quotas) usageOf(owner quota.Owner) quota.Usage {
	for _, u := range q.Usage() {
		if u.Owner == owner {
			return u
		}
	}
	return quota.Usage{Owner: owner, Limit: owner.Limit, Left: owner.Limit}
}

// counts returns what counts the requests of a kind of owner, and the owner.
func (q *quotas) counts(kind, id string) (*quota.Scheduler, quota.Owner, error) {
	limits := q.config.Connection.Limits
	owner := quota.Owner{Kind: kind, ID: id}
	id = strings.TrimPrefix(id, q.config.Connection.BaseURL+" ")
	switch kind {
	case calendarOwner:
		owner.Name, owner.Limit = ownerName(kind, id), limits.Calendar
	case organizationOwner:
		owner.Name, owner.Limit = ownerName(kind, id), limits.Organization
	default:
		op := catalog.OperationNamed(kind)
		if op == nil || op.Pace.Most == 0 {
			return nil, owner, fmt.Errorf("no quota is kept of %q", kind)
		}
		owner.Name, owner.Limit = ownerName(calendarOwner, id), op.Pace.Most
		scheduler, err := q.pacer(op)
		return scheduler, owner, err
	}
	return q.scheduler, owner, nil
}

// count notes that requests to these are counted under the name of the last.
func (q *quotas) count(name string, owners ...quota.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.counted[name] == nil {
		q.counted[name] = map[quota.Owner]bool{}
	}
	for _, o := range owners {
		q.counted[name][o] = true
	}
}

// pacer returns what keeps the pace of an operation.
func (q *quotas) pacer(op *schema.Operation) (*quota.Scheduler, error) {
	if q.of != nil {
		return q.of.pacer(op)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	scheduler := q.paces[op]
	if scheduler == nil {
		var err error
		config := q.limits()
		config.Window, config.Pace, config.Share, config.MaxInFlight, config.Notice = op.Pace.Per, 0, 0, 0, nil
		if scheduler, err = quota.New(config); err != nil {
			return nil, fmt.Errorf("preparing the pace of %s: %w", op.Name, err)
		}
		q.paces[op] = scheduler
	}
	return scheduler, nil
}
