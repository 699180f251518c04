package match_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// A header that is a usual name keeps its column: what cannot be read in it is asked about, and nobody is
// asked for one time of day of all rows.
func TestAColumnKeepsItsHeaderWhateverItsCellsAre(t *testing.T) {
	for _, c := range []struct {
		name, file string
		start      []string // the columns of it
		open       []string
	}{
		{
			"most cells say more than a time",
			"Titel,Datum,Uhrzeit,TZ\na,13.09.2027,20:00 (ausverkauft),UTC\nb,14.09.2027,10:00/14:00,UTC\nc,15.09.2027,ab 18 Uhr,UTC\n" +
				"d,16.09.2027,ca. 19:30,UTC\n",
			[]string{"Datum", "Uhrzeit"},
			[]string{"split:Uhrzeit", "start_at:ausverkauft"},
		},
		{
			"no cell is a time",
			"Title,Date,Time,TZ\na,2027-09-13,evening,UTC\nb,2027-09-14,after church,UTC\n",
			[]string{"Date", "Time"},
			[]string{"start_at:after church", "start_at:evening"},
		},
		{
			"hours without a sign",
			"Title,Date,Time,TZ\na,2027-09-13,9,UTC\nb,2027-09-14,7,UTC\n",
			[]string{"Date", "Time"},
			[]string{"start_at:7", "start_at:9"},
		},
		{
			"hours without a sign, of which one counts to 24",
			"Title,Date,Time,TZ\na,2027-09-13,9,UTC\nb,2027-09-14,19,UTC\n",
			[]string{"Date", "Time"},
			nil,
		},
		{
			"hours without a sign among times of day",
			"Title,Date,Time,TZ\na,2027-09-13,9,UTC\nb,2027-09-14,10:30,UTC\n",
			[]string{"Date", "Time"},
			nil,
		},
		{
			"other numbers among times of day",
			"Title,Date,Time,TZ\na,2027-09-13,10:30,UTC\nb,2027-09-14,90,UTC\n",
			[]string{"Date", "Time"},
			[]string{"start_at:90"},
		},
		{
			"a start that is only a time of day, and unread",
			"Titel,Datum,Beginn,TZ\na,13.09.2027,halb 8,UTC\nb,14.09.2027,halb 9,UTC\n",
			[]string{"Datum", "Beginn"},
			[]string{"start_at:halb 8"},
		},
		{
			"dates of American numbers without a year",
			"Title,Date,Start,TZ\na,9/4,7:30 PM,UTC\nb,9/25,10:00 AM,UTC\n",
			[]string{"Date", "Start"},
			[]string{"start_at:9/4"},
		},
		{
			"days that cannot be read",
			"Titel,Datum,Uhrzeit,TZ\na,3.-5.9.2027,20:00,UTC\nb,bis 26.9.2027,20:00,UTC\n",
			[]string{"Datum", "Uhrzeit"},
			[]string{"start_at:3.-5.9.2027", "start_at:bis 26.9.2027"},
		},
		{
			"dates with a time that cannot be read",
			"Titel,Wann,TZ\na,3.9.2027 halb acht,UTC\nb,4.9.2027 halb neun,UTC\n",
			[]string{"Wann"},
			[]string{"start_at:3.9.2027 halb acht"},
		},
		{
			"days of the week are no dates",
			"Titel,Tag,Datum,Uhrzeit,TZ\na,Mo,13.09.2027,20:00,UTC\nb,Di,14.09.2027,20:00,UTC\n",
			[]string{"Datum", "Uhrzeit"},
			nil,
		},
		{
			"numbers of days are no dates",
			"Title,Day,Date,Time,TZ\na,1,2027-09-13,20:00,UTC\nb,2,2027-09-14,20:00,UTC\n",
			[]string{"Date", "Time"},
			nil,
		},
		{
			"a place from which is no start",
			"Title,From,Date,Time,TZ\na,Graz,2027-09-13,20:00,UTC\nb,Linz,2027-09-14,20:00,UTC\n",
			[]string{"Date", "Time"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := gather(t, c.file).Propose(match.Config{Now: november})
			start, _ := p.File.Columns.Get("start_at")
			var open []string
			for _, q := range p.Questions {
				if !q.Optional {
					open = append(open, q.ID)
				}
			}
			slices.Sort(open)
			if !slices.Equal(start.From, c.start) || !slices.Equal(open, c.open) {
				t.Errorf("start_at is read from %q and open are %q, want %q and %q\n%s", start.From, open, c.start, c.open, written(t, p))
			}
		})
	}
}

func TestAQuestionThatMakesRowsTheSameSaysHowMany(t *testing.T) {
	p := gather(t, "Title,Date,TZ\na,2027-09-13,UTC\nb,2027-09-14,UTC\n").Propose(match.Config{})
	if q := asked(p, "start_time"); q == nil || !strings.Contains(q.Why, "2 rows") {
		t.Errorf("asked is %+v", q)
	}
}
