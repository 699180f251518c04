package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
	"eventbatch/templates"
)

// shell is what the page shows without its script, with the parts that it is
// made of.
type shell struct {
	Options
	Policy, Kept   string
	Style          template.CSS
	Script, Data   template.JS
	Kind           string
	Facts          []fact
	Verdict, Level string
	Exit           finding.Exit
	Broken         bool
	Read           *tile
	Rest           []tile
	Adds           bool
	Notes          []string
	Charts, Left   int
	Ahead          *finding.Ahead
	Sent           bool // something was
	Reached        *reachedShell
}

// reachedShell is what a run has done to people and money.
type reachedShell struct {
	Run    string
	Lines  []string
	Events []fact // what was done, by event
	Few    bool   // so that they are shown without being asked for
	More   string
}

// mostReached is how many of the events are listed whose people were reached, and fewReached how many of
// them are shown at once.
const (
	mostReached = 200
	fewReached  = 12
)

// fact is a line about where the report comes from.
type fact struct{ Name, Value, Full string }

var document = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(templates.Page, "page/page.html")) })

// write writes the page.
func (s *Sink) write(summary *finding.Summary) error {
	page, data := s.shell(summary), s.data(summary)
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	// The encoder has written < > & and the two line separators as escapes, so the
	// data can end no element.
	page.Data, page.Notes, page.Kept = template.JS(text), s.notes(len(data.Rows)), digest(string(text))
	var out bytes.Buffer
	if err := document().Execute(&out, page); err != nil {
		return err
	}
	_, err = s.w.Write(out.Bytes())
	return err
}

func (s *Sink) shell(summary *finding.Summary) *shell {
	style, script := templates.PageStyle(), templates.PageScript()
	page := &shell{
		Options: s.Options,
		// Nothing is fetched, sent or run but what is in the file.
		Policy: "default-src 'none'; script-src '" + hash(script) + "'; style-src '" + hash(style) +
			"'; img-src data:; base-uri 'none'; form-action 'none'",
		Style: template.CSS(style), Script: template.JS(script),
		Kind: "Check report", Facts: s.facts(summary),
		Exit: finding.Exit{
			Code: summary.Exit.Code, Reason: visible(summary.Exit.Reason),
			Error: visible(cut(summary.Exit.Error, 2000)), Hint: visible(cut(s.hint(schema.Warning, summary.Exit.Hint), 2000)),
		},
		Broken: summary.Broken, Charts: len(summary.Usage),
	}
	if page.Title = visible(cut(s.Title, cellMost)); page.Title == "" {
		page.Title = s.title(summary)
	}
	if summary.Run != "" {
		page.Kind = "Run report"
		if s.For != Engineer {
			page.Kind = "Import report"
		}
	}
	if ahead := summary.Ahead; ahead != nil {
		if summary.Requests.Sent == 0 {
			page.Kind = "Plan"
		}
		page.Ahead = &finding.Ahead{Requests: ahead.Requests, Effects: s.texts(ahead.Effects), Stays: s.texts(ahead.Stays)}
	}
	page.Sent, page.Reached = summary.Run != "" && summary.Requests.Sent > 0, s.reached(summary)
	page.Verdict, page.Level = s.verdict(summary)
	page.Read, page.Rest, page.Adds = s.tiles(summary.Totals)
	_, page.Left = charts(summary.Usage)
	return page
}

func (s *Sink) reached(summary *finding.Summary) *reachedShell {
	r := summary.Reached
	if r == nil {
		return nil
	}
	out := &reachedShell{Run: visible(summary.Run), Lines: s.texts(r.Lines()), Few: len(r.Events) <= fewReached}
	for i, line := range out.Lines {
		out.Lines[i] = capital(line)
	}
	for _, e := range r.Events[:min(len(r.Events), mostReached)] {
		out.Events = append(out.Events, fact{Name: s.text(e.Called(), cellMost), Value: s.text(e.Told, cellMost)})
	}
	if more := len(r.Events) - len(out.Events); more > 0 {
		out.More = printable.Count(more, "event") + " more: eventbatch show " + visible(summary.Run) + " --told"
	}
	return out
}

// texts returns texts as the page shows them.
func (s *Sink) texts(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = s.text(text, textMost)
	}
	return list
}

// hash names a text in a content security policy.
func hash(text string) string { return "sha256-" + digest(text) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// namesOf names the file of each source: by its own name, not its folders', but for
// those that tell it from a namesake.
func namesOf(sources []plan.Sheet) []string {
	paths := make([]string, len(sources))
	for i := range sources {
		paths[i] = sources[i].File
	}
	return finding.Names(paths)
}

func (s *Sink) title(summary *finding.Summary) string {
	var names []string
	for _, name := range namesOf(summary.Sources) {
		if name = visible(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 3:
		return strings.Join(names[:2], ", ") + " and " + printable.Number(len(names)-2) + " more files"
	case len(names) > 0:
		return strings.Join(names, ", ")
	case summary.Run != "" && s.For == Engineer:
		return "Run " + visible(summary.Run)
	}
	return "Check"
}

func (s *Sink) facts(summary *finding.Summary) []fact {
	var list []fact
	add := func(name, value, full string) {
		if value != "" {
			list = append(list, fact{name, visible(value), visible(full)})
		}
	}
	engineer := s.For == Engineer
	if engineer {
		add("Run", summary.Run, "")
		add("Command", summary.Command, "")
		add("Service", bare(summary.BaseURL), "")
	}
	s.inputs(summary.Sources, add)
	behind := "Not imported"
	if engineer {
		behind = "Left behind"
	}
	add(behind, schema.LeftBehindWords(summary.LeftBehind), "cells of columns that feed nothing")
	for _, note := range summary.Notes {
		add("Note", note, "")
	}
	if !summary.Made.IsZero() {
		add("Made", summary.Made.Format("2 January 2006, 15:04 MST"), summary.Made.Format(time.RFC3339))
	}
	if engineer {
		add("Requests", requestWords(summary.Requests), "")
		add("Version", summary.Version, "")
	}
	return list
}

// inputs adds what was read.
func (s *Sink) inputs(sources []plan.Sheet, add func(name, value, full string)) {
	files := namesOf(sources)
	several := slices.ContainsFunc(files, func(name string) bool { return name != files[0] })
	const most = 6
	for i, source := range sources[:min(len(files), most)] {
		name := "File"
		value := printable.Count(source.Rows, "row")
		if source.Sheet != "" {
			name = "Sheet"
			value = source.Sheet + ", " + value
		}
		if several || s.Title != "" {
			value = files[i] + ", " + value
		}
		full := ""
		if s.For == Engineer && source.SHA256 != "" {
			full = "SHA-256 " + source.SHA256
		}
		add(name, value, full)
	}
	if left := len(files) - most; left > 0 {
		add("And", printable.Count(left, "more source"), "")
	}
}

// requestWords returns how many requests were sent, or would be; nothing where there are none.
func requestWords(r finding.Requests) string {
	if r == (finding.Requests{}) {
		return ""
	}
	sent := r.Sent + r.Reads
	words := printable.Count(sent, "request") + " sent"
	if r.Reads > 0 {
		words += ", " + printable.Number(r.Reads) + " of them " + printable.Pick(r.Reads, "a read", "reads")
	}
	if sent == 0 {
		words = printable.Count(r.Planned, "request") + " planned"
	}
	if r.Throttled > 0 {
		words += ", " + printable.Number(r.Throttled) + " throttled"
	}
	return words
}

// bare is an address without a name, a password or a query in it.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
