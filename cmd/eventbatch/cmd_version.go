package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
)

type versionCommand struct{ *env }

func newVersionCommand(a *env) *cobra.Command {
	c := &versionCommand{a}
	return &cobra.Command{
		Use:  "version",
		Args: needNothing,
		RunE: func(*cobra.Command, []string) error { return c.run() },
	}
}

func (c *versionCommand) run() error {
	b := built()
	if c.global.json {
		return c.writeDoc("version", b, nil)
	}
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// String returns the lines that version prints.
func (b build) String() string {
	text := fmt.Sprintf("eventbatch %s (%s)\n", b.Version, cmp.Or(b.Go, "unknown Go"))
	if b.Commit == "" {
		return text
	}
	text += "commit " + b.Commit + " of " + b.Date
	if b.Modified {
		text += ", modified"
	}
	return text + "\n"
}
