package files

import (
	"fmt"
	"strings"
	"testing"

	"eventbatch/batch/plan"
)

func TestOpsOutliveTheReadingOfOthers(t *testing.T) {
	w, err := OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const n = 200
	body := func(i int) string { return fmt.Sprintf(`{"name":"%04d %s"}`, i, strings.Repeat("x", 2*opsBuffer/n)) }
	run := create(t, w, "identity", func(yield func(*plan.Op, error) bool) {
		for i := range n {
			op := &plan.Op{
				N: i, Row: plan.Row{Number: i + 2}, Action: plan.Create, Event: plan.Event{Name: fmt.Sprint("Tea ", i)},
				Payload: plan.Payload{Body: []byte(body(i))},
			}
			if !yield(op, nil) {
				return
			}
		}
	})
	var all []*plan.Op
	for op, err := range run.Sends() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, op)
	}
	for i, op := range all {
		if err := run.Load(op); err != nil {
			t.Fatal(err)
		}
		if string(op.Body) != body(i) || op.Event.Name != fmt.Sprint("Tea ", i) {
			t.Fatalf("op %d is %q with body %.20s", i, op.Event.Name, op.Body)
		}
	}
	if len(all) != n {
		t.Errorf("%d ops", len(all))
	}
}
