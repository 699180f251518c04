package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Effects are what carrying an op out does to people and money, so far as the plan knows.
// What can be done quietly is planned so: a mail is an effect only where the row asks for
// it, or nothing can silence it.
type Effects struct {
	Of []schema.Effect `json:"of,omitempty"`
	// People is how many people the op reaches. It is certain where the service was
	// asked: Counted.
	People  int  `json:"people,omitempty"`
	Counted bool `json:"counted,omitempty"`
	// Paid means that guests of an event to cancel had paid when they were counted.
	Paid bool `json:"paid,omitempty"`
}

// IsZero reports whether nothing is done to anybody, as far as is known: such effects stand in no line of a plan.
func (e Effects) IsZero() bool { return len(e.Of) == 0 && e.People == 0 && !e.Counted && !e.Paid }

// Has reports whether the effect is one of the op's.
func (e *Effects) Has(effect schema.Effect) bool { return slices.Contains(e.Of, effect) }

// Leave returns the effects that somebody has to give leave to. Leave to cancel covers the
// mails that a cancellation causes, and nothing can silence a push.
func (e *Effects) Leave() []schema.Effect {
	return slices.DeleteFunc(slices.Clone(e.Of), func(effect schema.Effect) bool {
		return effect == schema.Pushes || effect == schema.Mails && e.Has(schema.Cancels)
	})
}

// RowEffects returns the effects of the row of a first op: whoever gives leave to one of its ops gives it
// to all.
func (op *Op) RowEffects() Effects {
	e := op.Effects
	for _, part := range op.Parts {
		for _, effect := range part.Effects.Of {
			if !e.Has(effect) {
				e.Of = append(slices.Clip(e.Of), effect)
			}
		}
		if !e.Counted {
			e.People, e.Counted = part.Effects.People, part.Effects.Counted
		}
	}
	return e
}

// Keep leaves out the effects that are not kept.
func (e *Effects) Keep(keep func(schema.Effect) bool) {
	e.Of = slices.DeleteFunc(slices.Clone(e.Of), func(effect schema.Effect) bool { return !keep(effect) })
}

const refundMember = "should_refund"

// Count notes how many guests the op's event has, and whether a cancellation finds that
// some have paid: these get their money back, unless the row says otherwise.
func (op *Op) Count(guests int, paid bool) {
	e := &op.Effects
	e.People, e.Counted, e.Paid = guests, true, paid
	if op.Action != Cancel {
		return
	}
	e.Keep(func(effect schema.Effect) bool { return effect != schema.Refunds })
	if refund, said := op.refund(); paid && (refund || !said) {
		e.Of = append(e.Of, schema.Refunds)
	}
}

// Refund returns what a cancellation of an event whose guests have paid says of their money.
func (op *Op) Refund() bool { return op.Effects.Has(schema.Refunds) }

// refund returns what the row says of refunds.
func (op *Op) refund() (refund, said bool) {
	var body struct {
		Refund *bool `json:"should_refund"`
	}
	if len(op.Body) > 0 && json.Unmarshal(op.Body, &body) == nil && body.Refund != nil {
		return *body.Refund, true
	}
	return false, false
}

// says reports whether a request says something of a field, or a value of it: status=approved.
func says(body map[string]json.RawMessage, word string) bool {
	field, value, valued := strings.Cut(word, "=")
	return body[field] != nil && (!valued || strings.Trim(string(body[field]), `"`) == value)
}

// effects returns what the request of the op does to people and money, by the catalog and
// by what the row says. Of a cancellation nobody has asked yet whether there is something
// to refund.
func (op *Op) effects() []schema.Effect {
	operation := catalog.OperationNamed(op.Operation)
	if operation == nil || len(operation.Effects) == 0 {
		return nil
	}
	var body map[string]json.RawMessage
	if len(op.Body) > 0 && json.Unmarshal(op.Body, &body) != nil {
		return operation.Effects // of what cannot be read, the worst
	}
	var list []schema.Effect
	for _, effect := range operation.Effects {
		r, when := operation.Resource, operation.When[effect]
		switch {
		case effect == schema.Mails && operation.Does != schema.Cancel && r.Quiet != "" && string(body[r.Quiet]) == r.Silence:
		case effect == schema.Refunds && string(body[refundMember]) != "true":
		case when != nil && !slices.ContainsFunc(when, func(field string) bool { return says(body, field) }):
		default:
			list = append(list, effect)
		}
	}
	return list
}

// Estimate fills in what sending the op takes and what it does, from its payload.
func (op *Op) Estimate() {
	op.Requests, op.Effects = op.requests(), Effects{Of: op.effects()}
	if o := catalog.OperationNamed(op.Operation); len(op.Effects.Of) > 0 && !o.Reaches {
		op.Effects.People, op.Effects.Counted = 1, true
	}
}

// Noticed reports whether sending the update twice would be noticed: by guests, or
// by a second meeting.
func (op *Op) Noticed() bool {
	n, ok := op.notice()
	return !ok || n.CreateMeeting != nil || n.mails()
}

func (op *Op) notice() (n Notice, ok bool) {
	err := json.Unmarshal(op.Body, &n)
	return n, err == nil
}

// Notice has the fields of an update that guests may be mailed about, or that make a meeting.
type Notice struct {
	Name          *string         `json:"name"`
	StartAt       *string         `json:"start_at"`
	EndAt         *string         `json:"end_at"`
	Place         json.RawMessage `json:"geo_address_json"`
	CreateMeeting *string         `json:"create_meeting"`
	SuppressEmail *bool           `json:"suppress_email"`
}

func (n *Notice) mails() bool {
	quiet := n.SuppressEmail != nil && *n.SuppressEmail
	return !quiet && (n.Name != nil || n.StartAt != nil || n.EndAt != nil || n.Place != nil)
}

// requests returns how many requests the op takes if all goes well.
func (op *Op) requests() (n int) {
	if !op.Action.Sends() || op.Rides() {
		return 0
	}
	for o := catalog.OperationNamed(op.Operation); o != nil; o = catalog.OperationNamed(o.First) {
		n++
	}
	if op.Action != Create && op.Event.ID == "" && op.Of().Keyed() {
		n++ // the slug is looked up
	}
	if op.Cover != nil {
		n++ // an address to upload to
	}
	return n
}
