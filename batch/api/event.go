package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"net/url"
	"strings"
	"time"
)

// Event is an event as the service gives it back.
type Event struct {
	ID       string
	Name     string
	Slug     string    // from the event's address where no field says it
	Calendar string    // id, empty where it is not told
	StartAt  time.Time // zero where it is not told
	EndAt    time.Time
	Created  time.Time
	Read     time.Time // when a single event was read, by the platform's clock, as Created; zero where that is not told
	// Listed means that it is not one of the calendar's own: an external event, or one of
	// another calendar, which this one shows or is asked to show.
	Listed bool
	Tags   json.RawMessage // nil where they are not told
	// Raw is the whole object as it came, flat: fields around a wrapped event
	// are put beside its own.
	Raw json.RawMessage
}

// EventOf returns the event of an answer.
func EventOf(a Answer, err error) (event Event, _ error) {
	if err == nil {
		err = a.decode(&event)
	}
	if err != nil {
		return Event{}, err
	}
	event.Read = a.At
	return event, answerID("the event", event.ID)
}

// Guests returns the number of guests that a single event tells, whatever their status.
func (e *Event) Guests() (n int) {
	var told struct {
		Counts map[string]json.RawMessage `json:"guest_counts"`
	}
	_ = json.Unmarshal(e.Raw, &told) // of an event that tells none, there are none
	for status, of := range told.Counts {
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

// Events reads the entries of a list of events, but for those of others.
func Events(pages iter.Seq2[Page, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for entry, err := range Entries(pages) {
			var event Event
			if err == nil {
				err = json.Unmarshal(entry, &event)
			}
			if !event.Listed && !yield(event, err) {
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

// UnmarshalJSON reads an event flat or wrapped, with new or old names.
func (e *Event) UnmarshalJSON(data []byte) error {
	var m members
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	raw := bytes.Clone(data)
	if m.lift("event") {
		raw, _ = json.Marshal(m) // what came as JSON is JSON
	}
	*e = Event{
		ID: m.text("id", "api_id", "event_id"), Name: m.text("name"), Slug: cmp.Or(m.text("slug"), slugOf(m.text("url"))),
		Calendar: m.text("calendar_id", "calendar_api_id"), StartAt: m.time("start_at"), EndAt: m.time("end_at"),
		Created: m.time("created_at"), Listed: m.text("platform") == external || m.text("access") == "view",
		Tags: m["tags"], Raw: raw,
	}
	return nil
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
