package plan

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/schema"
)

// memory is what a test remembers, by key.
type memory map[string]Known

func (m memory) Recall(_, key string) (Known, bool) {
	known, ok := m[key]
	return known, ok
}

func (m memory) Event(id string) (Known, bool) {
	for _, known := range m {
		if known.EventID == id {
			return known, true
		}
	}
	return Known{}, false
}

// draftOf makes a draft from canonical texts by field path.
func draftOf(t interface{ Fatalf(string, ...any) }, action schema.Action, key string, fields map[string]string) *schema.Draft {
	d := &schema.Draft{Action: action, Key: key}
	d.Reset(schema.Place{File: "a.csv", Row: 2, Line: 2, Column: -1})
	d.Action, d.Key = action, key
	for id := range schema.Fields {
		f := &schema.Fields[id]
		text, ok := fields[f.Path]
		if !ok {
			continue
		}
		s := schema.Setting{Field: f.ID, Column: id}
		if text == "<clear>" {
			s.State = schema.Clear
		} else if fault := f.Parse(&s, text); fault != nil {
			t.Fatalf("%s: %v", f.Path, fault)
		}
		s.Field, s.Column = f.ID, id
		d.Put(s)
	}
	return d
}

var tea = map[string]string{"name": "Tea", "start_at": "2027-04-03T18:00:00Z", "timezone": "Etc/UTC"}

func and(fields map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, fields)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

func planner(m memory, options Options) *Planner {
	return New(Config{Options: options, Memory: m, Resolve: func(calendar string) (string, error) {
		switch calendar {
		case "":
			return "cal-1", nil
		case "cal-9":
			return "", errors.New("no key serves calendar cal-9")
		}
		return calendar, nil
	}})
}

// hashOf is the content hash of a draft, as an earlier run would have sent it.
func hashOf(t *testing.T, fields map[string]string) string {
	op := planner(memory{}, Options{}).Add(Input{Draft: draftOf(t, schema.Upsert, "K", fields)})
	return op.Hash
}

