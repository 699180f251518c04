package schema

import "testing"

func TestValuesOfJSON(t *testing.T) {
	for _, tc := range []struct {
		field      ID
		json, want string
		fault      bool
	}{
		{FieldAddress, `{"city":"Ghent","name":"Workshop"}`, "Workshop, Ghent", false},
		{
			FieldAddress, `{"@type":"Place","name":"UPTEC","address":"Rua Alfredo Allen 455, Porto","district":"Porto"}`,
			"UPTEC, Rua Alfredo Allen 455, Porto", false,
		},
		{
			FieldAddress, `{"name":"Hall","address":{"streetAddress":"Main St 1","postalCode":"1010","addressLocality":"Wien"},"id":7}`,
			"Hall, Main St 1, 1010, Wien", false,
		},
		{FieldAddress, `{"venue":null,"name":"","city":"Bath"}`, "Bath", false},
		{FieldAddress, `["Hall 1","Hall 2"]`, "Hall 1, Hall 2", false},
		{FieldAddress, `{"en":"Hall","fr":"Salle"}`, "", true},
		{FieldAddress, `[]`, "", false},
		{FieldName, `{"rendered":"Tea"}`, "", true},
		{FieldName, `["Tea","Cake"]`, "Tea, Cake", false},
		{FieldMaxCapacity, `[3]`, "", true},
		{FieldFeedbackEmail, `{"enabled":true}`, `{"enabled":true}`, false},
	} {
		text, fault := tc.field.Field().FromJSON(tc.json)
		if text != tc.want || (fault != nil) != tc.fault {
			t.Errorf("%s of %s: %q, %v", tc.json, tc.field.Path(), text, fault)
		}
	}
}
