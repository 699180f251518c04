package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/report/month"
	"eventbatch/templates"
)

// What the page of a month lists of a source.
const (
	mostNights = 500 // that did something, the newest
	fewNights  = 40  // that are shown without being asked for
)

// nightWords are the words for the outcomes of nights.
var nightWords = map[month.Outcome]string{
	month.Failed: "failed", month.Refused: "refused", month.Partial: "not all done", month.Open: "without an end",
	month.Locked: "kept out by another", month.Changed: "with changes", month.Same: "nothing new", byHand: "by hand",
}

// byHand is a day on which somebody imported, and no night was.
const byHand month.Outcome = "hand"

// monthShell is the page of a month.
type monthShell struct {
	Options
	Policy         string
	Style          template.CSS
	Verdict, Level string
	Facts          []fact
	Notes          []string
	Sources        []monthSource
}

type monthSource struct {
	Name, Full, Count string
	Days              []monthDay
	Legend, Totals    []tile
	Facts             []fact
	Troubles          []monthNight
	Nights            []monthNight
	Listed            string // what of the nights is
	Few               bool
}

type monthDay struct {
	Month, Day, Words string
	Outcome           month.Outcome
}

type monthNight struct {
	When, Plain, Why, Hint, Link string
	Notice                       string // whom a notice has told of it, of the team
	Rows, Requests, Took, Run    string
	Problems                     []string
	Reached                      []string // what was done to guests, in words
	Outcome                      month.Outcome
}

var monthDocument = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(templates.Page, "page/month.html")) })

