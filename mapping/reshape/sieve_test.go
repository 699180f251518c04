package reshape

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/sheet"
)

func TestKind(t *testing.T) {
	layout := NewLayout([]string{"Nr", "Title", "Date", "Seats", "_eventbatch"}, []int{1}, []int{2}, false)
	for _, test := range []struct {
		cells string
		want  Kind
	}{
		{"1|Tea|2027-03-04|40", Data},
		{"|Total|2027-03-04|40", Data}, // an event of that name
		{"1|Tea||40", Data},            // its start is missing, which is an error
		{"||2027-03-04|", Heading},     // a day alone
		{"March 2027", Heading},
		{"March 2027||||heading, left out", Heading}, // of an annotated copy
		{"|Main stage", Heading},
		{"Main stage|||40", Data},
		{"#1", Heading},
		{"TOTAL|||240", Total},
		{"Total:|||", Total},
		{"Summe Plätze|||1.240", Total},
		{"Summer school|||1.240", Data},
		{"|||1 240", Total},
		{"17", Total}, // a number prepared for a row
		{"|1984||", Data},
		{"Nr|Title|Date|Seats", Header},
		{"NR| title |DATE|", Header},
		{"Nr", Heading},
		{"---|---|---|---", Separator},
		{"· · ·", Separator},
		{"***|Tea||", Data},
		{"", Data},
	} {
		r := row(5, strings.Split(test.cells, "|")...)
		if got := layout.Kind(&r); got != test.want {
			t.Errorf("%q: got %s, want %s", test.cells, got.One(), test.want.One())
		}
	}
	formula := sheet.Row{Number: 9, Cells: []sheet.Cell{
		{Kind: sheet.Text, Text: "Gesamt"}, {}, {}, {Kind: sheet.NoCache, Text: "SUM(D2:D8)"},
	}}
	if got := layout.Kind(&formula); got != Total {
		t.Errorf("a sum without a result: %s", got.One())
	}
	filled := NewLayout([]string{"Nr", "Title", "Date", "Seats"}, []int{1}, []int{2}, true)
	r := row(5, "", "Main stage")
	if got := filled.Kind(&r); got != Data {
		t.Errorf("a name alone below a day that is carried down may be an event: %s", got.One())
	}
	narrow := NewLayout([]string{"Title"}, []int{0}, []int{0}, false)
	if got := narrow.Kind(&r); got != Data {
		t.Errorf("of one column every cell is alone: %s", got.One())
	}
}

// sieved gives rows as number and cells, with what was carried and left out.
func sieved(s *Sieve, rows ...sheet.Row) []string {
	var all []string
	kept, carried := s.Rows(rows)
	for _, r := range kept {
		var texts []string
		for _, cell := range r.Cells {
			texts = append(texts, cell.Text)
		}
		words := []string{fmt.Sprint(r.Number), strings.Join(texts, "|")}
		for _, c := range carried {
			if c.Row == r.Number {
				words = append(words, fmt.Sprintf("[%d from %d]", c.Column, c.From))
			}
		}
		all = append(all, strings.Join(words, " "))
	}
	for _, l := range s.LeftOut() {
		all = append(all, l.String())
	}
	return all
}

func TestSieve(t *testing.T) {
	header := []string{"Day", "Title", "Room"}
	s := NewSieve(SieveConfig{
		Layout: NewLayout(header, []int{1}, []int{0}, true), Skip: []Kind{Heading, Separator, Hidden},
		Fill: []Fill{{Column: 0, Down: true}, {Column: 2, Down: true}},
	})
	hidden := row(8, "", "Secret")
	hidden.Hidden = true
	got := sieved(s,
		row(2, "March 2027"),
		row(3, "", "no day above", "Hall"), // a heading is not carried
		row(4, "Thu", "Tea"), row(5, "", "Cake", "Bar"), row(6, "", "Talk"),
		row(7, "---", "---"),
		hidden,
		row(9, "Fri", "Quiz"), row(10, "", "Dance"),
		row(12, "", "behind a blank row"),
	)
	want := []string{
		"3 |no day above|Hall", "4 Thu|Tea|Hall [2 from 3]", "5 Thu|Cake|Bar [0 from 4]", "6 Thu|Talk|Bar [0 from 4] [2 from 5]",
		"9 Fri|Quiz", "10 Fri|Dance [0 from 9]", "12 |behind a blank row",
		"1 row is a heading and left out: 2 (March 2027)", "1 row is a separator and left out: 7",
		"1 row is hidden and left out: 8 (Secret)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLeftOutIsNotListedWithoutEnd(t *testing.T) {
	l := LeftOut{Kind: Separator}
	for n := range 50_000 {
		l.Add(n+1, "")
	}
	if text := l.String(); len(text) > 200 || !strings.HasPrefix(text, "50000 rows are separators") || !strings.HasSuffix(text, ", …") {
		t.Error(text)
	}
	if len(l.Rows) != leftOutRows {
		t.Error(len(l.Rows))
	}
}

func TestGrid(t *testing.T) {
	got := shown(New(Shape{Width: 3, Grid: &Grid{Columns: []int{1, 2}, Headings: []string{"Hall", "Bar"}}}),
		row(2, "9:00", "Opening", "Tea"), row(3, "12:00"), row(4, "14:00", "", "Quiz"))
	want := []string{
		"2 9:00|Opening||Hall|Opening", "2 9:00||Tea|Bar|Tea", "3 12:00|||| [no cell of the grid is filled]", "4 14:00||Quiz|Bar|Quiz",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
