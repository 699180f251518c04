package postgres

import (
	"context"
	"os"
	"time"
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
	moves  func() bool // nil where a process that is not stopped gets on
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
	err = d.one("select coalesce(bool_or(pg_terminate_backend(pid, 5000)), false) from (select distinct pid"+advisory+
		" and "+lockNumber+" = hashtextextended($1, 0) and "+still("$2")+") as s",
		[]any{d.schema + ":" + name, d.heart.Missed}, &ended)
	if codeOf(err) == notAllowed {
		return false, nil // it is of another user, who sees to it
	}
	return ended, err
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
