package batch

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// CheckConfig says what is checked, and where the findings go.
type CheckConfig struct {
	Reading mapping.Config
	PictureConfig
	Report Reporting // its Sink may be nil
	row    func(*mapping.Result)
	// Keep has the files stay open, for Checked.Kept.
	Keep bool
	// Sheet is told of each sheet before its rows; nil is not.
	Sheet func(*mapping.Source)
}

// Checked is what a check found, problems aside.
type Checked struct {
	Sources    []mapping.Source
	Rows       report.Checked
	Decided    schema.Decided // by the platform
	LeftBehind []schema.LeftBehind
	Notes      []string // what a person has to know besides
	// Kept reads rows once more. It is nil without Keep, and where the file could not be read.
	Kept *Kept
}

// Check reads the input and tells the sink what is wrong with it. It needs no
// service. What could be read before an error is in Checked.
func Check(ctx context.Context, config CheckConfig) (checked Checked, err error) {
	config.Reading.KeepCells, config.Reading.KeepOpen = config.Report.Cells, config.Keep
	sink := config.Report.Sink
	var changes onlyChanges
	var created newEvents
	reading, err := mapping.Read(ctx, config.Reading)
	if err == nil {
		created.mixed = reading.Mixed()
		var told finding.Row // one for all
		sheets := 0          // that were told of
		err = readRows(ctx, reading, config.PictureConfig, func(row *mapping.Result, _ *plan.Cover) error {
			checked.count(row)
			if !changes.add(row) {
				created.row(row)
			}
			for ; config.Sheet != nil && sheets <= row.Source; sheets++ {
				config.Sheet(&reading.Sources()[sheets])
			}
			if config.row != nil {
				config.row(row)
			}
			if sink != nil {
				find(&told, &reading.Sources()[row.Source], row, config.Report.Cells)
				sink.Row(&told)
			}
			return nil
		})
	}
	if sink != nil {
		for _, p := range slices.Concat(wholeProblems(reading, err), changes.problems()) {
			sink.Problem(p)
		}
	}
	if reading != nil {
		checked.Sources, checked.LeftBehind, checked.Decided = reading.Sources(), reading.LeftBehind(), created.Decided
		checked.Notes = report.Unpriced(checked.Decided, checked.LeftBehind)
	}
	switch {
	case !config.Keep || reading == nil:
	case err == nil:
		checked.Kept = &Kept{reading, config.PictureConfig}
	default:
		reading.Close()
	}
	return checked, err
}

// Kept is a reading whose files stay open, so that rows of it can be checked once more with other cells.
type Kept struct {
	reading  *mapping.Reading
	pictures PictureConfig
}

// Again tells each of what rows of a source are now, which are checked each by itself: see [mapping.Reading.Again]. It
// reports false where that cannot be.
func (k *Kept) Again(ctx context.Context, source int, rows []sheet.Row, each func(*finding.Row)) bool {
	results, ok := k.reading.Again(ctx, source, rows)
	if !ok {
		return false
	}
	pictures := pictures{PictureConfig: k.pictures}
	var told finding.Row // one for all
	for i := range results {
		pictures.of(ctx, k.reading, &results[i])
		find(&told, &k.reading.Sources()[source], &results[i], true)
		each(&told)
	}
	return true
}

// ActionColumn is that of the reading.
func (k *Kept) ActionColumn(source int) (column int, adds bool, err error) {
	return k.reading.ActionColumn(source)
}

// NameColumn is that of the reading.
func (k *Kept) NameColumn(source int) (column int, ok bool) { return k.reading.NameColumn(source) }

// Close closes the files.
func (k *Kept) Close() { k.reading.Close() }

// count counts one row.
func (c *Checked) count(row *mapping.Result) {
	c.Rows.Read++
	switch {
	case row.Invalid():
		c.Rows.Invalid++
	case row.Skipped != "", row.Draft.Action == schema.Skip:
		c.Rows.Valid++
		c.Rows.Skipped++
	default:
		c.Rows.Valid++
	}
}

// onlyChanges gathers the rows that lack what a new record of theirs needs, such as
// an event, and name it by its key alone. Whether it exists is known to the
// workspace and the service, not to a check: the plan refuses the row if not.
type onlyChanges struct {
	sheets []sheetChanges
	lacks  []string // what the row at hand lacks
	note   func(schema.Problem)
}

type sheetChanges struct {
	source int
	of     *schema.Resource
	place  schema.Place // of the sheet
	rows   int
	first  []string // the first rows, as the spreadsheet numbers them
	fields []string // what they lack
}

// shownChanges is how many of the rows are named.
const shownChanges = 5

// add notes a row that is one of them, and reports whether it is.
func (c *onlyChanges) add(row *mapping.Result) bool {
	d := row.Draft
	if d.Action != schema.Upsert || row.Skipped != "" || d.Has(catalog.FieldEventID) || row.Invalid() {
		return false
	}
	if c.note == nil { // one for all rows
		c.note = func(p schema.Problem) { c.lacks = append(c.lacks, p.Field) }
	}
	c.lacks = c.lacks[:0]
	if check.Required(d, schema.OnCreate, c.note); len(c.lacks) == 0 {
		return false
	}
	at := slices.IndexFunc(c.sheets, func(s sheetChanges) bool { return s.source == row.Source })
	if at < 0 {
		at = len(c.sheets)
		c.sheets = append(c.sheets, sheetChanges{
			source: row.Source, of: d.Resource, place: schema.Place{File: d.Place.File, Sheet: d.Place.Sheet, Column: -1},
		})
	}
	s := &c.sheets[at]
	s.rows++
	if len(s.first) < shownChanges {
		s.first = append(s.first, strconv.Itoa(d.Place.Row))
	}
	for _, field := range c.lacks {
		if !slices.Contains(s.fields, field) {
			s.fields = append(s.fields, field)
		}
	}
	return true
}

// problems returns one warning a sheet.
func (c *onlyChanges) problems() []schema.Problem {
	var list []schema.Problem
	for _, s := range c.sheets {
		rows := "row " + s.first[0]
		if s.rows > 1 {
			rows = "rows " + strings.Join(s.first, ", ")
		}
		if s.rows > len(s.first) {
			rows += ", …"
		}
		list = append(list, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeOnlyChanges, Place: s.place,
			Message: fmt.Sprintf("%s without %s can only change %s that exists: %s",
				report.Count(s.rows, "row"), strings.Join(s.fields, " or "), s.of.Some(), rows),
			Hint: "plan looks their keys up; fill in what a new " + s.of.One + " needs, or set the action to SKIP",
		})
	}
	return list
}
