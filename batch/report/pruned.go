package report

import (
	"io"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
)

// goneLine is a run, or what was read for an export, as the document of prune has it.
type goneLine struct {
	Run    string    `json:"run,omitempty"`
	Export string    `json:"export,omitempty"`
	Ended  time.Time `json:"ended"`
	Bytes  int64     `json:"bytes"`
}

// Pruned is the document of prune.
type Pruned struct {
	DryRun  bool       `json:"dry_run"`
	Runs    []goneLine `json:"runs"`
	Bodies  []goneLine `json:"bodies"`
	Exports []goneLine `json:"exports"`
	Kept    struct {
		Compared int `json:"compared"` // runs
		Rows     int `json:"rows"`     // that are compared with them
		Open     int `json:"open"`     // runs
	} `json:"kept"`
	Bytes int64 `json:"bytes"`
}

// PrunedOf returns the document of what has gone, or would go.
func PrunedOf(p *journal.Pruned, try bool) *Pruned {
	d := &Pruned{DryRun: try}
	for _, of := range []struct {
		gone  []journal.Gone
		lines *[]goneLine
	}{{p.Runs, &d.Runs}, {p.Bodies, &d.Bodies}, {p.Exports, &d.Exports}} {
		*of.lines = make([]goneLine, len(of.gone))
		for i, g := range of.gone {
			l := goneLine{Run: g.ID, Ended: g.Ended, Bytes: g.Bytes}
			if of.lines == &d.Exports {
				l.Run, l.Export = "", g.ID
			}
			(*of.lines)[i] = l
			d.Bytes += g.Bytes
		}
	}
	d.Kept.Compared, d.Kept.Rows, d.Kept.Open = p.Bases, p.Rows, p.Open
	return d
}

// Table lists what would go.
func (d *Pruned) Table(w io.Writer) error {
	var rows [][]string
	add := func(what string, lines []goneLine) {
		for _, l := range lines {
			rows = append(rows, []string{l.Run + l.Export, l.Ended.Local().Format("02 Jan 2006 15:04"), what, Size(int(l.Bytes))})
		}
	}
	add("run", d.Runs)
	add("what its rows held", d.Bodies)
	add("export", d.Exports)
	if len(rows) == 0 {
		return nil
	}
	return Table(w, []string{"RUN", "ENDED", "GOES", "SIZE"}, slices.Values(rows))
}

// Words says what went or would go, and what stays although it is old, a sentence each.
func (d *Pruned) Words() (words []string) {
	removed, dropped := "removed", "dropped"
	if d.DryRun {
		removed, dropped = "to remove", "to drop"
	}
	say := func(before string, lines []goneLine, one, what string) {
		bytes := int64(0)
		for _, l := range lines {
			bytes += l.Bytes
		}
		if len(lines) > 0 {
			words = append(words, before+Count(len(lines), one)+" "+what+", "+Size(int(bytes)))
		}
	}
	say("", d.Runs, "run", removed)
	say("the rows' contents of ", d.Bodies, "run", dropped)
	say("", d.Exports, "export", removed)
	if len(words) == 0 {
		words = append(words, "nothing to remove")
	}
	if n := d.Kept.Compared; n > 0 {
		words = append(words, Count(n, "older run")+" kept: "+Count(d.Kept.Rows, "row")+
			printable.Pick(d.Kept.Rows, " is ", " are ")+"compared with what they say")
	}
	if n := d.Kept.Open; n > 0 {
		words = append(words, Count(n, "older run")+" kept: not finished, or never sent")
	}
	return words
}
