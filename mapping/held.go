package mapping

import (
	"errors"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// gatekeeper knows the rows that are left out for what they say of themselves, or by the filter.
type gatekeeper struct {
	*fields

	gates map[*binding][]*match.Gate
}

// back returns why a row is left out that says of itself that it is not to be made as the others are: that its event is
// cancelled or a draft, that the guest was refunded. One that names an event that exists is none of these.
func (w *gatekeeper) back() (why string) {
	if id := w.b.byID[catalog.FieldEventID]; id != nil && strings.TrimSpace(w.cell(id.column())) != "" {
		return ""
	}
	column, message, hint := w.held()
	if message != "" {
		w.problems = append(w.problems, *w.warnHeld(column, w.cell(column), message, hint))
	}
	return message
}

// held returns the column for which a row is left out, and why; no message where none says so.
func (w *gatekeeper) held() (column int, message, hint string) {
	if column = w.absent(); column >= 0 {
		return column, quoted(w.b.header[column]) + " says " + quoted(w.cell(column)) + ": the row is left out",
			"give the word a status under values in a mapping file, if such guests come"
	}
	gates, known := w.gates[w.b]
	if !known {
		for _, g := range w.b.gates {
			gates = append(gates, match.GateOf(w.b.options.Resource, g.header))
		}
		if w.gates == nil {
			w.gates = map[*binding][]*match.Gate{}
		}
		w.gates[w.b] = gates
	}
	for i, g := range w.b.gates {
		text := w.cell(g.column)
		if gates[i] == nil || text == "" {
			continue
		}
		state := gates[i].State(text)
		if state == match.Stated {
			continue
		}
		message = quoted(g.header) + " says " + quoted(text) + ", and nothing reads it: the row is left out"
		if state == match.Recurs {
			message = "the row repeats: " + message
		}
		return g.column, message, heldByColumn
	}
	return -1, "", ""
}

// heldByColumn is the hint where a column of states holds a row back.
const heldByColumn = "eventbatch map asks what becomes of such rows; " +
	"where they are like the others, list the column under ignore in a mapping file"

// absent returns the column of the status of a guest who does not come, for which the field has no word; -1 of the others.
func (w *gatekeeper) absent() int {
	if w.b.options.Resource != catalog.Guests {
		return -1
	}
	f := w.b.byID[catalog.GuestStatus().ID]
	if f == nil || len(f.columns) != 1 {
		return -1
	}
	text := strings.TrimSpace(w.cell(f.columns[0]))
	if _, known := f.values.Of(text); known || !match.Absent(text) {
		return -1
	}
	return f.columns[0]
}

// byName returns why a row is left out by whose name its event is called off, sold out, a draft or not for everybody,
// or that it takes place more than once, or by another text of which it is called off: its description, its address.
// One that names an event that exists is none of these.
func (w *gatekeeper) byName() *schema.Problem {
	name, m := w.draft.Get(catalog.FieldName), w.b.options.mapping
	if name == nil || w.draft.Action != schema.Create && w.draft.Action != schema.Upsert || w.draft.Has(catalog.FieldEventID) {
		return nil
	}
	for i := range w.draft.Settings {
		s := &w.draft.Settings[i]
		if f := catalog.Field(s.Field); f.Kind.Textual() && s != name && match.CallsOff(s.Text) && !w.makes(s) {
			of := strings.ToLower(f.Title())
			return w.warnHeld(s.Column, s.Text, "the "+of+" begins by calling the event off: the row is left out", markedHint(m))
		}
	}
	state := match.NameState(name.Text)
	if state == match.Unmarked || state == match.Again && w.b.shape.Unroll != nil || m.Makes(name.Text) {
		return nil
	}
	message := "the name " + quoted(name.Text) + " says that it is not to be made like the others: the row is left out"
	if state == match.Again {
		message = "the row repeats: the name " + quoted(name.Text) + " says so, and nothing reads it: the row is left out"
	}
	return w.warnHeld(name.Column, name.Text, message, markedHint(m))
}

// makes reports whether the mapping says that events are made with a text, or with that of one of the cells that it is put
// together from.
func (w *gatekeeper) makes(s *schema.Setting) bool {
	m, f := w.b.options.mapping, w.b.byID[s.Field]
	return m.Makes(s.Text) || f != nil && slices.ContainsFunc(f.columns, func(column int) bool { return m.Makes(w.cell(column)) })
}

// markedHint says how a row is made whose name or description says that it is not.
func markedHint(m *mapfile.File) string {
	if m == nil {
		return "eventbatch map asks what becomes of such rows; UPSERT in a column action makes one"
	}
	return "list it under marked_names in the mapping, or * for all such names, if it is; UPSERT in a column action makes one"
}

func (w *gatekeeper) warnHeld(column int, value, message, hint string) *schema.Problem {
	return &schema.Problem{
		Severity: schema.Warning, Code: schema.CodeHeldBack, Place: w.placeOf(column), Value: value, Message: message, Hint: hint,
	}
}

// admitted reports whether the filter admits the row, which is so where that cannot be told.
func (w *gatekeeper) admitted() bool {
	before := len(w.problems)
	result, _, err := w.formulas.Run(w.b.filter)
	if len(w.problems) > before {
		return true // a row whose filter cannot be told is not passed over
	}
	if err == nil {
		keep, isBool := result.(bool)
		if isBool {
			return keep
		}
		err = errors.New("its result is neither true nor false")
	}
	w.problems = append(w.problems, schema.Problem{
		Code: schema.CodeBadExpression, Place: w.placeOf(w.b.filter.Column()), Message: "filter: " + err.Error(),
	})
	return true
}

// filteredOut says that the filter leaves a row out, and by which cell where it reads one, else by which columns.
func (w *gatekeeper) filteredOut() string {
	const words = "the filter leaves it out"
	columns := slices.DeleteFunc(w.b.filter.Columns(), func(column int) bool { return column >= len(w.b.header) })
	if len(columns) != 1 {
		var headers []string
		for _, column := range columns {
			headers = append(headers, quoted(w.b.header[column]))
		}
		return strings.TrimSuffix(words+", by "+strings.Join(headers, " or "), ", by ")
	}
	value := "blank"
	if text := strings.TrimSpace(w.cell(columns[0])); text != "" {
		value = quoted(text)
	}
	return words + ": " + quoted(w.b.header[columns[0]]) + " is " + value
}
