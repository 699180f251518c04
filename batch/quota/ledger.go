package quota

import (
	"slices"
	"time"
)

// ledger is the account of one owner's slots. On disk it is shared by
// processes; each operation holds the file's lock for its few microseconds, so
// a process that dies leaves every operation done or not begun, and the
// record of a slot in the file before its request is on the wire. Nothing is
// synced to the platter: a machine that dies takes a window to come back.
//
// Guarded by Scheduler.mu. All times are Unix nanoseconds.
type ledger struct {
	disk                        *disk // nil keeps the account in memory
	now                         func() int64
	window, lease, margin, poll time.Duration

	// The account as last seen in the file.
	read    bool   // there is one
	raw     []byte // its bytes after the header: what did not change is not decoded again
	head    header
	records []record
	tally
	unused []int  // indexes of free records
	change []byte // what raw was: room for the next reading
	line   [recordSize]byte
}

// tally is a ledger in numbers.
type tally struct {
	used        int   // slots out
	flying      int   // of these, under way
	others      int   // of these, of somebody unknown
	first, last int64 // when the next slot and when the last one comes free; 0 with none out
	parked      int64
}

// ticket is a slot taken: where its record is, and what was known then.
type ticket struct {
	id    uint64
	index int
	own   int    // slots out, this one among them, others not
	takes uint32 // slots ever taken, this one among them
}

func newLedger(path string, cfg Config, now func() int64) *ledger {
	l := &ledger{now: now, window: cfg.Window, lease: cfg.Lease, margin: safety(cfg.Window)}
	if path != "" {
		l.disk = &disk{path: path}
		// Another process may free a slot before its time, where its request
		// never left: look a few times a window.
		l.poll = max(cfg.Window/60, time.Millisecond)
	}
	return l
}

// take takes one slot. Without one its ticket is zero, and retry says when to
// ask again.
func (l *ledger) take(limit int, id uint64) (t ticket, retry int64, err error) {
	now, err := l.begin(true)
	if err != nil {
		return t, 0, err
	}
	defer l.end()
	if l.parked > now {
		return t, l.parked, nil
	}
	if l.used >= limit {
		retry = l.first
		if l.poll > 0 {
			retry = min(retry, now+int64(l.poll))
		}
		return t, max(retry, now+1), nil
	}
	l.head.takes++
	t = ticket{id: id, index: l.spare(), own: l.used - l.others + 1, takes: l.head.takes}
	return t, 0, l.write(t.index, l.out(now, id, flying, 1, l.lease+l.window+l.margin))
}

// spend has the slot come free one window from now, and tells when that is.
// Remaining is what the service says is left, -1 where it does not: less than
// here is left means that somebody unknown has taken slots.
func (l *ledger) spend(t ticket, limit, remaining int) (free int64, err error) {
	now, err := l.begin(true)
	if err != nil {
		return 0, err
	}
	defer l.end()
	i := l.find(t)
	if i < 0 { // its lease ended, or the file was damaged
		i = l.spare()
	}
	r := l.out(now, t.id, spent, 1, l.window+l.margin)
	if err := l.write(i, r); err != nil {
		return 0, err
	}
	if remaining < 0 {
		return r.until, nil
	}
	if n := l.unknown(t, limit-remaining); n > l.others {
		o := l.out(now, t.id, others, uint32(min(n-l.others, maxLimit)), l.window+l.margin)
		return r.until, l.write(l.spare(), o)
	}
	return r.until, nil
}

// unknown is how many of the slots that the service counts belong to nobody in
// this ledger. Between taking the slot and the answer, more were taken and some
// came free, and when in that time the service counted is not known. So there
// is proof only if it counts more than all that it can have seen of ours;
// given proof, the likely number is that it saw requests in their order.
func (l *ledger) unknown(t ticket, counted int) int {
	later := int(l.head.takes - t.takes)
	if counted <= t.own+later {
		return 0
	}
	return counted - t.own
}

// free gives the slot back at once.
func (l *ledger) free(t ticket) error {
	if _, err := l.begin(true); err != nil {
		return err
	}
	defer l.end()
	i := l.find(t)
	if i < 0 {
		return nil
	}
	if err := l.write(i, record{}); err != nil {
		return err
	}
	l.unused = append(l.unused, i)
	return nil
}

