package plan

import "testing"

// What is left of a group takes a request, whichever of its rows are done.
func TestGatheredRowsShareTheirRequests(t *testing.T) {
	op := &Op{Action: Create, Operation: "events/guests/add", Group: "g", Requests: 1}
	other := &Op{Action: Create, Operation: "events/guests/add", Group: "h", Requests: 1}
	var r Requests
	total := 0
	for n := range 250 {
		total += r.Add(op, 1)
		if want := (n + 1 + 99) / 100; total != want {
			t.Fatalf("%d rows take %d requests, want %d", n+1, total, want)
		}
	}
	if total += r.Add(other, 1); total != 4 {
		t.Errorf("another group: %d requests", total)
	}
	if total += r.Add(op, -50); total != 3 {
		t.Errorf("fifty rows less: %d requests", total)
	}
	if n := r.Add(&Op{Action: Cancel, Requests: 2}, 1); n != 2 {
		t.Errorf("a row by itself: %d requests", n)
	}
}
