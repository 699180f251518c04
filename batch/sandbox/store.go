package sandbox

import (
	"errors"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// store keeps the data, in a folder if there is one, and what lists show of it.
type store struct {
	now func() time.Time
	lag time.Duration // after which lists show a change

	mu    sync.RWMutex // guards data, shown and late, and the order of records on disk
	data  *data
	shown *data     // what lists show: the data as it was a while ago; without a lag, the data itself
	late  []*record // changes that the data has and lists do not show yet, in their order
	disk  *disk     // nil when in memory only
	shut  bool
}

func newStore(config *Config, calendars []*item) (*store, error) {
	s := &store{now: config.Now, lag: config.ListLag, data: newData(config.Seed, calendars)}
	if s.shown = s.data; s.lag > 0 {
		s.shown = newData(config.Seed, calendars)
	}
	if config.Dir == "" {
		return s, nil
	}
	var err error
	s.disk, err = openDisk(config.Dir, s.apply)
	return s, err
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return nil
	}
	s.shut = true
	if s.disk == nil {
		return nil
	}
	return s.disk.close()
}

var errShut = errors.New("the sandbox is closed")

// commit keeps the record of a change that is made now. The caller holds the lock.
func (s *store) commit(r *record) error {
	r.Made = s.now().UnixMilli()
	return s.keep(r)
}

// keep writes a record, then applies it. The caller holds the lock.
func (s *store) keep(r *record) error {
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
func (s *store) apply(r *record) error {
	s.data.send(r)
	err := s.data.apply(r)
	if err == nil && s.lag > 0 {
		s.late = append(s.late, r)
	}
	return err
}

// get returns the record of a resource by its id, nil where there is none.
func (s *store) get(r *schema.Resource, id string) (it *item) {
	s.read(func(d *data) { it = d.get(r, id) })
	return it
}

// read has the data read as it is.
func (s *store) read(read func(d *data)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	read(s.data)
}

// list has what lists show read, with the time of which that is.
func (s *store) list(read func(d *data, at time.Time)) {
	at := s.now().Add(-s.lag)
	if s.lag > 0 {
		s.mu.Lock()
		for len(s.late) > 0 && s.late[0].Made <= at.UnixMilli() {
			_ = s.shown.apply(s.late[0]) // as the data has taken it before
			s.late = s.late[1:]
		}
		s.mu.Unlock()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	read(s.shown, at)
}

// owns reports whether a calendar is within the caller's scope.
func (s *store) owns(who *caller, calendar string) (owns bool) {
	s.read(func(d *data) { owns = d.owns(who, calendar) })
	return owns
}
