package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/mapping/spelling"
)

// commandLine is what was asked for: the command that runs, with its flags, and the variables that stand for
// flags.
type commandLine struct {
	command *cobra.Command
	vars    map[string]string
}

// resumeCommand returns the command that goes on with a run from here: with the flags that
// said where the run is and whom it is sent to.
func (l *commandLine) resumeCommand(verb, run string) string {
	line := "eventbatch " + verb + " " + run
	l.command.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		switch name := f.Name; {
		case !f.Changed, name == "store" && f.Value.String() == l.vars[variable(name)]: // which may have a password
		case connectionFlags[name], name == "workspace", name == "sandbox", name == "store":
			line += written(f)
		}
	})
	return line
}

// flagsOfItsOwn returns the flags that the command was given and no other command has, as they
// are written after it, but for some.
func (l *commandLine) flagsOfItsOwn(but ...string) string {
	return l.flagsGiven(func(name string) bool { return !slices.Contains(but, "--"+name) })
}

// flagsAlso returns those of the flags that the command was given and another takes too, as they are
// written after it.
func (l *commandLine) flagsAlso(register func(*pflag.FlagSet)) string {
	return l.flagsGiven(takenBy(register))
}

// flagsGiven returns those of the command's own flags that it was given, as they are written after it.
// A variable stays as it is.
func (l *commandLine) flagsGiven(wanted func(name string) bool) string {
	line := ""
	l.command.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && wanted(f.Name) && l.vars[variable(f.Name)] == "" {
			line += written(f)
		}
	})
	return line
}

// written returns a flag as it is written behind a command, after a blank.
func written(f *pflag.Flag) (line string) {
	for _, value := range valuesOf(f) {
		switch {
		case f.Value.Type() != "bool":
			line += " --" + f.Name + " " + spelling.Quoted(value)
		case value == "true":
			line += " --" + f.Name
		}
	}
	return line
}

// wordsAlso returns those of the flags that the command was given and another takes too, a word each, not quoted.
func (l *commandLine) wordsAlso(register func(*pflag.FlagSet)) []string {
	return words(l.command.Flags(), takenBy(register))
}

// given returns the flags of all commands that this one was given, for those that it carries out.
func (l *commandLine) given() []string {
	return words(l.command.InheritedFlags(), func(string) bool { return true })
}

// takenBy reports of the name of a flag whether it is registered too.
func takenBy(register func(*pflag.FlagSet)) func(name string) bool {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	register(flags)
	return func(name string) bool { return flags.Lookup(name) != nil }
}

// words returns the flags that were given and are wanted, a word each, not quoted.
func words(flags *pflag.FlagSet, wanted func(name string) bool) (words []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || !wanted(f.Name) {
			return
		}
		for _, value := range valuesOf(f) {
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return words
}

// valuesOf returns what a flag was given.
func valuesOf(f *pflag.Flag) []string {
	if of, ok := f.Value.(pflag.SliceValue); ok {
		return of.GetSlice()
	}
	return []string{f.Value.String()}
}
