package install

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// MachineZone returns the time zone of this machine, where it can be told: by a variable TZ, or by the system.
func MachineZone(variable string) string {
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

// UserOf returns the name of whom a workspace belongs to, or will.
func UserOf(workspace string) string {
	id, ok := owner(workspace)
	if !ok {
		id = strconv.Itoa(os.Geteuid())
	}
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
