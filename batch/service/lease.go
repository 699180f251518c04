package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
)

// idleFor is how long an owner is held of which nothing is asked.
const idleFor = 5 * time.Second

// out is what an owner of a quota, or the pace of an operation, has out.
type out struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Slots []byte `json:"slots"`
}

// Answer grants slots of an owner, whose lease this process has, to other processes that ask for them, until its
// account is taken, or somebody else has taken the lease over.
func (q *quotas) Answer(owner string, epoch int64) {
	if q.granter != nil {
		q.granter.hold(owner, epoch, q)
	}
}

// Account returns what an owner has out, with what is out beneath it, for whoever has its lease
// next. It is nil where that cannot be told, which stands for a full window. Nobody is granted
// anything of it any more.
func (q *quotas) Account(owner string) []byte {
	if q.granter == nil {
		return q.account(owner)
	}
	return q.granter.drop(owner, func() []byte { return q.account(owner) })
}

func (q *quotas) account(owner string) []byte {
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
		all, ago = []out{{Kind: kind, ID: id}}, ago-q.config.lag().Flight-q.config.granted()
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

// enter returns the lease by which a request waits for its slot; nil where there is none.
func (q *quotas) enter(name string) *leased {
	if q.config.Leases == nil {
		return &leased{}
	}
	q.leasing.Lock()
	defer q.leasing.Unlock()
	lease := q.leases[name]
	if lease != nil {
		lease.waiting++
	}
	return lease
}

// leave ends the waiting, and reports whether the lease is held still: a slot that was taken before is in the
// account that it is given up with.
func (q *quotas) leave(name string, lease *leased) (held bool) {
	if q.config.Leases == nil {
		return true
	}
	q.leasing.Lock()
	defer q.leasing.Unlock()
	lease.waiting--
	lease.used = time.Now()
	return q.leases[name] == lease
}

// inherit goes on with the quota of an owner where its last holder has left off, before the
// first request. Where another process has it, locked says who.
func (q *quotas) inherit(owners []quota.Owner) (locked *journal.LockedError, err error) {
	q.leasing.Lock()
	defer q.leasing.Unlock()
	name := nameOf(owners)
	if q.leases[name] != nil {
		return nil, nil
	}
	lease, err := q.config.Leases.Lease(name)
	if errors.As(err, &locked) {
		return locked, nil
	}
	if err != nil {
		return nil, err
	}
	if err := q.Restore(name, lease.Left); err != nil {
		return nil, errors.Join(err, lease.Release(nil))
	}
	q.leases[name] = &leased{Lease: lease, used: time.Now()}
	q.Answer(name, lease.Epoch)
	return nil, nil
}

// Yield gives up the owners that requests were sent for, each with its account: for nothing is
// sent until a person has answered, or somebody else has sent what is left. A request that is
// sent afterwards takes its owner again.
func (q *quotas) Yield() error {
	q.leasing.Lock()
	defer q.leasing.Unlock()
	return q.yield(func(*leased) bool { return true })
}

// yieldIdle gives up the owners of which nothing is asked any more. What fails is told by [quotas.Yield].
func (q *quotas) yieldIdle() {
	q.leasing.Lock()
	defer q.leasing.Unlock()
	q.unyielded = q.yield(func(l *leased) bool { return l.waiting == 0 && time.Since(l.used) > idleFor })
}

// lose gives up an owner that another process has taken over, since this one was stopped: from now on that one is
// asked. Whoever has leases by itself is told by what it stores.
func (q *quotas) lose(owner string) {
	q.leasing.Lock()
	defer q.leasing.Unlock()
	if lease := q.leases[owner]; lease != nil {
		delete(q.leases, owner)
		_ = lease.Release(q.Account(owner)) // it is none any more
	}
}

// yield gives up some owners. Called with leasing held.
func (q *quotas) yield(which func(*leased) bool) error {
	failed := q.unyielded
	q.unyielded = nil
	for name, lease := range q.leases {
		if which(lease) {
			delete(q.leases, name)
			failed = errors.Join(failed, lease.Release(q.Account(name)))
		}
	}
	return failed
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

// granting returns the queue for the slots of an ask, before all others.
func (q *quotas) granting(ask *journal.Ask) (*quota.Lane, error) {
	owners := make([]quota.Owner, 0, len(ask.Counted))
	for _, counted := range ask.Counted {
		kind, id, _ := strings.Cut(counted, " ")
		scheduler, owner, err := q.counts(kind, id)
		if err == nil && scheduler != q.scheduler {
			err = fmt.Errorf("no slots are granted of %q", kind)
		}
		if err != nil {
			return nil, err
		}
		owners = append(owners, owner)
	}
	if len(owners) == 0 || nameOf(owners) != ask.Owner {
		return nil, fmt.Errorf("%q is not counted for %s", ask.Counted, ask.Owner)
	}
	q.count(ask.Owner, owners...)
	return q.scheduler.Lane(quota.LaneConfig{Owners: owners, Backlog: func() int { return math.MaxInt }}), nil
}
