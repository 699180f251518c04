package sheet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ics"
	"eventbatch/mapping/value"
)

// icsSource reads an iCalendar file: after a header row, a row for each occurrence
// that [ics.Read] finds. Row n is the nth of these, its line that of the BEGIN:VEVENT.
// An event that cannot be read is a row with a problem.
type icsSource struct {
	in      *input
	chars   charset
	limits  Limits
	horizon time.Time
	seen    []schema.Problem
}

func openICS(_ context.Context, in *input, o Options) (source, error) {
	chars, err := findCharset(in, o.Encoding, proven)
	if err != nil {
		return nil, err
	}
	return &icsSource{in: in, chars: chars, limits: o.Limits, horizon: o.Horizon}, nil
}

func (s *icsSource) sheets() []Info          { return []Info{{}} }
func (s *icsSource) notes() []schema.Problem { return s.seen }
func (s *icsSource) date1904() bool          { return false }

func (s *icsSource) batches(ctx context.Context, _ string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		rows, err := s.rows(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for len(rows) > 0 {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			n := min(len(rows), maxBatchRows)
			if !yield(&Batch{Rows: rows[:n:n]}, nil) {
				return
			}
			rows = rows[n:]
		}
	}
}

// rows lays out the whole file, and makes of what is wrong with it problems that
// name the file.
func (s *icsSource) rows(ctx context.Context) ([]Row, error) {
	s.seen = nil
	if s.chars.note != nil {
		s.seen = append(s.seen, *s.chars.note)
	}
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	calendar, err := ics.Read(ctx, text, ics.Config{Horizon: s.horizon, Occurrences: s.limits.Occurrences, Rows: s.limits.Rows})
	if e, ok := errors.AsType[*ics.Error](err); ok {
		return nil, refuse(e.Code, schema.Place{File: s.in.name, Line: e.Line, Column: -1}, e.Hint, "%w", e.Err)
	}
	if err != nil {
		return nil, err
	}
	s.note(schema.CodeLinesLeftOut, calendar.Strays, "line",
		"%s left out, outside of the calendar's components or no property", "export the calendar again if an event is missing")
	s.note(schema.CodeComponentsLeftOut, calendar.LeftOut, "component",
		"%s left out, as only events are read", "to-dos, journals and free-busy times make no events")
	s.note(schema.CodeComponentsLeftOut, calendar.Older, "event",
		"%s left out, for another one with the same UID is newer or the same",
		"the highest SEQUENCE counts, then the latest DTSTAMP, then the latest LAST-MODIFIED")
	s.note(schema.CodeTwoEnds, calendar.Ends, "event",
		"%s of two lengths: DTEND counts, and DURATION says otherwise", "take one of the two out")
	s.note(schema.CodeRecurrenceCut, calendar.Endless, "component",
		"%s recurring without an end, and read until "+calendar.Until.Format(time.DateOnly), "say --recur-until with a later date to "+
			"read more of them")
	return icsRows(calendar.Occurrences, s.limits, s.in.name)
}

func (s *icsSource) note(code schema.Code, found ics.Tally, what, message, hint string) {
	if found.Count == 0 {
		return
	}
	subject := strconv.Itoa(found.Count) + " " + what + "s are"
	if found.Count == 1 {
		subject = "1 " + what + " is"
	}
	s.seen = append(s.seen, schema.Problem{
		Severity: schema.Warning, Code: code, Place: schema.Place{File: s.in.name, Line: found.Line, Column: -1},
		Message: fmt.Sprintf(message, subject), Hint: hint,
	})
}

func (s *icsSource) text() (string, error) {
	p := s.in.pass()
	defer p.end()
	raw, err := io.ReadAll(io.LimitReader(p, s.limits.FileBytes+1))
	if err != nil {
		return "", err
	}
	if int64(len(raw)) > s.limits.FileBytes {
		return "", s.in.refuse(schema.CodeTooManyRows, "export a shorter time", "more than %d bytes", s.limits.FileBytes)
	}
	text, err := s.chars.open(bytes.NewReader(wholeCharacters(raw)))
	if err != nil {
		return "", s.in.failed(err)
	}
	var b strings.Builder
	_, err = io.Copy(&b, text)
	if bad, ok := errors.AsType[*badText](err); ok {
		place := schema.Place{File: s.in.name, Line: 1 + strings.Count(b.String(), "\n"), Column: -1}
		return "", refuse(bad.code, place, bad.hint, "%s, in line %d", bad.message, place.Line)
	}
	if err != nil {
		return "", s.in.failed(err)
	}
	return b.String(), nil
}

