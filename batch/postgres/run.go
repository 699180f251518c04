package postgres

import (
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
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
	dropped time.Time
	tally   []int32 // nil where something may be left to do
	version string  // of its row

	left atomic.Pointer[journal.State] // by a journal of this process that was closed, of a share, until it is read
}

// Files are those that this machine has of the run.
func (r *run) Files() journal.Files {
	folder := r.of.folderOf(r.id)
	return journal.Files{Folder: folder, Results: filepath.Join(folder, "results.csv")}
}

// Dropped returns when the payloads were dropped on purpose; zero where they are there.
func (r *run) Dropped() time.Time { return r.dropped }

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
			yield(journal.Text{}, r.Missing())
			return
		}
		for page, err := range r.pages(payloads) {
			if err != nil {
				yield(journal.Text{}, err)
				return
			}
			for i := range page {
				text, err := r.text(&page[i], payloads)
				if !yield(text, err) || err != nil {
					return
				}
			}
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
				list, err = collect(r.of.DB, pgx.RowToStructByPos[stored],
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
			list, err := collect(r.of.DB, pgx.RowToStructByPos[stored],
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
		list, err := collect(r.of.DB, pgx.RowToStructByPos[stored],
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

// within is the condition that an op is of the store's calendars, and its parameter. One that may be several is not
// in the order of an index.
func (s *Store) within(of, parameter string) (condition string, calendars any) {
	if len(s.calendars) == 1 {
		return of + "calendar = " + parameter, s.calendars[0]
	}
	return of + "calendar = any (" + parameter + ")", s.calendars
}

// numbers returns those of the ops of a share, in order.
func (r *run) numbers() ([]int32, error) {
	return collect(r.of.DB, pgx.RowTo[int32], "select n from ops where run = $1 and calendar = any ($2) order by n", r.id, r.of.calendars)
}

// text returns an op once it is found to be what was written.
func (r *run) text(s *stored, payload bool) (text journal.Text, err error) {
	if payload && s.Row == nil { // another process may have dropped it since the run was found
		again, err := r.of.Find(r.id)
		if err == nil {
			err = again.Missing()
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

// Open opens the ops to be read in any order.
func (r *run) Open() (journal.TextReader, error) {
	if !r.dropped.IsZero() {
		return nil, r.Missing()
	}
	return &reader{run: r, ahead: map[int]journal.Text{}}, nil
}

// Line reads the line of an op.
func (d *reader) Line(n int) ([]byte, error) {
	text, err := d.read(n)
	return text.Line, err
}

// Payload reads that of an op of which the line was read.
func (d *reader) Payload(op *plan.Op) ([]byte, error) {
	text, err := d.read(op.N)
	d.mu.Lock()
	delete(d.ahead, op.N)
	d.mu.Unlock()
	return text.Payload, err
}

func (d *reader) read(n int) (journal.Text, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, known := d.ahead[n]; known {
		return text, nil
	}
	if len(d.ahead)+aheadSize > aheadAtMost {
		clear(d.ahead)
	}
	r := d.run
	of, args := "", []any{r.id, n, aheadSize}
	if r.of.lease != nil {
		within, calendars := r.of.within("", "$4")
		of, args = " and "+within, append(args, calendars)
	}
	list, err := collect(r.of.DB, pgx.RowToStructByPos[stored],
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

// letters are the statuses as they are stored, in their order.
const letters = "psdf?kab"

// statusOf returns the status of a letter.
func statusOf(letter string) (journal.Status, error) {
	n := strings.Index(letters, letter)
	if n < 0 || len(letter) != 1 {
		return 0, fmt.Errorf("the status of an op is %q", letter)
	}
	return journal.Status(n), nil
}

const outcomeColumns = "status::text, attempts, turn, http, operation, event, key, hash, code, error, fields, at"

// outcome is a row of outcomes.
type outcome struct {
	N         int
	Status    *string // nil of an op without a row
	Attempts  *int
	Turn      *int
	HTTP      *int
	Operation *string
	Event     *string
	Key       []byte
	Hash      *string
	Code      *string
	Error     *string
	Fields    []byte
	At        *time.Time
}

// of returns what is on record of an op.
func (o *outcome) of() (*journal.Outcome, error) {
	status, err := statusOf(*o.Status)
	if err != nil {
		return nil, err
	}
	one := &journal.Outcome{
		Op: o.N, Status: status, Attempts: *o.Attempts, Turn: *o.Turn, HTTP: *o.HTTP, Operation: *o.Operation,
		EventID: *o.Event, Hash: *o.Hash,
	}
	copy(one.Key[:], o.Key)
	if o.At != nil {
		one.At = *o.At
	}
	if *o.Code != "" || *o.Error != "" || len(o.Fields) > 0 {
		one.Why = &journal.Why{Code: *o.Code, Error: *o.Error}
		if len(o.Fields) > 0 {
			err = json.Unmarshal(o.Fields, &one.Why.Fields)
		}
	}
	return one, err
}

// Read returns what is on record, changing nothing.
func (r *run) Read(names bool) (*journal.State, error) {
	if left := r.left.Swap(nil); left != nil && !names {
		return left, nil
	}
	state, here, err := r.read(names)
	if err != nil {
		return nil, r.of.unusable("reading run "+r.id, err)
	}
	return state, r.Doubt(state, "", here)
}

// read reads the rows, and what tells the database from its copies.
func (r *run) read(names bool) (state *journal.State, here plan.Home, err error) {
	said, here, err := r.attachments()
	if err != nil {
		return nil, here, err
	}
	header := r.Header()
	var list []outcome
	var nth []int32
	sends := 0
	if r.of.lease == nil {
		list, err = collect(r.of.DB, pgx.RowToStructByPos[outcome], "select n, "+outcomeColumns+" from outcomes where run = $1", r.id)
	} else {
		within, calendars := r.of.within("ops.", "$2")
		// Each is found by itself: all of the run would be read for a share.
		list, err = collect(r.of.DB, pgx.RowToStructByPos[outcome], "select ops.n, "+outcomeColumns+
			" from ops left join lateral (select * from outcomes o where o.run = ops.run and o.n = ops.n limit 1) as o on true "+
			"where ops.run = $1 and "+within+" order by ops.n", r.id, calendars)
		nth = make([]int32, len(list))
		for i := range list {
			if nth[i] = int32(list[i].N); list[i].Status != nil && *list[i].Status != letters[journal.Agreed:journal.Agreed+1] {
				sends++
			}
		}
	}
	if err != nil {
		return nil, here, err
	}
	state = journal.NewState(&header, r.Len(), nth, sends)
	if names {
		state.Naming()
	}
	for i := range list {
		if list[i].Status == nil {
			continue
		}
		one, err := list[i].of()
		if err == nil && !state.Restore(one) {
			err = fmt.Errorf("op %d of a plan of %d", one.Op, r.Len())
		}
		if err != nil {
			return nil, here, &journal.DamagedError{Path: "the record of run " + r.id + " in " + r.of.Name(), Reason: err.Error()}
		}
	}
	said.say(state, r.of.lease == nil, &here)
	return state, here, nil
}

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
func (r *run) Held() (bool, error) {
	look := r.of.DB.Held
	if r.of.lease != nil {
		look = r.of.lease.Whole // this process has the owner of the share
	}
	held, err := look(r.id)
	if err != nil {
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
