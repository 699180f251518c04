package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// Edit is what a person has changed by hand.
type Edit struct {
	At       time.Time
	Event    string // id
	Guest    string // e-mail address of the guest whose status it is; empty where it is the event's
	Field    string // name, max_capacity, tags or status; start_at and nothing of the person's own events
	Old, New string // JSON, empty for none
}

// editor changes things by hand while programs send requests, as anybody does who has the site of
// the platform open. That is no request, and nobody is mailed.
type editor struct {
	rate float64 // of requests before which something is changed

	mu     sync.Mutex
	source *rand.Rand
	edits  []Edit
}

// hand is the id of the person, who makes events too.
const hand = "usr-person"

// deeds are what the person does, each as often as it stands here. They change events of anybody,
// but move and cancel the person's own events only: an event of somebody else that is gone could not be
// told from one that was never made. They return no record where there is nothing to change.
var deeds = []func(*Service, *rand.Rand, *Event) (*record, Edit){
	(*Service).rename, (*Service).rename, (*Service).resize, (*Service).resize, (*Service).decline, (*Service).label,
	(*Service).hold, (*Service).hold, (*Service).shift, (*Service).giveUp,
}

// Edits returns what the person has changed by hand, in the order in which it was done.
func (s *Service) Edits() []Edit {
	s.editor.mu.Lock()
	defer s.editor.mu.Unlock()
	return slices.Clone(s.editor.edits)
}

// edit perhaps has the person change something.
func (s *Service) edit() {
	p := &s.editor
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rate <= 0 || p.source.Float64() >= p.rate {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*Event
	for _, calendar := range slices.Sorted(maps.Keys(s.data.calendars)) {
		all = append(all, s.data.calendars[calendar]...)
	}
	deed := deeds[p.source.IntN(len(deeds))]
	if len(all) == 0 {
		return
	}
	r, done := deed(s, p.source, all[p.source.IntN(len(all))])
	if r == nil || done.Field != "" && done.Old == done.New {
		return
	}
	now := s.config.Now()
	r.Hand, r.At, done.At = true, now.UnixMilli(), now
	if s.commit(r) == nil { // else nothing was changed
		p.edits = append(p.edits, done)
	}
}

// update returns the change of one field of an event.
func (e *Event) update(field string, value json.RawMessage) (*record, Edit) {
	return &record{Type: "update", ID: e.ID, Fields: map[string]json.RawMessage{field: value}},
		Edit{Event: e.ID, Field: field, Old: string(e.Fields[field]), New: string(value)}
}

func (s *Service) rename(source *rand.Rand, e *Event) (*record, Edit) {
	name, _, _ := strings.Cut(e.Name, " (by hand")
	return e.update("name", quote(fmt.Sprintf("%s (by hand %d)", name, source.IntN(1000))))
}

func (s *Service) resize(source *rand.Rand, e *Event) (*record, Edit) {
	return e.update("max_capacity", fmt.Append(nil, 1000+source.IntN(1000)))
}

// decline takes a guest off the list.
func (s *Service) decline(source *rand.Rand, e *Event) (*record, Edit) {
	guests := s.data.guests(e.ID)
	if len(guests) == 0 {
		return nil, Edit{}
	}
	guest, status := guests[source.IntN(len(guests))], quote("declined")
	return &record{Type: "change", Event: e.ID, ID: guest.id, Fields: map[string]json.RawMessage{"status": status}},
		Edit{Event: e.ID, Guest: guest.text("email"), Field: "status", Old: string(guest.fields["status"]), New: string(status)}
}

// label puts one of the calendar's tags on an event.
func (s *Service) label(source *rand.Rand, e *Event) (*record, Edit) {
	all := s.data.lists[place{schema.EventTags, e.Calendar}]
	if len(all) == 0 {
		return nil, Edit{}
	}
	tag, ids := all[source.IntN(len(all))].id, texts(e.Fields["tags"])
	if slices.Contains(ids, tag) {
		return nil, Edit{}
	}
	list, _ := json.Marshal(append(ids, tag)) // texts always encode
	return &record{Type: "tag", Rows: []map[string]json.RawMessage{{"id": quote(e.ID), "tags": list}}},
		Edit{Event: e.ID, Field: "tags", Old: string(e.Fields["tags"]), New: string(list)}
}

// hold makes an event of the person's own near another one.
func (s *Service) hold(source *rand.Rand, e *Event) (*record, Edit) {
	issued := s.data.issued + 1
	r := &record{
		Type: "create", Issued: issued, ID: "evt-" + s.data.word("event", issued, 16), Calendar: e.Calendar, User: hand,
		Fields: map[string]json.RawMessage{
			"name": quote(fmt.Sprintf("Private party %d", issued)), "slug": quote(s.data.freeSlug(issued)),
			"start_at": quote(stamp(e.Start.Add(time.Duration(source.IntN(240)-120) * time.Hour))), "timezone": quote("UTC"),
		},
	}
	return r, Edit{Event: r.ID}
}

// shift moves an event of the person's own to another place in the list.
func (s *Service) shift(source *rand.Rand, _ *Event) (*record, Edit) {
	if own := s.own(source); own != nil {
		return own.update("start_at", quote(stamp(own.Start.Add(time.Duration(source.IntN(480)-240)*time.Hour))))
	}
	return nil, Edit{}
}

// giveUp cancels an event of the person's own.
func (s *Service) giveUp(source *rand.Rand, _ *Event) (*record, Edit) {
	if own := s.own(source); own != nil {
		return &record{Type: "cancel", ID: own.ID}, Edit{Event: own.ID}
	}
	return nil, Edit{}
}

// own returns one of the person's own events, nil where there is none.
func (s *Service) own(source *rand.Rand) *Event {
	var own []*Event
	for _, calendar := range slices.Sorted(maps.Keys(s.data.calendars)) {
		for _, e := range s.data.calendars[calendar] {
			if e.User == hand {
				own = append(own, e)
			}
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own[source.IntN(len(own))]
}
