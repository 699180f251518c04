package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
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

// Latest, given to [Workspace.Find], means the run that was planned last. With ~N behind
// it, it means the one N before.
const Latest = "latest"

// Workspace is a folder of runs, .eventbatch by default. It is safe for use by
// several goroutines; processes meet at [Workspace.Lock] and [Run.Attach].
type Workspace struct {
	runs

	dir  string
	host string // the name of this machine
	disk disk
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
	if err := own.NoLinks(abs, runsName); err != nil { // of runs each is looked at when it is opened
		return nil, unusable("opening workspace", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // folders are told apart by their numbers alone
	}
	w := &Workspace{dir: abs, host: host, disk: osDisk{}}
	w.runs = newRuns(w)
	return w, nil
}

// Folder gives the absolute path of the workspace, which may not exist yet.
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
		return nil, unusable("locking workspace", err)
	}
	return waitLock(ctx, filepath.Join(w.dir, lockName))
}

// unusable returns the error that the workspace cannot be read or written, unless the error says better what to do.
func unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err),
		"see to it that the workspace can be read and written, or name another with --workspace")
}

// put writes the files of a run of another store. The plan is the last: with it the run is
// there.
func (w *Workspace) put(o *outgoing) error {
	r := w.folder(o.ID())
	if err := makeFolder(r.folder); err != nil {
		return err
	}
	write := own.Replace
	err := own.NoLink(r.folder)
	if err != nil {
		return err
	}
	if o.dropped.IsZero() {
		err = write(r.rowsPath(), func(w io.Writer) error {
			return o.ops(func(_, row []byte) error { return writeAll(w, row) })
		})
	} else {
		err = write(r.droppedPath(), func(w io.Writer) error { return json.NewEncoder(w).Encode(dropped{o.dropped}) })
	}
	if err == nil && o.extent.lines > 0 {
		err = write(r.journalPath(), func(w io.Writer) error {
			return o.journal(func(piece StoredPiece) error { return writeAll(w, piece.Lines) })
		})
	}
	if err == nil && o.synced > 0 {
		err = own.ReplaceText(r.syncedPath(), appendSynced(nil, o.synced))
	}
	if err == nil {
		err = write(r.planPath(), func(w io.Writer) error {
			if err := writeAll(w, o.line); err != nil {
				return err
			}
			return o.lines(func(line []byte) error { return writeAll(w, line) })
		})
	}
	return cmp.Or(err, durable.SyncFolder(filepath.Dir(r.folder)))
}

func writeAll(w io.Writer, text []byte) error {
	_, err := w.Write(text)
	return err
}

// headers reads the headers of all runs. A folder without a
// plan is what a process that was killed while planning left behind: no run.
func (w *Workspace) headers() ([]loaded, error) {
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
		runs = append(runs, loaded{id: entry.Name(), run: run, err: err})
	}
	return runs, nil
}
