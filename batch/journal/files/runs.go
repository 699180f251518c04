package files

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
)

// Find returns the run of that name: its id, the beginning of the id where no other
// run has the same, or [journal.Latest].
func (w *Workspace) Find(name string) (*journal.Run, error) {
	if name == filepath.Base(name) && !strings.HasPrefix(name, ".") {
		switch run, err := w.load(name); {
		case err == nil:
			return run.Run, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(runs))
	for i := range runs {
		ids[i] = runs[i].id
	}
	n, err := journal.Choose(w.Name(), name, ids)
	if err != nil {
		return nil, err
	}
	if runs[n].err != nil {
		return nil, runs[n].err
	}
	return runs[n].run.Run, nil
}

// Runs lists the runs from old to new.
func (w *Workspace) Runs() ([]journal.Summary, error) {
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	list := make([]journal.Summary, 0, len(runs))
	for _, l := range runs {
		one := journal.Summary{ID: l.id, Folder: w.folderOf(l.id), Err: l.err}
		if l.err == nil {
			one.Header = l.run.Header()
			state, err := l.run.State()
			if one.Err = err; err == nil {
				one.Started, one.Ended, one.At, one.Tally = state.Started, state.Ended, state.At, state.Tally()
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// Unfinished returns the newest run of that identity that has something left to
// do, whether it was taken up or only planned; nil where there is none. To
// decide on it with no other process doing the same, hold [Workspace.Lock].
func (w *Workspace) Unfinished(identity string) (*journal.Run, error) {
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(runs) {
		if l.err != nil {
			return nil, l.err
		}
		if l.run.Header().Identity != identity {
			continue
		}
		state, err := l.run.State()
		if err != nil {
			return nil, err
		}
		if state.Tally().Open() > 0 { // a process killed before it recorded its end leaves nothing to do
			return l.run.Run, nil
		}
	}
	return nil, nil
}

// loaded is a run of the list, or why it could not be read.
type loaded struct {
	id  string
	run *run
	err error
}

// loadAll reads the headers of all runs, from old to new.
func (w *Workspace) loadAll() ([]loaded, error) {
	runs, err := w.headers()
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
	if l.err == nil {
		return l.run.Header().Number
	}
	return math.MaxInt
}

// second is the part of the id that says when the run was made.
func (l loaded) second() string { return l.id[:min(len("20060102-150405"), len(l.id))] }

func (l loaded) created() time.Time {
	if l.err != nil {
		return time.Time{}
	}
	return l.run.Header().Created
}
