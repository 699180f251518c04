package sandbox

import (
	"maps"
	"time"
)

// shelf is what lists show: the data as it was a while ago. Without a lag it is the data itself.
type shelf struct {
	lag   time.Duration
	shown *data
	late  []*record // changes that the data has and lists do not show yet, in their order
}

// newShelf shows what becomes of data that is empty yet.
func newShelf(d *data, lag time.Duration) shelf {
	if lag <= 0 {
		return shelf{shown: d}
	}
	people := &directory{calendars: maps.Clone(d.people.calendars)}
	return shelf{lag: lag, shown: newData(d.seed, people)}
}

// add has lists show a change once its time has come.
func (h *shelf) add(r *record) {
	if h.lag > 0 {
		h.late = append(h.late, r)
	}
}

// listed returns what lists show now, and of when that is.
func (s *Service) listed() (d *data, at time.Time) {
	h, at := &s.shelf, s.config.Now().Add(-s.shelf.lag)
	if h.lag <= 0 {
		return h.shown, at
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(h.late) > 0 && h.late[0].Made <= at.UnixMilli() {
		_ = h.shown.apply(h.late[0]) // as the data has taken it before
		h.late = h.late[1:]
	}
	return h.shown, at
}
