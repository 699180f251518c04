package batch

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/secret"
	"eventbatch/mapping/schema"
)

// Reads says which events an export is about, and how it reads them.
type Reads struct {
	// Calendars are the calendars as the user names them; none is the only one there is,
	// and AllCalendars alone is every one that the keys reach.
	Calendars []string
	// From and To are days, 2027-05-01, of the starts in the events' own zones; each may
	// be empty.
	From, To    string
	Events      []string // ids of the only events that are meant
	Quick       bool     // what only a read of each event gives is left out
	Concurrency int
}

// AllCalendars stands for every calendar that the keys reach.
const AllCalendars = "all"

// window returns the bounds of a list that has all events which start on the days From
// and To, or between them, in their own zones, and what tells these from the others.
func (r *Reads) window() (after, before time.Time, wanted func(*api.Event) bool) {
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
	return after, before, func(event *api.Event) bool {
		day := event.StartAt.In(zoneOf(event)).Format(time.DateOnly)
		return day >= r.From && (r.To == "" || day <= r.To)
	}
}

func zoneOf(event *api.Event) *time.Location {
	var of struct {
		Timezone string `json:"timezone"`
	}
	if json.Unmarshal(event.Raw, &of) == nil {
		if zone, err := schema.LoadZone(of.Timezone); err == nil {
			return zone
		}
	}
	return time.UTC
}

// calendars returns the ids of the calendars that a user means, and whether rows can
// name them.
func (s *Service) calendars(ctx context.Context, words []string) (ids []string, named bool, err error) {
	if slices.Contains(words, AllCalendars) {
		ids, err = s.reached(ctx)
		return ids, true, err
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, word := range words {
		id, err := s.Resolve(ctx, word)
		if err != nil {
			return nil, false, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		target, err := s.config.Connection.Targets.For(word)
		named = err == nil && target.Calendar != ""
	}
	return ids, named, nil
}

// reached returns the calendars that the keys reach: those that keys are for, and those
// of the organizations.
func (s *Service) reached(ctx context.Context) (ids []string, err error) {
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, target := range s.config.Connection.Targets.All() {
		if target.Kind != secret.Organization {
			id, err := s.Resolve(ctx, target.Calendar)
			if err != nil {
				return nil, err
			}
			add(id)
			continue
		}
		if target.Calendar != "" {
			add(target.Calendar)
			continue
		}
		l, err := s.open(ctx, target)
		if err != nil {
			return nil, err
		}
		calendars, err := l.calendars(ctx, target.Organization)
		if err != nil {
			return nil, err
		}
		for i := range calendars {
			add(calendars[i].ID)
		}
	}
	return ids, nil
}
