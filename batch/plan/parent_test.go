package plan

import (
	"errors"
	"strconv"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// recordOf makes the draft of a record, at a row of the sheet that is called as its resource.
func recordOf(t *testing.T, r *schema.Resource, row int, action schema.Action, fields map[string]string) *schema.Draft {
	d := schema.NewDraft(r, schema.Place{File: "season.xlsx", Sheet: r.Title(), Row: row, Column: -1})
	d.Action, d.Calendar = action, fields["calendar_id"]
	for i := range r.Own {
		f := &r.Own[i]
		if text := fields[f.Path]; text != "" {
			s := schema.Setting{Field: f.ID, Column: int(f.ID)}
			if fault := value.Parse(f, &s, text); fault != nil {
				t.Fatalf("%s: %v", f.Path, fault)
			}
			s.Field = f.ID
			d.Put(s)
		}
	}
	return d
}

// read is a row as it was read.
type read struct {
	op Op
	d  *schema.Draft
}

// season plans two calendars: events with the given memory, then one guest of each word. It
// returns the ops of the guests.
func season(t *testing.T, m memory, events []read, guests ...map[string]string) (ops, children []*Op) {
	p := New(Config{
		Linked: true, History: History{Memory: m}, Options: Options{Slug: "derive", Compare: "sent"},
		Resolve: func(calendar string) (string, error) {
			if calendar == "" {
				return "", errors.New("no calendar is said")
			}
			return calendar, nil
		},
		Platform: Platform{
			Parent: func(_, word string) (string, error) {
				return map[string]string{"live": "evt-live"}[word], nil
			},
			Listed: func(_ *schema.Resource, e *Event) (*Listed, error) {
				if e.Parent == "" {
					t.Error("the guests of an event were listed that is not there")
				}
				return nil, nil
			},
		},
	})
	add := func(in read) *Op {
		in.op.N = len(ops)
		op := p.Add(&in.op, in.d)
		ops = append(ops, op)
		return op
	}
	for _, in := range events {
		add(in)
	}
	for i, fields := range guests {
		if fields["email"] == "" {
			fields["email"] = "g" + strconv.Itoa(i) + "@example.org"
		}
		action := schema.Upsert
		if fields["action"] != "" {
			action, _ = value.ParseAction(fields["action"], catalog.Guests.Verbs())
		}
		children = append(children, add(read{d: recordOf(t, catalog.Guests, i+2, action, fields)}))
	}
	return ops, children
}

func eventIn(t *testing.T, row int, action schema.Action, key, calendar string, more ...string) read {
	d := draftOf(t, action, key, and(tea, more...))
	d.Calendar, d.Place = calendar, schema.Place{File: "season.xlsx", Sheet: "Events", Row: row, Column: -1}
	return read{Op{Row: Row{Number: row}}, d}
}

func TestARecordFindsItsEventInThePlan(t *testing.T) {
	remembered := memory{
		"old":   {EventID: "evt-old", Hash: "x+", Run: "R1"},
		"owed":  {Owed: true, Run: "R2"},
		"away":  {EventID: "evt-away", Cancelled: true, Hash: "x+", Run: "R1"},
		"there": {EventID: "evt-there", Run: "R1"},
	}
	wrong := eventIn(t, 8, schema.Upsert, "wrong", "cal-1")
	wrong.op.Problems = []schema.Problem{{Severity: schema.Error, Field: "name"}}
	wrongOld := eventIn(t, 9, schema.Upsert, "there", "cal-1")
	wrongOld.op.Problems = wrong.op.Problems
	events := []read{
		eventIn(t, 2, schema.Upsert, "new", "cal-1", "slug", "New-Tea"),
		eventIn(t, 3, schema.Upsert, "old", "cal-2"),
		eventIn(t, 4, schema.Upsert, "named", "cal-1", "event_id", "evt-named"),
		eventIn(t, 5, schema.Upsert, "both", "cal-1", "slug", "both-1"),
		eventIn(t, 6, schema.Upsert, "both", "cal-2", "slug", "both-2"),
		eventIn(t, 7, schema.Cancel, "gone", "cal-1", "event_id", "evt-gone"),
		wrong, wrongOld,
		eventIn(t, 10, schema.Upsert, "owed", "cal-1"),
		eventIn(t, 11, schema.Upsert, "away", "cal-1"),
		eventIn(t, 12, schema.Upsert, "new", "cal-1"),
		{d: eventIn(t, 13, schema.Skip, "left", "cal-1").d},
	}
	for _, test := range []struct {
		word, calendar string
		action         Action
		after          int // 0: none
		parent, on     string
		reason         string
	}{
		{word: "new", action: Create, after: 1, on: "cal-1"},
		{word: "new-tea", action: Create, after: 1, on: "cal-1"},
		{word: "new", calendar: "cal-1", action: Create, after: 1, on: "cal-1"},
		{word: "new", calendar: "cal-2", action: Invalid, on: "cal-2", reason: `event "new" is on calendar cal-1, not on cal-2`},
		{word: "old", action: Create, parent: "evt-old", on: "cal-2"},
		{word: "named", action: Create, parent: "evt-named", on: "cal-1"},
		{word: "evt-named", action: Create, parent: "evt-named", on: "cal-1"},
		{word: "both", action: Invalid, reason: `calendars cal-1 and cal-2 both have an event "both"`},
		{word: "both", calendar: "cal-2", action: Create, after: 5, on: "cal-2"},
		{word: "both-1", action: Create, after: 4, on: "cal-1"},
		{word: "gone", action: Invalid, on: "cal-1", reason: `event "gone" is cancelled by season.xlsx:Events!7`},
		{word: "wrong", action: Blocked, on: "cal-1", reason: "its event, season.xlsx:Events!8, is invalid"},
		{word: "there", action: Create, parent: "evt-there", on: "cal-1"},
		{word: "owed", action: Blocked, on: "cal-1", reason: `run R2 has not settled event "owed": finish it first`},
		{word: "away", action: Create, after: 10, on: "cal-1"}, // it is made anew
		{word: "left", action: Invalid, on: "cal-1", reason: `no event is known by "left"`},
		{word: "live", calendar: "cal-1", action: Create, parent: "evt-live", on: "cal-1"},
		{word: "live", action: Invalid, reason: "no calendar is said"},
		{word: "nobody", calendar: "cal-1", action: Invalid, on: "cal-1", reason: `no event is known by "nobody"`},
	} {
		_, children := season(t, remembered, events, map[string]string{"event": test.word, "calendar_id": test.calendar})
		op := children[0]
		after := 0
		if len(op.After) > 0 {
			after = 1 + op.After[0]
		}
		if op.Action != test.action || after != test.after || op.Event.Parent != test.parent || op.Event.Calendar != test.on {
			t.Errorf("%s on %q: %s after %d: %+v (%s)", test.word, test.calendar, op.Action, after, op.Event, op.Reason)
		}
		if test.reason != "" && op.Reason != test.reason {
			t.Errorf("%s: %q, want %q", test.word, op.Reason, test.reason)
		}
		if (op.Event.Key == "") != (after > 0 || op.Action == Invalid || op.Action == Blocked) {
			t.Errorf("%s has the key %q", test.word, op.Event.Key)
		}
	}
}

func TestARecordOfANewEventIsOneWhateverNamesIt(t *testing.T) {
	events := []read{
		eventIn(t, 2, schema.Upsert, "new", "cal-1", "slug", "new-tea"),
		eventIn(t, 3, schema.Upsert, "other", "cal-1", "slug", "other-tea"),
	}
	_, ops := season(t, memory{}, events,
		map[string]string{"event": "new", "email": "ada@example.org"},
		map[string]string{"event": "new-tea", "email": "Ada@example.org"},
		map[string]string{"event": "other", "email": "ada@example.org"},
		map[string]string{"event": "new", "email": "bob@example.org"},
		map[string]string{"event": "new", "email": "eve@example.org", "action": "UPDATE"},
	)
	if got := ops[1].Action; got != Invalid {
		t.Errorf("the same guest under another word: %s", got)
	}
	if ops[2].Action != Create || ops[2].Group == ops[0].Group || ops[3].Group != ops[0].Group {
		t.Errorf("groups: %q, of another event %q, of the same %q", ops[0].Group, ops[2].Group, ops[3].Group)
	}
	if ops[4].Action != Invalid || ops[4].After != nil {
		t.Errorf("the update of a guest of a new event: %+v", ops[4])
	}
}

// What a record of a new event becomes once its event is made is what it would have been had
// the event been there.
func TestARecordUnderItsEventIsAsIfTheEventHadBeenThere(t *testing.T) {
	guest := map[string]string{"event": "K", "email": "Ada@example.org", "name": "Ada", "status": "waitlist"}
	_, ops := season(t, memory{}, []read{eventIn(t, 2, schema.Upsert, "K", "cal-1")}, guest)
	_, want := season(t, memory{"K": {EventID: "evt-7", Run: "R1"}}, []read{eventIn(t, 2, schema.Upsert, "K", "cal-1")}, guest)
	op := ops[0]
	op.Place(func(int) string { return "evt-7" })
	if op.Event != want[0].Event || string(op.Body) != string(want[0].Body) || op.Hash != want[0].Hash {
		t.Errorf("%+v %s, want %+v %s", op.Event, op.Body, want[0].Event, want[0].Body)
	}
}
