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

// The files of a run's folder.
const (
	planName    = "plan.jsonl"
	rowsName    = "rows.jsonl"
	journalName = "journal.jsonl"
	lockName    = "lock"
	resultsName = "results.csv"
	runsName    = "runs"

	// ExportsName is the folder of what is read for exports, a folder each.
	ExportsName = "exports"
)

// What a workspace holds is for its owner's eyes: rows of people's files.
const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600
)

// Latest, given to [Workspace.Find], means the run that was planned last. With ~N behind
// it, it means the one N before.
const Latest = "latest"

// Workspace is a folder of runs, .eventbatch by default. It is safe for use by
// several goroutines; processes meet at [Workspace.Lock] and [Run.Attach].
type Workspace struct {
	dir  string
	host string // the name of this machine
	disk disk
	now  func() time.Time // only shown: no order depends on a clock

	// replayed is how many ops of runs that have come to their end are replayed at most
	// before they become part of the snapshot, and gathered how many are held for that.
	replayed, gathered int
}

// OpenWorkspace opens the workspace in dir. It touches nothing: dir appears
// with the first run.
func OpenWorkspace(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, unusable("opening workspace", err)
	}
	switch info, err := os.Stat(abs); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, unusable("opening workspace", err)
	case !info.IsDir():
		return nil, unusable("opening workspace", fmt.Errorf("%s is not a folder", abs))
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // folders are told apart by their numbers alone
	}
	return &Workspace{dir: abs, host: host, disk: osDisk{}, now: time.Now, replayed: 2000, gathered: 200_000}, nil
}

// Folder gives the absolute path of the workspace, which may not exist yet.
func (w *Workspace) Folder() string { return w.dir }

// Find returns the run of that name: its id, the beginning of the id where no other
// run has the same, or [Latest]. The error is a [NoRunError] where there is none, and an
// [AmbiguousRunError] where there are several.
func (w *Workspace) Find(name string) (Run, error) {
	if name == filepath.Base(name) && !strings.HasPrefix(name, ".") {
		if run, err := w.load(name); !errors.Is(err, fs.ErrNotExist) {
			return run, err
		}
	}
	runs, err := w.loadAll()
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
		return nil, w.noRun(name)
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

func (w *Workspace) noRun(name string) error {
	if name == Latest {
		return failure.New(fs.ErrNotExist, errors.New("no run yet in "+w.dir), "eventbatch plan or import makes one")
	}
	return failure.New(fs.ErrNotExist, fmt.Errorf("no run %q in %s", name, w.dir), "eventbatch runs lists the runs that there are")
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
func (w *Workspace) Runs() ([]Summary, error) {
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(runs))
	for _, l := range runs {
		s := Summary{ID: l.id, Folder: filepath.Join(w.dir, runsName, l.id), Err: l.err}
		if l.err == nil {
			s.Header = l.run.header
			state, err := l.run.State()
			if s.Err = err; err == nil {
				s.Started, s.Ended, s.At, s.Tally = state.Started, state.Ended, state.At, state.Tally()
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// Unfinished gives the newest run of that identity that has something left to
// do, whether it was taken up or only planned; nil where there is none. To
// decide on it with no other process doing the same, hold [Workspace.Lock].
func (w *Workspace) Unfinished(identity string) (Run, error) {
	runs, err := w.loadAll()
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

// Lock keeps every other process of this machine from planning in the
// workspace until unlock is called. It is held from looking for an unfinished
// run to having created, and attached to, a new one, so that the same file
// imported twice at once becomes one run. It creates the workspace's folder.
func (w *Workspace) Lock(ctx context.Context) (unlock func() error, err error) {
	if err := makeFolder(w.dir); err != nil {
		return nil, unusable("locking workspace", err)
	}
	return waitLock(ctx, filepath.Join(w.dir, lockName))
}

// unusable returns the error that the workspace cannot be read or written.
func unusable(doing string, err error) error {
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err),
		"see to it that the workspace can be read and written, or name another with --workspace")
}

// loaded is a run of the list, or why it could not be read.
type loaded struct {
	id  string
	run *runFolder
	err error
}

// loadAll reads the headers of all runs, from old to new. A folder without a
// plan is what a process that was killed while planning left behind: no run.
func (w *Workspace) loadAll() ([]loaded, error) {
	entries, err := os.ReadDir(filepath.Join(w.dir, runsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable("listing runs", err)
	}
	var runs []loaded
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		run, err := w.load(entry.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		runs = append(runs, loaded{entry.Name(), run, err})
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
	if l.run == nil {
		return math.MaxInt
	}
	return l.run.header.Number
}

func (l loaded) second() string { return l.id[:min(len(idLayout), len(l.id))] }

func (l loaded) created() time.Time {
	if l.run == nil {
		return time.Time{}
	}
	return l.run.header.Created
}
