package sheet

import (
	"os"
	"path/filepath"
	"testing"
)

// A payload that is odd makes an error or a row of its own line, and nothing else.
func FuzzWebhook(f *testing.F) {
	for _, text := range []string{
		`{"type":"event.created","data":{"platform":"native","api_id":"evt-1","name":"Tea"}}`,
		`{"platform":"native","id":"a","hosts":[{"name":"b"}],"calendar":{"id":"c"}}` + "\n\n" + `{"platform":"external","id":1}`,
		`{"event_approved_count":0,"user":{"name":"A","email":"a@x.test"},"tags":[{"name":"t"},null]}`,
		`{"data":{"event":{"platform":"native","id":"a"}}}` + "\n" + `{"data":{"event":{"platform":"native","id":"a"}}}`,
		`[]`, `{"data":[]}`, "\ufeff{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "told.jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(t.Context(), path, Options{Format: "webhook"})
		if err != nil {
			return
		}
		defer file.Close()
		for _, info := range file.Sheets() {
			before, rows := 0, 0
			for row, err := range file.Rows(t.Context(), info.Name) {
				if err != nil || row.Number <= before || row.Line > 0 && row.Number != row.Line+1 && rows > 0 {
					t.Fatalf("%s: row %d in line %d behind row %d: %v", info.Name, row.Number, row.Line, before, err)
				}
				before, rows = row.Number, rows+1
			}
			if rows < 2 {
				t.Errorf("%s has %d rows", info.Name, rows)
			}
		}
	})
}
