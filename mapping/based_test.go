package mapping_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping"
	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
)

// What an exported row was is nothing that a row of another file was: two cells of that which contradict each other are
// a problem.
func TestABaselineIsThatOfItsOwnRowAlone(t *testing.T) {
	const header, row = "event,ticket_type_id,name,type,cents,currency", "evt-1,tt-1,Standard,paid,1000,eur"
	config := func(paths ...string) mapping.Config {
		return mapping.Config{Files: paths, Now: now, Resource: catalog.TicketTypes, Workers: 1}
	}
	r, err := mapping.Read(t.Context(), config(file(t, "exported.csv", header+"\n"+row+"\n")))
	if err != nil {
		t.Fatal(err)
	}
	base := ""
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		base = baseline.Of("tt-1", now, baseline.Says(result.Draft))
	}
	exported := file(t, "a.csv", header+",_base\n"+row+","+base+"\n")
	for cents, price := range map[string]string{"1000": "20", "2000": "10"} {
		plain := file(t, "b.csv", "event,name,type,cents,currency,price\nevt-1,Late,paid,"+cents+",eur,"+price+"\n")
		o := read(t, config(exported, plain))
		if len(o.Rows) != 2 || o.Error != "" {
			t.Fatalf("%d rows, %s", len(o.Rows), o.Error)
		}
		if problems := o.Rows[1].(line).Problems; !slices.ContainsFunc(problems, func(p string) bool {
			return strings.Contains(p, "exclusive-fields")
		}) {
			t.Errorf("a price of %s beside cents of %s: %q", price, cents, problems)
		}
	}
}