func TestEachRowGetsItsAction(t *testing.T) {
	same := hashOf(t, tea)
	for _, test := range []struct {
		name    string
		known   Known
		options Options
		action  schema.Action
		fields  map[string]string
		want    Action
		code    schema.Code // of the problem that refuses it
	}{
		{name: "a new key", fields: tea, want: Create},
		{name: "a new key under CREATE", action: schema.Create, fields: tea, want: Create},
		{name: "a new key under UPDATE", action: schema.Update, fields: tea, want: Invalid, code: schema.CodeKeyMissing},
		{name: "UPDATE finds by slug", action: schema.Update, fields: and(tea, "slug", "tea-1"), want: Update},
		{name: "an event id", fields: map[string]string{"event_id": "evt-1", "name": "Tea"}, want: Update},
		{name: "a known key with other values", known: Known{EventID: "evt-1", Hash: "other"}, fields: tea, want: Update},
		{name: "a known key with the same values", known: Known{EventID: "evt-1", Hash: same}, fields: tea, want: Unchanged},
		{name: "CREATE of what this file made", known: Known{EventID: "evt-1", Hash: same}, action: schema.Create, fields: tea, want: Unchanged},
		{name: "CREATE of a known key", known: Known{EventID: "evt-1", Hash: "other"}, action: schema.Create, fields: tea, want: Invalid, code: schema.CodeKeyExists},
		{name: "nothing is compared", known: Known{EventID: "evt-1", Hash: same}, options: Options{Compare: "none"}, fields: tea, want: Update},
		{name: "values not known", known: Known{EventID: "evt-1"}, fields: tea, want: Update},
		{name: "another event than the known one", known: Known{EventID: "evt-1"}, fields: and(tea, "event_id", "evt-2"), want: Invalid, code: schema.CodeKeyConflict},
		{name: "another event than the cancelled one", known: Known{EventID: "evt-1", Cancelled: true}, fields: and(tea, "event_id", "evt-2"), want: Update},
		{name: "CANCEL of another event than the cancelled one", known: Known{EventID: "evt-1", Cancelled: true}, action: schema.Cancel, fields: map[string]string{"event_id": "evt-2"}, want: Cancel},
		{name: "a key that another run owes", known: Known{Run: "r", Owed: true}, fields: tea, want: Blocked},
		{name: "a key that was cancelled", known: Known{EventID: "evt-1", Cancelled: true}, fields: tea, want: Create},
		{name: "CANCEL", known: Known{EventID: "evt-1"}, action: schema.Cancel, want: Cancel},
		{name: "CANCEL by id", action: schema.Cancel, fields: map[string]string{"event_id": "evt-1"}, want: Cancel},
		{name: "CANCEL of nothing known", action: schema.Cancel, fields: tea, want: Invalid, code: schema.CodeKeyMissing},
		{name: "a key whose event is missing", known: Known{EventID: "evt-1", Missing: true}, fields: tea, want: Update},
		{name: "a missing event forgotten", known: Known{EventID: "evt-1", Missing: true}, options: Options{ForgetMissing: true}, fields: tea, want: Create},
		{name: "a missing event forgotten under CREATE", known: Known{EventID: "evt-1", Missing: true}, options: Options{ForgetMissing: true}, action: schema.Create, fields: tea, want: Create},
		{name: "a missing event that the row itself names", known: Known{EventID: "evt-1", Missing: true}, options: Options{ForgetMissing: true}, fields: and(tea, "event_id", "evt-1"), want: Update},
		{name: "CANCEL of a missing event", known: Known{EventID: "evt-1", Missing: true}, options: Options{ForgetMissing: true}, action: schema.Cancel, want: Unchanged},
		{name: "CANCEL of an event that may be missing", known: Known{EventID: "evt-1", Missing: true}, action: schema.Cancel, want: Cancel},
		{name: "nothing missing to forget", known: Known{EventID: "evt-1", Hash: "other"}, options: Options{ForgetMissing: true}, fields: tea, want: Update},
		{name: "CANCEL again", known: Known{EventID: "evt-1", Cancelled: true}, action: schema.Cancel, want: Unchanged},
		{name: "SKIP", action: schema.Skip, fields: tea, want: Skip},
		{name: "no field at all", known: Known{EventID: "evt-1", Hash: "x"}, fields: nil, want: Unchanged},
		{name: "a create without a start", fields: map[string]string{"name": "Tea", "timezone": "Etc/UTC"}, want: Invalid, code: schema.CodeMissingValue},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := memory{}
			if test.known != (Known{}) {
				m["K"] = test.known
			}
			op := planner(m, test.options).Add(Input{Draft: draftOf(t, test.action, "K", test.fields)})
			if op.Action != test.want || op.Reason == "" {
				t.Fatalf("action %s (%s), want %s", op.Action, op.Reason, test.want)
			}
			var code schema.Code
			if len(op.Problems) > 0 {
				code = op.Problems[0].Code
			}
			if code != test.code {
				t.Errorf("problem %q, want %q", code, test.code)
			}
			if (op.Body != nil) != (op.Action == Create || op.Action == Update) {
				t.Errorf("%s with body %s", op.Action, op.Body)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	keep := Options{Slug: "keep"}
	for _, test := range []struct {
		name    string
		options Options
		known   Known
		fields  map[string]string
		want    string
	}{
		{
			"create", keep,
			Known{},
			and(tea, "suppress_email", "true"),
			`{"name":"Tea","start_at":"2027-04-03T18:00:00Z","timezone":"Etc/UTC"}`,
		},
		{
			"create with a derived slug",
			Options{},
			Known{},
			tea,
			`{"name":"Tea","start_at":"2027-04-03T18:00:00Z","timezone":"Etc/UTC","slug":"` + DeriveSlug("Tea", "cal-1", "K") + `"}`,
		},
		{
			"update",
			Options{},
			Known{EventID: "evt-1"},
			and(tea, "suppress_email", "true", "font", "<clear>"),
			`{"event_id":"evt-1","name":"Tea","start_at":"2027-04-03T18:00:00Z","timezone":"Etc/UTC","font":null,"suppress_email":true}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := memory{}
			if test.known.EventID != "" {
				m["K"] = test.known
			}
			op := planner(m, test.options).Add(Input{Draft: draftOf(t, schema.Upsert, "K", test.fields)})
			if got := string(op.Body); got != test.want {
				t.Errorf("body %s\nwant %s", got, test.want)
			}
			if op.From["name"] != int(schema.FieldName) {
				t.Errorf("columns %v", op.From)
			}
		})
	}
}

func TestCalendarsWithoutAKeyAreRefused(t *testing.T) {
	d := draftOf(t, schema.Upsert, "K", tea)
	d.Calendar = "cal-9"
	op := planner(memory{}, Options{}).Add(Input{Draft: d})
	if op.Action != Invalid || len(op.Problems) != 1 || op.Problems[0].Code != schema.CodeUnknownCalendar {
		t.Errorf("op %+v", op)
	}
}

func TestErrorsAndSkipsComeFirst(t *testing.T) {
	p := planner(memory{}, Options{})
	bad := p.Add(Input{Draft: draftOf(t, schema.Upsert, "K", tea), Problems: []schema.Problem{{Code: schema.CodeBadZone}}})
	warned := p.Add(Input{Draft: draftOf(t, schema.Upsert, "K", tea), Problems: []schema.Problem{{Severity: schema.Warning}}})
	skipped := p.Add(Input{Draft: draftOf(t, schema.Upsert, "K", tea), Skipped: "the filter leaves it out"})
	unread := p.Add(Input{})
	got := []Action{bad.Action, warned.Action, skipped.Action, unread.Action}
	if diff := cmp.Diff([]Action{Invalid, Create, Skip, Invalid}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Counts{Read: 4, Invalid: 2, Create: 1, Skip: 1}, p.Counts()); diff != "" {
		t.Error(diff)
	}
}

func TestRowsWithoutAKeyAreNamedForGood(t *testing.T) {
	name := func(fields map[string]string, key string) string { return Key(draftOf(t, schema.Upsert, key, fields)) }
	weekly := and(tea, "start_at", "2027-04-10T18:00:00Z")
	keys := []string{
		name(tea, ""), name(weekly, ""), name(and(tea, "name", "Tea 2"), ""), name(tea, "K"),
		name(and(tea, "slug", "tea"), ""), name(and(tea, "event_id", "evt-1"), ""),
	}
	for i, a := range keys {
		for j, b := range keys[:i] {
			if a == b {
				t.Errorf("rows %d and %d have the same key %q", i, j, a)
			}
		}
	}
	if again := name(tea, ""); again != keys[0] {
		t.Errorf("the same row is named %q, then %q", keys[0], again)
	}
}

// TestSecondPlanSendsNothing remembers what a plan would have sent, and plans
// the same rows again.
func TestSecondPlanSendsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var drafts []*schema.Draft
		for n := range rapid.IntRange(1, 8).Draw(t, "rows") {
			fields := and(tea, "name", rapid.StringMatching(`[A-Z][a-z ]{0,20}[a-z]`).Draw(t, "name"))
			if rapid.Bool().Draw(t, "theme") {
				fields["theme"] = "snake"
			}
			if rapid.Bool().Draw(t, "clears") {
				fields["max_capacity"] = "<clear>"
			}
			drafts = append(drafts, draftOf(t, schema.Upsert, fmt.Sprintf("K%d", n), fields))
		}
		m := memory{}
		first := planner(m, Options{})
		for n, d := range drafts {
			op := first.Add(Input{Draft: d.Clone()})
			if op.Action != Create {
				t.Fatalf("first plan: %s (%s)", op.Action, op.Reason)
			}
			m[d.Key] = Known{EventID: fmt.Sprintf("evt-%d", n), Hash: op.Hash, Run: "r"}
		}
		second := planner(m, Options{})
		for _, d := range drafts {
			if op := second.Add(Input{Draft: d.Clone()}); op.Action != Unchanged {
				t.Fatalf("second plan: %s (%s)", op.Action, op.Reason)
			}
		}
	})
}
