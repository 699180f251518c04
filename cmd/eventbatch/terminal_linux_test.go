package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// On a terminal a check of a file that needs a mapping goes on with map.
func TestCheckOffersToMap(t *testing.T) {
	for _, test := range []struct {
		name, answers string
		code          int
		says          string
		maps          bool
	}{
		{"yes", "y\n\n\n", exitDone, "next: eventbatch check verein.csv --mapping verein.map.yaml", true},
		{"return", "\n\n\n", exitDone, "mapping: verein.map.yaml", true},
		{"no", "n\n", exitInvalid, "the input cannot be read", false},
	} {
		dir := t.TempDir()
		const rows = "Unsere Termine,,\n,,\nVeranstaltung,Datum,Uhrzeit\nSommerfest,19.06.2027,14:00\n"
		if err := os.WriteFile(filepath.Join(dir, "verein.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		control, terminal := openTerminal(t)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := &exec.Cmd{
			Path: self, Args: []string{"eventbatch", "check", "verein.csv", "--timezone", "Europe/Berlin"},
			Env: []string{"TERM=dumb", "HOME=" + dir}, Dir: dir,
			Stdin: terminal, Stdout: terminal, Stderr: terminal, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		if _, err := control.WriteString(test.answers); err != nil {
			t.Fatal(err)
		}
		shown, _ := io.ReadAll(control) // ends with EIO when the command has gone
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.name, code, test.code)
		}
		text := strings.Join(strings.Fields(string(shown)), " ")
		if !strings.Contains(text, "start map now? [Y/n]") || !strings.Contains(text, test.says) {
			t.Errorf("%s: %s", test.name, text)
		}
		if strings.Contains(text, "map proposes") {
			t.Errorf("%s: the offer is a hint too: %s", test.name, text)
		}
		if _, err := os.Stat(filepath.Join(dir, "verein.map.yaml")); (err == nil) != test.maps {
			t.Errorf("%s: the mapping: %v", test.name, err)
		}
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
