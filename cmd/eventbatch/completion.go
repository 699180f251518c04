package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
)

// completeRuns offers the runs of the workspace to the shell, from new to old.
func completeRuns(a *env) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := []string{"latest\tthe newest"}
		workspace, err := a.openWorkspace()
		var lines []report.RunLine
		if err == nil {
			lines, _ = batch.Runs(context.Background(), workspace, nil) // the workers are not asked at each Tab
		}
		for i := range lines {
			line := &lines[i]
			names = append(names, line.Run+"\t"+line.State+", "+printable.Names(line.Files))
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// offers has a command, or a flag, offer words to the shell.
func offers(words func() []string) cobra.CompletionFunc {
	return offersAfter(func([]string) []string { return words() })
}

// offersAfter is offers of words that depend on those before them.
func offersAfter(words func(before []string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		return words(before), cobra.ShellCompDirectiveNoFileComp
	}
}

// complete offers to the shell what a command, and those below it, are for, and the words that their flags take.
func complete(a *env, cmd *cobra.Command) {
	cmd.Short = about(cmd)
	offered := map[string]cobra.CompletionFunc{
		"mapping": completeMappings, "timezone": offers(datetime.ZoneNames),
		"profile": offers(func() []string {
			names, _ := profile.Names(a.global.Flags, a.profileEnv()) // none where they cannot be read
			return names
		}),
	}
	for name, list := range flagWords {
		offered[name] = cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
	}
	flags := cmd.LocalFlags() // once, for it gathers them anew
	for name, offer := range offered {
		if flags.Lookup(name) != nil {
			// The only error is a flag that is not there.
			_ = cmd.RegisterFlagCompletionFunc(name, offer)
		}
	}
	for _, below := range cmd.Commands() {
		complete(a, below)
	}
}

func completeMappings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := []string{mapfile.AutoName}
	for _, p := range mapfile.Presets() {
		names = append(names, p.Name)
	}
	return names, cobra.ShellCompDirectiveDefault // or a file
}

// unquoteForShells takes the marks out of the flags' descriptions by which help
// finds the name of a flag's value: a shell would show them as they are.
func unquoteForShells(cmd *cobra.Command) {
	unquote := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
	cmd.LocalFlags().VisitAll(unquote)
	for _, below := range cmd.Commands() {
		unquoteForShells(below)
	}
}

// completePages offers the commands to the shell, and those below the one that is written, and the topics.
func completePages(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	found, _, err := cmd.Root().Find(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, c := range found.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			words = append(words, c.Name()+"\t"+about(c))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
