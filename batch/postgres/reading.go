package postgres

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"

	"github.com/jackc/pgx/v5"
)

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
	if last := r.last.Load(); last != nil {
		return last.state, nil
	}
	var of reading
	b := &pgx.Batch{}
	of.queue(b, r.of, r.id)
	if err := r.of.together(b); err != nil {
		return nil, r.of.unusable("reading run "+r.id, err)
	}
	return r.keep(&of, names)
}

// keep returns the state that the rows come to, and keeps that of a share.
func (r *run) keep(of *reading, names bool) (*journal.State, error) {
	share := r.of.lease != nil
	state, here, err := r.stateOf(of, names || share)
	if err != nil {
		return nil, r.of.unusable("reading run "+r.id, err)
	}
	if err = r.Doubt(state, "", here); err == nil && share && !r.of.lease.busy.Load() {
		last := &kept{state: state, here: here}
		for _, one := range of.said {
			if one.Owner == "" || one.Owner == r.of.lease.owner {
				last.commits += one.Commits
			}
		}
		r.last.Store(last)
	}
	return state, err
}

// reading is what the rows say of a run.
type reading struct {
	said attachments
	here int64 // the number of the tables
	list []outcome
}

// queue adds the reading of the rows to what is asked together: of a share, those of its calendars.
func (of *reading) queue(b *pgx.Batch, s *Store, run string) {
	of.queueAttachments(b, s, run)
	if s.lease == nil {
		queue(b, &of.list, pgx.RowToStructByPos[outcome], "select n, "+outcomeColumns+" from outcomes where run = $1", run)
		return
	}
	within, calendars := s.calendars.within("ops.", "$2")
	// Each is found by itself: all of the run would be read for a share.
	queue(b, &of.list, pgx.RowToStructByPos[outcome], "select ops.n, "+outcomeColumns+
		" from ops left join lateral (select * from outcomes o where o.run = ops.run and o.n = ops.n limit 1) as o on true "+
		"where ops.run = $1 and "+within+" order by ops.n", run, calendars)
}

// take takes the run, or the share, by a statement, and returns the state that it finds.
func (r *run) take(by func(*pgx.Batch)) (state *journal.State, here plan.Home, err error) {
	var of reading
	b := &pgx.Batch{}
	by(b)
	of.queue(b, r.of, r.id)
	if err := r.of.DB.together(b); err != nil {
		return nil, here, err
	}
	return r.stateOf(&of, true)
}

// stateOf returns the state that the rows come to.
func (r *run) stateOf(of *reading, names bool) (state *journal.State, here plan.Home, err error) {
	if here, err = r.of.homeOf(of.here); err != nil {
		return nil, here, err
	}
	header, list, said := r.Header(), of.list, of.said
	if len(said) == 1 && said[0].Attached == 0 {
		said = nil // there is none
	}
	var nth []int32
	sends := 0
	if r.of.lease != nil {
		nth = make([]int32, len(list))
		for i := range list {
			if nth[i] = int32(list[i].N); list[i].Status != nil && *list[i].Status != letters[journal.Agreed:journal.Agreed+1] {
				sends++
			}
		}
	}
	state = journal.NewState(&header, r.Len(), nth, sends)
	state.Dropped = r.dropped
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
