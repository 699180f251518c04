package batch

import (
	"errors"
	"strings"
	"testing"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
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

// The events of two calendars may have the same key: a line that names the event, as a document does, is for that one.
func TestADecisionIsForTheEventThatItNames(t *testing.T) {
	d, err := ReadDecisions("d.ndjson", strings.NewReader(`{"key":"a","field":"name","decision":"theirs"}
{"key":"a","event_id":"evt-1","field":"name","decision":"mine"}
{"key":"a","event_id":"evt-2","field":"name","decision":"leave"}`))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"evt-1": "mine", "evt-2": "leave", "evt-3": "theirs"} {
		if who := d.who(&plan.Event{Key: "a", ID: id}, []finding.ChangeLine{{Field: "name"}}); who != want {
			t.Errorf("%s: %q, want %q", id, who, want)
		}
	}
}

// A line that is too long to be a decision is a mistake of whoever wrote the file.
func TestALongLineIsNoDecision(t *testing.T) {
	_, err := ReadDecisions("d.ndjson", strings.NewReader("\n"+strings.Repeat("x", longestDecision+1)))
	if !errors.Is(err, failure.Usage) || !strings.HasPrefix(err.Error(), "d.ndjson:2: ") {
		t.Error(err)
	}
}
