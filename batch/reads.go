package batch

import (
	"encoding/json"
	"time"

	"eventbatch/batch/api"
	"eventbatch/mapping/value"
)

// Reads says which events an export is about, and how it reads them.
type Reads struct {
	// Calendars are the calendars as the user names them; none is the only one there is,
	// and service.AllCalendars alone is every one that the keys reach.
	Calendars []string
	// From and To are days, 2027-05-01, of the starts in the events' own zones; each may
	// be empty.
	From, To    string
	Events      []string // ids of the only events that are meant
	Quick       bool     // what only a read of each event gives is left out
	Concurrency int
}

// window returns the bounds of a list that has all events which start on the days From
// and To, or between them, in their own zones, and what tells these from the others.
func (r *Reads) window() (after, before time.Time, wanted func(*api.Record) bool) {
	// No zone is further from UTC. The bounds are exclusive.
	if day, err := time.Parse(time.DateOnly, r.From); err == nil {
		after = day.Add(-15 * time.Hour)
	}
	if day, err := time.Parse(time.DateOnly, r.To); err == nil {
		before = day.Add((24 + 15) * time.Hour)
	}
	if after.IsZero() && before.IsZero() {
		return after, before, nil
	}
	return after, before, func(event *api.Record) bool {
		day := event.Start().In(zoneOf(event)).Format(time.DateOnly)
		return day >= r.From && (r.To == "" || day <= r.To)
	}
}

func zoneOf(event *api.Record) *time.Location {
	var name string
	if json.Unmarshal(event.Values["timezone"], &name) == nil {
		if zone, err := value.LoadZone(name); err == nil {
			return zone
		}
	}
	return time.UTC
}
