package batch

import (
	"cmp"
	"strings"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// Reporting says who draws a report up, of what.
type Reporting struct {
	Sink    finding.Sink
	Cells   bool   // rows are wanted whole: with their cells, and with what an update changes
	Version string // of this program
}

// findings hands what a check finds to a report. A report that has failed is
// given nothing more.
type findings struct {
	config *Reporting // nil where no report is wanted
	last   finding.Row
	fail   error
}

func newFindings(config *Reporting) *findings { return &findings{config: config} }

func (f *findings) problems(problems []schema.Problem) {
	for i := range problems {
		if f.config == nil || f.fail != nil {
			return
		}
		f.fail = f.config.Sink.Problem(problems[i])
	}
}

// row hands on one row of a check.
func (f *findings) row(sources []mapping.Source, result *mapping.Result) {
	if f.config == nil || f.fail != nil {
		return
	}
	d := result.Draft
	f.last = finding.Row{
		Source: result.Source, File: sources[result.Source].File, Sheet: sources[result.Source].Sheet,
		Number: d.Place.Row, Line: d.Place.Line, Cells: result.Cells,
		Action: strings.ToLower(d.Action.String()), Status: finding.Valid, Reason: result.Skipped,
		Event: drafted(d), Problems: result.Problems,
	}
	if result.Skipped != "" {
		f.last.Action = "skip"
	}
	if result.Invalid() {
		f.last.Action, f.last.Status, f.last.Reason = "invalid", finding.Invalid, cmp.Or(result.Lacking, "the row has errors")
	}
	f.fail = f.config.Sink.Row(&f.last)
}

// end ends the report of a check, which is broken where it has not come to its end.
func (f *findings) end(checked *Checked, exit finding.Exit, broken bool) error {
	summary := Summary(checked, exit)
	summary.Broken = broken
	summary.Version = f.config.Version
	return ended(f.config.Sink, summary, f.fail)
}

// Summary is what a report says of a check as a whole.
func Summary(checked *Checked, exit finding.Exit) *finding.Summary {
	s := &finding.Summary{
		Command: "check", Made: time.Now(), Exit: exit,
		Totals: []finding.Total{
			{Word: "read", Rows: checked.Rows.Read},
			{Word: "valid", Rows: checked.Rows.Valid},
			{Word: "invalid", Rows: checked.Rows.Invalid},
		},
	}
	for _, source := range checked.Sources {
		s.Sources = append(s.Sources, finding.Source{
			File: source.File, Sheet: source.Sheet, SHA256: source.SHA256, Header: source.Header, HeaderRow: source.HeaderRow,
			Rows: source.Rows,
		})
	}
	return s
}

// ended ends a report, also one that has failed before.
func ended(sink finding.Sink, summary *finding.Summary, fail error) error {
	if err := sink.End(summary); fail == nil {
		fail = err
	}
	return fail
}

// drafted gives the event that a row asks for.
func drafted(d *schema.Draft) finding.Event {
	e := finding.Event{
		Calendar: d.Calendar, Key: d.Key, ID: d.Text(schema.FieldEventID), Name: d.Text(schema.FieldName),
	}
	zone := d.Text(schema.FieldTimezone)
	e.Start = local(d.Text(schema.FieldStartAt), zone)
	e.End = local(d.Text(schema.FieldEndAt), zone)
	return e
}

// local reads a timestamp of ours in the event's zone; one without a zone keeps
// the offset that it was written with. What is none is the zero time.
func local(timestamp, zone string) time.Time {
	at, ok := datetime.ParseTimestamp(timestamp)
	if !ok || zone == "" {
		return at
	}
	zoned, err := schema.LoadZone(zone)
	if err != nil {
		return at
	}
	return at.In(zoned)
}

// location is the zone that a plan names, or an offset; UTC where it has neither.
func location(zone string) *time.Location {
	if at, err := time.Parse("-07:00", zone); err == nil {
		_, offset := at.Zone()
		return time.FixedZone("", offset)
	}
	if zoned, err := schema.LoadZone(zone); err == nil && zone != "" {
		return zoned
	}
	return time.UTC
}
