package mapping

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// lacksZone is what a row lacks whose time zone nothing in the file says.
const lacksZone = "nothing says its time zone"

// noZone reports that the row needs a time zone and names none: at its cell where other
// rows of the column have one, otherwise as a lack of the whole file.
func (w *worker) noZone(ctx context.Context) {
	f := w.b.zoneFeed()
	if w.b.zoneless(ctx) {
		w.lacking = lacksZone
		return
	}
	w.fault(catalog.Field(catalog.FieldTimezone), f.column(), w.cell(f.column()), &schema.Fault{
		Code: schema.CodeNoZone, Message: "the row has no time zone",
		Hint: "fill the cell, or say --timezone with a zone such as Europe/Berlin for the rows that have none",
	})
}

// fixedZone warns of a zone that is written as an offset: it has no summer time.
func (w *faults) fixedZone(column int) {
	text := w.cell(column)
	if message, hint := offsetOnly(text); message != "" {
		w.problems = append(w.problems, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeFixedZone, Field: catalog.Path(catalog.FieldTimezone), Place: w.placeOf(column),
			Value:   text,
			Message: message, Hint: hint,
		})
	}
}

// offsetOnly returns what to say of a zone that is written as an offset such as UTC+1,
// nothing of any other.
func offsetOnly(zone string) (message, hint string) {
	if !datetime.FixedOffset(zone) {
		return "", ""
	}
	hint = "where the clocks change in summer, name the place's zone"
	if found, _ := datetime.FindZones(zone); len(found) > 1 {
		hint += ", such as " + strings.Join(found[1:min(len(found), 4)], ", ")
	}
	return quoted(strings.TrimSpace(zone)) + " is taken for what it says: it has no summer time", hint
}

// zoneFeed returns what feeds the rows' time zone, nil where nothing does.
func (b *binding) zoneFeed() *feed {
	if f := b.options.Resource.Zone(); f != nil {
		return b.byID[f.ID]
	}
	return nil
}

// zoneless reports whether nothing in the source says a zone.
func (b *binding) zoneless(ctx context.Context) bool {
	f := b.zoneFeed()
	return f == nil || len(f.columns) > 0 && !b.dates.filled(ctx, f.columns[0])
}

// Lacks reports whether what a plan found wrong with a row is a lack of the whole file.
// It is then among the Reading's problems, and need not be told of the row.
func (r *sources) Lacks(ctx context.Context, row *Result, p *schema.Problem) bool {
	if p.Code != schema.CodeMissingValue || p.Field != catalog.Path(catalog.FieldTimezone) || !r.bindings[row.Source].zoneless(ctx) {
		return false
	}
	r.lacks(row)
	return true
}

// zoneLack is the rows of a source that lack a time zone.
type zoneLack struct {
	rows  int
	first []string // their numbers, as far as they are named
}

// namedRows is how many rows are named in one message.
const namedRows = 5

// lacks counts a row that lacks what the whole file does.
func (r *sources) lacks(result *Result) {
	for len(r.zoneless) <= result.Source {
		r.zoneless = append(r.zoneless, zoneLack{})
	}
	z := &r.zoneless[result.Source]
	if z.rows++; len(z.first) < namedRows {
		z.first = append(z.first, strconv.Itoa(result.Draft.Place.Row))
	}
}

// lackOfZones tells once for each source how many rows lack a time zone.
func (r *sources) lackOfZones() {
	for i, z := range r.zoneless {
		if z.rows == 0 {
			continue
		}
		source := &r.sheets[i]
		message := fmt.Sprintf("nothing says the time zone of any of the %d rows", source.Rows)
		switch {
		case source.Rows == 1:
			message = "nothing says the time zone of the one row"
		case z.rows < source.Rows:
			named := strings.Join(z.first, ", ")
			if more := z.rows - len(z.first); more > 0 {
				named += fmt.Sprintf(" and %d more", more)
			}
			message = fmt.Sprintf("nothing says the time zone of %d of %d rows (%s)", z.rows, source.Rows, named)
		}
		r.problems = append(r.problems, schema.Problem{
			Code: schema.CodeNoZone, Field: catalog.Path(catalog.FieldTimezone),
			Place:   schema.Place{File: source.File, Sheet: source.Sheet, Column: -1},
			Message: message, Hint: "say --timezone with a zone such as Europe/Berlin, or add a column timezone",
		})
	}
}
