package reshape

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

func row(number int, texts ...string) sheet.Row {
	r := sheet.Row{Number: number, Line: number + 10}
	for _, text := range texts {
		cell := sheet.Cell{Text: text}
		if text != "" {
			cell.Kind = sheet.Text
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

// shown gives rows as number, cells, and in brackets what is noted.
func shown(s *Shaper, rows ...sheet.Row) (all []string) {
	for out, notes := range s.Rows(rows) {
		for i := range out {
			var texts []string
			for _, cell := range out[i].Cells {
				texts = append(texts, cell.Text)
			}
			words := []string{fmt.Sprint(out[i].Number), strings.Join(texts, "|")}
			if notes[i].Skip != "" {
				words = append(words, "["+notes[i].Skip+"]")
			}
			for _, p := range notes[i].Problems {
				words = append(words, fmt.Sprintf("[%d %s: %s]", p.Place.Column, p.Code, p.Message))
			}
			all = append(all, strings.Join(words, " "))
		}
	}
	return all
}

func TestGroup(t *testing.T) {
	got := shown(New(Shape{Width: 3, Group: &Group{Columns: []int{0}, Compare: []int{1}}}),
		row(2, "a", "Tea", "x"), row(3, "b", "Cake"), row(5, "a", "Tea", "y"), row(6, " a ", "Coffee"),
		row(7, "", "Alone"), row(8, "", "Alone"), row(9, "b"))
	want := []string{
		"2 a|Tea|x", "3 b|Cake|", "5 a|Tea|y [same event as row 2]",
		`6  a |Coffee| [same event as row 2] [1 group-differs: row 2 is the same event and says "Tea", which is read]`,
		"7 |Alone|", "8 |Alone|",
		`9 b|| [same event as row 3] [1 group-differs: row 3 is the same event and says "Cake", which is read]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	starts := shown(New(Shape{Width: 2, Group: &Group{Columns: []int{0}, Compare: []int{1}, Starts: []int{1}}}),
		row(2, "a", "3 May"), row(3, "a", ""), row(4, "a", "10 May"))
	want = []string{
		"2 a|3 May",
		`3 a| [same event as row 2] [1 group-differs: row 2 is the same event and says "3 May", which is read]`,
		`4 a|10 May [same event as row 2] [1 group-differs: row 2 is the same event and starts otherwise: "3 May"]`,
	}
	if diff := cmp.Diff(want, starts); diff != "" {
		t.Error(diff)
	}
	dressed := shown(New(Shape{Width: 2, Group: &Group{Columns: []int{0}, Compare: []int{1}, Starts: []int{1}}}),
		row(2, "a", "01.05.2027 19:00"), row(3, "a", "2027-05-01 19:00"), row(4, "a", "01.05.2027 20:00"))
	want = []string{
		"2 a|01.05.2027 19:00",
		`3 a|2027-05-01 19:00 [same event as row 2] [1 group-differs: row 2 is the same event and says "01.05.2027 19:00", which is read]`,
		`4 a|01.05.2027 20:00 [same event as row 2] [1 group-differs: row 2 is the same event and starts otherwise: "01.05.2027 19:00"]`,
	}
	if diff := cmp.Diff(want, dressed); diff != "" {
		t.Error(diff)
	}
	two := shown(New(Shape{Width: 2, Group: &Group{Columns: []int{0, 1}}}), row(2, "a", "bc"), row(3, "ab", "c"), row(4, "a", "bc"))
	if diff := cmp.Diff([]string{"2 a|bc", "3 ab|c", "4 a|bc [same event as row 2]"}, two); diff != "" {
		t.Error(diff)
	}
	named := shown(New(Shape{Width: 3, Group: &Group{Columns: []int{0, 1, 2}, Names: []int{1, 2}, One: "ticket type"}}),
		row(2, "conf", "Dinner", ""), row(3, "conf", "Dinner", ""), row(4, "conf", "", ""), row(5, "conf", "", ""))
	want = []string{"2 conf|Dinner|", "3 conf|Dinner| [same ticket type as row 2]", "4 conf||", "5 conf||"}
	if diff := cmp.Diff(want, named); diff != "" {
		t.Error(diff)
	}
}

// The lists of a group have the items of all its rows that count, wherever these stand.
func TestListsOfGroups(t *testing.T) {
	rows := []sheet.Row{
		row(2, "a", "Seat"), row(3, "b", ""), row(4, "a", " VIP "), row(5, "", "Seat"), row(6, "a", "no"), row(7, "a", "Seat"),
	}
	s := New(Shape{
		Width: 2, Group: &Group{Columns: []int{0}, Lists: []List{{Columns: []int{1}}}, Times: -1},
		Admit: func(r *sheet.Row) bool { return r.Cells[1].Text != "no" },
	})
	for i := range rows {
		s.Collect(&rows[i])
	}
	want := []string{
		"2 a|Seat; VIP; Seat", "3 b|", "4 a| VIP  [same event as row 2]", "5 |Seat", "6 a|no", "7 a|Seat [same event as row 2]",
	}
	if diff := cmp.Diff(want, shown(s, rows...)); diff != "" {
		t.Error(diff)
	}
}

// A row that is not admitted makes no event that a later row would be left out for.
func TestGroupOfAdmittedRows(t *testing.T) {
	s := New(Shape{Width: 2, Group: &Group{Columns: []int{0}}, Admit: func(r *sheet.Row) bool { return r.Cells[1].Text != "no" }})
	got := shown(s, row(2, "a", "no"), row(3, "a", "yes"), row(4, "a", "no"), row(5, "a", "yes"))
	if diff := cmp.Diff([]string{"2 a|no", "3 a|yes", "4 a|no", "5 a|yes [same event as row 3]"}, got); diff != "" {
		t.Error(diff)
	}
}

// A row that the file could not give whole keeps its problem: it is no row of a group.
func TestRowsThatCannotBeReadStandForThemselves(t *testing.T) {
	bad := row(3, "a", "x")
	bad.Problem = &schema.Problem{Code: schema.CodeBadEvent}
	s := New(Shape{Width: 2, Group: &Group{Columns: []int{0}}})
	got := shown(s, row(2, "a", "x"), bad, row(4, "a", "x"))
	if diff := cmp.Diff([]string{"2 a|x", "3 a|x", "4 a|x [same event as row 2]"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestJoin(t *testing.T) {
	table := &Table{File: "venues.csv", Key: "Name", fold: strings.ToLower, rows: map[string]*record{
		"hall": {row: 3, cells: []sheet.Cell{{Kind: sheet.Text, Text: "Leeds"}, {Kind: sheet.Number, Text: "80"}}},
	}}
	s := New(Shape{Width: 2, Joins: []Join{{Column: 1, Table: table, Columns: []int{0, 1}}, {Column: 0, Columns: []int{0}}}})
	got := shown(s, row(2, "Tea", "HALL"), row(3, "Tea", "Barn", "beyond", "the header"), row(4, "Tea"))
	want := []string{
		"2 Tea|HALL|Leeds|80|",
		`3 Tea|Barn||||beyond|the header [1 not-in-table: "Barn" is not among the rows of venues.csv]`,
		"4 Tea||||",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A key that is written like a row's text goes before one that is only folded to the
// same, wherever it stands.
func TestJoinPrefersTheSameLetters(t *testing.T) {
	table := &Table{fold: strings.ToLower, rows: map[string]*record{}, others: map[string]*record{}}
	for _, key := range []string{"Hall", "HALL", "Hall", "HALL"} {
		table.add(&record{key: key, cells: []sheet.Cell{{Kind: sheet.Text, Text: "of " + key}}})
	}
	got := shown(New(Shape{Width: 1, Joins: []Join{{Table: table, Columns: []int{0}}}}), row(2, "Hall"), row(3, "HALL"), row(4, "hall"))
	if diff := cmp.Diff([]string{"2 Hall|of Hall", "3 HALL|of HALL", "4 hall|of Hall"}, got); diff != "" {
		t.Error(diff)
	}
	if taken := table.add(&record{key: "HALL"}); taken == nil || taken.key != "HALL" {
		t.Error(taken)
	}
}

func weekly() *Unroll {
	return &Unroll{
		Days: 0, Frequency: -1, Interval: -1, Start: 1, Until: 2, End: 2, StartClock: 3, EndClock: 4, Key: 5, Limit: 100,
		Order: func(int, string) datetime.Order { return datetime.MonthFirst },
	}
}

func TestUnroll(t *testing.T) {
	frequent := weekly()
	frequent.Frequency, frequent.Interval, frequent.End, frequent.StartClock, frequent.EndClock, frequent.Key = 3, 4, 5, -1, -1, -1
	tests := []struct {
		name   string
		unroll *Unroll
		cells  []string
		want   []string
	}{
		{"weekdays", weekly(), []string{"M,W", "2027-04-05", "2027-04-14", "10:00", "11:00", "k"}, []string{
			"2 |2027-04-05|2027-04-05|10:00|11:00|k@2027-04-05", "2 |2027-04-07|2027-04-07|10:00|11:00|k@2027-04-07",
			"2 |2027-04-12|2027-04-12|10:00|11:00|k@2027-04-12", "2 |2027-04-14|2027-04-14|10:00|11:00|k@2027-04-14",
		}},
		{"past midnight", weekly(), []string{"F", "4/2/2027", "4/9/2027", "9 PM", "1 AM", ""}, []string{
			"2 |2027-04-02|2027-04-03|9 PM|1 AM|", "2 |2027-04-09|2027-04-10|9 PM|1 AM|",
		}},
		{
			"ends when it begins", weekly(),
			[]string{"M", "2027-04-05", "2027-04-05", "18:00", "18:00", ""},
			[]string{"2 |2027-04-05|2027-04-05|18:00|18:00|"},
		},
		{"an offset on several days", frequent, []string{"", "2027-03-08T18:00-05:00", "2027-03-15", "weekly", "", ""}, []string{
			"2 |2027-03-08T18:00-05:00|2027-03-15|weekly|| [1 bad-recurrence: the time has an offset, which may be another on the other " +
				"days of a repeated event]",
		}},
		{
			"an offset on one day", frequent,
			[]string{"", "2027-03-08T18:00-05:00", "2027-03-12", "weekly", "", ""},
			[]string{"2 |2027-03-08 18:00:00-05:00||||"},
		},
		{
			"once", weekly(),
			[]string{"", "2027-04-05", "2027-04-14", "10:00", "11:00", "k"},
			[]string{"2 |2027-04-05|2027-04-14|10:00|11:00|k"},
		},
		{"every second week", frequent, []string{"2", "04/06/2027 18:30", "05/31/2027", "weekly", "2", "04/07/2027 01:00"}, []string{
			"2 |2027-04-06 18:30:00||||2027-04-07 01:00:00", "2 |2027-04-20 18:30:00||||2027-04-21 01:00:00",
			"2 |2027-05-04 18:30:00||||2027-05-05 01:00:00", "2 |2027-05-18 18:30:00||||2027-05-19 01:00:00",
		}},
		{
			"weeks begin on Monday", frequent,
			[]string{"Su,M", "2027-04-07", "2027-04-26", "weekly", "2", ""},
			[]string{"2 |2027-04-11||||", "2 |2027-04-19||||", "2 |2027-04-25||||"},
		},
		{
			"weekly on the day it begins", frequent,
			[]string{"", "2027-04-06", "2027-04-13", "Weekly", "", ""},
			[]string{"2 |2027-04-06||||", "2 |2027-04-13||||"},
		},
		{
			"every third day", frequent,
			[]string{"", "2027-04-06", "2027-04-12", "daily", "3", ""},
			[]string{"2 |2027-04-06||||", "2 |2027-04-09||||", "2 |2027-04-12||||"},
		},
		{
			"each second week in words", frequent,
			[]string{"", "2027-04-06", "2027-04-24", "alle 14 Tage", "", ""},
			[]string{"2 |2027-04-06||||", "2 |2027-04-20||||"},
		},
		{"once in words", frequent, []string{"1", "2027-04-06", "", "einmalig", "", ""}, []string{"2 1|2027-04-06||einmalig||"}},
		{"another day than the first", frequent, []string{"1", "2027-04-06", "2027-04-24", "jeden Montag", "", ""}, []string{
			`2 1|2027-04-06|2027-04-24|jeden Montag|| [3 bad-recurrence: "jeden Montag" is another day of the week than the first day]`,
		}},
		{"monthly", frequent, []string{"1", "2027-04-06", "2027-04-12", "monthly", "", ""}, []string{
			`2 1|2027-04-06|2027-04-12|monthly|| [3 bad-recurrence: "monthly" events are not unrolled]`,
		}},
		{"no interval", frequent, []string{"1", "2027-04-06", "2027-04-12", "weekly", "-1", ""}, []string{
			`2 1|2027-04-06|2027-04-12|weekly|-1| [4 bad-recurrence: "-1" is not an interval]`,
		}},
		{"a week too many years", frequent, []string{"1", "2027-04-06", "9999-04-12", "weekly", "", ""}, []string{
			`2 1|2027-04-06|9999-04-12|weekly|| [2 bad-recurrence: the last day is 7972 years after the first]`,
		}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, shown(New(Shape{Width: 6, Unroll: tt.unroll}), row(2, tt.cells...))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// Whatever is done to rows, each is given out, in order, in chunks that are not large.
func TestNoRowIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := Shape{Width: 6, Unroll: weekly()}
		if rapid.Bool().Draw(t, "group") {
			shape.Group = &Group{Columns: []int{5}, Compare: []int{0, 1}}
		}
		var rows []sheet.Row
		for n := range rapid.IntRange(0, 40).Draw(t, "rows") {
			rows = append(rows, row(n+2,
				rapid.SampledFrom([]string{"", "M", "Su,M,T,W,Th,F,Sa", "X"}).Draw(t, "days"), "2027-04-05",
				rapid.SampledFrom([]string{"2027-05-05", "2027-04-01", "soon"}).Draw(t, "until"), "", "",
				rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key")))
		}
		before, seen := 0, map[int]bool{}
		for out, notes := range New(shape).Rows(rows) {
			if len(out) != len(notes) || len(out) == 0 || len(out) > chunkRows {
				t.Fatal(len(out), len(notes))
			}
			for _, r := range out {
				if r.Number < before {
					t.Fatal("out of order")
				}
				before, seen[r.Number] = r.Number, true
			}
		}
		if len(seen) != len(rows) {
			t.Fatalf("%d of %d rows", len(seen), len(rows))
		}
	})
}

func TestParseWeekdays(t *testing.T) {
	tests := []struct {
		text string
		want string // the days in letters, empty where the text is none
	}{
		{"Su,M,T,W,Th,F,Sa", "SMTWTFS"},
		{"M, W", " M W   "},
		{"tuesday thursday", "  T T  "},
		{"MO;WE;FR", " M W F "},
		{"1,3", " M W   "},
		{"Mondays", " M     "},
		{"weekends", "S     S"},
		{"Th", "    T  "},
		{"", ""},
		{"X", ""},
		{"M,X", ""},
		{"7", ""},
		{"s", ""},
		{",", ""},
	}
	for _, tt := range tests {
		days, ok := parseWeekdays(tt.text)
		got := []byte("       ")
		for i := range 7 {
			if days.Has(i) {
				got[i] = "SMTWTFS"[i]
			}
		}
		if ok != (tt.want != "") || ok && string(got) != tt.want {
			t.Errorf("%q: %q %v", tt.text, got, ok)
		}
	}
}

func FuzzParseWeekdays(f *testing.F) {
	f.Add("Su,M,T,W,Th,F,Sa")
	f.Add("1;3 weekdays")
	f.Fuzz(func(t *testing.T, text string) {
		days, ok := parseWeekdays(text)
		if ok != (days != 0 && days>>7 == 0) && ok {
			t.Errorf("%q: %b", text, days)
		}
		if again, ok2 := parseWeekdays(strings.ToUpper(text)); ok && text == strings.ToLower(text) &&
			len(text) == len(strings.ToUpper(text)) && (again != days || !ok2) {
			t.Errorf("%q means something else in capitals", text)
		}
	})
}

func FuzzUnroll(f *testing.F) {
	f.Add("M,W", "2027-04-05", "2027-05-05", "10:00", "11:00")
	f.Add("F", "4/2/2027", "4/30/2027", "9 PM", "1 AM")
	f.Fuzz(func(t *testing.T, days, start, until, from, to string) {
		n := 0
		for out, notes := range New(Shape{Width: 6, Unroll: weekly()}).Rows([]sheet.Row{row(2, days, start, until, from, to, "k")}) {
			for i := range out {
				n++
				unrolled := out[i].Cells[0].Text == "" && strings.TrimSpace(days) != ""
				if unrolled && !strings.HasPrefix(
					out[i].Cells[5].Text, "k@",
				) || !unrolled && strings.TrimSpace(days) != "" && len(notes[i].Problems) == 0 {
					t.Errorf("%v", out[i].Cells)
				}
			}
		}
		if n == 0 || n > 100 {
			t.Errorf("%d rows", n)
		}
	})
}
