package files

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// journalFile is the open journal of a run that this process holds, from
// [journal.Stored.Attach]. Its methods may be called by many goroutines at once; one
// goroutine of its own writes and syncs for all of them. What panics there is
// raised again by every method that would write, and by Close.
type journalFile struct {
	run  string
	path string
	ops  int
	now  func() time.Time

	// ended is called once the run has come to its end and was given up.
	ended func()

	wake    chan struct{} // something to write or sync
	closing chan struct{}
	writer  sync.WaitGroup
	tail

	mu sync.Mutex
	waiting
}

// waiting are lines that are not written yet.
type waiting struct {
	buf    []byte
	chain  chain  // of the next line
	done   bool   // the last record is the end of a run that was sent whole
	round  *round // who waits for the next sync; nil for nobody
	err    error  // why the journal is poisoned
	closed bool
}

// tail is where lines are written to. It is the writer's alone, which holds the run with it.
type tail struct {
	file   File
	synced File  // the file that tells how many records are on disk
	counts int64 // the first record from which on synced is kept
	home   plan.Home
	lock   *flock.Flock
	at     int64  // where the next write goes
	spare  []byte // the buffer that is not being filled
	digits []byte // room for the text of synced
}

// round is one sync and those who wait for it.
type round struct {
	done chan struct{}
	err  error // set before done is closed
}

// lazily is the longest that a record may wait for its sync: less than the
// second that [journal.Journal.Append] promises.
const lazily = 500 * time.Millisecond

// Append writes a record that becomes durable with the next sync, within a
// second at the latest. It does not wait. An end has to be committed.
func (j *journalFile) Append(r journal.Record) error {
	if r.Type == journal.End {
		return fmt.Errorf("recording %s: an end has to be committed", r.Type)
	}
	_, err := j.append(&r, false)
	return err
}

// Commit writes a record and returns once it is durable: call it before the
// first byte of a request leaves that must not be sent twice. All that wait at
// the same time share one sync. An error of ctx means that the record was
// written but nobody knows yet whether it is durable.
func (j *journalFile) Commit(ctx context.Context, r journal.Record) error {
	if r.Type == journal.End {
		// The end's own d then vouches for every line before it.
		if err := j.Sync(ctx); err != nil {
			return err
		}
	}
	wait, err := j.append(&r, true)
	if err != nil {
		return err
	}
	return wait.wait(ctx)
}

// Sync returns once all that was appended is durable.
func (j *journalFile) Sync(ctx context.Context) error {
	wait, err := j.next()
	if err != nil {
		return err
	}
	return wait.wait(ctx)
}

// next takes part in the next sync.
func (j *journalFile) next() (*round, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return nil, err
	}
	return j.join(), nil
}

// Err returns the [journal.PoisonedError], nil while the journal is sound.
func (j *journalFile) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Close syncs what is left, gives up the run, and waits for both. The error is
// that of the poison, if any. A second Close does nothing.
func (j *journalFile) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	j.mu.Unlock()
	close(j.closing)
	j.writer.Wait()
	err := j.Err()
	if closing := cmp.Or(j.file.Close(), j.synced.Close()); err == nil && closing != nil {
		err = fmt.Errorf("closing %s: %w", j.path, closing)
	}
	if unlocking := j.lock.Unlock(); err == nil && unlocking != nil {
		err = fmt.Errorf("unlocking run %s: %w", j.run, unlocking)
	}
	if err == nil && j.done {
		j.ended()
	}
	return journal.Raised(err)
}

// append gives the record its place and leaves it to the writer.
func (j *journalFile) append(r *journal.Record, durable bool) (*round, error) {
	e, err := j.encode(r)
	if err != nil {
		return nil, err
	}
	return j.add(durable, e)
}

func (j *journalFile) encode(r *journal.Record) (entry, error) {
	if err := r.Check(j.ops); err != nil {
		return entry{}, err
	}
	if r.At.IsZero() {
		r.At = j.now()
	}
	return encode(r), nil
}

// add chains a line on. Nobody waits for the disk while holding mu.
func (j *journalFile) add(durable bool, e entry) (*round, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return nil, err
	}
	if err := j.line(e); err != nil {
		return nil, err
	}
	if durable {
		return j.join(), nil
	}
	j.nudge()
	return nil, nil
}

// line chains a line on.
func (w *waiting) line(e entry) error {
	buf, crc, err := appendLine(w.buf, w.chain, e)
	if err != nil {
		return err
	}
	w.buf = buf
	w.done = e.T == journal.End && e.Code == "done"
	w.chain.n++
	w.chain.p = crc
	return nil
}

// usable returns why nothing can be written; nil where something can. mu is held.
func (w *waiting) usable() error {
	switch {
	case w.err != nil:
		return journal.Raised(w.err)
	case w.closed:
		return journal.ErrClosed
	}
	return nil
}

// join takes part in the next sync.
func (j *journalFile) join() *round {
	if j.round == nil {
		j.round = &round{done: make(chan struct{})}
	}
	j.nudge()
	return j.round
}

// nudge tells the writer that there is something to do.
func (j *journalFile) nudge() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

func (r *round) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return journal.Raised(r.err)
	case <-ctx.Done():
		return ctx.Err()
	}
}
