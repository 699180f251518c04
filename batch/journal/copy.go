package journal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"time"

	"eventbatch/mapping/failure"
)

// Copied is what a copy has found.
type Copied struct {
	Runs int // of the store that was copied
	New  int // of them those that the other one did not have
}

// Copy brings the runs of a store into another one, with what is kept of their sources under some
// kinds. Ids, numbers and bytes stay the same, so that both remember the same; only the chains of a
// run that was carried in shares become one. Each run is there whole or not at all, so that the
// same copy goes on where one was interrupted. What is there already has to be the same. The memory
// of keys is only taken along where runs were pruned, since it alone knows of them: else it is made
// anew.
func Copy(ctx context.Context, from, to Store, kinds ...string) (done *Copied, err error) {
	c := &copier{
		from: from.(ownRuns).own(), to: to.(ownRuns).own(), done: &Copied{}, here: map[string]*run{}, there: map[string]*run{},
	}
	switch {
	case !c.from.exists():
		return nil, c.from.noRun(Latest)
	case c.from.Name() == c.to.Name():
		return nil, failure.New(
			failure.Usage, errors.New("a store is not copied into itself: "+c.from.Name()), "name another one to copy to",
		)
	}
	for _, s := range []*runs{c.from, c.to} {
		unlock, err := c.lock(ctx, s)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	if err := c.compare(); err != nil {
		return nil, err
	}
	if err := c.memories(from, to, kinds); err != nil {
		return nil, err
	}
	for _, r := range c.runs {
		if err := cmp.Or(ctx.Err(), c.copy(r)); err != nil {
			return nil, err
		}
	}
	return c.done, nil
}

// ownRuns is any store of this package.
type ownRuns interface{ own() *runs }

func (s *runs) own() *runs { return s }

// copier copies a store into another one, and has the locks of both.
type copier struct {
	from, to *runs
	done     *Copied
	runs     []*run          // to copy, from old to new
	here     map[string]*run // the same by their ids
	there    map[string]*run // those of the other store
}

// copyWait is how long a copy waits for whoever plans: a store under two names would be
// waited for in vain.
const copyWait = 5 * time.Second

func (c *copier) lock(ctx context.Context, s *runs) (unlock func() error, err error) {
	waiting, cancel := context.WithTimeout(ctx, copyWait)
	defer cancel()
	unlock, err = s.Lock(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		err = &LockedError{What: s.Name()}
	}
	return unlock, err
}

// compare refuses what cannot be copied, before anything is.
func (c *copier) compare() error {
	all, err := c.from.loadAll()
	if err != nil {
		return err
	}
	for _, l := range all {
		if l.err != nil {
			return l.err
		}
		held, err := l.run.held()
		switch {
		case err != nil:
			return err
		case held:
			return failure.New(
				&LockedError{What: "run " + l.id}, fmt.Errorf("run %s is under way, and not copied until it has ended", l.id),
				"eventbatch show "+l.id+" tells how far it is; then give the same command again",
			)
		case l.run.header.Version < planVersion || l.run.header.Number == 0:
			return failure.New(failure.Usage, fmt.Errorf("run %s was planned by an earlier version, and cannot be copied", l.id),
				"eventbatch runs prune removes runs that have come to their end: what they have made stays known")
		}
		c.runs, c.here[l.id] = append(c.runs, l.run), l.run
	}
	if len(c.runs) == 0 {
		if services, err := c.from.services(); len(services) == 0 {
			return cmp.Or(err, c.from.noRun(Latest))
		}
	}
	if all, err = c.to.loadAll(); err != nil {
		return err
	}
	for _, l := range all {
		if l.err != nil {
			return l.err
		}
		if c.here[l.id] == nil {
			return c.strange(l.id)
		}
		c.there[l.id] = l.run
	}
	return nil
}

// strange returns the error that the other store is not one to copy to.
func (c *copier) strange(run string) error {
	return failure.New(failure.Usage, fmt.Errorf("%s knows run %s, which %s does not", c.to.Name(), run, c.from.Name()),
		"copy to another folder, or another schema of the database: two stores cannot be made one")
}

// memories copies what the memory of keys alone knows, and what is kept of sources.
func (c *copier) memories(from, to Store, kinds []string) error {
	services, err := c.from.services()
	if err != nil {
		return err
	}
	sources := map[string]bool{}
	for _, r := range c.runs {
		services = append(services, r.header.Target.BaseURL)
		sources[r.header.Source] = true
	}
	theirs, err := c.to.services()
	if err != nil {
		return err
	}
	services = append(services, theirs...)
	slices.Sort(services)
	for _, baseURL := range slices.Compact(services) {
		index, err := c.from.index(baseURL, c.here)
		if err != nil {
			return err
		}
		has, err := c.to.index(baseURL, c.there)
		if err != nil {
			return err
		}
		for _, run := range has.Runs {
			if c.here[run] == nil && !slices.Contains(index.Runs, run) {
				return c.strange(run)
			}
		}
		for _, source := range index.Sources {
			sources[source] = true
		}
		if index.pruned() > 0 {
			if err := c.memory(baseURL); err != nil {
				return err
			}
		}
	}
	for source := range sources {
		for _, kind := range kinds {
			if err := keepToo(from, to, kind, source); err != nil {
				return err
			}
		}
	}
	return nil
}

// index returns what the snapshot of a service says of itself, given the runs of the store:
// nothing where there is none that can be believed, and none is needed.
func (s *runs) index(baseURL string, of map[string]*run) (snapshotIndex, error) {
	found, err := s.openSnapshot(baseURL, of)
	if err != nil {
		return snapshotIndex{}, err
	}
	return found.snapshotIndex, found.close()
}

// memory copies the memory of keys of a service.
func (c *copier) memory(baseURL string) error {
	was, err := c.from.openKeys(baseURL)
	if err != nil {
		return failed("opening the memory of keys", err)
	}
	out, err := c.to.spareKeys()
	if err != nil {
		return errors.Join(failed("copying the memory of keys", err), was.close())
	}
	is := &snapshot{file: out, temporary: true}
	if _, err = io.Copy(out, io.NewSectionReader(was.file, 0, math.MaxInt64)); err == nil {
		var moved bool
		moved, err = c.to.storeKeys(baseURL, out)
		is.temporary = !moved
	}
	var mark []byte
	if err == nil {
		mark, err = c.from.loadMark(baseURL)
	}
	if err == nil {
		err = c.to.storeMark(baseURL, mark)
	}
	if err != nil {
		err = failed("copying the memory of keys", err)
	}
	return errors.Join(err, was.close(), is.close())
}

// failed returns the error that something could not be copied.
func failed(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return unusable(doing, err)
}

// keepToo keeps in another store what one keeps, unless something is kept there.
func keepToo(from, to Store, kind, name string) error {
	if _, err := to.Kept(kind, name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := from.Kept(kind, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = to.Keep(kind, name, text)
	}
	return err
}

// summedUp reads a whole run, and returns a sum of all its bytes.
func summedUp(r *run) (sum [sha256.Size]byte, err error) {
	o, err := outgoingOf(r)
	if err != nil {
		return sum, err
	}
	sum, err = o.sum()
	return sum, errors.Join(err, o.Close())
}

// copy copies a run, and reads both.
func (c *copier) copy(r *run) error {
	c.done.Runs++
	out, err := outgoingOf(r)
	if err != nil {
		return err
	}
	defer out.Close() // what it has made is temporary
	want, err := out.sum()
	if err != nil {
		return err
	}
	there := c.there[r.ID()]
	if there == nil {
		if err := c.to.put(out); err != nil {
			return failed("copying run "+r.ID(), err)
		}
		c.done.New++
		if there, err = c.to.load(r.ID()); err != nil {
			return err
		}
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
