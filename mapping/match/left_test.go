package match_test

import (
	"testing"

	"eventbatch/mapping/match"
)

// What is left, free or taken of the seats is no capacity: Enter leaves the field alone.
func TestSeatsThatAreLeftAreNoCapacity(t *testing.T) {
	for text, want := range map[string]string{
		"3 left": "blank", "only 2 spots remaining": "blank", "20 (sold out)": "blank", "sold out": "blank", "8 taken": "blank",
		"noch 3 frei": "blank", "noch 4 Plätze": "blank", "dernières 2 places": "blank", "8 von 15 belegt": "blank",
		"2 Restplätze": "blank",
		"ausgebucht":   "blank", "20 ausverkauft": "blank",
		"reste 2": "blank", "il reste 4 places": "blank", "complet": "blank", "quedan 3 plazas": "blank", "agotado": "blank",
		"3 posti liberi": "blank", "2 rimasti": "blank", "esaurito": "blank", "nog 3 vrij": "blank", "uitverkocht": "blank",
		"restam 5": "blank", "5 vagas disponíveis": "blank", "esgotado": "blank",
		"12/20": "", "20 Liegestühle": "number",
	} {
		file := "Title,Start,Time zone,Seats\na,13/04/2027 18:00,UTC,12\nb,14/04/2027 18:00,UTC," + text + "\n"
		p := gather(t, file).Propose(match.Config{})
		q := asked(p, "max_capacity:"+text)
		if q == nil || q.Default != want {
			t.Errorf("of %q is asked %+v", text, q)
		}
	}
	for _, header := range []string{"Free places", "Plätze frei", "places libres", "Vagas livres", "Seats taken", "nog vrije plaatsen"} {
		p := gather(t, "Title,Start,Time zone,"+header+"\na,13/04/2027 18:00,UTC,12\n").Propose(match.Config{})
		_, fed := p.File.Columns.Get("max_capacity")
		if q := asked(p, "max_capacity"); q != nil || fed {
			t.Errorf("%q is taken for the seats that there are: %+v", header, q)
		}
	}
}
