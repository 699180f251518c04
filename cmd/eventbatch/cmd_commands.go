package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/manual"
	"eventbatch/batch/report"
)

func newCommandsCommand(a *env) *cobra.Command {
	return newBareCommand("commands", func(context.Context) error { return listCommands(a, a.command.Root()) })
}

type commandsDoc struct {
	Version  string           `json:"version"`
	Commands []manual.Command `json:"commands"`
	Flags    []manual.Flag    `json:"flags"` // that every command takes
	Exits    []manual.Exit    `json:"exits"`
}

func listCommands(a *env, root *cobra.Command) error {
	p := programOf(root, true)
	doc := commandsDoc{p.Version, nil, p.Flags, p.Exits}
	for _, g := range p.Groups {
		for i := range g.Commands {
			for _, c := range g.Commands[i].All() {
				doc.Commands = append(doc.Commands, *c)
			}
		}
	}
	if a.global.json {
		return a.writeDoc("commands", doc, nil)
	}
	header := []string{"COMMAND", "REACHES", "REPEAT", "WHAT IT DOES"}
	return report.TableOf(a.stdout, header, doc.Commands, func(info manual.Command) []string {
		return []string{info.Name, strings.Join(info.Reaches, ", "), info.Repeat.Kind, info.About}
	})
}

// programOf describes the program for help, for the manual and for other programs; with all, each of its commands too.
func programOf(root *cobra.Command, all bool) *manual.Program {
	p := &manual.Program{
		Name: root.Name(), Version: version(), Forms: []string{root.Name() + " COMMAND", root.Name() + " FILE"},
		Flags: flagsOf(root, root.PersistentFlags()),
	}
	for _, code := range slices.Sorted(maps.Keys(exits)) {
		e := exits[code]
		p.Exits = append(p.Exits, manual.Exit{Code: code, Reason: e.reason, Meaning: strings.ReplaceAll(e.meaning, "`", ""), Next: e.next})
	}
	if !all {
		return p
	}
	for _, g := range commandTable() {
		group := manual.Group{Title: g.title}
		for _, row := range g.commands {
			if cmd, _, err := root.Find([]string{row.words}); err == nil && cmd.IsAvailableCommand() {
				group.Commands = append(group.Commands, commandOf(cmd, g.title))
			}
		}
		p.Groups = append(p.Groups, group)
	}
	return p
}

// commandOf returns what there is to know of a command, and of those below it.
func commandOf(cmd *cobra.Command, group string) manual.Command {
	c := rowOf(cmd)
	info := manual.Command{
		Name: below(cmd), Group: group, About: about(cmd), Usage: cmd.UseLine(), Arguments: manual.ArgumentsOf(cmd.Use, cmd.ValidArgs),
		Flags: flagsOf(cmd, cmd.LocalNonPersistentFlags()), Reaches: []string{}, Leave: c.leave,
		Repeat: manual.Repeat{Safe: repetitions[c.repeat].safe, Kind: string(c.repeat), Why: repetitions[c.repeat].why},
		Exits:  c.exits(cmd.Flags()), Documents: []string{},
	}
	if c.leave != "" {
		info.Reaches = slices.Clone(flagWords["allow"])
	}
	if c.documents != nil {
		info.Documents = append(slices.Clone(c.documents), "end")
	}
	for _, other := range cmd.Commands() {
		if other.IsAvailableCommand() {
			info.Below = append(info.Below, commandOf(other, group))
		}
	}
	return info
}

// flagTypes are what a flag's value is to a program, by the flag's own type.
var flagTypes = map[string]string{
	"string": "string", "stringArray": "string", "stringSlice": "string", "bool": "boolean", "int": "integer", "uint64": "integer",
	"ordinal": "integer", "float64": "number", "duration": "duration", "age": "age",
}

// flagsOf returns those of a command's flags that people use.
func flagsOf(cmd *cobra.Command, flags *pflag.FlagSet) []manual.Flag {
	list := []manual.Flag{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind := f.Value.Type()
		info := manual.Flag{
			Name: f.Name, Shorthand: f.Shorthand, Variable: variable(f.Name), Type: flagTypes[kind], Default: f.DefValue,
			Repeated: strings.HasPrefix(kind, "string") && kind != "string", List: kind == "stringSlice",
			Words: wordsOf(cmd, f),
		}
		info.Value, info.About = pflag.UnquoteUsage(f)
		if f.DefValue == unsaidOf(f) {
			info.Default = ""
		}
		list = append(list, info)
	})
	return list
}

// wordsOf returns the words that a shell is offered for a flag, where they are always the same.
func wordsOf(cmd *cobra.Command, f *pflag.Flag) []string {
	words := flagWords[f.Name]
	if offer, ok := cmd.GetFlagCompletionFunc(f.Name); ok && words != nil {
		words, _ = offer(cmd, nil, "") // those of this command
	}
	return append([]string{}, words...)
}

// unsaidOf returns the default of a flag that stands for nothing said.
func unsaidOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "stringArray", "stringSlice":
		return "[]"
	case "ordinal":
		return "0"
	}
	return ""
}