// park has nobody take a slot for d.
func (l *ledger) park(d time.Duration) error {
	now, err := l.begin(true)
	if err != nil {
		return err
	}
	defer l.end()
	if until := now + int64(d); until > l.parked {
		l.parked, l.head.parked, l.head.span = until, until, spanOf(d)
		return l.bump()
	}
	return nil
}

// look tells the state without changing it.
func (l *ledger) look() (tally, error) {
	if _, err := l.begin(false); err != nil {
		return tally{}, err
	}
	defer l.end()
	return l.tally, nil
}

func (l *ledger) close() error {
	if l.disk == nil {
		return nil
	}
	return l.disk.close()
}

// begin locks the file, brings what is known of it up to date, and tells the
// time. The clock is read under the lock: seen from before it, what another
// process wrote meanwhile would lie too far ahead.
func (l *ledger) begin(create bool) (now int64, err error) {
	if l.disk == nil {
		now = l.now()
		return now, l.settle(now)
	}
	if err := l.disk.lock(create); err != nil {
		return 0, err
	}
	now = l.now()
	if err = l.sync(now); err == nil {
		err = l.settle(now)
	}
	if err != nil {
		l.read = false
		l.disk.unlock()
	}
	return now, err
}

func (l *ledger) end() {
	if l.disk != nil {
		l.disk.unlock()
	}
}

// settle frees what has ended, and brings near what lies too far ahead.
func (l *ledger) settle(now int64) error {
	farthest := now + int64(l.lease+l.window+l.margin)
	moved := (l.first > 0 && (l.first <= now || l.first > farthest)) && l.count(now)
	if parked := near(l.head.parked, now, l.head.span); parked < l.head.parked {
		l.head.parked, moved = parked, true
	}
	l.parked = 0
	if l.head.parked > now {
		l.parked = l.head.parked
	}
	if moved {
		return l.rewrite()
	}
	return nil
}

func (l *ledger) forget() {
	l.raw, l.records, l.unused = l.raw[:0], l.records[:0], l.unused[:0]
	l.head, l.tally, l.read = header{}, tally{}, false
}

// count goes through all records: what has ended is free. Moved means that
// some lay too far ahead.
func (l *ledger) count(now int64) (moved bool) {
	l.tally, l.unused = tally{parked: l.parked}, l.unused[:0]
	for i := range l.records {
		r := &l.records[i]
		if r.id == 0 || r.until <= now {
			*r = record{}
			l.unused = append(l.unused, i)
			continue
		}
		if until := near(r.until, now, r.span); until < r.until {
			r.until, moved = until, true
		}
		l.add(*r, 1)
	}
	// Low indexes first, so that the file does not grow needlessly.
	slices.Reverse(l.unused)
	return moved
}

// add enters a record into the tally, or with sign -1 takes it out.
func (l *ledger) add(r record, sign int) {
	n := sign * int(r.count)
	l.used += n
	switch r.state {
	case flying:
		l.flying += n
	case others:
		l.others += n
	}
	if sign > 0 {
		if l.first == 0 || r.until < l.first {
			l.first = r.until
		}
		l.last = max(l.last, r.until)
	}
	if l.used == 0 {
		l.first, l.last = 0, 0
	}
}

// spare finds a free record.
func (l *ledger) spare() int {
	if n := len(l.unused); n > 0 {
		i := l.unused[n-1]
		l.unused = l.unused[:n-1]
		return i
	}
	l.records = append(l.records, record{})
	l.raw = append(l.raw, make([]byte, recordSize)...)
	return len(l.records) - 1
}

// find returns the index of a ticket's record, or -1.
func (l *ledger) find(t ticket) int {
	is := func(r record) bool { return r.id == t.id && r.state == flying }
	if t.index < len(l.records) && is(l.records[t.index]) {
		return t.index
	}
	return slices.IndexFunc(l.records, is)
}

func (l *ledger) out(now int64, id uint64, st state, n uint32, d time.Duration) record {
	return record{id: id, until: now + int64(d), span: spanOf(d), count: n, state: st}
}
