package check_test

import (
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

var now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// draft reads "CREATE key=k calendar_id=c name=A start_at=2026-…": words parted by
// " | ", each a field with its cell's text, after the action.
func draft(t *testing.T, text string) *schema.Draft {
	t.Helper()
	d := &schema.Draft{}
	d.Reset(catalog.Events, schema.Place{File: "in.csv", Row: 2, Column: -1})
	words := strings.Split(text, " | ")
	action, fault := value.ParseAction(words[0], schema.ActionNames)
	if fault != nil {
		t.Fatal(fault)
	}
	d.Action = action
	for i, word := range words[1:] {
		path, text, _ := strings.Cut(word, "=")
		field, ok := catalog.Events.ByPath(path)
		if !ok {
			t.Fatal(path)
		}
		s := schema.Setting{Column: i}
		switch text {
		case "<clear>":
			fault = field.Clear(&s)
		case "<empty>":
			fault = field.SetEmpty(&s)
		default:
			fault = value.Parse(field, &s, text)
		}
		switch {
		case fault != nil:
			t.Fatalf("%s: %v", word, fault)
		case field.ID == schema.FieldKey:
			d.Key = s.Text
		case field.ID == schema.FieldCalendarID:
			d.Calendar = s.Text
		default:
			d.Put(s)
		}
	}
	return d
}

func TestRow(t *testing.T) {
	const create = "CREATE | name=A | start_at=2026-05-01T10:00Z | timezone=UTC"
	tests := []struct{ draft, want string }{
		{create, ""},
		{create + " | end_at=2026-05-01T11:00Z", ""},
		{create + " | end_at=2026-05-01T09:00Z", "error end-before-start end_at"},
		{create + " | end_at=2026-05-01T12:00+02:00", "error end-before-start end_at"},
		{"CREATE | name=A", "error missing-value start_at; error missing-value timezone"},
		{
			"CREATE | name=A | start_at=2026-05-01T10:00Z | timezone=UTC | event_id=e",
			"error wrong-operation event_id; warning end-not-moved start_at",
		},
		{create + " | suppress_email=true", "warning field-left-out suppress_email"},
		{create + ` | ticket_types=[{"name":"a","type":"free"}]`, ""},
		{`UPDATE | event_id=e | ticket_types=[{"name":"a","type":"free"}]`, "error wrong-operation ticket_types"},
		{`UPSERT | event_id=e | ticket_types=[{"name":"a","type":"free"}]`, "error wrong-operation ticket_types"},
		{`UPSERT | key=k | ticket_types=[{"name":"a","type":"free"}]`, ""},
		{"UPDATE | name=A", "error missing-value event_id"},
		{"UPDATE | name=A | key=k", ""},
		{"UPDATE | name=A | slug=abc", ""},
		{"UPDATE | event_id=e", "warning nothing-to-do "},
		{"UPDATE | event_id=e | suppress_email=true", "warning nothing-to-do "},
		{"UPDATE | event_id=e | max_capacity=<clear>", ""},
		{"UPDATE | event_id=e | start_at=2026-05-01T10:00Z", "warning end-not-moved start_at"},
		{"UPSERT | name=A", "error missing-value start_at; error missing-value timezone"},
		{"UPSERT | name=A | key=k", ""},
		{"UPSERT | name=A | slug=abc", ""},
		{"UPSERT | event_id=e | name=A", ""},
		{"CANCEL | event_id=e", ""},
		{"CANCEL | name=A", "error missing-value event_id"},
		{"SKIP", ""},
		{"UPSERT | key=k | start_at=2026-01-15T11:59Z", "warning in-the-past start_at"},
		{"UPSERT | key=k | start_at=2026-01-15T12:01Z", ""},
		{"UPSERT | key=k | start_at=2031-02-15T12:01Z", "warning out-of-range start_at"},

		{"UPSERT | key=k | meeting_url=https://a.example.com | create_meeting=zoom", "error exclusive-fields create_meeting"},
		{"UPSERT | key=k | meeting_url=<empty> | create_meeting=zoom", ""},
		{
			`UPSERT | key=k | geo_address_json={"type":"manual","address":"a"} | create_meeting=zoom`,
			"error exclusive-fields create_meeting",
		},
		{"UPSERT | key=k | address=a | create_meeting=zoom", "error exclusive-fields create_meeting"},
		{"UPSERT | key=k | geo_address_json.query=a | create_meeting=zoom", "error exclusive-fields create_meeting"},
		{"UPSERT | key=k | address=a | place_id=b", "error exclusive-fields place_id"},
		{"UPSERT | key=k | address=a | query=b", "error exclusive-fields query"},
		{"UPSERT | key=k | place_id=a | query=b", "error exclusive-fields query"},
		{`UPSERT | key=k | geo_address_json={"type":"manual","address":"a"} | address=b`, "error exclusive-fields address"},
		{
			`UPSERT | key=k | geo_address_json={"type":"manual","address":"a"} | geo_address_json.address=b`,
			"error exclusive-fields geo_address_json.address",
		},
		{
			`UPSERT | key=k | geo_address_json={"type":"manual","address":"a"} | geo_address_json.type=manual | geo_address_json.address=b`,
			"error exclusive-fields geo_address_json.type; error exclusive-fields geo_address_json.address",
		},
		{"UPSERT | key=k | address=a | geo_address_json.address=b", "error exclusive-fields address"},
		{"UPSERT | key=k | geo_address_json.address=a | geo_address_json.place_id=b", "error exclusive-fields geo_address_json.place_id"},
		{"UPSERT | key=k | geo_address_json.type=manual | geo_address_json.address=a", ""},
		{"UPSERT | key=k | geo_address_json.type=manual | address=a", ""},
		{
			"UPSERT | key=k | geo_address_json.type=manual | place_id=a",
			"error exclusive-fields place_id; error incomplete-object geo_address_json.type",
		},
		{"UPSERT | key=k | geo_address_json.type=google", "error incomplete-object geo_address_json.type"},
		{"UPSERT | key=k | geo_address_json.type=google | geo_address_json.place_id=a | geo_address_json.description=b", ""},
		{"UPSERT | key=k | place_id=a | geo_address_json.description=<clear>", ""},
		{"UPSERT | key=k | geo_address_json.description=b", "error incomplete-object geo_address_json.description"},
		{"UPSERT | key=k | cover_url=https://img.example.com/a.jpg | cover_file=a.jpg", "error exclusive-fields cover_file"},

		{"UPSERT | key=k | coordinate.latitude=1", "error half-coordinate coordinate.latitude"},
		{"UPSERT | key=k | coordinate.longitude=1", "error half-coordinate coordinate.longitude"},
		{"UPSERT | key=k | coordinate.latitude=1 | coordinate.longitude=1", ""},
		{
			`UPSERT | key=k | coordinate={"longitude":1,"latitude":2} | coordinate.latitude=1 | coordinate.longitude=1`,
			"error exclusive-fields coordinate.latitude; error exclusive-fields coordinate.longitude",
		},
		{"UPSERT | key=k | feedback_email.delay=PT2H", "error delay-without-enabled feedback_email.delay"},
		{"UPSERT | key=k | feedback_email.delay=PT2H | feedback_email.enabled=true", ""},
		{`UPSERT | key=k | feedback_email={"enabled":true} | feedback_email.delay=PT2H`, "error exclusive-fields feedback_email.delay"},
		{`UPSERT | key=k | feedback_email={"enabled":true} | feedback_email.enabled=true`, "error exclusive-fields feedback_email.enabled"},

		{"UPSERT | key=k | cover_url=https://img.example.com/a.jpg", ""},
		{"UPSERT | key=k | cover_url=https://img.example.com.evil.example/a.jpg", "error wrong-image-host cover_url"},
		{"UPSERT | key=k | cover_url=https://img.example.com/../a.jpg", "error wrong-image-host cover_url"},
		{
			"UPSERT | key=k | description_md=![a](https://img.example.com/a.jpg) and ![b](https://x.example.com/b.jpg)",
			"error wrong-image-host description_md",
		},
		{"UPSERT | key=k | description_md=[b](https://x.example.com/b.jpg)!", ""},
	}
	for _, tt := range tests {
		t.Run(tt.draft, func(t *testing.T) {
			var got []string
			check.Row(draft(t, tt.draft), &check.Rules{Now: now, ImageBase: "https://img.example.com"}, func(p schema.Problem) {
				got = append(got, p.Severity.String()+" "+string(p.Code)+" "+p.Field)
				if p.Message == "" || p.Place.Row != 2 || p.Code == schema.CodeMissingValue != (p.Place.Column < 0) &&
					p.Code != schema.CodeNothingToDo {
					t.Errorf("%+v", p)
				}
			})
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What check passes, the service's body can be made of, and what it refuses for
// its parts cannot.
// Of a row that was exported, what was filled in does not go with what was there: it is that cell which is told.
func TestTheTouchedCellIsWrong(t *testing.T) {
	for _, test := range []struct{ row, touched, want string }{
		{`UPSERT | event_id=evt-1 | address=Leeds | geo_address_json={"type":"manual","address":"York"}`, "geo_address_json", "C2"},
		{`UPSERT | event_id=evt-1 | address=Leeds | geo_address_json={"type":"manual","address":"York"}`, "address", "B2"},
		{"UPSERT | event_id=evt-1 | cover_url=https://images.example/a.png | cover_file=a.png", "cover_file", "C2"},
		{"UPSERT | event_id=evt-1 | cover_url=https://images.example/a.png | cover_file=a.png", "cover_url", "B2"},
		{"UPSERT | event_id=evt-1 | address=Leeds | geo_address_json.address=York", "geo_address_json.address", "C2"},
		{"UPSERT | event_id=evt-1 | address=Leeds | geo_address_json.address=York", "", ""},
	} {
		d := draft(t, test.row)
		for i := range d.Settings {
			s := &d.Settings[i]
			s.Untouched = catalog.Path(s.Field) != test.touched
		}
		got := ""
		check.Row(d, &check.Rules{}, func(p schema.Problem) {
			if p.Severity == schema.Error {
				got += p.Place.Cell()
			}
		})
		if got != test.want {
			t.Errorf("%s with %q touched: an error at %q, want %q", test.row, test.touched, got, test.want)
		}
	}
}

func TestRowAgreesWithBodies(t *testing.T) {
	parts := []string{
		"address=a", "place_id=b", "query=c", "geo_address_json.address=a", "geo_address_json.place_id=b", "geo_address_json.query=c",
		"geo_address_json.type=manual", "geo_address_json.type=google", "geo_address_json.description=d",
		`geo_address_json={"type":"lookup","query":"q"}`,
		"coordinate.latitude=1", "coordinate.longitude=2", `coordinate={"longitude":1,"latitude":2}`,
		"feedback_email.enabled=true", "feedback_email.delay=PT1H", `feedback_email={"enabled":true}`,
	}
	for i := range 1 << len(parts) {
		if bits.OnesCount(uint(i)) > 4 && i%97 != 0 {
			continue // all sets of a few parts, and a share of the larger
		}
		var text strings.Builder
		text.WriteString("UPSERT | key=k")
		paths := map[string]bool{}
		twice := false
		for j, part := range parts {
			if i&(1<<j) != 0 {
				path, _, _ := strings.Cut(part, "=")
				twice = twice || paths[path]
				paths[path] = true
				text.WriteString(" | " + part)
			}
		}
		if twice {
			continue
		}
		d := draft(t, text.String())
		refused := false
		check.Row(d, &check.Rules{}, func(p schema.Problem) { refused = refused || p.Severity == schema.Error })
		_, err := schema.AppendBody(nil, d, catalog.Events.Operation(schema.Create, false))
		if refused != (err != nil) {
			t.Errorf("%s: check refuses: %v, the body: %v", text.String(), refused, err)
		}
	}
}

func TestImages(t *testing.T) {
	tests := []struct{ text, want string }{
		{"![a](https://x/1.png)", "https://x/1.png"},
		{"![a]( <https://x/1 2.png> \"title\" )", "https://x/1 2.png"},
		{"![a](https://x/1.png 'title') ![](https://x/2.png)", "https://x/1.png https://x/2.png"},
		{"![a [b]](https://x/1.png)", "https://x/1.png"},
		{"![a](https://x/(1).png)", "https://x/(1).png"},
		{"![a][pic]\n\n[pic]: https://x/1.png \"t\"", "https://x/1.png"},
		{"![pic][]\n[Pic]: <https://x/1.png>", "https://x/1.png"},
		{"![pic]\n[pic]: https://x/1.png", "https://x/1.png"},
		{"![pic]", ""},
		{"[a](https://x/1.png)", ""},
		{"\\![a](https://x/1.png)", ""},
		{"`![a](https://x/1.png)`", ""},
		{"``` ` ![a](https://x/1.png)\n```\n![b](https://x/2.png)", "https://x/2.png"},
		{"`open ![a](https://x/1.png)", "https://x/1.png"},
		{"![a](https://x/1.png", ""},
		{"![a", ""},
		{"!", ""},
	}
	for _, tt := range tests {
		d := draft(t, "UPSERT | key=k | description_md=x")
		d.Get(catalog.FieldDescriptionMD).Text = tt.text
		var got []string
		check.Row(d, &check.Rules{ImageBase: "https://none.example.com"}, func(p schema.Problem) { got = append(got, p.Value) })
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
	}
}

func FuzzImages(f *testing.F) {
	f.Add("![a](https://x/1.png) `![b](c)` ![d][e]\n[e]: f")
	f.Add("![\\](<\n>)[a]: ![a][]")
	f.Fuzz(func(t *testing.T, text string) {
		d := &schema.Draft{Resource: catalog.Events, Action: schema.Upsert, Key: "k"}
		d.Put(schema.Setting{Field: catalog.FieldDescriptionMD, State: schema.Set, Text: text})
		check.Row(d, &check.Rules{ImageBase: "https://none.example.com"}, func(p schema.Problem) {
			if !strings.Contains(text, p.Value) || !strings.Contains(text, "![") {
				t.Errorf("%q is no image of %q", p.Value, text)
			}
		})
	})
}

func TestRowTakesNoMemory(t *testing.T) {
	d := draft(
		t,
		"CREATE | key=k | name=A | start_at=2026-05-01T10:00Z | end_at=2026-05-01T11:00Z | timezone=UTC | address=a | "+
			"coordinate.latitude=1 | coordinate.longitude=1 | description_md=Tea! and cake",
	)
	rules := &check.Rules{Now: now, ImageBase: "https://img.example.com"}
	emit := func(p schema.Problem) { t.Error(p) }
	if n := testing.AllocsPerRun(100, func() { check.Row(d, rules, emit) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
