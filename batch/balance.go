package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"eventbatch/batch/balance"
	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Balance sets what the rows of the input hold against what a run makes of them. It is asked for
// when the run is planned, and again when it was sent: applied is nil before. The rows are read
// twice: each by itself, and as they were planned.
func Balance(ctx context.Context, reading mapping.Config, run *journal.Run, applied *Applied) ([]balance.Line, error) {
	var ledger balance.Ledger
	raw := reading
	raw.Raw = true
	if err := eachRow(ctx, raw, func(row *mapping.Result) error {
		ledger.Source(itemOf(row))
		return nil
	}); err != nil {
		return nil, err
	}
	fates := &fates{}
	if _, err := Report(ctx, ReportConfig{Run: run, Applied: applied, Report: Reporting{Sink: fates}}); err != nil {
		return nil, err
	}
	n := 0
	if err := eachRow(ctx, reading, func(row *mapping.Result) error {
		if n == len(fates.list) || fates.list[n].number != row.Draft.Place.Row || fates.list[n].source != row.Source {
			return fmt.Errorf("%s is not the row that was planned", row.Draft.Place)
		}
		fate := fates.list[n].Fate
		fate.Again = row.Again
		fate.Repeats = row.Of > 0 && !row.Invalid()
		ledger.Planned(itemOf(row), fate)
		n++
		return nil
	}); err != nil {
		return nil, err
	}
	return ledger.Lines(), nil
}

func eachRow(ctx context.Context, config mapping.Config, each func(*mapping.Result) error) error {
	reading, err := mapping.Read(ctx, config)
	if err != nil {
		return err
	}
	defer reading.Close()
	for row, err := range reading.Results(ctx) {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = each(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fates are what becomes of the rows of a run, in their order. It implements [finding.Sink].
type fates struct{ list []fate }

type fate struct {
	balance.Fate

	source, number int
}

// Row notes what becomes of a row.
func (f *fates) Row(row *finding.Row) {
	if row.Missing {
		return
	}
	of := fate{source: row.Source, number: row.Number}
	switch row.Status {
	case finding.Created, finding.Updated, finding.Unchanged, finding.Pending:
		of.Made = true
	default:
		of.Why = whyNot(row)
	}
	f.list = append(f.list, of)
}

// Problem and End do nothing: the balance is of rows.
func (f *fates) Problem(schema.Problem)     {}
func (f *fates) End(*finding.Summary) error { return nil }

// whyNot returns why nothing is made of a row, in a few words.
func whyNot(row *finding.Row) string {
	for i := range row.Problems {
		p := &row.Problems[i]
		switch {
		case p.Severity != schema.Error:
		case (p.Code == schema.CodeMissingValue || p.Code == schema.CodeMissingColumn) && p.Field == catalog.Guests.Named:
			return "no address"
		default:
			return p.Message
		}
	}
	return cmp.Or(row.Why(), string(row.Status))
}

// itemOf returns what a row is about.
func itemOf(row *mapping.Result) balance.Item {
	d := row.Draft
	it := balance.Item{Input: row.Source, At: d.Place, Of: d.Resource, Within: d.Calendar}
	if d.Resource.Keyed() {
		it.Label = d.Text(catalog.FieldName)
		it.Name = cmp.Or(d.Key, d.Text(catalog.FieldEventID), d.Text(catalog.FieldSlug))
		if start := d.Text(catalog.FieldStartAt); it.Name == "" && it.Label != "" {
			it.Name = it.Label + "\x00" + start
		}
		return it
	}
	if it.Name = d.Name(); d.Resource.Parent != "" {
		it.Within = cmp.Or(d.Value(d.Resource.Parent), it.Within)
	}
	switch d.Resource {
	case catalog.Guests:
		it.Person, it.Tickets = d.Value("name"), items(d, "ticket_types")
	case catalog.TicketTypes:
		it.Cents, _ = strconv.ParseInt(d.Value("cents"), 10, 64) // what is no amount is a problem of the row
		it.Currency = d.Value("currency")
	}
	return it
}

// items returns the names in a list.
func items(d *schema.Draft, path string) (names []string) {
	f, _ := d.Resource.ByPath(path)
	if s := d.Get(f.ID); s != nil && s.State == schema.Set && json.Valid([]byte(s.Text)) {
		value.EachName(f, s.Text, func(name string) string {
			names = append(names, name)
			return name
		})
	}
	return slices.Clip(names)
}
