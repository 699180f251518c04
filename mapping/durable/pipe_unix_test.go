//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is written to while somebody reads from it, and nobody is waited for.
func TestPipeNeedsAReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	err := ReplaceText(path, 0o600, []byte("one"))
	if _, ok := errors.AsType[*fs.PathError](err); !ok || err.Error() != "writing to "+path+": open "+path+": nobody reads from it" {
		t.Errorf("got %v", err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := ReplaceText(path, 0o600, []byte("two")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	if n, err := reader.Read(got); err != nil || string(got[:n]) != "two" {
		t.Errorf("read %q, %v", got[:n], err)
	}
}
