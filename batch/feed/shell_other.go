//go:build !unix

package feed

import (
	"context"
	"os/exec"
)

func shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}

func killAll(cmd *exec.Cmd) error { return cmd.Process.Kill() }
