package postgres

import (
	"iter"
	"slices"
	"strconv"
	"strings"
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
	return m, m.Settle(k, unsettled, handed)
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
		said, err := s.attachments("run = $1", r.ID)
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

	mu       sync.Mutex
	runs     map[int32]int32 // the numbers of runs in the memory, by those in the database
	expected map[keyName]*journal.Fact
	asked    int                               // besides
	enough   int                               // of them for all to be read; 0 before it is known
	all      [2]map[journal.Name]*journal.Fact // by kind; nil until they are read
	err      error
}

// askedSingly is how many names are looked up before all that is remembered is read at once, where that is little; a
// name costs as much as so many that are read together.
const (
	askedSingly = 64
	atOnce      = 100
)

const keyColumns = "kind::text, name, run, turn, op, gone, event, event_turn, event_op, cancelled, life_turn, life_op, hash, undone, " +
	"hash_turn, hash_op, own_run, own_turn, own_op"

// scanned is a row of keys, with the numbers that its runs have in the database.
type scanned struct {
	keyRow

	last, own int32
}

func onlyKey(row pgx.CollectableRow) (scanned, error) { return scanKey(row) }

func scanKey(row pgx.CollectableRow, before ...any) (r scanned, err error) {
	f := journal.NewFact()
	var kind string
	var name []byte
	err = row.Scan(append(before,
		&kind, &name, &r.last, &f.Last.Turn, &f.Last.Op, &f.Gone, &f.ID, &f.IDBy.Turn, &f.IDBy.Op,
		&f.Cancelled, &f.LifeBy.Turn, &f.LifeBy.Op, &f.Values, &f.Undone, &f.ValuesBy.Turn, &f.ValuesBy.Op,
		&r.own, &f.OwnBy.Turn, &f.OwnBy.Op,
	)...)
	r.kind, r.fact = journal.Kind(strings.Index(kindLetters, kind)), f
	copy(r.name[:], name)
	return r, err
}

// ask reads facts, and gives their runs the numbers of the memory. It is locked.
func (k *keys) ask(where string, args ...any) ([]scanned, error) {
	sql := "select " + keyColumns + " from keys where service = $1 and " + where
	list, err := collect(k.store.DB, onlyKey, sql, append([]any{k.service}, args...)...)
	if err != nil {
		return nil, err
	}
	return list, k.number(list)
}

// number gives the runs of facts the numbers of the memory. It is locked.
func (k *keys) number(list []scanned) error {
	if err := k.learn(list); err != nil {
		return err
	}
	for i := range list {
		f := list[i].fact
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

// Find returns what is known of a name, nil where nothing is.
func (k *keys) Find(kind journal.Kind, n journal.Name) *journal.Fact {
	of := keyName{kind, n}
	if f, known := k.known(of); known {
		if f == nil {
			return nil
		}
		return new(*f)
	}
	return k.look([]keyName{of})[of]
}

// Expect looks names up.
func (k *keys) Expect(names [2][]journal.Name) {
	var list []keyName
	for kind := range names {
		for _, n := range names[kind] {
			list = append(list, keyName{journal.Kind(kind), n})
		}
	}
	met := k.look(list)
	for _, of := range list {
		if met != nil && met[of] == nil {
			met[of] = nil // nothing is known of it
		}
	}
	k.locked(func() { k.expected = met })
}

// known returns a fact, nil for none, where it need not be looked up.
func (k *keys) known(of keyName) (f *journal.Fact, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil || k.service == 0 {
		return nil, true
	}
	if f, known = k.expected[of]; known {
		return f, true
	}
	// Of all that is remembered a share needs little, and a process has many shares.
	if k.asked++; k.asked > askedSingly && k.store.lease == nil && k.all[of.kind] == nil {
		if k.enough == 0 {
			k.err = k.store.one("select count(*) / $2 from keys where service = $1", []any{k.service, atOnce}, &k.enough)
			k.enough = max(k.enough, 1)
		}
		if k.err == nil && k.asked > k.enough {
			k.load()
		}
	}
	if k.all[of.kind] == nil {
		return nil, k.err != nil
	}
	return k.all[of.kind][of.name], true
}

// look looks names up, and returns what is known of them.
func (k *keys) look(names []keyName) map[keyName]*journal.Fact {
	if len(names) == 0 || k.service == 0 {
		return nil
	}
	l := &lookup{service: k.service, names: names}
	err := k.store.looking.answer(l)
	list := l.met
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		err = k.number(list)
	}
	if err != nil {
		k.err = err
		return nil
	}
	met := make(map[keyName]*journal.Fact, len(list))
	for i := range list {
		met[list[i].keyName] = list[i].fact
	}
	return met
}

// load reads all that is remembered.
func (k *keys) load() {
	all := [2]map[journal.Name]*journal.Fact{{}, {}}
	for page, err := range k.pages(func(do func()) { do() }, "true") {
		if err != nil {
			k.err = err
			return
		}
		for i := range page {
			all[page[i].kind][page[i].name] = page[i].fact
		}
	}
	k.all = all
}

// pageOfKeys is how many facts are read at a time.
const pageOfKeys = 10_000

// pages reads the facts for which a condition holds, in the order of their kinds and names.
func (k *keys) pages(locked func(do func()), where string, args ...any) iter.Seq2[[]scanned, error] {
	return func(yield func([]scanned, error) bool) {
		kind, name := "", []byte{} // before all
		for more := true; more; {
			var page []scanned
			var err error
			locked(func() {
				page, err = k.ask(where+" and (kind, name) > ($2::text::\"char\", $3) order by kind, name limit "+strconv.Itoa(pageOfKeys),
					append([]any{kind, name}, args...)...)
			})
			if !yield(page, err) || err != nil {
				return
			}
			if more = len(page) == pageOfKeys; more {
				last := page[len(page)-1].keyName
				kind, name = kindLetters[last.kind:last.kind+1], last.name[:]
			}
		}
	}
}

// All returns what is known of one kind, made by some runs where these are given.
func (k *keys) All(kind journal.Kind, by []int32) iter.Seq2[journal.Name, *journal.Fact] {
	return func(yield func(journal.Name, *journal.Fact) bool) {
		where, args := "kind = $4::text::\"char\"", []any{kindLetters[kind : kind+1]}
		if by != nil {
			where, args = where+" and own_turn >= 0 and own_run = any ($5)", append(args, k.numbers(by))
		}
		for page, err := range k.pages(k.locked, where, args...) {
			if err != nil {
				k.locked(func() { k.err = err })
				return
			}
			for i := range page {
				if !yield(page[i].name, page[i].fact) {
					return
				}
			}
		}
	}
}

func (k *keys) locked(do func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	do()
}

// numbers returns those of runs in the database, by their numbers in the memory.
func (k *keys) numbers(by []int32) []int32 {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := []int32{}
	for number, n := range k.runs {
		if slices.Contains(by, n) {
			list = append(list, number)
		}
	}
	return list
}

// Err returns why something could not be read.
func (k *keys) Err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return k.store.unusable("reading the memory of keys", k.err)
	}
	return nil
}

// Close has nothing to give up.
func (k *keys) Close() error { return nil }
