package quota

import (
	"errors"
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

	both    []byte     // header and records: room to write them at once
	dirty   span       // of records that are not yet in the file
	pending []spending // not yet entered
}

// span is from one index to before another; empty where they are equal.
type span struct{ from, to int }

// spending is a slot whose answer has come.
type spending struct {
	ticket
	at        int64 // when
	remaining int   // see [ledger.spend]
	limit     int
}

// tally is a ledger in numbers.
type tally struct {
	used   int   // slots out
	flying int   // of these, under way
	others int   // of these, of somebody unknown
	first  int64 // no slot comes free before this; 0 with none out
	parked int64
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
		return t, l.parked, l.flush()
	}
	if l.used >= limit {
		retry = l.first
		if l.poll > 0 {
			retry = min(retry, now+int64(l.poll))
		}
		return t, max(retry, now+1), l.flush()
	}
	l.head.takes++
	t = ticket{id: id, index: l.spare(), own: l.used - l.others + 1, takes: l.head.takes}
	l.set(t.index, l.out(now, id, flying, 1, l.lease+l.window+l.margin))
	return t, 0, l.flush()
}

// spend has the slot come free one window from now, and tells when that is.
// Remaining is what the service says is left, -1 where it does not: less than
// here is left means that somebody unknown has taken slots.
//
// Later leaves the account as it is: until the next operation enters the answer,
// the slot counts as still under way, and so for longer. Where slots are taken one
// after another this halves what each costs; whoever says later has to see to it
// that settle is called soon.
func (l *ledger) spend(t ticket, limit, remaining int, later bool) (free int64, err error) {
	if l.disk != nil && later {
		now := l.now()
		l.pending = append(l.pending, spending{t, now, remaining, limit})
		return now + int64(l.window+l.margin), nil
	}
	now, err := l.begin(true)
	if err != nil {
		return 0, err
	}
	defer l.end()
	return l.enter(now, spending{t, now, remaining, limit}), l.flush()
}

// enter puts what was spent into the account.
func (l *ledger) enter(now int64, s spending) (free int64) {
	i := l.find(s.ticket)
	if i < 0 { // its lease ended, or the file was damaged
		i = l.spare()
	}
	// The window begins with the answer, at one time for calendar and organization:
	// were a calendar's slots to come free later than those they share, others would
	// be served before it. The clock may have been set back since: what was at a
	// time that is yet to come was now.
	r := l.out(min(s.at, now), s.id, spent, 1, l.window+l.margin)
	l.set(i, r)
	if s.remaining >= 0 {
		if n := l.unknown(s.ticket, s.limit-s.remaining); n > l.others {
			l.set(l.spare(), l.out(now, s.id, others, uint32(min(n-l.others, maxLimit)), l.window+l.margin))
		}
	}
	return r.until
}

// settle enters what was left for later.
func (l *ledger) settle() error {
	if len(l.pending) == 0 {
		return nil
	}
	if _, err := l.begin(true); err != nil {
		return err
	}
	defer l.end()
	return l.flush()
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
	if i := l.find(t); i >= 0 {
		l.set(i, record{})
		l.unused = append(l.unused, i)
	}
	return l.flush()
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
		return errors.Join(l.bump(), l.flush())
	}
	return l.flush()
}

// look tells the state, and when the last slot comes free, without changing it.
func (l *ledger) look() (t tally, last int64, err error) {
	if err := l.settle(); err != nil {
		return tally{}, 0, err
	}
	if _, err := l.begin(false); err != nil {
		return tally{}, 0, err
	}
	defer l.end()
	for i := range l.records {
		last = max(last, l.records[i].until)
	}
	return l.tally, last, nil
}

func (l *ledger) close() error {
	if l.disk == nil {
		return nil
	}
	return errors.Join(l.settle(), l.disk.close())
}

// begin locks the file, brings what is known of it up to date, enters what was
// left for later, and tells the time. The clock is read under the lock: seen from
// before it, what another process wrote meanwhile would lie too far ahead.
func (l *ledger) begin(create bool) (now int64, err error) {
	if l.disk == nil {
		now = l.now()
		return now, l.renew(now)
	}
	if err := l.disk.lock(create); err != nil {
		return 0, err
	}
	now = l.now()
	if err = l.sync(now); err == nil {
		err = l.renew(now)
	}
	if err != nil {
		l.read = false
		l.disk.unlock()
		return now, err
	}
	for _, s := range l.pending {
		l.enter(now, s)
	}
	l.pending = l.pending[:0]
	return now, nil
}

func (l *ledger) end() {
	if l.disk != nil {
		l.disk.unlock()
	}
}

// renew frees what has ended, and brings near what lies too far ahead.
func (l *ledger) renew(now int64) error {
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
	l.raw, l.records, l.unused, l.dirty = l.raw[:0], l.records[:0], l.unused[:0], span{}
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
	}
	if l.used == 0 {
		l.first = 0
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
