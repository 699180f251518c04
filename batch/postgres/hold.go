package postgres

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// session is the session of the server that has the locks of this process, and what is done while it has them.
type session struct {
	*client

	locking sync.Mutex
	locks   *pgx.Conn       // nil before the first
	taken   map[string]int  // by this process: -1, or how often together with others
	shared  map[string]bool // those that this connection has together with others
	heart   heart

	turning   gathering[turn]
	leasing   gathering[taking]
	releasing gathering[leaving]
}

func newSession(c *client) *session {
	s := &session{client: c, taken: map[string]int{}, shared: map[string]bool{}, heart: heart{Rhythm: Beats}}
	s.turning.ask, s.leasing.ask, s.releasing.ask = s.turn, s.takeLeases, s.leave
	return s
}

// close ends the session, and gives up what it has locked.
func (s *session) close() {
	s.rest()
	s.locking.Lock()
	defer s.locking.Unlock()
	if s.locks != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.locks.Close(ctx) // the server notices either way
		s.locks = nil
	}
}

// The names of locks: of the store's runs as a whole, of those who plan, and of a run. That of an owner has the
// owner's name.
const (
	runsLock     = "runs"
	planningLock = "planning"
)

func runLock(run string) string { return "run:" + run }

// mode is how a lock is taken: alone, or with others who take it together.
type mode int

const (
	alone    mode = -1
	together mode = 1
)

// lockPoll is how often a waiting process asks for a lock.
const lockPoll = 50 * time.Millisecond

