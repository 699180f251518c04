package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/manual"
	"eventbatch/batch/report"
	"eventbatch/templates"
)

// withBelow returns a command and all below it that people use.
func withBelow(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, withBelow(c)...)
		}
	}
	return all
}

func TestEveryCommandIsSaidInALine(t *testing.T) {
	root := (&env{}).root()
	for _, cmd := range root.Commands() {
		if n := report.Width(about(cmd)); n > 66 && !cmd.IsAdditionalHelpTopicCommand() { // beside the longest name
			t.Errorf("%s is said in %d columns: a terminal of 80 breaks the list of commands", cmd.Name(), n)
		}
	}
}

// A group has flags that there are, each once.
func TestGroupsHaveFlagsThatThereAre(t *testing.T) {
	known, in := map[string]bool{}, map[string]string{}
	for _, cmd := range withBelow((&env{}).root()) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	for _, g := range manual.FlagGroups {
		for name := range strings.FieldsSeq(strings.Replace(g.Flags, "|", "", 1)) {
			if !known[name] {
				t.Errorf("%s: no command has --%s", g.Title, name)
			}
			if in[name] != "" {
				t.Errorf("--%s is in %q and in %q", name, in[name], g.Title)
			}
			in[name] = g.Title
		}
	}
}

// A description that begins with the name of the value goes on with it: the name stands before it already.
func TestNoFlagSaysTheNameOfItsValueTwice(t *testing.T) {
	root := (&env{}).root()
	for _, cmd := range withBelow(root) {
		info := commandOf(cmd, "")
		for _, block := range programOf(root, false).Help(&info, true) {
			terms, _ := block.(manual.Terms)
			for _, term := range terms {
				_, value, _ := strings.Cut(term.Word[strings.Index(term.Word, "--")+1:], " ")
				if value != "" && strings.HasPrefix(term.About.String()+" ", value+" ") {
					t.Errorf("%s: %s %s", cmd.Name(), term.Word, term.About)
				}
			}
		}
	}
}

// Every topic is in the list, and can be read; every other file below it would be in no help.
func TestEveryTopicIsInTheHelp(t *testing.T) {
	files, err := templates.Help.ReadDir("topics")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(manual.Topics, strings.TrimSuffix(file.Name(), ".md")) {
			t.Errorf("%s is in no list of topics", file.Name())
		}
	}
	root := (&env{}).root()
	names := []string{}
	for _, cmd := range root.Commands() {
		if !cmd.IsAdditionalHelpTopicCommand() {
			names = append(names, cmd.Name())
		}
	}
	program := programOf(root, true)
	for _, name := range manual.Topics {
		if slices.Contains(names, name) {
			t.Errorf("%s is a command and a topic", name)
		}
		codeFits(t, name, program.Topic(name).Blocks)
	}
	of := []string{"help.md"}
	for _, cmd := range withBelow(root) {
		codeFits(t, cmd.CommandPath(), pageOf(cmd).Blocks)
		of = append(of, strings.ReplaceAll(below(cmd), " ", "-")+".md")
	}
	pages, err := templates.Help.ReadDir("commands")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !slices.Contains(of, page.Name()) {
			t.Errorf("%s is of no command", page.Name())
		}
	}
}

// codeFits fails the test where a line that is not wrapped is wider than a terminal of 80 columns, in which it is indented.
func codeFits(t *testing.T, name string, blocks []manual.Block) {
	t.Helper()
	for _, block := range blocks {
		code, _ := block.(manual.Code)
		for line := range strings.SplitSeq(code.Lines, "\n") {
			if report.Width(line) > 76 {
				t.Errorf("%s: a terminal of 80 columns breaks %q", name, line)
			}
		}
	}
}

// The formatter of manual pages itself warns of what it does not understand.
func TestEveryManualPageIsReadWithoutAWarning(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff here")
	}
	for _, part := range programOf((&env{}).root(), true).Parts() {
		for _, page := range part.Pages {
			check := exec.CommandContext(t.Context(), groff, "-man", "-Kutf8", "-Tutf8", "-ww", "-z")
			check.Stdin = strings.NewReader(page.Roff("1.2.3"))
			if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
				t.Errorf("%s: %v\n%s", page.Name, err, said)
			}
		}
	}
}
