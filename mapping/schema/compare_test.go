package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestValuesAreComparedAsTheServiceKeepsThem(t *testing.T) {
	for _, c := range []struct {
		field       ID
		said, other string
		want        Likeness
	}{
		{FieldName, `"Tea"`, `" Tea "`, Alike},
		{FieldName, `"Tea"`, `"tea"`, Unlike},
		{FieldStartAt, `"2027-03-20T18:00+01:00"`, `"2027-03-20T17:00:00.000Z"`, Alike},
		{FieldStartAt, `"2027-03-20T18:00+01:00"`, `"2027-03-20T18:00:00.000Z"`, Unlike},
		{FieldStartAt, `"soon"`, `"later"`, Unlike},
		{FieldDescriptionMD, `"* tea\r\n\r\n\r\n***\n"`, `"- tea\n\n---\u200b"`, Alike},
		{FieldDescriptionMD, `"a\n\nb"`, `"a\nb"`, Unlike},
		{FieldDescriptionMD, `""`, `null`, Alike},
		{FieldDescriptionMD, `"a\n\n---\n\nb"`, `"\u200ba\n\n\n\n* * *\n\n\n\n\u200bb\n"`, Alike},
		{FieldConfirmationEmailMD, `"*a*"`, `"_a_\n"`, Alike},
		{fieldOf(Blasts, "content_md").ID, `"* a"`, `"- a\n"`, Alike},
		{FieldTicketTypes, `[{"description":"* a"}]`, `[{"description":"- a"}]`, Alike},
		{
			FieldRegistrationQuestions, `[{"terms":{"content_type":"text","content_md":"* a\n\nb"}}]`,
			`[{"terms":{"content_type":"text","content_md":"- a\n\n\n\n\u200bb\n"}}]`, Alike,
		},
		{FieldRegistrationQuestions, `[{"terms":{"content_md":"* a"}}]`, `[{"terms":{"content_md":"- b"}}]`, Unlike},
		// A label is no Markdown.
		{FieldRegistrationQuestions, `[{"id":"1","label":"1) Who"}]`, `[{"id":"1","label":"1. Who"}]`, Unlike},
		{FieldRegistrationQuestions, `[{"id":"1","label":""}]`, `[{"id":"1","label":"\u200b"}]`, Alike},
		{FieldMaxCapacity, `20`, `20.0`, Alike},
		{FieldMaxCapacity, `20`, `"20"`, Alike},
		{FieldMaxCapacity, `0`, `null`, Unlike},
		{FieldRegistrationOpen, `false`, `null`, Unlike},
		{FieldTintColor, `"#F80"`, `"#ff8800"`, Alike},
		{FieldFeedbackEmail, `{"enabled":true}`, `{"delay":"PT0M","enabled":true}`, Alike},
		{FieldFeedbackEmail, `{"enabled":true,"delay":"PT1H"}`, `{"enabled":true}`, Unlike},
		{FieldCoordinate, `{"longitude":1.50,"latitude":2}`, `{"latitude":2,"longitude":1.5}`, Alike},
		{FieldRegistrationQuestions, `[{"id":"1","label":"Who?"}]`, `[{"id":"1","label":"Who?\u200b","x":null}]`, Alike},
		// The order of questions is their order on the form.
		{FieldRegistrationQuestions, `[{"id":"1"},{"id":"2"}]`, `[{"id":"2"},{"id":"1"}]`, Unlike},
		{FieldRegistrationQuestions, `[{"id":"1"}]`, `[{"id":"1"},{"id":"2"}]`, Unlike},
		// Answers are those to the questions that the row knows.
		{Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[{"question_id":"2"},{"answer":" a","question_id":"1"}]`, Alike},
		{Guests.Answering().ID, `[{"question_id":"1","answer":["a","b"]}]`, `[{"question_id":"1","answer":["a","b"],"label":"x"}]`, Alike},
		{Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[{"question_id":"1","answer":"b"}]`, Unlike},
		{Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[]`, Unlike},
		{Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[{"id":"1","value":"b"}]`, Unclear},
		{FieldGeoAddress, `{"type":"manual","address":"1 High Street"}`, `{"address":"1 High Street","city":null}`, Alike},
		{FieldGeoAddress, `{"type":"google","place_id":"p1"}`, `{"address":"Hall","google_maps_place_id":"p1"}`, Alike},
		{FieldGeoAddress, `{"type":"google","place_id":"p1"}`, `{"address":"Hall","google_maps_place_id":"p2"}`, Unlike},
		{FieldGeoAddress, `{"type":"google","place_id":"p1","description":"a"}`, `{"google_maps_place_id":"p1","description":"b"}`, Unlike},
		{FieldGeoAddress, `{"type":"lookup","query":"Hall"}`, `{"address":"Town Hall","google_maps_place_id":"p1"}`, Unclear},
		{FieldGeoAddress, `{"type":"lookup","query":"Hall"}`, `{"type":"lookup","query":"Inn"}`, Unlike},
		// Both were read back: another place may have the same address.
		{FieldGeoAddress, `{"address":"Hall","google_maps_place_id":"p1"}`, `{"address":"Hall","google_maps_place_id":"p2"}`, Unlike},
		{FieldGeoAddress, `null`, `{"address":"Hall"}`, Unlike},
	} {
		if got := c.field.Field().Compare(json.RawMessage(c.said), json.RawMessage(c.other)); got != c.want {
			t.Errorf("%s: %s and %s: %d, want %d", c.field.Path(), c.said, c.other, got, c.want)
		}
	}
}

// TestDifferenceOfLists has every ticket count: one that stands twice is two.
func TestDifferenceOfLists(t *testing.T) {
	f, _ := Guests.ByPath("ticket_types")
	list := func(words string) json.RawMessage {
		var items []map[string]string
		for i, word := range strings.Fields(words) {
			items = append(items, map[string]string{"event_ticket_type_id": word, "id": fmt.Sprint(i), "name": "any"})
		}
		value, err := json.Marshal(items)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, tc := range []struct{ want, have, add, drop string }{
		{"", "", "", ""},
		{"a", "", "a", ""},
		{"a a", "a", "a", ""},
		{"a", "a b a", "", "1 2"},
		{"b a", "a b", "", ""},
		{"", "a b", "", "0 1"},
		{"c c a", "b a", "c c", "0"},
	} {
		add, drop := f.Difference(list(tc.want), list(tc.have))
		if words := strings.ReplaceAll(f.Cell(string(add)), "; ", " "); words != tc.add || strings.Join(drop, " ") != tc.drop {
			t.Errorf("%q from %q: add %s, drop %q", tc.want, tc.have, add, drop)
		}
		if same := f.Compare(list(tc.want), list(tc.have)) == Alike; same != (tc.add == "" && tc.drop == "") {
			t.Errorf("%q and %q are the same: %t", tc.want, tc.have, same)
		}
	}
}

func fieldOf(r *Resource, path string) *Field {
	f, _ := r.ByPath(path)
	return f
}
