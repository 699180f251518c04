package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// TestDecisions goes through the table of decisions for every kind of field: a, b and c
// are three values, each as it is sent and as the platform tells it.
func TestDecisions(t *testing.T) {
	type value struct{ sent, told string }
	kinds := []struct {
		field   schema.ID
		a, b, c value
	}{
		{catalog.FieldName, value{`"Tea"`, `" Tea"`}, value{`"Cake"`, `"Cake"`}, value{`"Talk"`, `"Talk"`}},
		{
			catalog.FieldDescriptionMD,
			value{`"* tea  \r\n\r\n\r\n***"`, `"- tea\n\n---\u200b"`},
			value{`"cake\n"`, `"cake"`},
			value{`""`, `null`},
		},
		{
			catalog.FieldStartAt,
			value{`"2027-03-20T18:00:00+01:00"`, `"2027-03-20T17:00:00.000Z"`},
			value{`"2027-03-20T18:00Z"`, `"2027-03-20T18:00:00.000Z"`},
			value{`"2027-03-21T18:00Z"`, `"2027-03-21T18:00:00.000Z"`},
		},
		{catalog.FieldMaxCapacity, value{`20`, `20.0`}, value{`30`, `30`}, value{`null`, `null`}},
		{catalog.FieldRegistrationOpen, value{`true`, `true`}, value{`false`, `false`}, value{`null`, `null`}},
		{catalog.FieldTintColor, value{`"#F80"`, `"#ff8800"`}, value{`"#000000"`, `"#000"`}, value{`"#fff"`, `"#FFF"`}},
		{
			catalog.FieldCoordinate,
			value{`{"longitude":1.50,"latitude":2}`, `{"latitude":2,"longitude":1.5}`},
			value{`{"longitude":1,"latitude":2}`, `{"latitude":2,"longitude":1}`},
			value{`null`, `null`},
		},
		{
			catalog.FieldGeoAddress,
			value{`{"type":"manual","address":"1 High Street"}`, `{"address":"1 High Street","full_address":"1 High Street","city":null}`},
			value{`{"type":"google","place_id":"p1"}`, `{"address":"Hall","full_address":"Hall, Leeds","google_maps_place_id":"p1"}`},
			value{`{"type":"google","place_id":"p2"}`, `{"address":"Inn","full_address":"Inn, Leeds","google_maps_place_id":"p2"}`},
		},
		{
			catalog.FieldFeedbackEmail,
			value{`{"enabled":true}`, `{"enabled":true,"delay":"PT0M"}`},
			value{`{"enabled":false}`, `{"enabled":false,"delay":"PT0M"}`},
			value{`null`, `null`},
		},
		{
			catalog.FieldRegistrationQuestions,
			value{`[{"id":"1","label":"Who?"},{"id":"2","label":"Why?"}]`, `[{"id":"1","label":"Who?","x":1},{"id":"2","label":"Why?"}]`},
			value{`[{"id":"1","label":"Who?"}]`, `[{"id":"1","label":"Who?"}]`},
			value{`[{"id":"1","label":"How?"}]`, `[{"id":"1","label":"How?"}]`},
		},
		{catalog.FieldTheme, value{`"polkadot"`, `"polkadot"`}, value{`"wave"`, `"wave"`}, value{`"warp"`, `"warp"`}},
	}
	for _, k := range kinds {
		a, b, c := &k.a, &k.b, &k.c
		for _, row := range []struct {
			base, mine, live  *value
			want, mineIsRight Decision // by default, and where the file is right
		}{
			{a, a, a, Same, Same},
			{a, b, a, Send, Send},
			{a, a, c, Left, Left},
			{a, b, b, Same, Same},
			{a, b, c, InConflict, Send},
			{b, c, b, Send, Send},
			{c, a, b, InConflict, Send},
			{nil, b, b, Same, Same},
			{nil, b, c, Send, Send},
			{a, a, nil, Same, Same}, // lists and events do not tell it
			{a, b, nil, Send, Send},
		} {
			s := sides{field: catalog.Field(k.field), said: true, mine: json.RawMessage(row.mine.sent)}
			if row.base != nil {
				s.based, s.base = true, Agreement{json.RawMessage(row.base.sent), json.RawMessage(row.base.sent)}
			}
			if row.live != nil {
				s.told, s.live = true, json.RawMessage(row.live.told)
			}
			s.compare()
			for _, try := range []struct {
				who  string
				want Decision
			}{{Fail, row.want}, {Mine, row.mineIsRight}} {
				if got := decide([]*sides{&s}, &Options{First: Mine, OnConflict: try.who}); got != try.want {
					t.Errorf(
						"%s: base %s, mine %s, live %s, right %s: %s, want %s",
						s.field.Path, s.base.Mine, s.mine, s.live, try.who, got, try.want,
					)
				}
			}
		}
	}
}

