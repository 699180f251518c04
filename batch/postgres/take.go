package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// Services returns the services to which runs were sent.
func (s *Store) Services() ([]string, error) {
	list, err := collect(s.DB, pgx.RowTo[string], "select base_url from services order by base_url")
	if err != nil {
		return nil, s.unusable("reading the memory of keys", err)
	}
	return list, nil
}

// Take stores a run of another store.
func (s *Store) Take(from *journal.Run, state *journal.State) error {
	sendings, err := from.Sendings()
	if err != nil {
		return err
	}
	sent := map[int][]time.Time{}
	for _, sending := range sendings {
		sent[sending.Op] = append(sent[sending.Op], sending.At)
	}
	texts := from.Texts(state.Dropped.IsZero())
	return s.insert(from.Head(), texts, state.Dropped, func(ctx context.Context, tx pgx.Tx, sends []int32) error {
		if state.Started || state.Tally()[journal.InDoubt] > 0 { // a run whose record was lost may owe something all the same
			if err := insertAttachment(ctx, tx, state); err != nil {
				return err
			}
		}
		h := from.Header()
		return insertState(ctx, tx, &h, sends, state, sent)
	})
}

// insertAttachment stores what a state says besides what became of the ops.
func insertAttachment(ctx context.Context, tx pgx.Tx, s *journal.State) error {
	if _, err := tx.Exec(ctx, "insert into attachments (run, owner) values ($1, '')", s.Run); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "update turns set n = greatest(n, $1)", s.Turn); err != nil {
		return err
	}
	a := &attachment{
		Run: s.Run, Attached: s.Attached, Turn: s.Turn, Ended: s.Ended, Undone: s.Undone, At: &s.At, Made: s.Requests,
	}
	if s.Home != (plan.Home{}) {
		home, err := json.Marshal(s.Home)
		if err != nil {
			return err
		}
		a.Home = home
	}
	return tellAttachment(ctx, tx, a, s.Tally()[journal.Failed])
}

// tellAttachment stores what there is to say of an attachment, with how many ops have failed.
func tellAttachment(ctx context.Context, tx pgx.Tx, a *attachment, failed int) error {
	_, err := tx.Exec(ctx, "update attachments set attached = $3, turn = $4, home = $5, ended = $6, undone = $7, at = $8, failed = $9, "+
		"sent = $10, reads = $11, throttled = $12 where run = $1 and owner = $2",
		a.Run, a.Owner, a.Attached, a.Turn, a.Home, a.Ended, a.Undone, a.At, failed, a.Sent, a.Reads, a.Throttled)
	return err
}

// insertState stores what is on record of the ops that send, and of others that have to do with it; with what those that
// are settled say of their keys.
func insertState(ctx context.Context, tx pgx.Tx, h *plan.Header, sends []int32, s *journal.State, sent map[int][]time.Time) error {
	sending := map[int]bool{}
	for _, n := range sends {
		sending[int(n)] = true
	}
	var places []int
	facts := map[journal.Subject]*journal.Fact{}
	for at := range s.Ops {
		o := s.Outcome(at)
		if o.Untold() && !sending[o.Op] {
			continue
		}
		if places = append(places, at); !o.Status.Open() {
			say(facts, s, at)
		}
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"outcomes"}, outcomeRow, pgx.CopyFromSlice(len(places), func(i int) ([]any, error) {
		o := s.Outcome(places[i])
		return outcomeValues(h.Run, &o, sent[o.Op])
	}))
	if err != nil {
		return err
	}
	if tally := s.Tally(); s.Started && s.Ended != "" && tally.Open() == 0 {
		if _, err := tx.Exec(ctx, "update runs set tally = $2 where id = $1", h.Run, counts(tally)); err != nil {
			return err
		}
	}
	in := factsIn{ctx: ctx, tx: tx, service: h.Target.BaseURL}
	number := int32(h.Number)
	for of, f := range facts {
		in.put(&journal.Entry{Subject: of, Fact: f}, func(journal.Stamp) int32 { return number })
	}
	return in.end()
}

var outcomeRow = []string{
	"run", "n", "status", "attempts", "turn", "http", "operation", "event", "key", "hash", "code", "error", "fields", "sent", "at",
}

// outcomeValues returns the values of a row of outcomes.
func outcomeValues(run string, o *journal.Outcome, sent []time.Time) ([]any, error) {
	key, why, fields, err := storedOf(o)
	if err != nil {
		return nil, err
	}
	var at any
	if !o.At.IsZero() {
		at = o.At
	}
	return []any{
		run, int32(o.Op), letters[o.Status], attemptsOf(o), int32(o.Turn), int16(o.HTTP), o.Operation, o.EventID,
		key, o.Hash, why.Code, why.Error, fields, sent, at,
	}, nil
}

