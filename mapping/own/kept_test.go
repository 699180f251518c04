package own

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAKeptFileIsTheOneThatHasTheName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	k := Kept{Path: path}
	first, size, err := k.Open(os.O_RDWR | os.O_CREATE)
	if err != nil || size != 0 {
		t.Fatal(size, err)
	}
	if err := os.WriteFile(path, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	if same, size, err := k.Open(os.O_RDWR); same != first || size != 4 || err != nil {
		t.Errorf("another file, of %d bytes: %v", size, err)
	}
	if err := ReplaceText(path, []byte("another")); err != nil {
		t.Fatal(err)
	}
	if other, size, err := k.Open(os.O_RDWR); other == first || size != 7 || err != nil {
		t.Errorf("the one before, of %d bytes: %v", size, err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.Open(os.O_RDONLY); err == nil {
		t.Error("a folder is opened")
	}
	if err := errors.Join(os.Remove(path), k.Close()); err != nil {
		t.Fatal(err)
	}
}

// taken reports whether somebody has the lock that whoever comes now would take.
func taken(t *testing.T, path string) bool {
	t.Helper()
	lock := Lock(path)
	free, err := lock.TryLock()
	if err = errors.Join(err, lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	return !free
}

func TestALatchLocksTheFileThatHasTheName(t *testing.T) {
	if !Keeps {
		t.Skip("a file that is open cannot be removed here")
	}
	path := filepath.Join(t.TempDir(), "lock")
	one, two := NewLatch(path), NewLatch(path)
	for range 3 {
		if err := one.Lock(); err != nil || !taken(t, path) {
			t.Fatalf("locked, and others may: %v", err)
		}
		waited := make(chan error)
		go func() { waited <- two.Lock() }()
		if err := errors.Join(os.Remove(path), one.Unlock(), <-waited); err != nil || !taken(t, path) {
			t.Fatalf("whoever waited has the lock of a file that is gone: %v", err)
		}
		if err := two.Unlock(); err != nil || taken(t, path) {
			t.Fatalf("given back, and nobody else may: %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Error(err)
	}
}
