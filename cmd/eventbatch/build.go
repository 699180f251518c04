package main

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// release is the version that .release/build gives, by the linker.
var release string

// build says what a program was built from. What is not known is empty.
type build struct {
	version  string
	commit   string
	date     string // of the commit
	modified bool   // since the commit
	golang   string
}

// buildOf returns what a program was built from, as the go command has recorded it: with the commit where it
// was built in a clone, and without where a module was installed, whose version is enough.
func buildOf(info *debug.BuildInfo, release string) build {
	if info == nil {
		return build{version: cmp.Or(release, "unknown")}
	}
	b := build{golang: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.date = s.Value
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	module := info.Main.Version
	if module == "(devel)" {
		module = ""
	}
	b.version = cmp.Or(release, strings.TrimPrefix(module, "v"), b.commit[:min(12, len(b.commit))], "devel")
	return b
}

// built returns what this program was built from.
func built() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, release)
}

// version returns the version of this program.
func version() string { return built().version }
