package catalog

import (
	"encoding/json"
	"testing"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Any text in any field: never a panic, and what is accepted is canonical.
func FuzzParse(f *testing.F) {
	for i := range Fields {
		f.Add(byte(i), Fields[i].Example)
	}
	f.Add(
		byte(FieldRegistrationQuestions),
		`[{"id":"q","label":"L","required":true,"question_type":"terms","terms":{"content_type":"link","url":"https://a.example/",`+
			`"collect_signature":true}}]`,
	)
	f.Add(byte(FieldTicketTypes), `[{"name":"A","type":"paid","cents":1e2}]`)
	f.Add(byte(FieldStartAt), "2026-05-01 18:30 +0200")
	f.Fuzz(func(t *testing.T, i byte, text string) {
		field := &Fields[int(i)%len(Fields)]
		var s, again schema.Setting
		if fault := value.Parse(field, &s, text); fault != nil {
			if fault.Message == "" || s != (schema.Setting{}) {
				t.Fatalf("%s %q: %+v, %+v", field.Path, text, fault, s)
			}
			if _, ok := Lookup(fault.Code); !ok {
				t.Fatalf("%s %q: unknown code %s", field.Path, text, fault.Code)
			}
			return
		}
		if fault := value.Parse(field, &again, s.Text); fault != nil || again != s {
			t.Fatalf("%s %q becomes %+v, and that %+v, %v", field.Path, text, s, again, fault)
		}
		if field.On == 0 || field.Of != schema.FieldCalendarID {
			return
		}
		d := schema.NewDraft(resourceOf(field), schema.Place{})
		d.Put(s)
		alone := true
		d.Conflicts(func(schema.ID, *schema.Fault) { alone = false })
		if !alone {
			return // it needs another field
		}
		for _, does := range []schema.Action{schema.Create, schema.Update} {
			op := d.Resource.Operation(does, d.Resource.Parent == "")
			if op == nil {
				continue
			}
			if body, err := schema.AppendBody(nil, d, op); err != nil || !json.Valid(body) {
				t.Fatalf("%s %q: %s, %v", field.Path, text, body, err)
			}
		}
	})
}
