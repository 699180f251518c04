package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// Store is a store whose runs lie in a database, for the processes of many machines. What
// is no part of a run lies in the workspace of this machine: results, and what is read for
// exports.
type Store struct {
	*DB

	local *files.Workspace
	now   func() time.Time
	heads *heads

	// Of a share: the lease of whoever carries it, and its calendars in order. Nil stands for all.
	lease     *lease
	calendars []string
	opened    *sync.Map // the runs that were opened, by their ids
}

var _ journal.Shared = (*Store)(nil)

// OpenStore returns the store in a database, with the workspace of this machine. It keeps the time of the
// database's clock: those of machines may differ by minutes.
func OpenStore(db *DB, local *files.Workspace) *Store {
	ahead := sync.OnceValue(func() time.Duration {
		asked := time.Now()
		now, err := db.Clock()
		if err != nil {
			return 0 // whatever is done next says why
		}
		return now.Sub(asked)
	})
	return &Store{DB: db, local: local, now: func() time.Time { return time.Now().Add(ahead()) }, heads: &heads{}}
}

// Folder is the workspace of this machine.
func (s *Store) Folder() string { return s.local.Folder() }

func (s *Store) folderOf(run string) string { return filepath.Join(s.local.Folder(), "runs", run) }

// Lock locks the store against all other processes. Whoever takes up a share does so together with others who do.
func (s *Store) Lock(ctx context.Context, what journal.Lock) (unlock func() error, err error) {
	name, how := planningLock, alone
	if what == journal.Runs {
		name = runsLock
	}
	if what == journal.Planning || what == journal.Runs && s.lease != nil {
		how = together
	}
	if unlock, err = s.lock(ctx, name, how); err != nil {
		return nil, s.unusable("locking", err)
	}
	return unlock, nil
}

// unusable returns the error that the database cannot be read or written.
func (s *Store) unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err), "eventbatch store check tries "+s.Name())
}

// Lease takes the right to send for an owner. The error is a [journal.LockedError] where another process
// has it.
func (s *Store) Lease(owner string) (*journal.Lease, error) {
	l, left, holder, err := s.DB.lease(owner)
	switch {
	case err != nil:
		return nil, s.unusable("taking the lease of "+owner, err)
	case l == nil:
		return nil, &journal.LockedError{What: owner, Holder: holder}
	}
	l.store = s
	return &journal.Lease{Holding: l, Owner: owner, Epoch: l.epoch, Left: left}, nil
}

// Share returns the store as whoever carries some calendars sees it.
func (l *lease) Share(calendars []string) journal.Shared {
	s := *l.store
	s.lease, s.calendars, s.opened = l, slices.Compact(slices.Sorted(slices.Values(calendars))), &sync.Map{}
	return &s
}

// Keep stores a text under a name, of a share as long as its lease is this process's.
func (s *Store) Keep(kind, name string, text []byte) error {
	if s.lease != nil {
		return s.lease.keep(kind, name, text)
	}
	return s.DB.Keep(kind, name, text)
}

// listed is a run as the list has it.
type listed struct {
	ID      string
	Number  int
	Source  string
	Dropped *time.Time
	Tally   []int32 // nil where something may be left to do
	Header  []byte  // nil where it is known
	Version string  // of the row, which changes whenever a process takes the run up
	Held    bool    // a process has it, where that was asked

	head *journal.Head // nil where it is not known
}

const listedColumns = "id, number, source, dropped, tally, case when id <> all ($%d) then header end, xmin::text, "

// list returns the runs for which a condition holds, from old to new.
func (s *Store) list(where string, args ...any) (list []listed, err error) {
	b := &pgx.Batch{}
	s.queueList(b, &list, "false", where, args...)
	if err := s.together(b); err != nil {
		return nil, s.unusable("listing runs", err)
	}
	return list, nil
}

// queueList adds that to what is asked together, with what says that a process has a run.
func (s *Store) queueList(b *pgx.Batch, list *[]listed, held, where string, args ...any) {
	known := s.heads.all()
	ids := slices.AppendSeq([]string{}, maps.Keys(known)) // nil would be no list
	sql := fmt.Sprintf("select "+listedColumns+held+" from runs where pruned is null", len(args)+1)
	if where != "" {
		sql += " and " + where
	}
	queue(b, list, func(row pgx.CollectableRow) (one listed, err error) {
		one, err = pgx.RowToStructByPos[listed](row)
		one.head = known[one.ID]
		return one, err
	}, sql+" order by number", append(args, ids)...)
}

// Find returns the run of that name: its id, the beginning of the id where no other
// run has the same, or [journal.Latest].
func (s *Store) Find(name string) (*journal.Run, error) {
	var list []listed
	var of reading
	b := &pgx.Batch{}
	if s.queueList(b, &list, "false", "id = $1", name); s.lease != nil {
		s.queueReading(b, &of, name) // which is wanted next
	}
	err := s.together(b)
	if err != nil {
		return nil, s.unusable("listing runs", err)
	}
	if len(list) == 1 && s.lease != nil {
		found, err := s.open(&list[0])
		if err == nil {
			_, _ = found.Stored.(*run).keep(&of, true) // else whoever reads it is told
		}
		return found, err
	}
	if len(list) == 0 {
		ids, err := collect(s.DB, pgx.RowTo[string], "select id from runs where pruned is null order by number")
		if err != nil {
			return nil, s.unusable("listing runs", err)
		}
		n, err := journal.Choose(s.Name(), name, ids)
		if err != nil {
			return nil, err
		}
		if list, err = s.list("id = $1", ids[n]); err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, journal.NoRun(s.Name(), name) // it was removed just now
		}
	}
	return s.open(&list[0])
}

