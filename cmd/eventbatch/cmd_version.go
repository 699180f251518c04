package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
)

// versionCommand is the command version.
type versionCommand struct{ *env }

func newVersionCommand(a *env) *cobra.Command {
	c := &versionCommand{a}
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built from",
		Args:  needNothing,
		RunE:  func(*cobra.Command, []string) error { return c.run() },
	}
}

// versionDoc is the document of version.
type versionDoc struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

func (c *versionCommand) run() error {
	b := built()
	if c.global.json {
		return c.writeDoc("version", versionDoc{b.version, b.commit, b.date, b.modified, b.golang}, nil)
	}
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// String returns the lines that version prints.
func (b build) String() string {
	text := fmt.Sprintf("eventbatch %s (%s)\n", b.version, cmp.Or(b.golang, "unknown Go"))
	if b.commit == "" {
		return text
	}
	text += "commit " + b.commit + " of " + b.date
	if b.modified {
		text += ", modified"
	}
	return text + "\n"
}
