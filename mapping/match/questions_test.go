package match_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

func asked(p *match.Proposal, id string) *match.Question {
	for i := range p.Questions {
		if p.Questions[i].ID == id {
			return &p.Questions[i]
		}
	}
	return nil
}

// Each case is a file, the answers, and what has to stand in the mapping or be asked.
func TestWhatIsCertainAndWhatIsAsked(t *testing.T) {
	for _, c := range []struct {
		name, file string
		answers    map[string]string
		has        []string // of the written mapping
		hasNot     []string
		open       []string // ids of the questions that have to be answered
	}{
		{
			name: "the last row proves the order of dates", file: "Title,Start\na,03/04/2027 18:00\nb,04/05/2027 18:00\nc,12/31/2027 " +
				"18:00\n",
			has: []string{"date_order: mdy", "12/31/2027"}, open: []string{"timezone"},
		},
		{
			name: "nothing proves the order", file: "Title,Start\na,03/04/2027 18:00\nb,04/05/2027 18:00\n",
			hasNot: []string{"\ndate_order: "}, open: []string{"timezone", "date_order"},
		},
		{
			name: "codes of members, bookings and guests may name the rows",
			file: "Title,Start,Time zone,Member no\na,13/04/2027 18:00,UTC,M-001\nb,14/04/2027 18:00,UTC,M-002\n" +
				"c,15/04/2027 18:00,UTC,M-003\n",
			has: []string{"# optional key: ", "# none | Member no"}, hasNot: []string{"guests have a file"},
		},
		{
			name: "a reference of a booking",
			file: "Title,Start,Time zone,Booking ref\na,13/04/2027 18:00,UTC,B7F\nb,14/04/2027 18:00,UTC,C8G\nc,15/04/2027 18:00,UTC,D9H\n",
			has:  []string{"# optional key: ", "# none | Booking ref"}, hasNot: []string{"no field is known for it"},
		},
		{
			name: "members who stand twice do not",
			file: "Title,Start,Time zone,Guest lecture no\na,13/04/2027 18:00,UTC,7\nb,14/04/2027 18:00,UTC,7\nc,15/04/2027 18:00,UTC,9\n",
			has:  []string{"Guest lecture no # "}, hasNot: []string{"# optional key: "},
		},
		{
			name: "one date that has its time does not lose the column of times",
			file: "Titre,Date,Heure,Time zone\na,13/04/2027,18h,UTC\nb,14/04/2027 19:00,,UTC\nc,15/04/2027,20h30,UTC\n",
			has:  []string{"from: [Date, Heure]"}, hasNot: []string{"Heure # "},
		},
		{
			name: "what is not online may be held in a hall",
			file: "Titel,Beginn,Zeitzone,Online?\na,13.04.2027 18:00,Europe/Berlin,nein\nb,14.04.2027 18:00,Europe/Berlin,ja\n",
			open: []string{"state:Online?"},
		},
		{
			name: "what most rows say is not left out because nobody knows the word",
			file: "Titel,Beginn,Zeitzone,Status\na,13.04.2027 18:00,Europe/Berlin,grün\nb,14.04.2027 18:00,Europe/Berlin,grün\n" +
				"c,16.04.2027 18:00,Europe/Berlin,grün\nd,17.04.2027 18:00,Europe/Berlin,grün\n" +
				"e,15.04.2027 18:00,Europe/Berlin,angefragt\nf,18.04.2027 18:00,Europe/Berlin,fällt aus!\n",
			open: []string{"state:Status"},
		},
		{
			name: "what is ok takes place",
			file: "Titel,Beginn,Zeitzone,Status\na,13.04.2027 18:00,Europe/Berlin,ok\nb,14.04.2027 18:00,Europe/Berlin,ok\n" +
				"c,15.04.2027 18:00,Europe/Berlin,angefragt\n",
			has: []string{`not in ["angefragt"]`},
		},
		{
			name: "what is not published is a draft",
			file: "Titel,Beginn,Zeitzone,Published?\na,13.04.2027 18:00,Europe/Berlin,nein\nb,14.04.2027 18:00,Europe/Berlin,ja\n",
			has:  []string{"# such rows are left out"},
		},
		{
			name: "both orders are proven", file: "Title,Start\na,13/04/2027 18:00\nb,04/25/2027 18:00\n",
			hasNot: []string{"\ndate_order: "}, open: []string{"timezone", "date_order"},
		},
		{
			name: "months of German leave nothing open", file: "Titel,Datum,Beginn,Ende,Zeitzone\na,15. März 2027,19:30 Uhr,21 " +
				"Uhr,Europe/Berlin\nb,1. Mai 2027,9.30 Uhr,11 Uhr,Europe/Berlin\n",
			has: []string{"from: [Datum, Beginn]", "from: [Datum, Ende]"}, hasNot: []string{"date_order", "cannot be read"},
		},
		{
			name: "months of Spanish and a time leave nothing open", file: "Título,Fecha,Zona horaria\na,15 de marzo de 2027 " +
				"19:30,Europe/Madrid\nb,1 de mayo de 2027 9:30,Europe/Madrid\n",
			has: []string{"start_at: Fecha"}, hasNot: []string{"date_order", "cannot be read"},
		},
		{
			name: "ISO dates need no order", file: "Title,Start\na,2027-04-03 18:00\n",
			hasNot: []string{"date_order"}, open: []string{"timezone"},
		},
		{
			name: "minutes with decimals are no hours", file: "Title,Start,Duration,TZ\na,2027-04-03 " +
				"18:00,90.0,Europe/Paris\nb,2027-04-04 18:00,45.0,Europe/Paris\n",
			hasNot: []string{`, "h")`}, open: []string{"duration_unit"},
		},
		{
			name: "hours with decimals", file: "Title,Start,Duration,TZ\na,2027-04-03 18:00,1.5,Europe/Paris\nb,2027-04-04 " +
				"18:00,2.0,Europe/Paris\n",
			has: []string{`, "h")`},
		},
		{
			name: "a zone column leaves nothing open", file: "Title,Start,TZ\na,2027-04-03 18:00,Europe/Paris\n",
			has: []string{"column: TZ"},
		},
		{
			name: "a row with a time and without a zone", file: "Title,Start,TZ\na,2027-04-03 18:00,Europe/Paris\nb,2027-04-03 18:00,\n",
			has: []string{"column: TZ"}, open: []string{"timezone"},
		},
		{
			name: "an abbreviation of several zones is asked about, and not one of a single zone",
			file: "Title,Start,TZ\na,2027-04-03 18:00,Europe/Paris\nb,2027-04-03 18:00,EST\nc,2027-04-03 18:00,AEST\n",
			has:  []string{"EST: America/New_York"}, open: []string{"timezone:AEST"},
		},
		{
			name: "rows in towns of several zones have one each, once that is said",
			file: "Title,Start,City\na,2027-03-15 19:00,London\nb,2027-03-15 19:00,Wien\nc,2027-03-15 19:00,Graz\n",
			open: []string{"timezone.column"},
		},
		{
			name: "ET is a zone under such a header", file: "Title,Start,TZ\na,2027-04-03 18:00,ET\nb,2027-04-03 18:00,PT\n",
			has: []string{"ET: America/New_York", "PT: America/Los_Angeles"},
		},
		{
			name: "PT beside a country is one", file: "Title,Start,TZ\na,2027-04-03 18:00,PT\nb,2027-04-03 18:00,FR\n",
			open: []string{"timezone:PT", "timezone:FR"},
		},
		{
			name: "a zone of another system has one meaning", file: "Title,Start,TZ\na,2027-04-03 18:00,Eastern Standard " +
				"Time\nb,2027-04-03 18:00,Europe/Paris\n",
			has: []string{"column: TZ"}, hasNot: []string{"values:"},
		},
		{
			name: "a range in one cell", file: "Name,Date\na,\"August 17, 2027 11:19 AM → August 25, 2027 1:00 PM\"\nb,\"August 18, " +
				"2027 9:00 AM\"\n",
			has: []string{"range: start", "range: end"}, open: []string{"timezone"},
		},
		{
			name: "a range of hours", file: "Titel,Datum,Zeit,Zeitzone\na,15.03.2027,19:00-21:00,Europe/Berlin\n" +
				"b,16.03.2027,19–21 Uhr,Europe/Berlin\n",
			has:    []string{"from: [Datum, Zeit]\n    range: start", "from: [Datum, Zeit]\n    range: end", "ranges of hours"},
			hasNot: []string{"times of day", "cannot be read"},
		},
		{
			name: "some ranges of hours", file: "Title,Date,Time,TZ\na,2027-03-15,7pm,Europe/Berlin\nb,2027-03-16,7-9pm,Europe/Berlin\n",
			has: []string{"from: [Date, Time]\n    range: start", "from: [Date, Time]\n    range: end"}, hasNot: []string{"cannot be read"},
		},
		{
			name: "ranges of hours beside a column of ends", file: "Title,Date,Time,End,TZ\na,2027-03-15,7pm,9pm,Europe/Berlin\n" +
				"b,2027-03-16,7-9pm,,Europe/Berlin\n",
			has: []string{"from: [Date, Time]\n", "from: [Date, End]\n"}, hasNot: []string{"range:"},
		},
		{
			name: "times of one reading", file: "Titel,Datum,Beginn,Ende,Zeitzone\na,2027-03-15,18.30,21h,Europe/Berlin\n" +
				"b,\"Di, 16.03.27\",mittags,1430,Europe/Berlin\nc,\"Mi, 17.03.27\",20 Uhr,22 Uhr,Europe/Berlin\n",
			has: []string{"from: [Datum, Beginn]", "from: [Datum, Ende]"}, hasNot: []string{"cannot be read"},
		},
		{
			name: "a date without a time", file: "Title,Date\na,2027-04-03\n", open: []string{"start_time", "timezone"},
		},
		{
			name: "a date beside times that are blank throughout", file: "Title,Date,Time\na,2027-04-03,\nb,2027-04-04,<clear>\n",
			open: []string{"start_time", "timezone"},
		},
		{
			name: "rooms that begin together have the one start that is answered", file: "Raum,Angebot\nSaal,Tanz\nHof,Markt\n",
			answers: map[string]string{"start_at": "28.8.2027 14 Uhr", "name": "Angebot"},
			has:     []string{"value: 2027-08-28T14:00:00"}, open: []string{"timezone"},
		},
		{
			name: "the time of day is answered", file: "Title,Date\na,2027-04-03\n", answers: map[string]string{
				"start_time": "18:30", "timezone": "Europe/Paris",
			},
			has: []string{`+ " 18:30"`, "default: Europe/Paris"},
		},
		{
			name: "the year and the time of day are answered", file: "Title,Date\na,4 March\nb,9 March\n", answers: map[string]string{
				"start_time": "18:30", "timezone": "Europe/Paris", "start_at:4 March": "2027",
			},
			has: []string{`+ " 18:30"`, "4 March: year 2027"},
		},
		{
			name: "dates of two separators are proven each", file: "Title,Start,TZ\na,\"Sat., 6/3/2027 18:00\",Europe/Paris\n" +
				"b,13/4/2027 18:00,Europe/Paris\nc,19.4.2027 18:00,Europe/Paris\n",
			has: []string{"date_order: dmy"},
		},
		{
			name: "one of two separators proves nothing of the other", file: "Title,Start,TZ\na,3/4/2027 18:00,Europe/Paris\n" +
				"b,19.4.2027 18:00,Europe/Paris\n",
			open: []string{"date_order"},
		},
		{
			name: "a link to a map is no meeting",
			file: "Title,Start,TZ,Where\na,2027-04-03 18:00,Europe/Paris,https://maps.app.goo.gl/x\n" +
				"b,2027-04-03 18:00,Europe/Paris,Barn\nc,2027-04-03 18:00,Europe/Paris,https://meet.example.com/b\n",
			has: []string{`[/.]maps?[/.]`},
		},
		{
			name: "a day that is not understood", file: "Title,Date,Time,TZ\na,2027-04-03,18:00,Europe/Paris\n" +
				"b,2027-04-04,18:00,Europe/Paris\nc,3. + 4.2027,18:00,Europe/Paris\n",
			open: []string{"start_at:3. + 4.2027"}, has: []string{"a date such as 2027-03-08"},
		},
		{
			name: "days of the week as columns", file: "Time,Monday,Tuesday,Sunday\n9:00-10:00,Yin,Yang,\n18:00-19:15,Flow,,Bath\n",
			answers: map[string]string{"grid": "yes", "timezone": "Europe/Paris"}, open: []string{"week"},
			hasNot: []string{"address:", "Room"},
		},
		{
			name: "the week is answered", file: "Hora,lunes,miércoles\n9:00-10:00,Yin,Yang\n18:00-19:15,Flow,Bath\n",
			answers: map[string]string{"grid": "yes", "timezone": "Europe/Madrid", "week": "2027-04-05"},
			has:     []string{"lunes: \"2027-04-05\"", "miércoles: \"2027-04-07\"", "from: [Day, Hora]"},
		},
		{
			name: "two columns of texts", file: "Day,Blue,Red\n2027-04-03 18:00,Ann,Joe\n2027-04-04 18:00,Bob,Ian\n",
			open: []string{"grid", "timezone"}, hasNot: []string{"name: Session"},
		},
		{
			name: "a stage beside one column that nobody knows",
			file: "Day,Main Stage,Tent\n2027-04-03 18:00,Ann,Joe\n2027-04-04 18:00,Bob,\n",
			open: []string{"grid", "timezone"}, hasNot: []string{"name: Session", "--answer name=Tent"},
		},
		{
			name: "rows with a room of their own", file: "Day,Room,Group\n2027-04-03 18:00,Saal,Joe\n2027-04-04 18:00,Saal,Ian\n",
			open: []string{"name", "timezone"}, hasNot: []string{"grid"},
		},
		{
			name: "an hour after midnight below a heading",
			file: "Time,Act,Time zone\nSat 22 May 2027,,\n12:00,Kids,UTC\n23:00,Band,UTC\n00:30,Late,UTC\n" +
				"Sun 23 May 2027,,\n05:30,Hike,UTC\n12:00,Kids,UTC\n",
			open: []string{"start_at:00:30"}, has: []string{"Time: heading"},
		},
		{
			name: "two days beside each other may be one event", file: "Title,Date,Time,TZ\na,2027-04-03,18:00,Europe/Paris\n" +
				"b,3. + 4.4.2027,18:00,Europe/Paris\nc,2027-04-09,18:00,Europe/Paris\n",
			open: []string{"split:Date"}, hasNot: []string{"[each]"},
		},
		{
			name: "a number that is not understood", file: "Title,Start,TZ,Seats\na,2027-04-03 18:00,Europe/Paris,40/60\n" +
				"b,2027-04-03 18:00,Europe/Paris,12\nc,2027-04-03 18:00,Europe/Paris,12\n",
			open: []string{"max_capacity:40/60"}, has: []string{`of "Seats" for seats?`},
			hasNot: []string{"--answer max_capacity:40/60=blank"},
		},
		{
			name: "a length in hours and minutes", file: "Title,Start,Duration\na,2027-04-03 18:00,1h 30m\nb,2027-04-03 18:00,2 hours\n",
			has: []string{"start_at + duration("}, open: []string{"timezone"},
		},
		{
			name: "lengths of several forms in one column",
			file: "Title,Start,TZ,Duration\na,2027-04-03 18:00,UTC,1:30\nb,2027-04-04 18:00,UTC,90\nc,2027-04-05 18:00,UTC,2h\n" +
				"d,2027-04-06 18:00,UTC,1h30\n",
			has: []string{`start_at + duration(col("Duration"), "m")`},
		},
		{
			name: "days of hours, or minutes", file: "Title,Start,Duration\na,2027-04-03 18:00,24\nb,2027-04-03 18:00,48\n",
			open: []string{"duration_unit", "timezone"},
		},
		{
			name: "the start of the presale is not that of the event",
			file: "VVK-Start,Termin,Uhrzeit,Veranstaltung,Zeitzone\n01.06.2027,15.09.2027,19:00,Oper,Europe/Berlin\n" +
				"02.06.2027,26.09.2027,19:00,Ballett,Europe/Berlin\n",
			has: []string{"from: [Termin, Uhrzeit]", "VVK-Start # it says when something else happens"},
		},
		{
			name: "a column of slugs with one that is none",
			file: "Title,Start,TZ,Slug\na,2027-04-03 18:00,UTC,api-night\nb,2027-04-03 18:00,UTC,API Night!\nc,2027-04-04 18:00,UTC,c d!\n",
			has:  []string{`Slug # named like slug, and its cells are not: "API Night!"`},
		},
		{
			name: "a length in lessons", file: "Title,Start,TZ,Length (units)\na,2027-04-03 18:00,UTC,2\nb,2027-04-03 18:00,UTC,14\n",
			answers: map[string]string{"duration_unit": "none"}, has: []string{"Length (units) # it is in another unit"},
			hasNot: []string{"end_at"},
		},
		{
			name: "a length without its unit", file: "Title,Start,Duration\na,2027-04-03 18:00,2\nb,2027-04-03 18:00,14\n",
			open: []string{"duration_unit", "timezone"},
		},
		{
			name: "a link that is no meeting's", file: "Title,Start,Link\na,2027-04-03 18:00,https://example.com/a\n",
			open: []string{"meeting_url", "timezone"},
		},
		{
			name: "a link of a meeting under any name", file: "Title,Start,Dial in\na,2027-04-03 18:00,https://us02web.zoom.us/j/1\n",
			has: []string{"meeting_url: Dial in"}, open: []string{"timezone"},
		},
		{
			name: "HTML becomes Markdown", file: "Title,Start,Body\na,2027-04-03 18:00,<p>Hello</p>\n", has: []string{"html: true"},
			open: []string{"timezone"},
		},
		{
			name: "row numbers are no key", file: "No,Title,Start\n1,a,2027-04-03 18:00\n2,b,2027-04-03 19:00\n",
			hasNot: []string{"\nkey: "}, open: []string{"timezone"},
		},
		{
			name: "ids that repeat are no key", file: "Ref,Title,Start\nx,a,2027-04-03 18:00\nx,b,2027-04-03 19:00\n",
			hasNot: []string{"\nkey: "}, open: []string{"timezone"},
		},
		{
			name: "the service's ids need neither name nor start", file: "event_id,max_capacity\nevt-1,20\nevt-2,30\n",
			has: []string{"event_id: event_id"},
		},
		{
			name: "another program's event ids are asked about", file: "Event ID,Title,Start\n81,a,2027-04-03 18:00\n82,b,2027-04-03 " +
				"19:00\n", open: []string{"event_id", "timezone"},
		},
		{
			name: "cancelled rows are left out", file: "Title,Start,Status\na,2027-04-03 18:00,Cancelled\nb,2027-04-03 18:00,Confirmed\n",
			has: []string{`filter: lower(trim(col("Status"))) not in ["cancelled"]`}, open: []string{"timezone"},
		},
		{
			name: "a word for a value that is not known", file: "Title,Start,Visibility\na,2027-04-03 18:00,Everyone\nb,2027-04-03 " +
				"18:00,Board\n",
			has: []string{"Everyone: public"}, open: []string{"visibility:Board", "timezone"},
		},
		{
			name: "a word that was answered", file: "Title,Start,Visibility\na,2027-04-03 18:00,Everyone\nb,2027-04-03 18:00,Board\n",
			answers: map[string]string{
				"visibility:Board": "private", "timezone": "Europe/Paris",
			}, has: []string{"Everyone: public", "Board: private"},
		},
		{
			name: "no is not public", file: "Title,Start,Public\na,2027-04-03 18:00,yes\nb,2027-04-03 18:00,no\n", open: []string{
				"visibility:no", "timezone",
			},
		},
		{
			name: "two headers that are the same", file: "Title,Title,Start\na,b,2027-04-03 18:00\n", open: []string{"name", "timezone"},
		},
		{
			name: "an end of which only the date is there",
			file: "Title,Start date,End date\nCamp,2027-07-05,2027-07-09\n", hasNot: []string{"no telling"},
			open: []string{"timezone", "start_time", "end_time"},
		},
		{
			name: "the time of day of such an end is answered", file: "Title,Start,End date\nCamp,2027-07-05 09:00,2027-07-09\n",
			answers: map[string]string{"timezone": "UTC", "end_time": "17:00"},
			has:     []string{`expr: 'col("End date") == "" ? "" : col("End date") + " 17:00"'`},
		},
		{
			name: "names in two languages",
			file: "event_title_de,event_title_eng,start\nTee am Montag,Tea on Monday,2027-05-01 10:00\nKuchen,Cake,2027-05-02 10:00\n",
			open: []string{"name", "timezone"},
		},
		{
			name: "calendars call the name summary",
			file: "Summary,Description,Start,all_date\nTea,We drink tea,2027-05-01 10:00,false\nFast,Nothing,2027-05-02 00:00,true\n",
			has:  []string{"name: Summary # ", "description_md: Description", "column: all_date"}, open: []string{"timezone"},
		},
		{
			name: "days of the week are compared with the dates",
			file: "Tag,Datum,Zeit,Titel\nSa,04.09.2027,19:30,Auftakt\nSo,05.09.2027,19:30,Finale\n",
			has:  []string{"- Tag # days of the week, which dates are compared with"}, open: []string{"timezone"},
		},
		{
			name: "day, month and year have columns of their own",
			file: "Tag,Monat,Jahr,Zeit,Ende,Titel\n4,9,2027,19:30,21:00,a\n25,12,2027,17:00,,b\n",
			has:  []string{"Tag: month Monat, year Jahr", "from: [Tag, Zeit]", "from: [Tag, Ende]"},
			open: []string{"timezone"},
		},
		{
			name: "two times in one cell may be two events", file: "Titre,Date,Horaire\na,2027-09-04,14h/16h\nb,2027-09-05,15h\n",
			has: []string{`are cells such as "14h/16h" of "Horaire" an event each? (1 row says more than one time)`}, open: []string{
				"split:Horaire", "timezone",
			},
		},
		{
			name: "days in one cell beside times of day may be one event",
			file: "Titel,Datum,Beginn,Ende,TZ\na,2.10.2027,19:00,21:00,UTC\nb,3.10.2027,19:00,21:00,UTC\nc,16.10.2027,19:00,21:00,UTC\n" +
				"d,10.-12.10.2027,10:00,18:00,UTC\ne,30.10.-1.11.2027,10:00,18:00,UTC\n",
			has:  []string{`are days such as "10.-12.10.2027" of "Datum" one event? (2 rows with several days`},
			open: []string{"start_at:10.-12.10.2027"},
		},
		{
			name: "days that are an event each are no days of one event",
			file: "Titel,Datum,Beginn,Ende,TZ\na,2.10.2027,19:00,21:00,UTC\nb,3.10.2027,19:00,21:00,UTC\nc,16.10.2027,19:00,21:00,UTC\n" +
				"d,10.-12.10.2027,10:00,18:00,UTC\ne,20./21.10.2027,19:00,21:00,UTC\nf,26.+27.10.2027,19:00,21:00,UTC\n",
			has:  []string{"(1 row with several days"},
			open: []string{"split:Datum", "start_at:10.-12.10.2027"},
		},
		{
			name: "a word for a whole day is asked about, and likeliest that",
			file: "Titel,Datum,Beginn,TZ\na,2.10.2027,19:00,UTC\nb,13.10.2027,ganztägig,UTC\nc,16.10.2027,19:30,UTC\n",
			has:  []string{"# 00:00 - 24:00 | blank"}, open: []string{"start_at:ganztägig"},
		},
		{
			name: "days without a year are one event by the answer",
			file: "Titel,Datum,Beginn,Ende,TZ\na,2.10.2027,19:00,21:00,UTC\nb,10.-12.10.,10:00,18:00,UTC\n" +
				"c,16.10.2027,19:00,21:00,UTC\n",
			answers: map[string]string{"start_at:10.-12.10.": "10.-12.10.2027"},
			has:     []string{"10.-12.10.: 2027-10-10/2027-10-12"},
		},
		{
			name: "a full event is told to be open where its seats are blank",
			file: "Titel,Start,TZ,Plätze\na,2.10.2027 19:00,UTC,20\nb,13.10.2027 19:00,UTC,ausgebucht\nc,16.10.2027 19:00,UTC,15\n",
			has:  []string{"blank sets no limit, so that a new event is not full)"}, open: []string{"max_capacity:ausgebucht"},
		},
		{
			name: "an event that repeats is one event",
			file: "Titel,Datum,Beginn,TZ\na,2.10.2027,19:00,UTC\nb,13.10.2027,19:00,UTC\nc,16.10.2027,19:00,UTC\n" +
				"d,jeden Donnerstag,18:00,UTC\n",
			has: []string{"1 row says it; it repeats, and a date makes one event of it"}, open: []string{"start_at:jeden Donnerstag"},
		},
		{
			name: "a latitude alone", file: "Title,Start,Latitude\na,2027-04-03 18:00,53.1\n", hasNot: []string{"coordinate"},
			open: []string{"timezone"},
		},
		{
			name: "a point in one cell", file: "Title,Start,GPS\na,2027-04-03 18:00,\"53.1, -1.5\"\n", has: []string{
				"coordinate.latitude:", "coordinate.longitude:",
			}, open: []string{"timezone"},
		},
		{
			name: "the word timezone in a header", file: "Title,Start (ET)\na,2027-04-03 18:00\n", open: []string{"timezone"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := gather(t, c.file).Propose(match.Config{Answers: c.answers})
			text := written(t, p)
			var open []string
			for _, q := range p.Questions {
				if !q.Optional {
					open = append(open, q.ID)
				}
			}
			slices.Sort(open)
			slices.Sort(c.open)
			if !slices.Equal(open, c.open) {
				t.Errorf("open are %q, want %q", open, c.open)
			}
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
			if len(p.Unused) > 0 {
				t.Errorf("answers without a question: %q", p.Unused)
			}
			if t.Failed() {
				t.Log("\n" + text)
			}
		})
	}
}