// open returns a run of the list.
func (s *Store) open(l *listed) (*journal.Run, error) {
	if s.lease != nil {
		if before, is := s.opened.Load(l.ID); is && before.(*run).version == l.Version {
			return before.(*run).Run, nil
		}
	}
	head, err := s.heads.of(s, l)
	if err != nil {
		return nil, err
	}
	if s.lease != nil {
		head = s.part(head)
	}
	r := &run{of: s, id: l.ID, number: l.Number, tally: l.Tally, version: l.Version}
	if l.Dropped != nil {
		r.dropped = *l.Dropped
	}
	folder := s.folderOf(r.id)
	r.Run = journal.NewRun(head, journal.Files{Folder: folder, Results: filepath.Join(folder, "results.csv")}, r)
	if s.lease != nil {
		s.opened.Store(l.ID, r)
	}
	return r.Run, nil
}

// part returns what the calendars of a share have of a head.
func (s *Store) part(head *journal.Head) *journal.Head {
	part := *head
	part.Header.Target.Calendars, part.Header.Known = map[string]string{}, map[string][]string{}
	for _, calendar := range s.calendars {
		if print, has := head.Header.Target.Calendars[calendar]; has {
			part.Header.Target.Calendars[calendar] = print
		}
		if ids, has := head.Header.Known[calendar]; has {
			part.Header.Known[calendar] = ids
		}
	}
	return &part
}

// headsKept is how many bytes of headers are kept, as they were stored.
const headsKept = 16 << 20

// heads keeps headers, which never change: each is about all calendars of its run, of which a process
// may carry thousands, one after another.
type heads struct {
	mu    sync.Mutex
	known map[string]*journal.Head
	bytes int
}

// all returns those that are kept, by the ids of their runs.
func (h *heads) all() map[string]*journal.Head {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.known)
}

// of returns the head of a run of the list.
func (h *heads) of(s *Store, l *listed) (*journal.Head, error) {
	if l.head != nil {
		return l.head, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	path := "the plan of run " + l.ID + " in " + s.Name()
	head, err := journal.ParseHead(path, l.Header)
	if err == nil && head.Header.Run != l.ID {
		err = &journal.DamagedError{Path: path, Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", head.Header.Run)}
	}
	if err != nil {
		return nil, err
	}
	if h.bytes += len(head.Line); h.known == nil || h.bytes > headsKept {
		h.known, h.bytes = map[string]*journal.Head{}, len(head.Line)
	}
	h.known[l.ID] = head
	return head, nil
}

// Runs lists the runs from old to new.
func (s *Store) Runs() ([]journal.Summary, error) {
	list, err := s.list("")
	if err != nil {
		return nil, err
	}
	said, err := s.attachments("true")
	if err != nil {
		return nil, err
	}
	all := make([]journal.Summary, 0, len(list))
	for i := range list {
		one := journal.Summary{ID: list[i].ID, Folder: s.folderOf(list[i].ID)}
		r, err := s.open(&list[i])
		if one.Err = err; err == nil {
			one.Header = r.Header()
			state, err := r.Stored.(*run).summary(said[list[i].ID])
			if one.Err = err; err == nil {
				one.Started, one.Ended, one.At, one.Tally = state.Started, state.Ended, state.At, state.tally
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// Unfinished returns the newest run of that identity that has something left to
// do, whether it was taken up or only planned; nil where there is none.
func (s *Store) Unfinished(identity string) (*journal.Run, error) {
	list, err := s.list("identity = $1 and tally is null", identity)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(list) {
		r, err := s.open(&list[i])
		if err != nil {
			return nil, err
		}
		state, err := r.State()
		if err != nil {
			return nil, err
		}
		if state.Tally().Open() > 0 { // a process killed before it recorded its end leaves nothing to do
			return r, nil
		}
	}
	return nil, nil
}

// Draft begins a run, planned at that time or now.
func (s *Store) Draft(created time.Time) (*journal.Draft, error) {
	if created.IsZero() {
		created = s.now()
	}
	home, err := s.home()
	if err != nil {
		return nil, s.unusable("looking at the database", err)
	}
	folder, err := os.MkdirTemp("", "eventbatch-plan-*")
	if err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("creating run: %w", err),
			"see to it that the folder for temporary files can be written")
	}
	h := plan.Header{Run: journal.NewID(created), Created: created, Home: home}
	return journal.NewDraft(h, folder, &sink{s, folder})
}

// sink makes a run of a draft, whose temporary files are in a folder.
type sink struct {
	store  *Store
	folder string
}

// Appear stores a draft.
func (k *sink) Appear(d *journal.Drafted) (*journal.Run, error) {
	var number int
	if err := k.store.one("select greatest(max(number), 0) + 1 from runs", nil, &number); err != nil {
		return nil, err
	}
	head, err := d.Head(number)
	if err == nil {
		err = k.store.insert(head, d.Texts(), time.Time{}, func(ctx context.Context, tx pgx.Tx, sends []int32) error {
			return insertPending(ctx, tx, head.Header.Run, sends)
		})
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.Lines.Close(), d.Rows.Close(), k.Discard()); err != nil {
		return nil, err
	}
	return k.store.Find(head.Header.Run)
}

// Discard removes the temporary files: nothing else was stored.
func (k *sink) Discard() error { return os.RemoveAll(k.folder) }

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
