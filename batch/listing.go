package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Listing bounds the time of the lists that comparing with what is live asks for. The zero
// Listing bounds nothing.
type Listing struct {
	Within time.Duration
	// Else has rows compared with what was sent where the lists take longer, which is noted;
	// such a plan is refused otherwise.
	Else bool
}

// pageSize is how many events a page of a list has.
const pageSize = 100

// affords reports whether the lists of these parts of calendars can be had within the bound. They
// are taken to have no events but those that runs know. A calendar that has to be found out
// about a new key is listed whatever rows are compared with, and counts for nothing.
func (d *decision) affords(ctx context.Context, windows map[string]*live.Window) (bool, error) {
	bound := d.config.Listing
	requests, pages, events := map[string]int{}, 0, 0
	for calendar, w := range windows {
		if w.Unknown && d.config.Options.Slug != "keep" || len(w.Known) == 0 {
			continue
		}
		requests[calendar] = (len(w.Known) + pageSize - 1) / pageSize
		pages += requests[calendar]
		events += len(w.Known)
	}
	if bound.Within == 0 || pages == 0 {
		return true, nil
	}
	now := time.Now()
	takes := d.config.Service.Forecast(ctx, requests, now).Sub(now)
	if takes <= bound.Within {
		return true, nil
	}
	why := fmt.Sprintf("listing %s takes %s at least, for which the limits need %s, and --max-duration leaves %s",
		report.Count(events, "event"), report.Count(pages, "request"), report.Span(takes), report.Span(bound.Within))
	if !bound.Else {
		return false, failure.New(failure.Refused, errors.New("nothing was sent: rows cannot be compared with what is live: "+why),
			"say a longer --max-duration, or --compare sent, which sends what has changed in the file, whatever others have changed")
	}
	d.planned.Notes = append(d.planned.Notes, "rows are compared with what was sent, not with what is live: "+why)
	return false, nil
}

// windows reads the input ahead, to find out which part of each calendar its rows concern. A
// calendar with a row whose event nobody knows, or whose start nobody knows, is listed
// whole: the same list then answers for both.
func (d *decision) windows(ctx context.Context, resolve func(string) (string, error)) map[string]*live.Window {
	windows := map[string]*live.Window{}
	d.looked = true
	d.invalid = d.ahead(ctx, func(row *mapping.Result) {
		draft := row.Draft
		if draft == nil || draft.Action == schema.Skip || row.Skipped != "" {
			return
		}
		calendar, err := resolve(draft.Calendar)
		if err != nil {
			return
		}
		if windows[calendar] == nil {
			windows[calendar] = &live.Window{}
		}
		w := windows[calendar]
		if !draft.Resource.Timed() {
			w.Whole = true // for the event that the row names
			return
		}
		event := plan.Event{Calendar: calendar, Key: plan.Key(draft), ID: draft.Text(catalog.FieldEventID)}
		known := plan.Recollection(d.memory, &event)
		if id := cmp.Or(event.ID, known.EventID); id != "" && !d.config.Options.Moves(draft) && !known.Cancelled && !known.Gone {
			w.Known = append(w.Known, id)
		}
		if at := d.memory.Heard(known.Run); known.Run != "" && at.After(w.Answered) {
			w.Answered = at
		}
		was := d.past.of(known.Run).find(&event)
		if was != nil && was.start != 0 {
			w.Add(time.UnixMilli(was.start))
		}
		start, said := draft.Time(catalog.FieldStartAt)
		if said {
			w.Add(start)
		}
		w.Unknown = w.Unknown || event.ID == "" && (known.EventID == "" || known.Cancelled)
		w.Whole = w.Whole || w.Unknown || !said && (was == nil || was.start == 0)
	})
	return windows
}