// WriteMonth writes a month as one HTML file, with times as the zone has them. Links lead from
// the folder that the file is in; where it is in none, there are no links.
func WriteMonth(w io.Writer, m *month.Month, zone *time.Location, folder, version string, options Options) error {
	p := &monthPage{Month: m, zone: zone, folder: folder}
	style := templates.MonthStyle()
	shell := &monthShell{
		Options: options, Style: template.CSS(style),
		Policy: "default-src 'none'; style-src '" + hash(style) + "'; img-src data:; base-uri 'none'; form-action 'none'",
	}
	if shell.Title = visible(cut(options.Title, cellMost)); shell.Title == "" {
		shell.Title = p.day(m.From) + " – " + p.day(m.To)
	}
	shell.Verdict, shell.Level = p.verdict()
	shell.Facts = []fact{{Name: "Made", Value: m.To.In(zone).Format("2 January 2006, 15:04 MST")}, {Name: "Version", Value: version}}
	if options.Title != "" {
		shell.Facts = append([]fact{{Name: "Nights", Value: p.day(m.From) + " – " + p.day(m.To)}}, shell.Facts...)
	}
	if m.Unread > 0 {
		shell.Notes = append(shell.Notes, printable.Count(m.Unread, "line")+" of the record cannot be read: a crash has torn it.")
	}
	names := p.names()
	for i := range m.Sources {
		shell.Sources = append(shell.Sources, p.source(&m.Sources[i], names[i]))
	}
	var out bytes.Buffer
	if err := monthDocument().Execute(&out, shell); err != nil {
		return fmt.Errorf("writing the page of the nights: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// monthPage draws a month.
type monthPage struct {
	*month.Month

	zone   *time.Location
	folder string
}

// names are the names of the sources: of a file its own.
func (p *monthPage) names() []string {
	all := make([]string, len(p.Sources))
	for i := range p.Sources {
		all[i] = p.Sources[i].Name
	}
	for i, name := range finding.Names(all) {
		if filepath.IsAbs(all[i]) {
			all[i] = name
		}
	}
	return all
}

// verdict returns a sentence on the whole and its level.
func (p *monthPage) verdict() (words, level string) {
	nights, well := 0, 0
	var ill []string
	names := p.names()
	for i := range p.Sources {
		s := &p.Sources[i]
		nights, well = nights+s.Totals.Nights, well+s.Totals.Well()
		if last := s.Last(); last != nil && !last.Outcome().Well() {
			ill = append(ill, names[i])
		}
	}
	switch {
	case nights == 0 && len(p.Sources) == 0:
		return "No night is on record.", "fair"
	case nights == 0:
		return "No night is on record, only what was done by hand.", "fair"
	case len(ill) > 0:
		return fmt.Sprintf(
			"%s of %s went well; %s did not, the last time.", printable.Number(well), printable.Count(nights, "night"),
			visible(printable.Names(ill)),
		), "bad"
	case well < nights:
		return fmt.Sprintf("%s of %s went well, and the last ones did.", printable.Number(well), printable.Count(nights, "night")), "fair"
	}
	return printable.Pick(nights, "The only night went well.", "All "+printable.Count(nights, "night")+" went well."), "good"
}

func (p *monthPage) source(s *month.Source, name string) monthSource {
	out := monthSource{Name: visible(cut(name, nameMost)), Count: counted(s.Totals.Nights, s.Totals.ByHand), Days: p.days(s)}
	if name != s.Name {
		out.Full = visible(s.Name)
	}
	for _, outcome := range month.Outcomes {
		if n := s.Totals.Outcomes[outcome]; n > 0 {
			out.Legend = append(out.Legend, tile{Word: string(outcome), Plain: nightWords[outcome], Number: printable.Number(n)})
		}
	}
	if n := s.Totals.ByHand; n > 0 {
		out.Legend = append(out.Legend, tile{Word: string(byHand), Plain: nightWords[byHand], Number: printable.Number(n)})
	}
	for _, status := range finding.Statuses {
		n, always := s.Totals.Rows[status], status == finding.Created || status == finding.Updated || status == finding.Cancelled
		if quiet := status == finding.Unchanged || status == finding.Skipped || status == finding.Pending; !quiet && (n > 0 || always) {
			out.Totals = append(out.Totals, tile{
				Word: string(status), Plain: status.Words(), Number: printable.Number(n),
			})
		}
	}
	out.Facts = p.facts(s)
	for _, t := range s.Troubles() {
		out.Troubles = append(out.Troubles, p.trouble(&t))
	}
	p.list(s, &out)
	return out
}

func (p *monthPage) facts(s *month.Source) []fact {
	requests := printable.Number(s.Totals.Requests.Total())
	if s.Totals.Requests.Throttled > 0 {
		requests += ", " + printable.Number(s.Totals.Requests.Throttled) + " answered with 429"
	}
	var list []fact
	told := "nobody"
	if s.Totals.Reached != nil {
		told = s.Totals.Reached.Words()
	}
	list = append(list, fact{Name: "Told", Value: visible(told)}, fact{Name: "Requests", Value: requests})
	if s.Totals.Nights == 0 {
		return list
	}
	last := "none in this time"
	if !s.Success.IsZero() {
		last = p.moment(s.Success)
	}
	list = append(list, fact{Name: "Last success", Value: last})
	if gap := s.Gap; gap != nil {
		until := p.moment(gap.To)
		if gap.To.Equal(p.To) {
			until = "now"
		}
		list = append(list, fact{
			Name:  "Longest without success",
			Value: span(time.Duration(gap.Seconds)*time.Second) + ", from " + p.moment(gap.From) + " to " + until,
		})
	}
	return list
}

// days are the days of the month, each with the worst of its outcomes.
func (p *monthPage) days(s *month.Source) []monthDay {
	byDay := map[string][]*month.Night{}
	for i := range s.Nights {
		day := p.date(s.Nights[i].Began)
		byDay[day] = append(byDay[day], &s.Nights[i])
	}
	var list []monthDay
	from := p.From.In(p.zone)
	at := time.Date(from.Year(), from.Month(), from.Day(), 12, 0, 0, 0, p.zone) // every day has a noon
	for end := p.date(p.To); p.date(at) <= end; at = at.AddDate(0, 0, 1) {
		d := monthDay{Day: at.Format("2"), Words: at.Format("Monday 2 January")}
		if len(list) == 0 || at.Day() == 1 {
			d.Month = at.Format("Jan")
		}
		d.Outcome = worst(byDay[p.date(at)])
		for i, n := range byDay[p.date(at)] {
			if i == 6 {
				d.Words += fmt.Sprintf("; and %d more", len(byDay[p.date(at)])-i)
				break
			}
			d.Words += "; " + n.Began.In(p.zone).Format("15:04") + " " + p.plain(n)
		}
		if d.Outcome == "" {
			d.Words += ": nothing"
		}
		list = append(list, d)
	}
	return list
}

// worst returns the worst outcome of a day, which is empty where there was nothing.
func worst(nights []*month.Night) month.Outcome {
	for _, outcome := range month.Outcomes {
		for _, n := range nights {
			if n.Outcome() == outcome && (n.By == "" || !outcome.Well()) {
				return outcome
			}
		}
	}
	if len(nights) > 0 {
		return byHand
	}
	return ""
}

// plain says what a night came to.
func (p *monthPage) plain(n *month.Night) string {
	switch {
	case n.Noted():
		return "something to look at"
	case n.By == "":
		return nightWords[n.Outcome()]
	}
	return visible(cut(n.By, nameMost)) + " by hand, " + nightWords[n.Outcome()]
}

func (p *monthPage) trouble(t *month.Trouble) monthNight {
	out := p.night(&t.Night)
	if t.N > 1 {
		out.When = fmt.Sprintf("%s, from %s to %s", printable.Count(t.N, "time"), p.moment(t.Began), p.moment(t.Until))
	}
	out.Why, out.Hint, out.Notice = visible(t.Exit.Error), visible(t.Exit.Hint), visible(strings.Join(t.Told, ", "))
	for _, line := range t.Problems {
		out.Problems = append(out.Problems, visible(line))
	}
	switch {
	case out.Why != "":
	case out.Outcome == month.Open:
		out.Why = "nobody knows of its end: it was broken off, or goes on"
	case out.Rows != "":
		out.Why = out.Rows
	default:
		out.Why = visible(t.Exit.Reason)
	}
	return out
}

// list lists the nights that did something, from new to old.
func (p *monthPage) list(s *month.Source, out *monthSource) {
	quiet, hands := 0, 0
	for i := len(s.Nights) - 1; i >= 0; i-- {
		if n := &s.Nights[i]; n.By == "" && n.Outcome() == month.Same && !n.Noted() {
			quiet++
		} else if len(out.Nights) < mostNights {
			out.Nights = append(out.Nights, p.night(n))
			if n.By != "" {
				hands++
			}
		}
	}
	out.Few = len(out.Nights) <= fewNights
	out.Listed = counted(len(out.Nights)-hands, hands)
	if left := len(s.Nights) - quiet - len(out.Nights); left > 0 {
		out.Listed += ", the newest; " + printable.Number(left) + " are older"
	}
	if quiet > 0 {
		out.Listed += "; " + printable.Number(quiet) + " more had nothing new"
	}
}

// counted counts nights, and what was done by hand.
func counted(nights, hands int) string {
	switch {
	case hands == 0:
		return printable.Count(nights, "night")
	case nights == 0:
		return printable.Number(hands) + " by hand"
	}
	return printable.Count(nights, "night") + ", " + printable.Number(hands) + " by hand"
}

func (p *monthPage) night(n *month.Night) monthNight {
	out := monthNight{
		When: p.moment(n.Began), Plain: p.plain(n), Outcome: n.Outcome(), Rows: finding.Rows(n.Rows).Words(), Run: visible(n.Run),
		Link: p.link(n.Results),
	}
	for _, line := range n.Reached.Lines() {
		out.Reached = append(out.Reached, visible(line))
	}
	if n.Requests.Total() > 0 {
		out.Requests = printable.Number(n.Requests.Total())
	}
	if n.Requests.Throttled > 0 {
		out.Requests += ", " + printable.Number(n.Requests.Throttled) + " × 429"
	}
	if out.Outcome != month.Open {
		out.Took = span(n.Took())
	}
	return out
}

// link returns how a file is reached from the page, empty where it is not below one folder
// with it.
func (p *monthPage) link(path string) string {
	if path == "" || p.folder == "" {
		return ""
	}
	to, err := filepath.Rel(p.folder, path)
	if err != nil || strings.HasPrefix(to, "..") {
		return ""
	}
	return (&url.URL{Path: "./" + filepath.ToSlash(to)}).String()
}

func (p *monthPage) date(t time.Time) string   { return t.In(p.zone).Format(time.DateOnly) }
func (p *monthPage) day(t time.Time) string    { return t.In(p.zone).Format("2 January 2006") }
func (p *monthPage) moment(t time.Time) string { return t.In(p.zone).Format("2 Jan 2006 15:04") }

// span gives a length of time to the unit that matters.
func span(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	case d < 100*time.Hour:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	}
	return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
}
