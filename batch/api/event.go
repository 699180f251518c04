package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"time"
)

// CreateEvent creates an event and gives its id. body is the complete JSON
// object. before is Call.BeforeSend. The service has no idempotency key: after
// an *UnknownOutcomeError or *WrongAddressError the event may exist.
func (c *Client) CreateEvent(ctx context.Context, body json.RawMessage, before func(context.Context) error) (id string, err error) {
	const path = "/v1/events/create"
	answer, err := c.post(ctx, path, body, before)
	if err != nil {
		return "", err
	}
	var created Event
	if err := decode(answer, path, &created); err != nil {
		return "", err
	}
	return created.ID, answerID("the new event", created.ID)
}

// UpdateEvent changes the fields that body names (service: Event update input
// fields). body is the complete JSON object with event_id.
func (c *Client) UpdateEvent(ctx context.Context, body json.RawMessage, before func(context.Context) error) error {
	_, err := c.post(ctx, "/v1/events/update", body, before)
	return err
}

// Cancellation is what the first step of a cancellation tells.
type Cancellation struct {
	Token  string `json:"cancellation_token"` // good for 15 minutes
	Paid   bool   `json:"is_paid"`            // whether the second step has to say if guests are refunded
	Guests int    `json:"guest_count"`
}

// RequestCancel is the first step of a cancellation; it changes nothing.
func (c *Client) RequestCancel(ctx context.Context, eventID string) (Cancellation, error) {
	const path = "/v1/events/cancel/request"
	answer, err := c.post(ctx, path, map[string]string{"event_id": eventID}, nil)
	if err != nil {
		return Cancellation{}, err
	}
	var got Cancellation
	if err := decode(answer, path, &got); err != nil {
		return Cancellation{}, err
	}
	if got.Token == "" {
		return Cancellation{}, &WrongAddressError{Status: answer.Status, Reason: "its answer to a cancellation has no token"}
	}
	return got, nil
}

// CancelEvent is the second step: every guest is notified and the event is
// deleted for good. refund is needed for a paid event and nil otherwise.
func (c *Client) CancelEvent(ctx context.Context, eventID, token string, refund *bool, before func(context.Context) error) error {
	body := struct {
		EventID string `json:"event_id"`
		Token   string `json:"cancellation_token"`
		Refund  *bool  `json:"should_refund,omitempty"`
	}{eventID, token, refund}
	_, err := c.post(ctx, "/v1/events/cancel", body, before)
	return err
}

// GetEvent reads one event. An unknown id is a *ForbiddenError.
func (c *Client) GetEvent(ctx context.Context, id string) (Event, error) {
	var got Event
	if err := c.get(ctx, "/v1/events/get", url.Values{"event_id": {id}}, &got); err != nil {
		return Event{}, err
	}
	if err := answerID("the event", got.ID); err != nil {
		return Event{}, err
	}
	return got, nil
}

// Event is an event as the service gives it back.
type Event struct {
	ID       string
	Name     string
	Slug     string    // from the event's address where no field says it
	URL      string    // of its page
	Calendar string    // id, empty where it is not told
	StartAt  time.Time // zero where it is not told
	EndAt    time.Time
	Timezone string
	Created  time.Time
	// Raw is the whole object as it came, flat: fields around a wrapped event
	// are put beside its own.
	Raw json.RawMessage
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
		URL: string(in.URL), Calendar: first(in.Calendar, in.OldCalendar), Timezone: string(in.Timezone),
		StartAt: in.StartAt.Time, EndAt: in.EndAt.Time, Created: in.Created.Time,
		Raw: bytes.Clone(flat),
	}
	return nil
}

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
	Timezone    word            `json:"timezone"`
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

// slugOf is the last part of the address of an event's page.
func slugOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		return ""
	}
	path := u.Path
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
