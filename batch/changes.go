package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Changes goes through the rows of a run that have still to change what is there, or to
// take it away, each with what was sent for it last.
func Changes(workspace journal.Store, run *journal.Run) iter.Seq2[report.Changed, error] {
	return func(yield func(report.Changed, error) bool) {
		state, err := run.State()
		if err != nil {
			yield(report.Changed{}, err)
			return
		}
		past := newPast(workspace)
		outcomes := &outcomes{state: state, sources: run.Header().Sheets}
		var row *report.Changed // of the op before
		var first *plan.Op
		for op, err := range run.Sends() {
			switch {
			case err != nil:
			case op.Action == plan.Create || !state.Ops[op.N].Status.Open():
				continue
			default:
				err = run.Load(op)
			}
			if err != nil {
				yield(report.Changed{}, err)
				return
			}
			if row != nil && op.Part > 0 && op.Row == first.Row && op.Resource == first.Resource {
				op.Cells = first.Cells
				row.Changes = append(row.Changes, changesSince(past, op)...)
				continue
			}
			changed := changedRow(past, op, outcomes)
			if row != nil && !yield(*row, nil) {
				return
			}
			row, first = &changed, op
		}
		if row != nil {
			yield(*row, nil)
		}
	}
}

// changedRow describes one row. Its event goes by the name and start that were sent before.
func changedRow(past *past, op *plan.Op, outcomes *outcomes) report.Changed {
	row := outcomes.row(op)
	describe(op, &row.Event)
	before := past.before(op)
	if op.Action == plan.Update {
		row.Changes = changesSince(past, op)
	}
	if was, err := json.Marshal(before); err == nil && op.Of().Keyed() {
		var earlier finding.Event
		describe(&plan.Op{Payload: plan.Payload{Body: was}}, &earlier)
		row.Event.Name = cmp.Or(earlier.Name, row.Event.Name)
		if !earlier.Start.IsZero() {
			row.Event.Start, row.Event.End = earlier.Start, earlier.End
			if _, said := before[catalog.Path(catalog.FieldTimezone)]; !said && op.Event.LiveZone() != "" { // as the platform tells it
				zone := location(op.Event.LiveZone())
				row.Event.Start, row.Event.End = row.Event.Start.In(zone), row.Event.End.In(zone)
			}
		}
	}
	return report.Changed{Row: row, Resource: op.Resource, Effects: op.RowEffects(), Takes: op.Action == plan.Cancel}
}

// changesOf returns what comparing a row with what is live has shown, or else compares what an
// update says with what was sent before it.
func changesOf(past *past, op *plan.Op) []finding.Change {
	var list []finding.Change
	if op.Action == plan.Update && len(op.Changes) == 0 {
		for each := range op.All() {
			if each.Resource == op.Resource {
				each.Cells = op.Cells
				list = append(list, changesSince(past, each)...)
			}
		}
		return list
	}
	for i := range op.Changes {
		c := &op.Changes[i]
		if c.Field == catalog.Path(catalog.FieldSuppressEmail) {
			continue
		}
		list = append(list, changeOf(op, c, zones{op.Event.LiveZone(), op.Event.Zone}))
	}
	return list
}

// zones are those of an event before a change and after it.
type zones struct{ was, is string }

// changeOf describes what comparing a field has shown.
func changeOf(op *plan.Op, c *plan.Change, in zones) finding.Change {
	side := func(value json.RawMessage) *string {
		if value == nil {
			return nil
		}
		return new(placed(op, c.Field, value, in.was))
	}
	change := finding.Change{
		Field: c.Field, After: wanted(op, c.Field, c.Mine, in.is), Currency: c.Currency, Decision: string(c.Decision), Why: c.Why,
		Base: side(c.Base), Live: side(c.Live),
	}
	if was := cmp.Or(change.Live, change.Base); was != nil {
		change.Before, change.Known = *was, true
	}
	in.tell(op, &change)
	return change
}

// tell has a change of a time say in which zones it is told.
func (z zones) tell(op *plan.Op, change *finding.Change) {
	if !timed(op, change.Field) {
		return
	}
	if change.Zone = z.is; z.was != z.is {
		change.ZoneWas = z.was
	}
}

func changesSince(past *past, op *plan.Op) []finding.Change {
	before, after := past.before(op), fields(op.Operation, &op.Payload)
	in := zones{op.Event.LiveZone(), op.Event.Zone}
	if of := catalog.Path(catalog.FieldTimezone); before[of] != nil {
		if in.was = cellText(before[of]); after[of] == nil {
			in.is = in.was
		}
	}
	var list []finding.Change
	for _, field := range slices.Sorted(maps.Keys(after)) {
		f, ok := op.Of().ByPath(field)
		if !ok || f.Manner || op.Of().Names(f) || f.ID == catalog.FieldEventID {
			continue // what is no field, such as an id, nobody has said
		}
		was, known := before[field]
		if known && same(op.Of(), field, was, after[field]) {
			continue
		}
		change := finding.Change{Field: field, After: placed(op, field, after[field], in.is), Known: known}
		in.tell(op, &change)
		if f.Minor {
			change.Currency = currency(op, before, after)
		}
		if f.Kind == schema.List {
			change.After = wanted(op, field, after[field], in.is)
		}
		if known {
			change.Before = placed(op, field, was, in.was)
		}
		list = append(list, change)
	}
	follow := func(c *plan.Change) { list = append(list, changeOf(op, c, in)) }
	for i := range op.Changes {
		if c := &op.Changes[i]; c.Decision == plan.Follow {
			follow(c)
		}
	}
	if len(op.Changes) > 0 || op.Action != plan.Update || !op.Of().Keyed() {
		return list
	}
	if end := follower(past, op, after); end != nil {
		follow(end)
	}
	sent := func(path string) bool { return after[path] != nil && !same(op.Of(), path, before[path], after[path]) }
	for _, c := range plan.Clocks(in.was, in.is, before, sent) {
		c.Base, c.Live = c.Live, nil // nobody has asked
		follow(&c)
	}
	return list
}

// follower returns what becomes of the end of an event where the op moves the start alone, by what was sent; nil where nothing does.
func follower(past *past, op *plan.Op, after map[string]json.RawMessage) *plan.Change {
	start, end := catalog.Path(catalog.FieldStartAt), catalog.Path(catalog.FieldEndAt)
	if after[start] == nil || after[end] != nil {
		return nil
	}
	c := plan.Follower(past.base(&op.Event, op.Known), after[start])
	if c == nil || same(op.Of(), end, c.Base, c.Mine) {
		return nil
	}
	return c
}

// currency returns the currency of the amounts of a record that is updated, empty where the row changes it or where
// it is not known.
func currency(op *plan.Op, before, after map[string]json.RawMessage) (code string) {
	for i := range op.Changes {
		if of := op.Changes[i].Currency; of != "" {
			return of
		}
	}
	const path = "currency"
	if was, said := before[path], after[path]; said != nil && !bytes.Equal(was, said) {
		return ""
	}
	_ = json.Unmarshal(before[path], &code) // what is not known is none
	return code
}
