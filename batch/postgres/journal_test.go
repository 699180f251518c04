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
	c := newCommitter(&DB{}) // which is not open: to store panics
	j := &rowJournal{run: &run{id: "run-1", of: &Store{DB: c.db}}, changed: newRound()}
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
