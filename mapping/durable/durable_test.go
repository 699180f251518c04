package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "results.csv")
	write := func(content string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, err := io.WriteString(w, content); err != nil {
				return err
			}
			return err
		}
	}
	check := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("holds %q, %v; want %q", got, err, want)
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "results.csv" && e.Name() != "real.csv" {
				t.Errorf("%s is left behind", e.Name())
			}
		}
	}
	if err := Replace(path, 0o640, write("one", nil)); err != nil {
		t.Fatal(err)
	}
	check("one")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	broken := errors.New("half way")
	if err := Replace(path, 0o640, write("two", broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	check("one")
	if err := Replace(filepath.Join(folder, "none", "x"), 0o600, write("", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}

	real := filepath.Join(folder, "real.csv")
	if err := os.Rename(path, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Skip("no links here:", err)
	}
	if err := Replace(path, 0o600, write("three", nil)); err != nil {
		t.Fatal(err)
	}
	check("three")
	if target, err := os.Readlink(path); err != nil || target != real {
		t.Errorf("the link became %q, %v", target, err)
	}
	if err := Replace(os.DevNull, 0o600, write("gone", nil)); err != nil {
		t.Errorf("a device: %v", err)
	}
}
