package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/mapping/failure"
)

// Before there were rows of what became of ops, the database kept the journal of a run in lines: a chain of those who had
// the whole run, and one of each owner of a share. Of an op that one counts which was taken up last. What the runs that
// were pruned had said was in a snapshot, of a service each.

// fromLines is the end of the migration to rows: it makes them of the lines.
func fromLines(ctx context.Context, tx pgx.Tx, store string) error {
	l := &lines{ctx: ctx, tx: tx, store: store}
	if _, err := tx.Exec(ctx, "set local statement_timeout = "+ms(insertTimeout)); err != nil {
		return err
	}
	const services = "insert into services (base_url) select base_url from runs union select name from kept where kind = 'keys' order by 1"
	if _, err := tx.Exec(ctx, services); err != nil {
		return err
	}
	if err := l.snapshots(); err != nil {
		return err
	}
	type one struct {
		ID     string
		Header []byte
	}
	runs, err := query(l, pgx.RowToStructByPos[one], "select id, header from runs where pruned is null order by number")
	for i := range runs {
		if err == nil {
			err = l.run(runs[i].ID, runs[i].Header)
		}
	}
	if _, damaged := errors.AsType[*journal.DamagedError](err); damaged {
		return failure.New(failure.Disk, err, "nothing has changed: restore a backup, or go on with the version that it was written by")
	}
	if err == nil {
		_, err = tx.Exec(ctx, "drop table journal, chains")
	}
	if err == nil {
		_, err = tx.Exec(ctx, "delete from kept where kind in ('keys', 'keys-pruned')")
	}
	return err
}

// lines are those of a store.
type lines struct {
	ctx   context.Context
	tx    pgx.Tx
	store string
}

