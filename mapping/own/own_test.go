//go:build unix

package own

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"eventbatch/mapping/regular"
)

func TestNothingIsOpenedThroughALink(t *testing.T) {
	dir := t.TempDir()
	target, link, pipe := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(target, []byte("mine"), 0o600), os.Symlink(target, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND} {
		if _, err := OpenFile(link, flag); !errors.Is(err, ErrLink) {
			t.Errorf("flags %#x: %v", flag, err)
		}
	}
	if _, err := Lock(link).TryLock(); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("locked: %v", err)
	}
	if _, err := Read(pipe); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	for _, path := range []string{link, pipe} {
		if err := ReplaceText(path, []byte("ours")); err != nil {
			t.Fatal(err)
		}
		if text, err := Read(path); err != nil || string(text) != "ours" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if text, err := Read(target); err != nil || string(text) != "mine" {
		t.Errorf("the target: %q, %v", text, err)
	}
}

func TestNoLinks(t *testing.T) {
	dir := t.TempDir()
	deep, runs := filepath.Join(dir, "syncs", "members"), filepath.Join(dir, "runs", "one")
	err := errors.Join(
		os.MkdirAll(deep, 0o700), os.MkdirAll(runs, 0o700), os.Symlink(dir, filepath.Join(runs, "link")), NoLinks(dir, "runs"),
		NoLinks(filepath.Join(dir, "none"), ""), os.Symlink(dir, filepath.Join(deep, "link")),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := NoLinks(dir, "runs"); !errors.Is(err, ErrLink) {
		t.Errorf("got %v", err)
	}
}
