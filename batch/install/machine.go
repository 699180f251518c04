package install

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/failure"
)

// Zone returns the zone of a schedule by the name of its rules: the one that is said, or that of this machine, which a variable
// TZ tells, or the system.
func Zone(said, variable string) (string, error) {
	zone := cmp.Or(said, machineZone(variable))
	if zone == "" {
		return "", failure.New(failure.Usage, errors.New("this machine does not say its time zone"), "say --timezone Europe/Paris")
	}
	found, wrong := datetime.LoadZone(zone)
	if wrong != nil {
		return "", failure.New(failure.Usage, errors.New("--timezone: "+wrong.Message), wrong.Hint())
	}
	return found.Name, nil
}

func machineZone(variable string) string {
	if variable != "" {
		return strings.TrimPrefix(variable, ":")
	}
	target, err := filepath.EvalSymlinks("/etc/localtime")
	if errors.Is(err, os.ErrNotExist) {
		return "UTC"
	}
	_, zone, _ := strings.Cut(target, "/zoneinfo/")
	return zone
}

// Here returns where on this machine the sync is run: as the user that is said, or whom the workspace belongs to.
func Here(workspace, user string) (h Host, err error) {
	if h.Program, err = program(); err != nil {
		return h, err
	}
	if h.Folder, err = os.Getwd(); err != nil {
		return h, err
	}
	h.Workspace, err = filepath.Abs(workspace)
	h.User = cmp.Or(user, userOf(h.Workspace))
	return h, err
}

// program returns the path of this program. Where the system does not say it, as where /proc is missing, it is what this
// process was called by, found in PATH.
func program() (string, error) {
	path, err := executable()
	if err == nil {
		return path, nil
	}
	if called, missing := exec.LookPath(os.Args[0]); missing == nil {
		return filepath.Abs(called)
	}
	return "", failure.New(
		failure.Usage, fmt.Errorf("where this program lies is not known: %w", err),
		"call it by its whole path, such as /usr/local/bin/eventbatch",
	)
}

// executable is a variable for tests.
var executable = os.Executable

// userOf returns the name of whom a workspace belongs to, or will.
func userOf(workspace string) string {
	id, ok := owner(workspace)
	if !ok {
		id = strconv.Itoa(os.Geteuid())
	}
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
