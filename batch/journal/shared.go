package journal

import "time"

// Shared is a store that the processes of many machines use at once. A run can be carried by several of them, each
// the share of an owner of a quota: a calendar, or an organization with its own. An owner, and what it carries of a
// run, is for one process at a time. Each has an epoch, which grows as it is taken: whoever had it before, and was
// only lost from sight, stores nothing more and so sends nothing.
type Shared interface {
	Store
	// Lease takes the right to send for an owner. The error is a [LockedError] where another process has it.
	Lease(owner string) (*Lease, error)
	// Change puts what change makes of a text that is kept in its place, while no other process does; nil removes it.
	Change(kind, name string, change func(text []byte) []byte) error
	// Names returns the names under which something of a kind is kept.
	Names(kind string) ([]string, error)
}

// Lease is the right to send for the owner of a quota, such as a calendar, which one process has
// at a time. Who has it carries shares of runs.
type Lease struct {
	Holding

	Epoch int64 // grows with each process that takes it
	Left  Left  // by whoever had it before
}

// Holding is a lease as a store has it.
type Holding interface {
	// Release gives the lease up, and leaves to whoever has it next what was sent within the last window.
	Release(slots []byte) error
	// Share returns the store as whoever has the lease and carries some calendars sees it: of each run there are only
	// their ops, and to take it up is to take these up; and a text is kept unless another process has taken the lease
	// since, which is a [FencedError].
	Share(calendars []string) Shared
}

// Left is what the process has left that had a lease before.
type Left struct {
	Known    bool // there was one
	Released bool // it has given the lease up by itself, and so long ago
	Ago      time.Duration
	Slots    []byte // as it said
}
