//go:build unix

package secret

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPipeIsRefusedWithoutHanging(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Sources{}.Read(t.Context(), Ref{"file", pipe})
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
