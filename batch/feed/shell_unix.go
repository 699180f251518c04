//go:build unix

package feed

import (
	"context"
	"os/exec"
	"syscall"
)

// shell is a command with a group of its own, so that its children can be found.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// killAll kills a command's group.
func killAll(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
