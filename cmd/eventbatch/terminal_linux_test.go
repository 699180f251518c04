package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNothingIsAskedOfATerminal runs a command on a terminal that answers no
// questions, as a slow line or a recorder does: it must neither put one into the
// output nor wait for the answer.
func TestNothingIsAskedOfATerminal(t *testing.T) {
	control, terminal := openTerminal(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{
		Path: self, Args: []string{"eventbatch", "version"}, Env: []string{"TERM=xterm-256color", "HOME=" + t.TempDir()}, Dir: t.TempDir(),
		Stdin: terminal, Stdout: terminal, Stderr: terminal,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	shown, _ := io.ReadAll(control) // ends with EIO when the command has gone
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(shown), "\x1b") || !strings.HasPrefix(string(shown), "eventbatch ") {
		t.Errorf("the terminal was sent %q", shown)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
}

// openTerminal makes a terminal of 80 columns and the side that controls it.
func openTerminal(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals here:", err)
	}
	t.Cleanup(func() { control.Close() })
	fd := int(control.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return control, terminal
}
