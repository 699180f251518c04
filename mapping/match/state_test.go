package match_test

import (
	"testing"

	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// What a cell says of whether its row is to be made like the others, by the header of its column.
func TestGate(t *testing.T) {
	for header, cells := range map[string]map[string]match.State{
		"Status": {
			"Published": match.Stated, "Confirmed": match.Stated, "": match.Stated, "Draft": match.Held, "TENTATIVE": match.Held,
			"Private": match.Held, "sold out": match.Held, "Ausverkauft": match.Held, "Cancelled": match.Off, "fällt aus!": match.Off,
			"Reporté": match.Held, "Aplazado": match.Held, "rinviato": match.Held, "Esgotado": match.Held, "uitverkocht": match.Held,
			"cancelled by Anna": match.Doubt, "Storniert am 3.4.": match.Doubt,
		},
		"Published (Y/N)": {"N": match.Held, "Y": match.Stated, "false": match.Held, "1": match.Stated},
		"intern":          {"x": match.Held, "nein": match.Stated},
		"öffentlich":      {"ja": match.Stated, "nein": match.Held},
		"Cancelled?":      {"yes": match.Off, "no": match.Stated},
		"Active":          {"no": match.Held, "yes": match.Stated},
		"Level":           {"Private": match.Stated, "concept": match.Stated, "verschoben": match.Held, "Cancelled": match.Off},
		"Notes":           {"was cancelled last year": match.Stated, "entfällt": match.Off},
	} {
		gate := match.GateOf(schema.Events, header)
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
		gate := match.GateOf(schema.Guests, header)
		for text, want := range cells {
			if got := gate.State(text); got != want {
				t.Errorf("guests: %s %q: %d, want %d", header, text, got, want)
			}
		}
	}
	if match.GateOf(schema.Coupons, "Status") != nil {
		t.Error("coupons have no such states")
	}
}

func TestNameState(t *testing.T) {
	for name, want := range map[string]match.State{
		"ABGESAGT: Jazz": match.Doubt, "Jazz (sold out)": match.Doubt, "Match reporté": match.Doubt, "[Draft] Tea": match.Doubt,
		"Tea – cancelled": match.Doubt, "Konzert (nicht öffentlich)": match.Doubt, "Entwurf: Fest": match.Doubt,
		"Cancel culture: a talk": match.Stated, "How to cancel": match.Stated, "Private view": match.Stated,
		"Draft beer night": match.Stated,
		"Tea":              match.Stated, "": match.Stated, "Jazz: live": match.Stated, "Sold out crowd at the opera": match.Stated,
	} {
		if got := match.NameState(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}
