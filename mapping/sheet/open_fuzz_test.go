package sheet

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzOpenText reads any bytes as any text format: it ends, a failure is one that
// can be shown to a person, and the rows come in order.
func FuzzOpenText(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "sep=;\na;b\n", "\xff\xfea\x00,\x00b\x00", "\xef\xbb\xbf{\"a\":1}", "a\rb\r", "a^b\n1^2\n", "\x00\x00", "\"",
		"sep=\"\n", "caf\xe9\n", "\ufeff{\"\":1}",
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20270101T000000Z\nRRULE:FREQ=DAILY;COUNT=3\nEND:VEVENT\nEND:VCALENDAR\n",
	} {
		for mode := range uint8(8) {
			f.Add([]byte(seed), mode)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, mode uint8) {
		o := Options{
			Format:   []string{"csv", "tsv", "ndjson", "ics"}[mode%4],
			Encoding: []string{"", "windows-1252", "utf-16be", "gb18030"}[mode/4%4],
			Stdin:    bytes.NewReader(content),
			Limits:   Limits{CellBytes: 1 << 10, RowBytes: 1 << 12, Columns: 50, Occurrences: 50},
		}
		file, err := Open(t.Context(), "-", o)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Code == "" || e.Message == "" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		defer file.Close()
		number, line := 0, 0
		for row, err := range file.Rows(t.Context(), "") {
			if err != nil {
				if e, ok := errors.AsType[*Error](err); !ok || e.Code == "" || e.Message == "" {
					t.Fatalf("%T: %v", err, err)
				}
				return
			}
			nameless := o.Format == "ndjson" && row.Number == 1 // objects whose only key is empty
			ordered := row.Line >= line || o.Format == "ics"    // one that was moved has the line of its own event
			empty := blank(row.Cells) && row.Problem == nil     // of one that cannot be read the cells may be blank
			if row.Number <= number || !ordered || empty && !nameless {
				t.Fatalf("after row %d: %+v", number, row)
			}
			number, line = row.Number, row.Line
		}
		if len(file.SHA256()) != 64 {
			t.Fatalf("hash %q", file.SHA256())
		}
	})
}
