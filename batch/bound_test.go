package batch

import (
	"testing"

	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/batch/source"
)

// A source is for the calendars of all its rows, and not of those alone of which something is sent: it may get a first row for
// another calendar while nothing is new on those that it had.
func TestASourceGetsAFurtherCalendar(t *testing.T) {
	var keys []profile.Key
	for calendar, of := range map[string]string{"cal-a": "KEY_A", "cal-b": "KEY_B"} {
		keys = append(keys, profile.Key{Kind: secret.Calendar, Calendar: calendar, From: secret.Ref{Scheme: "env", Value: of}})
	}
	w := newWorld(t, keys...)
	for _, rows := range [][]string{{header, tea + "cal-a"}, {header, tea + "cal-a", cake + "cal-b"}} {
		config := w.planning(w.workspace, rows...)
		config.Source = source.Config{Name: "feed"}
		planned, err := Plan(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		w.mustApply(planned.Run)
	}
	config := w.planning(w.workspace, header, cake+"cal-b")
	config.Source = source.Config{Name: "feed"}
	if _, err := Plan(t.Context(), config); err != nil {
		t.Error(err)
	}
}
