package check

import (
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

func TestLinks(t *testing.T) {
	l := NewLinks()
	event := func(row int, key, id, slug string, action schema.Action, leftOut bool) {
		d := schema.NewDraft(catalog.Events, schema.Place{Sheet: "Events", Row: row})
		d.Key, d.Action = key, action
		for field, text := range map[schema.ID]string{catalog.FieldEventID: id, catalog.FieldSlug: slug} {
			if text != "" {
				d.Put(schema.Setting{Field: field, State: schema.Set, Text: text})
			}
		}
		l.Add(d, leftOut, func(p schema.Problem) { t.Error(p) })
	}
	event(2, "spring-017", "", "spring-tea", schema.Upsert, false)
	event(3, "spring-018", "evt-18", "", schema.Skip, false)
	event(4, "spring-019", "", "", schema.Upsert, true)
	event(5, "spring-020", "", "gala", schema.Cancel, false)
	event(6, "spring-018", "", "", schema.Upsert, false) // a row of the same key that asks for something
	event(7, "", "evt-21", "", schema.Upsert, false)
	called := func(row int, name, id string) {
		d := schema.NewDraft(catalog.Events, schema.Place{Sheet: "Events", Row: row})
		for field, text := range map[schema.ID]string{catalog.FieldEventID: id, catalog.FieldName: name} {
			d.Put(schema.Setting{Field: field, State: schema.Set, Text: text})
		}
		l.Add(d, false, func(p schema.Problem) { t.Error(p) })
	}
	called(8, "Opening night", "evt-8")
	called(9, "Yoga", "evt-9")
	called(10, "Yoga", "evt-10")
	for _, test := range []struct {
		word string
		code schema.Code
		hint string
	}{
		{"spring-017", "", ""},
		{"Spring-Tea", "", ""},
		{"spring-018", "", ""},
		{"evt-21", "", ""},
		{"evt-99", "", ""},
		{"autumn-fair", "", ""},
		{"Opening night", "", ""},
		{"Yoga", schema.CodeUnknownEvent, "write the key"},
		{"evt-18", schema.CodeEventLeftOut, "plan refuses"},
		{"spring-019", schema.CodeEventLeftOut, "plan refuses"},
		{"spring-020", schema.CodeEventCancelled, "set the action"},
		{"GALA", schema.CodeEventCancelled, "set the action"},
		{"sprng-017", schema.CodeUnknownEvent, "did you mean spring-017?"},
		{"spring-71", schema.CodeUnknownEvent, "did you mean spring-017?"},
	} {
		d := schema.NewDraft(catalog.Coupons, schema.Place{Sheet: "Coupons", Row: 9})
		f, _ := catalog.Coupons.ByPath("event")
		d.Put(schema.Setting{Field: f.ID, State: schema.Set, Text: test.word, Column: 3})
		var got []schema.Problem
		l.Add(d, false, func(p schema.Problem) { got = append(got, p) })
		if test.code == "" {
			if len(got) > 0 {
				t.Errorf("%s: %v", test.word, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Code != test.code || got[0].Place.Column != 3 || !strings.HasPrefix(got[0].Hint, test.hint) {
			t.Errorf("%s: %+v", test.word, got)
		}
		d.Action = schema.Skip
		l.Add(d, false, func(p schema.Problem) { t.Errorf("%s, skipped: %v", test.word, p) })
		d.Action = schema.Upsert
		l.Add(d, true, func(p schema.Problem) { t.Errorf("%s, left out: %v", test.word, p) })
	}
}
