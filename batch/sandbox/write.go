package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// nothing is what the operations say that tell nothing.
var nothing = struct{}{}

// write carries out what a request asks for, of the event of that id if there is one.
// Under the lock, decide returns the change to make, none where there is nothing to do,
// with what the answer says: a function says it after the change.
func (s *Service) write(c *call, b *body, id string, decide func(*Event) (r *record, says any, refusal *answer)) answer {
	refusal := b.refused()
	if refusal == nil && id != "" {
		_, refusal = s.reach(c, id)
	}
	if refusal != nil {
		return *refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.data.events[id]
	if e == nil && id != "" {
		return *foreign()
	}
	r, says, refusal := decide(e)
	switch {
	case refusal != nil:
		return *refusal
	case r == nil:
	case s.commit(r) != nil:
		return *broken("nothing was saved")
	}
	if tell, later := says.(func() any); later {
		says = tell()
	}
	return done(says)
}

// create makes an event (service: POST /v1/events/create).
func (s *Service) create(c *call) answer {
	b := s.fields(c)
	meeting := b.take("create_meeting")
	completeTheme(b)
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		issued := s.data.issued + 1
		r := &record{
			Type: "create", Issued: issued, ID: "evt-" + s.data.word("event", issued, 16), Calendar: c.calendar,
			User: c.caller.userID, At: s.config.Now().UnixMilli(), Fields: b.values,
		}
		if b.values["slug"] == nil {
			b.values["slug"] = quote(s.data.freeSlug(issued))
		}
		s.meet(r, meeting)
		return r, madeEvent(r.ID, c.legacy), s.admissible(&Event{Fields: map[string]json.RawMessage{}}, r)
	})
}

// madeEvent is the answer by which an event was made.
func madeEvent(id string, legacy bool) map[string]string {
	if legacy {
		return map[string]string{"id": id, "api_id": id}
	}
	return map[string]string{"id": id}
}

// update changes the fields sent (service: POST /v1/events/update).
func (s *Service) update(c *call) answer {
	b := s.fields(c)
	id := unquote(b.take(eventID))
	quiet := string(b.take("suppress_email")) == "true"
	meeting := b.take("create_meeting")
	completeTheme(b)
	return s.write(c, b, id, func(old *Event) (*record, any, *answer) {
		r := &record{Type: "update", ID: id, Fields: b.values}
		if len(meeting) > 0 {
			r.Issued = s.data.issued + 1
		}
		s.meet(r, meeting)
		next := *old
		next.Fields = maps.Clone(old.Fields)
		if refusal := s.admissible(&next, r); refusal != nil {
			return nil, nil, refusal
		}
		r.Op, r.At, r.Push = c.Name, s.config.Now().UnixMilli(), c.told(schema.Pushes, old, &next)
		if !quiet {
			r.Cause = c.told(schema.Mails, old, &next)
		}
		return r, nothing, nil
	})
}

// reach returns the event if the caller may touch it. The organization that has selected
// no calendar pays for the event's calendar now.
func (s *Service) reach(c *call, id string) (*Event, *answer) {
	s.mu.RLock()
	e := s.data.events[id]
	s.mu.RUnlock()
	if e == nil || !s.people.owns(c.caller, e.Calendar) || c.calendar != "" && c.calendar != e.Calendar {
		return nil, foreign()
	}
	if c.calendar == "" {
		c.calendar = e.Calendar
		if q := s.limits.admit(e.Calendar); q.blocked {
			return nil, new(throttled(q, true))
		}
	}
	return e, nil
}

// foreign is the answer for an event that is unknown or of another calendar.
func foreign() *answer {
	return refuse(http.StatusForbidden, "You do not have access to this event.")
}

// admissible checks what depends on more than the request: the slug and the order
// of start and end. It makes next what the event would become.
func (s *Service) admissible(next *Event, r *record) *answer {
	if err := next.set(r); err != nil {
		return broken("the event would not be whole")
	}
	var list []trouble
	if s.data.taken(next.Slug, r.ID) != "" {
		list = append(list, trouble{"slug", s.config.SlugTaken})
	}
	if next.End.Before(next.Start) {
		list = append(list, trouble{"end_at", "Has to be after start_at."})
	}
	if len(list) > 0 {
		return invalid(list...)
	}
	return nil
}

// meet creates the meeting that a request asks for: a new one each time.
func (s *Service) meet(r *record, kind json.RawMessage) {
	if len(kind) == 0 {
		return
	}
	r.Meeting = true
	r.Fields["meeting_url"] = quote("https://" + unquote(kind) + ".sandbox.invalid/" + s.data.word("meeting", r.Issued, 10))
}

// completeTheme applies the theme's default font where a theme comes without one.
func completeTheme(b *body) {
	if b.values["theme"] != nil && b.values["font"] == nil {
		b.values["font"] = json.RawMessage("null")
	}
}

// told returns the changed fields of which guests hear by that effect.
func (c *call) told(effect schema.Effect, old, next *Event) string {
	return strings.Join(slices.DeleteFunc(slices.Sorted(slices.Values(c.When[effect])), func(field string) bool {
		switch field {
		case "start_at":
			return old.Start.Equal(next.Start)
		case "end_at":
			return old.End.Equal(next.End)
		}
		return bytes.Equal(old.Fields[field], next.Fields[field])
	}), ", ")
}

var errShut = errors.New("the sandbox is closed")

// commit keeps the record of a change that is made now. The caller holds the lock.
func (s *Service) commit(r *record) error {
	r.Made = s.config.Now().UnixMilli()
	return s.keep(r)
}

// keep writes a record, then applies it. The caller holds the lock.
func (s *Service) keep(r *record) error {
	if s.shut {
		return errShut
	}
	if s.disk != nil {
		if err := s.disk.append(r); err != nil {
			return err
		}
	}
	return s.apply(r)
}

// apply makes the change that a record describes, which people hear of and lists show later.
func (s *Service) apply(r *record) error {
	s.data.send(r)
	err := s.data.apply(r)
	if err == nil {
		s.shelf.add(r)
	}
	return err
}

func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}
