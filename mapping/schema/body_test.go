package schema_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// failer is a test or a property that is checked.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// draft sets fields of an event by path; the text <clear> clears.
func draft(t failer, pairs ...string) *schema.Draft {
	t.Helper()
	return draftOf(t, catalog.Events, pairs...)
}

func draftOf(t failer, r *schema.Resource, pairs ...string) *schema.Draft {
	t.Helper()
	d := &schema.Draft{}
	d.Reset(r, schema.Place{Row: 2, Column: -1})
	for i := 0; i < len(pairs); i += 2 {
		f, ok := r.ByPath(pairs[i])
		if !ok {
			t.Fatalf("no field %s", pairs[i])
		}
		s := schema.Setting{Column: i / 2}
		var fault *schema.Fault
		switch pairs[i+1] {
		case "<clear>":
			fault = f.Clear(&s)
		case "<empty>":
			fault = f.SetEmpty(&s)
		default:
			fault = value.Parse(f, &s, pairs[i+1])
		}
		if fault != nil {
			t.Fatalf("%s: %s", pairs[i], fault.Message)
		}
		if f.ID >= schema.FirstOwn { // the others are no settings: the reader keeps them elsewhere
			d.Put(s)
		}
	}
	return d
}

// operation is the operation on events that does so.
func operation(does schema.Action) *schema.Operation { return catalog.Events.Operation(does, false) }

func TestAppendBody(t *testing.T) {
	for _, c := range []struct {
		name  string
		pairs []string
		op    schema.Action
		want  string
	}{
		{"nothing", nil, schema.Update, `{}`},
		{
			"order is the table's",
			[]string{"timezone", "Europe/Berlin", "start_at", "2026-05-01 18:30+02:00", "name", "Tea \"5\"\n", "event_id", "evt-1"},
			schema.Update,
			`{"event_id":"evt-1","name":"Tea \"5\"","start_at":"2026-05-01T18:30:00+02:00","timezone":"Europe/Berlin"}`,
		},
		{
			"kinds",
			[]string{
				"max_capacity", "100.0", "registration_open", "NO", "theme", "Grain Dark", "tint_color", "#f80", "description_md",
				" a\n\tb ",
			},
			schema.Create,
			`{"description_md":" a\n\tb ","theme":"grain-dark","tint_color":"#f80","registration_open":false,"max_capacity":100}`,
		},
		{
			"null and empty text",
			[]string{"max_capacity", "<clear>", "font", "<clear>", "declined_email_md", "<empty>"},
			schema.Update,
			`{"font":null,"max_capacity":null,"declined_email_md":""}`,
		},
		{
			"create leaves out what only update takes",
			[]string{"event_id", "evt-1", "suppress_email", "true", "name", "Tea"},
			schema.Create, `{"name":"Tea"}`,
		},
		{
			"update leaves out what only create takes", []string{
				"ticket_types", `[{"name":"A","type":"free"}]`, "name", "Tea",
			}, schema.Update, `{"name":"Tea"}`,
		},
		{
			"create with tickets", []string{
				"ticket_types", `[ {"name":"A", "type":"free"} ]`, "name", "Tea",
			}, schema.Create, `{"name":"Tea","ticket_types":[{"name":"A","type":"free"}]}`,
		},
		{
			"local columns stay here",
			[]string{"calendar_id", "cal-1", "key", "k", "action", "create", "cover_file", "a.png", "custom_source", "x"},
			schema.Create,
			`{}`,
		},
		{
			"deprecated names go under the new ones",
			[]string{
				"event_api_id", "evt-1", "suppress_notifications", "yes", "geo_latitude", "1.50", "geo_longitude", "2",
				"zoom_meeting_url", "https://a.example/",
			},
			schema.Update,
			`{"event_id":"evt-1","meeting_url":"https://a.example/","coordinate":{"latitude":1.50,"longitude":2},"suppress_email":true}`,
		},
		{"an address is manual", []string{"address", "here"}, schema.Create, `{"geo_address_json":{"type":"manual","address":"here"}}`},
		{
			"a place is google",
			[]string{"place_id", "p", "geo_address_json.description", "<clear>"},
			schema.Create,
			`{"geo_address_json":{"type":"google","place_id":"p","description":null}}`,
		},
		{"a query is lookup", []string{"query", "hall"}, schema.Create, `{"geo_address_json":{"type":"lookup","query":"hall"}}`},
		{
			"parts with their type",
			[]string{"geo_address_json.address", "here", "geo_address_json.type", "Manual"},
			schema.Update,
			`{"geo_address_json":{"type":"manual","address":"here"}}`,
		},
		{
			"whole objects",
			[]string{"feedback_email", `{"enabled": true}`, "tax_config", `{"x":[1, 2]}`},
			schema.Update,
			`{"tax_config":{"x":[1,2]},"feedback_email":{"enabled":true}}`,
		},
		{
			"an object of parts",
			[]string{"feedback_email.delay", "PT2H", "feedback_email.enabled", "1"},
			schema.Update,
			`{"feedback_email":{"enabled":true,"delay":"PT2H"}}`,
		},
	} {
		got, err := schema.AppendBody([]byte("before"), draft(t, c.pairs...), operation(c.op))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if string(got) != "before"+c.want {
			t.Errorf("%s:\n have %s\n want before%s", c.name, got, c.want)
		}
	}
}