// A search comes back as what it found: as long as the row has the same search nothing
// has moved, and another one is sent.
func TestASearchIsComparedWithWhatWasSearched(t *testing.T) {
	query := func(text string) json.RawMessage { return json.RawMessage(`{"type":"lookup","query":"` + text + `"}`) }
	found := json.RawMessage(`{"address":"Town Hall","full_address":"The Headrow","google_maps_place_id":"p1"}`)
	for mine, want := range map[string]Decision{"Hall": Same, "Inn": Send} {
		s := sides{
			field: catalog.Field(catalog.FieldGeoAddress), mine: query(mine), base: Agreement{query("Hall"), query("Hall")}, live: found,
		}
		s.said, s.told, s.based = true, true, true
		s.compare()
		if got := decide([]*sides{&s}, &Options{First: Mine, OnConflict: Fail}); got != want {
			t.Errorf("%s: %s, want %s", mine, got, want)
		}
	}
}

// Fields that stand together have one fate: an end that somebody has moved on the platform
// is in the way of a start that was moved in the file.
func TestTimesAreDecidedTogether(t *testing.T) {
	start := sides{field: catalog.Field(catalog.FieldStartAt), said: true, told: true, based: true, movement: movement{mineMoved: true}}
	end := sides{
		field: catalog.Field(catalog.FieldEndAt), told: true, based: true, movement: movement{liveMoved: true},
	} // the row does not say it
	name := sides{field: catalog.Field(catalog.FieldName), said: true, told: true, based: true, movement: movement{mineMoved: true}}
	list := groups([]*sides{&name, &start, &end})
	if len(list) != 2 {
		t.Fatalf("%d groups", len(list))
	}
	for i, want := range []Decision{Send, InConflict} {
		if got := decide(list[i], &Options{First: Mine, OnConflict: Fail}); got != want {
			t.Errorf("%s: %s, want %s", list[i][0].field.Path, got, want)
		}
	}
}

// What an earlier run sent is only looked up of rows where it matters: an unchanged row that
// is as the event is needs none of it, however many there are.
func TestUnchangedRowsLookUpNoEarlierRun(t *testing.T) {
	fields := map[string]string{"name": "Tea", "start_at": "2027-03-20T18:00:00Z", "timezone": "Etc/UTC"}
	for name, want := range map[string]int{"Tea": 0, "Cake": 1} {
		lookups := 0
		sent := Known{EventID: "evt-1", Hash: hashOf(t, fields), Run: "run"}
		p := planner(memory{"K": sent}, Options{Compare: "live", First: Mine, OnConflict: Fail})
		p.config.Live = func(*Event, bool) (map[string]json.RawMessage, bool, error) {
			return map[string]json.RawMessage{
				"name": json.RawMessage(`"` + name + `"`), "start_at": json.RawMessage(`"2027-03-20T18:00:00.000Z"`),
				"timezone": json.RawMessage(`"Etc/UTC"`),
			}, true, nil
		}
		p.config.Base = func(*Event, Known) map[string]Base {
			lookups++
			return nil // the run is no more
		}
		op := p.Add(new(Op), draftOf(t, schema.Upsert, "K", fields))
		if op.Action != Unchanged || lookups != want {
			t.Errorf("the event is called %s: %s (%s) after %d look-ups, want %d", name, op.Action, op.Reason, lookups, want)
		}
	}
}

// merged plans a row of an event that is called Tea and starts at six, whose row and platform
// said so when they last agreed, unless base or live say otherwise.
func merged(t *testing.T, o Options, row map[string]string, base map[string]Base, live map[string]string) *Op {
	t.Helper()
	told := map[string]json.RawMessage{
		"name": json.RawMessage(`"Tea"`), "start_at": json.RawMessage(`"2027-03-20T18:00:00.000Z"`),
		"timezone": json.RawMessage(`"Etc/UTC"`),
	}
	agreed := map[string]Base{}
	for field, value := range told {
		agreed[field] = Base{Agreement: Agreement{value, value}}
	}
	maps.Copy(agreed, base)
	for field, value := range live {
		told[field] = json.RawMessage(value)
	}
	o.Compare, o.First, o.OnConflict = "live", cmp.Or(o.First, Mine), cmp.Or(o.OnConflict, Fail)
	p := planner(memory{"K": {EventID: "evt-1", Hash: "other", Run: "run"}}, o)
	p.config.Live = func(*Event, bool) (map[string]json.RawMessage, bool, error) { return told, true, nil }
	p.config.Base = func(*Event, Known) map[string]Base { return agreed }
	return p.Add(new(Op), draftOf(t, schema.Upsert, "K", row))
}

// A start from the file behind an end that stays as the platform has it is a problem at the
// cell, which the service would refuse without naming it.
func TestAMergedRowIsCheckedAgain(t *testing.T) {
	end := json.RawMessage(`"2027-03-20T19:00:00.000Z"`)
	base := map[string]Base{"end_at": {Agreement: Agreement{end, end}}}
	live := map[string]string{"end_at": string(end)}
	for start, want := range map[string]Action{"2027-03-20T18:30:00Z": Update, "2027-03-20T19:30:00Z": Conflict} {
		op := merged(t, Options{}, map[string]string{"start_at": start}, base, live)
		if op.Action != want {
			t.Errorf("%s: %s, %s", start, op.Action, op.Reason)
		}
		if want == Conflict && (len(op.Problems) != 1 || op.Problems[0].Field != "start_at" || op.Problems[0].Place.Column < 0) {
			t.Errorf("%s: %+v", start, op.Problems)
		}
	}
}

