package samples_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sources are files as other programs write them, each with its ways.
var sources = map[string]func() []byte{
	"google-calendar.csv": func() []byte { return written{}.text(googleCalendar) },
	"outlook.csv":         func() []byte { return written{bom: true, crlf: true, quoted: true}.text(outlook) },
	"outlook-de.csv": func() []byte {
		return written{bom: true, crlf: true, quoted: true, delimiter: ";"}.text(outlookGerman)
	},
	"outlook-fr.csv": func() []byte {
		return written{bom: true, crlf: true, quoted: true, delimiter: ";"}.text(outlookFrench)
	},
	"outlook-es.csv": func() []byte {
		return written{bom: true, crlf: true, quoted: true, delimiter: ";"}.text(outlookSpanish)
	},
	"the-events-calendar.csv": func() []byte { return written{quoted: true}.text(eventsCalendar()) },
	"the-events-calendar-older.csv": func() []byte {
		return written{crlf: true}.text(eventsCalendarOlder())
	},
	"venues.csv":            func() []byte { return written{quoted: true}.text(venues) },
	"eventbrite-orders.csv": func() []byte { return written{}.text(eventbriteOrders()) },
	"guest-export.csv":      func() []byte { return written{bom: true}.text(guestExport) },
	"localist.csv":          func() []byte { return written{bom: true, crlf: true}.text(localist()) },
	"events-manager.csv":    func() []byte { return written{}.text(eventsManager) },
	"eventon.csv":           func() []byte { return written{quoted: true}.text(eventON) },
	"notion.csv":            func() []byte { return written{bom: true}.text(notion) },
}

var outlookGerman = [][]string{
	{
		"Betreff", "Beginnt am", "Beginnt um", "Endet am", "Endet um", "Ganztägiges Ereignis", "Erinnerung Ein/Aus", "Beschreibung",
		"Kategorien", "Ort", "Privat", "Zeitspanne zeigen als",
	},
	{"Frühlingskonzert", "5.4.2027", "19:30:00", "5.4.2027", "21:30:00", "Aus", "Ein", "Eintritt frei.", "Musik", "Stadthalle", "Aus", "2"},
	{"Buchmesse", "23.4.2027", "00:00:00", "26.4.2027", "00:00:00", "Ein", "Aus", "", "Bücher", "Marktplatz", "Aus", "0"},
	{"Vorstand", "7.5.2027", "18:00:00", "7.5.2027", "20:00:00", "Aus", "Ein", "", "", "https://meet.example.com/abc", "Ein", "2"},
}

var outlookFrench = [][]string{
	{
		"Objet", "Début", "Début", "Fin", "Fin", "Journée entière", "Rappel actif/inactif", "Catégories", "Description", "Emplacement",
		"Privé",
	},
	{
		"Concert de printemps", "05/04/2027", "19:30:00", "05/04/2027", "21:30:00", "Faux", "Vrai", "Musique", "Entrée libre.", "Salle 2",
		"Faux",
	},
	{"Salon du livre", "23/04/2027", "00:00:00", "26/04/2027", "00:00:00", "Vrai", "Faux", "", "", "Place Neuve", "Faux"},
	{"Bureau", "07/05/2027", "18:00:00", "07/05/2027", "20:00:00", "Faux", "Vrai", "", "", "https://meet.example.com/abc", "Vrai"},
}

