package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"maps"
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
	var in entry
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	flat := data
	if isObject(in.Event) {
		var err error
		if flat, err = unwrap(data, "event"); err != nil {
			return err
		}
		in = entry{}
		if err := json.Unmarshal(flat, &in); err != nil {
			return err
		}
	}
	*e = Event{
		ID: first(in.ID, in.OldID, in.EventID), Name: string(in.Name), Slug: first(in.Slug, word(slugOf(string(in.URL)))),
		Calendar: first(in.Calendar, in.OldCalendar), StartAt: in.StartAt.Time, EndAt: in.EndAt.Time, Created: in.Created.Time,
		Listed: in.Platform == external || in.Access == "view",
		Tags:   in.Tags, Raw: bytes.Clone(flat),
	}
	return nil
}

// external is the platform of an event elsewhere.
const external = "external"

// entry is the wire form of an event, and of the answer to a create.
type entry struct {
	ID          word            `json:"id"`
	OldID       word            `json:"api_id"`
	EventID     word            `json:"event_id"`
	Name        word            `json:"name"`
	Slug        word            `json:"slug"`
	URL         word            `json:"url"`
	Calendar    word            `json:"calendar_id"`
	OldCalendar word            `json:"calendar_api_id"`
	StartAt     instant         `json:"start_at"`
	EndAt       instant         `json:"end_at"`
	Created     instant         `json:"created_at"`
	Platform    word            `json:"platform"`
	Access      word            `json:"access"`
	Tags        json.RawMessage `json:"tags"`
	Event       json.RawMessage `json:"event"`
}

// unwrap lifts the fields of object[name] beside those around it; the inner
// ones win, since the outer id is that of the entry.
func unwrap(object json.RawMessage, name string) (json.RawMessage, error) {
	var outer, inner map[string]json.RawMessage
	if err := json.Unmarshal(object, &outer); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(outer[name], &inner); err != nil {
		return nil, err
	}
	if inner == nil {
		return nil, errors.New("no " + name)
	}
	delete(outer, name)
	delete(outer, "api_id")
	delete(outer, "id")
	maps.Copy(outer, inner)
	return json.Marshal(outer)
}

// flat returns an entry of a list as the newer paths have it, whatever path it came from: not
// wrapped in its name, and with its id under that name.
func flat(entry json.RawMessage, name string) json.RawMessage {
	if !bytes.Contains(entry, []byte(`"`+name+`"`)) || !isObject(membersOf(entry)[name]) {
		return entry
	}
	inner, err := unwrap(entry, name)
	if err != nil {
		return entry
	}
	members := membersOf(inner)
	if id := members["api_id"]; members["id"] == nil && id != nil {
		members["id"] = id
		inner, err = json.Marshal(members)
	}
	if err != nil {
		return entry
	}
	return inner
}

// slugOf is the last part of the address of an event's page.
func slugOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		return ""
	}
	path := strings.TrimRight(u.Path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
