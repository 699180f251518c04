package match_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/mapping/match"
)

const theatre = "Datum;Zeit;Titel;TZ\n3.9.;20:00;Auftakt;UTC\n12.11.;20:00;Jazz;UTC\n15.1.;20:00;Neujahr;UTC\n20.5.;20:00;Finale;UTC\n"

var november = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// Dates without a year that go back by months between two rows are of two years.
func TestTheYearOfDatesWithoutOne(t *testing.T) {
	for _, c := range []struct {
		name, dates, about string
		asked, offered     string // the cell, and what Enter takes
		also               string // a choice
	}{
		{"a season", "3.9.|12.11.|15.1.|20.5.", "", "3.9.", "", "year 2027/28 from September"},
		{"a season of which the file has another date", "3.9.|12.11.|15.1.|20.5.|1.6.2028", "", "3.9.", "year 2027/28 from September", ""},
		{"all of it to come", "3.12.|12.2.", "", "3.12.", "", "year 2026 from January"},
		{"a season that is over", "3.9.|5.9.|1.10.|2.1.", "Saison 2024/25", "3.9.", "", "year 2026/27 from September"},
		{"a season that the file names", "Sep 3|Oct 4|Jan 2", "Season 2027/28", "Sep 3", "year 2027/28 from September", ""},
		{"in American numbers", "9/4|9/25|1/15", "", "9/4", "", "year 2026 from January"},
		{"the spring of next year", "3.3.|12.4.|20.5.", "", "3.3.", "year 2027", ""},
		{"some dates of this year are over", "3.3.|12.4.|24.11.", "", "3.3.", "", "year 2027"},
		{"this year's last months", "24.11.|3.12.", "", "24.11.", "year 2026", ""},
		{"two dates prove little", "10.6.|4.3.", "", "10.6.", "", "year 2026/27 from June"},
		{"rows in no order", "3.9.|12.4.|15.8.|20.5.|4.2.", "", "3.9.", "", "year 2026 from January"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("Titel,Datum,Zeit,TZ\n")
			for date := range strings.SplitSeq(c.dates, "|") {
				text.WriteString("a," + date + ",20:00,UTC\n")
			}
			p := gather(t, text.String()).Propose(match.Config{Now: november, About: c.about})
			q := asked(p, "start_at:"+c.asked)
			if q == nil || p.Open() != 1 || q.Default != c.offered {
				t.Fatalf("open are %+v", p.Questions)
			}
			if c.also != "" && !slices.ContainsFunc(q.Choices, func(choice match.Choice) bool { return choice.Value == c.also }) {
				t.Errorf("the choices are %+v", q.Choices)
			}
		})
	}
}

// Days of the week prove a year, in the cell of a date or in a column of their own. They prove the order of day and
// month too, and where they contradict all orders and years, the date is asked for.
func TestDaysOfTheWeekAreWitnesses(t *testing.T) {
	for _, c := range []struct{ file, has, open string }{
		{
			"Titel,Datum,Zeit\na,\"Sat, Sep 4\",20:00\nb,\"Sun, Sep 5\",20:00\nc,\"Sat, Jan 15\",20:00\n",
			"Sat, Sep 4: year 2027/28 from September", "",
		},
		{"Tag,Datum,Zeit,Titel\nSa,4.9.,20:00,a\nFr,12.11.,20:00,b\nSa,15.1.,20:00,c\n", "4.9.: year 2027/28 from September", ""},
		{"Tag,Datum,Zeit,Titel\nSa,4.9.,20:00,a\nFr,12.11.,20:00,b\nFr,15.1.,20:00,c\n", "", "start_at:4.9."},
		{"Day,Date,Time,Title\nSat,04/09/2027,19:30,a\nSun,05/09/2027,19:30,b\n", "date_order: dmy", ""},
		{"Day,Date,Time,Title\nFri,04/09/2027,19:30,a\nMon,06/09/2027,19:30,b\n", "", "date_order"},
		{"Day,Date,Time,Title\nMon,04/09/2027,19:30,a\nMon,05/09/2027,19:30,b\n", "", "date_order"},
	} {
		p := gather(t, c.file).Propose(match.Config{Now: november, Answers: map[string]string{"timezone": "UTC"}})
		var open []string
		for _, q := range p.Questions {
			if !q.Optional {
				open = append(open, q.ID)
			}
		}
		if text := written(t, p); !strings.Contains(text, c.has) || strings.Join(open, " ") != c.open {
			t.Errorf("open are %q in\n%s", open, text)
		}
	}
}

