package plan

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
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
	d := &schema.Draft{Resource: catalog.Events, Action: action, Key: key}
	d.Reset(catalog.Events, schema.Place{File: "a.csv", Row: 2, Line: 2, Column: -1})
	d.Action, d.Key = action, key
	for _, f := range catalog.Events.Columns() {
		text, ok := fields[f.Path]
		if !ok {
			continue
		}
		s := schema.Setting{Field: f.ID, Column: int(f.ID)}
		if text == "<clear>" {
			s.State = schema.Clear
		} else if fault := value.Parse(f, &s, text); fault != nil {
			t.Fatalf("%s: %v", f.Path, fault)
		}
		s.Field, s.Column = f.ID, int(f.ID)
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
	return New(Config{Options: options, History: History{Memory: m}, Resolve: func(calendar string) (string, error) {
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
	op := planner(memory{}, Options{}).Add(new(Op), draftOf(t, schema.Upsert, "K", fields))
	return op.Hash
}

// A row with mistakes is planned by its name, and says what is wrong with it.
func TestARowWithMistakesSaysWhatIsWrong(t *testing.T) {
	op := &Op{Payload: Payload{Problems: []schema.Problem{
		{Severity: schema.Warning, Message: "that is long ago"}, {Severity: schema.Error, Message: "there is no such day"},
	}}}
	planner(memory{}, Options{}).Add(op, draftOf(t, schema.Upsert, "K", tea))
	if op.Action != Invalid || op.Reason != "there is no such day" || op.Event.Key != "K" || op.Event.Name != "Tea" {
		t.Errorf("%s: %s, of %q with the key %q", op.Action, op.Reason, op.Event.Name, op.Event.Key)
	}
	op = &Op{}
	if planner(memory{}, Options{}).Add(op, nil); op.Action != Invalid || op.Reason == "" {
		t.Errorf("a row that is not read: %s: %s", op.Action, op.Reason)
	}
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
		{
			name: "CREATE of what this file made", known: Known{EventID: "evt-1", Hash: same}, action: schema.Create, fields: tea,
			want: Unchanged,
		},
		{
			name: "CREATE of a known key", known: Known{EventID: "evt-1", Hash: "other"}, action: schema.Create, fields: tea,
			want: Invalid, code: schema.CodeKeyExists,
		},
		{
			name: "nothing is compared", known: Known{EventID: "evt-1", Hash: same}, options: Options{Compare: "none"}, fields: tea,
			want: Update,
		},
		{name: "values not known", known: Known{EventID: "evt-1"}, fields: tea, want: Update},
		{
			name: "another event than the known one", known: Known{EventID: "evt-1"}, fields: and(tea, "event_id", "evt-2"),
			want: Invalid, code: schema.CodeKeyConflict,
		},
		{
			name: "another event than the cancelled one", known: Known{EventID: "evt-1", Cancelled: true},
			fields: and(tea, "event_id", "evt-2"), want: Update,
		},
		{
			name: "CANCEL of another event than the cancelled one", known: Known{EventID: "evt-1", Cancelled: true},
			action: schema.Cancel, fields: map[string]string{"event_id": "evt-2"}, want: Cancel,
		},
		{name: "a key that another run owes", known: Known{Run: "r", Owed: true}, fields: tea, want: Blocked},
		{
			name: "an event that was cancelled, named by the row", known: Known{EventID: "evt-1", Run: "r", Cancelled: true},
			fields: and(tea, "event_id", "evt-1"), want: Skip,
		},
		{
			name: "UPDATE of an event that was cancelled", known: Known{EventID: "evt-1", Run: "r", Cancelled: true},
			action: schema.Update, fields: and(tea, "event_id", "evt-1"), want: Skip,
		},
		{name: "a key that was cancelled", known: Known{EventID: "evt-1", Cancelled: true}, fields: tea, want: Create},
		{name: "CANCEL", known: Known{EventID: "evt-1"}, action: schema.Cancel, want: Cancel},
		{name: "CANCEL by id", action: schema.Cancel, fields: map[string]string{"event_id": "evt-1"}, want: Cancel},
		{name: "CANCEL of nothing known", action: schema.Cancel, fields: tea, want: Skip, code: schema.CodeKeyMissing},
		{name: "a key whose event is missing", known: Known{EventID: "evt-1", Gone: true}, fields: tea, want: Update},
		{
			name: "a missing event forgotten", known: Known{EventID: "evt-1", Gone: true}, options: Options{ForgetMissing: true},
			fields: tea, want: Create,
		},
		{
			name: "a missing event forgotten under CREATE", known: Known{EventID: "evt-1", Gone: true},
			options: Options{ForgetMissing: true}, action: schema.Create, fields: tea, want: Create,
		},
		{
			name: "a missing event that the row itself names", known: Known{EventID: "evt-1", Gone: true},
			options: Options{ForgetMissing: true}, fields: and(tea, "event_id", "evt-1"), want: Update,
		},
		{
			name: "CANCEL of a missing event", known: Known{EventID: "evt-1", Gone: true}, options: Options{ForgetMissing: true},
			action: schema.Cancel, want: Unchanged,
		},
		{
			name: "CANCEL of an event that may be missing", known: Known{EventID: "evt-1", Gone: true}, action: schema.Cancel,
			want: Cancel,
		},
		{
			name: "nothing missing to forget", known: Known{EventID: "evt-1", Hash: "other"}, options: Options{ForgetMissing: true},
			fields: tea, want: Update,
		},
		{name: "CANCEL again", known: Known{EventID: "evt-1", Cancelled: true}, action: schema.Cancel, want: Unchanged},
		{name: "what was undone", known: Known{EventID: "evt-1", Hash: same, Undone: true}, fields: tea, want: Unchanged},
		{
			name: "what was undone, compared with what is live", known: Known{EventID: "evt-1", Hash: same, Undone: true},
			options: Options{Compare: "live"}, fields: tea, want: Unchanged,
		},
		{
			name: "a changed cell of what was undone", known: Known{EventID: "evt-1", Hash: same, Undone: true},
			fields: and(tea, "visibility", "private"), want: Update,
		},
		{
			name: "a create that was undone", known: Known{EventID: "evt-1", Hash: same, Undone: true, Cancelled: true}, fields: tea,
			want: Unchanged,
		},
		{
			name: "a changed cell of a create that was undone", known: Known{EventID: "evt-1", Hash: same, Undone: true, Cancelled: true},
			fields: and(tea, "visibility", "private"), want: Create,
		},
		{
			name: "CREATE of a create that was undone", known: Known{EventID: "evt-1", Hash: same, Undone: true, Cancelled: true},
			action: schema.Create, fields: tea, want: Create,
		},
		{name: "SKIP", action: schema.Skip, fields: tea, want: Skip},
		{name: "no field at all", known: Known{EventID: "evt-1", Hash: "x"}, fields: nil, want: Unchanged},
		{
			name: "a create without a start", fields: map[string]string{"name": "Tea", "timezone": "Etc/UTC"}, want: Invalid,
			code: schema.CodeMissingValue,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := memory{}
			if test.known != (Known{}) {
				m["K"] = test.known
			}
			op := planner(m, test.options).Add(new(Op), draftOf(t, test.action, "K", test.fields))
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
			op := planner(m, test.options).Add(new(Op), draftOf(t, schema.Upsert, "K", test.fields))
			if got := string(op.Body); got != test.want {
				t.Errorf("body %s\nwant %s", got, test.want)
			}
			if op.From["name"] != int(catalog.FieldName) {
				t.Errorf("columns %v", op.From)
			}
		})
	}
}

// Ticket types are made with their event. An update cannot bring them: the row goes on
// without them, and says so unless they are what the event was made with.
func TestTicketTypesOfAnEventThatExists(t *testing.T) {
	const adults, children = `[{"name":"Adults","type":"free"}]`, `[{"name":"Children","type":"free"}]`
	with := func(types string, more ...string) map[string]string {
		return and(and(tea, "ticket_types", types), more...)
	}
	for _, test := range []struct {
		name   string
		known  Known
		fields map[string]string
		want   Action
		warns  bool
	}{
		{"a new event takes them", Known{}, with(adults), Create, false},
		{"the same again", Known{EventID: "evt-1", Hash: hashOf(t, with(adults))}, with(adults), Unchanged, false},
		{"another name, the same types", Known{EventID: "evt-1", Hash: hashOf(t, with(adults))}, with(adults, "name", "Te"), Update, false},
		{"other types alone", Known{EventID: "evt-1", Hash: hashOf(t, with(adults))}, with(children), Unchanged, true},
		{
			"other types and another name",
			Known{EventID: "evt-1", Hash: hashOf(t, with(adults))},
			with(children, "name", "Te"), Update, true,
		},
		{"types where there were none", Known{EventID: "evt-1", Hash: hashOf(t, tea)}, with(adults), Unchanged, true},
		{"no types any more", Known{EventID: "evt-1", Hash: hashOf(t, with(adults))}, tea, Unchanged, false},
		{"an event whose values are not known", Known{EventID: "evt-1"}, with(adults), Update, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := memory{}
			if test.known != (Known{}) {
				m["K"] = test.known
			}
			op := planner(m, Options{}).Add(new(Op), draftOf(t, schema.Upsert, "K", test.fields))
			warned := len(op.Problems) == 1 && op.Problems[0].Code == schema.CodeFieldLeftOut &&
				op.Problems[0].Severity == schema.Warning && op.Problems[0].Place.Column == int(catalog.FieldTicketTypes)
			if op.Action != test.want || warned != test.warns || !test.warns && len(op.Problems) > 0 {
				t.Errorf("%s (%s) with %+v", op.Action, op.Reason, op.Problems)
			}
			if op.Action != Update {
				return
			}
			// What the event was made with, or that it is not known, is remembered beyond the update.
			m["K"] = Known{EventID: "evt-1", Hash: op.Hash}
			again := planner(m, Options{}).Add(new(Op), draftOf(t, schema.Upsert, "K", test.fields))
			if again.Action != Unchanged || (len(again.Problems) > 0) != test.warns {
				t.Errorf("again: %s with %+v", again.Action, again.Problems)
			}
		})
	}
}

