package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
)

func (a *app) mapShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [PRESET]",
		Short: "Print the mapping of a known program, or list those that are known",
		Args:  atMost(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, p := range mapfile.Presets() {
				names = append(names, p.Name+"\t"+p.File.Source.Title)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.mapList()
			}
			return a.mapShow(args[0])
		},
	}
}

// presetLine is a preset in the list of presets.
type presetLine struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Headers []string `json:"headers"`
}

func (a *app) mapList() error {
	lines := []presetLine{}
	rows := [][]string{}
	for _, p := range mapfile.Presets() {
		lines = append(lines, presetLine{p.Name, p.File.Source.Title, p.File.Source.Headers})
		rows = append(rows, []string{p.Name, p.File.Source.Title})
	}
	if a.global.json {
		return a.writeDoc(struct {
			Command string       `json:"command"`
			Presets []presetLine `json:"presets"`
			Exit    report.Exit  `json:"exit"`
		}{"map show", lines, a.exit(nil)})
	}
	return report.Table(a.stdout, []string{"PRESET", "FILES OF"}, slices.Values(rows))
}

func (a *app) mapShow(name string) error {
	preset, err := mapfile.FindPreset(name)
	if err != nil {
		return err
	}
	if a.global.json {
		return a.writeDoc(struct {
			Command string      `json:"command"`
			Preset  string      `json:"preset"`
			Mapping string      `json:"mapping"`
			Exit    report.Exit `json:"exit"`
		}{"map show", name, preset.Text, a.exit(nil)})
	}
	_, err = io.WriteString(a.stdout, preset.Text)
	return err
}

func (a *app) mapTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test MAPPING",
		Short: "Run the tests that a mapping file brings along; nothing is sent",
		Args:  needOneFile,
		RunE:  func(cmd *cobra.Command, args []string) error { return a.mapTest(cmd.Context(), args[0]) },
	}
}

// mapTested is a mapping's test in the JSON of map test.
type mapTested struct {
	Line     int      `json:"line"`
	Passed   bool     `json:"passed"`
	Failures []string `json:"failures"`
}

func (a *app) mapTest(ctx context.Context, name string) error {
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
		if wrong := a.writeDoc(struct {
			Command string      `json:"command"`
			Mapping string      `json:"mapping"`
			Tests   []mapTested `json:"tests"`
			Failed  int         `json:"failed"`
			Exit    report.Exit `json:"exit"`
		}{"map test", name, tested, failed, a.exit(err)}); wrong != nil {
			return wrong
		}
		return err
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
