package match_test

import (
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// Files as people make them: what has to stand in the mapping, and which questions are open
// with which default.
func TestColumnsOfPeople(t *testing.T) {
	for _, c := range []struct {
		name, file string
		answers    map[string]string
		has        []string
		hasNot     []string
		open       map[string]string // defaults by the id of their question
	}{
		{
			name: "headers in two languages", file: "Titel | Title,Datum / Date,Zeit / Time,Ort (Venue),Preis / Price,TZ\n" +
				"a,2027-03-15,19:00,Halle,12 €,Europe/Berlin\nb,2027-03-16,20:00,Halle,12 €,Europe/Berlin\n",
			has: []string{"name: Titel | Title", "from: [Datum / Date, Zeit / Time]", "address: Ort (Venue)", "Preis / Price # prices:"},
		},
		{
			name: "a header of two lines", file: "\"Titel\nTitle\",\"Start\nBeginn\",TZ\na,2027-03-15 19:00,Europe/Berlin\n",
			has: []string{"Titel\n    Title", "Start\n    Beginn"},
		},
		{
			name: "languages that disagree", file: "Titel,Start / Ende,TZ\na,2027-03-15 19:00,Europe/Berlin\n",
			hasNot: []string{"start_at: Start / Ende"}, open: map[string]string{"start_at": "Start / Ende"},
		},
		{
			name: "doors where no column has the start", file: "Event,When,Doors,Ends,Max,TZ\na,2027-03-15,19:00,21:00,40,Europe/London\n",
			has: []string{"max_capacity: Max"}, open: map[string]string{"start_at": "When + Doors"},
		},
		{
			name:    "doors are taken, and an end with the same date",
			file:    "Event,When,Doors,Ends,TZ\na,2027-03-15,19:00,21:00,Europe/London\n",
			answers: map[string]string{"start_at": "When + Doors"},
			has:     []string{"from: [When, Doors]", "from: [When, Ends]"},
		},
		{
			name: "doors beside a start", file: "Titel,Datum,Einlass,Beginn,TZ\na,15.03.2027,19:00,20:00,Europe/Berlin\n",
			has: []string{"from: [Datum, Beginn]", "Einlass # it says when the doors open, and the start has another column"},
		},
		{
			name: "an end of hours behind a whole start", file: "Title,Start,Ends,TZ\na,2027-03-15 19:00,21:00,Europe/London\n",
			has: []string{"start_at: Start", "from: [Start, Ends]"},
		},
		{
			name: "names of seats", file: "Titolo,Data,Ora,Capienza,TZ\na,2027-03-15,19:00,40,Europe/Rome\n",
			has: []string{"max_capacity: Capienza"},
		},
		{
			name: "one word of two", file: "Titel,Start,Buchbar,Ganztägig,TZ\na,2027-03-15 19:00,JA,Nein,Europe/Berlin\n",
			has: []string{"JA: ", "NEIN: ", "Nein: ", "Ja: "},
		},
		{
			name: "a mark and nothing",
			file: "Titel,Start,Buchbar,TZ\na,2027-03-15 19:00,x,Europe/Berlin\nb,2027-03-15 19:00,,Europe/Berlin\n",
			has:  []string{`x: "true"`, `default: "false"`},
		},
		{
			name: "links among places", file: "Titel,Start,Ort,Stadt,TZ\na,2027-03-15 19:00,https://zoom.us/j/1,,Europe/Berlin\n" +
				"b,2027-03-15 19:00,Halle,Ulm,Europe/Berlin\nc,2027-03-15 19:00,Haus,Ulm,Europe/Berlin\n",
			has: []string{"meeting_url:", `matches "(?i)^https?://`, `col("Stadt")], # != "")`},
		},
		{
			name: "links among places beside a column of links", file: "Titel,Start,Ort,Zoom-Link,TZ\n" +
				"a,2027-03-15 19:00,https://zoom.us/j/1,,Europe/Berlin\n" +
				"b,2027-03-15 19:00,Halle,https://zoom.us/j/2,Europe/Berlin\nc,2027-03-15 19:00,Haus,,Europe/Berlin\n",
			has: []string{`col("Zoom-Link") != "" ? col("Zoom-Link") : col("Ort") matches`},
		},
		{
			name: "columns without a use are named", file: "Titel,Start,Wer,Was kostet das,TZ\n" +
				"a,2027-03-15 19:00,a@example.org,12 €,Europe/Berlin\nb,2027-03-15 19:00,b@example.org,CHF 15,Europe/Berlin\n",
			has: []string{"Wer # e-mail addresses: no field takes them", "Was kostet das # prices: no field takes them"},
		},
		{
			name: "any column may be the answer", file: "Foo,Start,TZ\n12345,2027-03-15 19:00,Europe/Berlin\n",
			answers: map[string]string{"name": "Foo"}, has: []string{"name: Foo"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := gather(t, c.file).Propose(match.Config{Answers: c.answers})
			text := written(t, p)
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("no %q", want)
				}
			}
			for _, no := range c.hasNot {
				if strings.Contains(text, no) {
					t.Errorf("there is %q", no)
				}
			}
			if p.Open() != len(c.open) {
				t.Errorf("open are %+v", p.Questions)
			}
			for id, preset := range c.open {
				if q := asked(p, id); q == nil || q.Default != preset {
					t.Errorf("%s: asked is %+v", id, q)
				}
			}
			if len(p.Unused) > 0 {
				t.Errorf("answers without a question: %q", p.Unused)
			}
			if t.Failed() {
				t.Log("\n" + text)
			}
		})
	}
}
