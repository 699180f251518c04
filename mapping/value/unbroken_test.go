package value_test

import (
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func TestSoftHyphensAreNoPartOfAText(t *testing.T) {
	for text, want := range map[string]string{
		"Senioren\u00adnachmittag": "Seniorennachmittag", "Tea-time": "Tea-time", "\u00ad": "\u00ad", "\u00adJazz\u00ad": "Jazz",
	} {
		var s schema.Setting
		if fault := value.Parse(catalog.Field(catalog.FieldName), &s, text); fault != nil || s.Text != want {
			t.Errorf("%q: %q, want %q: %v", text, s.Text, want, fault)
		}
	}
}