func query[T any](l *lines, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := l.tx.Query(l.ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// snapshots learns what the snapshots say.
func (l *lines) snapshots() error {
	type kept struct {
		BaseURL    string
		Text, Mark []byte
	}
	list, err := query(l, pgx.RowToStructByPos[kept],
		"select base_url, k.text, p.text from services left join kept k on k.kind = 'keys' and k.name = base_url "+
			"left join kept p on p.kind = 'keys-pruned' and p.name = base_url order by base_url")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "eventbatch-keys-*")
	if err != nil {
		return err
	}
	for _, k := range list {
		m, opening := files.Snapshot(dir, k.BaseURL, k.Text, k.Mark)
		if opening != nil {
			err = failure.New(failure.Disk, fmt.Errorf("what is remembered of runs on %s that were pruned cannot be read", k.BaseURL),
				"restore a backup of the database")
			break
		}
		if err = errors.Join(learn(l.ctx, l.tx, k.BaseURL, m), m.Close()); err != nil {
			break
		}
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// run makes rows of what a run has in lines.
func (l *lines) run(id string, header []byte) error {
	head, err := journal.ParseHead("the plan of run "+id+" in "+l.store, header)
	if err != nil {
		return err
	}
	r := journal.NewRun(head, journal.Files{}, linesRun{lines: l, id: id})
	h := r.Header()
	var sends []int32
	for op, err := range r.Sends() {
		if err != nil {
			return err
		}
		sends = append(sends, int32(op.N))
	}
	names, sheets := sheetNames(&h)
	_, err = l.tx.Exec(l.ctx, "update runs set takes_over = $2, reverts = $3, files = $4, sheets = $5 where id = $1",
		id, h.TakesOver, h.Reverts, names, sheets)
	if err != nil {
		return err
	}
	f := &folding{state: journal.NewState(&h, head.Ops, nil, 0), sent: map[int][]time.Time{}}
	f.state.Naming()
	if err := l.chains(head, f); err != nil {
		return err
	}
	if f.lost {
		suspects, err := r.Suspects(f.state)
		if err != nil {
			return err
		}
		for i := range suspects {
			f.state.Suspect(&suspects[i])
		}
	}
	f.state.Started, f.state.Ended = f.said.started(), f.said.ended(func() int { return f.state.Tally().Open() })
	return insertState(l.ctx, l.tx, &h, sends, f.state, f.sent)
}

// chain is a row of chains.
type chain struct {
	Owner   string // empty of whoever had the whole run
	Epoch   int64
	PID     int
	Host    string
	Since   time.Time
	Records int64 // that there are at least
}

// chains folds the chains of a run, and makes a row of attachments of each.
func (l *lines) chains(head *journal.Head, f *folding) error {
	id := head.Header.Run
	list, err := query(l, pgx.RowToStructByPos[chain],
		"select owner, epoch, pid, host, since, records from chains where run = $1 order by owner", id)
	if err != nil {
		return err
	}
	for i := range list {
		c := &list[i]
		_, err := l.tx.Exec(l.ctx, "insert into attachments (run, owner, epoch, pid, host, since) values ($1, $2, $3, $4, $5, $6)",
			id, c.Owner, c.Epoch, c.PID, c.Host, c.Since)
		if err != nil {
			return err
		}
		name := "the journal of run " + id + " in " + l.store
		if c.Owner != "" {
			name = "the journal of " + c.Owner + " of run " + id + " in " + l.store
		}
		text := &pieces{lines: l, run: id, owner: c.Owner, last: -1}
		f.begin(id, c.Owner)
		n := int64(0)
		if text.fill() == nil {
			if n, err = files.Records(head, c.Owner != "", name, text, f.add); err != nil {
				return err
			}
		}
		if !errors.Is(text.err, io.EOF) {
			return text.err
		}
		f.lost = f.lost || n < c.Records
		if f.of.Attached == 0 {
			continue
		}
		f.said = append(f.said, f.of)
		if err := tellAttachment(l.ctx, l.tx, &f.of, f.failed); err != nil {
			return err
		}
	}
	return f.end()
}

// folding folds chains into a state: their records in the order in which what they are about was taken up.
type folding struct {
	state  *journal.State
	sent   map[int][]time.Time // when requests left, by the op that was their first
	said   attachments
	lost   bool // the end of a chain
	stints []stint

	// Of the chain that is being read.
	of     attachment
	failed int
	turn   int // the last one
}

// stint is what a chain has of one turn.
type stint struct {
	turn    int
	records []journal.Record
}

// begin begins the chain of an owner.
func (f *folding) begin(run, owner string) {
	f.of, f.failed, f.turn = attachment{Run: run, Owner: owner}, 0, 0
	f.stints = append(f.stints, stint{})
}

// add adds the next record of the chain.
func (f *folding) add(r *journal.Record) error {
	if at := r.At; !at.IsZero() && (f.of.At == nil || at.After(*f.of.At)) {
		f.of.At = &at
	}
	switch r.Type {
	case journal.Open:
		return nil
	case journal.Fail:
		f.failed++
	case journal.Attach:
		f.of.Attached++
		f.of.Turn, f.of.Ended = r.Turn, ""
		if r.Home != nil {
			home, err := json.Marshal(r.Home)
			if err != nil {
				return err
			}
			f.of.Home = home
		}
	case journal.End:
		f.of.Ended, f.of.Undone = r.Code, f.of.Undone || r.Code == journal.Undone
		f.of.Made.Add(r.Requests)
	}
	if r.Type == journal.Attach || r.Type == journal.Doubt { // of which some come before their attachment
		if turn := max(f.turn, r.Turn); turn != f.turn {
			f.turn = turn
			f.stints = append(f.stints, stint{turn: turn})
		}
	}
	last := &f.stints[len(f.stints)-1]
	last.records = append(last.records, *r)
	return nil
}

// end folds what was added.
func (f *folding) end() error {
	slices.SortStableFunc(f.stints, func(a, b stint) int { return cmp.Compare(a.turn, b.turn) })
	for _, s := range f.stints {
		for i := range s.records {
			r := &s.records[i]
			if err := f.state.Apply(r); err != nil {
				return err
			}
			if r.Type == journal.Intent && !r.At.IsZero() {
				n := r.Each()[0]
				f.sent[n] = append(f.sent[n], r.At)
			}
		}
	}
	f.stints = nil
	return nil
}

// linesRun is a run of which the ops are read.
type linesRun struct {
	journal.Stored // of which nothing is asked
	*lines

	id string
}

// Texts reads the ops without their payloads.
func (r linesRun) Texts(bool) iter.Seq2[journal.Text, error] {
	return func(yield func(journal.Text, error) bool) {
		for last := -1; ; {
			page, err := query(r.lines, pgx.RowToStructByPos[stored],
				"select n, line, null::bytea from ops where run = $1 and n > $2 order by n limit $3", r.id, last, pageSize)
			if err != nil {
				yield(journal.Text{}, err)
				return
			}
			for i := range page {
				last = page[i].N
				line, ok := unsummed(page[i].Line)
				if !ok {
					path := "the plan of run " + r.id + " in " + r.store
					err = &journal.DamagedError{Path: path, Line: last + 2, Reason: "it is not what was written"}
				}
				if !yield(journal.Text{Line: line}, err) || err != nil {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}

// pieces reads a chain, which lies there in pieces, as one text.
type pieces struct {
	*lines

	run, owner string
	last       int64 // the piece that was read last
	rest       []byte
	err        error
}

// fill sees to it that there is something to read.
func (p *pieces) fill() error {
	for len(p.rest) == 0 && p.err == nil {
		type piece struct {
			N     int64
			Lines []byte
		}
		var page []piece
		page, p.err = query(p.lines, pgx.RowToStructByPos[piece],
			"select n, lines from journal where run = $1 and owner = $2 and n > $3 order by n limit $4", p.run, p.owner, p.last, pageSize)
		if len(page) == 0 {
			p.err = cmp.Or(p.err, io.EOF)
		}
		for _, one := range page {
			p.last, p.rest = one.N, append(p.rest, one.Lines...)
		}
	}
	return p.err
}

func (p *pieces) Read(b []byte) (int, error) {
	if err := p.fill(); err != nil {
		return 0, err
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