func TestAnswersThatFitNoQuestionAreLeftOver(t *testing.T) {
	columns := gather(t, "Title,Start,TZ\na,2027-04-03 18:00,Europe/Paris\n")
	p := columns.Propose(match.Config{Answers: map[string]string{"nothing": "x", "date_order": "wrong"}})
	if !slices.Equal(p.Unused, []string{"date_order", "nothing"}) {
		t.Errorf("left over are %q", p.Unused)
	}
}

func TestHeadersThatSayItAllNeedNoMapping(t *testing.T) {
	for file, want := range map[string]bool{
		"Title,Start,Time zone\na,2027-04-03 18:00,Europe/Paris\n":            true,
		"Titel,Start,Time zone\na,2027-04-03 18:00,Europe/Paris\n":            false,
		"Title,Start,Time zone,Notes\na,2027-04-03 18:00,Europe/Paris,x\n":    false,
		"Title,Start,Time zone,Visibility\na,2027-04-03 18:00,Etc/UTC,alle\n": false,
	} {
		if got := gather(t, file).Propose(match.Config{}).Needless(); got != want {
			t.Errorf("%q: %t", file, got)
		}
	}
	off := "Title,Start,Time zone,Description\na,2027-04-03 18:00,Europe/Paris,Cancelled due to rain\n"
	answered := match.Config{Answers: map[string]string{"filter:Description": "read"}}
	if p := gather(t, off).Propose(answered); len(p.File.Marked) != 1 || p.Needless() {
		t.Errorf("rows that are made by marked_names alone, %q, need no mapping", p.File.Marked)
	}
	if gather(t, "Title,Start,Time zone\na,2027-04-03 18:00,Europe/Paris\n").Propose(match.Config{HeaderRow: 1}).Needless() {
		t.Error("a header whose row was said needs no mapping")
	}
}

