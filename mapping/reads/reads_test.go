package reads

import (
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

func TestTextsThatAreReadAlikeHaveOneShape(t *testing.T) {
	for _, alike := range [][]string{
		{"25 Pers.", "120 pers.", "3  PERS.", "25\u00a0Pers."},
		{"1.200", "12.500", "999.999"},
		{"1.20", "12.5"},
		{"1 200", "1\u202f200"},
		{"40", "7", "120"},
		{"1930", "1200"},
		{"04.03.2027", "4.3.2027"},
		{"04.03.27", "4.3.27"},
		{"So, 07.03.27", "Mi, 9.6.27", "sat, 1.5.27"},
		{"Thursday, June 10", "Tue, May 4", "dimanche, mars 7"},
		{"segunda-feira, 4 de maio", "terça-feira, 5 de março"},
		{"ca. 30", "CA. 300"},
	} {
		for _, text := range alike {
			if got, want := Shape(text), Shape(alike[0]); got != want {
				t.Errorf("the shape of %q is %q, that of %q is %q", text, got, alike[0], want)
			}
		}
	}
	for _, apart := range [][2]string{
		{"1.200", "1.20"},
		{"1.200", "1,200"},
		{"1.200", "1200"},
		{"25 Pers.", "25"},
		{"19:30", "19.30"},
		{"7pm", "7am"},
		{"1930", "20"},
		{"4.3.2027", "4.3.27"},
	} {
		if Shape(apart[0]) == Shape(apart[1]) {
			t.Errorf("%q and %q have the shape %q", apart[0], apart[1], Shape(apart[0]))
		}
	}
}

func table(lines ...string) *Table {
	var m yamldoc.Map[string]
	for i := 0; i < len(lines); i += 2 {
		m = append(m, yamldoc.Item[string]{Key: lines[i], Value: lines[i+1]})
	}
	return New(m, nil)
}

func TestApply(t *testing.T) {
	seats := table(
		"1.200", Thousands, "1'500 Gäste", Thousands, "25 Pers.", Number, "unbegrenzt", Clear, "tbd", Blank, "0", Clear, "viele", "400",
	)
	times := table(
		"Mar 4", "year 2027", "4.3.", "year 2027", "Thursday, June 10", "year 2027", "Doors", Ignore, "late", "23:00", "4. März 19 Uhr",
		"year 2027", "ab", Ignore, "4/3", "year 2027",
	)
	const from = "year 2027/28 from September"
	ends := table("3/15/2016", "at 18:30", "10-14", AllBlank)
	dayFirst := func(string) datetime.Order { return datetime.DayFirst }
	festival := New(yamldoc.Map[string]{{Key: "10.-12.10.2027", Value: OneEvent}, {Key: "3./4.9.2027", Value: OneEvent}}, dayFirst)
	season := table("3.9.", from, "Sat, Sep 4", from, "9/25", from)
	for _, c := range []struct {
		table        *Table
		text, parsed string
	}{
		{seats, "1.200", "1200"},
		{seats, "12.500", "12500"},
		{seats, "1.20", "1.20"},
		{seats, "0.200", "0.200"},
		{seats, "1'500 Gäste", "1500"},
		{seats, "120 pers.", "120"},
		{seats, "120 Pers. ", "120"},
		{seats, "25 Pers. 3", "25 Pers. 3"},
		{seats, "Unbegrenzt", "<clear>"},
		{seats, "TBD", ""},
		{seats, "0", "<clear>"},
		{seats, "40", "40"},
		{seats, "viele", "400"},
		{times, "Sep 14", "Sep 14 2027"},
		{season, "14.9.", "14.9.2027"},
		{season, "31.8.", "31.8.2028"},
		{season, "Fri, Jan 14", "Fri, Jan 14 2028"},
		{season, "9/4", "9/4"}, // of which month?
		{table("9/4", from), "9/14", "9/14/2027"},
		{ends, "4/19/2016", "4/19/2016 18:30"},
		{ends, "4/19/2016 20:00", "4/19/2016 20:00"},
		{ends, "12-15", ""},
		{ends, "12", "12"},
		{New(yamldoc.Map[string]{{Key: "3/15/2016", Value: "month first"}}, dayFirst), "4/19/2016", "2016-04-19"},
		{New(yamldoc.Map[string]{{Key: "3/15/2016", Value: "month first"}}, dayFirst), "4/3/2016", "4/3/2016"},
		{festival, "30.-31.10.2027", "2027-10-30/2027-10-31"},
		{festival, "1./2.9.2027", "2027-09-01/2027-09-02"},
		{festival, "1./4.9.2027", "1./4.9.2027"}, // two days apart are no event that lasts
		{festival, "12.-10.10.2027", "12.-10.10.2027"},
		{festival, "12.10.2027", "12.10.2027"},
		{times, "14.9.", "14.9.2027"},
		{times, "Friday, June 11", "Friday, June 11 2027"},
		{times, "14. Mai 7 Uhr", "14. Mai 2027 7 Uhr"},
		{times, "5/6", "5/6/2027"},
		{times, "Doors 7pm", "7pm"},
		{times, "doors: 7pm", "7pm"},
		{times, "7pm (doors)", "7pm"},
		{times, "DOORS May 4", "May 4 2027"},
		{times, "Doors", "Doors"},
		{times, "Outdoors 7pm", "Outdoors 7pm"},
		{times, "Late", "23:00"},
		{times, "abends 19 Uhr", "abends 19 Uhr"},
		{times, "ab 19 Uhr", "19 Uhr"},
		{times, "19:30", "19:30"},
		{table(), "x", "x"},
	} {
		if c.table == nil {
			continue
		}
		if got := c.table.Apply(c.text); got != c.parsed {
			t.Errorf("%q is read as %q, want %q", c.text, got, c.parsed)
		}
	}
}

func TestCheck(t *testing.T) {
	capacity, start, name := catalog.Field(catalog.FieldMaxCapacity), catalog.Field(catalog.FieldStartAt), catalog.Field(catalog.FieldName)
	for _, c := range []struct {
		field            *schema.Field
		example, reading string
		message          string
	}{
		{capacity, "1.200", Thousands, ""},
		{capacity, "12-15", AllBlank, ""},
		{capacity, "12-15", "at 18:30", "the reading at 18:30 does not fit max_capacity"},
		{start, "3/15/2016", "at 18:30", ""},
		{start, "3/15/2016", "at dusk", `"dusk" is no time of day`},
		{start, "19:30", "at 18:30", `"19:30" is no date without a time of day`},
		{start, "3/15/2016", "month first", ""},
		{capacity, "25 Pers.", Number, ""},
		{capacity, "unbegrenzt", Clear, ""},
		{capacity, "viele", "400", ""},
		{capacity, "tbd", Blank, ""},
		{capacity, "1200", Thousands, `"1200" has no marks of thousands`},
		{capacity, "1.200 Pers.", Number, `"1.200 Pers." can be read in two ways`},
		{capacity, "25-30", Number, `there is not one number in "25-30"`},
		{capacity, "viele", "many", `"many" is no reading and no number`},
		{capacity, "viele", "thousand", `"thousand" is no reading and no number`},
		{capacity, "Mar 4", "year 2027", "the reading year does not fit max_capacity"},
		{capacity, "x", "", "there is no reading"},
		{capacity, " ", Blank, "the example is blank"},
		{start, "Mar 4", "year 2027", ""},
		{start, "10.-12.10.2027", OneEvent, ""},
		{start, "12.10.2027", OneEvent, `"12.10.2027" does not name days that follow each other`},
		{capacity, "10.-12.10.2027", OneEvent, "the reading one event does not fit max_capacity"},
		{start, "Doors", Ignore, ""},
		{start, "late", "23:00", ""},
		{start, "late", "19-21 Uhr", ""},
		{start, "abends", "1930", ""},
		{start, "Mar 4", "year 2027/28 from September", ""},
		{start, "Mar 4", "year 2027 from January", ""},
		{start, "Mar 4", "year 2027/29 from September", `"year 2027/29 from September" is no reading and no time`},
		{start, "Mar 4", "year 2027/28", `"year 2027/28" is no reading and no time`},
		{start, "Mar 4", "year 2027 from May", `"year 2027 from May" is no reading and no time`},
		{start, "Mar 4", "year", `"year" is no reading and no time`},
		{start, "Mar 4 2027", "year 2027", `"Mar 4 2027" is no date without a year`},
		{start, "doors 7pm", Ignore, `"doors 7pm" has digits, and only a word can be left out of a cell`},
		{start, "1.200", Thousands, "the reading thousands does not fit start_at"},
		{start, "tbd", Clear, "start_at cannot be cleared"},
		{name, "tbd", Blank, ""},
		{name, "tbd", "Surprise", ""},
		{name, "Doors", Ignore, "the reading ignore does not fit name"},
		{catalog.Field(catalog.FieldVisibility), "Alle", "public", "visibility takes a few words only"},
		{catalog.Field(catalog.FieldTimezone), "Berlin", "Europe/Berlin", ""},
	} {
		if message, _ := Check(c.field, c.example, c.reading); message != c.message {
			t.Errorf("%s: %s: %s: %q, want %q", c.field.Path, c.example, c.reading, message, c.message)
		}
	}
}

func TestPropose(t *testing.T) {
	capacity, start, end := catalog.Field(catalog.FieldMaxCapacity), catalog.Field(catalog.FieldStartAt), catalog.Field(catalog.FieldEndAt)
	whole, nothing, year := Evidence{Whole: true}, Evidence{}, Evidence{Years: Years{First: 2027}}
	for _, c := range []struct {
		field         *schema.Field
		text          string
		evidence      Evidence
		line, reading string
		certain       bool
	}{
		{capacity, "1.200", whole, "1.200", Thousands, true},
		{capacity, "1.200", nothing, "1.200", Thousands, false},
		{capacity, "1,200", whole, "1,200", Thousands, true},
		{capacity, "1'500", nothing, "1'500", Thousands, true},
		{capacity, "1 200", nothing, "1 200", Thousands, true},
		{capacity, "1.200.000", nothing, "1.200.000", Thousands, true},
		{capacity, "1.20", whole, "", "", false},
		{capacity, "25 Pers.", nothing, "25 Pers.", Number, true},
		{capacity, "25 personnes", nothing, "25 personnes", Number, true},
		{capacity, "max. 30", nothing, "max. 30", Number, true},
		{capacity, "bis zu 30 Gäste", nothing, "bis zu 30 Gäste", Number, true},
		{capacity, "jusqu’à 30 personnes", nothing, "jusqu’à 30 personnes", Number, true},
		{capacity, "ca. 30", nothing, "ca. 30", Number, true},
		{capacity, "~50", nothing, "~50", Number, true},
		{capacity, "1.200 Plätze", whole, "1.200 Plätze", Thousands, true},
		{capacity, "30 Blubb", nothing, "30 Blubb", Number, false},
		{capacity, "25-30", nothing, "", "", false},
		{capacity, "30 + 10", nothing, "", "", false},
		{capacity, "unbegrenzt", nothing, "unbegrenzt", Clear, true},
		{capacity, "∞", nothing, "∞", Clear, true},
		{capacity, "n/a", nothing, "n/a", Blank, true},
		{capacity, "none", nothing, "none", Blank, false},
		{capacity, "viele", nothing, "", "", false},
		{start, "Mar 4", year, "Mar 4", "year 2027", false},
		{start, "4. März", year, "4. März", "year 2027", false},
		{start, "Doors 7pm", nothing, "doors", Ignore, false},
		{start, "Einlass: 19 Uhr", nothing, "einlass", Ignore, false},
		{start, "Einlass ab 19 Uhr", nothing, "einlass ab", Ignore, false},
		{start, "ab 19 Uhr", nothing, "ab", Ignore, true},
		{end, "bis 21 Uhr", nothing, "bis", Ignore, true},
		{start, "bis 21 Uhr", nothing, "", "", false},
		{capacity, "1k", whole, "", "", false},
		{capacity, "50 %", whole, "", "", false},
		{capacity, "1OO", whole, "", "", false},
		{capacity, "30 personnes max.", nothing, "30 personnes max.", Number, true},
		{capacity, "min. 20", nothing, "min. 20", Number, false},
		{start, "ca. 19 Uhr", nothing, "ca.", Ignore, true},
		{start, "19 Uhr s.t.", nothing, "s.t.", Ignore, true},
		{start, "19 Uhr c.t.", nothing, "c.t.", Later, true},
		{start, "Einlass 19 Uhr, Beginn 20 Uhr", nothing, "Einlass 19 Uhr, Beginn 20 Uhr", Second, true},
		{start, "Beginn 20 Uhr / Einlass 19 Uhr", nothing, "Beginn 20 Uhr / Einlass 19 Uhr", First, true},
		{start, "6pm for 6.30pm", nothing, "6pm for 6.30pm", Second, true},
		{start, "19:00/20:00", Evidence{Header: "Einlass/Beginn"}, "19:00/20:00", Second, true},
		{start, "19:00/20:00", Evidence{Header: "Zeiten"}, "", "", false},
		{end, "19:00/20:00", Evidence{Header: "Einlass/Beginn"}, "", "", false},
		{start, "TBA", nothing, "TBA", Blank, true},
		{start, "halb acht", nothing, "", "", false},
	} {
		p, ok := Propose(c.field, c.text, c.evidence)
		if ok != (c.reading != "") || ok && (p != Proposal{c.line, c.reading, c.certain}) {
			t.Errorf("%s: %q: %+v, want %s: %s, certain %t", c.field.Path, c.text, p, c.line, c.reading, c.certain)
		}
	}
}

func TestReadingsOfTimes(t *testing.T) {
	times := table("halb 8", Evening, "viertel nach 7", Evening, "c.t.", Later, "19:00/20:00", Second, "halb 9", "8:30")
	for text, want := range map[string]string{
		"halb 8": "halb 8 PM", "viertel nach 7": "viertel nach 7 PM", "halb 9": "8:30", "19:30": "19:30",
		"18 Uhr c.t.": "18:15:00", "18:15 c.t.": "18:15 c.t.", "18-20 Uhr c.t.": "18-20 Uhr c.t.", "c.t.": "c.t.",
		"18:30/19:30": "19:30", "18:30": "18:30",
	} {
		if got := times.Apply(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for _, line := range [][2]string{{"19:30", Evening}, {"7 c.t.", Later}, {"19:00", First}, {"19:00-20:00", Second}, {"word", Morning}} {
		if message, _ := Check(catalog.Field(catalog.FieldStartAt), line[0], line[1]); message == "" {
			t.Errorf("%s: %s is taken", line[0], line[1])
		}
	}
}

// FuzzApply looks for a text that makes the readings panic, or that is read otherwise
// when what was read is read again.
func FuzzApply(f *testing.F) {
	for _, text := range []string{
		"1.200", "25 Pers.", "Doors 7pm", "Mar 4", "4.3.", "DOORS: Sa, 4. März 19 Uhr", "unbegrenzt", "İ 1 200", "-5 pers",
	} {
		f.Add(text)
	}
	lines := []*Table{
		table("1.200", Thousands, "25 Pers.", Number, "unbegrenzt", Clear, "tbd", Blank),
		table("Mar 4", "year 2027", "4.3.", "year 2027", "Doors", Ignore),
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, table := range lines {
			once := table.Apply(text)
			if twice := table.Apply(once); twice != once {
				t.Errorf("%q is read as %q, and that as %q", text, once, twice)
			}
		}
		for _, field := range []*schema.Field{catalog.Field(catalog.FieldMaxCapacity), catalog.Field(catalog.FieldStartAt)} {
			if p, ok := Propose(field, text, Evidence{Years: Years{First: 2027}}); ok {
				if message, _ := Check(field, p.Example, p.Reading); message != "" {
					t.Errorf("%q: %+v: %s", text, p, message)
				}
			}
		}
	})
}

func TestHoursThatASpreadsheetTookForNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"19.3": "19:30", "20": "20:00", "12.15": "12:15", "9.45": "09:45", "9.1": "09:10", "19.05": "19:05",
		"19.5": "", "19.25": "", "19.75": "", "19.6": "", "25": "", "0.3": "", "0.8125": "", "1930": "", "x": "", "": "",
	} {
		p, _ := Propose(catalog.Field(catalog.FieldStartAt), text, Evidence{Hours: true, Half: true})
		if p.Reading != want || p.Reading != "" && p.Certain != (want >= "13") {
			t.Errorf("%q: %+v, want %q", text, p, want)
		}
	}
}
