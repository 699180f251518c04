package match_test

import (
	"strconv"
	"strings"
	"testing"

	"eventbatch/mapping/match"
	"eventbatch/mapping/sheet"
)

func TestTheHeaderIsFoundBelowATitle(t *testing.T) {
	row := func(number int, cells ...string) sheet.Row {
		r := sheet.Row{Number: number}
		for _, text := range cells {
			r.Cells = append(r.Cells, sheet.Cell{Kind: sheet.Text, Text: text})
		}
		return r
	}
	for _, c := range []struct {
		name string
		rows []sheet.Row
		want int
	}{
		{"first", []sheet.Row{row(1, "Title", "Start"), row(2, "a", "b")}, 0},
		{"below a title", []sheet.Row{row(1, "Spring programme"), row(3, "Titel", "Datum", "Ort"), row(4, "a", "b", "c")}, 1},
		{
			"of words that nobody knows",
			[]sheet.Row{row(1, "Spring programme"), row(2, "Foo", "Bar", "Baz"), row(3, "x", "x", "2027-01-01")},
			1,
		},
		{"none", []sheet.Row{row(1, "2027-01-01", "18:00")}, -1},
		{"of an empty sheet", nil, -1},
	} {
		if got, _ := match.Header(c.rows); got != c.want {
			t.Errorf("%s: row %d, want %d", c.name, got, c.want)
		}
	}
}

// What is kept of a file does not grow with it, and its last row still counts.
func TestALongFileIsReadToItsEnd(t *testing.T) {
	columns := match.NewColumns([]string{"Title", "Start", "Ref"}, false)
	add := func(number int, cells ...string) {
		r := sheet.Row{Number: number}
		for _, text := range cells {
			r.Cells = append(r.Cells, sheet.Cell{Kind: sheet.Text, Text: text})
		}
		columns.Add(&r)
	}
	for i := range 20_000 {
		add(i+2, "Tea "+strconv.Itoa(i), "03/04/2027 18:00", "r"+strconv.Itoa(i))
	}
	add(20_002, "Last", "25/04/2027 18:00", "last")
	p := columns.Propose(match.Config{Answers: map[string]string{"timezone": "Europe/Paris"}})
	text := written(t, p)
	for _, want := range []string{"date_order: dmy", "row 20002", "key: Ref"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	columns := match.NewColumns([]string{"Title", "Start", "Ref", "Venue", "Description"}, false)
	r := sheet.Row{Number: 2}
	for _, text := range []string{"Spring tea", "03/04/2027 18:00", "r-1", "Town Hall, 1 High Street", "Tea, cake and talk for everyone"} {
		r.Cells = append(r.Cells, sheet.Cell{Kind: sheet.Text, Text: text})
	}
	for b.Loop() {
		columns.Add(&r)
	}
}

func BenchmarkPropose(b *testing.B) {
	var columns []*match.Columns
	for _, set := range headerSets(b) {
		columns = append(columns, gatherRecords(set.records))
	}
	for b.Loop() {
		for _, c := range columns {
			c.Propose(match.Config{})
		}
	}
}
