package journal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"eventbatch/mapping/failure"
)

// ReadWhole reads all that a store has of its runs, and returns how many there are.
func ReadWhole(store Store) (runs int, err error) {
	summaries, err := store.Runs()
	if err != nil {
		return 0, err
	}
	for i := range summaries {
		if err := summaries[i].Err; err != nil {
			return 0, err
		}
		run, err := store.Find(summaries[i].ID)
		if err != nil {
			return 0, err
		}
		for _, err := range run.Ops() {
			if err != nil && !errors.Is(err, ErrDropped) {
				return 0, err
			}
		}
	}
	return len(summaries), nil
}

// Copied is what a copy has found.
type Copied struct {
	Runs int // of the store that was copied
	New  int // of them those that the other one did not have
}

// Copy brings the runs of a store into another one, with what is kept of their sources under some kinds, and what its
// memory of keys alone knows. Ids, numbers and what was planned stay the same, byte for byte, and so does what is on
// record. Each run is there whole or not at all, so that the same copy goes on where one was interrupted. What is there
// already has to be the same.
func Copy(ctx context.Context, from, to Store, kinds ...string) (done *Copied, err error) {
	if from.Name() == to.Name() {
		return nil, failure.New(
			failure.Usage, errors.New("a store is not copied into itself: "+from.Name()), "name another one to copy to",
		)
	}
	services, err := from.Services()
	if err != nil {
		return nil, err
	}
	if _, err := from.Find(Latest); errors.Is(err, fs.ErrNotExist) && len(services) == 0 {
		return nil, err
	}
	for _, s := range []Store{from, to} {
		unlock, err := lockBriefly(ctx, s)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	c := &copier{from: from, to: to, services: services, here: map[string]bool{}, there: map[string]bool{}}
	for _, step := range []func() error{c.compare, c.memories, func() error { return c.keep(kinds) }} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, r := range c.runs {
		if err := cmp.Or(ctx.Err(), c.copy(r)); err != nil {
			return nil, err
		}
	}
	return &c.done, c.learn()
}

// copier copies a store into another one, and has the locks of both.
type copier struct {
	from, to    Store
	done        Copied
	services    []string
	runs        []*Run          // to copy, from old to new
	here, there map[string]bool // the runs of both, by their ids
	sources     []string        // of the runs, and of those that were pruned
	lacking     []string        // services of which the other one does not know what was pruned
}

// copyWait is how long a copy waits for whoever plans: a store under two names would be
// waited for in vain.
const copyWait = 5 * time.Second

func lockBriefly(ctx context.Context, s Store) (unlock func() error, err error) {
	waiting, cancel := context.WithTimeout(ctx, copyWait)
	defer cancel()
	unlock, err = quiet(waiting, s)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		err = &LockedError{What: s.Name()}
	}
	return unlock, err
}

// quiet locks a store once nobody plans, and keeps everybody from planning until unlock is called.
func quiet(ctx context.Context, s Store) (unlock func() error, err error) {
	begin, err := s.Lock(ctx, Quiet)
	if err != nil {
		return nil, err
	}
	end, err := s.Lock(ctx, Runs)
	if err != nil {
		return nil, errors.Join(err, begin())
	}
	return func() error { return errors.Join(end(), begin()) }, nil
}

// compare refuses runs that cannot be copied, before anything is.
func (c *copier) compare() error {
	mine, err := c.from.Runs()
	if err != nil {
		return err
	}
	for i := range mine {
		r, err := c.copyable(&mine[i])
		if err != nil {
			return err
		}
		c.runs, c.here[r.ID()] = append(c.runs, r), true
		header := r.Header()
		c.services, c.sources = append(c.services, header.Target.BaseURL), append(c.sources, header.Source)
	}
	theirs, err := c.to.Runs()
	if err != nil {
		return err
	}
	for i := range theirs {
		id := theirs[i].ID
		if !c.here[id] {
			return c.strange(id)
		}
		if c.there[id] = true; theirs[i].Err != nil {
			return theirs[i].Err
		}
	}
	return nil
}

// copyable returns a run that can be copied.
func (c *copier) copyable(s *Summary) (*Run, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	r, err := c.from.Find(s.ID)
	if err != nil {
		return nil, err
	}
	held, err := r.Held()
	switch {
	case err != nil:
		return nil, err
	case held:
		return nil, failure.New(
			&LockedError{What: "run " + s.ID}, fmt.Errorf("run %s is under way, and not copied until it has ended", s.ID),
			"eventbatch show "+s.ID+" tells how far it is; then give the same command again",
		)
	case r.Head().Version() < planVersion || s.Header.Number == 0:
		return nil, failure.New(failure.Usage, fmt.Errorf("run %s was planned by an earlier version, and cannot be copied", s.ID),
			"eventbatch runs prune removes runs that have come to their end: what they have made stays known")
	}
	return r, nil
}

