package postgres

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// run is a run that lies in a database, or what the calendars of a share have of it.
type run struct {
	*journal.Run

	of      *Store
	id      string
	number  int
	dropped time.Time // when the payloads were dropped on purpose; zero where they are there
	tally   []int32   // nil where something may be left to do
	version string    // of its row

	// Of a share, what was read last, or what a journal of this process has left: nobody else writes of it as long
	// as the process has the lease, unless it has the whole run. Nil while there is a journal.
	last atomic.Pointer[kept]
	// Of a share of a few ops, all of them as they were read for their lines, until they are opened.
	ahead atomic.Pointer[map[int]journal.Text]
}

// kept is what was read of a share.
type kept struct {
	state   *journal.State
	here    plan.Home
	commits int64 // that there were, of this owner and of whoever had the whole run; -1 where that is not known
}

func (r *run) planPath() string { return "the plan of run " + r.id + " in " + r.of.Name() }

// pageSize is how many ops are read at a time.
const pageSize = 500

// stored is an op as the database has it.
type stored struct {
	N         int
	Line, Row []byte
}

// Texts reads the ops as they were written.
func (r *run) Texts(payloads bool) iter.Seq2[journal.Text, error] {
	return func(yield func(journal.Text, error) bool) {
		if payloads && !r.dropped.IsZero() {
			yield(journal.Text{}, r.Missing(r.dropped))
			return
		}
		if read := r.ahead.Load(); read != nil && !payloads {
			for _, n := range slices.Sorted(maps.Keys(*read)) {
				if !yield(journal.Text{Line: (*read)[n].Line}, nil) {
					return
				}
			}
			return
		}
		ahead := map[int]journal.Text{}
		last := r.last.Load()
		keep := !payloads && r.dropped.IsZero() && last != nil && len(last.state.Ops) <= aheadSize
		for page, err := range r.pages(payloads || keep) {
			if err != nil {
				yield(journal.Text{}, err)
				return
			}
			for i := range page {
				text, err := r.text(&page[i], payloads)
				if !yield(text, err) || err != nil {
					return
				}
				if keep && page[i].Row != nil {
					if whole, err := r.text(&page[i], true); err == nil { // else whoever wants it is told
						ahead[page[i].N] = whole
					}
				}
			}
		}
		if keep && len(ahead) == len(last.state.Ops) {
			r.ahead.Store(&ahead)
		}
	}
}

// pages reads the ops in pieces: each is found by its numbers, so that no connection waits for whoever reads.
func (r *run) pages(payloads bool) iter.Seq2[[]stored, error] {
	columns := "n, line, null::bytea"
	if payloads {
		columns = "n, line, row"
	}
	return func(yield func([]stored, error) bool) {
		if r.of.lease != nil && len(r.of.calendars) == 1 {
			r.pagesOfOne(columns, yield)
			return
		}
		if r.of.lease != nil {
			all, err := r.numbers()
			for page := range slices.Chunk(all, pageSize) {
				var list []stored
				list, err = collect(r.of, pgx.RowToStructByPos[stored],
					"select "+columns+" from ops where run = $1 and n = any ($2) order by n", r.id, page)
				if err != nil || !yield(list, nil) {
					break
				}
			}
			if err != nil {
				yield(nil, r.of.unusable("reading "+r.planPath(), err))
			}
			return
		}
		for from := 0; from < r.Len(); from += pageSize {
			list, err := collect(r.of, pgx.RowToStructByPos[stored],
				"select "+columns+" from ops where run = $1 and n >= $2 and n < $3 order by n", r.id, from, from+pageSize)
			if err != nil {
				yield(nil, r.of.unusable("reading "+r.planPath(), err))
				return
			}
			if want := min(pageSize, r.Len()-from); len(list) != want {
				reason := fmt.Sprintf("of %d ops from %d on there are %d", want, from, len(list))
				yield(nil, &journal.DamagedError{Path: r.planPath(), Reason: reason})
				return
			}
			if !yield(list, nil) {
				return
			}
		}
	}
}

// pagesOfOne reads the ops of a share of one calendar, in the order of an index.
func (r *run) pagesOfOne(columns string, yield func([]stored, error) bool) {
	for from := 0; ; {
		list, err := collect(r.of, pgx.RowToStructByPos[stored],
			"select "+columns+" from ops where run = $1 and calendar = $2 and n >= $3 order by n limit $4",
			r.id, r.of.calendars[0], from, pageSize)
		if err != nil {
			yield(nil, r.of.unusable("reading "+r.planPath(), err))
			return
		}
		if len(list) > 0 && !yield(list, nil) || len(list) < pageSize {
			return
		}
		from = list[len(list)-1].N + 1
	}
}

// numbers returns those of the ops of a share, in order.
func (r *run) numbers() ([]int32, error) {
	return collect(r.of, pgx.RowTo[int32], "select n from ops where run = $1 and calendar = any ($2) order by n", r.id, r.of.calendars)
}

// text returns an op once it is found to be what was written.
func (r *run) text(s *stored, payload bool) (text journal.Text, err error) {
	if payload && s.Row == nil { // another process may have dropped it since the run was found
		again, err := r.of.Find(r.id)
		if err == nil {
			err = again.Missing(again.Stored.(*run).dropped)
		}
		return text, err
	}
	ok := false
	if text.Line, ok = unsummed(s.Line); ok && payload {
		text.Payload, ok = unsummed(s.Row)
	}
	if !ok {
		return text, &journal.DamagedError{Path: r.planPath(), Line: s.N + 2, Reason: "it is not what was written"}
	}
	return text, nil
}