// go test ./samples -update writes them.
func TestSourcesAreAsTheyAreMade(t *testing.T) {
	for name, make := range sources {
		if *update {
			if err := os.WriteFile(name, make(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(make()), string(have)); diff != "" {
			t.Errorf("%s is not as it is made (-want +got):\n%s", name, diff)
		}
	}
}

// written is how a program writes a table.
type written struct {
	bom, crlf, quoted bool
	delimiter         string // empty: a comma
}

func (w written) text(rows [][]string) []byte {
	var b bytes.Buffer
	if w.bom {
		b.WriteString("\ufeff")
	}
	delimiter, end := w.delimiter, "\n"
	if delimiter == "" {
		delimiter = ","
	}
	if w.crlf {
		end = "\r\n"
	}
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(delimiter)
			}
			if w.quoted || strings.ContainsAny(cell, "\"\r\n"+delimiter) {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteString(end)
	}
	return b.Bytes()
}

// columns makes rows of a header from what each says under some of its names.
func columns(header []string, rows ...map[string]string) [][]string {
	table := [][]string{header}
	for _, row := range rows {
		cells := make([]string, len(header))
		for i, name := range header {
			cells[i] = row[name]
		}
		table = append(table, cells)
	}
	return table
}

var googleCalendar = [][]string{
	{"Subject", "Start Date", "Start Time", "End Date", "End Time", "All Day Event", "Description", "Location", "Private"},
	{
		"Morning yoga", "03/29/2027", "7:30 AM", "03/29/2027", "8:30 AM", "False", "Bring a mat.<br>Beginners are <b>welcome</b>.",
		"Meadow Park, North Gate", "False",
	},
	{
		"Book swap", "04/02/2027", "5:00 PM", "04/02/2027", "8:00 PM", "False",
		`Leave two, take two. <a href="https://example.org/swap">How it works</a>`, "Corner Library, 8 Mill Road", "False",
	},
	{
		"Spring fair", "04/10/2027", "", "04/11/2027", "", "True", "<ul><li>Plants</li><li>Pottery</li><li>Cake</li></ul>",
		"Market Square", "False",
	},
	{"Planning meeting", "04/12/2027", "6:00 PM", "04/12/2027", "7:30 PM", "False", "", "Room 4", "True"},
	{
		"Night walk", "04/16/2027", "10:30 PM", "04/17/2027", "12:30 AM", "False", "Torches, and good shoes",
		"Old Mill, \"the red door\"", "False",
	},
	{"Open studio", "05/01/2027", "", "", "", "True", "", "", "False"},
	{
		"Repair café", "05/08/2027", "10:00 AM", "05/08/2027", "1:00 PM", "False", "Bring what is broken,\nleave with it mended",
		"Town Hall, Room 2", "False",
	},
	{"Choir", "05/13/2027", "7:00 PM", "05/13/2027", "9:00 PM", "False", "New voices welcome &amp; needed", "Chapel Lane 3", "False"},
}

var outlookHeader = []string{
	"Subject", "Start Date", "Start Time", "End Date", "End Time", "All day event", "Reminder on/off", "Reminder Date", "Reminder Time",
	"Meeting Organizer", "Required Attendees", "Optional Attendees", "Meeting Resources", "Billing Information", "Categories",
	"Description",
	"Location", "Mileage", "Priority", "Private", "Sensitivity", "Show time as",
}

func appointment(subject, day, from, lastDay, to, wholeDay, about, place, private string) []string {
	return []string{
		subject, day, from, lastDay, to, wholeDay, "True", day, from, "Events Office", "Ana Ruiz;Ben Cole", "", "", "", "Public;Spring",
		about,
		place, "", "Normal", private, "Normal", "2",
	}
}

var outlook = [][]string{
	outlookHeader,
	appointment(
		"Quarterly open house", "3/22/2027", "4:00:00 PM", "3/22/2027", "7:00:00 PM", "False",
		"Tours every half hour.\nTea in the yard.", "Main Building, Hall A", "False",
	),
	appointment("Founders' day", "4/5/2027", "12:00:00 AM", "4/6/2027", "12:00:00 AM", "True", "", "Main Building", "False"),
	appointment(
		"Summer school", "4/19/2027", "12:00:00 AM", "4/24/2027", "12:00:00 AM", "True", "Five days, one book", "West Wing", "False",
	),
	appointment("Board supper", "4/20/2027", "7:30:00 PM", "4/20/2027", "10:00:00 PM", "False", "", "Dining Room", "True"),
	appointment(
		"Lecture: \"On Paper\"", "5/3/2027", "6:15:00 PM", "5/3/2027", "7:45:00 PM", "False",
		"Register at <https://example.org/on_paper>", "Lecture Theatre, 2nd floor", "False",
	),
	appointment(
		"Garden concert", "6/12/2027", "8:00:00 PM", "6/13/2027", "12:30:00 AM", "False", "Bring a blanket * no glass",
		"Walled Garden", "False",
	),
	appointment("Volunteers' breakfast", "6/14/2027", "8:00:00 AM", "6/14/2027", "9:30:00 AM", "False", "", "Kitchen", "False"),
	appointment("Harvest market", "9/25/2027", "9:00:00 AM", "9/25/2027", "3:00:00 PM", "False", "Forty stalls", "Courtyard", "False"),
}

var outlookSpanish = [][]string{
	{
		"Asunto", "Fecha de comienzo", "Comienzo", "Fecha de finalización", "Finalización", "Todo el día", "Categorías",
		"Descripción", "Ubicación", "Privado", "Mostrar hora como",
	},
	{
		"Concierto de primavera", "5/4/2027", "19:30:00", "5/4/2027", "21:30:00", "Falso", "Música",
		"Entrada libre.\nAforo limitado.", "Auditorio, Calle Mayor 12", "Falso", "2",
	},
	{"Feria del libro", "23/4/2027", "0:00:00", "26/4/2027", "0:00:00", "Verdadero", "Libros;Ciudad", "", "Plaza Nueva", "Falso", "0"},
	{
		"Taller de cerámica", "6/5/2027", "17:00:00", "6/5/2027", "19:00:00", "Falso", "Talleres", "Plazas: 12",
		"Casa de la Cultura", "Falso", "2",
	},
	{"Reunión de la junta", "7/5/2027", "18:00:00", "7/5/2027", "20:00:00", "Falso", "", "", "Sala 3", "Verdadero", "2"},
	{
		"Día de puertas abiertas", "15/5/2027", "0:00:00", "16/5/2027", "0:00:00", "Verdadero", "", "Visitas guiadas; talleres",
		"Museo Municipal", "Falso", "0",
	},
	{
		"Cine al aire libre", "1/7/2027", "22:00:00", "2/7/2027", "0:15:00", "Falso", "Cine", "Traiga su silla", "Parque del Río",
		"Falso", "2",
	},
	{"Verbena", "24/7/2027", "21:00:00", "25/7/2027", "2:00:00", "Falso", "Fiestas", "", "Plaza Mayor", "Falso", "2"},
	{
		"Mercado de otoño", "9/10/2027", "9:00:00", "9/10/2027", "15:00:00", "Falso", "", "Productos de la huerta", "Plaza Mayor",
		"Falso", "2",
	},
}

var notion = [][]string{
	{"Name", "Date", "Tags", "Place", "Notes"},
	{"Residency", "August 17, 2027 11:19 AM → August 25, 2027", "art, long", "Studio 2", "Open on weekdays"},
	{"Evening class", "September 2, 2027 6:00 PM → 8:00 PM", "class", "Studio 1", ""},
	{"Festival", "September 10, 2027 → September 12, 2027", "", "All rooms", "Programme follows"},
	{"Opening", "September 17, 2027 7:00 PM", "art", "Gallery", ""},
	{"Day off", "October 1, 2027", "", "", "The house is closed"},
	{"Night shift", "October 8, 2027 10:00 PM → October 9, 2027 2:00 AM", "class", "Darkroom", ""},
	{"Print fair", "October 15, 2027 10:00 AM → October 16, 2027 5:00 PM", "", "Hall", ""},
	{"Last round", "December 17, 2027 8:00 PM → December 17, 2027 11:00 PM", "", "Bar", ""},
	{"Jazz", "September 4, 2027 6:30 PM (EDT) → 8:30 PM", "music", "", ""},
}

// guestExport are the guests of one event as the platform writes them, with the answers to a question.
var guestExport = [][]string{
	{
		"guest_id", "name", "first_name", "last_name", "email", "phone_number", "created_at", "approval_status", "checked_in_at",
		"utm_source", "referrer", "referred_by", "qr_code_url", "amount", "amount_tax", "amount_discount", "currency", "coupon_code",
		"eth_address", "solana_address", "survey_response_rating", "survey_response_feedback", "ticket_type_id", "ticket_name",
	},
	exportedGuest("gst-1", "Ada", "Example", "ada@example.org", "approved", "2027-03-20T18:20:25.760Z"),
	exportedGuest("gst-2", "Bela", "Example", "bela@example.org", "pending_approval", ""),
	exportedGuest("gst-3", "Chidi", "Example", "chidi@example.org", "waitlist", ""),
	exportedGuest("gst-4", "Dana", "Example", "dana@example.org", "declined", ""),
}

func exportedGuest(id, first, last, email, status, in string) []string {
	return []string{
		id, first + " " + last, first, last, email, "", "2027-03-01T10:18:25.760Z", status, in, "", "", "",
		"https://events.example/check-in/" + id, "$0.00", "$0.00", "$0.00", "", "", "", "", "", "", "ttype-1", "Standard",
	}
}
