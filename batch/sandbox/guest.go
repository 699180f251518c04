package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// stays are the operations that the state of a record can forbid, with the reason.
var stays = map[string]func(*data, *item, time.Time) string{
	"events/ticket-types/delete": ticketStays,
	"events/blasts/update":       blastStays,
	"events/blasts/delete":       blastStays,
}

// getGuest reads one guest of an event, by id, ticket or e-mail.
func getGuest(c *call) answer {
	names := []string{eventID, oldEventIDs[0]}
	q := queryOf(c.r, append(names, "id")...)
	in, key := place{catalog.Guests, q.required(names...)}, q.required("id")
	if refusal := q.refused(); refusal != nil {
		return *refusal
	}
	if _, refusal := c.reach(in.of); refusal != nil {
		return *refusal
	}
	says := *c.missing()
	c.store.read(func(d *data) {
		if it := d.find(in, key); it != nil && !c.config.Now().Before(it.seen) {
			v := c.view(d, it)
			v["event_ticket_orders"] = []any{}
			says = done(c.nested("guest", it.id, v))
		}
	})
	return says
}

// updateTickets grants tickets to a guest, or takes some away.
func updateTickets(c *call) answer {
	b := c.fields()
	if b.refusal == nil && b.values["tickets_to_add"] == nil && b.values["ticket_ids_to_remove"] == nil {
		b.refuse("tickets_to_add", "Required, or ticket_ids_to_remove.")
	}
	var add []ticket
	if list := b.values["tickets_to_add"]; list != nil && json.Unmarshal(list, &add) != nil {
		b.refuse("tickets_to_add", "Invalid input: expected an array of objects.")
	}
	event := b.values.text(eventID)
	return c.write(b, event, func(d *data, _ *item) (*record, any, *answer) {
		it := d.find(place{catalog.Guests, event}, b.values.text("guest_id"))
		if it == nil || c.config.Now().Before(it.seen) {
			return nil, nil, c.missing()
		}
		removed := b.values.texts("ticket_ids_to_remove")
		tickets := slices.DeleteFunc(ticketsOf(it), func(t ticket) bool { return slices.Contains(removed, t.ID) })
		r := c.record("change", it.id)
		r.Event, r.Issued = event, d.issued
		r.Fields, r.To = fields{"event_tickets": encoded(append(tickets, ticketsFor(d, r, add)...))}, []string{it.text("email")}
		r.Refund, r.Cause = b.values.says("should_refund", "true"), c.mails(b, "tickets")
		return r, nothing, nil
	})
}

// ticketsFor returns new tickets of these types.
func ticketsFor(d *data, r *record, types []ticket) []ticket {
	for i := range types {
		t := &types[i]
		t.ID, t.Name = d.issue(r, "tkt-", "ticket", 12), t.Type
		if of := d.get(catalog.TicketTypes, t.Type); of != nil {
			t.Name = of.text("name")
		}
	}
	return types
}

// completeGuest gives a new guest the tickets that were asked for. Who is invited has not come yet.
func completeGuest(c *call, d *data, _ *body, r *record, row fields) *answer {
	if c.Does == schema.Invite {
		row["status"], row["invited_at"] = quote("invited"), quote(stamp(time.UnixMilli(r.At)))
	}
	var types []ticket
	if json.Unmarshal(row["ticket_types"], &types) == nil && len(types) > 0 {
		row["event_tickets"] = encoded(ticketsFor(d, r, types))
	}
	delete(row, "ticket_types")
	return nil
}

// ticketStays returns why a ticket type cannot be deleted, empty where it can.
func ticketStays(d *data, it *item, _ time.Time) string {
	for _, guest := range d.guests(it.in.of) {
		if guest.text("status") == "declined" {
			continue // whose tickets are given back
		}
		for _, value := range guest.fields {
			if bytes.Contains(value, quote(it.id)) {
				return "This ticket type has been sold and cannot be deleted."
			}
		}
	}
	for _, other := range d.lists[it.in] {
		if other != it && !other.says("is_hidden", "true") {
			return ""
		}
	}
	return "The last visible ticket type of an event cannot be deleted."
}

// checkGuest checks the answers of a row of a request that adds guests to an event.
func checkGuest(c *call, e *item, row int, answers json.RawMessage) *answer {
	if c.Resource != catalog.Guests || answers == nil {
		return nil
	}
	path := c.Into + "." + strconv.Itoa(row) + ".registration_answers"
	return checkAnswers(path, e.fields["registration_questions"], answers)
}

// checkAnswers returns what is wrong with answers to the questions of an event or a tier, nil where
// nothing is (service: RegistrationQuestion). A question that has to be answered by who registers
// need not be by who is added.
func checkAnswers(path string, questions, answers json.RawMessage) *answer {
	var asked []struct {
		ID      string
		Type    string `json:"question_type"`
		Options []string
	}
	_ = json.Unmarshal(questions, &asked) // without any, there are none
	for i, item := range arrayOf(answers) {
		at := path + "." + strconv.Itoa(i)
		var given map[string]any
		if json.Unmarshal(item, &given) != nil {
			return invalid(trouble{at, "Invalid input: expected object, received " + kindOf(item) + "."})
		}
		question := -1
		for n := range asked {
			if given["question_id"] == asked[n].ID {
				question = n
			}
		}
		texts := []any{given["answer"]}
		if question >= 0 && asked[question].Type == "multi-select" {
			texts, _ = given["answer"].([]any)
		}
		switch {
		case question < 0:
			return invalid(trouble{at + ".question_id", "Question not found."})
		case len(given) != 2 || len(texts) == 0:
			return invalid(trouble{at + ".answer", "Required, and nothing else."})
		}
		for _, text := range texts {
			switch words, is := text.(string); {
			case !is || words == "":
				return invalid(trouble{at + ".answer", "Invalid input: expected string."})
			case len(asked[question].Options) > 0 && !slices.Contains(asked[question].Options, words):
				return invalid(trouble{at + ".answer", "Invalid option."})
			}
		}
	}
	return nil
}

// addressBlast has a new blast mailed to its guests: when it is made or, where it is scheduled,
// when that time has come. One that is scheduled for the past is refused, and one too many.
func addressBlast(c *call, d *data, _ *body, r *record, row fields) *answer {
	now := c.config.Now()
	at, scheduled := parseTimestamp(row.text("scheduled_for"))
	if scheduled && at.Before(now) {
		return invalid(trouble{"scheduled_for", "Has to be in the future."})
	}
	calendar, recent := d.items[r.Event].in.of, 0
	for in, list := range d.lists {
		if e := d.get(catalog.Events, in.of); in.resource == catalog.Blasts && e != nil && e.in.of == calendar {
			for _, it := range list {
				if now.Sub(it.added) < c.Pace.Per {
					recent++
				}
			}
		}
	}
	if recent >= c.Pace.Most {
		return refuse(http.StatusBadRequest, "At most 10 blasts can be made in 5 minutes.")
	}
	if r.To = d.addressed(r.Event, row); row["scheduled_for"] != nil {
		r.To, r.Cause = nil, "" // until then
	}
	return nil
}

// blastStays returns why a blast cannot be changed any more, empty where it can.
func blastStays(_ *data, it *item, now time.Time) string {
	if now.Before(it.due()) {
		return ""
	}
	return "This blast has been sent and cannot be changed."
}
