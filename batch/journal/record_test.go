package journal

import (
	"strings"
	"testing"
	"time"

	"eventbatch/batch/plan"
)

func TestRecordsThatAreRefused(t *testing.T) {
	for name, r := range map[string]Record{
		"type of the journal's own":  {Type: Attach},
		"no type":                    {},
		"intent without operation":   {Type: Intent, Key: KeyHash("a", "b")},
		"operation of two lines":     {Type: Intent, Operation: "events/\ncreate", Key: KeyHash("a", "b")},
		"one of many outside":        {Type: Intent, Operation: "events/guests/add", Ops: []int{0, 99}},
		"an outcome of many":         {Type: OK, Ops: []int{0, 1}},
		"intent without key":         {Type: Intent, Operation: "events/create"},
		"key in the clear":           {Type: Intent, Operation: "events/create", Key: "customer-4711"},
		"op outside the plan":        {Type: OK, Op: 1},
		"negative op":                {Type: OK, Op: -1},
		"end without reason":         {Type: End},
		"event id of absurd length":  {Type: OK, EventID: strings.Repeat("e", maxWord+1)},
		"status that no answer has":  {Type: Fail, Status: 70000},
		"attempt before the first":   {Type: Intent, Operation: "events/create", Key: KeyHash("a", "b"), Attempt: -1},
		"negative count of requests": {Type: End, Code: "done", Requests: Made{Sent: -1}},
	} {
		if err := r.Check(1); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestServicesReasonsAreCleanedAndKept(t *testing.T) {
	r := Record{
		Type: Fail, At: time.UnixMilli(1), Code: "rejected", Status: 400,
		Error: "Invalid\x1b[31m request.\n\u202eevil \"quoted\" \\ \xff " + strings.Repeat("ß", 400),
	}
	for range 50 {
		r.Fields = append(r.Fields, FieldError{"start_at\x00", "Invalid input:\u200b " + strings.Repeat("x", 400)})
	}
	must(t, r.Check(1))
	state := NewState(&plan.Header{}, 1, nil, 0)
	must(t, state.Apply(&r))
	op := state.Ops[0]
	want := "Invalid[31m request. evil \"quoted\" \\  "
	if op.Status != Failed || op.HTTP != 400 || op.Why == nil || op.Why.Code != "rejected" {
		t.Fatalf("got %+v", op)
	}
	if !strings.HasPrefix(op.Why.Error, want+"ß") || len(op.Why.Error) > maxError || len(op.Why.Error) < maxError-2 {
		t.Errorf("error is %d bytes: %q", len(op.Why.Error), op.Why.Error)
	}
	if len(op.Why.Fields) != maxFields || op.Why.Fields[0].Path != "start_at" || len(op.Why.Fields[0].Reason) != maxReason {
		t.Errorf("fields: %d, first %+v", len(op.Why.Fields), op.Why.Fields[0])
	}
}
