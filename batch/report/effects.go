package report

import "eventbatch/mapping/schema"

// Reach is how many events, and how many of their guests, an effect concerns, or how many
// people who belong to no event.
type Reach struct {
	Events int `json:"events"`
	Guests int `json:"guests"`
	// Uncounted are those of the events whose guests were not counted.
	Uncounted int `json:"uncounted,omitempty"`
}

// reaches reports whether the effect concerns anybody.
func (r *Reach) reaches() bool { return r.Events+r.Guests > 0 }

// Effects are what a run still does to people and money. Those whom a cancellation mails
// are among Mail.
type Effects struct {
	Mail   Reach `json:"mail"`
	Push   Reach `json:"push"`
	Cancel Reach `json:"cancel"`
	Refund Reach `json:"refund"`
	Charge Reach `json:"charge"`

	Asked Reach `json:"-"` // of Mail, without the cancellations
	Told  int   `json:"-"` // people who are mailed or get a push notification
}

// Of returns the reach of an effect.
func (e *Effects) Of(effect schema.Effect) *Reach {
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
			return "ends the subscriptions of " + Count(e.Cancel.Guests, one(resource))
		}
		return "cancels " + Count(e.Cancel.Events, "event") + " (" + e.told(resource) + ")"
	case schema.Refunds:
		if resource != "" {
			return "refunds " + Count(e.Refund.Guests, one(resource))
		}
		return "refunds the paid orders of " + Count(e.Refund.Events, "event")
	case schema.Charges:
		return "charges " + Count(e.Charge.Guests, one(resource))
	}
	return "e-mails " + people(e.Asked, resource)
}

// told counts those who hear of the events that are cancelled. Where rows of several resources
// cancel, these are not guests alone.
func (e *Effects) told(resource string) string {
	if resource != People {
		resource = schema.Guests.Name
	}
	return Count(e.Cancel.Guests, one(resource)) + " told"
}

// People are those whom rows of several resources reach.
const People = "people"

// one returns the word for one of those whom an effect reaches.
func one(resource string) string {
	if resource == People {
		return "person"
	}
	r, ok := schema.ResourceNamed(resource)
	if !ok {
		return schema.Guests.One
	}
	if made := r.Operation(schema.Create, false); made != nil && made.Reaches {
		return schema.Guests.One
	}
	if f, named := r.ByPath(r.Named); named && f.Kind != schema.Email {
		return one(People) // who has to do with it
	}
	return r.One
}

// people names those whom an effect reaches.
func people(r Reach, resource string) string {
	words := Count(r.Guests, one(resource))
	if r.Events > 0 {
		words += " of " + Count(r.Events, "event")
	}
	if r.Uncounted > 0 {
		words += ", of " + Number(r.Uncounted) + " of which they were not counted"
	}
	return words
}

// effects prints what a plan does to people and money.
func (s *Screen) effects(e *Effects, resource string) {
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
