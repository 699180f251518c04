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
	var blocks []manual.Block
	if cmd.IsAdditionalHelpTopicCommand() {
		page := topicPage(cmd.Root(), cmd.Name())
		blocks = append([]manual.Block{manual.Headed(1, page.Title)}, page.Blocks...)
	} else {
		blocks = helpOf(cmd, a.wholeHelp)
	}
	_ = manual.Write(a.stdout, blocks, a.screenOn(a.stdout.w)) // standard output keeps its first error itself
}

// synopsis returns the forms in which a command is called.
func synopsis(cmd *cobra.Command) []string {
	switch {
	case !cmd.HasParent():
		return []string{cmd.Name() + " COMMAND", cmd.Name() + " FILE"}
	case cmd.Runnable() && cmd.HasAvailableSubCommands():
		return []string{cmd.UseLine(), cmd.CommandPath() + " COMMAND"}
	}
	return []string{cmd.UseLine()}
}

// helpOf returns how a command is called, what is below it, and its flags: the whole of them, or the first.
func helpOf(cmd *cobra.Command, whole bool) []manual.Block {
	page, examples := manual.Command(below(cmd))
	blocks := append(page.Blocks, manual.Headed(2, "Usage"), manual.Code{Lines: strings.Join(synopsis(cmd), "\n")})
	if examples != nil {
		blocks = append(append(blocks, manual.Headed(2, "Examples")), examples...)
	}
	if !cmd.HasParent() {
		for _, g := range commandTable() {
			blocks = append(blocks, manual.Headed(2, g.title), terms(g.grouped(cmd), false))
		}
		return append(blocks,
			manual.Headed(2, "Topics, by eventbatch help TOPIC"), terms(topics(), false),
			manual.Paragraph{Text: manual.Words("How a command is called: " + cmd.Name() + " COMMAND --help")},
		)
	}
	if cmd.HasAvailableSubCommands() {
		blocks = append(blocks, manual.Headed(2, "Commands"), terms(cmd.Commands(), false))
	}
	return append(append(blocks, flagBlocks(cmd, whole, 2)...),
		manual.Paragraph{Text: manual.Words("Flags of every command: " + cmd.Root().Name() + " help flags")})
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

// terms returns commands, or topics, with what they do: by their names, or, for a page of the manual, by those of their pages.
func terms(commands []*cobra.Command, pages bool) (terms manual.Terms) {
	for _, cmd := range commands {
		word, section := cmd.Name(), "(1)"
		if cmd.IsAdditionalHelpTopicCommand() {
			section = "(7)"
		} else if !cmd.IsAvailableCommand() {
			continue
		}
		if pages {
			word = "eventbatch-" + strings.ReplaceAll(below(cmd), " ", "-") + section
		}
		terms = append(terms, manual.Term{Word: word, About: manual.Words(about(cmd))})
	}
	return terms
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