// The rules of a zone change: the clock on the wall says the same, and the instant is another.
func TestZoneRulesAreTheReasonOfATimeThatTheyMove(t *testing.T) {
	sent := json.RawMessage(`"2027-07-01T18:00:00+02:00"`)
	base := map[string]Base{"start_at": {Agreement: Agreement{sent, sent}}}
	live := map[string]string{"start_at": `"2027-07-01T16:00:00.000Z"`}
	for start, want := range map[string]string{
		"2027-07-01T18:00:00+01:00": "zone rules", "2027-07-01T19:00:00+02:00": "the platform has other values",
		"2027-07-01T17:00:00+01:00": "the platform has it so",
	} {
		op := merged(t, Options{}, map[string]string{"start_at": start}, base, live)
		if op.Reason != want {
			t.Errorf("%s: %s, %s", start, op.Action, op.Reason)
		}
	}
}

// A field that the file owns is put back where somebody has changed it on the platform, and
// said to be; others stay as they are there.
func TestWhatTheFileOwnsIsPutBack(t *testing.T) {
	row := map[string]string{"name": "Tea", "start_at": "2027-03-20T18:00:00Z"}
	live := map[string]string{"name": `"Cake"`, "start_at": `"2027-03-20T19:00:00.000Z"`}
	op := merged(t, Options{Owns: []string{"start_at"}}, row, nil, live)
	if op.Action != Update || op.Reason != "changed on the platform, and put back: the file owns it" {
		t.Errorf("%s: %s", op.Action, op.Reason)
	}
	if want := `{"event_id":"evt-1","start_at":"2027-03-20T18:00:00Z","suppress_email":true}`; string(op.Body) != want {
		t.Errorf("sent %s, want %s", op.Body, want)
	}
	if len(op.Agreed) > 0 {
		t.Errorf("agreed to %v, which nobody has decided", op.Agreed)
	}
}

// What Markdown cannot say of a description, such as an event that is embedded in it, is lost
// with an update of it.
func TestAnUpdateOfADescriptionWithMoreInItWarns(t *testing.T) {
	was := json.RawMessage(`"* tea"`)
	base := map[string]Base{"description_md": {Agreement: Agreement{was, was}}}
	row := map[string]string{"description_md": "* tea & cake"}
	for text, want := range map[string]int{"tea": 0, "tea Spring concert, 8 May": 1} {
		op := merged(t, Options{}, row, base, map[string]string{"description_md": `"- tea"`, "description": `"` + text + `"`})
		if op.Action != Update || len(op.Problems) != want {
			t.Errorf("%s: %s, %+v", text, op.Action, op.Problems)
		}
	}
}

// Each question is merged by itself.
func TestListsAreMergedByTheirItems(t *testing.T) {
	list := func(items string) json.RawMessage {
		var all []string
		for item := range strings.FieldsSeq(items) {
			all = append(all, fmt.Sprintf(`{"id":"%s","label":"%s","required":true,"question_type":"text"}`, item[:1], item))
		}
		return json.RawMessage("[" + strings.Join(all, ",") + "]")
	}
	for _, c := range []struct{ base, mine, live, want string }{
		{"a b c", "a1 b c", "a b c", "a1 b c"},
		{"a b c", "a1 b c", "a b2 c", "a1 b2 c"},
		{"a b c", "a b", "a b2 c", "a b2"},           // one takes out, the other changes another
		{"a b c", "a b c d", "x a b c", "x a b c d"}, // both add
		{"a b c", "b c", "a b", "b"},
		{"a b c", "c b a", "a b c2", "c2 b a"},      // the file has moved them
		{"a b c", "a1 b c", "c b a", "c b a1"},      // the platform has
		{"a b c", "a1 b2 c", "a1 b c3", "a1 b2 c3"}, // one of them by both, to the same
		{"a b c", "a1 b c", "a2 b c", "! a"},
		{"a b c", "a1 b c", "b c", "! a"}, // changed here, taken out there
		{"a", "a b1", "a b2", "! b"},
	} {
		s := sides{
			field: catalog.Field(catalog.FieldRegistrationQuestions),
			base:  Agreement{list(c.base), list(c.base)}, mine: list(c.mine), live: list(c.live),
		}
		merged, conflicts, ok := s.mergeItems(Fail)
		var labels []string
		for _, item := range conflicts {
			var either struct{ ID string }
			_ = json.Unmarshal(item.mine, &either)
			labels = append(labels, "!", either.ID)
		}
		if len(conflicts) == 0 {
			var items []struct{ Label string }
			if err := json.Unmarshal(merged, &items); err != nil {
				t.Fatal(err)
			}
			for _, item := range items {
				labels = append(labels, item.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want || !ok {
			t.Errorf("base %s, mine %s, live %s: %s (%v), want %s", c.base, c.mine, c.live, got, ok, c.want)
		}
	}
}