func TestOneYearIsNoAnswerForASeason(t *testing.T) {
	columns := gather(t, strings.ReplaceAll(theatre, ";", ","))
	answered := func(answer string) *match.Proposal {
		return columns.Propose(match.Config{Now: november, Answers: map[string]string{"start_at:3.9.": answer}})
	}
	for _, answer := range []string{"year 2027", "2027"} {
		if p := answered(answer); p.Open() != 1 || len(p.Unused) != 1 {
			t.Errorf("%s is taken: open are %+v", answer, p.Questions)
		}
	}
	for answer, line := range map[string]string{
		"2027/28": "3.9.: year 2027/28 from September", "year 2027/28 from August": "3.9.: year 2027/28 from August",
		"year 2027 from January": "3.9.: year 2027 from January",
	} {
		p := answered(answer)
		if text := written(t, p); p.Open() != 0 || !strings.Contains(text, line) {
			t.Errorf("%s: open are %+v in\n%s", answer, p.Questions, text)
		}
	}
}

// Cells of one shape that an answered year does not fit are asked about by themselves.
func TestNoTwoYearsAreOfOneShape(t *testing.T) {
	columns := gather(t, "Title,Date,Time,TZ\na,\"Sat, Sep 4\",19:30,UTC\nb,\"Sun, Sep 5\",19:30,UTC\nc,\"Sat, Jan 15\",19:30,UTC\n")
	config := match.Config{Now: november, Answers: map[string]string{"start_at:Sat, Sep 4": "year 2027 from January"}}
	p := columns.Propose(config)
	if q := asked(p, "start_at:Sat, Jan 15"); q == nil || q.Default != "" {
		t.Fatalf("open are %+v", p.Questions)
	}
	config.Answers["start_at:Sat, Jan 15"] = "year 2028"
	if p = columns.Propose(config); p.Open() != 1 {
		t.Errorf("a second year of one shape is taken")
	}
	config.Answers["start_at:Sat, Jan 15"] = "2028-01-15"
	if p = columns.Propose(config); p.Open() != 0 {
		t.Errorf("open are %+v", p.Questions)
	}
	written(t, p)
}

// A year that stands in a row of its own is that of the dates below it, unless they go back: a season may go on there.
func TestAYearMayBeAHeading(t *testing.T) {
	const header = "Datum,Zeit,Titel,TZ\n2027,,,\n7.10.,20:00,a,UTC\n"
	for rows, open := range map[string]int{"2028,,,\n6.1.,20:00,b,UTC\n": 0, "6.1.,20:00,b,UTC\n": 1} {
		p := gather(t, header+rows).Propose(match.Config{Now: november})
		if p.Open() != open || open > 0 && asked(p, "years") == nil || open == 0 && len(p.File.Fill) != 1 {
			t.Errorf("%s: filled are %v, open %+v", rows, p.File.Fill, p.Questions)
		}
	}
}

// One wrong day of the week among many leaves the season that the title says, and is asked about.
func TestOneWrongDayOfTheWeekLeavesTheSeason(t *testing.T) {
	for dates, want := range map[string]string{
		"Sa 18.9.,Fr 29.10.,Fr 31.12.,Sa 15.1.,So 29.2.,Sa 6.5.": "year 2027/28 from September",
		"Sa 18.9.,Fr 29.10.,So 29.2.":                            "", // too few to tell
	} {
		c := gather(t, "Datum,Zeit,Titel\n"+strings.ReplaceAll(dates, ",", ",19:00,a\n")+",19:00,a\n")
		p := c.Propose(match.Config{About: "Programm 2027/28", Now: november, Answers: map[string]string{"timezone": "UTC"}})
		years, _ := p.File.Reads.Get("start_at")
		if got, _ := years.Get("Sa 18.9."); got != want || asked(p, "start_at:So 29.2.") == nil == (want != "") {
			t.Errorf("%s: %q, asked are %+v", dates, got, p.Questions)
		}
	}
}
