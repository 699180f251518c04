package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The page for agents says what the document of commands says: of exit codes, flags, and what reaches people.
func TestThePageForAgentsIsTrue(t *testing.T) {
	page := textOf(t, ".github/AGENTS.md")
	var table strings.Builder
	for _, code := range slices.Sorted(maps.Keys(exits)) {
		fmt.Fprintf(&table, "| %d | %s | %s |\n", code, exits[code].reason, exits[code].next)
	}
	if !strings.Contains(page, table.String()) {
		t.Errorf("the exit codes are:\n%s", &table)
	}
	_, reaching, _ := strings.Cut(page, "## What reaches people")
	for _, g := range commandTable() {
		for _, known := range g.commands {
			if known.leave != "" && !strings.Contains(reaching, "`"+known.words+"`") && known.words != "mcp" {
				t.Errorf("%s reaches people", known.words)
			}
		}
	}
	root := (&env{}).root()
	for _, name := range regexp.MustCompile(`--([a-z][a-z-]+)`).FindAllStringSubmatch(page, -1) {
		if !slices.ContainsFunc(withBelow(root), func(c *cobra.Command) bool { return c.Flag(name[1]) != nil }) {
			t.Errorf("no command has %s", name[0])
		}
	}
}
