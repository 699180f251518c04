package mapping

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// TestResult is what came of one test of a mapping file.
type TestResult struct {
	Test     *mapfile.Test
	Failures []string // what is other than expected; none where the test passes
}

// RunTests runs a mapping's own tests: each is a row by itself, read as a row of
// a file with the columns that the mapping names. An order of dates that only a
// whole column could prove has to be said in the mapping. The error is of the
// mapping as a whole.
func RunTests(ctx context.Context, f *mapfile.File, now time.Time) ([]TestResult, error) {
	o, err := (&Config{Mapping: f, Now: now}).options()
	if err != nil {
		return nil, err
	}
	results := make([]TestResult, len(f.Tests))
	for i := range f.Tests {
		results[i] = try(ctx, o, &f.Tests[i])
	}
	return results, nil
}

func try(ctx context.Context, o *options, t *mapfile.Test) TestResult {
	result, f := TestResult{Test: t}, o.mapping
	header, row := testRow(f, t)
	b, problems := bind(o, &binding{columns: columns{file: f.Name(), header: header}}, schema.Place{File: f.Name(), Row: 1, Column: -1})
	problems = slices.DeleteFunc(problems, func(p schema.Problem) bool { return p.Severity != schema.Error })
	draft, skipped := schema.NewDraft(o.Resource, schema.Place{}), ""
	if len(problems) == 0 {
		w := newWorker()
		w.b = b
		skipped = w.read(ctx, row, draft)
		if problems = w.problems; w.lacking != "" {
			column := -1
			if f := b.zoneFeed(); f != nil {
				column = f.column()
			}
			problems = append(problems, schema.Problem{Code: schema.CodeNoZone, Place: w.placeOf(column), Message: w.lacking})
		}
	}
	fail := func(format string, args ...any) {
		result.Failures = append(result.Failures, fmt.Sprintf(format, args...))
	}

	if t.Skip != (skipped != "") {
		fail("skip: expected %t, got %t", t.Skip, skipped != "")
	}
	if t.Error != nil {
		if !slices.ContainsFunc(problems, func(p schema.Problem) bool { return fits(t.Error, p) }) {
			fail("error: expected %s, got %s", errorWords(t.Error), problemWords(problems))
		}
	} else if slices.ContainsFunc(problems, func(p schema.Problem) bool { return p.Severity == schema.Error }) {
		fail("expected no error, got %s", problemWords(problems))
	}
	for _, want := range t.Expect {
		if got := valueOf(draft, want.Key); got != want.Value {
			fail("%s: expected %s, got %s", want.Key, strconv.Quote(want.Value), strconv.Quote(got))
		}
	}
	return result
}

// testRow makes a header of all columns that the mapping reads and a row of the
// cells that the test gives.
func testRow(f *mapfile.File, t *mapfile.Test) (header []string, row *sheet.Row) {
	add := func(name string) {
		if sheet.FindColumn(header, name) < 0 {
			header = append(header, name)
		}
	}
	for i := range f.Tests {
		for _, cell := range f.Tests[i].Given {
			add(cell.Key)
		}
	}
	for _, name := range f.Inputs() {
		others, _ := f.Aliases.Get(name)
		if !slices.ContainsFunc(others, func(other string) bool { return sheet.FindColumn(header, other) >= 0 }) {
			add(name)
		}
	}
	row = &sheet.Row{Number: 2, Cells: make([]sheet.Cell, len(header))}
	for _, cell := range t.Given {
		if i := sheet.FindColumn(header, cell.Key); i >= 0 && cell.Value != "" {
			row.Cells[i] = sheet.Cell{Kind: sheet.Text, Text: cell.Value}
		}
	}
	return header, row
}

// valueOf returns what a draft has for a field in the words of a cell.
func valueOf(d *schema.Draft, path string) string {
	field, ok := d.Resource.ByPath(path)
	if !ok {
		return ""
	}
	switch field.ID {
	case schema.FieldKey:
		return d.Key
	case schema.FieldCalendarID:
		return d.Calendar
	case schema.FieldAction:
		return schema.ActionNames[d.Action]
	}
	switch s := d.Get(field.ID); {
	case s == nil:
		return ""
	case s.State == schema.Clear:
		return clearMark
	case s.Text == "":
		return emptyMark
	default:
		return value.Cell(field, s.Text)
	}
}

func fits(e *mapfile.TestError, p schema.Problem) bool {
	return p.Severity == schema.Error && (e.Code == "" || p.Code == e.Code) && (e.Column == "" ||
		sheet.NormalHeader(p.Place.Header) == sheet.NormalHeader(e.Column))
}

func errorWords(e *mapfile.TestError) string {
	if e.Column == "" {
		return string(e.Code)
	}
	return string(e.Code) + " at " + strconv.Quote(e.Column)
}

func problemWords(problems []schema.Problem) string {
	words := ""
	for _, p := range problems {
		if words != "" {
			words += "; "
		}
		words += string(p.Code)
		if p.Place.Header != "" {
			words += " at " + strconv.Quote(p.Place.Header)
		}
		words += ": " + p.Message
	}
	if words == "" {
		return "none"
	}
	return words
}
