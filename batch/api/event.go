package api

import (
	"encoding/json"
	"iter"
	"net/url"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
)

// EventOf returns the event of an answer.
func EventOf(a Answer, err error) (event Record, _ error) {
	var m members
	if err == nil {
		err = a.decode(&m)
	}
	if err != nil {
		return Record{}, err
	}
	event = recordIn(m, catalog.Events)
	event.At = a.At
	return event, answerID("the event", event.ID)
}

// Events reads the entries of a list of events, but for those of others.
func Events(pages iter.Seq2[Page, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for entry, err := range Entries(pages) {
			var event Record
			if err == nil {
				event, err = RecordIn(entry, catalog.Events)
			}
			if !event.Listed() && !yield(event, err) {
				return
			}
		}
	}
}

// Between returns the query that lists the events which start within the bounds, the
// earliest first. A zero time leaves its bound out.
func Between(after, before time.Time) url.Values {
	v := url.Values{"sort_column": {"start_at"}, "sort_direction": {"asc"}}
	for name, at := range map[string]time.Time{"after": after, "before": before} {
		if !at.IsZero() {
			v.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return v
}

// Name returns the name of an event.
func (r Record) Name() string { return members(r.Values).text("name") }

// Slug returns the slug of an event.
func (r Record) Slug() string { return members(r.Values).text(catalog.Events.Slug) }

// Calendar returns the id of the calendar that an event is on, empty where it is not told.
func (r Record) Calendar() string { return members(r.Values).text("calendar_id", "calendar_api_id") }

// Start returns the start of an event, zero where it is not told.
func (r Record) Start() time.Time { return members(r.Values).time(catalog.Events.Starts) }

// End returns the end of an event, likewise.
func (r Record) End() time.Time { return members(r.Values).time("end_at") }

// Created returns when an event was made, likewise.
func (r Record) Created() time.Time { return members(r.Values).time("created_at") }

// Listed reports whether an event is not one of the calendar's own: an external event, or one of
// another calendar, which this one shows or is asked to show.
func (r Record) Listed() bool {
	m := members(r.Values)
	return m.text("platform") == external || m.text("access") == "view"
}

// Guests returns the number of guests that a single event tells, whatever their status.
func (r Record) Guests() (n int) {
	var counts map[string]json.RawMessage
	_ = json.Unmarshal(r.Values["guest_counts"], &counts) // of an event that tells none, there are none
	for status, of := range counts {
		var count struct{ Guests float64 } // beside the tickets that they have
		if json.Unmarshal(of, &count) != nil {
			_ = json.Unmarshal(of, &count.Guests)
		}
		if status != "checked_in" { // they are among the approved
			n += int(count.Guests)
		}
	}
	return n
}

// external is the platform of an event elsewhere.
const external = "external"

// slugOf is the last part of the address of an event's page.
func slugOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		return ""
	}
	path := strings.TrimRight(u.Path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
