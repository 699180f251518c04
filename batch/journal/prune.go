package journal

import (
	"iter"
	"slices"
	"time"
)

// Pruning says what of a store goes.
type Pruning struct {
	// Keep is for how long a run stays after its end, or always where it is [Always]. A run
	// that the next plan may compare an event with stays longer, unless Keep is 0.
	Keep time.Duration
	// Bodies is for how long the contents of a run's rows stay.
	Bodies time.Duration
	// Source is the source whose runs are meant; empty for everything.
	Source string
	// Try removes nothing.
	Try bool
}

// Always is the age of what is kept for good.
const Always time.Duration = -1

// Pruned is what has gone, or would go.
type Pruned struct {
	Runs    []Gone // whole
	Bodies  []Gone // the contents of their rows
	Exports []Gone // what was read for one, by the name of its folder
	// Bases are the older runs that stay since Rows keys are compared with what they say,
	// and Open those that have not come to their end.
	Bases, Rows, Open int
}

// Gone is a run, or something else, of which Bytes go.
type Gone struct {
	ID    string
	Ended time.Time
	Bytes int64
}

// Pruner chooses what is pruned of a store, at a time of its clock.
type Pruner struct {
	Pruning

	Now  time.Time
	Done Pruned
}

// Ended is a run that has come to its end.
type Ended struct {
	*Run

	At   time.Time
	Sent bool // it was taken up: the memory knows about it
}

// Past reports whether something that ended then has been kept for long enough.
func (p *Pruner) Past(at time.Time, keep time.Duration) bool {
	return keep == 0 || keep > 0 && at.Before(p.Now.Add(-keep))
}

// Choose returns the runs of one service that go, and those of which the contents of the rows do. They are given
// from old to new.
func (p *Pruner) Choose(m *Memory, runs []*Run) (whole, bodies []Ended, err error) {
	for _, r := range runs {
		e, ok, err := p.ended(r)
		switch {
		case err != nil:
			return nil, nil, err
		case ok && p.Past(e.At, p.Keep):
			whole = append(whole, e)
		case ok && p.Past(e.At, p.Bodies):
			bodies = append(bodies, e)
		}
	}
	if p.Keep <= 0 || len(whole) == 0 {
		return whole, bodies, nil
	}
	var ids []string
	for _, e := range whole {
		ids = append(ids, e.ID())
	}
	kept, rows, err := m.Bases(runs, ids, p.Now.Add(-p.Keep))
	if err != nil {
		return nil, nil, err
	}
	for _, e := range whole {
		if kept[e.ID()] && p.Past(e.At, p.Bodies) {
			bodies = append(bodies, e)
		}
	}
	p.Done.Bases += len(kept)
	p.Done.Rows += rows
	return slices.DeleteFunc(whole, func(e Ended) bool { return kept[e.ID()] }), bodies, nil
}

// ByService returns runs by the service that they were sent to, each in the place of its first one.
func ByService(runs []*Run) iter.Seq2[string, []*Run] {
	return func(yield func(string, []*Run) bool) {
		of := map[string][]*Run{}
		var order []string
		for _, r := range runs {
			service := r.Header().Target.BaseURL
			if of[service] == nil {
				order = append(order, service)
			}
			of[service] = append(of[service], r)
		}
		for _, service := range order {
			if !yield(service, of[service]) {
				return
			}
		}
	}
}

// ended returns a run that has come to its end, with when it did. One that was planned and
// never taken up has only where there was nothing to do.
func (p *Pruner) ended(r *Run) (e Ended, ok bool, err error) {
	header := r.Header()
	created := header.Created
	if p.Source != "" && header.Source != p.Source || !p.Past(created, p.Keep) && !p.Past(created, p.Bodies) {
		return e, false, nil
	}
	held, err := r.Held()
	if err != nil {
		return e, false, err
	}
	state, err := r.State()
	if err != nil {
		return e, false, err
	}
	e = Ended{Run: r, At: created, Sent: state.Started}
	if !state.At.IsZero() {
		e.At = state.At
	}
	tally := state.Tally()
	ok = !held && tally.Open() == 0 && tally[Agreed] >= header.Agreed && (!state.Torn || !state.Started)
	if !ok && p.Past(e.At, p.Keep) {
		p.Done.Open++
	}
	return e, ok, nil
}
