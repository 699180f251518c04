package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
	"eventbatch/mapping/spelling"
)

// showHelp shows a topic, or how a command is called.
func showHelp(a *env, cmd *cobra.Command) {
	p := programOf(cmd.Root(), !cmd.HasParent())
	var blocks []manual.Block
	switch {
	case cmd.IsAdditionalHelpTopicCommand():
		page := p.Topic(cmd.Name())
		blocks = append([]manual.Block{manual.Headed(1, page.Title)}, page.Blocks...)
	case !cmd.HasParent():
		blocks = p.Overview()
	default:
		info := commandOf(cmd, "")
		blocks = p.Help(&info, a.wholeHelp)
	}
	_ = manual.Write(a.stdout, blocks, a.screenOn(a.stdout.w)) // standard output keeps its first error itself
}

// asksForAll returns the arguments without the --all that has help show every flag.
func asksForAll(args []string) (rest []string, all bool) {
	ours, _, _ := strings.Cut(strings.Join(args, "\n"), "\n--\n")
	words := strings.Split(ours, "\n")
	if !slices.Contains(words, "--help") && !slices.Contains(words, "-h") && words[0] != "help" || !slices.Contains(words, "--all") {
		return args, false
	}
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--all" }), true
}

// knownPage refuses words that name neither a command nor a topic.
func knownPage(root *cobra.Command, args []string) error {
	at := root
	for _, word := range args {
		names := []string{}
		for _, cmd := range at.Commands() {
			if cmd.IsAvailableCommand() || cmd.IsAdditionalHelpTopicCommand() || cmd.Name() == "help" {
				names = append(names, cmd.Name())
			}
		}
		i := slices.IndexFunc(at.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == word })
		if i < 0 {
			hint := cmp.Or(otherWords[word], root.Name()+" help lists them")
			if near := spelling.Nearest(word, names); near != "" {
				hint = "did you mean " + at.CommandPath() + " " + near + "?"
			}
			return usagef("%s has no command or topic %q", at.CommandPath(), word).hinted(hint)
		}
		at = at.Commands()[i]
	}
	return nil
}

// topics returns a command for each topic, which help knows by its name.
func topics() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range manual.Topics {
		list = append(list, &cobra.Command{Use: name})
	}
	return list
}

// about returns what a command does, or a topic is about, in a line.
func about(cmd *cobra.Command) string {
	switch {
	case slices.Contains(manual.Topics, cmd.Name()):
		return manual.TopicTitle(cmd.Name())
	case cmd.Hidden:
		return cmd.Short
	}
	return manual.CommandTitle(below(cmd))
}
