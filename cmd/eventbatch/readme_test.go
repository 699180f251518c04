package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
)

// The README is run: what a console block shows is what the commands print. The
// blocks of one file share a folder, in their order. A line … stands for any
// lines, … within a line for any words; a last line "exit 65" is the exit code,
// which is 0 without one.
func TestReadmeDoesWhatItSays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the README's commands are for a shell")
	}
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := readmeFolder(t)
	shown := 0
	for _, block := range fenced(string(text), "console") {
		for _, step := range steps(block.text) {
			shown++
			output := shell(t, dir, step.command)
			if !step.matches(output) {
				t.Errorf("README.md:%d: $ %s\nprints:\n%s\nand not:\n%s", block.line, step.command, output, step.output)
			}
		}
	}
	if shown == 0 {
		t.Error("the README has no console block")
	}
}

// What the README says to run on a bare clone ends well, in a folder of its own.
func TestReadmeCommandsEndWell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the README's commands are for a shell")
	}
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	run := 0
	for _, block := range fenced(string(text), "sh") {
		for command := range strings.Lines(block.text) {
			args, ok := strings.CutPrefix(strings.TrimSpace(command), "go run ./cmd/eventbatch ")
			if !ok {
				continue // tests and builds: they are under way
			}
			run++
			if output := shell(t, readmeFolder(t), "eventbatch "+args); strings.Contains(output, "\nexit ") {
				t.Errorf("README.md:%d: %s\nends with:\n%s", block.line, command, output)
			}
		}
	}
	if run == 0 {
		t.Error("the README runs no command")
	}
}

// What the README says to try workers with starts PostgreSQL, a service, and workers that send a run. Each command
// ends well, and those that stay end with the last one.
func TestReadmeStartsWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes five seconds to start a server and to send a run")
	}
	t.Parallel()
	readme := textOf(t, "README.md")
	all := fenced(readme, "sh")
	at := slices.IndexFunc(all, func(f fence) bool { return strings.Contains(f.text, "eventbatch worker") })
	shown := fenced(readme, "text")
	if at < 0 || len(shown) != 1 {
		t.Fatalf("the README starts no worker, or shows %d outputs and not 1", len(shown))
	}
	folder, err := os.MkdirTemp("", "readme") // the name of a socket is short, and another user may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // a server without its folder ends
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	free := strings.NewReplacer("127.0.0.1:8787", freeAddress(t))
	cmd := exec.CommandContext(ctx, "sh", "-e", "-c", free.Replace(all[at].text))
	cmd.WaitDelay = 10 * time.Second // for what is left behind holds the output
	cmd.Dir, cmd.Env = folder, []string{"PATH=" + folder + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + folder}
	pgtest.Admit(t, cmd, folder)
	copyFile(t, program(t), filepath.Join(folder, "eventbatch"), 0o755)
	if err := os.Mkdir(filepath.Join(folder, "samples"), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join("..", "..", "samples", "spring.csv"), filepath.Join(folder, "samples", "spring.csv"), 0o644)
	output, err := cmd.CombinedOutput()
	if want := free.Replace(shown[0].text); err != nil || !(step{output: want}).matches(string(output)) {
		t.Errorf("README.md:%d: %v:\n%s\nand not:\n%s", all[at].line, err, output, want)
	}
}

// freeAddress returns an address of this machine at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = listener.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readmeFolder is a folder where the repository's samples are at hand.
func readmeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	samples, err := filepath.Abs("../../samples")
	if err == nil {
		err = os.Symlink(samples, filepath.Join(dir, "samples"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// shell runs a command line and gives what a terminal would show.
func shell(t *testing.T, dir, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Dir(program(t)) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "EVENTBATCH_PACE=0",
	}
	output, err := cmd.CombinedOutput()
	text := string(output)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return text + fmt.Sprintf("exit %d\n", failed.ExitCode())
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fence is a fenced block of a Markdown text.
type fence struct {
	line int // of its first line
	text string
}

func fenced(markdown, kind string) []fence {
	var blocks []fence
	var block *fence
	number := 0
	for line := range strings.Lines(markdown) {
		number++
		switch {
		case block == nil && strings.TrimSpace(line) == "```"+kind:
			block = &fence{line: number + 1}
		case block != nil && strings.HasPrefix(line, "```"):
			blocks = append(blocks, *block)
			block = nil
		case block != nil:
			block.text += line
		}
	}
	return blocks
}

// step is a command of a console block with the output that it shows.
type step struct{ command, output string }

func steps(block string) []step {
	var list []step
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, step{command: strings.TrimSpace(command)})
		} else if len(list) > 0 {
			list[len(list)-1].output += line
		}
	}
	return list
}

// matches compares what is printed with what is shown.
func (s step) matches(output string) bool {
	var form strings.Builder
	form.WriteString(`\A`)
	for line := range strings.Lines(s.output) {
		if strings.TrimSpace(line) == "…" {
			form.WriteString(`(?:.*\n)*?`)
			continue
		}
		parts := strings.Split(strings.TrimRight(line, "\n"), "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		form.WriteString(strings.Join(parts, `.*`) + `\n`)
	}
	form.WriteString(`\z`)
	return regexp.MustCompile(form.String()).MatchString(output)
}

func TestReadmeStepsAreCompared(t *testing.T) {
	for _, test := range []struct {
		shown, printed string
		matches        bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"…\nb\n", "x\ny\nb\n", true},
		{"…\nb\n", "b\n", true},
		{"a\n…\n", "a\nx\n", true},
		{"a … c\n", "a b c\n", true},
		{"a … c\n", "a b d\n", false},
		{"a.c\n", "abc\n", false},
		{"", "", true},
		{"", "a\n", false},
		{"a\nexit 65\n", "a\n", false},
	} {
		if got := (step{output: test.shown}).matches(test.printed); got != test.matches {
			t.Errorf("%q against %q: %t", test.shown, test.printed, got)
		}
	}
	if got := steps("$ a\nx\ny\n$ b\n"); len(got) != 2 || got[0].output != "x\ny\n" || got[1].command != "b" {
		t.Errorf("%+v", got)
	}
}
