//go:build unix

package desk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"eventbatch/mapping/regular"
	"eventbatch/mapping/sheet"
)

// A pipe that somebody puts in the place of the file is not waited for.
func TestAPipeInThePlaceOfTheFileHoldsNothingUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte("name\nTea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := NewEdits(filepath.Join(dir, "desk"), path, sheet.Options{})
	e.Open(t.Context())
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if !e.changed(ctx) {
		t.Error("the file is taken for what it was")
	}
	if _, _, err := e.Fits(ctx); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("%v", err)
	}
}
