package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// TestFieldRules has for each field values that are taken, with those that are
// refused and the path of their line.
func TestFieldRules(t *testing.T) {
	_, c := unlimited(t)
	id := c.create("Tea", "")
	options := func(n int) string { return `["` + strings.Repeat(`x","`, n-1) + `x"]` }
	question := func(more string) string {
		return `[{"id":"q","label":"Q","required":false,` + more + `}]`
	}
	tests := []struct {
		field   string
		good    []string
		bad     []string
		badPath string // where it is not the field
	}{
		{field: "name", good: []string{`"Tea"`, `"\u00e9"`}, bad: []string{`""`, `"  "`, `null`, `1`, `true`, `["x"]`, `{}`}},
		{
			field: "start_at", good: []string{`"2024-02-29T10:00Z"`, `"2026-05-01T10:00:00.123456+14:00"`, `"2026-05-01T10:00:59-00:30"`},
			bad: []string{
				`"2026-05-01"`, `"2026-05-01T10:00"`, `"2026-05-01T10:00:00"`, `"2025-02-29T10:00Z"`, `"2026-13-01T10:00Z"`,
				`"2026-05-01T24:00Z"`, `"2026-05-01T10:60Z"`, `"2026-05-01 10:00Z"`, `"2026-05-01T10:00:00,5Z"`,
				`"2026-05-01T10:00+0200"`, `"2026-05-01T1:00Z"`, `1777629600`, `null`, `""`,
			},
		},
		{field: "end_at", good: []string{`"2126-05-01T10:00Z"`}, bad: []string{`"2126-05-01"`, `null`, `"2000-05-01T10:00Z"`}},
		{
			field: "timezone", good: []string{`"America/New_York"`, `"UTC"`},
			bad: []string{`"Local"`, `""`, `"EST5EDT"`, `"America/Nowhere"`, `"+02:00"`, `null`},
		},
		{
			field: "slug", good: []string{`"abc"`, `"` + strings.Repeat("a", 50) + `"`},
			bad: []string{`"ab"`, `"` + strings.Repeat("a", 51) + `"`, `"a/b"`, `""`, `null`},
		},
		{field: "visibility", good: quoted(catalog.Visibilities), bad: []string{`"Public"`, `"hidden"`, `""`, `null`}},
		{field: "location_visibility", good: quoted(catalog.LocationVisibilities), bad: []string{`"private"`, `null`}},
		{field: "waitlist_status", good: quoted(catalog.WaitlistStatuses), bad: []string{`true`, `"on"`, `null`}},
		{field: "name_requirement", good: quoted(catalog.NameRequirements), bad: []string{`"none"`, `null`}},
		{field: "phone_number_requirement", good: append(quoted(catalog.PhoneRequirements), `null`), bad: []string{`"none"`, `""`}},
		{field: "theme", good: quoted(catalog.Themes), bad: []string{`"Warp"`, `"retired"`, `null`}},
		{field: "font", good: append(quoted(catalog.Fonts), `null`), bad: []string{`"comic"`, `""`}},
		{field: "tint_color", good: []string{`"#fff"`, `"#AbC123"`}, bad: []string{`"fff"`, `"#ffff"`, `"#ggg"`, `"red"`, `null`}},
		{field: "max_capacity", good: []string{`0`, `12`, `1e2`, `null`}, bad: []string{`-1`, `1.5`, `"12"`, `1e99`, `1e999`, `true`}},
		{field: "registration_open", good: []string{`true`, `false`}, bad: []string{`"true"`, `1`, `null`}},
		{field: "can_register_for_multiple_tickets", good: []string{`true`}, bad: []string{`"yes"`, `null`}},
		{field: "reminders_disabled", good: []string{`false`}, bad: []string{`0`, `null`}},
		{field: "show_guest_list", good: []string{`true`}, bad: []string{`"true"`, `null`}},
		{field: "suppress_email", good: []string{`true`}, bad: []string{`"true"`, `null`}},
		{
			field: "meeting_url", good: []string{`"https://meet.test/x"`, `"http://meet.test"`},
			bad: []string{`"meet.test/x"`, `"ftp://meet.test"`, `"https://"`, `"https://a b"`, `null`},
		},
		{field: "create_meeting", good: quoted(catalog.Meetings), bad: []string{`"teams"`, `true`, `null`}},
		{
			field: "cover_url", good: []string{
				`"https://images.sandbox.invalid/a/b.png"`, `"https://images.sandbox.invalid/uploads/older.png"`,
			},
			bad: []string{
				`"https://images.test/a.png"`, `"https://images.sandbox.invalid"`,
				`"https://images.sandbox.invalid.evil.test/a.png"`, `"https://images.sandbox.invalid/../a"`, `""`, `null`,
			},
		},
		{field: "coordinate", good: []string{`{"longitude":-180,"latitude":90}`}, bad: []string{`null`, `[]`, `"1,2"`}},
		{
			field: "coordinate",
			bad: []string{
				`{"longitude":1}`, `{"longitude":1,"latitude":91}`, `{"longitude":1,"latitude":null}`,
				`{"longitude":1,"latitude":"2"}`,
			},
			badPath: "coordinate.latitude",
		},
		{field: "coordinate", bad: []string{`{"longitude":1,"latitude":1,"altitude":1}`}, badPath: "coordinate.altitude"},
		{
			field: "coordinate", bad: []string{`{"longitude":1,"latitude":1,"longitude":2}`, `{"latitude":1,"longitude":-180.1}`},
			badPath: "coordinate.longitude",
		},
		{
			field: "geo_address_json", good: []string{
				`{"type":"manual","address":"1 High Street"}`, `{"type":"google","place_id":"p"}`,
				`{"type":"google","place_id":"p","description":null}`, `{"type":"lookup","query":"Town Hall"}`,
			},
			bad: []string{`null`, `"1 High Street"`},
		},
		{
			field: "geo_address_json", bad: []string{`{}`, `{"address":"x"}`, `{"type":"apple","place_id":"x"}`, `{"type":null}`},
			badPath: "geo_address_json.type",
		},
		{
			field:   "geo_address_json",
			bad:     []string{`{"type":"manual"}`, `{"type":"manual","address":""}`, `{"type":"google","place_id":"p","address":"x"}`},
			badPath: "geo_address_json.address",
		},
		{
			field: "geo_address_json", bad: []string{`{"type":"google"}`, `{"type":"manual","address":"x","place_id":"p"}`},
			badPath: "geo_address_json.place_id",
		},
		{
			field: "feedback_email",
			good:  []string{`{"enabled":true}`, `{"enabled":false,"delay":"P7D"}`, `{"enabled":true,"delay":"PT0M"}`},
			bad:   []string{`null`, `true`},
		},
		{field: "feedback_email", bad: []string{`{"delay":"PT1H"}`, `{"enabled":"yes"}`}, badPath: "feedback_email.enabled"},
		{
			field: "feedback_email",
			bad: []string{
				`{"enabled":true,"delay":"P7DT1S"}`, `{"enabled":true,"delay":"1h"}`, `{"enabled":true,"delay":null}`,
				`{"enabled":true,"delay":60}`,
			},
			badPath: "feedback_email.delay",
		},
		{field: "tax_config", good: []string{`{}`, `{"any":{"thing":[1]}}`}, bad: []string{`null`, `"x"`, `[]`}},
		{
			field: "description_md", good: []string{`"**hi**"`, `""`, `"![x](https://images.sandbox.invalid/a.png)"`},
			bad: []string{`null`, `1`, `"![x](https://elsewhere.test/a.png)"`, `"![x]( <https://elsewhere.test/a.png> \"t\")"`},
		},
		{field: "confirmation_email_md", good: []string{`"hi"`, `""`}, bad: []string{`null`, `{}`}},
		{field: "pending_approval_email_md", good: []string{`"hi"`, `""`}, bad: []string{`null`}},
		{field: "declined_email_md", good: []string{`"hi"`, `""`}, bad: []string{`null`}},
		{
			field: "registration_questions",
			good: []string{
				`[]`, question(`"question_type":"company","collect_job_title":null,"job_title_label":"x"`),
				question(`"question_type":"dropdown","options":` + options(250)),
				question(`"question_type":"terms","terms":{"content_type":"text","content_md":"x","collect_signature":true,` +
					`"require_review":true}`),
				question(`"question_type":"terms","terms":{"content_type":"link","url":"https://a.test","collect_signature":false}`),
			},
			bad: []string{`null`, `{}`, `"[]"`},
		},
		{
			field: "registration_questions", good: plainQuestions(question),
			bad: []string{question(`"question_type":"quiz"`), question(`"x":1`)}, badPath: "registration_questions.0.question_type",
		},
		{
			field: "registration_questions",
			bad: []string{
				question(`"question_type":"dropdown"`), question(`"question_type":"text","options":[]`),
				question(`"question_type":"multi-select","options":` + options(251)),
				question(`"question_type":"dropdown","options":"x"`),
			},
			badPath: "registration_questions.0.options",
		},
		{
			field: "registration_questions", bad: []string{question(`"question_type":"dropdown","options":["x",2]`)},
			badPath: "registration_questions.0.options.1",
		},
		{
			field:   "registration_questions",
			bad:     []string{question(`"question_type":"terms","terms":{"content_type":"link","url":"https://a.test"}`)},
			badPath: "registration_questions.0.terms.collect_signature",
		},
		{
			field: "registration_questions",
			bad: []string{
				question(`"question_type":"terms","terms":{"content_type":"link","content_md":"x","collect_signature":true}`),
			},
			badPath: "registration_questions.0.terms.url",
		},
		{field: "registration_questions", bad: []string{`["x"]`, `[null]`}, badPath: "registration_questions.0"},
		{field: "ticket_types", bad: []string{`[{"name":"A","type":"free"}]`}}, // on create only
		{field: "geo_latitude", bad: []string{`1`}},
		{field: "zoom_meeting_url", bad: []string{`"https://a.test"`}},
		{field: "address", bad: []string{`"x"`}},
		{field: "coordinate.latitude", bad: []string{`1`}},
		{field: "calendar_id", bad: []string{`"cal-sandbox"`}},
		{field: "nonsense", bad: []string{`1`}},
	}
	covered := map[string]bool{"event_id": true}
	for _, test := range tests {
		covered[test.field] = true
		update := func(value string) reply {
			return c.must(`POST /v1/events/update {"event_id":"` + id + `","` + test.field + `":` + value + `}`)
		}
		for _, value := range test.good {
			if r := update(value); r.status != 200 || r.body != "{}" {
				t.Errorf("%s %s: %d %s", test.field, value, r.status, r.body)
			}
		}
		path := test.badPath
		if path == "" {
			path = test.field
		}
		for _, value := range test.bad {
			if r := update(value); r.status != 400 || !strings.Contains(
				r.body, `"Invalid request.\n- `,
			) || !strings.Contains(r.body, `\n- `+path+": ") {
				t.Errorf("%s %s: %d %s, want 400 with a line for %s", test.field, value, r.status, r.body, path)
			}
		}
	}
	for _, f := range catalog.Events.Columns() {
		if taken("events/update", f) && !covered[f.Path] {
			t.Errorf("field %s of the tables has no line in this test", f.Path)
		}
	}
}

