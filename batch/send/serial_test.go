package send

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// Rows that share a name of their event, if only by way of other rows, are one
// serial group, in file order; each row is in one.
func TestRowsOfOneEventAreOneSerialGroup(t *testing.T) {
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
		serialOf := map[int]int{}
		l, s := newLane(&run{claims: newClaims()}, config(nil, nil, list).Lanes[0]), 0
		for serial := range l.serials() {
			for i, task := range serial {
				if _, twice := serialOf[task.N]; twice || i > 0 && serial[i-1].N >= task.N {
					rt.Fatalf("row %d is out of place", task.N)
				}
				serialOf[task.N] = s
			}
			s++
		}
		if len(serialOf) != len(ops) {
			rt.Fatalf("%d of %d rows", len(serialOf), len(ops))
		}
		for _, a := range ops {
			for _, b := range ops {
				same := a.Event.ID != "" && a.Event.ID == b.Event.ID || a.Event.Slug != "" && a.Event.Slug == b.Event.Slug
				if same && serialOf[a.N] != serialOf[b.N] {
					rt.Fatalf("rows %d and %d are of one event", a.N, b.N)
				}
			}
		}
	})
}
