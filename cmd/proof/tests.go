package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"eventbatch/batch/trial"
)

// tests are tests of one package that are run together.
type tests struct {
	dir   string
	names []string
	args  []string // of the test binary
}

// outcome is what a test has come to, with its parts.
type outcome struct {
	Passed  bool
	Skipped string // why, and empty for a test that was run
	Figures map[trial.Figure]float64
	Strikes map[string]int // by what they were made with
}

// count counts a figure once more.
func (o *outcome) count(f trial.Figure, n float64, with string) {
	if f.Most() {
		o.Figures[f] = max(o.Figures[f], n)
	} else {
		o.Figures[f] += n
	}
	if with != "" {
		o.Strikes[with] += int(n)
	}
}

func newOutcome() *outcome {
	return &outcome{Figures: map[trial.Figure]float64{}, Strikes: map[string]int{}}
}

// event is what go test -json says, as far as it is used.
type event struct {
	Action, Test, Output, Key, Value string
}

// result is what go test has said: of each test by its name what it came to, and of what went wrong all words.
type result struct {
	tests  map[string]*outcome
	failed []string // tests, or one without a name where the package did
	words  map[string]*strings.Builder
}

var seedIn = regexp.MustCompile(`seed (\d+)`)

// read reads what go test -json prints of one package, and tells of each test that ends.
func read(r io.Reader, ends func(name, how string)) (*result, error) {
	all := &result{tests: map[string]*outcome{}, words: map[string]*strings.Builder{}}
	for d := json.NewDecoder(r); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("what go test says is no JSON: %w", err)
		}
		all.take(e, ends)
	}
}

func (all *result) take(e event, ends func(name, how string)) {
	name, _, part := strings.Cut(e.Test, "/")
	o := all.tests[name]
	if o == nil {
		o = newOutcome()
		all.tests[name] = o
	}
	switch e.Action {
	case "output", "build-output":
		if all.words[e.Test] == nil {
			all.words[e.Test] = &strings.Builder{}
		}
		all.words[e.Test].WriteString(e.Output)
	case "attr":
		if f, n, with, ok := trial.Said(e.Key, e.Value); ok {
			o.count(f, n, with)
		}
	case "fail":
		if name != "" || len(all.failed) == 0 {
			all.failed = append(all.failed, e.Test)
		}
	case "pass":
		o.Passed = o.Passed || !part
	case "skip":
		if !part {
			o.Skipped = whySkipped(all.words[e.Test])
		}
	}
	if !part && name != "" && (e.Action == "fail" || e.Action == "pass" || e.Action == "skip") {
		ends(name, e.Action)
	}
}

// whySkipped returns the reason in what a test has said, which stands behind the place in its source.
func whySkipped(words *strings.Builder) string {
	why := "it does not say why"
	if words == nil {
		return why
	}
	for line := range strings.Lines(words.String()) {
		if place, reason, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.Contains(place, "_test.go:") {
			why = reason
		}
	}
	return why
}

// err returns what went wrong, with the words of the tests that failed and their seeds; nil where nothing did.
func (all *result) err(seed uint64) error {
	if len(all.failed) == 0 {
		return nil
	}
	var text strings.Builder
	seeds := fmt.Sprint(seed)
	for _, name := range all.failed {
		words := all.words[name]
		if words == nil {
			continue
		}
		fmt.Fprintf(&text, "\n%s", words)
		for _, of := range seedIn.FindAllStringSubmatch(words.String(), -1) {
			if !strings.Contains(seeds, of[1]) {
				seeds += ", " + of[1]
			}
		}
	}
	failed := strings.TrimSpace("failed: " + strings.Join(all.failed, ", "))
	return fmt.Errorf("%s; seed %s; go run ./cmd/proof -seed %d repeats it%s", failed, seeds, seed, &text)
}

// run runs the tests, and returns what they said. Where one fails that is an error.
func (t tests) run(ctx context.Context, f form) (*result, error) {
	// Fewer at once than in go test ./...: some are timed, and must not be late for want of a processor.
	several, which := fmt.Sprint("-parallel=", 4*runtime.NumCPU()), "-run=^("+strings.Join(t.names, "|")+")$"
	args := []string{"test", "-json", "-count=1", "-vet=off", "-timeout=12h", several, which, "./" + t.dir}
	cmd := exec.CommandContext(ctx, "go", append(args, t.args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	for _, variable := range os.Environ() {
		// Where CI is set, what is not installed fails the tests.
		if name, _, _ := strings.Cut(variable, "="); name != "CI" && name != "ENDURE" && name != "ENDURE_SEED" {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, fmt.Sprint("ENDURE_SEED=", f.Seed))
	if f.Long {
		cmd.Env = append(cmd.Env, "ENDURE=1", "EVENTBATCH_BAD_DAYS=100")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	all, err := read(out, func(name, how string) {
		fmt.Fprintf(os.Stderr, "%8s %s %s %s\n", time.Since(f.Begun).Round(time.Second), how, t.dir, name)
	})
	if ended := cmd.Wait(); err == nil {
		if err = all.err(f.Seed); err == nil && ended != nil {
			err = fmt.Errorf("go test ./%s: %w", t.dir, ended)
		}
	}
	return all, err
}
