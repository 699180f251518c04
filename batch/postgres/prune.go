package postgres

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"eventbatch/batch/journal"
)

// Prune removes the runs that came to their end some time ago and that nobody needs.
func (s *Store) Prune(ctx context.Context, what journal.Pruning) (*journal.Pruned, error) {
	p := &journal.Pruner{Pruning: what, Now: s.now()}
	unlock, err := s.Lock(ctx, journal.Runs)
	if err != nil {
		return nil, err
	}
	return &p.Done, errors.Join(s.prune(ctx, p), unlock())
}

func (s *Store) prune(ctx context.Context, p *journal.Pruner) error {
	list, err := s.list("")
	if err != nil {
		return err
	}
	runs := make([]*journal.Run, len(list))
	for i := range list {
		if runs[i], err = s.open(&list[i]); err != nil {
			return err
		}
	}
	for service, runs := range journal.ByService(runs) {
		if err := s.pruneOf(ctx, p, service, runs); err != nil {
			return err
		}
	}
	return s.local.SweepExports(p)
}

// pruneOf prunes the runs that were sent to one service.
func (s *Store) pruneOf(ctx context.Context, p *journal.Pruner, baseURL string, runs []*journal.Run) error {
	m, err := s.Memory(baseURL)
	if err != nil {
		return err
	}
	whole, bodies, err := p.Choose(m, runs)
	if err := errors.Join(err, m.Close()); err != nil {
		return err
	}
	for i := range whole {
		e := &whole[i]
		seal := &e.Head().Seal
		p.Done.Runs = append(p.Done.Runs, journal.Gone{
			ID: e.ID(), Ended: e.At, Bytes: int64(len(e.Head().Line)) + seal.Lines.Bytes + seal.Rows.Bytes,
		})
		if p.Try {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.remove(e); err != nil {
			return err
		}
	}
	for i := range bodies {
		e := &bodies[i]
		if !e.Stored.(*run).dropped.IsZero() {
			continue
		}
		if !p.Try {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.strip(e, p.Now); err != nil {
				return err
			}
		}
		p.Done.Bodies = append(p.Done.Bodies, journal.Gone{ID: e.ID(), Ended: e.At, Bytes: e.Head().Rows.Bytes})
	}
	return nil
}

// remove removes a run but for what the memory of keys has of it, with what this machine has.
func (s *Store) remove(e *journal.Ended) error {
	if held, err := e.Held(); held || err != nil {
		return cmp.Or[error](err, &journal.LockedError{What: "run " + e.ID()})
	}
	sql := "delete from runs where id = $1"
	if e.Sent {
		sql = "with ops as (delete from ops where run = $1), outcomes as (delete from outcomes where run = $1), " +
			"parts as (delete from parts where run = $1) update runs set pruned = now(), header = '' where id = $1"
	}
	if _, err := s.do(sql, e.ID()); err != nil {
		return s.unusable("removing run "+e.ID(), err)
	}
	if err := os.RemoveAll(s.folderOf(e.ID())); err != nil {
		return journal.Unusable("removing the results of run "+e.ID(), err)
	}
	return nil
}

// strip drops the contents of a run's rows.
func (s *Store) strip(e *journal.Ended, at time.Time) error {
	const sql = "with gone as (update ops set row = null where run = $1) update runs set dropped = $2 where id = $1"
	if _, err := s.do(sql, e.ID(), at); err != nil {
		return s.unusable("dropping what the rows of run "+e.ID()+" held", err)
	}
	if err := os.Remove(e.Files().Results); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return journal.Unusable("dropping the results of run "+e.ID(), err)
	}
	return nil
}
