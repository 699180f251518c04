package api

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// Entity is what holds a slug. The zero Entity means that the slug is free.
type Entity struct {
	Taken   bool
	Type    string // event or calendar
	ID      string
	Name    string
	Slug    string
	StartAt time.Time // of an event
	EndAt   time.Time
	Raw     json.RawMessage // the entity as it came
}

// kind is the type, where it is one of the service's.
func (e *Entity) kind() string {
	if e.Type == "event" || e.Type == "calendar" {
		return e.Type
	}
	return "entity"
}

// LookupSlug tells what holds a slug. `{"entity":null}` means free; an answer
// without that word never does.
func (c *Client) LookupSlug(ctx context.Context, slug string) (Entity, error) {
	var got struct {
		Entity json.RawMessage `json:"entity"`
	}
	if err := c.get(ctx, "/v1/entities/lookup", url.Values{"slug": {slug}}, &got); err != nil {
		return Entity{}, err
	}
	odd := &WrongAddressError{Status: 200, Reason: "its answer to a look-up has no entity"}
	switch {
	case got.Entity == nil:
		return Entity{}, odd
	case string(got.Entity) == "null":
		return Entity{}, nil
	}
	var in struct {
		Type     word            `json:"type"`
		Event    json.RawMessage `json:"event"`
		Calendar json.RawMessage `json:"calendar"`
	}
	if json.Unmarshal(got.Entity, &in) != nil {
		return Entity{}, odd
	}
	entity := Entity{Taken: true, Type: string(in.Type), Raw: got.Entity}
	inner := got.Entity // flat, unless wrapped in its type
	switch {
	case isObject(in.Event):
		inner = in.Event
		if entity.Type == "" {
			entity.Type = "event"
		}
	case isObject(in.Calendar):
		inner = in.Calendar
		if entity.Type == "" {
			entity.Type = "calendar"
		}
	}
	var event Event
	if json.Unmarshal(inner, &event) == nil {
		entity.ID, entity.Name, entity.Slug = event.ID, event.Name, event.Slug
		entity.StartAt, entity.EndAt = event.StartAt, event.EndAt
	}
	if entity.Type != "event" && entity.ID == "" {
		return entity, nil // it is in the way all the same
	}
	if err := answerID("the "+entity.kind(), entity.ID); err != nil {
		return Entity{}, err
	}
	return entity, nil
}
