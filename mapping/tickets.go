package mapping

import (
	"strings"

	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
)

// tickets makes as many tickets of a row of a guest as its column of quantities says. Rows of one guest that are put
// together have theirs already.
func (w *fields) tickets(f *feed, text string) (string, bool) {
	if w.b.times < 0 || f.field.Path != "ticket_types" {
		return text, true
	}
	if w.b.shape.Group != nil && w.note != nil {
		return text, w.quantity(false)
	}
	if strings.Contains(text, ";") {
		return text, w.quantity(true)
	}
	return reshape.Often(text, w.cell(w.b.times)), w.quantity(false)
}

// untyped reports a quantity of a row that names no ticket type.
func (w *fields) untyped() {
	if field, ok := w.b.options.Resource.ByPath("ticket_types"); ok && !w.draft.Has(field.ID) && !w.reported(field.Path) {
		w.quantity(true)
	}
}

// repeated reports a quantity of a row that is put together with an earlier one, whose tickets it adds to.
func (w *fields) repeated() {
	named := false
	if field, ok := w.b.options.Resource.ByPath("ticket_types"); ok {
		if f := w.b.byID[field.ID]; f != nil && f.column() >= 0 {
			named = strings.TrimSpace(w.cell(f.column())) != ""
		}
	}
	w.quantity(!named)
}

// quantity reports what a quantity cannot be: no number of tickets, or more than one of tickets that nothing names.
func (w *fields) quantity(nameless bool) bool {
	cell := w.cell(w.b.times)
	n, ok := reshape.Times(cell)
	fault := &schema.Fault{
		Code: schema.CodeBadNumber, Message: quoted(cell) + " is no number of tickets", Hint: "write a whole number, 1 for one ticket",
	}
	switch {
	case ok && (n == 1 || !nameless):
		return true
	case ok:
		fault.Message, fault.Hint = cell+" tickets, and nothing says of which type each is",
			"name the type of each ticket in ticket_types, such as Standard; Standard"
	}
	field, _ := w.b.options.Resource.ByPath("ticket_types")
	return w.fault(field, w.b.times, cell, fault)
}
