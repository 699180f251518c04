package main

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
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
	c := &syncInstallCommand{}
	os.Args = []string{"eventbatch-here"}
	if got, err := c.program(); got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	os.Args = []string{"eventbatch-nowhere"}
	_, err := c.program()
	wrong, ok := errors.AsType[*usageError](err)
	if !ok || !strings.Contains(wrong.hint, "whole path") {
		t.Errorf("no hint: %v", err)
	}
}

// A sync runs as whom its workspace belongs to, who may have no name.
func TestTheUserOfASyncIsTheOwnerOfItsWorkspace(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Join(dir, "none")} {
		if got := userOf(folder); got != me.Username {
			t.Errorf("%s: %s, want %s", folder, got, me.Username)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only the superuser gives files away")
	}
	const nobody = 54321
	if err := os.Chown(dir, nobody, -1); err != nil {
		t.Fatal(err)
	}
	if got := userOf(dir); got != strconv.Itoa(nobody) {
		t.Errorf("the owner of the folder is %s", got)
	}
}
