package batch

import (
	"bytes"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/plan"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// TestAnExportOfABadDayGoesBack exports right after an import, while lists lag, guests are still to come and answers
// are lost: the file goes back without a write, and a cell that was edited is one field.
func TestAnExportOfABadDayGoesBack(t *testing.T) {
	t.Parallel()
	badDaysOf(t, 6, sandbox.Config{EditRate: -1}, func(seed uint64, w *world) {
		w.draws(seed, func(rt *rapid.T) {
			events := rapid.IntRange(1, 3).Draw(rt, "events")
			counts := map[*schema.Resource]int{catalog.Events: events, catalog.Hosts: events}
			w.calm(func() {
				for range events {
					w.hold(rt, anyEvent(rt))
				}
			})
			w.calm(func() {
				for r, rows := range anyChildren(rt, w) {
					counts[r] += w.imported(rt, r, rows)
				}
			})
			w.goesBack(rt, counts)
			trial.Say(w.t, trial.Rows, events)
			format := rapid.SampledFrom(record.Formats).Draw(rt, "format")
			field, value := anyEdit(rt)
			if format == "ics" {
				field, value = catalog.Field(catalog.FieldName), sheet.Out{Kind: sheet.Text, Text: "New name"}
			}
			path, sheets := w.export(format, catalog.Events)
			w.returns(rt, path, sheets[0], events, field, value)
		})
	})
}

// TestAnExportWhileAPersonEditsLeavesNothingOut exports a calendar of several pages while a person makes, moves and
// changes events: those that were there before are in the file, and it goes back without a write, whatever its rows are
// compared with.
func TestAnExportWhileAPersonEditsLeavesNothingOut(t *testing.T) {
	t.Parallel()
	badDaysOf(t, 3, sandbox.Config{EditRate: 0.7, Latency: 2 * time.Second}, func(seed uint64, w *world) {
		_, _, err := w.sandbox.Fill(sandbox.Season{
			Calendar: "cal-a", Zone: "Europe/London", Events: 120, From: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			w.t.Fatal(err)
		}
		l, err := w.service.Line(w.t.Context(), "cal-a")
		if err != nil {
			w.t.Fatal(err)
		}
		for range 40 { // in which the person makes events
			_, _ = l.Client.Read(w.t.Context(), catalog.OperationNamed("users/get-self"), nil)
		}
		before := w.sandbox.Events()
		w.draws(seed, func(rt *rapid.T) {
			path, _ := w.export(rapid.SampledFrom([]string{"csv", "ndjson"}).Draw(rt, "format"), catalog.Events)
			text, err := os.ReadFile(path)
			if err != nil {
				rt.Fatal(err)
			}
			trial.Say(w.t, trial.Rows, len(before))
			for _, e := range before {
				if !bytes.Contains(text, []byte(e.ID)) && e.User != "usr-person" {
					rt.Errorf("%s %s is missing", e.ID, e.Name)
				}
			}
			for _, options := range []plan.Options{
				{Slug: "derive", Compare: "sent"}, {Slug: "derive", Compare: "live", First: plan.Fail, OnConflict: plan.Fail},
			} {
				w.options = options
				ops, _ := w.planFile(rt, path, catalog.Events)
				for _, op := range ops {
					if op.Action.Sends() {
						rt.Errorf("compared with what is %s: %s %s: %v", options.Compare, op.Action, op.Body, op.Changes)
					}
				}
			}
		})
	})
}
