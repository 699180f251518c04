package postgres

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"eventbatch/batch/journal"
)

// Whoever closes a journal while it is being stored finds either that it is, or what became of it.
func TestWhatIsBeingStoredIsForgottenLast(t *testing.T) {
	c := newCommitter(&client{}) // which is not open: to store panics
	j := &rowJournal{run: &run{id: "run-1", of: &Store{DB: &DB{client: c.client}}}, changed: newRound()}
	p := &part{journal: j, round: newRound()}
	c.under[j] = p.round
	c.mu.Lock() // as whoever closes the journal has it at this moment
	stored := make(chan struct{})
	go func() {
		defer close(stored)
		c.store([]*part{p})
	}()
	select {
	case <-p.round.done:
	case <-time.After(10 * time.Second):
		t.Error("it is forgotten before its error is told")
	}
	c.mu.Unlock()
	<-stored
	if _, poisoned := errors.AsType[*journal.PoisonedError](j.Err()); !poisoned || c.leave(j) != nil {
		t.Errorf("%v", j.Err())
	}
}

// Somebody has read that a run came to its end, and notes that when another process has taken it up since.
func TestARunThatWasTakenUpSinceHasNotComeToItsEnd(t *testing.T) {
	_, a, b, id := twoOf(t)
	record := func(s *Store, turn int, records ...journal.Record) {
		t.Helper()
		r, err := s.Find(id)
		must(t, err)
		j, _, err := r.Attach(journal.Attachment{Target: target, Turn: turn})
		must(t, err)
		for _, one := range append(records, journal.Record{Type: journal.End, Code: "done"}) {
			must(t, j.Commit(t.Context(), one))
		}
		must(t, j.Close())
	}
	var records []journal.Record
	for n := range 5 {
		records = append(records, intent(n), journal.Record{Type: journal.OK, Op: n, EventID: fmt.Sprint("evt-", n)})
	}
	record(a, 1, records...)
	r, err := a.Find(id)
	must(t, err)
	state, err := r.Read(true)
	must(t, err)
	record(b, 2, journal.Record{Type: journal.Doubt, Op: 3, Code: journal.Misled})
	r.Stored.(*run).settle(state)
	m, err := a.Memory(target.BaseURL)
	must(t, err)
	if known, ok := m.Recall("cal-1", "key-3"); !ok || !known.Owed {
		t.Errorf("an op in doubt is known as %+v", known)
	}
	must(t, errors.Join(m.Err(), m.Close()))
	list, err := b.Runs()
	must(t, err)
	if got := list[0].Tally; got[journal.InDoubt] != 1 || got[journal.Done] != 4 {
		t.Errorf("the list says %v", got)
	}
}

// Rows that were dropped after a run was found are not damaged.
func TestRowsAreDroppedWhileARunIsOpen(t *testing.T) {
	p, a, b, id := twoOf(t)
	r, err := a.Find(id)
	must(t, err)
	reader, err := r.Reader()
	must(t, err)
	p.exec("with gone as (update ops set row = null where run = $1) update runs set dropped = now() where id = $1", id)
	_, one := reader.Op(2)
	for _, err := range r.Ops() {
		if !errors.Is(err, journal.ErrDropped) || !errors.Is(one, journal.ErrDropped) {
			t.Errorf("%v, and of one op: %v", err, one)
		}
		break
	}
	p.exec("update runs set dropped = null where id = $1", id)
	r, err = b.Find(id)
	must(t, err)
	for _, err := range r.Ops() {
		if _, damaged := errors.AsType[*journal.DamagedError](err); !damaged {
			t.Errorf("what nobody has dropped is missing: %v", err)
		}
		break
	}
}

// What nobody asks for makes room for what is asked for.
func TestAReaderForgetsWhatNobodyAsksFor(t *testing.T) {
	_, a, _, id := twoOf(t)
	r, err := a.Find(id)
	must(t, err)
	ops, err := r.Reader()
	must(t, err)
	d := ops.(*reader)
	for n := range aheadAtMost {
		d.ahead[10+n] = journal.Text{}
	}
	for n := range 5 {
		if _, err := d.Op(n); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.ahead) > 0 {
		t.Errorf("%d ops are read ahead", len(d.ahead))
	}
}
