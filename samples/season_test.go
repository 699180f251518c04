package samples_test

import (
	"fmt"
	"io"
	"time"

	"eventbatch/mapping/sheet"
)

// house is one of the two calendars of the season.
type house struct{ calendar, name, place, zone string }

var houses = []house{
	{"cal-north", "North Library", "North Library, 1 Hill Street, Dublin", "Europe/Dublin"},
	{"cal-south", "South Library", "South Library, 50 Market Square, Dublin", "Europe/Dublin"},
}

// tags are those that each of the two calendars has.
var tags = []struct{ name, color string }{{"Concert", "purple"}, {"Workshop", "green"}, {"Reading", "blue"}}

// evening is one event of the season with all that belongs to it.
type evening struct {
	house
	n      int
	key    string
	name   string
	about  string
	tags   string
	start  time.Time
	length time.Duration
	seats  int
	cents  int // price of a ticket; 0: it is free
}

// evenings are 40 events, of which every other one takes money.
func evenings() []evening {
	kinds := []struct {
		name, tags   string
		about        string
		seats, cents int
		length       time.Duration
	}{
		{"Reading Circle", "Reading", "One book, many opinions.", 24, 0, 90 * time.Minute},
		{"Chamber Concert", "Concert", "Quartets by candlelight. Doors open **half an hour** early.", 120, 1800, 2 * time.Hour},
		{"Language Café", "", "A table for each language:\n\n- Irish\n- French\n- Polish", 40, 0, 2 * time.Hour},
		{"Bookbinding Workshop", "Workshop; Reading", "Paper, thread and glue are there.", 12, 3500, 3 * time.Hour},
		{"Author's Evening", "Reading", "A reading, then questions.", 80, 0, 90 * time.Minute},
		{"Film with Piano", "Concert", "A silent film, and a piano that is not.", 60, 950, 150 * time.Minute},
	}
	first := time.Date(2027, 9, 3, 18, 30, 0, 0, time.UTC)
	list := make([]evening, 40)
	for i := range list {
		kind := kinds[i%len(kinds)]
		list[i] = evening{
			house: houses[i%5%2], n: i + 1, key: fmt.Sprintf("A27-%02d", i+1), name: kind.name, about: kind.about,
			tags: kind.tags, start: first.AddDate(0, 0, 3*i), length: kind.length, seats: kind.seats, cents: kind.cents,
		}
	}
	return list
}

// writeSeason writes the workbook of a season: events in two calendars, and what belongs to them.
func writeSeason(w io.Writer) error {
	list := evenings()
	return sheet.WriteXLSX(w, []sheet.SheetData{
		seasonSheet("Events", []string{
			"Key", "Name", "Start", "End", "Time zone", "Address", "Description", "Seats", "Visibility", "Tags", "Calendar",
		}, []float64{10, 26, 17, 17, 16, 42, 48, 8, 12, 20, 12}, list, func(e *evening) [][]sheet.Out {
			return [][]sheet.Out{{
				word(e.key), word(e.name),
				{Kind: sheet.Date, Time: e.start},
				{Kind: sheet.Date, Time: e.start.Add(e.length)},
				word(e.zone),
				word(e.place), word(e.about), count(e.seats), word("public"), sheet.Texts([]string{e.tags})[0], word(e.calendar),
			}}
		}),
		{
			Name: "Event tags", Header: []string{"Name", "Color", "Calendar"}, Widths: []float64{18, 12, 12},
			Rows: func(yield func([]sheet.Out) bool) {
				for i := range 3 * len(houses) {
					tag := tags[i%3]
					if !yield([]sheet.Out{word(tag.name), word(tag.color), word(houses[i/3].calendar)}) {
						return
					}
				}
			},
		},
		seasonSheet("Ticket types", []string{"Event", "Name", "Type", "Price in cents", "Currency", "Seats", "Description"},
			[]float64{10, 18, 10, 16, 10, 10, 44}, list, tickets),
		seasonSheet("Coupons", []string{"Event", "Code", "Percent off", "Cents off", "Currency", "Uses left", "Ticket type", "Calendar"},
			[]float64{10, 16, 12, 12, 10, 10, 14, 12}, list, coupons),
		seasonSheet("Hosts", []string{"Event", "E-mail", "Name", "Access level", "Visible"}, []float64{10, 30, 26, 14, 10}, list, hosts),
		seasonSheet("Guests", []string{"Event", "E-mail", "Name", "Status", "Ticket types"}, []float64{10, 30, 26, 18, 26}, list, guests),
	})
}

