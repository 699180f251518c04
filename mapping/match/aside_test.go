package match

import (
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
)

func TestAside(t *testing.T) {
	for header, want := range map[string]string{
		"Preis": "prices", "Ticket quantity": "tickets", "Ticket type": "tickets", "Published": "Published",
		"Ticket price": "prices", "Bild": "covers", "cover_url": "covers", "Notizen": "notes", "Kategorien": "tags",
		"Organizer": "organisers", "Attendee email": "guests", "Coupon code": "coupons", "Website": "links", "Erstellt am": "other times",
		"Timestamp": "other times", "Zeitstempel": "other times", "Horodateur": "other times", "Marca temporal": "other times",
		"scrapedAt": "other times", "Submitted at": "other times", "Informazioni cronologiche": "other times",
		"Show time as": "settings", "Stand": "Stand", "": "", "Title": "Title",
	} {
		if got := Aside(catalog.Events, header); got != want {
			t.Errorf("%s is left behind as %s, want %s", header, got, want)
		}
	}
	for _, s := range eventWords() {
		known := false
		for _, a := range asides {
			known = known || strings.HasPrefix(s.of, a.reason)
		}
		if strings.HasPrefix(s.kind, "aside") && !known {
			t.Errorf("no word says what is left behind of columns with the reason %q", s.of)
		}
	}
}
