package report

import (
	"strings"
	"testing"

	"eventbatch/mapping/schema"
)

func TestUnpricedIsSaidWhereAFreeTicketIsSold(t *testing.T) {
	prices := schema.LeftBehind{What: "prices", Columns: []string{"Preis"}, Cells: 5}
	if got := Unpriced(schema.Decided{}, []schema.LeftBehind{prices}); got != nil {
		t.Errorf("tickets of their own: %q", got)
	}
	notes := schema.LeftBehind{What: "notes", Columns: []string{"Info"}, Cells: 5}
	if got := Unpriced(schema.Decided{NoTickets: 5}, []schema.LeftBehind{notes}); got != nil {
		t.Errorf("no prices: %q", got)
	}
	got := Unpriced(schema.Decided{NoTickets: 5}, []schema.LeftBehind{prices})
	if len(got) != 1 || !strings.HasPrefix(got[0], `5 new events sell a free ticket, though the column "Preis" has prices: `) {
		t.Errorf("%q", got)
	}
}

func TestDecided(t *testing.T) {
	for want, n := range map[string][3]int{
		"": {},
		"12 new events last one hour, as they have no end; 1,200 are public; 20 sell a free ticket": {12, 1200, 20},
		"1 new event lasts one hour, as it has no end; 1 is public; 1 sells a free ticket":          {1, 1, 1},
		"2 new events sell a free ticket":             {0, 0, 2},
		"1 new event is public; 3 sell a free ticket": {0, 1, 3},
	} {
		if got := DecidedWords(schema.Decided{NoEnd: n[0], NoVisibility: n[1], NoTickets: n[2]}); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}
