package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"eventbatch/batch/journal"

	"github.com/jackc/pgx/v5"
)

// Rhythm is how often a process beats, and for how long it may not until others take what it has.
type Rhythm struct{ Every, Missed time.Duration }

// Beats is the rhythm of the stores that are opened from now on.
var Beats = Rhythm{Every: 10 * time.Second, Missed: 45 * time.Second}

// heart is what beats.
type heart struct {
	Rhythm

	stop   context.CancelFunc // nil before the first beat
	ended  chan struct{}
	worker bool
	moves  func() bool  // nil where a process that is not stopped gets on
	hung   func(Hung)   // is told of those that are; nil tells nobody
	told   map[int]bool // sessions that could not be ended
}

// Hung is a process that has something which this one needs, and does not get on.
type Hung struct {
	Has  string // the owner, the run, or the lock
	PID  int
	Host string
	Beat time.Time // when it last showed that it gets on
	User string    // of the database
	// Ended means that its session was ended, and it is succeeded. That of another user of the database cannot be.
	Ended bool
}

func (h Hung) String() string {
	words := fmt.Sprintf("process %d on %s, which has %s, has not shown since %s that it gets on",
		h.PID, cmp.Or(h.Host, "an unnamed host"), h.Has, h.Beat.Format(time.RFC3339))
	if h.Ended {
		return words + ": it is succeeded"
	}
	return words + ", and is waited for until somebody ends it: its session is of another user of the database, " + h.User
}

// Hangs has tell be told of processes that do not get on: once of each that cannot be succeeded.
func (s *session) Hangs(tell func(Hung)) {
	s.locking.Lock()
	defer s.locking.Unlock()
	s.heart.hung, s.heart.told = tell, map[int]bool{}
}

// Works makes this process a worker's, which counts as one, and beats as long as moves reports that it gets on.
func (s *session) Works(moves func() bool) error {
	s.locking.Lock()
	defer s.locking.Unlock()
	s.heart.worker, s.heart.moves = true, moves
	return s.beatOnce(context.Background())
}

func (s *session) beatOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := s.connected(ctx, s.beat); err != nil {
		return s.away(err)
	}
	return nil
}

// beat shows that this process gets on. The row is that of the session that has its locks: so who has a lock has one.
func (s *session) beat(ctx context.Context) error {
	_, err := s.locks.Exec(ctx, "insert into beats (session, pid, host, worker, beat) "+
		"values (pg_backend_pid(), $1, $2, $3, clock_timestamp()) "+
		"on conflict (session) do update set pid = $1, host = $2, worker = $3, beat = excluded.beat",
		os.Getpid(), journal.Hostname(), s.heart.worker)
	return err
}

// begin has a new session of locks beat, until it is closed. Those of sessions that have ended are removed.
func (s *session) begin(ctx context.Context) error {
	if err := s.beat(ctx); err != nil {
		return err
	}
	_, err := s.locks.Exec(ctx, "delete from beats where session in (select session from beats "+
		"where session not in (select pid from pg_stat_activity where pid is not null) for update skip locked)")
	if err != nil || s.heart.stop != nil {
		return err
	}
	ctx, s.heart.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.heart.ended = make(chan struct{})
	go s.goOn(ctx)
	return nil
}

// goOn beats until ctx ends.
func (s *session) goOn(ctx context.Context) {
	defer close(s.heart.ended)
	ticker := time.NewTicker(s.heart.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.locking.Lock()
		if s.heart.moves == nil || s.heart.moves() {
			_ = s.beatOnce(ctx) // the next beat, or whoever needs a lock, tries again
		}
		s.locking.Unlock()
	}
}

// rest ends the beats.
func (s *session) rest() {
	s.locking.Lock()
	stop, ended := s.heart.stop, s.heart.ended
	s.locking.Unlock()
	if stop != nil {
		stop()
		<-ended
	}
}

// still is the condition that the session pid has not beaten for so long.
func still(parameter string) string {
	return "pid in (select session from beats where beat < clock_timestamp() - " + parameter + "::interval)"
}

// succeed ends the sessions that have the lock of a name, where their processes do not get on, and reports whether
// there were any. Whoever wakes up stores nothing more, for the epochs have grown, and sends nothing that it has
// stored before, for it knows for how long it slept.
func (s *session) succeed(name string) (ended bool, err error) {
	type holder struct {
		Session, PID int
		Host         string
		Beat         time.Time
		User         string
	}
	list, err := collect(s, pgx.RowToStructByPos[holder],
		"select session, beats.pid, host, beat, coalesce(usename, '') from beats join pg_stat_activity a on a.pid = session "+
			"where session in (select pid"+advisory+" and "+lockNumber+" = hashtextextended($1, 0) and "+still("$2")+")",
		s.schema+":"+name, s.heart.Missed)
	if err != nil {
		return false, err
	}
	for _, h := range list {
		hung := Hung{Has: name, PID: h.PID, Host: h.Host, Beat: h.Beat, User: h.User}
		err := s.one("select pg_terminate_backend(session, 5000) from beats where session = $1 and "+
			"beat < clock_timestamp() - $2::interval", []any{h.Session, s.heart.Missed}, &hung.Ended)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it gets on again
		}
		if err != nil && codeOf(err) != notAllowed {
			return false, err
		}
		ended = ended || hung.Ended
		s.tell(h.Session, hung)
	}
	return ended, nil
}

// tell tells of a process that does not get on.
func (s *session) tell(session int, h Hung) {
	s.locking.Lock()
	tell := s.heart.hung
	if !h.Ended && tell != nil {
		if s.heart.told[session] {
			tell = nil
		}
		s.heart.told[session] = true
	}
	s.locking.Unlock()
	if tell != nil {
		tell(h)
	}
}

// takeOver takes the lock of a name as take does, from a process that does not get on as well.
func (s *session) takeOver(ctx context.Context, name string, how mode) (ok bool, err error) {
	if ok, err = s.take(ctx, name, how); ok || err != nil || s.has(name) {
		return ok, err
	}
	if ended, err := s.succeed(name); err != nil || !ended {
		return false, err
	}
	return s.take(ctx, name, how)
}

// has reports whether this process has the lock of a name.
func (s *session) has(name string) bool {
	s.locking.Lock()
	defer s.locking.Unlock()
	return s.taken[name] != 0
}

// LiveWorkers returns how many workers beat.
func (s *session) LiveWorkers() (n int, err error) {
	return n, s.one("select count(*) from "+beating+" where worker and beat >= clock_timestamp() - $1::interval",
		[]any{s.heart.Missed}, &n)
}

// beating is the beats of the sessions that there are.
const beating = "(select b.* from beats b join pg_stat_activity a on a.pid = b.session) as beating"
