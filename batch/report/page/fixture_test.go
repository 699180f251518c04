package page

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// columns are those of every sample here.
var columns = []string{
	"Event ID", "Title", "Starts", "Ends", "Time zone", "Visibility", "Capacity", "Venue", "Latitude", "Longitude", "Description", "Slug",
}

// hostile are cells that would run, load, end an element or turn a line if the
// page took them for more than text.
var hostile = []string{
	`<script>window.hit=1</script>`,
	`</script><script>window.hit=2</script>`,
	`<img src=x onerror="window.hit=3">`,
	`javascript:window.hit=4`,
	"invoice\u202egpj.exe",
	`{{.Exit}} ${window.hit=5} <!--`,
	"a\u2028b\u2029c",
	"\x00\x1b[31mred\xff",
	`"><svg/onload=window.hit=6>`,
}

// mistakes are what is wrong with every so many rows of a sample.
var mistakes = []struct {
	code           schema.Code
	column         int
	field          string
	value, message string
	hint           string
}{
	{schema.CodeNoZone, 2, "start_at", "2026-05-21 18:00", "the time has no zone", "fill timezone, or give --timezone for all rows"},
	{schema.CodeBadEnum, 5, "visibility", "Friends", "“Friends” is none of public, members-only, private", "did you mean members-only?"},
	{
		schema.CodeEndBeforeStart, 3, "end_at", "2026-05-21 17:00", "the event ends an hour before it starts",
		"if it ends after midnight, write the next day",
	},
	{
		schema.CodeAmbiguousDate, 2, "start_at", "03/04/2026 18:00", "“03/04/2026” is 3 April or March 4",
		"say which with --date-order dmy or mdy",
	},
	{schema.CodeOutOfRange, 8, "coordinate.latitude", "512.4", "512.4 is not between -90 and 90", ""},
	{schema.CodeMissingValue, 1, "name", "", "a new event needs a name", ""},
	{schema.CodeBadNumber, 6, "max_capacity", "about 80", "“about 80” is no whole number", "write 80"},
}

// sample is a report of so many rows, a problem in every few of them.
type sample struct {
	rows, every int
	run         bool
	reader      Audience // an engineer where it is empty
	summary     finding.Summary
}

var first = time.Date(2026, 4, 3, 18, 0, 0, 0, time.UTC)

func (s *sample) fill(t testing.TB, sink finding.Sink) {
	t.Helper()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"Spring Tea", "Allotment Open Day", "Members’ Evening", "Choir Rehearsal", "Repair Café", "Harbour Walk"}
	totals := map[string]int{}
	for i := range s.rows {
		start := moment(i).In(newYork)
		name := fmt.Sprintf("%s %d", names[i%len(names)], i/len(names)+1)
		row := finding.Row{
			Number: i + 2, Action: "upsert", Status: "valid",
			Cells: []string{
				fmt.Sprintf("EV-%05d", i+1), name, start.Format("2006-01-02 15:04"), start.Add(2 * time.Hour).Format("2006-01-02 15:04"),
				"America/New_York", []string{"public", "members-only"}[i%2], fmt.Sprint(20 + i%200), fmt.Sprintf(
					"Hall %d, 12 Quay Street", i%40,
				),
				fmt.Sprintf("%.4f", 40+float64(i%900)/1000), fmt.Sprintf("%.4f", -73-float64(i%700)/1000),
				"Doors open half an hour before. Bring a cup, a chair and somebody who has never been here.", fmt.Sprintf("event-%d", i+1),
			},
			Event: finding.Event{
				Calendar: "cal-1", Key: fmt.Sprintf("EV-%05d", i+1), Name: name, Start: start, End: start.Add(2 * time.Hour),
			},
		}
		if s.every > 0 && i%s.every == s.every/2 {
			s.mistake(&row, i/s.every)
		} else if s.run {
			s.outcome(&row, i)
		}
		totals[string(row.Status)]++
		sink.Row(&row)
	}
	if s.summary.Sources == nil {
		s.summary.Sources = []plan.Sheet{{
			File: "data/spring-programme.xlsx", Sheet: "Events", SHA256: strings.Repeat("9f2c41ab", 8), Header: columns, Row: 1,
			Rows: s.rows,
		}}
	}
	if s.summary.Totals == nil {
		s.summary.Totals = []finding.Total{{Word: "read", Rows: s.rows}}
		for _, word := range []string{"valid", "created", "updated", "unchanged", "invalid", "failed", "in_doubt"} {
			if totals[word] > 0 {
				s.summary.Totals = append(s.summary.Totals, finding.Total{Word: word, Rows: totals[word]})
			}
		}
	}
	if s.summary.Made.IsZero() {
		s.summary.Made = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	}
}

