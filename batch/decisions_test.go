package batch

import (
	"strings"
	"testing"
)

// Whatever the text, reading it ends, and no line decides without a key and one of three words.
func FuzzReadDecisions(f *testing.F) {
	f.Add(`{"key":"a","field":"name","live":"x","mine":null,"decision":"mine"}` + "\n\n" + `{"key":"a","field":"","decision":"leave"}`)
	f.Add("\ufeff" + `{"key":"a","decision":"theirs","row":2}`)
	f.Add(`{"key":"a","key":"b","decision":"mine"}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadDecisions("d.ndjson", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "d.ndjson:") {
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		for at, line := range d.lines {
			if at.Key == "" || !strings.Contains(" mine theirs leave ", " "+line.Decision+" ") {
				t.Errorf("%+v", line)
			}
		}
	})
}
