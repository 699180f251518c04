package batch

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/source"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// calling returns what is planned where an operation is called with these words.
func (w *world) calling(operation string, words ...string) (*Call, PlanConfig) {
	w.t.Helper()
	var said []record.Member
	for _, word := range words {
		name, text, _ := strings.Cut(word, "=")
		said = append(said, record.Member{Name: name, Value: record.Text(text)})
	}
	call, err := NewCall(catalog.OperationNamed(operation), said)
	if err != nil {
		w.t.Fatal(err)
	}
	config := PlanConfig{
		Command: "call", Options: plan.Options{Slug: "derive"}, Service: w.service, Workspace: w.workspace, Problem: w.problem,
		Reading: mapping.Config{Files: []string{call.File()}, Format: "ndjson", Now: time.Now()},
	}
	if err := call.Into(w.t.Context(), &config); err != nil {
		w.t.Fatal(err)
	}
	return call, config
}

// call plans a call, and sends it.
func (w *world) call(operation string, words ...string) (*Call, *journal.Run) {
	w.t.Helper()
	call, config := w.calling(operation, words...)
	planned, err := Plan(w.t.Context(), config)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mustApply(planned.Run)
	return call, planned.Run
}

func TestACallIsOfNoSourceAndItsWordHolds(t *testing.T) {
	w := newWorld(t)
	w.problem = func(p schema.Problem, _ Whose) { t.Errorf("there is no column to add: %+v", p) }
	create, made := w.call("events/create", "name=Tea", "start_at=2027-04-03T18:00:00Z", "timezone=Etc/UTC")
	if err := create.Leads(made); err != nil || made.Header().Source != "" {
		t.Errorf("%v, of the source %q", err, made.Header().Source)
	}
	event := w.sandbox.Events()[0].ID
	update, changed := w.call("events/update", "event_id="+event, "name=Pie")
	if err := update.Leads(changed); err != nil || w.sandbox.Events()[0].Name != "Pie" {
		t.Errorf("%v: %+v", err, w.sandbox.Events())
	}
	if err := create.Leads(changed); !errors.Is(err, failure.Refused) || !strings.Contains(err.Error(), "leads to events/update") {
		t.Errorf("a row that leads to another operation: %v", err)
	}
	for operation, words := range map[string][]string{
		"events/create":         {"name=Tea", "start_at=2027-04-03T18:00:00Z", "timezone=Etc/UTC"},
		"events/update":         {"event_id=" + event, "name=Tea"},
		catalog.Transfer:        {"event_id=" + event, "calendar_id=cal-b"},
		"events/coupons/create": {"event_id=" + event, "code=TEA", "percent_off=20"},
	} {
		_, config := w.calling(operation, words...)
		o := config.Options
		want := plan.Options{Slug: o.Slug, Owns: o.Owns}
		if operation == "events/update" || operation == catalog.Transfer {
			want.Compare, want.First, want.OnConflict = "live", plan.Mine, plan.Mine
		}
		if !reflect.DeepEqual(o, want) {
			t.Errorf("%s is planned by %+v", operation, o)
		}
		if owned := slices.Equal(o.Owns, []string{"calendar_id"}); owned != (operation == catalog.Transfer) || !owned && o.Owns != nil {
			t.Errorf("%s is right about %v", operation, o.Owns)
		}
		if config.Source.Missing != source.Keep {
			t.Errorf("what %s does not name is looked for", operation)
		}
	}
}

// A guest is known by an e-mail address, and may be called by the id that the service lists.
func TestACallNamesRecordsAsTheyAreKnown(t *testing.T) {
	w := newWorld(t)
	w.call("events/create", "name=Tea", "start_at=2027-04-03T18:00:00Z", "timezone=Etc/UTC")
	event := w.sandbox.Events()[0].ID
	w.somebodyCalls("events/guests/add", `{"event_id":"`+event+`","guests":[{"email":"ada@example.org"}]}`)
	guest := w.list("events/guests/list", "?event_id="+event)[0]["id"].(string)
	call, _ := w.calling("events/guests/update-status", "event_id="+event, "guest_id="+guest, "status=declined")
	if text := string(record.Lines(call.rows)); !strings.Contains(text, "ada@example.org") || strings.Contains(text, guest) {
		t.Errorf("the row says %s", text)
	}
	for _, id := range []string{"gst-none", "ada@example.org"} {
		call, err := NewCall(catalog.OperationNamed("events/guests/update-status"), []record.Member{
			{Name: "event_id", Value: record.Text(event)},
			{Name: "guest_id", Value: record.Text(id)},
			{Name: "status", Value: record.Text("declined")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := call.Into(t.Context(), &PlanConfig{Service: w.service}); errors.Is(err, failure.Invalid) != (id == "gst-none") {
			t.Errorf("%s: %v", id, err)
		}
	}
}
