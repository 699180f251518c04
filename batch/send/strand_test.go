package send

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// Rows that share a name of their event, if only by way of other rows, are one
// strand, in file order; each row is in one.
func TestRowsOfOneEventAreOneStrand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := func(label string, n int) string {
			return rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(rt, fmt.Sprint(label, n))
		}
		var ops []*plan.Op
		for n := range rapid.IntRange(0, 12).Draw(rt, "rows") {
			op := updateOp(n, "", "{}")
			op.Event.ID, op.Event.Slug = name("id", n), name("slug", n)
			ops = append(ops, op)
		}
		list := tasks(ops...)
		strandOf := map[int]int{}
		l, s := newLane(&run{claims: newClaims()}, config(nil, nil, list).Lanes[0]), 0
		for strand := range l.strands() {
			for i, task := range strand {
				if _, twice := strandOf[task.N]; twice || i > 0 && strand[i-1].N >= task.N {
					rt.Fatalf("row %d is out of place", task.N)
				}
				strandOf[task.N] = s
			}
			s++
		}
		if len(strandOf) != len(ops) {
			rt.Fatalf("%d of %d rows", len(strandOf), len(ops))
		}
		for _, a := range ops {
			for _, b := range ops {
				same := a.Event.ID != "" && a.Event.ID == b.Event.ID || a.Event.Slug != "" && a.Event.Slug == b.Event.Slug
				if same && strandOf[a.N] != strandOf[b.N] {
					rt.Fatalf("rows %d and %d are of one event", a.N, b.N)
				}
			}
		}
	})
}
