package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Stats counts what has happened since New; the counts of creates, by slug, by
// name, and of cancellations include what the folder held already.
type Stats struct {
	Requests  map[string]int // by path as called; unknown paths together as "unknown"
	Statuses  map[int]int    // 0 for connections that were reset
	Faults    map[FaultKind]int
	Throttled int // answers with 429
	Owners    map[string]Owner
	Created   int
	Slugs     map[string]int // creates by slug
	Names     map[string]int // creates by name
	Updated   int
	Cancelled int
}

// Owner counts the requests of a calendar or an organization.
type Owner struct {
	Requests    int
	Refused     int // over the limit, or while blocked
	MaxInWindow int // the most requests, refused ones too, in any window of the limit
}

// Event is an event as the service holds it.
type Event struct {
	ID       string
	Calendar string
	User     string // id of who made it
	Name     string
	Slug     string
	Start    time.Time
	End      time.Time
	Created  time.Time
	Fields   map[string]json.RawMessage // as sent, by top-level field
	Updates  int
	Meetings int // made by create_meeting
	Mails    int // changes that guests were mailed about
}

// Stats returns the counts as they stand.
func (s *Service) Stats() Stats {
	t := &s.tally
	t.mu.Lock()
	stats := Stats{
		Requests: maps.Clone(t.requests), Statuses: maps.Clone(t.statuses), Faults: maps.Clone(t.faults),
		Throttled: t.throttled, Owners: s.limits.stats(),
	}
	t.mu.Unlock()
	s.store.read(func(d *data) {
		stats.Created, stats.Updated, stats.Cancelled = d.created, d.updated, d.cancelled
		stats.Slugs, stats.Names = maps.Clone(d.bySlug), maps.Clone(d.byName)
	})
	return stats
}

// Arrivals returns the time of every request of an owner, refused ones too.
func (s *Service) Arrivals(owner string) []time.Time {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	o := s.limits.owners[owner]
	if o == nil {
		return nil
	}
	times := make([]time.Time, len(o.arrivals))
	for i, at := range o.arrivals {
		times[i] = time.Unix(0, at)
	}
	return times
}

// Events returns the events that have not been cancelled, by calendar and start.
func (s *Service) Events() (list []Event) {
	list = []Event{}
	s.store.read(func(d *data) {
		for _, e := range d.events() {
			list = append(list, Event{
				ID: e.id, Calendar: e.in.of, User: e.maker, Name: e.text("name"), Slug: e.text("slug"), Start: e.start, End: e.end,
				Created: e.added, Fields: e.fields, Updates: e.counts.updates, Meetings: e.counts.meetings, Mails: e.counts.mails,
			})
		}
	})
	return list
}

// Outbox returns what people would have received, in the order in which it would have left.
func (s *Service) Outbox() (mails []Mail) {
	s.store.read(func(d *data) { mails = append(slices.Clone(d.outbox), d.scheduled(s.config.Now())...) })
	return mails
}

// Edits returns what the person has changed by hand, in the order in which it was done.
func (s *Service) Edits() []Edit {
	s.editor.mu.Lock()
	defer s.editor.mu.Unlock()
	return slices.Clone(s.editor.edits)
}

func (l *limiter) stats() map[string]Owner {
	l.mu.Lock()
	defer l.mu.Unlock()
	stats := make(map[string]Owner, len(l.owners))
	for name, o := range l.owners {
		stats[name] = Owner{len(o.arrivals), o.throttled, maxInWindow(o.arrivals, l.limits.Window)}
	}
	return stats
}
