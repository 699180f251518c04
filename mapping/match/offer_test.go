package match_test

import (
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// The zone is asked for with an offer that the file itself speaks for, and says how.
func TestTheFileOffersItsZone(t *testing.T) {
	for _, tt := range []struct{ name, file, offers, preset string }{
		{"German headers", "Titel,Datum,Uhrzeit\na,15.03.2027,19:00\n", "Europe/Berlin: the file is in German", "Europe/Berlin"},
		{"French", "Titre,Début,Lieu\nConcert,15/03/2027 19:00,Salle 2\n", "Europe/Paris: the file is in French", ""},
		{"Spanish", "Título,Fecha,Hora\nTaller,15/03/2027,19:00\n", "Europe/Madrid: the file is in Spanish", ""},
		{"Italian", "Titolo,Data,Orario,Luogo\na,15/03/2027,19:00,Sala 1\n", "Europe/Rome: the file is in Italian", "Europe/Rome"},
		{"Dutch", "Titel,Datum,Aanvang,Locatie\na,15-03-2027,19:00,Zaal 1\n", "Europe/Amsterdam: the file is in Dutch", "Europe/Amsterdam"},
		{"Portuguese", "Título,Início,Vagas\na,15/03/2027 19:00,3\n", "Europe/Lisbon: the file is in Portuguese", ""},
		{
			"Norwegian with months that are German too",
			"Navn,Dato,Klokken,Tekst\na,15.03.2027,19:00,En konsert som ikke har vært her etter juni juli og oktober: der er mai\n",
			"Europe/Oslo: the file is in Norwegian", "Europe/Oslo",
		},
		{
			"Norwegian or Danish", "Id,Dato,Klokken\na,15.03.2027 19:00,søndag\n", "", "",
		},
		{"Swedish", "Titel,Datum,Klockan,Plats\na,15.03.2027,19:00,från torget till ån\n", "Europe/Stockholm: the file is in Swedish", ""},
		{"English", "Title,Start,Where\nLos Lobos,2027-03-15 19:00,Room 3\n", "", ""},
		{
			"two languages of which one is English", "Titel / Title,Beginn / Start\na,2027-03-15 19:00\n",
			"Europe/Berlin: the file is in German", "Europe/Berlin",
		},
		{"words of two languages", "Titel,Datum\na,15.03.2027 19:00\n", "", ""},
		{
			"a town", "Titel,Datum,Uhrzeit,Ort\na,15.03.2027,19:00,Wien\nb,16.03.2027,19:00,1010 Wien\n",
			`Europe/Vienna: "Wien" stands in "Ort"`, "Europe/Vienna",
		},
		{
			"a room that is called as a town", "Titel,Datum,Uhrzeit,Raum\na,15.03.2027,19:00,Halle\nb,16.03.2027,19:00,Paris\n",
			"Europe/Berlin: the file is in German", "Europe/Berlin",
		},
		{
			"the end of an address", "Title,Start,Venue\na,2027-03-15 19:00,\"Opera, 1 Main Street, New York\"\n",
			`America/New_York: "Opera, 1 Main Street, New York" stands in "Venue"`, "America/New_York",
		},
		{
			"two towns among others", "Title,Start,City\na,2027-03-15 19:00,London\nb,2027-03-15 19:00,Wien\nc,2027-03-15 19:00,Xyz\n",
			`Europe/London: "London" stands in "City"; Europe/Vienna: "Wien" stands in "City"`, "",
		},
		{
			"a header", "Titel,Beginn (PT),Uhrzeit\na,15.03.2027,19:00\n", "America/Los_Angeles: it stands in a header",
			"America/Los_Angeles",
		},
		{"no zone in brackets", "Title,Start (local)\na,2027-03-15 19:00\n", "", ""},
		{
			"an export", "Betreff,Beginnt am,Beginnt um,Kategorien\na,15.3.2027,19:00:00,x\n",
			"Europe/Berlin: the file is in German", "Europe/Berlin",
		},
	} {
		q := asked(gather(t, tt.file).Propose(match.Config{}), "timezone")
		if q == nil {
			t.Errorf("%s: the zone is not asked for", tt.name)
			continue
		}
		var offers []string
		for _, c := range q.Choices {
			offers = append(offers, c.Value+": "+c.Text)
		}
		if got := strings.Join(offers, "; "); got != tt.offers || q.Default != tt.preset {
			t.Errorf("%s offers %q with %q first, want %q with %q", tt.name, got, q.Default, tt.offers, tt.preset)
		}
	}
}

// A word for what an event is heads the names where it stands alone, and cells of a grid where several columns have it.
func TestCoursesAreNamesOrColumnsOfAGrid(t *testing.T) {
	p := gather(t, "Kurs,Datum,Uhrzeit,TZ\nYoga,2027-09-20,18:00,UTC\n").Propose(match.Config{})
	if name, _ := p.File.Columns.Get("name"); len(name.From) != 1 || p.Open() > 0 {
		t.Errorf("the name is fed by %q, open are %v", name.From, p.File.Open)
	}
	p = gather(t, "Datum,Uhrzeit,Kurs A,Kurs B,TZ\n2027-09-20,18:00,Yoga,Tanz,UTC\n").Propose(match.Config{})
	if len(p.File.Open) != 1 || p.File.Open[0].Key != "grid" {
		t.Errorf("open are %v", p.File.Open)
	}
}