// factsIn adds facts to the memory of keys.
type factsIn struct {
	ctx     context.Context
	tx      pgx.Tx
	service string
	page    keyColumnsOf
	err     error
}

// put adds a fact, given the numbers in the database of the runs that have said it.
func (in *factsIn) put(k *journal.Entry, number func(journal.Stamp) int32) {
	own := int32(0)
	if k.Fact.OwnBy != journal.Nobody {
		own = number(k.Fact.OwnBy)
	}
	in.page.put(0, in.service, k, number(k.Fact.Last), own)
	if len(in.page.ord) == pageSize {
		in.store()
	}
}

func (in *factsIn) store() {
	if in.err == nil && len(in.page.ord) > 0 {
		_, in.err = in.tx.Exec(in.ctx, factsSQL(), in.page.args()...)
	}
	in.page = keyColumnsOf{}
}

// end returns once all are added.
func (in *factsIn) end() error {
	in.store()
	return in.err
}

var factsSQL = sync.OnceValue(func() string {
	return keysSQL + `
	from unnest($1::int[], $2::text[], $3::text[], $4::bytea[], $5::int[], $6::int[], $7::int[], $8::bool[], $9::text[],
		$10::int[], $11::int[], $12::bool[], $13::int[], $14::int[], $15::text[], $16::bool[], $17::int[], $18::int[], $19::int[],
		$20::int[], $21::int[])
		as v (ord, service, kind, name, run, turn, op, gone, event, event_turn, event_op, cancelled, life_turn, life_op, hash, undone,
			hash_turn, hash_op, own_run, own_turn, own_op)
	join services s on s.base_url = v.service` + keysConflict()
})

// Learn takes over what the memory of another store knows of keys of a service.
func (s *Store) Learn(baseURL string, of *journal.Memory) error {
	return s.inserting(func(ctx context.Context, tx pgx.Tx) error { return learn(ctx, tx, baseURL, of) })
}

// learn notes the runs of a memory that are not here, which were pruned, and what is settled of keys. Their numbers
// come before all others.
func learn(ctx context.Context, tx pgx.Tx, baseURL string, of *journal.Memory) error {
	if _, err := tx.Exec(ctx, "insert into services (base_url) values ($1) on conflict do nothing", baseURL); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "select id, number from runs")
	if err != nil {
		return err
	}
	numbers, first := map[string]int32{}, int32(0)
	var id string
	var number int32
	_, err = pgx.ForEachRow(rows, []any{&id, &number}, func() error {
		numbers[id], first = number, min(first, number)
		return nil
	})
	if err != nil {
		return err
	}
	known := of.Runs()
	gone := slices.DeleteFunc(slices.Clone(known), func(r journal.RunKnown) bool { _, here := numbers[r.ID]; return here })
	handed := handedBy(gone, of.HandedOn())
	for i, r := range gone {
		number := first - int32(len(gone)-i)
		numbers[r.ID] = number
		_, err := tx.Exec(ctx,
			"insert into runs (id, number, created, identity, source, base_url, header, ops, takes_over, pruned) "+
				"values ($1, $2, now(), '', $3, $4, '', 0, $5, now())", r.ID, number, r.Source, baseURL, handed[r.ID].From)
		if err != nil {
			return err
		}
		var heard *time.Time
		if !r.Heard.IsZero() {
			heard = &r.Heard
		}
		_, err = tx.Exec(ctx, "insert into attachments (run, owner, attached, turn, ended, at) values ($1, '', 1, $2, 'done', $3)",
			r.ID, handed[r.ID].Turn, heard)
		if err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "update turns set n = greatest(n, $1)", of.Turn()-1); err != nil {
		return err
	}
	in := factsIn{ctx: ctx, tx: tx, service: baseURL}
	for _, kind := range []journal.Kind{journal.OfKey, journal.OfEvent} {
		for one, err := range of.Keys().All(kind, nil) {
			if err != nil {
				return err
			}
			in.put(&one, func(by journal.Stamp) int32 { return numbers[known[by.Run].ID] })
		}
	}
	return in.end()
}

// handedBy returns which of the runs have handed keys on. Of an earlier version it is not known which of the runs of the
// source it was: any will do.
func handedBy(runs []journal.RunKnown, list []journal.TakeOver) map[string]journal.TakeOver {
	by := map[string]journal.TakeOver{}
	for _, t := range list {
		for _, r := range runs {
			_, taken := by[r.ID]
			if r.ID == t.Run || t.Run == "" && r.Source == t.To && !taken {
				by[r.ID] = t
				break
			}
		}
	}
	return by
}
