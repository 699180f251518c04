package match_test

import (
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/match"
)

// What a cell says of whether its row is to be made like the others, by the header of its column.
func TestGate(t *testing.T) {
	for header, cells := range map[string]map[string]match.State{
		"Status": {
			"Published": match.Stated, "Confirmed": match.Stated, "": match.Stated, "Draft": match.Held, "TENTATIVE": match.Held,
			"Private": match.Held, "sold out": match.Held, "Ausverkauft": match.Held, "Cancelled": match.Off, "fällt aus!": match.Off,
			"Reporté": match.Held, "Aplazado": match.Held, "rinviato": match.Held, "Esgotado": match.Held, "uitverkocht": match.Held,
			"cancelled by Anna": match.Doubt, "Storniert am 3.4.": match.Doubt,
			"verlegt": match.Held, "moved": match.Held, "no": match.Held, "grün": match.Held, "no places left": match.Held,
			"open": match.Stated, "New": match.Stated, "neu": match.Stated, "tickets available": match.Stated, "yes": match.Stated,
			"Anmeldung offen": match.Stated, "3 Plätze frei": match.Stated, "findet statt": match.Stated, "1": match.Stated,
			"rescheduled": match.Stated, "✓": match.Stated, "aktiv": match.Stated, "-": match.Stated, "?": match.Held,
		},
		"State":           {"CA": match.Stated, "Bayern": match.Stated, "moved": match.Held},
		"Payment status":  {"invoice sent": match.Stated, "verlegt": match.Held},
		"Published (Y/N)": {"N": match.Held, "Y": match.Stated, "false": match.Held, "1": match.Stated},
		"intern":          {"x": match.Held, "nein": match.Stated},
		"öffentlich":      {"ja": match.Stated, "nein": match.Held},
		"Cancelled?":      {"yes": match.Off, "no": match.Stated},
		"Active":          {"no": match.Held, "yes": match.Stated},
		"Level":           {"Private": match.Stated, "concept": match.Stated, "verschoben": match.Held, "Cancelled": match.Off},
		"Notes": {
			"was cancelled last year": match.Stated, "entfällt": match.Off, "CANCELLED due to rain": match.Doubt,
			"** Verschoben auf den 3.5. **": match.Doubt, "Reporté au 19 mars": match.Doubt, "fällt aus wegen Sturm": match.Doubt,
			"cancelled if it rains": match.Stated, "Entfällt bei Regen": match.Stated, "annulé en cas de pluie": match.Stated,
			"Cancel by Friday for a refund": match.Stated, "Absage bis Freitag": match.Stated, "Draft beer": match.Stated,
			"findet nicht statt, Ersatz folgt": match.Doubt, "findet im Saal statt": match.Stated, "n’a pas lieu ce soir": match.Doubt,
			"Cancelled flights are refunded in full": match.Stated, "Postponed dreams of a generation": match.Stated,
			"verlegt auf 4.6.": match.Doubt, "Verlegt in die Aula": match.Stated,
			"Cancelled as the hall is closed": match.Doubt, "Cancelled this week": match.Doubt,
			"Cancelled: tickets are refunded": match.Doubt,
			"CANCELLED classes this week":     match.Doubt, "Cancelled Sundays in May": match.Doubt, "Afgelast wegens storm": match.Doubt,
			"Cancelled performance":                               match.Doubt,
			"This event has been cancelled. Tickets are refunded": match.Doubt, "Unfortunately cancelled": match.Doubt,
			"Leider abgesagt": match.Doubt, "**Die Veranstaltung wurde leider abgesagt!**": match.Doubt, "Ce soir, Le Cid": match.Stated,
			"Die Veranstaltung muss leider entfallen.": match.Doubt, "Le concert est annulé !": match.Doubt,
			"Der Kurs fällt aus.\nErsatz folgt": match.Doubt, "La lezione è stata rinviata": match.Doubt, "Is it cancelled?": match.Stated,
			"If it rains the walk is cancelled.": match.Stated, "Tickets cannot be cancelled.": match.Stated,
			"Der Eintritt entfällt.":            match.Stated,
			"Bei Regen wird das Fest abgesagt.": match.Stated, "You can always cancel.": match.Stated, "Keine Absage.": match.Stated,
			"A couple learns on the eve of their party that it is cancelled.": match.Stated, "Se piove è annullato": match.Stated,
			"Bookings may be cancelled.": match.Stated, "Last week’s class was cancelled.": match.Stated,
			"No class is cancelled": match.Stated,
		},
	} {
		gate := match.GateOf(catalog.Events, header)
		for text, want := range cells {
			if got := gate.State(text); got != want {
				t.Errorf("%s %q: %d, want %d", header, text, got, want)
			}
		}
	}
	for header, cells := range map[string]map[string]match.State{
		"Order Type":      {"Refunded": match.Off, "Eventbrite Completed": match.Stated},
		"Attendee Status": {"Not Attending": match.Off, "Checked In": match.Stated, "Attending": match.Stated},
		"Order status":    {"Completed": match.Stated, "Cancelled": match.Off, "partially refunded, see mail": match.Doubt},
		"Voided":          {"Yes": match.Off, "No": match.Stated},
		"Approved":        {"no": match.Stated},
	} {
		gate := match.GateOf(catalog.Guests, header)
		for text, want := range cells {
			if got := gate.State(text); got != want {
				t.Errorf("guests: %s %q: %d, want %d", header, text, got, want)
			}
		}
	}
	if match.GateOf(catalog.Coupons, "Status") != nil {
		t.Error("coupons have no such states")
	}
}

