package page

import (
	"cmp"
	"encoding/json"
	"path/filepath"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// dataJSON is all that the page's script knows. What is blank, 0 or null is left
// out of rows and problems.
type dataJSON struct {
	For      Audience            `json:"for"`
	Words    map[string]string   `json:"words"`    // for statuses and actions, where they are others
	Run      bool                `json:"run"`      // of a run, not of a check
	Read     int                 `json:"read"`     // rows, carried or not
	Severity [2]int              `json:"severity"` // errors, warnings, carried or not
	Sources  []sourceJSON        `json:"sources"`
	Codes    map[string]codeJSON `json:"codes"`
	Groups   []groupJSON         `json:"groups"`
	Problems []problemJSON       `json:"problems"` // of whole files
	Rows     []json.RawMessage   `json:"rows"`     // each a rowJSON, in physical order
	Days     daysJSON            `json:"days"`
	Usage    []usageJSON         `json:"usage"`
}

type sourceJSON struct {
	File   string   `json:"file"`
	Sheet  string   `json:"sheet"`
	Row    int      `json:"row"` // of the header
	Header []string `json:"header"`
}

type codeJSON struct {
	Code    string `json:"code"`
	Title   string `json:"title"`
	Explain string `json:"explain"`
	Example string `json:"example"`
}

type groupJSON struct {
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   int    `json:"source"` // index in Sources, -1 where Place says it
	Place    string `json:"place"`
	Column   int    `json:"column"` // zero-based, -1 where none is concerned
	Header   string `json:"header"`
	Field    string `json:"field"`
	Total    int    `json:"total"` // problems, carried or not
}

type problemJSON struct {
	Group   int    `json:"group"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Value   string `json:"value,omitempty"`   // blank where the row's cell shows it
	Instead string `json:"instead,omitempty"` // what the cell should hold, where that is known
	Number  int    `json:"number,omitempty"`  // of the physical row of a problem of a whole file
	Line    int    `json:"line,omitempty"`
}

type rowJSON struct {
	Source int    `json:"source"`
	Number int    `json:"number"`
	Line   int    `json:"line,omitempty"`
	Action string `json:"action,omitempty"`
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	eventJSON
	Cells    []string      `json:"cells,omitempty"`
	Changes  []changeJSON  `json:"changes,omitempty"`
	Problems []problemJSON `json:"problems,omitempty"`
}

type eventJSON struct {
	Name     string `json:"name,omitempty"`
	Start    *int64 `json:"start,omitempty"` // minutes since 1970 on the event's own clock
	End      *int64 `json:"end,omitempty"`   // minutes after the start
	Zone     string `json:"zone,omitempty"`
	Calendar string `json:"calendar,omitempty"`
	Key      string `json:"key,omitempty"`
	ID       string `json:"id,omitempty"`
	URL      string `json:"url,omitempty"`
}

type changeJSON struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
	Known  bool   `json:"known"` // what was before is
	// Fate is stays or conflict of what is not sent, and Note what there is to say of it.
	Fate string `json:"fate,omitempty"`
	Note string `json:"note,omitempty"`
}

func (s *Sink) event(e *finding.Event) eventJSON {
	out := eventJSON{
		Name: s.text(e.Name, cellMost), Calendar: s.text(e.Calendar, cellMost), Key: s.text(e.Key, cellMost), ID: s.text(e.ID, cellMost),
		URL: s.text(e.URL, textMost),
	}
	if e.Start.IsZero() {
		return out
	}
	_, offset := e.Start.Zone()
	out.Start = new((e.Start.Unix() + int64(offset)) / 60)
	if !e.End.IsZero() {
		out.End = new(int64(e.End.Sub(e.Start).Minutes()))
	}
	zone := e.Start.Location().String()
	if zone == "" || zone == "Local" {
		zone = e.Start.Format("-07:00")
	}
	out.Zone = visible(zone)
	return out
}

func (s *Sink) changes(changes []finding.Change) []changeJSON {
	var list []changeJSON
	for _, c := range changes[:min(len(changes), mostCells)] {
		if c.Decided() == "same" {
			continue
		}
		field, before, after := s.change(c)
		out := changeJSON{Field: s.text(field, cellMost), Before: s.text(before, cellMost), After: s.text(after, cellMost), Known: c.Known}
		if out.Note = s.text(c.Stays(), cellMost); out.Note != "" {
			out.Fate = "stays"
		} else if c.Decided() == "conflict" {
			out.Fate, out.Note = "conflict", "both sides have changed it"
			if was := c.Base; was != nil {
				_, _, text := s.change(finding.Change{Field: c.Field, After: *was, Currency: c.Currency})
				out.Note = s.text("it was "+text, cellMost)
			}
		}
		list = append(list, out)
	}
	return list
}

// data returns what the script is given.
func (s *Sink) data(summary *finding.Summary) *dataJSON {
	usage, _ := charts(summary.Usage)
	d := &dataJSON{
		For: cmp.Or(s.For, Customer), Words: s.words(), Run: summary.Run != "", Read: s.read, Severity: s.severity,
		Sources: []sourceJSON{}, Codes: map[string]codeJSON{},
		Groups: []groupJSON{}, Problems: append([]problemJSON{}, s.files...), Rows: s.carried(), Days: s.days.encode(), Usage: usage,
	}
	files := namesOf(summary.Sources)
	for i, source := range summary.Sources {
		header := []string{}
		for _, name := range source.Header[:min(len(source.Header), mostCells)] {
			header = append(header, visible(cut(name, nameMost)))
		}
		d.Sources = append(d.Sources, sourceJSON{visible(files[i]), visible(source.Sheet), source.Row, header})
	}
	for _, g := range s.groups.All {
		code := visible(string(g.First.Code))
		info, _ := catalog.Lookup(g.First.Code)
		d.Codes[code] = codeJSON{code, info.Title, info.Explain, info.Example}
		source, place := sourceOf(summary, &g.First.Place)
		d.Groups = append(d.Groups, groupJSON{
			Severity: int(g.First.Severity), Code: code, Source: source, Place: place, Column: g.Column,
			Header: visible(cut(g.First.Place.Header, nameMost)), Field: visible(cut(g.Field, nameMost)), Total: g.N,
		})
	}
	return d
}

// sourceOf returns the source that a place names, or -1 and the place in words.
func sourceOf(summary *finding.Summary, at *schema.Place) (index int, place string) {
	for i, s := range summary.Sources {
		if s.File == at.File && s.Sheet == at.Sheet {
			return i, ""
		}
	}
	switch {
	case at.File == "":
		return -1, ""
	case at.Sheet == "":
		return -1, visible(filepath.Base(at.File))
	}
	return -1, visible(filepath.Base(at.File) + ":" + at.Sheet)
}
