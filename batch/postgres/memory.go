package postgres

import (
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// Memory reads what every run that was sent to baseURL knows. What is settled is in the table of keys; the runs that
// have not come to their end are read on top of it: of a share, as far as its calendars go.
func (s *Store) Memory(baseURL string) (*journal.Memory, error) {
	m := journal.NewMemory(s.now())
	k := &keys{store: s, memory: m, runs: map[int32]int32{}}
	turn := 0
	var open []listed
	var known []remembered
	b := &pgx.Batch{}
	b.Queue("select n, coalesce((select id from services where base_url = $1), 0) from turns", baseURL).
		QueryRow(func(row pgx.Row) error { return row.Scan(&turn, &k.service) })
	where, args := "base_url = $1 and tally is null and exists (select from attachments where run = id)", []any{baseURL}
	if s.lease != nil {
		where += " and exists (select from ops where run = id and calendar = any ($2))"
		args = append(args, s.calendars)
	}
	s.queueList(b, &open, s.held("id"), where, args...)
	queue(b, &known, pgx.RowToStructByPos[remembered], "select id, source, takes_over, number, max(at), "+
		"tally is not null or pruned is not null "+
		"from runs join attachments a on a.run = id and attached > 0 where base_url = $1 group by id order by number", baseURL)
	if err := s.together(b); err != nil {
		return nil, s.unusable("reading the memory of keys", err)
	}
	m.Attached(turn)
	// Another process may find meanwhile that a run has come to its end: what both say is said once.
	unsettled, settled, err := s.unsettled(open)
	if err != nil {
		return nil, err
	}
	handed, err := s.remember(m, k, known)
	if err != nil {
		return nil, err
	}
	for _, state := range settled {
		handed = state.TakeOvers(handed)
	}
	return m, m.Complete(k, unsettled, handed)
}

// remembered is a run that was taken up, one that was pruned too.
type remembered struct {
	ID, Source, TakesOver string
	Number                int32
	Heard                 *time.Time
	Settled               bool
}

// remember tells a memory of all runs that were taken up, and returns which keys they have handed on that have come to
// their end.
func (s *Store) remember(m *journal.Memory, k *keys, list []remembered) (handed []journal.TakeOver, err error) {
	for _, r := range list {
		var heard time.Time
		if r.Heard != nil {
			heard = *r.Heard
		}
		k.runs[r.Number] = m.Run(r.ID, r.Source, heard)
		if r.TakesOver == "" || !r.Settled {
			continue
		}
		said, err := attachmentsOf(s.client, "run = $1", r.ID)
		if err != nil {
			return nil, err
		}
		if of := said[r.ID]; of.ended(func() int { return 0 }) == "done" {
			handed = append(handed, journal.TakeOver{From: r.TakesOver, To: r.Source, Turn: int32(of.turn()), Run: r.ID})
		}
	}
	return handed, nil
}

// unsettled returns the runs of a list that have not come to their end, and the states of those that turn out to have.
func (s *Store) unsettled(runs []listed) (list []journal.Unsettled, settled []*journal.State, err error) {
	for i := range runs {
		r, err := s.open(&runs[i])
		if err != nil {
			return nil, nil, err
		}
		held := runs[i].Held // before what it does is read, which is all of it then where none has it
		state, err := r.Read(true)
		if err != nil {
			return nil, nil, err
		}
		if !state.Started && state.Tally()[journal.InDoubt] == 0 {
			continue // it is just being taken up, or was in vain
		}
		if !held && state.Tally().Open() == 0 {
			r.Stored.(*run).settle(state)
			settled = append(settled, state)
			continue
		}
		list = append(list, journal.Unsettled{Run: r, State: state, Held: held})
	}
	return list, settled, nil
}

// keys is the memory of keys of a service.
type keys struct {
	store   *Store
	memory  *journal.Memory
	service int

	numbering sync.Mutex
	runs      map[int32]int32 // the numbers of runs in the memory, by those in the database

	asking sync.Mutex
	asked  int                               // singly
	enough int                               // of them for all to be read; 0 before it is known
	all    map[journal.Subject]*journal.Fact // nil until they are read
}

// askedSingly is how many names are looked up before all that is remembered is read at once, where that is little; a
// name costs as much as so many that are read together.
const (
	askedSingly = 64
	atOnce      = 100
)

// ask reads facts, and gives their runs the numbers of the memory.
func (k *keys) ask(where string, args ...any) ([]scanned, error) {
	sql := "select " + keyColumns + " from keys where service = $1 and " + where
	key := func(row pgx.CollectableRow) (scanned, error) { return scanKey(row) }
	list, err := collect(k.store.DB, key, sql, append([]any{k.service}, args...)...)
	if err != nil {
		return nil, err
	}
	return list, k.number(list)
}

// number gives the runs of facts the numbers of the memory.
func (k *keys) number(list []scanned) error {
	k.numbering.Lock()
	defer k.numbering.Unlock()
	if err := k.learn(list); err != nil {
		return err
	}
	for i := range list {
		f := list[i].Fact
		f.Last.Run = k.runs[list[i].last]
		for _, by := range []*journal.Stamp{&f.IDBy, &f.LifeBy, &f.ValuesBy} {
			if by.Turn == f.Last.Turn {
				by.Run = f.Last.Run // a turn is that of one run
			}
		}
		if f.OwnBy.Turn >= 0 {
			f.OwnBy.Run = k.runs[list[i].own]
		}
	}
	return nil
}

// learn tells the memory of the runs that have spoken since it was made.
func (k *keys) learn(list []scanned) error {
	var unknown []int32
	for i := range list {
		for _, number := range []int32{list[i].last, list[i].own} {
			if _, known := k.runs[number]; !known && number != 0 && !slices.Contains(unknown, number) {
				unknown = append(unknown, number)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	type known struct {
		ID, Source string
		Number     int32
	}
	runs, err := collect(k.store.DB, pgx.RowToStructByPos[known], "select id, source, number from runs where number = any ($1)", unknown)
	if err != nil {
		return err
	}
	for _, r := range runs {
		k.runs[r.Number] = k.memory.Run(r.ID, r.Source, time.Time{})
	}
	if len(runs) < len(unknown) {
		return &journal.DamagedError{Path: "the memory of keys in " + k.store.Name(), Reason: "it names a run that is not there"}
	}
	return nil
}

// Find returns what is known of subjects: from all that is remembered, where that was read.
func (k *keys) Find(of []journal.Subject) (map[journal.Subject]*journal.Fact, error) {
	if k.service == 0 || len(of) == 0 {
		return nil, nil
	}
	all, err := k.whole(len(of))
	if all == nil && err == nil {
		all, err = k.look(of)
	}
	if err != nil {
		return nil, k.unread(err)
	}
	facts := make(map[journal.Subject]*journal.Fact, len(of))
	for _, one := range of {
		if f := all[one]; f != nil {
			facts[one] = new(*f) // what was read of all is asked again
		}
	}
	return facts, nil
}

// unread returns the error that something could not be read.
func (k *keys) unread(err error) error { return k.store.unusable("reading the memory of keys", err) }

// whole returns all that is remembered, once so many subjects were asked for singly that it costs less to read it; nil
// before. So many are asked for now. Of all that is remembered a share needs little, and a process has many shares.
func (k *keys) whole(now int) (map[journal.Subject]*journal.Fact, error) {
	k.asking.Lock()
	defer k.asking.Unlock()
	if now == 1 {
		k.asked++
	}
	if k.all != nil || k.asked <= askedSingly || k.store.lease != nil {
		return k.all, nil
	}
	if k.enough == 0 {
		if err := k.store.one("select count(*) / $2 from keys where service = $1", []any{k.service, atOnce}, &k.enough); err != nil {
			return nil, err
		}
		k.enough = max(k.enough, 1)
	}
	if k.asked <= k.enough {
		return nil, nil
	}
	all := map[journal.Subject]*journal.Fact{}
	for page, err := range k.pages("true") {
		if err != nil {
			return nil, err
		}
		for i := range page {
			all[page[i].Subject] = page[i].Fact
		}
	}
	k.all = all
	return all, nil
}

// look looks subjects up.
func (k *keys) look(of []journal.Subject) (map[journal.Subject]*journal.Fact, error) {
	l := &lookup{service: k.service, of: of}
	err := k.store.looking.answer(l)
	if err == nil {
		err = k.number(l.met)
	}
	met := make(map[journal.Subject]*journal.Fact, len(l.met))
	for i := range l.met {
		met[l.met[i].Subject] = l.met[i].Fact
	}
	return met, err
}

// pageOfKeys is how many facts are read at a time.
const pageOfKeys = 10_000

// pages reads the facts for which a condition holds, in the order of their kinds and names.
func (k *keys) pages(where string, args ...any) iter.Seq2[[]scanned, error] {
	return func(yield func([]scanned, error) bool) {
		kind, name := "", []byte{} // before all
		for more := true; more; {
			page, err := k.ask(where+" and (kind, name) > ($2::text::\"char\", $3) order by kind, name limit "+strconv.Itoa(pageOfKeys),
				append([]any{kind, name}, args...)...)
			if !yield(page, err) || err != nil {
				return
			}
			if more = len(page) == pageOfKeys; more {
				last := page[len(page)-1].Subject
				kind, name = kindLetters[last.Kind:last.Kind+1], last.Name[:]
			}
		}
	}
}

// All returns what is known of one kind, made by some runs where these are given.
func (k *keys) All(kind journal.Kind, by []int32) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		where, args := "kind = $4::text::\"char\"", []any{kindLetters[kind : kind+1]}
		if by != nil {
			where, args = where+" and own_turn >= 0 and own_run = any ($5)", append(args, k.numbers(by))
		}
		for page, err := range k.pages(where, args...) {
			if err != nil {
				yield(journal.Entry{}, k.unread(err))
				return
			}
			for i := range page {
				if !yield(page[i].Entry, nil) {
					return
				}
			}
		}
	}
}

// numbers returns those of runs in the database, by their numbers in the memory.
func (k *keys) numbers(by []int32) []int32 {
	k.numbering.Lock()
	defer k.numbering.Unlock()
	list := []int32{}
	for number, n := range k.runs {
		if slices.Contains(by, n) {
			list = append(list, number)
		}
	}
	return list
}

// Close has nothing to give up.
func (k *keys) Close() error { return nil }
