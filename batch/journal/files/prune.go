package files

import (
	"cmp"
	"errors"
	"slices"

	"eventbatch/batch/journal"
)

// What is pruned is removed in an order that leaves the memory of keys whole after a crash
// at any moment. First the snapshot gets the facts of the runs that go, with a mark that
// it alone knows them from then on, and is synced. Then the file marker, beside it, says
// how many such runs there are: a snapshot that is missing, or has fewer, is lost, and
// is never made anew from the runs that are left. Then the folders are renamed, and removed.

// prunedPrefix begins the names of folders that are being removed.
const prunedPrefix = ".pruned-"

// pruner prunes a workspace, whose lock it holds.
type pruner struct {
	journal.Pruner

	workspace *Workspace
	err       func() error // why it should stop; nil while it should not
}

func (p *pruner) prune() error {
	runs, err := p.workspace.loadAll()
	if err != nil {
		return err
	}
	list := make([]*journal.Run, len(runs))
	for i, l := range runs {
		if l.err != nil {
			return l.err
		}
		list[i] = l.run.Run
	}
	for service, runs := range journal.ByService(list) {
		if err := p.service(service, runs); err != nil {
			return err
		}
	}
	return errors.Join(p.workspace.SweepExports(&p.Pruner), p.workspace.sweepRuns(&p.Pruner))
}

// service prunes the runs that were sent to one service.
func (p *pruner) service(baseURL string, runs []*journal.Run) error {
	m, known, err := p.workspace.remember(baseURL)
	if err != nil {
		return err
	}
	whole, bodies, err := p.Choose(m, runs)
	if err == nil {
		known, err = p.remove(known, whole)
	}
	if err := errors.Join(err, known.Close()); err != nil {
		return err
	}
	for i := range bodies {
		if err := p.strip(&bodies[i]); err != nil {
			return err
		}
	}
	return nil
}

// remove removes runs whole.
func (p *pruner) remove(known *snapshot, ended []journal.Ended) (*snapshot, error) {
	if len(ended) == 0 {
		return known, nil
	}
	for _, e := range ended {
		bytes, err := sizeOf(e.Files().Folder)
		if err != nil {
			return known, err
		}
		p.Done.Runs = append(p.Done.Runs, journal.Gone{ID: e.ID(), Ended: e.At, Bytes: bytes})
	}
	if p.Try {
		return known, nil
	}
	known, err := p.hand(known, ended)
	if err != nil {
		return known, err
	}
	return known, p.workspace.remove(ended, p.err)
}

// strip drops the contents of a run's rows.
func (p *pruner) strip(e *journal.Ended) error {
	if e.Head().Version() == 1 {
		return nil // its plan holds them, and never changes
	}
	if !p.Try {
		if err := p.err(); err != nil {
			return err
		}
	}
	bytes, there, err := e.Stored.(*run).drop(p.Now, p.Try)
	if there && err == nil {
		p.Done.Bodies = append(p.Done.Bodies, journal.Gone{ID: e.ID(), Ended: e.At, Bytes: bytes})
	}
	return err
}

// hand makes the snapshot the only one that knows of the runs, and returns it.
func (p *pruner) hand(known *snapshot, runs []journal.Ended) (*snapshot, error) {
	c := &collector{runs: p.workspace, snapshot: known, going: map[string]bool{}}
	news := false
	for _, e := range runs {
		if !e.Sent {
			continue // there is nothing to know
		}
		c.going[e.ID()] = true
		if at := slices.Index(known.Runs, e.ID()); c.snapshot.covers(e.ID()) {
			news = news || c.snapshot.Sizes[at] != pruned
			continue
		}
		news = true
		state, err := e.Read(true)
		var size int64
		if err == nil {
			size, err = journalSize(e.Run)
		}
		if err == nil {
			err = c.add(state, size)
		}
		if err != nil {
			return c.snapshot, err
		}
	}
	if news {
		if err := cmp.Or(p.err(), c.flush()); err != nil {
			return c.snapshot, err
		}
		if err := cmp.Or(p.err(), c.snapshot.publish(p.workspace)); err != nil {
			return c.snapshot, journal.Unusable("writing the memory of keys", err)
		}
	}
	return c.snapshot, cmp.Or(p.err(), p.workspace.mark(&c.snapshot.snapshotIndex))
}
