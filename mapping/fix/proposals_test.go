package fix_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/fix"
)

// What stands in the column of proposals is taken where the cell still holds what was
// proposed to be changed. A person may have changed what it becomes, or deleted it.
func TestProposalsOfAMarkedFile(t *testing.T) {
	const file = "key,name,Sichtbar für,visibility,_eventbatch,_eventbatch_proposal\n" +
		"a,Tea,,Everyone,x,visibility: Everyone → public\n" + // as it was proposed
		"b,Tea,,Everyone,x,visibility: Everyone → private\n" + // a person has changed it
		"c,Tea,,Everyone,x,\n" + // or deleted it
		"d,Tea,,Everyone,x,visibility: Everyone →\n" +
		"e,Tea,,Members,x,visibility: Everyone → public\n" + // the cell is another
		"f,Tea,,,x,visibility: Everyone → public\n" +
		"g,Tea,,public,x,visibility: Everyone → public\n" + // it was done by hand
		"h,Tea,x,Everyone,x,sichtbar  für: x → y; visibility: Everyone → public; Nowhere: a → b\n" +
		"i,Tea,,Everyone,x,make it public\n"
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := mapping.Mend(t.Context(), mapping.Config{Files: []string{path}}, fix.Rules{Proposals: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`D2 take-proposals: "Everyone" → "public"`, `D3 take-proposals: "Everyone" → "private"`,
		`C9 take-proposals: "x" → "y"`, `D9 take-proposals: "Everyone" → "public"`,
	}
	if diff := cmp.Diff(want, lines(found)); diff != "" {
		t.Error(diff)
	}
	var left []string
	for _, l := range found.Left {
		left = append(left, l.Place.Cell()+" "+l.Reason)
	}
	want = []string{
		`D6 the cell holds "Members" now`, "D7 the cell is blank now", `F9 no one column has the header "Nowhere"`,
		`F10 "make it public" is no proposal such as Start: 14h → 14:00`,
	}
	if diff := cmp.Diff(want, left); diff != "" || !found.Marked {
		t.Error(diff, found.Marked)
	}
}