// A choice carries its question's default to whoever asks.
func TestZonesOfHeadersAreOffered(t *testing.T) {
	q := asked(gather(t, "Title,Start (PT)\na,2027-04-03 18:00\n").Propose(match.Config{}), "timezone")
	if q == nil || len(q.Choices) != 1 || q.Choices[0].Value != "America/Los_Angeles" {
		t.Fatalf("asked is %+v", q)
	}
	if _, ok := q.Accepts("Mars/Olympus"); ok {
		t.Error("a zone that does not exist is taken")
	}
	for answer, want := range map[string]string{
		"Asia/Tokyo": "Asia/Tokyo", "asia/tokyo": "Asia/Tokyo", "Wien": "Europe/Vienna", "Germany": "Europe/Berlin", "UTC+1": "UTC+1",
		"W. Europe Standard Time": "Europe/Berlin",
	} {
		if zone, ok := q.Accepts(answer); !ok || zone != want {
			t.Errorf("%s is taken for %q", answer, zone)
		}
	}
	for answer, want := range map[string]int{"Spain": 2, "CET": 4, "EST": 1, "Tokjo": 1, "berl": 1, "Mars/Olympus": 0} {
		if zone, ok := q.Accepts(answer); ok || len(q.Offers(answer)) != want {
			t.Errorf("%s is taken for %q, and offers %v", answer, zone, q.Offers(answer))
		}
	}
}

