package schema_test

import (
	"testing"

	"eventbatch/mapping/schema"
)

func TestSoftHyphensAreNoPartOfAText(t *testing.T) {
	for text, want := range map[string]string{
		"Senioren\u00adnachmittag": "Seniorennachmittag", "Tea-time": "Tea-time", "\u00ad": "\u00ad", "\u00adJazz\u00ad": "Jazz",
	} {
		var s schema.Setting
		if fault := schema.FieldName.Field().Parse(&s, text); fault != nil || s.Text != want {
			t.Errorf("%q: %q, want %q: %v", text, s.Text, want, fault)
		}
	}
}