func quoted(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = `"` + w + `"`
	}
	return list
}

func plainQuestions(question func(string) string) (list []string) {
	for _, kind := range catalog.QuestionTypes {
		switch kind {
		case "dropdown", "multi-select", "terms":
		default:
			list = append(list, question(`"question_type":"`+kind+`"`))
		}
	}
	return list
}

func TestCreateRules(t *testing.T) {
	s, c := unlimited(t)
	tests := []struct {
		name, body string
		paths      []string // of the lines; none for a success
	}{
		{"least", tea, nil},
		{"nothing", `{}`, []string{"name", "start_at", "timezone"}},
		{"event_id", strings.Replace(tea, "{", `{"event_id":"evt-1",`, 1), []string{"event_id"}},
		{"suppress_email", strings.Replace(tea, "{", `{"suppress_email":true,`, 1), []string{"suppress_email"}},
		{"several", `{"name":"","start_at":"noon","timezone":"Mars"}`, []string{"name", "start_at", "timezone"}},
		{"end before start", strings.Replace(tea, "{", `{"end_at":"2026-05-01T18:29:59+02:00",`, 1), []string{"end_at"}},
		{"end at start", strings.Replace(tea, "{", `{"end_at":"2026-05-01T18:30:00+02:00",`, 1), nil},
		{
			"tickets",
			strings.Replace(
				tea, "{", `{"ticket_types":[{"name":"A","type":"paid","cents":1,"currency":"eur","require_approval":true}],`, 1,
			),
			nil,
		},
		{"ticket without a type", strings.Replace(tea, "{", `{"ticket_types":[{"name":"A"}],`, 1), []string{"ticket_types.0.type"}},
		{
			"ticket below nothing", strings.Replace(tea, "{", `{"ticket_types":[{"name":"A","type":"paid","cents":-1}],`, 1),
			[]string{"ticket_types.0.cents"},
		},
		{
			"priced free ticket", strings.Replace(tea, "{", `{"ticket_types":[{"name":"A","type":"free","cents":1}],`, 1),
			[]string{"ticket_types.0.cents"},
		},
		{
			"currency in capitals", strings.Replace(tea, "{", `{"ticket_types":[{"name":"A","type":"paid","currency":"EUR"}],`, 1),
			[]string{"ticket_types.0.currency"},
		},
		{
			"meeting beside a link", strings.Replace(tea, "{", `{"create_meeting":"zoom","meeting_url":"https://a.test",`, 1),
			[]string{"create_meeting"},
		},
		{
			"meeting beside a place",
			strings.Replace(tea, "{", `{"create_meeting":"zoom","geo_address_json":{"type":"manual","address":"x"},`, 1),
			[]string{"create_meeting"},
		},
		{"name twice", strings.Replace(tea, "{", `{"name":"Coffee",`, 1), []string{"name"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := s.Stats().Created
			r := c.must("POST /v1/events/create " + test.body)
			if len(test.paths) == 0 {
				if r.status != 200 || !strings.HasPrefix(r.body, `{"id":"evt-`) || strings.Count(r.body, ":") != 1 {
					t.Errorf("%d %s", r.status, r.body)
				}
				return
			}
			var said struct{ Message string }
			if err := json.Unmarshal([]byte(r.body), &said); err != nil || r.status != 400 {
				t.Fatalf("%d %s", r.status, r.body)
			}
			lines := strings.Split(said.Message, "\n")[1:]
			if len(lines) != len(test.paths) {
				t.Fatalf("lines %q, want one each for %v", lines, test.paths)
			}
			for i, path := range test.paths {
				if !strings.HasPrefix(lines[i], "- "+path+": ") {
					t.Errorf("line %q, want one for %s", lines[i], path)
				}
			}
			if s.Stats().Created != before {
				t.Error("a refused create took effect")
			}
		})
	}
}

