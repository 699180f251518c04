package batch

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// reached gathers what the ops of a run have done to people and money: those that were sent with
// success, and apart from them those whose outcome is not known. Whom an op reaches was counted when
// it was planned; an event that is cancelled was counted again when its turn came.
type reached struct {
	sure, doubt effected
	people      map[uint64]struct{} // whom mails name
	unnamed     bool                // others were mailed too
	// events are listed where that is wanted, in the order in which they were met, with whom rows name.
	list   bool
	events map[string]*eventReached
	order  []*eventReached
}

// effected are effects whose events are counted once.
type effected struct {
	finding.Effected

	met map[eventEffect]bool
}

// eventReached is what was done to the people of one event.
type eventReached struct {
	finding.EventReached

	sure, doubt finding.Effected
}

var personSeed = maphash.MakeSeed()

// add adds what an op has done, given what became of it, and returns it in a few words; empty where it
// has reached nobody. The op has its place.
func (r *reached) add(op *plan.Op, s *journal.OpState) string {
	if len(op.Effects.Of) == 0 || s.Attempts == 0 {
		return ""
	}
	all, doubt := &r.sure, false
	switch s.Status {
	case journal.Done:
	case journal.Skipped:
		// What was given up with a request under way that nobody will ask about.
		if s.Why == nil || !slices.Contains(givenUp, s.Why.Code) {
			return ""
		}
		all, doubt = &r.doubt, true
	case journal.InDoubt, journal.Sent:
		all, doubt = &r.doubt, true
	default:
		return ""
	}
	id := op.Concerns(s.EventID)
	all.add(op, id)
	if !doubt {
		r.name(op)
	}
	var alone effected
	alone.add(op, id)
	if r.list {
		r.event(op, id).add(&alone.Effected, doubt)
	}
	return perhaps(alone.Brief(), doubt)
}

// perhaps returns words for what is certain, or in doubt.
func perhaps(words string, doubt bool) string {
	if doubt && words != "" {
		return "perhaps " + words
	}
	return words
}

// add adds what an op has done.
func (e *eventReached) add(does *finding.Effected, doubt bool) {
	if doubt {
		e.doubt.Add(does)
	} else {
		e.sure.Add(does)
	}
}

// givenUp are the codes under which rows are skipped that may have been sent.
var givenUp = []string{journal.Undone, journal.Replanned}

// add adds the effects of an op on the people of an event.
func (e *effected) add(op *plan.Op, event string) {
	if e.met == nil {
		e.met, e.Of = map[eventEffect]bool{}, op.Resource
	} else if e.Of != op.Resource {
		e.Of = finding.Several
	}
	does := &op.Effects
	reach := func(r *finding.Reach, effect schema.Effect, counted bool) {
		if of := (eventEffect{effect: effect, event: event}); event != "" && !e.met[of] {
			e.met[of] = true
			r.Events++
			if !counted {
				r.Uncounted++
			}
		}
		if counted {
			r.Guests += does.People
		}
	}
	for _, effect := range does.Of {
		switch effect {
		case schema.Mails:
			reach(&e.Mail, effect, does.Counted)
			if !does.Has(schema.Cancels) {
				reach(&e.Asked, "", does.Counted)
			}
		case schema.Pushes:
			reach(&e.Push, effect, does.Counted)
		case schema.Cancels:
			if op.Of().Keyed() {
				reach(&e.Cancel, effect, does.Counted)
			} else {
				e.Ended.Guests++
			}
		case schema.Refunds:
			reach(&e.Refund, effect, !op.Of().Keyed())
		case schema.Charges:
			reach(&e.Charge, effect, does.Counted)
		}
	}
}

// name notes whom a mail names.
func (r *reached) name(op *plan.Op) {
	if !op.Effects.Has(schema.Mails) || op.Effects.Has(schema.Cancels) {
		return
	}
	if !named(op) {
		r.unnamed = true
		return
	}
	if r.people == nil {
		r.people = map[uint64]struct{}{}
	}
	r.people[maphash.String(personSeed, strings.ToLower(op.Event.Name))] = struct{}{}
}

// named reports whether the row of an op names the one whom it reaches.
func named(op *plan.Op) bool {
	f, ok := op.Of().ByPath(op.Of().Named)
	return ok && f.Kind == schema.Email && op.Event.Name != ""
}

// event returns the event of an op among those whose people were reached.
func (r *reached) event(op *plan.Op, id string) *eventReached {
	e := r.events[id]
	if e == nil {
		if r.events == nil {
			r.events = map[string]*eventReached{}
		}
		e = &eventReached{EventReached: finding.EventReached{EventID: id}}
		r.events[id], r.order = e, append(r.order, e)
	}
	if op.Of().Keyed() {
		e.Name = cmp.Or(op.Event.Name, e.Name)
	} else if column := columnOf(op, op.Of().Parent); e.Name == "" && id != "" && column >= 0 && column < len(op.Cells) {
		e.Name = op.Cells[column] // what the row calls it, unless a row of its own tells more
	}
	if who := op.Event.Name; named(op) && !slices.Contains(e.Who, who) {
		e.Who = append(e.Who, who)
	}
	return e
}

// ended returns what was done, nil where nobody was reached.
func (r *reached) ended() *finding.Reached {
	done := &finding.Reached{Effected: r.sure.Effected}
	if !r.unnamed && len(r.people) < done.Asked.Guests {
		done.People = len(r.people)
	}
	if r.doubt.Any() {
		done.InDoubt = &r.doubt.Effected
	}
	if !done.Any() {
		return nil
	}
	for _, e := range r.order {
		words := []string{e.sure.Brief(), perhaps(e.doubt.Brief(), true)}
		e.Told = strings.Join(slices.DeleteFunc(words, func(part string) bool { return part == "" }), "; ")
		done.Events = append(done.Events, e.EventReached)
	}
	return done
}