// How many ops a reader has read ahead at most, before it forgets those that nobody has asked for, and how many it reads
// at a time.
const (
	aheadAtMost = 8000
	aheadSize   = 100
)

// reader reads single ops, and some behind each: as a rule they are wanted next.
type reader struct {
	run *run

	mu    sync.Mutex
	ahead map[int]journal.Text // that were not asked for yet
}

// Reader opens the ops to be read in any order.
func (r *run) Reader() (journal.OpReader, error) {
	if !r.dropped.IsZero() {
		return nil, r.Missing(r.dropped)
	}
	d := &reader{run: r, ahead: map[int]journal.Text{}}
	if ahead := r.ahead.Swap(nil); ahead != nil {
		d.ahead = *ahead
	}
	return d, nil
}

// Op reads an op.
func (d *reader) Op(n int) (*plan.Op, error) {
	text, err := d.read(n)
	if err != nil {
		return nil, err
	}
	op, err := d.run.Decode(n, text.Line)
	if err == nil {
		err = d.run.Fill(op, text.Payload)
	}
	return op, err
}

// read returns an op as it was written, and forgets it: none is asked for twice, as a rule.
func (d *reader) read(n int) (journal.Text, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer delete(d.ahead, n)
	if text, known := d.ahead[n]; known {
		return text, nil
	}
	if len(d.ahead)+aheadSize > aheadAtMost {
		clear(d.ahead)
	}
	r := d.run
	of, args := "", []any{r.id, n, aheadSize}
	if r.of.lease != nil {
		within, calendars := r.of.calendars.within("", "$4")
		of, args = " and "+within, append(args, calendars)
	}
	list, err := collect(r.of, pgx.RowToStructByPos[stored],
		"select n, line, row from ops where run = $1 and n >= $2"+of+" order by n limit $3", args...)
	if err != nil {
		return journal.Text{}, r.of.unusable("reading "+r.planPath(), err)
	}
	for i := range list {
		text, err := r.text(&list[i], true)
		if err == nil {
			d.ahead[list[i].N] = text
		} else if list[i].N == n {
			return text, err
		}
	}
	text, there := d.ahead[n]
	if !there {
		return text, &journal.DamagedError{Path: r.planPath(), Line: n + 2, Reason: "it is missing"}
	}
	return text, nil
}

// Close has nothing to give up.
func (d *reader) Close() error { return nil }

// Sendings reads when each request that changes something left, in order.
func (r *run) Sendings() ([]journal.Sending, error) {
	list, err := collect(r.of.DB, pgx.RowToStructByPos[journal.Sending],
		"select n, s.at from outcomes, unnest(sent) as s (at) where run = $1 order by s.at, n", r.id)
	if err != nil {
		return nil, r.of.unusable("reading run "+r.id, err)
	}
	return list, nil
}

// Held reports whether a process has the run, or a part of it; of a share, whether one has the whole.
func (r *run) Held() (held bool, err error) {
	if err := r.of.one("select "+r.of.held("$1::text"), []any{r.id}, &held); err != nil {
		return false, r.of.unusable("looking at run "+r.id, err)
	}
	return held, nil
}

// summary is what a list of runs says of one.
type summary struct {
	Started bool
	Ended   string
	At      time.Time
	tally   journal.Tally
}

// summary returns what the list says of the run, given its attachments. What has come to its end says so for good.
func (r *run) summary(said attachments) (*summary, error) {
	header := r.Header()
	if !said.started() {
		return &summary{tally: journal.Tally{journal.Pending: header.Counts.Sends() + header.Further}}, nil
	}
	if r.tally == nil {
		state, err := r.State()
		if err != nil {
			return nil, err
		}
		r.settle(state)
		return &summary{state.Started, state.Ended, state.At, state.Tally()}, nil
	}
	one := &summary{Started: true, Ended: said.ended(func() int { return 0 }), At: said.at()}
	for i := range min(len(one.tally), len(r.tally)) {
		one.tally[i] = int(r.tally[i])
	}
	return one, nil
}

// settle notes of a run that has come to its end that nothing is left to do, unless a process has taken it up since it
// was found. Whoever does so later takes that back.
func (r *run) settle(state *journal.State) {
	if tally := state.Tally(); state.Ended != "" && tally.Open() == 0 && r.of.lease == nil {
		const sql = "update runs set tally = $2 where id = $1 and xmin = $3::text::xid"
		_, _ = r.of.do(sql, r.id, counts(tally), r.version) // else the next reader does
	}
}

// counts returns a tally as it is stored.
func counts(tally journal.Tally) []int32 {
	list := make([]int32, len(tally))
	for i, n := range tally {
		list[i] = int32(n)
	}
	return list
}

// summed returns a text with its CRC before it, by which it can be trusted; nil where there is none. unsummed returns
// the text of such a one.
func summed(text []byte) []byte {
	if text == nil {
		return nil
	}
	return append(fmt.Appendf(make([]byte, 0, len(text)+9), "%08x ", journal.Sum(text)), text...)
}

func unsummed(stored []byte) (text []byte, ok bool) {
	if len(stored) < 9 {
		return nil, false
	}
	crc, err := strconv.ParseUint(string(stored[:8]), 16, 32)
	return stored[9:], err == nil && uint32(crc) == journal.Sum(stored[9:])
}
