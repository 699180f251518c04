package main

import (
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"eventbatch/batch/manual"
)

func TestEveryCommandIsInTheTable(t *testing.T) {
	var names, documents []string
	for _, cmd := range withBelow((&env{}).root())[1:] {
		name := below(cmd)
		names = append(names, name)
		known := rowOf(cmd)
		if known.words == "" {
			t.Errorf("%s is not in the table of commands", name)
		}
		if _, ok := repetitions[known.repeat]; !ok {
			t.Errorf("nothing is said of a second %s", name)
		}
		if allows := cmd.Flags().Lookup("allow") != nil && known.repeat != resumes; allows != (known.leave == byAllow) {
			t.Errorf("%s: --allow %t, and its leave is %q", name, allows, known.leave)
		}
		documents = append(documents, known.documents...)
	}
	for _, g := range commandTable() {
		for _, row := range g.commands {
			if !slices.Contains(names, row.words) {
				t.Errorf("there is no command %s", row.words)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documentTypes)) {
		if of := []string{"end", "log", "notice"}; !slices.Contains(append(of, documents...), name) {
			t.Errorf("no command prints the document %s", name)
		}
	}
}

func TestCommandsSaysEveryFlag(t *testing.T) {
	root := (&env{streams: streams{stdout: &output{w: io.Discard}}}).root()
	infos := map[string]*manual.Command{}
	program := programOf(root, true)
	for _, g := range program.Groups {
		for i := range g.Commands {
			for _, info := range g.Commands[i].All() {
				infos[info.Name] = info
			}
		}
	}
	flag := func(name string, f *pflag.Flag, list []manual.Flag) {
		i := slices.IndexFunc(list, func(info manual.Flag) bool { return info.Name == f.Name })
		if f.Hidden || f.Name == "help" {
			return
		}
		if i < 0 || list[i].Type == "" || list[i].About == "" || list[i].Type != "boolean" && list[i].Value == "" {
			t.Errorf("%s --%s is not said: %d in %v", name, f.Name, i, list)
		}
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { flag("", f, program.Flags) })
	for _, cmd := range withBelow(root)[1:] {
		info, ok := infos[below(cmd)]
		if !ok {
			t.Errorf("%s is not said", below(cmd))
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { flag(info.Name, f, info.Flags) })
	}
	for _, test := range []struct {
		command string
		want    []manual.Argument
	}{
		{"import", []manual.Argument{{Name: "FILE", Optional: false, Repeated: true}}},
		{"sync", []manual.Argument{{Name: "NAME", Optional: true, Repeated: true}, {Name: "FILE", Optional: true, Repeated: true}}},
		{"report", []manual.Argument{{Name: "RUN", Optional: true}}},
		{"fix", []manual.Argument{{Name: "FILE"}}},
		{"call", []manual.Argument{{Name: "OPERATION"}, {Name: "FIELD=VALUE", Optional: true, Repeated: true}}},
		{"version", []manual.Argument{}},
	} {
		if got := infos[test.command].Arguments; !slices.EqualFunc(got, test.want, func(a, b manual.Argument) bool {
			return a.Name == b.Name && a.Optional == b.Optional && a.Repeated == b.Repeated && len(a.Words) == 0
		}) {
			t.Errorf("%s takes %+v, want %+v", test.command, got, test.want)
		}
	}
}
