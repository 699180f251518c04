package api

import (
	"bytes"
	"context"
	"encoding/json"
)

// User is whom a key belongs to.
type User struct {
	ID    string
	Name  string
	Email string
	Raw   json.RawMessage
}

// Self tells whom the key belongs to: the way to probe a credential.
func (c *Client) Self(ctx context.Context) (User, error) {
	var got record
	if err := c.get(ctx, "/v1/users/get-self", nil, &got); err != nil {
		return User{}, err
	}
	if err := answerID("the user", got.id()); err != nil {
		return User{}, err
	}
	return User{ID: got.id(), Name: string(got.Name), Email: string(got.Email), Raw: got.raw}, nil
}

// CalendarRecord is a calendar (service: Calendar).
type CalendarRecord struct {
	ID       string
	Name     string
	Slug     string
	URL      string
	Timezone string // of its place, empty where it is tied to none
	Raw      json.RawMessage
}

// Calendar reads the calendar that the credential selects.
func (c *Client) Calendar(ctx context.Context) (CalendarRecord, error) {
	var got record
	if err := c.get(ctx, "/v1/calendars/get", nil, &got); err != nil {
		return CalendarRecord{}, err
	}
	if err := answerID("the calendar", got.id()); err != nil {
		return CalendarRecord{}, err
	}
	return CalendarRecord{
		ID: got.id(), Name: string(got.Name), Slug: string(got.Slug), URL: string(got.URL),
		Timezone: got.zone(), Raw: got.raw,
	}, nil
}

// record reads a user or calendar, flat or wrapped, with new or old names.
type record struct {
	fields
	raw json.RawMessage
}

type fields struct {
	ID       word            `json:"id"`
	OldID    word            `json:"api_id"`
	Name     word            `json:"name"`
	Email    word            `json:"email"`
	Slug     word            `json:"slug"`
	URL      word            `json:"url"`
	Location json.RawMessage `json:"location"`
	User     json.RawMessage `json:"user"`
	Calendar json.RawMessage `json:"calendar"`
}

// UnmarshalJSON unwraps what the old paths wrap.
func (r *record) UnmarshalJSON(data []byte) error {
	r.raw = bytes.Clone(data)
	if err := json.Unmarshal(data, &r.fields); err != nil {
		return err
	}
	for _, inner := range []json.RawMessage{r.User, r.Calendar} {
		if isObject(inner) {
			r.raw, r.fields = inner, fields{}
			return json.Unmarshal(inner, &r.fields)
		}
	}
	return nil
}

func (r *record) id() string { return first(r.ID, r.OldID) }

// zone is the time zone of a calendar's place.
func (r *record) zone() string {
	var place struct {
		Timezone word `json:"timezone"`
	}
	if isObject(r.Location) && json.Unmarshal(r.Location, &place) == nil {
		return string(place.Timezone)
	}
	return ""
}
