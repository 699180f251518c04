package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"eventbatch/batch/report"
	"eventbatch/mapping/failure"
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
func (d *decision) affords(ctx context.Context, spans map[string]*span) (bool, error) {
	bound := d.config.Listing
	requests, pages, events := map[string]int{}, 0, 0
	for calendar, s := range spans {
		if s.unknown && d.config.Options.Slug != "keep" || len(s.known) == 0 {
			continue
		}
		requests[calendar] = (len(s.known) + pageSize - 1) / pageSize
		pages += requests[calendar]
		events += len(s.known)
	}
	if bound.Within == 0 || pages == 0 {
		return true, nil
	}
	now := time.Now()
	takes := d.config.Service.Forecast(ctx, requests, now).Sub(now)
	if takes <= bound.Within {
		return true, nil
	}
	why := fmt.Sprintf("listing %s takes %s at least, for which the limits need %s, and --max-duration is %s",
		report.Count(events, "event"), report.Count(pages, "request"), report.Span(takes), report.Span(bound.Within))
	if !bound.Else {
		return false, failure.New(failure.Refused, errors.New("nothing was sent: rows cannot be compared with what is live: "+why),
			"say a longer --max-duration, or --compare sent, which sends what has changed in the file, whatever others have changed")
	}
	d.planned.Notes = append(d.planned.Notes, "rows are compared with what was sent, not with what is live: "+why)
	return false, nil
}
