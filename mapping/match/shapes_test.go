package match_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// shapeLine writes a shape as the screen has it.
func shapeLine(s *match.Shape) string {
	var line strings.Builder
	line.WriteString(fmt.Sprintf("%s: %s ×%d", s.Column, s.Example, s.Count))
	if s.Becomes != "" {
		line.WriteString(" → " + s.Becomes)
	}
	for _, mark := range []struct {
		on   bool
		text string
	}{
		{s.Weekday, " ✓"},
		{s.Reading != "", " [" + s.Reading + "]"},
		{s.Asked != "", " ?" + s.Asked},
		{s.Refused, " refused"},
	} {
		if mark.on {
			line.WriteString(mark.text)
		}
	}
	return line.String()
}

// A shape keeps some of its texts. Cells with others are taken for what most of the shape are, and not for one that is asked about.
func TestCellsWhoseTextsAreNotKeptAreLikeMost(t *testing.T) {
	var text strings.Builder
	text.WriteString("Datum,Beginn,Titel,TZ\n")
	for day := range 25 {
		if day == 18 {
			text.WriteString("31.06.2027,19:30,Tee,Europe/Berlin\n")
		}
		fmt.Fprintf(&text, "%02d.05.2027,19:30,Tee,Europe/Berlin\n", day+1)
	}
	p := gather(t, text.String()).Propose(match.Config{})
	var lines []string
	for i := range p.Shapes {
		if s := &p.Shapes[i]; s.Column == "Datum" {
			lines = append(lines, shapeLine(s))
		}
	}
	const want = "Datum: 01.05.2027 ×25 → Sat 1 May 2027; Datum: 31.06.2027 ×1 ?start_at:31.06.2027"
	if got := strings.Join(lines, "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

const programme = `Datum,Beginn,Ende,Titel,Plätze,Zielgruppe,TZ
04.03.2027,19:30,21h,Tee,40,Alle,Europe/Berlin
"So, 07.03.27",20 Uhr,mittags,Tee,1.200,Mitglieder,Europe/Berlin
"Mi, 10.03.27",18.30,,Tee,25 Pers.,Alle,Europe/Berlin
13.03.2027,1930,22:00,Tee,unbegrenzt,Alle,Europe/Berlin
14.03.2027,late,tbd,Tee,viele,Alle,Europe/Berlin
`

func TestEachShapeOfAColumnIsShownOnce(t *testing.T) {
	p := gather(t, programme).Propose(match.Config{})
	var lines []string
	for i := range p.Shapes {
		lines = append(lines, shapeLine(&p.Shapes[i]))
	}
	got := strings.Join(lines, "\n")
	want := `Datum: 04.03.2027 ×3 → Thu 4 Mar 2027
Datum: So, 07.03.27 ×2 → Sun 7 Mar 2027 ✓
Beginn: 19:30 ×1 → 19:30
Beginn: 20 Uhr ×1 → 20:00
Beginn: 18.30 ×1 → 18:30
Beginn: 1930 ×1 → 19:30
Beginn: late ×1 ?start_at:late
Ende: 21h ×1 → 21:00
Ende: mittags ×1 → 12:00
Ende: 22:00 ×1 → 22:00
Ende: tbd ×1 → blank [blank]
Titel: Tee ×5
Plätze: 40 ×1 → 40
Plätze: 1.200 ×1 → 1200 [thousands]
Plätze: 25 Pers. ×1 → 25 [number]
Plätze: unbegrenzt ×1 → no limit [<clear>]
Plätze: viele ×1 → blank [blank] ?max_capacity:viele
Zielgruppe: Alle ×4 → public
Zielgruppe: Mitglieder ×1 → members-only
TZ: Europe/Berlin ×5 → Europe/Berlin`
	if got != want {
		t.Errorf("shapes are\n%s\nwant\n%s", got, want)
	}
	text := written(t, p)
	for _, line := range []string{`"1.200": thousands`, `25 Pers.: number`} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	if strings.Contains(text, "viele: blank") {
		t.Errorf("an open question's default is written:\n%s", text)
	}
}

func TestReadingsAreAnswered(t *testing.T) {
	p := gather(t, programme).Propose(match.Config{Answers: map[string]string{
		"start_at:late": "23:00", "end_at:tbd": "blank", "max_capacity:unbegrenzt": "<clear>", "max_capacity:viele": "300",
		"max_capacity:1.200": "1",
	}})
	text := written(t, p)
	for _, line := range []string{"late: 23:00", "unbegrenzt: <clear>", `viele: "300"`, `"1.200": "1"`, "tbd: blank"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	if p.Open() != 0 || len(p.Unused) != 0 {
		t.Errorf("open are %+v, unused %q", p.Questions, p.Unused)
	}
}

func TestAYearIsAskedForOnce(t *testing.T) {
	const club = "Title,When,Doors,Ends,TZ\na,Mar 4,7pm,9pm,Europe/London\nb,\"Thursday, June 10\",7pm,9pm,Europe/London\n"
	p := gather(t, club).Propose(match.Config{Now: november, Answers: map[string]string{
		"start_at": "When + Doors", "visibility": "public",
	}})
	if p.Open() != 1 || p.Questions[0].Default != "year 2027" {
		t.Fatalf("open are %+v", p.Questions)
	}
	p = gather(t, club).Propose(match.Config{Now: november, Answers: map[string]string{
		"start_at": "When + Doors", p.Questions[0].ID: "2027",
	}})
	text := written(t, p)
	if p.Open() != 0 || strings.Count(text, "Mar 4: year 2027") != 2 || strings.Count(text, "Thursday, June 10: year 2027") != 2 {
		t.Errorf("open are %+v in\n%s", p.Questions, text)
	}
}

func TestOneNumberBelowZeroDoesNotLoseTheSeats(t *testing.T) {
	const seats = "Titel,Datum,Beginn,Plätze\na,2027-03-20,19:00,30\nb,2027-03-21,19:00,-5\nc,2027-03-22,19:00,40\n"
	p := gather(t, seats).Propose(match.Config{})
	if _, ok := p.File.Columns.Get("max_capacity"); !ok {
		t.Errorf("no column has the seats; ignored are %+v", p.Ignored)
	}
}

// Programs write a midnight behind a date that has no time; the time of day is that of the other column.
func TestTheMidnightOfADateBesideItsTimeIsNone(t *testing.T) {
	const times = "Titel,Datum,Beginn,TZ\na,2027-05-01 00:00:00,12:00,UTC\nb,2027-05-02,13:00,UTC\nc,2027-05-03 00:00:00,14:00,UTC\n"
	p := gather(t, times).Propose(match.Config{})
	var got []string
	for i := range p.Shapes {
		if p.Shapes[i].Field == "start_at" {
			got = append(got, shapeLine(&p.Shapes[i]))
		}
	}
	want := []string{"Datum: 2027-05-01 00:00:00 ×2 → Sat 1 May 2027", "Datum: 2027-05-02 ×1 → Sun 2 May 2027", "Beginn: 12:00 ×3 → 12:00"}
	if !slices.Equal(got, want) {
		t.Errorf("shapes are %q, want %q", got, want)
	}
	const database = "Titel,Datum,Beginn,TZ\na,2027-05-01 00:00:00,1899-12-30 19:30:00,UTC\nb,2027-05-02 00:00:00,1899-12-30 20:00:00,UTC\n"
	p = gather(t, database).Propose(match.Config{})
	start, _ := p.File.Columns.Get("start_at")
	at := slices.IndexFunc(p.Shapes, func(s match.Shape) bool { return s.Column == "Beginn" })
	if !slices.Equal(start.From, []string{"Datum", "Beginn"}) || at < 0 || p.Shapes[at].Becomes != "19:30" {
		t.Errorf("the times of a database are shown as %+v of %+v", p.Shapes, start)
	}
	p = gather(t, "Titel,Datum,TZ\na,2027-05-01 00:00:00,UTC\n").Propose(match.Config{})
	if start, _ := p.File.Columns.Get("start_at"); !slices.Equal(start.From, []string{"Datum"}) {
		t.Errorf("without a column of times the start is %+v", start)
	}
}

func TestARangeMayHaveItsDateAtTheEnd(t *testing.T) {
	const ranges = "Title,Start,TZ\na,\"8 March 2027, 10:00 to 12:00\",UTC\nb,\"10:00-12:00, 9 March 2027\",UTC\nc,10:00-9 March 2027,UTC\n"
	p := gather(t, ranges).Propose(match.Config{})
	var got []string
	for i := range p.Shapes {
		if p.Shapes[i].Column == "Start" {
			got = append(got, p.Shapes[i].Becomes)
		}
	}
	if want := []string{"Mon 8 Mar 2027 10:00 – 12:00", "Tue 9 Mar 2027 10:00 – Tue 9 Mar 2027 12:00", ""}; !slices.Equal(got, want) {
		t.Errorf("ranges are shown as %q, want %q", got, want)
	}
}

// A preset's words are known in any dress, and one may stand for nothing.
func TestWordsOfAPresetAreKnownInOtherDress(t *testing.T) {
	p := gather(t, "Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private\n"+
		"Choir,01/05/2027,7:00 PM,01/05/2027,9:00 PM,False,,Porto,False\n"+
		"Retreat,04/25/2027,,04/26/2027,,True,,,True\n").Propose(match.Config{})
	becomes := map[string]string{}
	for _, s := range p.Shapes {
		if s.Column == "Private" {
			becomes[s.Example] = s.Becomes
		}
	}
	if want := map[string]string{"False": "blank", "True": "private"}; !maps.Equal(becomes, want) {
		t.Errorf("Private becomes %v", becomes)
	}
}
