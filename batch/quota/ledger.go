package quota

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"eventbatch/mapping/own"
)

// ledger keeps the account of one owner in a file that processes share. Each
// operation locks it, reads, decides, writes and unlocks, so a process that dies
// leaves every operation done or not begun, and the record of a slot in the file
// before its request is on the wire. That its answer came is recorded later. Nothing is
// synced to the platter: a machine that dies takes a window to come back.
//
// Guarded by Scheduler.mu. All times are Unix nanoseconds.
type ledger struct {
	path                        string // empty keeps the account in memory
	file                        own.Kept
	lock                        *own.Latch // a file beside it: a locked one cannot be read everywhere
	keep                        bool       // both stay open
	now                         func() int64
	window, lease, margin, poll time.Duration

	account             // as of the last operation
	known    bool       // the file had an account …
	seen     uint32     // … of so many takes
	bytes    []byte     // of the account as it stands in the file; empty where they may differ
	room     []byte     // for the file's
	answered []answered // since the last operation, which the next one records
}

// answered is a slot whose request was answered, or given up on.
type answered struct {
	reservation

	at        int64
	limit     int
	remaining int
}

// reservation is a slot that was reserved, and what was known then.
type reservation struct {
	id    uint64
	own   int    // slots held by the processes of this ledger, including this one
	takes uint32 // slots ever reserved, including this one
}

func newLedger(path string, cfg Config, now func() int64) *ledger {
	l := &ledger{path: path, now: now, window: cfg.Window, lease: cfg.Lease, margin: safety(cfg.Window)}
	if path != "" {
		l.file.Path, l.lock = path, own.NewLatch(path+".lock")
		// Another process may free a slot before its time, where its request
		// never left: look a few times a window.
		l.poll = max(cfg.Window/60, time.Millisecond)
	}
	return l
}

// reserve reserves a slot. Without one the reservation is zero, and retry says when
// to ask again.
func (l *ledger) reserve(limit int, id uint64) (r reservation, retry int64, err error) {
	err = l.change(true, func(now int64) bool {
		out := l.tally()
		switch {
		case l.throttled > 0:
			retry = l.throttled
		case out.used >= limit:
			retry = out.first
			if l.poll > 0 {
				retry = min(retry, now+int64(l.poll))
			}
			retry = max(retry, now+1)
		default:
			l.takes++
			r = reservation{id: id, own: out.used - out.others + 1, takes: l.takes}
			l.out(now, now, inFlight, id, 1, l.lease+l.window+l.margin)
			return true
		}
		return false
	})
	if err != nil {
		return reservation{}, 0, err
	}
	return r, retry, nil
}

// release has the slot come free one window from now, and returns when that is. The
// next operation records it: until then the file has the request under way, which
// keeps the slot for longer. Remaining is what the service says is left, -1 where it
// does not: less than is left here means that processes elsewhere hold slots, which is
// recorded at once.
func (l *ledger) release(r reservation, limit, remaining int) (free int64) {
	a := answered{r, l.now(), limit, remaining}
	l.answered = append(l.answered, a)
	if l.unknown(a) > 0 {
		// One that cannot be written keeps the slot out until its lease ends, which is
		// late but safe.
		_ = l.flush()
	}
	return a.at + int64(l.window+l.margin)
}

// flush records what was answered.
func (l *ledger) flush() error {
	if len(l.answered) == 0 {
		return nil
	}
	return l.change(true, func(int64) bool { return true })
}

// absorb enters an answer.
func (l *ledger) absorb(now int64, a answered) {
	l.remove(a.id)
	// The window begins with the answer, at one time for calendar and organization:
	// were a calendar's slots to come free later than those they share, others would
	// be served before it. An answer of the future came before the clock was set back.
	since := min(a.at, now)
	l.out(now, since, done, a.id, 1, l.window+l.margin)
	if n := l.unknown(a); n > 0 {
		l.out(now, since, others, a.id, n, l.window+l.margin)
	}
}

// out enters n slots that are out for d from since on.
func (l *ledger) out(now, since int64, st state, id uint64, n int, d time.Duration) {
	l.add(now, record{id: id, until: since + int64(d), count: uint32(min(n, maxLimit)), state: st}, l.grain())
}

// grain is the time within which slots of a crowd come free together.
func (l *ledger) grain() int64 { return max(1, int64(l.window/250)) }