func seasonSheet(
	name string, header []string, widths []float64, list []evening, rows func(*evening) [][]sheet.Out,
) sheet.SheetData {
	return sheet.SheetData{Name: name, Header: header, Widths: widths, Rows: func(yield func([]sheet.Out) bool) {
		for i := range list {
			for _, row := range rows(&list[i]) {
				if !yield(row) {
					return
				}
			}
		}
	}}
}

// tickets are those of events that take money: each has a full price and a lower one.
func tickets(e *evening) [][]sheet.Out {
	if e.cents == 0 {
		return nil
	}
	return [][]sheet.Out{
		{word(e.key), word("Full price"), word("paid"), count(e.cents), word("eur"), count(e.seats * 3 / 4), {}},
		{
			word(e.key), word("Concession"), word("paid"), count(e.cents * 2 / 3), word("eur"), count(e.seats / 4),
			word("For students, and for who is out of work."),
		},
	}
}

// coupons are one for friends of each event that takes money, who pay the full price less that, and one for all of each calendar.
func coupons(e *evening) [][]sheet.Out {
	var rows [][]sheet.Out
	if e.n <= len(houses) {
		house := houses[e.n-1]
		rows = append(rows, []sheet.Out{
			{}, word("MEMBER" + fmt.Sprint(e.n)), count(15), {}, {}, count(500), {}, word(house.calendar),
		})
	}
	if e.cents > 0 {
		rows = append(rows, []sheet.Out{
			word(e.key), word(fmt.Sprintf("FRIEND%02d", e.n)), {}, count(e.cents / 3), word("eur"), count(10), word("Full price"), {},
		})
	}
	return rows
}

// hosts are one a house, and for each concert and each film somebody at the door.
func hosts(e *evening) [][]sheet.Out {
	name := map[string]string{"cal-north": "Nora Byrne", "cal-south": "Sean Walsh"}[e.calendar]
	rows := [][]sheet.Out{{word(e.key), word(e.calendar + "@example.org"), word(name), word("manager"), yes(true)}}
	if e.seats >= 60 {
		rows = append(rows, []sheet.Out{word(e.key), word("door@example.org"), word("Ada at the Door"), word("check-in"), yes(false)})
	}
	return rows
}

// guests are ten for each event, of 160 people.
func guests(e *evening) [][]sheet.Out {
	given := []string{"Aoife", "Brendan", "Ciara", "Declan", "Emer", "Fergus", "Grainne", "Hugh"}
	family := []string{"Byrne", "Doyle", "Farrell", "Keane", "Nolan", "Quinn", "Ryan", "Walsh"}
	var rows [][]sheet.Out
	for i := range 10 {
		person := (e.n*10 + i*7) % 160
		status := "approved"
		if i == 9 {
			status = "pending_approval"
		}
		var tickets sheet.Out
		switch {
		case e.cents > 0 && i == 0:
			tickets = word("Full price; Concession") // with a child
		case e.cents > 0 && i < 7:
			tickets = word("Full price")
		case e.cents > 0:
			tickets = word("Concession")
		}
		rows = append(rows, []sheet.Out{
			word(e.key), word(fmt.Sprintf("reader-%03d@example.org", person+1)),
			word(given[person%len(given)] + " " + family[person/len(given)%len(family)]), word(status), tickets,
		})
	}
	return rows
}

func word(text string) sheet.Out { return sheet.Out{Kind: sheet.Text, Text: text} }
func count(n int) sheet.Out      { return sheet.Out{Kind: sheet.Number, Text: fmt.Sprint(n)} }

func yes(is bool) sheet.Out { return sheet.Out{Kind: sheet.Bool, Text: fmt.Sprint(is)} }
