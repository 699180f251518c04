package value_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func TestValuesAreComparedAsTheServiceKeepsThem(t *testing.T) {
	for _, c := range []struct {
		field       schema.ID
		said, other string
		want        value.Likeness
	}{
		{catalog.FieldName, `"Tea"`, `" Tea "`, value.Alike},
		{catalog.FieldName, `"Tea"`, `"tea"`, value.Unlike},
		{catalog.FieldStartAt, `"2027-03-20T18:00+01:00"`, `"2027-03-20T17:00:00.000Z"`, value.Alike},
		{catalog.FieldStartAt, `"2027-03-20T18:00+01:00"`, `"2027-03-20T18:00:00.000Z"`, value.Unlike},
		{catalog.FieldStartAt, `"soon"`, `"later"`, value.Unlike},
		{catalog.FieldDescriptionMD, `"* tea\r\n\r\n\r\n***\n"`, `"- tea\n\n---\u200b"`, value.Alike},
		{catalog.FieldDescriptionMD, `"a\n\nb"`, `"a\nb"`, value.Unlike},
		{catalog.FieldDescriptionMD, `""`, `null`, value.Alike},
		{catalog.FieldDescriptionMD, `"a\n\n---\n\nb"`, `"\u200ba\n\n\n\n* * *\n\n\n\n\u200bb\n"`, value.Alike},
		{catalog.FieldConfirmationEmailMD, `"*a*"`, `"_a_\n"`, value.Alike},
		{fieldOf(catalog.Blasts, "content_md").ID, `"* a"`, `"- a\n"`, value.Alike},
		{catalog.FieldTicketTypes, `[{"description":"* a"}]`, `[{"description":"- a"}]`, value.Alike},
		{
			catalog.FieldRegistrationQuestions, `[{"terms":{"content_type":"text","content_md":"* a\n\nb"}}]`,
			`[{"terms":{"content_type":"text","content_md":"- a\n\n\n\n\u200bb\n"}}]`, value.Alike,
		},
		{catalog.FieldRegistrationQuestions, `[{"terms":{"content_md":"* a"}}]`, `[{"terms":{"content_md":"- b"}}]`, value.Unlike},
		// A label is no Markdown.
		{catalog.FieldRegistrationQuestions, `[{"id":"1","label":"1) Who"}]`, `[{"id":"1","label":"1. Who"}]`, value.Unlike},
		{catalog.FieldRegistrationQuestions, `[{"id":"1","label":""}]`, `[{"id":"1","label":"\u200b"}]`, value.Alike},
		{catalog.FieldMaxCapacity, `20`, `20.0`, value.Alike},
		{catalog.FieldMaxCapacity, `20`, `"20"`, value.Alike},
		{catalog.FieldMaxCapacity, `0`, `null`, value.Unlike},
		{catalog.FieldRegistrationOpen, `false`, `null`, value.Unlike},
		{catalog.FieldTintColor, `"#F80"`, `"#ff8800"`, value.Alike},
		{catalog.FieldFeedbackEmail, `{"enabled":true}`, `{"delay":"PT0M","enabled":true}`, value.Alike},
		{catalog.FieldFeedbackEmail, `{"enabled":true,"delay":"PT1H"}`, `{"enabled":true}`, value.Unlike},
		{catalog.FieldCoordinate, `{"longitude":1.50,"latitude":2}`, `{"latitude":2,"longitude":1.5}`, value.Alike},
		{catalog.FieldRegistrationQuestions, `[{"id":"1","label":"Who?"}]`, `[{"id":"1","label":"Who?\u200b","x":null}]`, value.Alike},
		// The order of questions is their order on the form.
		{catalog.FieldRegistrationQuestions, `[{"id":"1"},{"id":"2"}]`, `[{"id":"2"},{"id":"1"}]`, value.Unlike},
		{catalog.FieldRegistrationQuestions, `[{"id":"1"}]`, `[{"id":"1"},{"id":"2"}]`, value.Unlike},
		// Answers are those to the questions that the row knows.
		{
			catalog.Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[{"question_id":"2"},{"answer":" a","question_id":"1"}]`,
			value.Alike,
		},
		{
			catalog.Guests.Answering().ID, `[{"question_id":"1","answer":["a","b"]}]`,
			`[{"question_id":"1","answer":["a","b"],"label":"x"}]`, value.Alike,
		},
		{catalog.Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[{"question_id":"1","answer":"b"}]`, value.Unlike},
		{catalog.Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[]`, value.Unlike},
		{catalog.Guests.Answering().ID, `[{"question_id":"1","answer":"a"}]`, `[{"id":"1","value":"b"}]`, value.Unclear},
		{catalog.FieldGeoAddress, `{"type":"manual","address":"1 High Street"}`, `{"address":"1 High Street","city":null}`, value.Alike},
		{catalog.FieldGeoAddress, `{"type":"google","place_id":"p1"}`, `{"address":"Hall","google_maps_place_id":"p1"}`, value.Alike},
		{catalog.FieldGeoAddress, `{"type":"google","place_id":"p1"}`, `{"address":"Hall","google_maps_place_id":"p2"}`, value.Unlike},
		{
			catalog.FieldGeoAddress, `{"type":"google","place_id":"p1","description":"a"}`,
			`{"google_maps_place_id":"p1","description":"b"}`, value.Unlike,
		},
		{catalog.FieldGeoAddress, `{"type":"lookup","query":"Hall"}`, `{"address":"Town Hall","google_maps_place_id":"p1"}`, value.Unclear},
		{catalog.FieldGeoAddress, `{"type":"lookup","query":"Hall"}`, `{"type":"lookup","query":"Inn"}`, value.Unlike},
		// Both were read back: another place may have the same address.
		{
			catalog.FieldGeoAddress, `{"address":"Hall","google_maps_place_id":"p1"}`, `{"address":"Hall","google_maps_place_id":"p2"}`,
			value.Unlike,
		},
		{catalog.FieldGeoAddress, `null`, `{"address":"Hall"}`, value.Unlike},
	} {
		if got := value.Compare(catalog.Field(c.field), json.RawMessage(c.said), json.RawMessage(c.other)); got != c.want {
			t.Errorf("%s: %s and %s: %d, want %d", catalog.Path(c.field), c.said, c.other, got, c.want)
		}
	}
}

// TestDifferenceOfLists has every ticket count: one that stands twice is two.
func TestDifferenceOfLists(t *testing.T) {
	f, _ := catalog.Guests.ByPath("ticket_types")
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
		add, drop := value.Difference(f, list(tc.want), list(tc.have))
		if words := strings.ReplaceAll(value.Cell(f, string(add)), "; ", " "); words != tc.add || strings.Join(drop, " ") != tc.drop {
			t.Errorf("%q from %q: add %s, drop %q", tc.want, tc.have, add, drop)
		}
		if same := value.Compare(f, list(tc.want), list(tc.have)) == value.Alike; same != (tc.add == "" && tc.drop == "") {
			t.Errorf("%q and %q are the same: %t", tc.want, tc.have, same)
		}
	}
}

func fieldOf(r *schema.Resource, path string) *schema.Field {
	f, _ := r.ByPath(path)
	return f
}
