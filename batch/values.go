package batch

import (
	"bytes"
	"encoding/json"
	"maps"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// fields returns what a request says of its row's fields, by their paths, and of a list that
// it does not say whole what that becomes.
func fields(operation string, payload *plan.Payload) map[string]json.RawMessage {
	op, said := catalog.OperationNamed(operation), map[string]json.RawMessage{}
	all := members(payload.Body)
	if op == nil || op.Resource.Keyed() {
		return all
	}
	var rows []json.RawMessage
	if op.Gathers() && json.Unmarshal(all[op.Into], &rows) == nil && len(rows) == 1 {
		delete(all, op.Into)
		if maps.Copy(all, members(rows[0])); op.Item != "" {
			said[op.Item] = rows[0]
		}
	}
	for member, value := range all {
		said[op.FieldOf(member)] = value
	}
	if op.Differs != "" {
		said[op.Differs] = payload.Agreed[op.Differs].Live
	}
	for path, value := range op.Means {
		said[path], _ = json.Marshal(value) // texts always encode
	}
	return said
}

// members returns the members of a request's body, none of what is no object.
func members(body json.RawMessage) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if len(body) > 0 {
		// A body is an object of ours; of anything else nothing is known.
		_ = json.Unmarshal(body, &fields)
	}
	return fields
}

// same reports whether two values of a resource's field mean the same.
func same(r *schema.Resource, field string, a, b json.RawMessage) bool {
	f, known := r.ByPath(field)
	return known && value.Compare(f, a, b) == value.Alike || bytes.Equal(a, b)
}

// cellOf writes a value of a field as a cell holds it, a list by the names of its items.
func cellOf(op *plan.Op, field string, raw json.RawMessage) string {
	if f, ok := op.Of().ByPath(field); ok && f.Kind == schema.List && string(raw) != "null" {
		return value.Shown(f, raw)
	}
	return cellText(raw)
}

// cellText writes a value as a cell holds it.
func cellText(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return "<clear>"
	case json.Unmarshal(value, &text) != nil:
		return string(value)
	case text == "":
		return "<empty>"
	}
	return text
}

// wanted writes what a field is to become: a list of names as the row's own cell has it.
func wanted(op *plan.Op, field string, value json.RawMessage, zone string) string {
	if at, said := op.From[field]; said && op.Agreed[field].Mine != nil && at >= 0 && at < len(op.Cells) {
		return op.Cells[at]
	}
	return placed(op, field, value, zone)
}

// placed writes a value as a cell holds it, a time in a zone where that is known.
func placed(op *plan.Op, field string, raw json.RawMessage, zone string) string {
	text := cellOf(op, field, raw)
	if !timed(op, field) {
		return text
	}
	at, ok := datetime.ParseTimestamp(text)
	in := value.Location(zone)
	if !ok || in == nil {
		return text
	}
	return at.In(in).Format(time.RFC3339)
}

// timed reports whether a field of an op is a time.
func timed(op *plan.Op, field string) bool {
	f, ok := op.Of().ByPath(field)
	return ok && f.Kind == schema.Timestamp
}
