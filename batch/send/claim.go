package send

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
)

// claims are the ids that the rows of a run have. An answer to a create is believed only where its
// id can be that of what was made: something else may have it already. Of two creates that were
// answered with one id neither is believed: both are in doubt.
type claims struct {
	mu     sync.Mutex
	of     map[string]*claim
	doubly map[string]bool // the ids that two creates were answered with: no answer any more
	rivals []*claim        // whose rows have to be looked into, since another one was answered with their id
}

// claim says how a row came to have an id.
type claim struct {
	lane *lane
	ref  *Ref // of the create that was answered with it; nil where the plan or a look-up says so
	// told means that the outcome of the create is in the journal, and rival that another row has
	// turned out to have its id, or to be answered with it.
	told, rival bool
}

func newClaims() *claims { return &claims{of: map[string]*claim{}, doubly: map[string]bool{}} }

// claim takes the id of an event that a look-up has led to, and reports whether no other row has it
// for certain. One that was only answered with it is in doubt from now on.
func (l *lane) claim(id string) bool {
	c := l.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	if has := c.of[id]; has != nil {
		if has.ref == nil {
			return false
		}
		if l.dispute(id, has) != nil {
			return false // nor can an outcome be recorded any more
		}
	}
	c.of[id] = &claim{}
	return true
}

// dispute has the row looked into whose create was answered with an id. That is on record before the
// row that the id may be of has its outcome: no process that goes on with the run believes both.
func (r *run) dispute(id string, has *claim) error {
	c := r.claims
	delete(c.of, id)
	if c.doubly[id], has.rival = true, true; has.told {
		return r.doubtClaim(has)
	} // else by whoever is about to record its outcome
	return nil
}

// doubtClaim takes back, or takes the place of, the outcome of a create that was answered with an id
// which another row has, or was answered with too.
func (r *run) doubtClaim(has *claim) error {
	record := journal.Record{
		Type: journal.Doubt, Op: has.ref.N, Code: journal.Misled, Error: "another row was answered with the same id",
	}
	if err := r.Journal.Append(record); err != nil {
		return r.broken(err)
	}
	r.open.Add(1)
	r.claims.rivals = append(r.claims.rivals, has)
	return nil
}

// claimNew takes the id of an event that the task has made, by a list: never of one that was there
// before, which is not adopted.
func (l *lane) claimNew(id string) bool { return l.known(id) != Another && l.claim(id) }

// believe takes the id that the create of a task was answered with, and the name where that is told
// too. The error says that it is no answer, since something else has the id, or may have it.
func (l *lane) believe(ctx context.Context, t *Task, id, name string) error {
	if r := t.Op.Of(); r.IDField() == nil || id == "" { // the id may be that of a person, on many events
		if id == "" || name == "" || strings.EqualFold(name, t.Op.Event.Name) {
			return nil
		}
		return misled("its answer is about another " + r.One + ", " + name)
	}
	known := l.known(id) != Stranger // others need not wait while that is looked up
	if !known {
		if err := l.verify(ctx, t, id); err != nil {
			return err
		}
	}
	c := l.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	has := c.of[id]
	if has == nil && !c.doubly[id] && !known {
		t.claim = &claim{lane: l, ref: t.ref}
		c.of[id] = t.claim
		return nil
	}
	if has != nil && has.ref != nil {
		if err := l.dispute(id, has); err != nil {
			return err
		}
	}
	one := t.Op.Of().One
	return misled(fmt.Sprintf("its answer gives the new %s the id of another %s, %s", one, one, id))
}

// verify reads the event whose id a create was answered with, where that may be one of another run. The error says that
// it is no answer.
func (l *lane) verify(ctx context.Context, t *Task, id string) error {
	if l.Unheard == nil || !t.Op.Of().Keyed() || !l.Unheard(l.Calendar) {
		return nil
	}
	event, err := l.Live.Event(ctx, id)
	switch {
	case err != nil:
		return misled("whether it is about the row's event could not be asked: " + err.Error())
	case !t.Op.Event.Like(event.Name(), event.Start()):
		return misled("its answer gives the row the id of another event, " + id)
	}
	return nil
}

// misled is the error of an answer that is that to another request.
func misled(why string) error {
	return &api.UnknownOutcomeError{Status: http.StatusOK, Err: errors.New(why)}
}

// known says how well a record was known before.
func (l *lane) known(id string) Acquaintance {
	if l.Known == nil {
		return Stranger
	}
	return l.Known(l.Calendar, id)
}

// doubtRivals looks into the rows whose creates were answered with an id that another row has, or was
// answered with too: they are in doubt, whatever their outcome was.
func (l *lane) doubtRivals(ctx context.Context) error {
	c := l.claims
	c.mu.Lock()
	rivals := c.rivals
	c.rivals = nil
	c.mu.Unlock()
	for _, rival := range rivals {
		of := rival.lane
		if of.Client == nil {
			l.open.Add(-1) // its outcome is the doubt
			continue
		}
		t, err := of.task(rival.ref)
		if err != nil {
			return err
		}
		t.EventID, t.Tried, t.again = "", time.Now(), true
		t.Doubt, t.lost = true, true
		c.doubt(rival.ref, true)
		end := of.queue.doubt(rival.ref.N)
		err = of.do(ctx, t)
		end()
		c.doubt(rival.ref, t.Doubt)
		if err != nil && (of == l || !errors.Is(err, errHalted)) { // the lane that has halted says why
			return err
		}
	}
	return nil
}

// doubt notes whether the row of a task is in doubt, which those ask that are not to be told from it: one
// that had its outcome is looked into beside them.
func (c *claims) doubt(ref *Ref, in bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ref.Doubt = in
}
