package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

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
func (d *DB) Hangs(tell func(Hung)) {
	d.locking.Lock()
	defer d.locking.Unlock()
	d.heart.hung, d.heart.told = tell, map[int]bool{}
}

// Works makes this process a worker's, which counts as one, and beats as long as moves reports that it gets on.
func (d *DB) Works(moves func() bool) error {
	d.locking.Lock()
	defer d.locking.Unlock()
	d.heart.worker, d.heart.moves = true, moves
	return d.beatOnce(context.Background())
}

func (d *DB) beatOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if err := d.connected(ctx, d.beat); err != nil {
		return d.away(err)
	}
	return nil
}

// beat shows that this process gets on. The row is that of the session that has its locks: so who has a lock has one.
func (d *DB) beat(ctx context.Context) error {
	_, err := d.locks.Exec(ctx, "insert into beats (session, pid, host, worker, beat) "+
		"values (pg_backend_pid(), $1, $2, $3, clock_timestamp()) "+
		"on conflict (session) do update set pid = $1, host = $2, worker = $3, beat = excluded.beat",
		os.Getpid(), hostname(), d.heart.worker)
	return err
}

// begin has a new session of locks beat, until it is closed. Those of sessions that have ended are removed.
func (d *DB) begin(ctx context.Context) error {
	if err := d.beat(ctx); err != nil {
		return err
	}
	_, err := d.locks.Exec(ctx, "delete from beats where session in (select session from beats "+
		"where session not in (select pid from pg_stat_activity where pid is not null) for update skip locked)")
	if err != nil || d.heart.stop != nil {
		return err
	}
	ctx, d.heart.stop = context.WithCancel(context.WithoutCancel(ctx))
	d.heart.ended = make(chan struct{})
	go d.goOn(ctx)
	return nil
}

// goOn beats until ctx ends.
func (d *DB) goOn(ctx context.Context) {
	defer close(d.heart.ended)
	ticker := time.NewTicker(d.heart.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		d.locking.Lock()
		if d.heart.moves == nil || d.heart.moves() {
			_ = d.beatOnce(ctx) // the next beat, or whoever needs a lock, tries again
		}
		d.locking.Unlock()
	}
}

// rest ends the beats.
func (d *DB) rest() {
	d.locking.Lock()
	stop, ended := d.heart.stop, d.heart.ended
	d.locking.Unlock()
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
func (d *DB) succeed(name string) (ended bool, err error) {
	type holder struct {
		Session, PID int
		Host         string
		Beat         time.Time
		User         string
	}
	list, err := collect(d, pgx.RowToStructByPos[holder],
		"select session, beats.pid, host, beat, coalesce(usename, '') from beats join pg_stat_activity a on a.pid = session "+
			"where session in (select pid"+advisory+" and "+lockNumber+" = hashtextextended($1, 0) and "+still("$2")+")",
		d.schema+":"+name, d.heart.Missed)
	if err != nil {
		return false, err
	}
	for _, h := range list {
		hung := Hung{Has: name, PID: h.PID, Host: h.Host, Beat: h.Beat, User: h.User}
		err := d.one("select pg_terminate_backend(session, 5000) from beats where session = $1 and "+
			"beat < clock_timestamp() - $2::interval", []any{h.Session, d.heart.Missed}, &hung.Ended)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it gets on again
		}
		if err != nil && codeOf(err) != notAllowed {
			return false, err
		}
		ended = ended || hung.Ended
		d.tell(h.Session, hung)
	}
	return ended, nil
}

// tell tells of a process that does not get on.
func (d *DB) tell(session int, h Hung) {
	d.locking.Lock()
	tell := d.heart.hung
	if !h.Ended && tell != nil {
		if d.heart.told[session] {
			tell = nil
		}
		d.heart.told[session] = true
	}
	d.locking.Unlock()
	if tell != nil {
		tell(h)
	}
}

// takeOver takes the lock of a name as take does, from a process that does not get on as well.
func (d *DB) takeOver(ctx context.Context, name string, how mode) (ok bool, err error) {
	if ok, err = d.take(ctx, name, how); ok || err != nil || d.has(name) {
		return ok, err
	}
	if ended, err := d.succeed(name); err != nil || !ended {
		return false, err
	}
	return d.take(ctx, name, how)
}

// has reports whether this process has the lock of a name.
func (d *DB) has(name string) bool {
	d.locking.Lock()
	defer d.locking.Unlock()
	return d.taken[name] != 0
}

// LiveWorkers returns how many workers beat.
func (d *DB) LiveWorkers() (n int, err error) {
	return n, d.one("select count(*) from "+beating+" where worker and beat >= clock_timestamp() - $1::interval",
		[]any{d.heart.Missed}, &n)
}

// beating is the beats of the sessions that there are.
const beating = "(select b.* from beats b join pg_stat_activity a on a.pid = b.session) as beating"
