//go:build unix

package pgtest

import (
	"os/exec"
	"syscall"
	"testing"
)

// Admit has a command that starts a server of its own run as a user whom PostgreSQL does not refuse. The user
// owns the folder. What the command has started and left behind ends with the test. Where PostgreSQL is not
// installed the test is skipped, or fails where CI is set.
func Admit(t testing.TB, cmd *exec.Cmd, folder string) {
	t.Helper()
	if binaries() == "" {
		need(t, missingServer, nil)
	}
	as, err := unprivileged()
	if err == nil {
		err = as.own(folder)
	}
	need(t, "", err)
	cmd.SysProcAttr = as.attributes()
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly there is nobody
		}
	})
}
