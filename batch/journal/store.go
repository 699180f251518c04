package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/mapping/failure"
)

// Store holds runs, what became of them, and the memory of keys: package files keeps them in a folder, package
// postgres in a database. It is used by several goroutines and processes at once.
type Store interface {
	// Name names the store for people.
	Name() string
	// Folder is where the files of this machine lie: results, and what is read for exports.
	Folder() string
	// Kept returns what was kept under a name of some kind, besides the runs: the error is
	// [fs.ErrNotExist] where nothing was. Keep replaces it.
	Kept(kind, name string) ([]byte, error)
	Keep(kind, name string, text []byte) error
	// Lock takes a lock for this process, once it is free, until unlock is called.
	Lock(ctx context.Context, what Lock) (unlock func() error, err error)
	// Find returns the run of that name: its id, the only beginning of it, or [Latest]. The error is [fs.ErrNotExist]
	// where there is none.
	Find(name string) (*Run, error)
	// Runs lists the runs from old to new.
	Runs() ([]Summary, error)
	// Unfinished returns the newest run of that identity with something left to do, nil where there is none.
	Unfinished(identity string) (*Run, error)
	// Draft begins a run, planned at that time or now.
	Draft(created time.Time) (*Draft, error)
	// Memory reads what the runs that were sent to a service know. It has to be closed. A run that cannot be read is an
	// error: what it created would be created again.
	Memory(baseURL string) (*Memory, error)
	// Prune removes the runs that came to their end some time ago and that nobody needs, and what else grows with the
	// years. Nothing is forgotten of what they have made: that is in the memory of keys.
	Prune(ctx context.Context, what Pruning) (*Pruned, error)
	// Take stores a run of another store, whole or not at all, with what is on record of it: a state that keeps names.
	Take(run *Run, state *State) error
	// Services returns the services of which the memory of keys knows something.
	Services() ([]string, error)
	// Learn takes over what the memory of another store knows of keys of a service. The runs that this store does not
	// have were pruned there.
	Learn(baseURL string, of *Memory) error
}

// Lock is a lock of a store.
type Lock int

// The locks of a store.
const (
	// Runs keeps every other process from sealing a plan, from taking up what is not a share, and from pruning. It is
	// held for moments only: to read the memory, to look for a run of the same identity and seal a new one, and to find
	// out that nothing has overtaken a run and attach to it.
	Runs Lock = iota
	// Planning is for whoever plans, as others may at the same time.
	Planning
	// Quiet is free while nobody plans, and keeps everybody from planning.
	Quiet
)

// Summary is one line of a list of runs.
type Summary struct {
	ID     string
	Folder string
	Header plan.Header
	// Started reports whether any process has taken the run up, Ended is the
	// reason of its last end, empty while it is under way or was killed.
	Started bool
	Ended   string
	Tally   Tally
	At      time.Time // of the last record; zero before the first
	// Err says why the run cannot be read: a damaged run stays in the list.
	Err error
}

// Latest, given to [Store.Find], means the run that was planned last. With ~N behind
// it, it means the one N before.
const Latest = "latest"

// Choose returns the index of the run that a name means among the ids of runs from old to new: its id, the only
// beginning of it, or [Latest]. The store is named in errors.
func Choose(store, name string, ids []string) (int, error) {
	if n, ok := latest(name, len(ids)); ok {
		return n, nil
	}
	var like []string // from new to old
	found := -1
	for i := len(ids) - 1; i >= 0; i-- {
		if ids[i] == name {
			return i, nil
		}
		if name != "" && strings.HasPrefix(ids[i], name) {
			like, found = append(like, ids[i]), i
		}
	}
	switch {
	case len(like) > 1:
		return -1, failure.New(
			failure.Usage, fmt.Errorf("%q is the beginning of %d runs", name, len(like)),
			"write more of one of them: "+printable.Names(like),
		)
	case len(like) == 1:
		return found, nil
	}
	return -1, NoRun(store, name)
}

// latest returns the index of the run that latest or latest~N means among so many.
func latest(name string, runs int) (n int, ok bool) {
	back, ok := 0, name == Latest
	if text, cut := strings.CutPrefix(name, Latest+"~"); cut {
		n, err := strconv.ParseUint(text, 10, 31)
		back, ok = int(n), err == nil
	}
	return runs - 1 - back, ok && back < runs
}

// NoRun returns the error that a store has no run of a name.
func NoRun(store, name string) error {
	if name == Latest {
		return failure.New(fs.ErrNotExist, errors.New("no run yet in "+store), "eventbatch plan or import makes one")
	}
	return failure.New(fs.ErrNotExist, fmt.Errorf("no run %q in %s", name, store), "eventbatch runs lists the runs that there are")
}
