package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/manual"
)

// flagGroups are the parts of a long list of flags. Those before the bar are used often: a help that has more flags
// than fewFlags shows these alone, unless it is asked for all.
var flagGroups = []struct{ title, flags string }{
	{
		"What is read", "mapping resource sheet timezone set | date-order operation rows limit join feed format encoding delimiter " +
			"header-row rows-at overlap recur-until covers-from covers-from-web body",
	},
	{"What is compared", "compare on-conflict | decisions first slug source missing rename take-over rebind fresh forget-missing checksum"},
	{
		"What may happen", "allow yes dry-run skip-invalid | accept replace-default keep-created adopt not-created fields " +
			"max-create max-update max-cancel max-mail min-rows",
	},
	{"What is shown", "report output | results title logo for watch json quiet verbose log-format no-color no-progress detailed-exitcode"},
	{"Limits", "| max-errors max-duration pace quota-share concurrency detach"},
	{
		"Connection", "profile calendar sandbox key-file store workspace | config base-url key-kind key-command ca-file bad-day",
	},
}

// fewFlags is how many flags are shown as one list.
const fewFlags = 12

// flagBlocks returns the flags that a command has of its own.
func flagBlocks(cmd *cobra.Command, all bool, level int) []manual.Block {
	if !cmd.HasAvailableLocalFlags() {
		return nil
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			flags.AddFlag(f)
		}
	})
	blocks := grouped(flags, all, level)
	shown := 0
	for _, block := range blocks {
		if terms, ok := block.(manual.Terms); ok {
			shown += len(terms)
		}
	}
	count := 0
	flags.VisitAll(func(*pflag.Flag) { count++ })
	if more := count - shown; more > 0 {
		words := fmt.Sprintf("%d more flags: %s --help --all", more, cmd.CommandPath())
		blocks = append(blocks, manual.Paragraph{Text: manual.Words(words)})
	}
	return blocks
}

// grouped returns flags in their groups, or only those that are used often where there are many.
func grouped(flags *pflag.FlagSet, all bool, level int) []manual.Block {
	var left []*pflag.Flag
	flags.VisitAll(func(f *pflag.Flag) { left = append(left, f) })
	if len(left) == 0 {
		return nil
	}
	if len(left) <= fewFlags {
		return []manual.Block{manual.Headed(level, "Flags"), flagTerms(left)}
	}
	var blocks []manual.Block
	for _, g := range flagGroups {
		often, seldom, _ := strings.Cut(g.flags, "|")
		var in []*pflag.Flag
		for _, name := range append(strings.Fields(often), strings.Fields(seldom)...) {
			i := slices.IndexFunc(left, func(f *pflag.Flag) bool { return f.Name == name })
			if i < 0 {
				continue
			}
			if all || slices.Contains(strings.Fields(often), name) {
				in = append(in, left[i])
			}
			left = slices.Delete(left, i, i+1)
		}
		if len(in) > 0 {
			blocks = append(blocks, manual.Headed(level, g.title), flagTerms(in))
		}
	}
	if len(left) > 0 {
		blocks = append([]manual.Block{manual.Headed(level, "Flags of its own"), flagTerms(left)}, blocks...)
	}
	return blocks
}

func flagTerms(list []*pflag.Flag) manual.Terms {
	var terms manual.Terms
	for _, f := range list {
		value, about := pflag.UnquoteUsage(f)
		word := "--" + f.Name
		if f.Shorthand != "" {
			word = "-" + f.Shorthand + ", " + word
		}
		if value != "" {
			word += " " + value
			about = strings.TrimPrefix(about, value+" ") // which goes on where the name of the value ends
		}
		if unset := []string{"", "0", "0s", "false", "[]"}; !slices.Contains(unset, f.DefValue) && !strings.Contains(about, "(default") {
			about += " (default " + f.DefValue + ")"
		}
		terms = append(terms, manual.Term{Word: word, About: manual.Words(about)})
	}
	return terms
}
