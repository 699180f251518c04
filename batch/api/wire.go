package api

import (
	"encoding/json"
	"time"
)

// word reads a text tolerantly: a number gives its digits, anything else is
// empty, since one odd field must not hide the rest of a record.
type word string

// UnmarshalJSON never fails.
func (w *word) UnmarshalJSON(data []byte) error {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(data, &text) == nil:
		*w = word(text)
	case json.Unmarshal(data, &number) == nil:
		*w = word(number.String())
	}
	return nil
}

// first returns the first word that says something.
func first(words ...word) string {
	for _, w := range words {
		if w != "" {
			return string(w)
		}
	}
	return ""
}

// instant reads a timestamp tolerantly: null and what cannot be read are zero.
type instant struct{ time.Time }

// UnmarshalJSON never fails.
func (t *instant) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			t.Time = at.UTC()
			return nil
		}
	}
	return nil
}

func isObject(data json.RawMessage) bool { return len(data) > 0 && data[0] == '{' }