// An answer has the day of a time where nothing else does, and no day where a date stands beside it.
func TestAnAnswerHasTheDayThatNothingElseSays(t *testing.T) {
	for file, takes := range map[string]bool{
		"Title,Start,Time zone\na,2027-08-27 18:00,UTC\nb,2027-08-28 ab 11,UTC\n":                                          false,
		"Title,Date,Start,Time zone\na,2027-08-27,18:00,UTC\nb,2027-08-28,ab 11,UTC\n":                                     true,
		"Title,Start,End,Time zone\na,2027-08-27 18:00,2027-08-27 20:00,UTC\nb,2027-08-28 18:00,2027-08-28 gegen 21,UTC\n": true,
	} {
		var q *match.Question
		p := gather(t, file).Propose(match.Config{})
		for i := range p.Questions {
			if strings.Contains(p.Questions[i].ID, "_at:") {
				q = &p.Questions[i]
			}
		}
		if q == nil {
			t.Errorf("%q is not asked about", file)
			continue
		}
		if _, ok := q.Accepts("19:30"); ok != takes {
			t.Errorf("%s: %q, and 19:30 is taken: %t", q.Text, q.Free, ok)
		}
		if _, ok := q.Accepts("2027-08-28 19:30"); ok == strings.Contains(file, "Date") {
			t.Errorf("%s: %q, and a time with its day is taken: %t", q.Text, q.Free, ok)
		}
	}
}