// strange returns the error that the other store is not one to copy to.
func (c *copier) strange(run string) error {
	return failure.New(failure.Usage, fmt.Errorf("%s knows run %s, which %s does not", c.to.Name(), run, c.from.Name()),
		"copy to another folder, or another schema of the database: two stores cannot be made one")
}

// memories compares what both remember of runs that were pruned.
func (c *copier) memories() error {
	theirs, err := c.to.Services()
	if err != nil {
		return err
	}
	c.services = append(c.services, theirs...)
	slices.Sort(c.services)
	for _, baseURL := range slices.Compact(c.services) {
		mine, err := remembered(c.from, baseURL)
		if err != nil {
			return err
		}
		theirs, err := remembered(c.to, baseURL)
		if err != nil {
			return err
		}
		lacking := false
		for run, source := range mine {
			c.sources = append(c.sources, source)
			_, known := theirs[run]
			lacking = lacking || !known && !c.here[run]
		}
		for run := range theirs {
			if _, known := mine[run]; !known && !c.here[run] {
				return c.strange(run)
			}
		}
		if lacking {
			c.lacking = append(c.lacking, baseURL)
		}
	}
	return nil
}

// remembered returns the runs that the memory of a service knows, with their sources.
func remembered(s Store, baseURL string) (map[string]string, error) {
	m, err := s.Memory(baseURL)
	if err != nil {
		return nil, err
	}
	runs := map[string]string{}
	for _, r := range m.Runs() {
		runs[r.ID] = r.Source
	}
	return runs, errors.Join(m.Err(), m.Close())
}

// keep keeps in the other store what one keeps of the sources, unless something is kept there.
func (c *copier) keep(kinds []string) error {
	slices.Sort(c.sources)
	for _, source := range slices.Compact(c.sources) {
		for _, kind := range kinds {
			if _, err := c.to.Kept(kind, source); !errors.Is(err, fs.ErrNotExist) {
				if err != nil {
					return err
				}
				continue
			}
			text, err := c.from.Kept(kind, source)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = c.to.Keep(kind, source, text)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// copy copies a run, and reads both.
func (c *copier) copy(r *Run) error {
	c.done.Runs++
	want, err := summedUp(r)
	if err != nil {
		return err
	}
	if !c.there[r.ID()] {
		state, err := r.Read(true)
		if err == nil {
			err = c.to.Take(r, state)
		}
		if err != nil {
			return Unusable("copying run "+r.ID(), err)
		}
		c.done.New++
	}
	there, err := c.to.Find(r.ID())
	if err != nil {
		return err
	}
	have, err := summedUp(there)
	if err != nil {
		return err
	}
	if want != have {
		return failure.New(failure.Stale, fmt.Errorf("run %s is in %s too, and not the same", r.ID(), c.to.Name()),
			"one of the two has gone on since it was copied: use that one, or copy to another folder or schema")
	}
	return nil
}

// learn copies what is remembered of runs that were pruned. The others are there by now.
func (c *copier) learn() error {
	for _, baseURL := range c.lacking {
		m, err := c.from.Memory(baseURL)
		if err != nil {
			return err
		}
		err = c.to.Learn(baseURL, m)
		if err := errors.Join(err, m.Err(), m.Close()); err != nil {
			return Unusable("copying the memory of keys", err)
		}
	}
	return nil
}

// summedUp reads a whole run, and returns a sum of all that is the same in its copies. In the place to which a run was
// copied, creates of which the outcomes may be lost are in doubt: so they are here.
func summedUp(r *Run) (sum [sha256.Size]byte, err error) {
	state, err := r.Read(true)
	if err != nil {
		return sum, err
	}
	suspects, err := r.Suspects(state)
	if err != nil {
		return sum, err
	}
	for i := range suspects {
		state.Suspect(&suspects[i])
	}
	all, dropped := sha256.New(), !state.Dropped.IsZero()
	all.Write(r.head.Line)
	for text, err := range r.Texts(!dropped) {
		if err != nil {
			return sum, err
		}
		all.Write(text.Line)
		all.Write(text.Payload)
	}
	if !state.Started {
		state.At = time.Time{} // when somebody was about to take it up
	}
	out := json.NewEncoder(all)
	err = out.Encode([]any{
		dropped, state.Started, state.Attached, state.Ended, state.At.UnixMilli(), state.Undone, state.Requests, state.Turn, state.Home,
	})
	for at := range state.Ops {
		if o := state.Outcome(at); err == nil && !o.Untold() {
			err = out.Encode(&o)
		}
	}
	return [sha256.Size]byte(all.Sum(nil)), err
}
