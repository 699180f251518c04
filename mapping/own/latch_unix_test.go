//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package own

import (
	"errors"
	"path/filepath"
	"testing"
)

// Here the file of the lock is lost to the process as that of a server may be: it can be neither locked nor unlocked.
func TestALatchOpensALostFileAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l := NewLatch(path)
	for range 2 {
		if err := l.Lock(); err != nil || !taken(t, path) {
			t.Fatalf("not locked: %v", err)
		}
		if err := errors.Join(l.Unlock(), l.kept.file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Lock(), l.kept.file.Close()); err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err == nil {
		t.Error("a file that is lost was unlocked")
	}
	if err := errors.Join(l.Lock(), l.Unlock(), l.Close()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