func TestEventsOfAnEarlierWorkspaceAreFoundByTheirSlug(t *testing.T) {
	index := NewSlugIndex(map[string]string{
		DeriveSlug("Old name", "cal-1", "K"): "evt-1",
		DeriveSlug("One", "cal-1", "twice"):  "evt-2", DeriveSlug("Two", "cal-1", "twice"): "evt-3",
		DeriveSlug("Old name", "cal-2", "K2"): "evt-4",
		"chosen-by-hand":                      "evt-5",
	})
	for _, test := range []struct {
		name   string
		action schema.Action
		key    string
		fields map[string]string
		memory memory
		want   Action
		id     string
		code   schema.Code
		asked  bool
	}{
		{name: "whatever its name has become", key: "K", fields: tea, want: Update, id: "evt-1", asked: true},
		{name: "UPDATE too", action: schema.Update, key: "K", fields: tea, want: Update, id: "evt-1", asked: true},
		{name: "CANCEL too", action: schema.Cancel, key: "K", want: Cancel, id: "evt-1", asked: true},
		{
			name: "CREATE does not", action: schema.Create, key: "K", fields: tea,
			want: Invalid, id: "evt-1", code: schema.CodeKeyExists, asked: true,
		},
		{name: "another key", key: "K9", fields: tea, want: Create, asked: true},
		{name: "of another calendar", key: "K2", fields: tea, want: Create, asked: true},
		{name: "a slug that is the key", fields: and(tea, "slug", "chosen-by-hand"), want: Update, id: "evt-5", asked: true},
		{name: "a key that only looks like a slug", key: "slug:chosen-by-hand", fields: tea, want: Create, asked: true},
		{name: "two events", key: "twice", fields: tea, want: Invalid, code: schema.CodeKeyConflict, asked: true},
		{name: "a known key", key: "K", fields: tea, memory: memory{"K": {EventID: "evt-7"}}, want: Update, id: "evt-7"},
		{name: "a row that names its event", key: "K", fields: and(tea, "event_id", "evt-8"), want: Update, id: "evt-8"},
		{
			name: "made anew after this workspace cancelled it", key: "K", fields: tea,
			memory: memory{"K": {EventID: "evt-0", Cancelled: true, Run: "r"}}, want: Update, id: "evt-1", asked: true,
		},
		{
			name: "cancelled by this workspace, and not made anew", key: "K9", fields: tea,
			memory: memory{"K9": {EventID: "evt-0", Cancelled: true, Run: "r"}}, want: Create, asked: true,
		},
		{
			name: "one that was cancelled since", key: "K", fields: tea,
			memory: memory{"other": {EventID: "evt-1", Cancelled: true, Run: "r"}}, want: Create, asked: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := false
			p := New(Config{
				History: History{Memory: test.memory}, Resolve: func(string) (string, error) { return "cal-1", nil },
				Platform: Platform{
					Find: func(e Event) ([]string, error) {
						asked = true
						return index.Find(e), nil
					},
				},
			})
			op := p.Add(new(Op), draftOf(t, test.action, test.key, test.fields))
			var code schema.Code
			if len(op.Problems) > 0 {
				code = op.Problems[0].Code
			}
			if op.Action != test.want || op.Event.ID != test.id || code != test.code || asked != test.asked {
				t.Errorf("%s of %q (%s), problem %q, asked %v", op.Action, op.Event.ID, op.Reason, code, asked)
			}
			if op.Action == Update && asked && (op.Effects.Has(schema.Mails) || op.Reason != FoundAgain) {
				t.Errorf("guests may be mailed: %s (%s)", op.Body, op.Reason)
			}
		})
	}
}

