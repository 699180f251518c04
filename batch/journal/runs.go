package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/mapping/failure"
)

// runs is what a store knows of its runs, wherever they lie.
type runs struct {
	site

	now func() time.Time // only shown: no order depends on a clock

	// replayed is how many ops of runs that have come to their end are replayed at most
	// before they become part of the snapshot, and gathered how many are held for that.
	replayed, gathered int
}

// site is where a store keeps its runs: a folder, or a database.
type site interface {
	// Name names it for people, and folderOf the folder of a run.
	Name() string
	exists() bool
	folderOf(run string) string
	Lock(ctx context.Context) (unlock func() error, err error)

	// load returns a run with its header, [fs.ErrNotExist] where there is no plan, and
	// headers all of them in any order.
	load(id string) (*run, error)
	headers() ([]loaded, error)
	// remove removes runs that nobody needs, unless stop gives an error meanwhile, and sweep
	// what was left behind besides.
	remove(runs []*run, stop func() error) error
	sweep(p *pruner) error

	// put stores a run of another store, whole or not at all.
	put(o *outgoing) error

	// services returns the addresses of the services of which there is a memory of keys.
	services() ([]string, error)
	// snapshotPath and markerPath name the memory of keys, and how many runs it alone
	// knows about.
	snapshotPath(baseURL string) string
	markerPath(baseURL string) string
	// openKeys opens the snapshot, which is of no version where it is damaged.
	// spareKeys makes a temporary file for a new one, which storeKeys puts into its place,
	// durably: moved means that it is no longer temporary.
	openKeys(baseURL string) (*snapshot, error)
	spareKeys() (*os.File, error)
	storeKeys(baseURL string, f *os.File) (moved bool, err error)
	// loadMark reads what markerPath says, [fs.ErrNotExist] where nothing does, and
	// storeMark replaces it, durably.
	loadMark(baseURL string) ([]byte, error)
	storeMark(baseURL string, text []byte) error
}

func newRuns(of site) runs { return runs{site: of, now: time.Now, replayed: 2000, gathered: 200_000} }

// Find returns the run of that name: its id, the beginning of the id where no other
// run has the same, or [Latest]. The error is a [NoRunError] where there is none, and an
// [AmbiguousRunError] where there are several.
func (s *runs) Find(name string) (Run, error) {
	if name == filepath.Base(name) && !strings.HasPrefix(name, ".") {
		if run, err := s.load(name); !errors.Is(err, fs.ErrNotExist) {
			return run, err
		}
	}
	runs, err := s.loadAll()
	if err != nil {
		return nil, err
	}
	slices.Reverse(runs)
	if found, ok := newest(runs, name); ok {
		return found.run, found.err
	}
	var like []loaded
	for _, l := range runs {
		if name != "" && strings.HasPrefix(l.id, name) {
			like = append(like, l)
		}
	}
	switch len(like) {
	case 0:
		return nil, s.noRun(name)
	case 1:
		return like[0].run, like[0].err
	}
	var ids []string // from new to old
	for _, l := range like {
		ids = append(ids, l.id)
	}
	return nil, failure.New(
		failure.Usage, fmt.Errorf("%q is the beginning of %d runs", name, len(ids)), "write more of one of them: "+printable.Names(ids),
	)
}

func (s *runs) noRun(name string) error {
	if name == Latest {
		return failure.New(fs.ErrNotExist, errors.New("no run yet in "+s.Name()), "eventbatch plan or import makes one")
	}
	return failure.New(fs.ErrNotExist, fmt.Errorf("no run %q in %s", name, s.Name()), "eventbatch runs lists the runs that there are")
}

// newest returns the run that latest or latest~N means, of runs from new to old.
func newest(runs []loaded, name string) (found loaded, ok bool) {
	back, ok := 0, name == Latest
	if text, cut := strings.CutPrefix(name, Latest+"~"); cut {
		n, err := strconv.ParseUint(text, 10, 31)
		back, ok = int(n), err == nil
	}
	if !ok || back >= len(runs) {
		return loaded{}, false
	}
	return runs[back], true
}

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

// Runs lists the runs from old to new.
func (s *runs) Runs() ([]Summary, error) {
	runs, err := s.loadAll()
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(runs))
	for _, l := range runs {
		one := Summary{ID: l.id, Folder: s.folderOf(l.id), Err: l.err}
		if l.err == nil {
			one.Header = l.run.header
			state, err := l.run.State()
			if one.Err = err; err == nil {
				one.Started, one.Ended, one.At, one.Tally = state.Started, state.Ended, state.At, state.Tally()
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// Unfinished gives the newest run of that identity that has something left to
// do, whether it was taken up or only planned; nil where there is none. To
// decide on it with no other process doing the same, hold [Workspace.Lock].
func (s *runs) Unfinished(identity string) (Run, error) {
	runs, err := s.loadAll()
	if err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(runs) {
		if l.err != nil {
			return nil, l.err
		}
		if l.run.header.Identity != identity {
			continue
		}
		state, err := l.run.State()
		if err != nil {
			return nil, err
		}
		if state.Tally().Open() > 0 { // a process killed before it recorded its end leaves nothing to do
			return l.run, nil
		}
	}
	return nil, nil
}

// loaded is a run of the list, or why it could not be read.
type loaded struct {
	id  string
	run *run
	err error
	// numbered is the number of a run that cannot be read, 0 where nobody knows it.
	numbered int
}

// loadAll reads the headers of all runs, from old to new.
func (s *runs) loadAll() ([]loaded, error) {
	runs, err := s.headers()
	if err != nil {
		return nil, err
	}
	// Runs without a number are of earlier versions, and only the clock knows their
	// order: an id begins with its second, and within it the header knows better.
	// Of a run that cannot be read nothing is known: it may well be the latest.
	slices.SortStableFunc(runs, func(a, b loaded) int {
		return cmp.Or(
			cmp.Compare(a.number(), b.number()),
			strings.Compare(a.second(), b.second()), a.created().Compare(b.created()), strings.Compare(a.id, b.id),
		)
	})
	return runs, nil
}

func (l loaded) number() int {
	switch {
	case l.run != nil:
		return l.run.header.Number
	case l.numbered > 0:
		return l.numbered
	}
	return math.MaxInt
}

func (l loaded) second() string { return l.id[:min(len(idLayout), len(l.id))] }

func (l loaded) created() time.Time {
	if l.run == nil {
		return time.Time{}
	}
	return l.run.header.Created
}
