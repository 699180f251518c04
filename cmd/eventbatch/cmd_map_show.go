package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
)

func newMapShowCommand(a *env) *cobra.Command {
	cmd := newCommand("show [PRESET]", atMost(1), func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return listPresets(a)
		}
		return showPreset(a, args[0])
	})
	cmd.ValidArgsFunction = offers(func() (names []string) {
		for _, p := range mapfile.Presets() {
			names = append(names, p.Name+"\t"+p.File.Source.Title)
		}
		return names
	})
	return cmd
}

// presetLine is a preset in the list of presets.
type presetLine struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Headers []string `json:"headers"`
}

// presetsDoc is the document of the list of presets.
type presetsDoc struct {
	Presets []presetLine `json:"presets"`
}

func listPresets(a *env) error {
	lines := []presetLine{}
	for _, p := range mapfile.Presets() {
		lines = append(lines, presetLine{p.Name, p.File.Source.Title, append([]string{}, p.File.Source.Headers...)})
	}
	if a.global.json {
		return a.writeDoc("presets", presetsDoc{lines}, nil)
	}
	return report.TableOf(a.stdout, []string{"PRESET", "FILES OF"}, lines, func(p presetLine) []string { return []string{p.Name, p.Title} })
}

// presetDoc is the document of map show.
type presetDoc struct {
	Preset  string `json:"preset"`
	Mapping string `json:"mapping"`
}

func showPreset(a *env, name string) error {
	preset, err := mapfile.FindPreset(name)
	if err != nil {
		return err
	}
	if a.global.json {
		return a.writeDoc("preset", presetDoc{name, preset.Text}, nil)
	}
	_, err = io.WriteString(a.stdout, preset.Text)
	return err
}

func newMapTestCommand(a *env) *cobra.Command {
	return newCommand("test MAPPING", needOneFile, func(ctx context.Context, args []string) error { return testMapping(ctx, a, args[0]) })
}

// mapTested is a mapping's test in the JSON of map test.
type mapTested struct {
	Line     int      `json:"line"`
	Passed   bool     `json:"passed"`
	Failures []string `json:"failures"`
}

// mapTestsDoc is the document of map test.
type mapTestsDoc struct {
	Mapping string      `json:"mapping"`
	Tests   []mapTested `json:"tests"`
	Failed  int         `json:"failed"`
}

func testMapping(ctx context.Context, a *env, name string) error {
	file, err := mapfile.Load(name)
	if err != nil {
		return err
	}
	results, err := mapping.RunTests(ctx, file, time.Now())
	if err != nil {
		return err
	}
	tested, failed := make([]mapTested, len(results)), 0
	for i, r := range results {
		tested[i] = mapTested{r.Test.Line, len(r.Failures) == 0, append([]string{}, r.Failures...)}
		if len(r.Failures) > 0 {
			failed++
		}
	}
	if failed > 0 {
		err = failure.New(failure.Invalid, fmt.Errorf("%d of %s failed", failed, report.Count(len(results), "test")), "")
	}
	if a.global.json {
		return a.writeDoc("tests", mapTestsDoc{name, tested, failed}, err)
	}
	for i, t := range tested {
		word := "pass"
		if !t.Passed {
			word = "FAIL"
		}
		if _, wrong := fmt.Fprintf(a.stdout, "%s  %s:%d  test %d\n", word, printable.Clean(name), t.Line, i+1); wrong != nil {
			return wrong
		}
		for _, failure := range t.Failures {
			if _, wrong := fmt.Fprintf(a.stdout, "      %s\n", printable.Clean(failure)); wrong != nil {
				return wrong
			}
		}
	}
	if len(tested) == 0 {
		a.say("%s has no tests: list rows under tests, each with given and expect or error\n", printable.Clean(name))
	}
	return err
}