// moment spreads events over half a year, most of them at weekends.
func moment(i int) time.Time {
	day := i * 7919 % 170
	if i%3 > 0 {
		day = day/7*7 + i%2 + 1
	}
	if i%11 == 0 {
		day = day * day / 170
	}
	return first.Add(time.Duration(day*24+i%9-4) * time.Hour)
}

func (s *sample) mistake(row *finding.Row, n int) {
	m := mistakes[n*n%31%len(mistakes)]
	row.Cells[m.column] = m.value
	row.Status = "invalid"
	row.Problems = []schema.Problem{{
		Code: m.code, Field: m.field, Value: m.value, Message: m.message, Hint: m.hint,
		Place: schema.Place{
			File: "data/spring-programme.xlsx", Sheet: "Events", Row: row.Number, Column: m.column, Header: columns[m.column],
		},
	}}
	if s.run {
		row.Action, row.Status, row.Reason = "create", "failed", "the service refused the row"
	}
}

func (s *sample) outcome(row *finding.Row, i int) {
	row.Event.ID = fmt.Sprintf("evt-%08d", i*7)
	row.Event.URL = fmt.Sprintf("https://events.example.org/e/event-%d", i+1)
	switch i % 5 {
	case 0:
		row.Action, row.Status, row.Reason = "update", "updated", "values differ from those of run 2026-02-01-a"
		row.Changes = []finding.Change{
			{Field: "name", Before: strings.Replace(row.Event.Name, "Tea", "Coffee", 1) + " (draft)", After: row.Event.Name, Known: true},
			{Field: "max_capacity", Before: "40", After: row.Cells[6], Known: true},
			{Field: "description_md", After: row.Cells[10]},
		}
	case 1:
		row.Action, row.Status, row.Reason = "unchanged", "unchanged", "the same values were sent by run 2026-02-01-a"
	default:
		row.Action, row.Status, row.Reason = "create", "created", "the key is new"
	}
}

// draw gives the page of a sample.
func (s *sample) draw(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	sink := New(&out, Options{For: cmp.Or(s.reader, Engineer)})
	s.fill(t, sink)
	if err := sink.End(&s.summary); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// sent are so many requests as a quota of 200 a minute lets them leave.
func sent(n int) []time.Time {
	list := make([]time.Time, n)
	for i := range list {
		list[i] = first.Add(time.Duration(i/200)*time.Minute + time.Duration(i%200)*20*time.Millisecond)
	}
	return list
}

// problemsOfFiles are what a whole file can have.
func problemsOfFiles() []schema.Problem {
	at := schema.Place{File: "data/spring-programme.xlsx", Sheet: "Events"}
	remarks := at
	remarks.Row, remarks.Column, remarks.Header = 1, 11, columns[11]
	return []schema.Problem{
		{
			Severity: schema.Warning, Code: schema.CodeHiddenRows, Place: at,
			Message: "14 hidden rows are read too, the first one is 23", Hint: "delete them, or set their action to SKIP",
		},
		{
			Severity: schema.Warning, Code: schema.CodeUnmatchedColumn, Place: remarks, Value: "Slug",
			Message: "column L (Slug) feeds no field", Hint: "did you mean slug?",
		},
	}
}
