package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// group is a part of the list of commands.
type group struct {
	title    string
	commands []string // in the order in which a person comes to them
}

// groups are the parts of the help. A test asks that each command is in one.
var groups = []group{
	{"Start", []string{"look", "init", "template", "map", "sandbox", "doctor"}},
	{"Check", []string{"check", "fix", "explain", "fields", "operations"}},
	{"Send", []string{"plan", "import", "migrate", "apply", "retry", "undo", "sync", "call"}},
	{"Look back", []string{"export", "runs", "show", "report"}},
	{"Set up", []string{"store", "worker", "schema", "commands", "completion", "man", "version"}},
}

// grouped returns the commands of a group that there are.
func (g group) grouped(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, name := range g.commands {
		i := slices.IndexFunc(root.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == name && cmd.IsAvailableCommand() })
		if i >= 0 {
			list = append(list, root.Commands()[i])
		}
	}
	return list
}

// topics are the pages of help that belong to no command.
func topics(root *cobra.Command) []*cobra.Command {
	page := func(name, short string, text func(w io.Writer)) *cobra.Command {
		topic := &cobra.Command{Use: name, Short: short}
		topic.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s.\n\n", short)
			text(out)
		})
		return topic
	}
	return []*cobra.Command{
		page("flags", "The flags that every command takes", func(w io.Writer) {
			fmt.Fprintf(w, "%s\n%s", aboutFlags, root.PersistentFlags().FlagUsages())
		}),
		page("exit-codes", "The codes that a command ends with", func(w io.Writer) {
			for _, code := range slices.Sorted(maps.Keys(exits)) {
				fmt.Fprintf(w, "%5d  %-11s  %s\n", code, exits[code].reason, strings.ReplaceAll(exits[code].meaning, "`", ""))
			}
			fmt.Fprintf(w, "\n%s", aboutExits)
		}),
	}
}

const (
	aboutFlags = `Each flag, these and a command's own, is also a variable: --max-errors is
EVENTBATCH_MAX_ERRORS. A flag comes before its variable, and the variable before
eventbatch.yaml. A key itself is never a flag: it is in the variable
EVENTBATCH_API_KEY, or where the profile says.
`
	aboutExits = `After 6, 7, 69, 74, 77, 130 and 143 nothing is lost: what had left is recorded, and
the same command goes on once the cause is mended.
`
)

// usage prints how a command is called, what is below it, and its own flags.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	if cmd.HasParent() {
		fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
		if cmd.Runnable() && cmd.HasAvailableSubCommands() {
			fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
		}
		if cmd.HasExample() {
			fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
		}
		if cmd.HasAvailableSubCommands() {
			b.WriteString("\nCommands:\n")
			list(&b, cmd.Commands())
		}
		if cmd.HasAvailableLocalFlags() {
			fmt.Fprintf(&b, "\nFlags:\n%s", cmd.LocalFlags().FlagUsages())
		}
		fmt.Fprintf(&b, "\nFlags of every command: %s help flags\n", cmd.Root().Name())
	} else {
		fmt.Fprintf(&b, "Usage:\n  %[1]s COMMAND\n  %[1]s FILE\n", cmd.Name())
		for _, g := range groups {
			fmt.Fprintf(&b, "\n%s:\n", g.title)
			list(&b, g.grouped(cmd))
		}
		b.WriteString("\nMore:\n")
		fmt.Fprintf(&b, "  %-27s %s\n", cmd.Name()+" COMMAND --help", "How a command is called, with its flags")
		for _, topic := range topics(cmd) {
			fmt.Fprintf(&b, "  %-27s %s\n", cmd.Name()+" help "+topic.Name(), topic.Short)
		}
	}
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// list writes the commands with what they do.
func list(w io.Writer, commands []*cobra.Command) {
	for _, cmd := range commands {
		if cmd.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-11s %s\n", cmd.Name(), cmd.Short)
		}
	}
}