// unknown returns how many of the slots that the service counts are held by processes
// that do not share this ledger, and are not entered. Between the reservation and the answer more were
// reserved and some came free, and when in that time the service counted is not known.
// So there is proof only if it counts more than all that it can have seen of ours;
// given proof, the likely number is that it saw requests in their order.
func (l *ledger) unknown(a answered) int {
	counted, later := a.limit-a.remaining, int(l.takes-a.takes)
	if a.remaining < 0 || counted <= a.own+later {
		return 0
	}
	return counted - a.own - l.tally().others
}

// cancel frees the slot at once.
func (l *ledger) cancel(r reservation) error {
	return l.change(true, func(int64) bool {
		l.remove(r.id)
		return true
	})
}

// pause has nobody take a slot for d.
func (l *ledger) pause(d time.Duration) error {
	return l.change(true, func(now int64) bool { return l.throttle(now, now+int64(d)) })
}

// resume ends the throttling, and reports whether there was one.
func (l *ledger) resume() (was bool, err error) {
	err = l.change(false, func(int64) bool {
		was = l.throttled > 0
		l.throttled, l.span = 0, 0
		return was
	})
	return was, err
}

// look returns the state without changing it.
func (l *ledger) look() (t tally, err error) {
	err = l.change(false, func(int64) bool {
		t = l.tally()
		return false
	})
	return t, err
}

// change is every operation: it locks the file, reads the account, enters what was
// answered, has do change it, and writes it where anything has changed. Where there is
// no file and none is to be made the account is empty. The clock is read under the lock:
// seen from before it, what another process wrote meanwhile would lie too far ahead.
func (l *ledger) change(create bool, do func(now int64) (changed bool)) (err error) {
	if l.path == "" {
		l.update(l.now(), do)
		l.answered = l.answered[:0]
		return nil
	}
	if !create {
		if _, err := os.Lstat(l.path); errors.Is(err, fs.ErrNotExist) {
			l.account, l.bytes = account{}, l.bytes[:0]
			return nil
		}
	}
	if err := l.begin(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.end()) }()
	file, size, err := l.file.Open(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return err
	}
	now := l.now()
	moved, err := l.read(file, size, now)
	if err != nil {
		return err
	}
	l.bytes = l.bytes[:0]
	if !l.update(now, do) && !moved {
		return nil
	}
	l.room = l.encode(l.room[:0])
	l.known = true
	if _, err := file.WriteAt(l.room, 0); err != nil {
		return err
	}
	l.seen = l.takes
	l.bytes, l.room = l.room, l.bytes
	l.answered = l.answered[:0]
	return nil
}

// begin takes the lock, in a folder that is made where it is not there.
func (l *ledger) begin() error {
	err := l.lock.Lock()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
			return err
		}
		err = l.lock.Lock()
	}
	return err
}

// end gives the lock back.
func (l *ledger) end() error {
	err := l.lock.Unlock()
	if !l.keep {
		err = errors.Join(err, l.close())
	}
	return err
}

// close closes the files until the next operation.
func (l *ledger) close() error {
	if l.path == "" {
		return nil
	}
	return errors.Join(l.file.Close(), l.lock.Close())
}

// update is the part of a change between reading and writing.
func (l *ledger) update(now int64, do func(now int64) (changed bool)) (changed bool) {
	changed = l.renew(now)
	for _, a := range l.answered {
		l.absorb(now, a)
	}
	return do(now) || changed || len(l.answered) > 0
}

// read reads the account. How many slots a damaged file held is not known, nor one
// that is new though it was there before, nor how many were taken after an earlier
// one that was brought back: the owner is throttled for a window.
func (l *ledger) read(file *os.File, size, now int64) (moved bool, err error) {
	if size == 0 && !l.known {
		l.account = account{}
		return false, nil
	}
	whole := false
	if size <= maxBytes {
		l.room = slices.Grow(l.room[:0], int(size))[:size]
		n, err := file.ReadAt(l.room, 0)
		if err != nil && err != io.EOF {
			return false, err
		}
		whole = len(l.bytes) > 0 && bytes.HasPrefix(l.room[:n], l.bytes) || l.decode(l.room[:n])
	}
	switch {
	case !whole:
		l.account = account{}
	case !l.known || int32(l.takes-l.seen) >= 0:
		l.known, l.seen = true, l.takes
		return false, nil
	}
	l.takes = l.seen // whoever has seen no more need not throttle again
	l.throttle(now, now+int64(l.window+l.margin))
	return true, nil
}
