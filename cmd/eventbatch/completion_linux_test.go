package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each shell completes what a person types, by the script that eventbatch prints for it.
func TestShellsComplete(t *testing.T) {
	const bashCompletion = "/usr/share/bash-completion/bash_completion"
	for _, shell := range []struct {
		name, needs string
		args        []string
		setup, list string
	}{
		{
			"bash", bashCompletion,
			[]string{"--norc", "--noprofile", "-i"},
			"source " + bashCompletion + "; source <(eventbatch completion bash)", "eventbatch show \t\t",
		},
		{
			"zsh", "/",
			[]string{"-f", "-i"},
			"autoload -U compinit; compinit -u -D; source <(eventbatch completion zsh)", "eventbatch show \t\t",
		},
		{"fish", "/", []string{"--no-config", "-i"}, "eventbatch completion fish | source", "complete -C 'eventbatch show '\n"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell.name)
			if err == nil {
				_, err = os.Stat(shell.needs)
			}
			if err != nil {
				t.Skip(err)
			}
			dir, runs := completable(t)
			s := openShell(t, dir, path, shell.args...)
			s.types(shell.setup + "; echo rea''dy\n")
			s.await("ready\r\n")
			for _, line := range [][2]string{
				{"sync mem", "members"},
				{"doctor --profile tri", "trial"},
				{"check --timezone Europe/Berl", "Europe/Berlin"},
				{"explain dst-g", "dst-gap"},
				{"show " + runs[0][:len(runs[0])-4], runs[0]},
			} {
				s.types("eventbatch " + line[0] + "\t\x01echo go''t: \n") // the line becomes the words of an echo
				s.await("got: eventbatch " + line[0][:strings.LastIndex(line[0], " ")+1] + line[1])
			}
			s.types(shell.list)
			s.await(runs[1])
			if at := strings.LastIndex(s.shown, runs[0]); at < 0 || at > strings.LastIndex(s.shown, runs[1]) {
				t.Errorf("the newest run does not come first: %q", s.shown)
			}
		})
	}
}

// completable makes a folder with two runs, which it returns from new to old, two profiles and a sync, and
// eventbatch itself.
func completable(t *testing.T) (dir string, runs []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"eventbatch.yaml": "syncs: {members: {file: a.csv}}\ndefault_profile: main\n" +
			"profiles: {main: {base_url: https://a.example}, trial: {base_url: https://b.example}}\n",
		"a.csv": "key,name,start_at,timezone\na,Tea,2027-04-03 18:00,Etc/UTC\n",
		"b.csv": "key,name,start_at,timezone\nb,Cake,2027-04-03 18:00,Etc/UTC\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "eventbatch"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a.csv", "b.csv"} {
		cmd := &exec.Cmd{Path: self, Args: []string{"eventbatch", "plan", file, "--sandbox"}, Env: []string{"HOME=" + dir}, Dir: dir}
		out, err := cmd.CombinedOutput()
		_, id, planned := strings.Cut(string(out), "planned run ")
		if err != nil || !planned {
			t.Fatalf("%v: %s", err, out)
		}
		runs = append([]string{id[:strings.Index(id, ":")]}, runs...)
	}
	return dir, runs
}

// typedShell is an interactive shell on a terminal.
type typedShell struct {
	t       *testing.T
	control *os.File
	read    chan string
	shown   string // since it was waited for last
}

func openShell(t *testing.T, dir, path string, args ...string) *typedShell {
	control, terminal := openTerminal(t)
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, terminal, terminal, terminal
	cmd.Env = []string{"TERM=xterm", "HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have gone
		_ = cmd.Wait()
	})
	s := &typedShell{t: t, control: control, read: make(chan string, 100)}
	go func() {
		defer close(s.read)
		for buf := make([]byte, 4096); ; {
			n, err := control.Read(buf) // ends when the shell has gone
			if err != nil {
				return
			}
			s.read <- string(buf[:n])
		}
	}()
	return s
}

func (s *typedShell) types(text string) {
	if _, err := io.WriteString(s.control, text); err != nil {
		s.t.Fatal(err)
	}
}

// await reads what is shown until the words are there.
func (s *typedShell) await(words string) {
	s.t.Helper()
	s.shown = ""
	for late := time.After(20 * time.Second); !strings.Contains(s.shown, words); {
		select {
		case text, more := <-s.read:
			if s.shown += text; !more {
				s.t.Fatalf("the shell has gone after %q", s.shown)
			}
		case <-late:
			s.t.Fatalf("%q is not shown, but %q", words, s.shown)
		}
	}
}
