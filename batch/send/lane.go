package send

import (
	"slices"
)

// lane sends the tasks of one calendar.
type lane struct {
	*link

	queue  *queue
	slugs  map[uint64]bool // of the rows: an event that has one is that row's; only where lists are asked for
	listed bool            // some events are found by listing alone
}

func newLane(r *run, config Lane) *lane {
	l := &lane{link: &link{run: r, Lane: config}, slugs: map[uint64]bool{}}
	l.listed = slices.ContainsFunc(l.Tasks, func(r Ref) bool { return r.blank() })
	for i := range l.Tasks {
		ref := &l.Tasks[i]
		if ref.id != "" {
			l.claims.of[ref.id] = &claim{}
		}
		if l.listed && ref.slug != 0 {
			l.slugs[ref.slug] = true
		}
	}
	for id := range config.Made {
		ref := config.Made[id]
		l.claims.of[id] = &claim{lane: l, ref: &ref, told: true}
	}
	l.Backlog.Store(int64(len(config.Tasks)))
	l.queue = newQueue(l)
	return l
}