// A wrong day of the week is asked about where it is, and not the year of all the dates below a heading.
func TestAWrongDayOfTheWeekLeavesTheYearOfTheOthers(t *testing.T) {
	const below = ",Tanz,20:00\nApril 2027,,\nFr 2.4.,Spiel,18:00\n"
	for date, says := range map[string]string{"Mi 16.3.": "Tue 16 Mar 2027", "So 6.3.": "Sat 6 Mar 2027"} {
		p := gather(t, "Datum,Titel,Uhrzeit\nMärz 2027,,\nMo 1.3.,Fest,18:00\n"+date+below).Propose(match.Config{
			Answers: map[string]string{"timezone": "UTC"},
		})
		q := asked(p, "start_at:"+date+"2027")
		if q == nil || !strings.HasPrefix(q.Why, "that day is "+says+"; 1 row") || p.Open() != 1 {
			t.Errorf("%s: %+v", date, p.Questions)
		}
	}
}

// What stands under a usual name for a time is no session of a grid, whatever it is.
func TestAColumnOfTimesIsNoRoom(t *testing.T) {
	p := gather(t, "Run,When,Time,Meet at\nEasy 5k,every Tuesday,6:30 PM,Fountain\nLong run,Sundays,8:00 AM,Lot\n").Propose(match.Config{})
	if q := asked(p, "grid"); q == nil || q.Default != "" || slices.Contains(q.Columns, "When") {
		t.Errorf("open are %+v", p.Questions)
	}
}