// wholeCharacters moves a fold that stands inside of a UTF-8 character behind it: lines are to
// be unfolded before they are decoded (RFC 5545, section 3.1). It changes the text itself.
func wholeCharacters(text []byte) []byte {
	inside := func(i int) bool { return i < len(text) && text[i]&0xC0 == 0x80 }
	for at := 1; at < len(text); at++ {
		if text[at] != ' ' && text[at] != '\t' || text[at-1] != '\n' || !inside(at+1) {
			continue
		}
		fold := at - 1
		if fold > 0 && text[fold-1] == '\r' {
			fold--
		}
		if fold == 0 || text[fold-1] < 0x80 {
			continue // what follows belongs to no character
		}
		white := string(text[fold : at+1])
		for ; inside(at + 1); at, fold = at+1, fold+1 {
			text[fold] = text[at+1]
		}
		copy(text[fold:], white)
	}
	return text
}

// icsColumn is a column of the rows, named after the field that it feeds, or
// after the property where it feeds none.
type icsColumn struct {
	header string
	cell   func(*ics.Occurrence) string
}

var icsColumns = []icsColumn{
	{"key", func(o *ics.Occurrence) string {
		if o.Property(ownID) != "" {
			return "" // the event is known by its id
		}
		return o.Key
	}},
	{"event_id", property(ownID)},
	{"action", func(o *ics.Occurrence) string {
		if strings.EqualFold(o.Property("STATUS"), "CANCELLED") {
			return "CANCEL" // which takes leave
		}
		return ""
	}},
	{"name", property("SUMMARY")},
	{"start_at", func(o *ics.Occurrence) string { return o.Start }},
	{"end_at", func(o *ics.Occurrence) string { return o.End }},
	{"timezone", func(o *ics.Occurrence) string { return cmp.Or(o.Property(ownZone), o.Zone) }},
	{"description_md", func(o *ics.Occurrence) string { return cmp.Or(o.Property("DESCRIPTION"), o.Property("X-ALT-DESC")) }},
	{"address", property("LOCATION")},
	{"coordinate.latitude", func(o *ics.Occurrence) string { lat, _, _ := strings.Cut(o.Property("GEO"), ";"); return lat }},
	{"coordinate.longitude", func(o *ics.Occurrence) string { _, long, _ := strings.Cut(o.Property("GEO"), ";"); return long }},
	{"visibility", func(o *ics.Occurrence) string {
		switch strings.ToUpper(strings.TrimSpace(o.Property("CLASS"))) {
		case "", "PUBLIC":
			return "" // the default of the format, said of nearly every event
		default:
			return "private" // as which the format has an unknown one taken
		}
	}},
	{"meeting_url", func(o *ics.Occurrence) string {
		for _, name := range []string{"CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL"} {
			if link := o.Property(name); link != "" {
				return link
			}
		}
		if link := o.Property("URL"); value.IsMeetingLink(link) {
			return link
		}
		return ""
	}},
	{"url", func(o *ics.Occurrence) string {
		if o.Property(ownID) != "" || value.IsMeetingLink(o.Property("URL")) {
			return "" // the page of the event itself, or where people meet
		}
		return o.Property("URL")
	}},
	{"status", func(o *ics.Occurrence) string {
		switch status := strings.ToUpper(strings.TrimSpace(o.Property("STATUS"))); status {
		case "CONFIRMED", "CANCELLED":
			return ""
		default:
			return status
		}
	}},
	{"image", property("IMAGE")},
	{"color", property("COLOR")},
	{"categories", property("CATEGORIES")},
	{"organizer", property("ORGANIZER")},
	{"attendee", property("ATTENDEE")},
	{"contact", property("CONTACT")},
	{"comment", property("COMMENT")},
	{"resources", property("RESOURCES")},
	{"attach", property("ATTACH")},
	{BaseColumn, property(ownBase)},
}

