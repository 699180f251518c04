package files

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
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/own"

	"github.com/gofrs/flock"
)

// The files of a run's folder.
const (
	planName     = "plan.jsonl"
	rowsName     = "rows.jsonl"
	journalName  = "journal.jsonl"
	lockName     = "lock"
	planningName = "planning" // is locked by whoever plans
	resultsName  = "results.csv"
	runsName     = "runs"

	// ExportsName is the folder of what is read for exports, a folder each.
	ExportsName = "exports"
)

// What a workspace holds is for its owner's eyes: rows of people's files.
const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600
)

// Workspace is a folder of runs, .eventbatch by default. It is safe for use by
// several goroutines; processes meet at [Workspace.Lock] and [journal.Stored.Attach].
type Workspace struct {
	dir  string
	host string // the name of this machine
	disk Disk
	now  func() time.Time // only shown: no order depends on a clock

	// replayed is how many ops of runs that have come to their end are replayed at most
	// before they become part of the snapshot, and gathered how many are held for that.
	replayed, gathered int
}

var _ journal.Store = (*Workspace)(nil)

// OpenWorkspace opens the workspace in dir. It touches nothing: dir appears
// with the first run.
func OpenWorkspace(dir string) (*Workspace, error) { return OpenWorkspaceOn(dir, OSDisk{}) }

// OpenWorkspaceOn is [OpenWorkspace] with journals on a disk of the caller's.
func OpenWorkspaceOn(dir string, disk Disk) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, journal.Unusable("opening workspace", err)
	}
	switch info, err := os.Stat(abs); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, journal.Unusable("opening workspace", err)
	case !info.IsDir():
		return nil, journal.Unusable("opening workspace", fmt.Errorf("%s is not a folder", abs))
	}
	if err := own.NoLinks(abs, runsName); err != nil { // of runs each is looked at when it is opened
		return nil, journal.Unusable("opening workspace", err)
	}
	// Where the machine has no name folders are told apart by their numbers alone.
	return &Workspace{dir: abs, host: journal.Hostname(), disk: disk, now: time.Now, replayed: 2000, gathered: 200_000}, nil
}

// Folder returns the absolute path of the workspace, which may not exist yet.
func (w *Workspace) Folder() string { return w.dir }

// Name is the path of the workspace.
func (w *Workspace) Name() string { return w.dir }

func (w *Workspace) folderOf(run string) string { return filepath.Join(w.dir, runsName, run) }

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

// headers reads the headers of all runs. A folder without a
// plan is what a process that was killed while planning left behind: no run.
func (w *Workspace) headers() ([]loaded, error) {
	entries, err := os.ReadDir(filepath.Join(w.dir, runsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, journal.Unusable("listing runs", err)
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
		runs = append(runs, loaded{id: entry.Name(), run: run, err: err})
	}
	return runs, nil
}

// Lock locks the workspace against the other processes of this machine. It creates the workspace's folder.
func (w *Workspace) Lock(ctx context.Context, what journal.Lock) (unlock func() error, err error) {
	if err := makeFolder(w.dir); err != nil {
		return nil, journal.Unusable("locking workspace", err)
	}
	name, take := planningName, (*flock.Flock).TryLockContext
	switch what {
	case journal.Runs:
		name = lockName
	case journal.Planning:
		take = (*flock.Flock).TryRLockContext
	}
	lock := own.Lock(filepath.Join(w.dir, name))
	if _, err := take(lock, ctx, lockPoll); err != nil {
		return nil, journal.Unusable("locking workspace", err)
	}
	return lock.Unlock, nil
}

// Draft begins a run, planned at that time or now.
func (w *Workspace) Draft(created time.Time) (*journal.Draft, error) {
	if err := makeFolder(filepath.Join(w.dir, runsName)); err != nil {
		return nil, journal.Unusable("creating run", err)
	}
	if created.IsZero() {
		created = w.now()
	}
	id := journal.NewID(created)
	r := w.folder(id)
	if err := os.Mkdir(r.folder, folderMode); err != nil {
		return nil, journal.Unusable("creating run", err)
	}
	home, err := r.home()
	if err != nil {
		return nil, errors.Join(journal.Unusable("creating run", err), r.Discard())
	}
	return journal.NewDraft(plan.Header{Run: id, Created: created, Home: home}, r.folder, r)
}

// load reads a run's header. The error is fs.ErrNotExist where there is no plan.
func (w *Workspace) load(id string) (*run, error) {
	r := w.folder(id)
	if err := own.NoLink(r.folder); err != nil {
		return nil, journal.Unusable("opening run "+id, err)
	}
	f, _, err := r.openPlan(headerBuffer)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r.ID() != id {
		return nil, &journal.DamagedError{Path: r.planPath(), Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", r.ID())}
	}
	return r, nil
}

// folder returns the run of that id, of which nothing has been read.
func (w *Workspace) folder(id string) *run {
	return &run{in: w, folder: w.folderOf(id)}
}