func TestARowWaitsWhereItsCalendarCannotBeListed(t *testing.T) {
	p := New(Config{
		History: History{Memory: memory{}}, Resolve: func(string) (string, error) { return "cal-1", nil },
		Platform: Platform{
			Find: func(Event) ([]string, error) { return nil, errors.New("key refused") },
		},
	})
	if op := p.Add(new(Op), draftOf(t, schema.Upsert, "K", tea)); op.Action != Blocked || op.Reason != "key refused" {
		t.Errorf("%s (%s)", op.Action, op.Reason)
	}
}

func TestCalendarsWithoutAKeyAreRefused(t *testing.T) {
	d := draftOf(t, schema.Upsert, "K", tea)
	d.Calendar = "cal-9"
	op := planner(memory{}, Options{}).Add(new(Op), d)
	if op.Action != Invalid || len(op.Problems) != 1 || op.Problems[0].Code != schema.CodeUnknownCalendar {
		t.Errorf("op %+v", op)
	}
}

func TestErrorsAndSkipsComeFirst(t *testing.T) {
	p := planner(memory{}, Options{})
	bad := p.Add(&Op{Payload: Payload{Problems: []schema.Problem{{Code: schema.CodeBadZone}}}}, draftOf(t, schema.Upsert, "K", tea))
	warned := p.Add(&Op{Payload: Payload{Problems: []schema.Problem{{Severity: schema.Warning}}}}, draftOf(t, schema.Upsert, "K", tea))
	skipped := p.Add(&Op{Action: Skip, Reason: "the filter leaves it out"}, draftOf(t, schema.Upsert, "K", tea))
	says := p.Add(new(Op), draftOf(t, schema.Skip, "K", tea))
	unread := p.Add(new(Op), nil)
	got := []Action{bad.Action, warned.Action, skipped.Action, unread.Action}
	if diff := cmp.Diff([]Action{Invalid, Create, Skip, Invalid}, got); diff != "" {
		t.Error(diff)
	}
	left := []string{skipped.Event.Name, skipped.Reason, says.Event.Name, says.Reason}
	if diff := cmp.Diff([]string{"Tea", "the filter leaves it out", "Tea", "the row says SKIP"}, left); diff != "" {
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
			op := first.Add(new(Op), d.Clone())
			if op.Action != Create {
				t.Fatalf("first plan: %s (%s)", op.Action, op.Reason)
			}
			m[d.Key] = Known{EventID: fmt.Sprintf("evt-%d", n), Hash: op.Hash, Run: "r"}
		}
		second := planner(m, Options{})
		for _, d := range drafts {
			if op := second.Add(new(Op), d.Clone()); op.Action != Unchanged {
				t.Fatalf("second plan: %s (%s)", op.Action, op.Reason)
			}
		}
	})
}
