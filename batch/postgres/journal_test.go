package postgres

import (
	"errors"
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
