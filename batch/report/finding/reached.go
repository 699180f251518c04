package finding

import (
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Reach is how many events, and how many of their guests, an effect concerns, or how many
// people who belong to no event.
type Reach struct {
	Events int `json:"events"`
	Guests int `json:"guests"`
	// Uncounted are those of the events whose guests were not counted.
	Uncounted int `json:"uncounted,omitempty"`
}

// Any reports whether the effect concerns anybody.
func (r *Reach) Any() bool { return r.Events+r.Guests > 0 }

// Add adds up two reaches, of different events.
func (r *Reach) Add(more Reach) {
	r.Events, r.Guests, r.Uncounted = r.Events+more.Events, r.Guests+more.Guests, r.Uncounted+more.Uncounted
}

// People names those whom an effect reaches: 4 guests of 2 events. The resource is what the rows
// are about that reach them, empty for events.
func (r *Reach) People(resource string) string {
	words := printable.Count(r.Guests, Person(resource))
	if r.Events > 0 {
		words += " of " + printable.Count(r.Events, "event")
	}
	if r.Uncounted > 0 {
		words += ", of " + printable.Number(r.Uncounted) + " of which they were not counted"
	}
	return words
}

// Several is what rows of several resources are about that reach people.
const Several = "people"

// Person returns the word for one of those whom rows of a resource reach.
func Person(resource string) string {
	if resource == Several {
		return "person"
	}
	r, ok := catalog.ResourceNamed(resource)
	if !ok {
		return catalog.Guests.One
	}
	if made := r.Operation(schema.Create, false); made != nil && made.Reaches {
		return catalog.Guests.One
	}
	if f, named := r.ByPath(r.Named); named && f.Kind != schema.Email {
		return Person(Several) // who has to do with it
	}
	return r.One
}

// Effects are what requests do to people and money.
type Effects struct {
	Mail   Reach `json:"mail"`
	Push   Reach `json:"push"`
	Cancel Reach `json:"cancel"`
	// Refund has the guests who are named. Of an event that is cancelled nobody has counted those
	// who had paid: it is one of the uncounted.
	Refund Reach `json:"refund"`
	Charge Reach `json:"charge"`
}

// Reached is what a run has done to people and money: by what it sent and the service took, never
// by what was planned.
type Reached struct {
	Effected
	// People are those whom Mail names, where some have got several: 0 where that is not so, or
	// where the mails were not sent to people by their names.
	People int `json:"people,omitempty"`
	// InDoubt is what requests may have done besides whose outcome is not known.
	InDoubt *Effected `json:"in_doubt,omitempty"`
	// Events are those whose people were reached, one by one, where that is wanted.
	Events []EventReached `json:"by_event,omitempty"`
}

// Effected is what requests do to people and money. Those whom a cancellation mails are among Mail.
type Effected struct {
	Effects

	// Asked is Mail without the cancellations, and Ended the subscriptions that were ended.
	Asked Reach `json:"-"`
	Ended Reach `json:"-"`
	// Of is what the rows are about that have reached people; empty for events.
	Of string `json:"-"`
}

// Any reports whether somebody was reached.
func (e *Effected) Any() bool {
	for _, r := range []*Reach{&e.Mail, &e.Push, &e.Refund, &e.Charge, &e.Ended} {
		if r.Guests+r.Uncounted > 0 {
			return true
		}
	}
	return e.Cancel.Any()
}

// Add adds what other requests have done to the people of other events.
func (e *Effected) Add(more *Effected) {
	if !e.Any() {
		e.Of = more.Of
	} else if more.Any() && e.Of != more.Of {
		e.Of = Several
	}
	for _, each := range []struct{ sum, more *Reach }{
		{&e.Mail, &more.Mail},
		{&e.Push, &more.Push},
		{&e.Cancel, &more.Cancel},
		{&e.Refund, &more.Refund},
		{&e.Charge, &more.Charge},
		{&e.Asked, &more.Asked},
		{&e.Ended, &more.Ended},
	} {
		each.sum.Add(*each.more)
	}
}

// Add adds what another run has done. Who got mails of both is not known.
func (r *Reached) Add(more *Reached) {
	if more == nil {
		return
	}
	r.Effected.Add(&more.Effected)
	if r.People = 0; more.InDoubt != nil {
		if r.InDoubt == nil {
			r.InDoubt = &Effected{}
		}
		r.InDoubt.Add(more.InDoubt)
	}
}

// Any reports whether somebody was reached, or may have been.
func (r *Reached) Any() bool { return r.Effected.Any() || r.InDoubt != nil }

// Lines returns what was done in words, the gravest first; none where nobody was reached.
func (r *Reached) Lines() []string {
	if r == nil {
		return nil
	}
	lines := r.lines(r.People)
	if r.InDoubt != nil {
		for _, line := range r.InDoubt.lines(0) {
			lines = append(lines, "it is in doubt whether "+line)
		}
	}
	return lines
}

// Words returns what was done in one line.
func (r *Reached) Words() string { return strings.Join(r.Lines(), "; ") }

// lines returns what was done in words. Mails may have gone to fewer people than there are mails.
func (e *Effected) lines(people int) (list []string) {
	if n := e.Cancel.Events; n > 0 {
		of := catalog.Guests.Name
		if e.Of == Several {
			of = Several
		}
		heard := printable.Count(e.Mail.Guests-e.Asked.Guests, Person(of))
		list = append(list, printable.Count(n, "event")+were(n)+"cancelled: "+heard+" told")
	}
	if n := e.Ended.Guests; n > 0 {
		list = append(list, printable.Count(n, "subscription")+were(n)+"ended")
	}
	if n := e.Refund.Guests; n > 0 {
		named := Reach{Events: e.Refund.Events - e.Refund.Uncounted, Guests: n}
		list = append(list, named.People(e.Of)+were(n)+"refunded")
	}
	if n := e.Refund.Uncounted; n > 0 {
		list = append(list, "the paid orders of "+printable.Count(n, "event")+" were refunded")
	}
	if n := e.Charge.Guests; n > 0 {
		list = append(list, printable.Count(n, Person(e.Of))+were(n)+"charged")
	}
	switch n := e.Asked.Guests; {
	case people > 0 && people < n:
		words := printable.Count(n, "e-mail") + " went to " + printable.Count(people, "person")
		if e.Asked.Events > 0 {
			words += " of " + printable.Count(e.Asked.Events, "event")
		}
		list = append(list, words)
	case n+e.Asked.Uncounted > 0:
		list = append(list, e.Asked.People(e.Of)+were(n)+"e-mailed")
	}
	if n := e.Push.Events; n > 0 && e.Push.Uncounted == n {
		list = append(list, "a new time or place may have been pushed to the guests of "+
			printable.Count(n, "event")+", who were not counted")
	} else if e.Push.Guests > 0 {
		list = append(list, "a new time or place was pushed to "+e.Push.People(""))
	}
	return list
}

// Brief returns what was done to the people of one event, without saying so of whom.
func (e *Effected) Brief() string {
	var words []string
	if e.Cancel.Events > 0 {
		words = append(words, "cancelled")
	}
	if e.Ended.Guests > 0 {
		words = append(words, printable.Number(e.Ended.Guests)+" ended")
	}
	for _, each := range []struct {
		r    *Reach
		does string
	}{{&e.Mail, "e-mailed"}, {&e.Push, "pushed"}, {&e.Refund, "refunded"}, {&e.Charge, "charged"}} {
		switch {
		case each.r.Guests > 0:
			words = append(words, printable.Number(each.r.Guests)+" "+each.does)
		case each.r.Uncounted > 0 && each.r == &e.Refund:
			words = append(words, "paid orders refunded")
		case each.r.Uncounted > 0:
			words = append(words, "guests "+each.does+", who were not counted")
		}
	}
	return strings.Join(words, ", ")
}

func were(n int) string { return printable.Pick(n, " was ", " were ") }

// EventReached is what a run has done to the people of one event, or to people of none.
type EventReached struct {
	EventID string   `json:"event_id"`
	Name    string   `json:"name"`          // of the event, where it is known
	Told    string   `json:"told"`          // what was done, without the event
	Who     []string `json:"who,omitempty"` // those whom rows name
}

// Called returns what a person knows the event by.
func (e *EventReached) Called() string {
	switch {
	case e.Name != "":
		return e.Name
	case e.EventID != "":
		return e.EventID
	}
	return "of no event"
}
