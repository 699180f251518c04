package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A command that is in no group would be in no help.
func TestEveryCommandIsInAGroup(t *testing.T) {
	root := (&env{}).root()
	for _, cmd := range root.Commands() {
		in := slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.commands, cmd.Name()) })
		if cmd.IsAvailableCommand() && cmd.Name() != "help" && !in {
			t.Errorf("%s is in no group of the help", cmd.Name())
		}
	}
}

// The formatter of manual pages itself warns of what it does not understand.
func TestEveryManualPageIsReadWithoutAWarning(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff here")
	}
	for _, cmd := range withBelow((&env{}).root()) {
		page := manual(cmd)
		check := exec.CommandContext(t.Context(), groff, "-man", "-Kutf8", "-Tutf8", "-ww", "-z")
		check.Stdin = strings.NewReader(page)
		if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", cmd.CommandPath(), err, said)
		}
	}
}
