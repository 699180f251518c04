//go:build unix

package files

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

func TestOnlyTheOwnerCanLook(t *testing.T) {
	// Without a mask the modes show that the code asks for.
	defer syscall.Umask(syscall.Umask(0))
	w, err := OpenWorkspace(filepath.Join(t.TempDir(), "a", ".eventbatch"))
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := w.Lock(t.Context(), journal.Runs)
	if err != nil {
		t.Fatal(err)
	}
	run := create(t, w, "identity", ops(2, plan.Create))
	j, _ := attach(t, run)
	mustCommit(t, j, intent(0, plan.Create))
	if err := errors.Join(j.Close(), unlock()); err != nil {
		t.Fatal(err)
	}
	var seen []string
	err = filepath.WalkDir(w.Folder(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fileMode
		if entry.IsDir() {
			want = folderMode
		} else {
			seen = append(seen, entry.Name())
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	slices.Sort(seen)
	if diff := cmp.Diff([]string{journalName, lockName, lockName, planName, rowsName, syncedName}, seen); err != nil || diff != "" {
		t.Error(diff, err)
	}
}