func TestAppendBodyRefusesWhatMakesNoObject(t *testing.T) {
	for _, c := range []struct {
		code  schema.Code
		pairs []string
	}{
		{schema.CodeHalfCoordinate, []string{"coordinate.latitude", "1"}},
		{schema.CodeHalfCoordinate, []string{"coordinate.longitude", "1"}},
		{schema.CodeDelayWithoutOn, []string{"feedback_email.delay", "PT1H"}},
		{schema.CodeExclusiveFields, []string{"coordinate", `{"longitude":1,"latitude":2}`, "coordinate.latitude", "1"}},
		{schema.CodeExclusiveFields, []string{"geo_address_json", `{"type":"lookup","query":"x"}`, "query", "x"}},
		{schema.CodeExclusiveFields, []string{"address", "a", "geo_address_json.address", "b"}},
		{schema.CodeExclusiveFields, []string{"address", "a", "place_id", "b"}},
		{schema.CodeExclusiveFields, []string{"address", "a", "geo_address_json.type", "google"}},
		{schema.CodeExclusiveFields, []string{"address", "a", "geo_address_json.description", "b"}},
		{schema.CodeIncompleteObject, []string{"geo_address_json.type", "google"}},
		{schema.CodeIncompleteObject, []string{"geo_address_json.description", "b"}},
	} {
		d := draft(t, c.pairs...)
		for _, op := range []schema.Action{schema.Create, schema.Update} {
			_, err := schema.AppendBody(nil, d, operation(op))
			if fault, ok := errors.AsType[*schema.Fault](err); !ok || fault.Code != c.code {
				t.Errorf("%v: %v, want %s", c.pairs, err, c.code)
			}
		}
		if _, err := schema.AppendContent(nil, d); err == nil {
			t.Errorf("%v has content", c.pairs)
		}
	}
}

