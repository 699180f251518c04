package journal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// What is pruned is removed in an order that leaves the memory of keys whole after a crash
// at any moment. First the snapshot gets the facts of the runs that go, with a mark that
// it alone knows them from then on, and is synced. Then the file marker, beside it, says
// how many such runs there are: a snapshot that is missing, or has fewer, is lost, and
// is never made anew from the runs that are left. Then the folders are renamed, and removed.

// Pruning says what of a workspace goes.
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

// prunedPrefix begins the names of folders that are being removed.
const prunedPrefix = ".pruned-"

// pruner prunes a workspace, whose lock it holds.
type pruner struct {
	Pruning

	runs *runs
	now  time.Time
	done *Pruned
	err  func() error // why it should stop, as of a context
}

// Prune removes the runs that came to their end some time ago and that nobody needs, and
// what else grows with the years. Nothing is forgotten of what they have made: that is in
// the memory of keys.
func (s *runs) Prune(ctx context.Context, what Pruning) (*Pruned, error) {
	p := &pruner{Pruning: what, runs: s, now: s.now(), done: &Pruned{}, err: ctx.Err}
	if !s.exists() {
		return p.done, nil
	}
	unlock, err := s.Lock(ctx)
	if err != nil {
		return nil, err
	}
	return p.done, errors.Join(p.prune(), unlock())
}

func (p *pruner) prune() error {
	runs, err := p.runs.loadAll()
	if err != nil {
		return err
	}
	services := map[string][]*run{}
	var order []string
	for _, l := range runs {
		if l.err != nil {
			return l.err
		}
		baseURL := l.run.header.Target.BaseURL
		if services[baseURL] == nil {
			order = append(order, baseURL)
		}
		services[baseURL] = append(services[baseURL], l.run)
	}
	for _, baseURL := range order {
		if err := p.service(baseURL, services[baseURL]); err != nil {
			return err
		}
	}
	return p.runs.sweep(p)
}

// ended is a run that has come to its end.
type ended struct {
	*run

	at   time.Time
	sent bool // it has a journal, which the memory knows about
}

// service prunes the runs that were sent to one service.
func (p *pruner) service(baseURL string, runs []*run) error {
	remembered, err := p.runs.Memory(baseURL)
	if err != nil {
		return err
	}
	m := remembered.(*memory)
	defer m.Close()
	var old, stripped []ended
	for _, r := range runs {
		e, ok, err := p.ended(r)
		switch {
		case err != nil:
			return err
		case ok && p.past(e.at, p.Keep):
			old = append(old, e)
		case ok && p.past(e.at, p.Bodies):
			stripped = append(stripped, e)
		}
	}
	if p.Keep > 0 && len(old) > 0 {
		kept, rows, err := m.bases(runs, old, p.now.Add(-p.Keep))
		if err != nil {
			return err
		}
		for _, e := range old {
			if kept[e.ID()] && p.past(e.at, p.Bodies) {
				stripped = append(stripped, e)
			}
		}
		old = slices.DeleteFunc(old, func(e ended) bool { return kept[e.ID()] })
		p.done.Bases += len(kept)
		p.done.Rows += rows
	}
	if err := p.remove(m, old); err != nil {
		return err
	}
	for _, e := range stripped {
		if err := p.strip(&e); err != nil {
			return err
		}
	}
	return nil
}

// past reports whether something that ended then has been kept for long enough.
func (p *pruner) past(at time.Time, keep time.Duration) bool {
	return keep == 0 || keep > 0 && at.Before(p.now.Add(-keep))
}

// ended returns a run that has come to its end, with when it did. One that was planned and
// never taken up has only where there was nothing to do.
func (p *pruner) ended(r *run) (e ended, ok bool, err error) {
	created := r.header.Created
	if p.Source != "" && r.header.Source != p.Source || !p.past(created, p.Keep) && !p.past(created, p.Bodies) {
		return e, false, nil
	}
	held, err := r.held()
	if err != nil {
		return e, false, err
	}
	state, size, err := r.readState(false)
	if err != nil {
		return e, false, err
	}
	e = ended{run: r, at: created, sent: state.Started}
	if !state.At.IsZero() {
		e.at = state.At
	}
	tally := state.Tally()
	ok = !held && tally.Open() == 0 && tally[Agreed] >= r.header.Agreed && (size >= 0 || !state.Started)
	if !ok && p.past(e.at, p.Keep) {
		p.done.Open++
	}
	return e, ok, nil
}

// remove removes runs whole.
func (p *pruner) remove(m *memory, ended []ended) error {
	if len(ended) == 0 {
		return nil
	}
	for _, e := range ended {
		bytes, err := e.size()
		if err != nil {
			return err
		}
		p.done.Runs = append(p.done.Runs, Gone{e.ID(), e.at, bytes})
	}
	if p.Try {
		return nil
	}
	if err := p.hand(m, ended); err != nil {
		return err
	}
	var all []*run
	for _, e := range ended {
		all = append(all, e.run)
	}
	return p.runs.remove(all, p.err)
}

// strip drops the contents of a run's rows.
func (p *pruner) strip(e *ended) error {
	if e.header.Version == 1 {
		return nil // its plan holds them, and never changes
	}
	if !p.Try {
		if err := p.err(); err != nil {
			return err
		}
	}
	bytes, there, err := e.drop(p.now, p.Try)
	if there && err == nil {
		p.done.Bodies = append(p.done.Bodies, Gone{ID: e.ID(), Ended: e.at, Bytes: bytes})
	}
	return err
}

// hand makes the snapshot the only one that knows of the runs.
func (p *pruner) hand(m *memory, runs []ended) error {
	c := &collector{runs: p.runs, snapshot: m.snapshot, going: map[string]bool{}}
	defer func() { m.snapshot = c.snapshot }()
	news := false
	for _, e := range runs {
		if !e.sent {
			continue // there is nothing to know
		}
		c.going[e.ID()] = true
		if at := slices.Index(m.snapshot.Runs, e.ID()); m.snapshot.covers(e.ID()) {
			news = news || m.snapshot.Sizes[at] != pruned
			continue
		}
		news = true
		state, size, err := e.readState(true)
		if err == nil {
			err = c.add(state, size)
		}
		if err != nil {
			return err
		}
	}
	if news {
		if err := cmp.Or(p.err(), c.flush()); err != nil {
			return err
		}
		if err := cmp.Or(p.err(), c.snapshot.publish(p.runs)); err != nil {
			return unusable("writing the memory of keys", err)
		}
	}
	return cmp.Or(p.err(), p.runs.mark(&c.snapshot.snapshotIndex))
}