// lock takes a lock as soon as it is free.
func (s *session) lock(ctx context.Context, name string, how mode) (unlock func() error, err error) {
	take := s.takeOver
	for looked := time.Now(); ; {
		ok, err := take(ctx, name, how)
		if err != nil {
			return nil, err
		}
		if ok {
			return func() error { return s.release(name, how) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
		if take = s.take; time.Since(looked) >= s.heart.Every {
			take, looked = s.takeOver, time.Now()
		}
	}
}

// take takes the lock of a name, where nobody has it in a way that this one excludes.
func (s *session) take(ctx context.Context, name string, how mode) (ok bool, err error) {
	s.locking.Lock()
	defer s.locking.Unlock()
	if s.taken[name] < 0 || s.taken[name] > 0 && how == alone {
		return false, nil // a session could take it twice
	}
	if how == together && s.shared[name] && s.locks != nil && !s.locks.IsClosed() {
		s.taken[name]++
		return true, nil
	}
	sql := "select pg_try_advisory_lock(hashtextextended($1, 0))"
	if how == together {
		sql = "select pg_try_advisory_lock_shared(hashtextextended($1, 0))"
	}
	err = s.ask(ctx, func(ctx context.Context) error { return s.locks.QueryRow(ctx, sql, s.schema+":"+name).Scan(&ok) })
	if err != nil {
		return false, err
	}
	if ok {
		s.taken[name] += int(how)
	}
	if ok && how == together {
		s.shared[name] = true
	}
	return ok, nil
}

// release gives the lock of a name up.
func (s *session) release(name string, how mode) error {
	s.locking.Lock()
	defer s.locking.Unlock()
	if s.taken[name] == 0 {
		return nil
	}
	if s.taken[name] -= int(how); s.taken[name] != 0 {
		return nil
	}
	delete(s.taken, name)
	delete(s.shared, name)
	sql := "select pg_advisory_unlock(hashtextextended($1, 0))"
	if how == together {
		sql = "select pg_advisory_unlock_shared(hashtextextended($1, 0))"
	}
	return s.ask(context.Background(), func(ctx context.Context) error {
		_, err := s.locks.Exec(ctx, sql, s.schema+":"+name)
		return err
	})
}

// takeAll takes the locks of names alone, where nobody has them, and returns those that it has taken.
func (s *session) takeAll(ctx context.Context, names []string) (got []string, err error) {
	s.locking.Lock()
	defer s.locking.Unlock()
	names = slices.DeleteFunc(names, func(name string) bool { return s.taken[name] != 0 })
	if len(names) == 0 {
		return nil, nil
	}
	err = s.ask(ctx, func(ctx context.Context) error {
		rows, _ := s.locks.Query(ctx, "select name from (select name, pg_try_advisory_lock(hashtextextended($1 || ':' || name, 0)) as ok "+
			"from unnest($2::text[]) as name offset 0) as tried where ok", s.schema, names)
		got, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	for _, name := range got {
		s.taken[name] = int(alone)
	}
	return got, err
}

// releaseAll gives locks up that were taken alone.
func (s *session) releaseAll(names []string) error {
	s.locking.Lock()
	defer s.locking.Unlock()
	names = slices.DeleteFunc(names, func(name string) bool { return s.taken[name] != int(alone) })
	for _, name := range names {
		delete(s.taken, name)
	}
	if len(names) == 0 {
		return nil
	}
	return s.ask(context.Background(), func(ctx context.Context) error {
		_, err := s.locks.Exec(ctx, "select pg_advisory_unlock(hashtextextended($1 || ':' || name, 0)) from unnest($2::text[]) as name",
			s.schema, names)
		return err
	})
}

// ask asks the connection of the locks. One that was lost is made anew: what it had locked is
// lost with it, and the epochs tell.
func (s *session) ask(ctx context.Context, do func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	for again := s.locks != nil; ; again = false {
		err := s.connected(within, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case within.Err() != nil || !again || !s.locks.IsClosed():
			return s.away(err)
		}
	}
}

// connected calls do with a connection of the locks.
func (s *session) connected(ctx context.Context, do func(context.Context) error) error {
	if s.locks == nil || s.locks.IsClosed() {
		conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
		if err != nil {
			return err
		}
		s.locks = conn
		clear(s.shared)
		if err := s.begin(ctx); err != nil {
			_ = conn.Close(ctx) // it has no lock yet
			return err
		}
	}
	return do(ctx)
}

// Held reports whether a process has a run or a part of it, or is going to have it.
func (s *session) Held(run string) (held bool, err error) {
	return held, s.one("select "+s.held("$1::text"), []any{run}, &held)
}

// held is the condition that a process has a run or a part of it, or is going to have it.
func (s *session) held(run string) string {
	return "(exists (select from shares where shares.run = " + run + ") or " + s.locked(run, "'ShareLock', 'ExclusiveLock'") + ")"
}

// locked is the condition that a process has the lock of a run in one of some modes. To take it for a moment would
// refuse it to whoever wants it.
func (s *session) locked(run, modes string) string {
	return "exists (select" + advisory + " and " + lockNumber + " = hashtextextended('" + s.schema + ":" + runLock("") + "' || " + run +
		", 0) and mode in (" + modes + "))"
}

// hold locks a run for this process, or together with others for whoever has a lease; nil where another one has it.
func (s *session) hold(run string, l *lease) (*held, journal.Holder, error) {
	how := alone
	if l != nil {
		how = together
	}
	ok, err := s.takeOver(context.Background(), runLock(run), how)
	if err != nil {
		return nil, journal.Holder{}, err
	}
	if !ok {
		sql := "select pid, host, since from attachments where run = $1 order by since desc limit 1"
		if l != nil {
			sql = "select pid, host, since from attachments where run = $1 and owner = ''"
		}
		holder, err := s.holder(sql, run)
		return nil, holder, err
	}
	return &held{run: run, lease: l, release: func() error { return s.release(runLock(run), how) }}, journal.Holder{}, nil
}

// takeRun makes this process the one that records what becomes of a run. Who carried a share of it and was lost from sight
// stores nothing more, either.
func (h *held) takeRun(b *pgx.Batch) {
	b.Queue("with shares as (update attachments set epoch = epoch + 1 where run = $1 and owner <> '') "+
		"insert into attachments (run, owner, epoch, pid, host) values ($1, '', 1, $2, $3) "+
		"on conflict (run, owner) do update set epoch = attachments.epoch + 1, pid = $2, host = $3, since = now() returning epoch, commits",
		h.run, os.Getpid(), journal.Hostname()).QueryRow(func(row pgx.Row) error { return row.Scan(&h.epoch, &h.commits) })
}

// holder reads who has taken something last.
func (s *session) holder(sql string, args ...any) (holder journal.Holder, err error) {
	err = s.one(sql, args, &holder.PID, &holder.Host, &holder.Since)
	if holder.Host == journal.Hostname() {
		holder.Host = ""
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil // it is just being taken
	}
	return holder, err
}

// held is a run, or a share of one, that this process has taken.
type held struct {
	run     string
	lease   *lease // of a share
	epoch   int64  // of its attachment, 0 before it is taken
	commits int64  // that there were of it
	release func() error

	// Of a share: its calendars, and the other owners that this process has locked whose share some of them were.
	calendars, others []string
	all               int64 // commits, with those of whoever could write of the calendars before
}

// compare orders what processes have by its rows of attachments: all lock them in the same order.
func (h *held) compare(other *held) int {
	return cmp.Or(cmp.Compare(h.run, other.run), cmp.Compare(h.owner(), other.owner()))
}

func (h *held) owner() string {
	if h.lease == nil {
		return ""
	}
	return h.lease.owner
}

// Release gives the run up.
func (h *held) Release() error {
	err := h.release()
	if h.lease != nil {
		h.lease.busy.Store(false)
	}
	return err
}

// advisory is where the locks are that processes have in this database.
const (
	advisory = " from pg_locks where locktype = 'advisory' and objsubid = 1 and granted " +
		"and database = (select oid from pg_database where datname = current_database())"
	lockNumber = "((classid::bigint << 32) | objid::bigint)"
)
