package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersionCommand(a *env) *cobra.Command {
	return newBareCommand("version", func(context.Context) error {
		b := built()
		if a.global.json {
			return a.writeDoc("version", b, nil)
		}
		_, err := fmt.Fprint(a.stdout, b.String())
		return err
	})
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

// release is the version that .release/build gives, by the linker.
var release string

// build says what a program was built from. What is not known is empty.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`     // of the commit
	Modified bool   `json:"modified,omitempty"` // since the commit
	Go       string `json:"go"`
}

// buildOf returns what a program was built from, as the go command has recorded it: with the commit where it
// was built in a clone, and without where a module was installed, whose version is enough.
func buildOf(info *debug.BuildInfo, release string) build {
	if info == nil {
		return build{Version: cmp.Or(release, "unknown")}
	}
	b := build{Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	module := info.Main.Version
	if module == "(devel)" {
		module = ""
	}
	b.Version = cmp.Or(release, strings.TrimPrefix(module, "v"), b.Commit[:min(12, len(b.Commit))], "devel")
	return b
}

// built returns what this program was built from.
func built() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, release)
}

// version returns the version of this program.
func version() string { return built().Version }
