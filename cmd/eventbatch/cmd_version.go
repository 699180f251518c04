package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
)

// versionCommand is the command version.
type versionCommand struct{ *env }

func newVersionCommand(a *env) *cobra.Command {
	c := &versionCommand{a}
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  needNothing,
		RunE:  func(*cobra.Command, []string) error { return c.run() },
	}
}

func (c *versionCommand) run() error {
	if c.global.json {
		return c.writeDoc(struct {
			Command string      `json:"command"`
			Version string      `json:"version"`
			Go      string      `json:"go"`
			Exit    report.Exit `json:"exit"`
		}{"version", version(), goVersion(), c.exit(nil)})
	}
	_, err := fmt.Fprintf(c.stdout, "eventbatch %s (%s)\n", version(), goVersion())
	return err
}

// version returns the module's version, or the revision that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func goVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.GoVersion
}
