package mapping_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// column is a kind of column of testdata/cells.txt.
type column struct {
	field  schema.ID
	header []string
	row    []string // around the cell, which is the blank one
	order  string
}

var kinds = map[string]column{
	"time":   {catalog.FieldStartAt, []string{"name", "Date", "Time"}, []string{"x", "2027-05-01", ""}, ""},
	"end":    {catalog.FieldEndAt, []string{"name", "Date", "Time", "End time"}, []string{"x", "2027-05-01", "18:00", ""}, ""},
	"date":   {catalog.FieldStartAt, []string{"name", "Date", "Time"}, []string{"x", "", "12:00"}, ""},
	"dmy":    {catalog.FieldStartAt, []string{"name", "Date", "Time"}, []string{"x", "", "12:00"}, "dmy"},
	"mdy":    {catalog.FieldStartAt, []string{"name", "Date", "Time"}, []string{"x", "", "12:00"}, "mdy"},
	"moment": {catalog.FieldStartAt, []string{"name", "start_at"}, []string{"x", ""}, ""},
	"seats":  {catalog.FieldMaxCapacity, []string{"name", "start_at", "max_capacity"}, []string{"x", "2027-05-01T18:00Z", ""}, ""},
	"point": {
		catalog.FieldLatitude,
		[]string{"name", "start_at", "coordinate.longitude", "coordinate.latitude"},
		[]string{"x", "2027-05-01T18:00Z", "1", ""},
		"",
	},
}

// read reads a cell in a file of one row. It returns what it means in the words of
// testdata/cells.txt, and the problem where it is refused.
func (c column) read(t *testing.T, kind, cell string, lines mapfile.Readings) (string, *schema.Problem) {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	row := append([]string(nil), c.row...)
	for i := range row {
		if row[i] == "" {
			row[i] = cell
		}
	}
	if err := w.WriteAll([][]string{c.header, row}); err != nil {
		t.Fatal(err)
	}
	in := file(t, "in.csv", b.String())
	defer func() { _ = os.Remove(in) }() // a hundred tests later there is room
	r, err := mapping.Read(t.Context(), mapping.Config{
		Files: []string{in}, Now: now, Timezone: "UTC", DateOrder: c.order, Workers: 1,
		Mapping: &mapfile.File{Version: mapfile.Version, Reads: lines},
	})
	if err != nil {
		t.Fatalf("%s %q: %v", kind, cell, err)
	}
	meaning, refused := "", (*schema.Problem)(nil)
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Fatalf("%s %q: %v", kind, cell, err)
		}
		for _, p := range result.Problems {
			if p.Severity == schema.Error && refused == nil {
				refused = &p
			}
		}
		meaning = meaningOf(kind, c.field, result.Draft)
	}
	return meaning, refused
}

// meaningOf returns what a draft has for the field of a kind of column.
func meaningOf(kind string, id schema.ID, d *schema.Draft) string {
	s := d.Get(id)
	switch {
	case s == nil:
		return ""
	case s.State == schema.Clear:
		return "<clear>"
	case kind == "seats" || kind == "point":
		return s.Text
	}
	at := time.UnixMilli(s.Instant).UTC()
	layout := map[string]string{"moment": "2006-01-02 15:04", "time": "15:04", "end": "15:04"}[kind]
	if layout == "" {
		layout = time.DateOnly
	}
	text := at.Format(layout)
	start, end := d.Get(catalog.FieldStartAt), d.Get(catalog.FieldEndAt)
	if id == catalog.FieldStartAt && end != nil {
		text += "-" + time.UnixMilli(end.Instant).UTC().Format("15:04")
	}
	if end != nil && time.UnixMilli(end.Instant).UTC().Day() != time.UnixMilli(start.Instant).UTC().Day() {
		text += "+1"
	}
	return text
}

// TestCells reads the cells of testdata/cells.txt, each in a file of one row.
func TestCells(t *testing.T) {
	table, err := os.ReadFile("testdata/cells.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 || seen[parts[0]+parts[1]] {
			t.Fatalf("not a line of its own: %s", line)
		}
		seen[parts[0]+parts[1]] = true
		cell, err := strconv.Unquote(`"` + strings.ReplaceAll(parts[1], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := whatACellMeans(t, parts[0], cell); got != parts[2] {
			t.Errorf("%s: %q is read as %s, not %s", parts[0], cell, got, parts[2])
		}
	}
}

func whatACellMeans(t *testing.T, kind, cell string) string {
	c := kinds[kind]
	meaning, problem := c.read(t, kind, cell, nil)
	switch {
	case problem == nil:
		return meaning
	case problem.Code == schema.CodeAmbiguousDate:
		return "ask"
	}
	p, ok := reads.Propose(catalog.Field(c.field), cell, reads.Evidence{Whole: true, Years: reads.Years{First: 2027}})
	if !ok {
		return "refused"
	}
	line := yamldoc.Map[string]{{Key: p.Example, Value: p.Reading}}
	meaning, problem = c.read(t, kind, cell, mapfile.Readings{{Key: catalog.Path(c.field), Value: line}})
	switch {
	case p.Certain && problem == nil:
		return strings.TrimSpace("map " + meaning)
	case problem != nil:
		meaning = ""
	}
	return strings.TrimSpace("ask " + meaning)
}
