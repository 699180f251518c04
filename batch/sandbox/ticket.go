package sandbox

import (
	"bytes"
	"encoding/json"
	"time"

	"eventbatch/mapping/schema"
)

// ticketTypes returns the ticket types that an event is made with: those that the request
// has, else the one free ticket.
func ticketTypes(r *record) []map[string]json.RawMessage {
	var list []map[string]json.RawMessage
	if sent := r.Fields[schema.FieldTicketTypes.Path()]; sent == nil || json.Unmarshal(sent, &list) != nil {
		return defaultTickets
	}
	for _, fields := range list {
		assume(fields)
	}
	return list
}

// defaultTickets are shared by the events that have them. Fields of items never change.
var defaultTickets = []map[string]json.RawMessage{assume(map[string]json.RawMessage{"name": quote("Standard"), "type": quote("free")})}

// assume fills in what the table says is assumed for the fields of a ticket type.
func assume(fields map[string]json.RawMessage) map[string]json.RawMessage {
	for i := range schema.TicketTypes.Own {
		f := &schema.TicketTypes.Own[i]
		if value := assumed(f); value != nil && fields[f.Path] == nil {
			fields[f.Path] = value
		}
	}
	return fields
}

// ticketStays returns why a ticket type cannot be deleted, empty where it can.
func (d *data) ticketStays(it *item, _ time.Time) string {
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
		if other != it && string(other.fields["is_hidden"]) != "true" {
			return ""
		}
	}
	return "The last visible ticket type of an event cannot be deleted."
}
