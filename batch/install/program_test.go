package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/mapping/failure"
)

// Where the system does not say where the program lies, it is what it was called by.
func TestTheProgramIsFoundByWhatItWasCalled(t *testing.T) {
	args := os.Args
	executable = func() (string, error) { return "", errors.New("readlink /proc/self/exe: no such file or directory") }
	t.Cleanup(func() { executable, os.Args = os.Executable, args })
	dir := t.TempDir()
	want := filepath.Join(dir, "eventbatch-here")
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	os.Args = []string{"eventbatch-here"}
	if got, err := program(); got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	os.Args = []string{"eventbatch-nowhere"}
	_, err := program()
	if hint, _ := failure.HintOf(err); !errors.Is(err, failure.Usage) || !strings.Contains(hint, "whole path") {
		t.Errorf("no hint: %v", err)
	}
}
