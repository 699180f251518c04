package main

import (
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/spf13/pflag"
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
	infos := map[string]commandInfo{}
	for _, info := range commandsOf(root) {
		infos[info.Name] = info
	}
	flag := func(name string, f *pflag.Flag, list []flagInfo) {
		i := slices.IndexFunc(list, func(info flagInfo) bool { return info.Name == f.Name })
		if f.Hidden || f.Name == "help" {
			return
		}
		if i < 0 || list[i].Type == "" || list[i].About == "" || list[i].Type != "boolean" && list[i].Value == "" {
			t.Errorf("%s --%s is not said: %d in %v", name, f.Name, i, list)
		}
	}
	global := flagsOf(root, root.PersistentFlags())
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { flag("", f, global) })
	for _, cmd := range withBelow(root)[1:] {
		info, ok := infos[below(cmd)]
		if !ok {
			t.Errorf("%s is not said", below(cmd))
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { flag(info.Name, f, info.Flags) })
	}
	for _, test := range []struct {
		command string
		want    []argumentInfo
	}{
		{"import", []argumentInfo{{"FILE", false, true, []string{}}}},
		{"sync", []argumentInfo{{"NAME", true, true, []string{}}, {"FILE", true, true, []string{}}}},
		{"report", []argumentInfo{{"RUN", true, false, []string{}}}},
		{"fix", []argumentInfo{{"FILE", false, false, []string{}}}},
		{"call", []argumentInfo{{"OPERATION", false, false, []string{}}, {"FIELD=VALUE", true, true, []string{}}}},
		{"version", []argumentInfo{}},
	} {
		if got := infos[test.command].Arguments; !slices.EqualFunc(got, test.want, func(a, b argumentInfo) bool {
			return a.Name == b.Name && a.Optional == b.Optional && a.Repeated == b.Repeated && slices.Equal(a.Words, b.Words)
		}) {
			t.Errorf("%s takes %+v, want %+v", test.command, got, test.want)
		}
	}
}
