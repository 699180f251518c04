package value_test

import (
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func TestValuesOfJSON(t *testing.T) {
	for _, tc := range []struct {
		field      schema.ID
		json, want string
		fault      bool
	}{
		{catalog.FieldAddress, `{"city":"Ghent","name":"Workshop"}`, "Workshop, Ghent", false},
		{
			catalog.FieldAddress, `{"@type":"Place","name":"UPTEC","address":"Rua Alfredo Allen 455, Porto","district":"Porto"}`,
			"UPTEC, Rua Alfredo Allen 455, Porto", false,
		},
		{
			catalog.FieldAddress,
			`{"name":"Hall","address":{"streetAddress":"Main St 1","postalCode":"1010","addressLocality":"Wien"},"id":7}`,
			"Hall, Main St 1, 1010, Wien", false,
		},
		{catalog.FieldAddress, `{"venue":null,"name":"","city":"Bath"}`, "Bath", false},
		{catalog.FieldAddress, `["Hall 1","Hall 2"]`, "Hall 1, Hall 2", false},
		{catalog.FieldAddress, `{"en":"Hall","fr":"Salle"}`, "", true},
		{catalog.FieldAddress, `[]`, "", false},
		{catalog.FieldName, `{"rendered":"Tea"}`, "", true},
		{catalog.FieldName, `["Tea","Cake"]`, "Tea, Cake", false},
		{catalog.FieldMaxCapacity, `[3]`, "", true},
		{catalog.FieldFeedbackEmail, `{"enabled":true}`, `{"enabled":true}`, false},
	} {
		text, fault := value.FromJSON(catalog.Field(tc.field), tc.json)
		if text != tc.want || (fault != nil) != tc.fault {
			t.Errorf("%s of %s: %q, %v", tc.json, catalog.Path(tc.field), text, fault)
		}
	}
}