func TestNameState(t *testing.T) {
	for name, want := range map[string]match.Sign{
		"ABGESAGT: Jazz": match.NotNow, "Jazz (sold out)": match.Full, "Match reporté": match.NotNow, "[Draft] Tea": match.NotNow,
		"Tea – cancelled": match.NotNow, "Konzert (nicht öffentlich)": match.Private, "Entwurf: Fest": match.NotNow,
		"Sold out – CANCELLED: Jazz": match.NotNow, "Complet": match.Unmarked, "Verschoben! Ausverkauft: Oper": match.NotNow,
		"Private: board dinner": match.Private, "Geschlossene Gesellschaft: Hochzeit": match.Private, "Fiesta (privada)": match.Private,
		"Dîner [privé]": match.Private, "Cena - evento privato": match.Private, "Borrel (besloten)": match.Private,
		"Jantar (privado)": match.Private, "Musik privat": match.Unmarked, "Private Lives: a comedy": match.Unmarked,
		"Concert (agotado)": match.Full, "Concerto – esaurito": match.Full, "Voorstelling (uitverkocht)": match.Full,
		"Cancel culture: a talk": match.Unmarked, "How to cancel": match.Unmarked, "Private view": match.Unmarked,
		"Draft beer night": match.Unmarked, "The Cancelled Wedding (comedy)": match.Unmarked,
		"Yoga (jeden Montag)": match.Again, "Yoga every Tuesday": match.Again, "Yoga – tous les lundis": match.Again,
		"Every Tuesday: tea": match.Again, "Yoga (wöchentlich)": match.Again, "Chor (jeden ersten Montag)": match.Again,
		"Tea: weekly": match.Again, "Every day: a tribute": match.Unmarked, "Kino (ja)": match.Unmarked, "Party (einmalig)": match.Unmarked,
		"Better every day": match.Unmarked, "Lesung: Jeden Tag ein Buch": match.Unmarked, "Der Blaue Montag": match.Unmarked,
		"CANCELED Kino": match.NotNow, "ABGESAGT Chor": match.NotNow, "FÄLLT AUS Chor (Saal)": match.NotNow, "SOLD OUT Jazz": match.Full,
		"Der Chor fällt aus": match.NotNow, "Der Kurs findet nicht statt": match.NotNow, "Jazz sold out": match.Full,
		"Open-Air abgesagt": match.NotNow, "Jazz - cancelled due to illness": match.NotNow, "Kino (Verschoben auf Mai)": match.NotNow,
		"Jazz – CANCELLED DUE TO RAIN": match.NotNow, "Oper: entfällt bei Regen": match.Unmarked, "CANCELLED FLIGHTS": match.Unmarked,
		"Cancelled Flights": match.Unmarked, "Cancelled Wedding – a comedy": match.Unmarked, "Film: Cancelled Wedding": match.Unmarked,
		"Jazz - cancelled flights and other songs": match.Unmarked, "Withdrawn Man": match.Unmarked, "Film: How to cancel": match.Unmarked,
		"CANCEL CULTURE talk": match.Unmarked, "ABSAGE Chor": match.NotNow, "Der Chor fällt aus.": match.NotNow,
		"Chor fällt heute aus": match.NotNow, "Chor fällt leider aus.": match.NotNow, "abgesagt Chor": match.NotNow,
		"postponed Tea": match.NotNow, "cancel Culture": match.Unmarked, "private Führung": match.Unmarked, "voll Mozart": match.Unmarked,
		"cancelled flights": match.Unmarked, "Chor findet heute nicht statt": match.NotNow,
		"Tea": match.Unmarked, "": match.Unmarked, "Jazz: live": match.Unmarked, "Sold out crowd at the opera": match.Unmarked,
	} {
		if got := match.NameState(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}
