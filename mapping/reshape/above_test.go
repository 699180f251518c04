package reshape

import (
	"slices"
	"testing"

	"eventbatch/mapping/sheet"
)

func TestAboveCompletes(t *testing.T) {
	for _, test := range []struct {
		heading, cell, want string // want is empty where the cell stays as it is
	}{
		{"SEPTIEMBRE 2027", "domingo 5", "domingo 5 SEPTIEMBRE 2027"},
		{"SEPTIEMBRE 2027", "lunes 5", "lunes 5 SEPTIEMBRE 2027"}, // a wrong weekday is told at the cell
		{"September 2027", "31", "31 September 2027"},             // and so is a day that there is not
		{"September", "So 5.", "So 5. September"},
		{"Programm - März 2027", "4.", "4. März 2027"},
		{"March 2027", "5th", "5th March 2027"},
		{"March 2027", "2027-03-04", ""},
		{"March 2027", "4 April", ""},
		{"March 2027", "19:30", ""},
		{"March 2027", "tba", ""},
		{"März 2027", "14./15.3.", "14./15.3.2027"},
		{"März 2027", "20., 21.3.", "20., 21.3.2027"},
		{"März 2027", "26. und 27.3.", "26. und 27.3.2027"},
		{"März 2027", "3./4.", ""},
		{"März 2027", "30.3./1.4.", ""},
		{"März 2027", "14./35.3.", ""},
		{"März 2027", "19h/21h", ""},
		{"Friday 10 September 2027", "9:30 am", "Friday 10 September 2027 9:30 am"},
		{"Friday 10 September 2027", "09:00-10:30", "Friday 10 September 2027 09:00 – 10:30"},
		{"Day 2 (Friday, 10 September 2027)", "noon", "Friday, 10 September 2027 noon"},
		{"10.09.2027", "19 Uhr", "10.09.2027 19 Uhr"},
		{"Friday 10 September 2027", "11 September 2027 09:00", ""},
		{"Friday 10 September 2027", "11 Sept", ""},
	} {
		a, ok := ParseAbove(test.heading)
		if !ok {
			t.Errorf("%q says no date", test.heading)
		}
		cell := sheet.Cell{Kind: sheet.Text, Text: test.cell}
		if got := a.Complete(&cell); got != (test.want != "") || got && cell.Text != test.want {
			t.Errorf("%q above %q: got %q, want %q", test.heading, test.cell, cell.Text, test.want)
		}
	}
	for _, text := range []string{"Main stage", "2027", "Friday", "10", "19:30", "", "Workshops", "Week 36"} {
		if a, ok := ParseAbove(text); ok {
			t.Errorf("%q says a date: %q", text, a.String())
		}
	}
	a, _ := ParseAbove("2027-09-10")
	clock := sheet.Cell{Kind: sheet.Date, Text: "0.4375"}
	if a.Complete(&clock); clock.Text != "2027-09-10 10:30:00" {
		t.Errorf("a time of a workbook becomes %q", clock.Text)
	}
}

// A year in a row of its own is that of the dates below it, up to the next one. Above a header it may be that of a season.
func TestAYearAbove(t *testing.T) {
	layout := NewLayout([]string{"Nr", "Date", "Title"}, []int{2}, []int{1}, false)
	sieve := NewSieve(SieveConfig{Layout: layout, Fill: []Fill{{Column: 1, Heading: true}}})
	year := row(4, "", "2028")
	year.Cells[1].Kind = sheet.Number
	rows, _ := sieve.Rows([]sheet.Row{
		row(2, "", "2027"), row(3, "1", "Thu 7 Oct", "Tea"), year, row(5, "2", "6 Jan 2029", "Walk"), row(6, "3", "6 Jan", "Run"),
		row(7, "", "", "2029"), row(8, "4", "7 Jan", "Swim"),
	})
	var got []string
	for i := range rows {
		got = append(got, rows[i].Cells[1].Text)
	}
	if want := []string{"Thu 7 Oct 2027", "6 Jan 2029", "6 Jan 2028", "", "7 Jan"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	title := row(1, "2027")
	if date := layout.Title(&title, false); date != (Above{}) {
		t.Errorf("a title says %q", date.String())
	}
}

// A heading that names a date and cannot be read ends what the one before has said.
func TestAboveEnds(t *testing.T) {
	layout := NewLayout([]string{"Day", "Time", "Title"}, []int{2}, []int{0, 1}, false)
	sieve := NewSieve(SieveConfig{Layout: layout, Fill: []Fill{{Column: 0, Heading: true}}})
	rows, carried := sieve.Rows([]sheet.Row{
		row(2, "March 2027"), row(3, "4", "10:00", "Tea"), row(4, "Outdoors"), row(5, "5", "10:00", "Walk"),
		row(7, "Spring of 2028"), row(8, "6", "10:00", "Run"),
	})
	var got []string
	for i := range rows {
		got = append(got, rows[i].Cells[0].Text)
	}
	want := []string{"4 March 2027", "Outdoors", "5 March 2027", "Spring of 2028", "6"}
	if len(got) != len(want) || len(carried) != 2 || carried[1] != (Carried{5, 0, 2, true}) {
		t.Fatalf("got %q, %v", got, carried)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestWhatStandsAboveASheet(t *testing.T) {
	layout := NewLayout([]string{"Tag", "Zeit", "Titel"}, []int{2}, []int{0}, false)
	row := func(text string) *sheet.Row {
		return &sheet.Row{Number: 1, Cells: []sheet.Cell{{Kind: sheet.Text, Text: text}}}
	}
	for _, c := range []struct {
		title *sheet.Row
		name  string
		want  string
	}{
		{nil, "September 2027", "September 2027"},
		{nil, "Oktober", "Oktober"},
		{nil, "Programm", ""},
		{nil, "Plan März 2027", ""},
		{nil, "3. September 2027", "3. September 2027"},
		{nil, "Stand 3. September 2027", ""},
		{row("Mai 2027"), "Juni 2027", "Mai 2027"},
		{row("Programm"), "Juni 2027", "Juni 2027"},
	} {
		if got := layout.Titled(c.title, c.name, false); got.String() != c.want {
			t.Errorf("above the rows of %q stands %q, want %q", c.name, got.String(), c.want)
		}
	}
}
