package baseline_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// The hash of a Markdown text was that of the text as it stood in the export, in earlier versions.
func TestBaselinesOfEarlierVersionsSayTheSame(t *testing.T) {
	f := catalog.Field(catalog.FieldDescriptionMD)
	tests := []struct{ exported, sum, live string }{
		{"plain text", "779778de", "\u200bplain text\n"},
		{"Hello\n\n- one\n- two\n\n---\n\nBye  there", "26ac7e62", "\u200bHello\n\n- one\n- two\n\n---\n\n\u200bBye  there\n"},
		{"a\n\n\n\n* * *\n\n\n\nb", "", "\u200ba\n\n\n\n* * *\n\n\n\n\u200bb\n"},
	}
	for _, test := range tests {
		sum := sha256.Sum256([]byte(f.Path + "\x00" + test.exported))
		old := hex.EncodeToString(sum[:4])
		if test.sum != "" && test.sum != old {
			t.Fatalf("%q had the hash %s, not %s", test.exported, test.sum, old)
		}
		base, ok := baseline.Parse("evt-1 2027-05-01T10:00:00.250Z name=1b9f2c04 " + f.Path + "=" + old)
		if !ok {
			t.Fatal("the baseline cannot be read")
		}
		told := func(text string) *schema.Setting {
			live, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			var d schema.Draft
			value.Fill(&d, catalog.Events, map[string]json.RawMessage{f.Path: live})
			return d.Get(f.ID)
		}
		cell := &schema.Setting{Field: f.ID, State: schema.Set, Text: test.exported}
		if !base.Says(cell) || !base.Holds(f, test.exported+"\n") {
			t.Errorf("the cell %q counts as touched", test.exported)
		}
		if !base.Says(told(test.live)) {
			t.Errorf("the platform's %q counts as moved", test.live)
		}
		other := strings.Replace(test.exported, "e", "i", 1) + "!"
		cell.Text = other
		if base.Says(cell) || base.Holds(f, other) || base.Says(told(other)) {
			t.Errorf("%q counts as %q", other, test.exported)
		}
	}
}
