package report

import (
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Effects are what a run still does to people and money. Those whom a cancellation mails
// are among Mail.
type Effects struct {
	finding.Effects

	Asked finding.Reach `json:"-"` // of Mail, without the cancellations
	Told  int           `json:"-"` // people who are mailed or get a push notification
}

// Of returns the reach of an effect.
func (e *Effects) Of(effect schema.Effect) *finding.Reach {
	switch effect {
	case schema.Pushes:
		return &e.Push
	case schema.Cancels:
		return &e.Cancel
	case schema.Refunds:
		return &e.Refund
	case schema.Charges:
		return &e.Charge
	}
	return &e.Mail
}

// Words returns what a run does, such as "cancels 3 events (196 guests told)". The resource
// is what its rows are about, empty for events.
func (e *Effects) Words(effect schema.Effect, resource string) string {
	switch effect {
	case schema.Cancels:
		if resource != "" && e.Cancel.Events == 0 {
			return "ends the subscriptions of " + Count(e.Cancel.Guests, finding.Person(resource))
		}
		return "cancels " + Count(e.Cancel.Events, "event") + " (" + e.told(resource) + ")"
	case schema.Refunds:
		if resource != "" {
			return "refunds " + Count(e.Refund.Guests, finding.Person(resource))
		}
		return "refunds the paid orders of " + Count(e.Refund.Events, "event")
	case schema.Charges:
		return "charges " + Count(e.Charge.Guests, finding.Person(resource))
	}
	return "e-mails " + e.Asked.People(resource)
}

// told counts those who hear of the events that are cancelled. Where rows of several resources
// cancel, these are not guests alone.
func (e *Effects) told(resource string) string {
	if resource != finding.Several {
		resource = catalog.Guests.Name
	}
	return Count(e.Cancel.Guests, finding.Person(resource)) + " told"
}

// effects prints what a plan does to people and money.
func (s planScreen) effects(e *Effects, resource string) {
	for _, line := range e.lines(resource) {
		words := line.words
		switch {
		case line.final:
			words = s.red(words)
		case !line.plain:
			words = s.yellow(words)
		}
		s.Printf("  %s\n", words)
	}
}