func TestBodiesThatAreNone(t *testing.T) {
	s, c := unlimited(t)
	for _, body := range []string{
		"", "{", "[]", "null", `"x"`, tea + "x", tea + tea, strings.TrimSuffix(tea, "}"), `{"name":}`, `{1:2}`, `{"a":"` + "\xff",
	} {
		if r := c.must("POST /v1/events/create " + body); r.status != 400 {
			t.Errorf("%q: %d %s", body, r.status, r.body)
		}
	}
	if r := c.with("Content-Type", "text/plain").must("POST /v1/events/create " + tea); r.status != 400 {
		t.Errorf("other media type: %d", r.status)
	}
	if r := c.with("Content-Type", "application/json; charset=utf-8").must("POST /v1/events/create " + tea); r.status != 200 {
		t.Errorf("media type with a parameter: %d", r.status)
	}
	if r := c.must("POST /v1/events/create {\"name\":\"" + strings.Repeat("x", bodyMax) + "\"}"); r.status != 413 {
		t.Errorf("too large: %d", r.status)
	}
	if n := len(s.Events()); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestMeetingIsCreatedEachTime(t *testing.T) {
	s, c := unlimited(t)
	id := c.create("Tea", `"create_meeting":"zoom"`)
	first := c.ok("GET /v1/events/get?event_id=" + id)["meeting_url"]
	c.ok(`POST /v1/events/update {"event_id":"` + id + `","create_meeting":"google-meet"}`)
	second := c.ok("GET /v1/events/get?event_id=" + id)["meeting_url"]
	if first == nil || second == nil || first == second || s.Events()[0].Meetings != 2 {
		t.Errorf("meetings %v, %v, counted %d", first, second, s.Events()[0].Meetings)
	}
}

// FuzzUpdate sends any members: the service neither breaks nor answers outside its
// words; what it takes, it can write down and read back.
func FuzzUpdate(f *testing.F) {
	for _, field := range catalog.Events.Columns() {
		if taken("events/update", field) && field.ID != catalog.FieldEventID {
			value, err := json.Marshal(field.Example)
			if err != nil {
				f.Fatal(err)
			}
			if json.Valid([]byte(field.Example)) && field.Kind != schema.Text {
				value = []byte(field.Example)
			}
			f.Add(fmt.Sprintf(`"%s":%s`, field.Path, value))
		}
	}
	for _, seed := range []string{
		`"name":"x","name":"y"`, `"font":null,"theme":"warp"`, `"end_at":"2000-01-01T00:00Z"`, `"tax_config":{"a":{"a":[]}}`,
		`"suppress_notifications":true`, `"slug":"tea"`, `"registration_questions":[{"id":"q"},1]`,
		`"coordinate":{"longitude":1e400,"latitude":0}`, `"name":"\ud800"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, members string) {
		s, err := New(Config{Limits: Limits{Calendar: -1}})
		if err != nil {
			t.Fatal(err)
		}
		c := clientOf(t, s)
		id := c.create("Tea", "")
		c.create("Other", `"slug":"tea"`)
		r := c.must(`POST /v1/events/update {"event_id":"` + id + `",` + members + `}`)
		switch r.status {
		case 200:
			if r.body != "{}" {
				t.Errorf("body %s", r.body)
			}
		case 400, 403, 413:
			var said errorBody
			if json.Unmarshal([]byte(r.body), &said) != nil || said.Message == "" {
				t.Errorf("body %s", r.body)
			}
		default:
			t.Errorf("%s: %d %s", members, r.status, r.body)
		}
		c.ok("GET /v1/events/get?event_id=" + id)
		c.ok("GET /v1/event/get?api_id=" + id)
		for _, e := range s.Events() {
			for name := range e.Fields {
				if f, ok := catalog.Events.ByPath(name); !ok || !taken("events/create", f) {
					t.Errorf("%s: the event has kept %s", members, name)
				}
			}
			if line, err := json.Marshal(record{Type: "create", ID: e.ID, Fields: e.Fields}); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}

// taken reports whether the body of an operation has the field as a member.
func taken(operation string, f *schema.Field) bool {
	members := routes()[catalog.OperationNamed(operation).Path].members
	return slices.ContainsFunc(members, func(m member) bool { return m.field == f })
}
