package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eventbatch/batch/journal"
)

// exists reports whether there is anything in the workspace.
func (w *Workspace) exists() bool {
	_, err := os.Stat(w.dir)
	return !errors.Is(err, fs.ErrNotExist)
}

// remove renames the folders of runs, and removes them.
func (w *Workspace) remove(runs []journal.Ended, stop func() error) error {
	var folders []string
	for _, r := range runs {
		if err := stop(); err != nil {
			return err
		}
		if held, err := r.Held(); held || err != nil {
			return cmp.Or[error](err, &journal.LockedError{What: "run " + r.ID()})
		}
		folder := filepath.Join(w.dir, runsName, prunedPrefix+r.ID())
		if err := os.Rename(filepath.Join(w.dir, runsName, r.ID()), folder); err != nil {
			return journal.Unusable("removing run "+r.ID(), err)
		}
		folders = append(folders, folder)
	}
	for _, folder := range folders {
		if err := cmp.Or(stop(), os.RemoveAll(folder)); err != nil {
			return journal.Unusable("removing "+folder, err)
		}
	}
	return nil
}

// sweepRuns removes what processes that were killed have left behind.
func (w *Workspace) sweepRuns(p *journal.Pruner) error {
	if p.Try {
		return nil
	}
	runs := filepath.Join(w.dir, runsName)
	folders, _ := filepath.Glob(filepath.Join(runs, prunedPrefix+"*")) // the pattern is well formed
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return journal.Unusable("listing runs", err)
	}
	for _, entry := range entries {
		folder := filepath.Join(runs, entry.Name())
		info, err := entry.Info()
		if err == nil && info.IsDir() && draftOnly(folder) && p.Past(info.ModTime(), max(p.Keep, 24*time.Hour)) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		if err := os.RemoveAll(folder); err != nil {
			return journal.Unusable("removing "+folder, err)
		}
	}
	return nil
}

// draftOnly reports whether a folder holds no more than a run that was never sealed.
func draftOnly(folder string) bool {
	for _, name := range []string{planName, journalName, syncedName, resultsName} {
		if _, err := os.Lstat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return !strings.HasPrefix(filepath.Base(folder), ".")
}

// SweepExports removes what was read for exports that nobody can go on with: those that were
// begun more than a day ago, and as long ago as anything else may stay.
func (w *Workspace) SweepExports(p *journal.Pruner) error {
	if p.Source != "" {
		return nil
	}
	keep := p.Keep
	if keep == journal.Always || p.Bodies != journal.Always && p.Bodies < keep {
		keep = p.Bodies
	}
	folders, _ := filepath.Glob(filepath.Join(w.dir, ExportsName, "*")) // the pattern is well formed
	for _, folder := range folders {
		info, err := os.Stat(filepath.Join(folder, "begun"))
		if err != nil {
			info, err = os.Stat(folder)
		}
		if err != nil || !p.Past(info.ModTime(), max(keep, 24*time.Hour)) {
			continue
		}
		if err := sweepExport(p, folder, info.ModTime()); err != nil {
			return err
		}
	}
	return nil
}

func sweepExport(p *journal.Pruner, folder string, at time.Time) error {
	held, err := locked(filepath.Join(folder, lockName))
	if held || err != nil {
		return err
	}
	bytes, err := sizeOf(folder)
	if err != nil {
		return err
	}
	p.Done.Exports = append(p.Done.Exports, journal.Gone{ID: filepath.Base(folder), Ended: at, Bytes: bytes})
	if p.Try {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return journal.Unusable("removing "+folder, err)
	}
	return nil
}

// sizeOf returns the bytes of the files below a folder.
func sizeOf(folder string) (int64, error) {
	total := int64(0)
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, journal.Unusable("looking at "+folder, err)
	}
	return total, nil
}

// Prune removes the runs that came to their end some time ago and that nobody needs, and
// what else grows with the years. Nothing is forgotten of what they have made: that is in
// the memory of keys.
func (w *Workspace) Prune(ctx context.Context, what journal.Pruning) (*journal.Pruned, error) {
	p := &pruner{Pruner: journal.Pruner{Pruning: what, Now: w.now()}, workspace: w, err: ctx.Err}
	if !w.exists() {
		return &p.Done, nil
	}
	unlock, err := w.Lock(ctx, journal.Runs)
	if err != nil {
		return nil, err
	}
	return &p.Done, errors.Join(p.prune(), unlock())
}
