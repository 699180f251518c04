package sandbox

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/catalog"
)

// Edit is what a person has changed by hand.
type Edit struct {
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
var deeds = []func(*data, *rand.Rand, *item) (*record, Edit){
	rename, rename, resize, resize, decline, label,
	hold, hold, shift, giveUp,
}

// edit perhaps has the person change something.
func (p *editor) edit(s *store) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rate <= 0 || p.source.Float64() >= p.rate {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.data.events()
	deed := deeds[p.source.IntN(len(deeds))]
	if len(all) == 0 {
		return
	}
	r, done := deed(s.data, p.source, all[p.source.IntN(len(all))])
	if r == nil || done.Field != "" && done.Old == done.New {
		return
	}
	r.Hand, r.At = true, s.now().UnixMilli()
	if s.commit(r) == nil { // else nothing was changed
		p.edits = append(p.edits, done)
	}
}

// edited returns the change of one field of an event.
func edited(e *item, field string, value json.RawMessage) (*record, Edit) {
	return &record{Type: "update", ID: e.id, Fields: fields{field: value}},
		Edit{Event: e.id, Field: field, Old: string(e.fields[field]), New: string(value)}
}

func rename(d *data, source *rand.Rand, e *item) (*record, Edit) {
	name, _, _ := strings.Cut(e.text("name"), " (by hand")
	return edited(e, "name", quote(fmt.Sprintf("%s (by hand %d)", name, source.IntN(1000))))
}

func resize(d *data, source *rand.Rand, e *item) (*record, Edit) {
	return edited(e, "max_capacity", fmt.Append(nil, 1000+source.IntN(1000)))
}

// decline takes a guest off the list.
func decline(d *data, source *rand.Rand, e *item) (*record, Edit) {
	guests := d.guests(e.id)
	if len(guests) == 0 {
		return nil, Edit{}
	}
	guest, status := guests[source.IntN(len(guests))], quote("declined")
	return &record{Type: "change", Event: e.id, ID: guest.id, Fields: fields{"status": status}},
		Edit{Event: e.id, Guest: guest.text("email"), Field: "status", Old: string(guest.fields["status"]), New: string(status)}
}

// label puts one of the calendar's tags on an event.
func label(d *data, source *rand.Rand, e *item) (*record, Edit) {
	all := d.lists[place{catalog.EventTags, e.in.of}]
	if len(all) == 0 {
		return nil, Edit{}
	}
	tag, ids := all[source.IntN(len(all))].id, e.texts("tags")
	if slices.Contains(ids, tag) {
		return nil, Edit{}
	}
	list := encoded(append(ids, tag))
	return &record{Type: "tag", rows: rows{Rows: []fields{{"id": quote(e.id), "tags": list}}}},
		Edit{Event: e.id, Field: "tags", Old: string(e.fields["tags"]), New: string(list)}
}

// hold makes an event of the person's own near another one.
func hold(d *data, source *rand.Rand, e *item) (*record, Edit) {
	r := &record{Type: "create", origin: origin{Calendar: e.in.of, User: hand}}
	r.ID = d.issue(r, "evt-", "event", 16)
	r.Fields = fields{
		"name": quote(fmt.Sprintf("Private party %d", r.Issued)), "slug": quote(d.freeSlug(r.Issued)),
		"start_at": quote(stamp(e.start.Add(time.Duration(source.IntN(240)-120) * time.Hour))), "timezone": quote("UTC"),
	}
	return r, Edit{Event: r.ID}
}

// shift moves an event of the person's own to another place in the list.
func shift(d *data, source *rand.Rand, _ *item) (*record, Edit) {
	if own := ownEvent(d, source); own != nil {
		return edited(own, "start_at", quote(stamp(own.start.Add(time.Duration(source.IntN(480)-240)*time.Hour))))
	}
	return nil, Edit{}
}

// giveUp cancels an event of the person's own.
func giveUp(d *data, source *rand.Rand, _ *item) (*record, Edit) {
	if own := ownEvent(d, source); own != nil {
		return &record{Type: "cancel", ID: own.id}, Edit{Event: own.id}
	}
	return nil, Edit{}
}

// ownEvent returns one of the person's own events, nil where there is none.
func ownEvent(d *data, source *rand.Rand) *item {
	own := slices.DeleteFunc(d.events(), func(e *item) bool { return e.maker != hand })
	if len(own) == 0 {
		return nil
	}
	return own[source.IntN(len(own))]
}
