package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionSaysWhatItWasBuiltFrom(t *testing.T) {
	clone := []debug.BuildSetting{
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "9e490cbbc94c3334ca639e48d3308c6993f35928"},
		{Key: "vcs.time", Value: "2026-11-26T03:43:43Z"},
		{Key: "vcs.modified", Value: "false"},
	}
	const commit = "\ncommit 9e490cbbc94c3334ca639e48d3308c6993f35928 of 2026-11-26T03:43:43Z"
	modified := append(clone[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	from := func(version string, settings []debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "eventbatch", Version: version}, Settings: settings}
	}
	for name, c := range map[string]struct {
		info    *debug.BuildInfo
		release string
		want    string // after the first word
	}{
		"a release":               {from("v0.0.0-20261126034343-9e490cbbc94c", clone), "1.2.3", "1.2.3 (go1.26.8)" + commit + "\n"},
		"by hand at a tag":        {from("v1.2.3", clone), "", "1.2.3 (go1.26.8)" + commit + "\n"},
		"by hand with changes":    {from("v1.2.3+dirty", modified), "", "1.2.3+dirty (go1.26.8)" + commit + ", modified\n"},
		"by an older Go":          {from("(devel)", clone), "", "9e490cbbc94c (go1.26.8)" + commit + "\n"},
		"installed as a module":   {from("v1.2.3", nil), "", "1.2.3 (go1.26.8)\n"},
		"without a repository":    {from("(devel)", nil), "", "devel (go1.26.8)\n"},
		"without any information": {nil, "", "unknown (unknown Go)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := buildOf(c.info, c.release).String(); got != "eventbatch "+c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}
