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

	"eventbatch/batch/manual"
	"eventbatch/batch/pgtest"
)

// examples returns the documents whose examples are run, by their paths below the repository's top.
func examples(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for a shell")
	}
	paths := []string{"README.md"}
	for _, pattern := range []string{"templates/topics/*.md", ".github/AGENTS.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			paths = append(paths, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
		}
	}
	return paths
}

// The examples are run: what a console block shows is what the commands print. The
// blocks of one file share a folder, in their order. A line … stands for any
// lines, … within a line for any words; a last line "exit 65" is the exit code,
// which is 0 without one. A command goes on in the next line behind a \.
func TestExamplesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, path := range examples(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			dir := exampleFolder(t)
			for _, block := range fenced(textOf(t, path), "console") {
				for _, step := range steps(block.text) {
					output := shell(t, dir, step.command)
					if !step.matches(output) {
						t.Errorf("%s:%d: $ %s\nprints:\n%s\nand not:\n%s", path, block.line, step.command, output, step.output)
					}
				}
			}
		})
	}
}

// What the documents have for a shell without its output ends well: that of the README on a bare clone, that of the
// topics with an installed program, and with a database where they say so.
func TestExamplesEndWell(t *testing.T) {
	t.Parallel()
	run := 0
	for _, path := range examples(t) {
		for _, block := range fenced(textOf(t, path), "sh") {
			if strings.Contains(block.text, "eventbatch worker") {
				continue // it has a test of its own
			}
			const database = "postgres://localhost/agency"
			if strings.Contains(block.text, database) {
				if testing.Short() {
					continue
				}
				block.text = strings.ReplaceAll(block.text, database, "'"+pgtest.Database(t)+"'")
			}
			dir := exampleFolder(t)
			var script strings.Builder
			for line := range strings.Lines(block.text) {
				if word := strings.Fields(line + " -")[0]; word == "createdb" || strings.HasPrefix(line, "go test ") {
					continue // there is a database, and the tests are under way
				}
				script.WriteString(strings.Replace(line, "go run ./cmd/eventbatch ", "eventbatch ", 1))
			}
			if script.Len() == 0 {
				continue
			}
			run++
			if output := shell(t, dir, "set -e\n"+script.String()); strings.Contains(output, "\nexit ") {
				t.Errorf("%s:%d: %s\nends with:\n%s", path, block.line, script.String(), output)
			}
		}
	}
	if run < 2 {
		t.Errorf("%d examples were run", run)
	}
}

// The README is read whole: it leaves to the topics what has to be looked up.
func TestReadmeIsShort(t *testing.T) {
	const most = 12_000
	if text := textOf(t, "README.md"); len(text) > most {
		t.Errorf("the README has %d bytes, and may have %d: a topic below templates/topics is the place for more", len(text), most)
	}
	for _, name := range manual.Topics {
		if name != "flags" && !strings.Contains(textOf(t, "README.md"), "templates/topics/"+name+".md") {
			t.Errorf("the README names no topic %s", name)
		}
	}
}

// What the topic of workers says to try them with starts PostgreSQL, a service, and workers that send a run. Each command
// ends well, and those that stay end with the last one.
func TestExampleStartsWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes five seconds to start a server and to send a run")
	}
	t.Parallel()
	const path = "templates/topics/workers.md"
	all := fenced(textOf(t, path), "sh")
	at := slices.IndexFunc(all, func(f fence) bool { return strings.Contains(f.text, "eventbatch worker") })
	shown := fenced(textOf(t, path), "text")
	if at < 0 || len(shown) != 1 {
		t.Fatalf("%s starts no worker, or shows %d outputs and not 1", path, len(shown))
	}
	folder, err := os.MkdirTemp("", "example") // the name of a socket is short, and another user may enter
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
		t.Errorf("%s:%d: %v:\n%s\nand not:\n%s", path, all[at].line, err, output, want)
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

// exampleFolder is a folder where the repository's samples are at hand.
func exampleFolder(t *testing.T) string {
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
	goesOn := false
	for line := range strings.Lines(block) {
		command, typed := strings.CutPrefix(line, "$ ")
		switch {
		case typed:
			list = append(list, step{command: strings.TrimSpace(command)})
		case goesOn:
			list[len(list)-1].command += "\n" + strings.TrimSpace(line)
		case len(list) > 0:
			list[len(list)-1].output += line
		}
		goesOn = (typed || goesOn) && strings.HasSuffix(strings.TrimSpace(line), `\`)
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

func TestExamplesAreCompared(t *testing.T) {
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
	if got := steps("$ a\nx\ny\n$ b \\\n  c\n"); len(got) != 2 || got[0].output != "x\ny\n" || got[1].command != "b \\\nc" {
		t.Errorf("%+v", got)
	}
}
