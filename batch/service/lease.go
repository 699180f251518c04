package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
	"eventbatch/mapping/catalog"
)

// Leases hands the right to send for the owner of a quota from one machine to another:
// [journal.Shared] is one.
type Leases interface {
	Lease(owner string) (*journal.Lease, error)
}

// out is what an owner of a quota, or the pace of an operation, has out.
type out struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Slots []byte `json:"slots"`
}

// nameOf names whoever's quota is used by all that these are owners of.
func nameOf(owners []quota.Owner) string {
	owner := owners[len(owners)-1]
	return owner.Kind + " " + owner.ID
}

// Account returns what an owner has out, with what is out beneath it, for whoever has its lease
// next. It is nil where that cannot be told, which stands for a full window.
func (q *quotas) Account(owner string) []byte {
	q.mu.Lock()
	counted := slices.Collect(maps.Keys(q.counted[owner]))
	q.mu.Unlock()
	all := make([]out, 0, len(counted))
	for _, o := range counted {
		scheduler, _, err := q.counts(o.Kind, o.ID)
		if err != nil {
			return nil
		}
		slots, err := scheduler.Account(o)
		if err != nil {
			return nil
		}
		all = append(all, out{o.Kind, o.ID, slots})
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return text
}

// Restore has the owner's quota begin with what its last holder has left. Whoever died has sent a
// full window as far as anybody knows, and what had left then may still be on its way.
func (q *quotas) Restore(owner string, left journal.Left) error {
	if !left.Known {
		return nil
	}
	var all []out
	ago := left.Ago
	if !left.Released || json.Unmarshal(left.Slots, &all) != nil {
		kind, id, _ := strings.Cut(owner, " ")
		all, ago = []out{{Kind: kind, ID: id}}, ago-q.config.lag().Flight
	}
	for _, o := range all {
		if q.unparked {
			o.Slots = quota.Unparked(o.Slots)
		}
		scheduler, counted, err := q.counts(o.Kind, o.ID)
		if err == nil {
			err = scheduler.Restore(counted, o.Slots, ago)
		}
		if err != nil {
			return fmt.Errorf("taking over the quota of the %s: %w", o.Kind, err)
		}
	}
	return nil
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

// inherit goes on with the quota of an owner where its last holder has left off, before the
// first request. The lease is nil where another process has it: the answers tell what that one sends.
func (q *quotas) inherit(owners []quota.Owner) (*journal.Lease, error) {
	if q.config.Leases == nil {
		return nil, nil
	}
	q.leasing.Lock()
	defer q.leasing.Unlock()
	name := nameOf(owners)
	if lease, known := q.leases[name]; known {
		return lease, nil
	}
	lease, err := q.lease(name)
	if err != nil {
		return nil, err
	}
	q.leases[name] = lease
	return lease, nil
}

// holds reports whether an owner is held by this lease still: a slot that was taken before is in the
// account that it is given up with.
func (q *quotas) holds(owners []quota.Owner, lease *journal.Lease) bool {
	q.leasing.Lock()
	defer q.leasing.Unlock()
	return lease == nil || q.leases[nameOf(owners)] == lease
}

// lease takes an owner; nil where another process has it.
func (q *quotas) lease(name string) (*journal.Lease, error) {
	lease, err := q.config.Leases.Lease(name)
	if _, locked := errors.AsType[*journal.LockedError](err); locked {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := q.Restore(name, lease.Left); err != nil {
		return nil, errors.Join(err, lease.Release(nil))
	}
	return lease, nil
}

// Yield gives up the owners that requests were sent for, each with its account: for nothing is
// sent until a person has answered, or somebody else has sent what is left. A request that is
// sent afterwards takes its owner again.
func (q *quotas) Yield() error {
	q.leasing.Lock()
	defer q.leasing.Unlock()
	var failed error
	for name, lease := range q.leases {
		if lease == nil {
			// Another process of this machine may have had it, and have ended before this one.
			var err error
			if lease, err = q.lease(name); err != nil || lease == nil {
				failed = errors.Join(failed, err)
				continue
			}
		}
		failed = errors.Join(failed, lease.Release(q.Account(name)))
	}
	clear(q.leases)
	return failed
}
