package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping/own"
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

// Workspace is a folder of runs, .eventbatch by default. It is safe for use by
// several goroutines; processes meet at [Workspace.Lock] and [journal.Stored.Attach].
type Workspace struct {
	dir  string
	host string // the name of this machine
	disk disk
	now  func() time.Time // only shown: no order depends on a clock

	// replayed is how many ops of runs that have come to their end are replayed at most
	// before they become part of the snapshot, and gathered how many are held for that.
	replayed, gathered int
}

var _ journal.Store = (*Workspace)(nil)

// OpenWorkspace opens the workspace in dir. It touches nothing: dir appears
// with the first run.
func OpenWorkspace(dir string) (*Workspace, error) {
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
	host, err := os.Hostname()
	if err != nil {
		host = "" // folders are told apart by their numbers alone
	}
	return &Workspace{dir: abs, host: host, disk: osDisk{}, now: time.Now, replayed: 2000, gathered: 200_000}, nil
}

// Folder returns the absolute path of the workspace, which may not exist yet.
func (w *Workspace) Folder() string { return w.dir }

// Name is the path of the workspace.
func (w *Workspace) Name() string { return w.dir }

func (w *Workspace) folderOf(run string) string { return filepath.Join(w.dir, runsName, run) }

// Lock keeps every other process of this machine from planning in the
// workspace until unlock is called. It is held from looking for an unfinished
// run to having created, and attached to, a new one, so that the same file
// imported twice at once becomes one run. It creates the workspace's folder.
func (w *Workspace) Lock(ctx context.Context) (unlock func() error, err error) {
	if err := makeFolder(w.dir); err != nil {
		return nil, journal.Unusable("locking workspace", err)
	}
	return waitLock(ctx, filepath.Join(w.dir, lockName))
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
