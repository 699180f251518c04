//go:build unix

package sheet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"eventbatch/mapping/regular"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPipeIsReadLikeAFile(t *testing.T) {
	path := fifo(t)
	go func() { _ = os.WriteFile(path, []byte("a,b\n1,2\n"), 0) }() // waits for who reads
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum, err := f.Sum(t.Context())
	if err != nil || sum == "" {
		t.Fatal(sum, err)
	}
	n := 0
	for _, err := range f.Rows(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 2 || f.SHA256() != sum {
		t.Errorf("%d rows", n)
	}
}

// Neither the opening nor the reading of a pipe holds up who no longer wants it.
func TestPipeIsGivenUpWithItsContext(t *testing.T) {
	path := fifo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	go func() {
		writer, err := os.OpenFile(path, os.O_WRONLY, 0) // returns once the readers are there
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(func() { _ = writer.Close() })
		cancel()
	}()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
}

func TestDeviceIsNoFile(t *testing.T) {
	_, err := Open(t.Context(), "/dev/zero", Options{Format: "csv"})
	if !errors.Is(err, regular.ErrNotRegular) || err.Error() != "/dev/zero: reading the file: a device is not a regular file" {
		t.Errorf("got %v", err)
	}
}

// A stream without end is no matter of memory, and leaves nothing behind.
func TestStreamIsKeptOnDisk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zero.Close()
	before := allocatedBytes()
	_, err = Open(t.Context(), "-", Options{Format: "csv", Stdin: zero, Limits: Limits{FileBytes: 64 << 20}})
	if err == nil || err.Error() != "stdin: more than 67108864 bytes from a stream" {
		t.Errorf("got %v", err)
	}
	if mib := (allocatedBytes() - before) >> 20; mib > 4 {
		t.Errorf("it took %d MiB of memory", mib)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A folder of payloads may hold something else of the name.
func TestPayloadIsARegularFile(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "a.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder, Options{Format: "webhook"}); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