func TestContentIsOneForCreateAndUpdate(t *testing.T) {
	created := draft(t, "name", "Tea", "start_at", "2026-05-01T18:30:00+02:00", "ticket_types", `[{"name":"A","type":"free"}]`, "key", "k")
	updated := draft(t, "event_id", "evt-1", "suppress_email", "true", "start_at", "2026-05-01T16:30Z", "name", "Tea", "action", "UPDATE")
	other := draft(t, "event_id", "evt-1", "start_at", "2026-05-01T16:31Z", "name", "Tea")
	pictured := draft(t, "name", "Tea", "start_at", "2026-05-01T16:30Z", "cover_file", "a.png")
	content := func(d *schema.Draft) string {
		got, err := schema.AppendContent(nil, d)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	if content(created) != content(updated) {
		t.Errorf("%s\n%s", content(created), content(updated))
	}
	if content(created) == content(other) || content(created) == content(pictured) {
		t.Error("another time or another picture is the same content")
	}
}

func TestContentOfAListHasNoOrder(t *testing.T) {
	content := func(types string) string {
		got, err := schema.AppendContent(nil, draftOf(t, catalog.Webhooks, "url", "https://hooks.example.org", "event_types", types))
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	one := content("event.updated; event.created")
	if other := content("event.created;event.updated"); other != one {
		t.Errorf("%s\n%s", one, other)
	}
	if other := content("event.created, event.updated"); other != one {
		t.Errorf("commas between values: %s\n%s", one, other)
	}
	if other := content("event.created; event.canceled"); other == one {
		t.Error("other items are the same content")
	}
}

func TestAppendWith(t *testing.T) {
	for body, want := range map[string]string{`{}`: `{"event_id":"evt-\"1"}`, `{"name":"Tea"}`: `{"event_id":"evt-\"1","name":"Tea"}`} {
		if got := string(schema.AppendWith(nil, []byte(body), catalog.Path(catalog.FieldEventID), `evt-"1`)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The order of columns makes no difference, and what is sent is what was set.
func TestBodyOfAnyDraft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs []string
		want := map[string]any{}
		for _, f := range catalog.Events.Columns() {
			excluded := slices.ContainsFunc(catalog.Events.Rules, func(r schema.Rule) bool {
				return r.Kind == schema.Exclusive &&
					(r.A == f.Path && slices.Contains(pairs, r.B) || r.B == f.Path && slices.Contains(pairs, r.A))
			})
			if f.Local || f.Deprecated || f.Of != schema.FieldCalendarID || f.Each != nil || excluded || !rapid.Bool().Draw(t, f.Path) {
				continue
			}
			value := f.Example
			switch {
			case f.Nullable && rapid.Bool().Draw(t, "clear"):
				value = "<clear>"
			case f.Kind == schema.Text || f.Kind == schema.Markdown:
				value = "x" + rapid.StringMatching(`[ -~\n\t\x00é日]*`).Draw(t, "text") + "x"
			}
			pairs = append(pairs, f.Path, value)
			var v any = value
			switch {
			case value == "<clear>":
				v = nil
			case f.Kind == schema.Bool || f.Kind == schema.Integer || f.Kind.JSON():
				if err := json.Unmarshal([]byte(value), &v); err != nil {
					t.Fatalf("%s: %v", f.Path, err)
				}
			}
			if f.On.Has(schema.OnUpdate) {
				want[f.Path] = v
			}
		}
		body, err := schema.AppendBody(nil, draft(t, pairs...), operation(schema.Update))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		order := rapid.Permutation(couples(pairs)).Draw(t, "order")
		again, err := schema.AppendBody(nil, draft(t, slices.Concat(order...)...), operation(schema.Update))
		if err != nil || string(again) != string(body) {
			t.Fatalf("another order of columns:\n %s\n %s", body, again)
		}
	})
}

func couples(pairs []string) (twos [][]string) {
	for i := 0; i < len(pairs); i += 2 {
		twos = append(twos, pairs[i:i+2])
	}
	return twos
}

func TestColumnOf(t *testing.T) {
	columns := draft(t, "name", "Tea", "start_at", "2026-05-01T16:30Z", "address", "here", "geo_latitude", "1", "geo_longitude", "2",
		"feedback_email", `{"enabled":true}`, "registration_questions", `[]`, "key", "k", "cover_file", "tea.png").Columns()
	want := map[string]int{
		"name": 0, "start_at": 1, "geo_address_json.address": 2, "coordinate.latitude": 3, "coordinate.longitude": 4, "feedback_email": 5,
		"registration_questions": 6,
		"cover_file":             8,
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{
		"name": "name", "start_at": "start_at", "registration_questions[2].options": "registration_questions",
		"registration_questions.2.options.0": "registration_questions",
		"feedback_email.delay":               "feedback_email", "coordinate": "coordinate.latitude",
		"coordinate.longitude": "coordinate.longitude", "geo_address_json": "geo_address_json.address",
		"geo_address_json.type": "geo_address_json.address", "/start_at": "start_at", "nam": "", "": "", "end_at": "",
		"name_requirement": "", ".": "",
		"cover_file": "cover_file", "cover_url": "cover_file",
	} {
		field, column, ok := catalog.Events.ColumnOf(columns, path)
		if field != want || ok != (want != "") || (ok && column != columns[want]) || (!ok && column != -1) {
			t.Errorf("%q is on %q, column %d, %t, want %q", path, field, column, ok, want)
		}
	}
}

func TestBodiesOfOtherResources(t *testing.T) {
	for _, c := range []struct {
		resource *schema.Resource
		does     schema.Action
		fields   []string
		want     string
	}{
		{
			catalog.Guests, schema.Create,
			[]string{"email", "ada@example.org", "name", "Ada", "status", "waitlist", "send_email", "false"},
			`{"guests":[{"email":"ada@example.org","name":"Ada"}],"approval_status":"waitlist","send_email":false}`,
		},
		{catalog.Guests, schema.Create, []string{"email", "ada@example.org"}, `{"guests":[{"email":"ada@example.org"}]}`},
		{
			catalog.Guests, schema.Update,
			[]string{"email", "ada@example.org", "name", "Ada", "status", "declined"},
			`{"guest_id":"ada@example.org","status":"declined"}`,
		},
		{
			catalog.Coupons, schema.Create,
			[]string{"event", "K1", "code", "SPRING", "percent_off", "20", "remaining_count", "5"},
			`{"code":"SPRING","discount":{"discount_type":"percent","percent_off":20},"remaining_count":5}`,
		},
		{
			catalog.Coupons, schema.Create,
			[]string{"code", "SPRING", "cents_off", "500", "currency", "eur"},
			`{"code":"SPRING","discount":{"discount_type":"amount","cents_off":500,"currency":"eur"}}`,
		},
		{
			catalog.Coupons, schema.Update,
			[]string{"code", "SPRING", "cents_off", "500", "currency", "eur", "remaining_count", "0"},
			`{"code":"SPRING","remaining_count":0}`,
		},
	} {
		d := schema.NewDraft(c.resource, schema.Place{})
		for i := 0; i < len(c.fields); i += 2 {
			f, _ := c.resource.ByPath(c.fields[i])
			var s schema.Setting
			if fault := value.Parse(f, &s, c.fields[i+1]); fault != nil {
				t.Fatal(fault)
			}
			d.Put(s)
		}
		body, err := schema.AppendBody(nil, d, c.resource.Operation(c.does, c.resource == catalog.Coupons && !d.Has(c.resource.Own[0].ID)))
		if err != nil || string(body) != c.want {
			t.Errorf("%s %s\n%v: %v\nwant %s", c.does, c.fields, string(body), err, c.want)
		}
	}
	op := catalog.OperationNamed("events/guests/add")
	one := json.RawMessage(`{"guests":[{"email":"a@b.c"}],"send_email":false}`)
	two := json.RawMessage(`{"guests":[{"email":"d@b.c"}],"send_email":false}`)
	both, err := op.Gather([]json.RawMessage{one, two})
	if want := `{"guests":[{"email":"a@b.c"},{"email":"d@b.c"}],"send_email":false}`; err != nil || string(both) != want {
		t.Errorf("gathered %s, %v", both, err)
	}
	if shared, err := op.Shared(one); err != nil || string(shared) != `{"send_email":false}` {
		t.Errorf("shared %s, %v", shared, err)
	}
}