// readElsewhere are the properties of no standard that columns above are made of, or that say nothing of the event to
// those who come: what is none of these has a column of its own, so that it is told.
var readElsewhere = strings.Fields(`X-ALT-DESC X-WR-CALNAME X-INSTANT-EVENT`)

// ofPrograms are the beginnings of the names of properties that programs keep for themselves.
var ofPrograms = []string{
	"X-EVENTBATCH-", "X-MICROSOFT-", "X-MS-", "X-APPLE-", "X-MOZ-", "X-LIC-", "X-EVOLUTION-", "X-GOOGLE-", "X-YAHOO-",
}

// otherColumns returns columns of the properties that no other column has.
func otherColumns(occurrences []ics.Occurrence) []icsColumn {
	found := map[string]bool{}
	for i := range occurrences {
		for name := range occurrences[i].Properties() {
			found[name] = found[name] || !slices.Contains(readElsewhere, name) &&
				!slices.ContainsFunc(ofPrograms, func(begin string) bool { return strings.HasPrefix(name, begin) })
		}
	}
	var columns []icsColumn
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if header := strings.ToLower(name); found[name] && strings.HasPrefix(header, "x-") {
			columns = append(columns, icsColumn{header, property(name)})
		}
	}
	return columns
}

// namingColumns are what an event that cannot be read is known by.
var namingColumns = []string{"key", "event_id", "action", "name"}

// The properties by which an event of an export is known again.
const (
	ownID   = "X-EVENTBATCH-ID"
	ownZone = "X-EVENTBATCH-TIMEZONE"
	ownBase = "X-EVENTBATCH-BASE"
)

// What a calendar is written with: see package ics.
type (
	ICSWriter   = ics.Writer
	ICSEntry    = ics.Entry
	ICSProperty = ics.Property
)

// ICSText returns a text as a calendar can hold it.
func ICSText(text string) string { return ics.Text(text) }

// NewICSWriter begins a calendar.
func NewICSWriter(w io.Writer) *ICSWriter { return ics.NewWriter(w) }

func property(name string) func(*ics.Occurrence) string {
	return func(o *ics.Occurrence) string { return o.Property(name) }
}

// icsRows lays the occurrences out under the columns that any of them fills.
func icsRows(occurrences []ics.Occurrence, limits Limits, file string) ([]Row, error) {
	columns := slices.Concat(icsColumns, otherColumns(occurrences))
	cells := make([][]string, len(columns))
	var used []int
	for c, column := range columns {
		cells[c] = make([]string, len(occurrences))
		filled := column.header == "name" || column.header == "start_at"
		for i := range occurrences {
			if occurrences[i].Err != nil && !slices.Contains(namingColumns, column.header) {
				continue // what it says may be cut, and a copy of the row be read one day
			}
			text := column.cell(&occurrences[i])
			if len(text) > limits.CellBytes {
				return nil, refuse(schema.CodeTooLongCell, schema.Place{File: file, Row: i + 2, Line: occurrences[i].Line, Column: -1}, "",
					"%s of more than %d bytes", column.header, limits.CellBytes)
			}
			cells[c][i] = text
			filled = filled || text != ""
		}
		if filled {
			used = append(used, c)
		}
	}
	rows := make([]Row, 1, len(occurrences)+1)
	rows[0] = Row{Number: 1, Line: 1}
	for _, c := range used {
		rows[0].Cells = append(rows[0].Cells, Cell{Text: columns[c].header, Kind: Text})
	}
	for i := range occurrences {
		row := Row{Number: i + 2, Line: occurrences[i].Line, Cells: make([]Cell, len(used))}
		for at, c := range used {
			if text := cells[c][i]; text != "" {
				row.Cells[at] = Cell{Text: text, Kind: Text}
			}
		}
		if err := occurrences[i].Err; err != nil {
			row.Problem = &schema.Problem{
				Code: err.Code, Place: schema.Place{File: file, Row: row.Number, Line: err.Line, Column: -1},
				Message: err.Err.Error(), Hint: err.Hint,
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
