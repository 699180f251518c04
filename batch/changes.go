package batch

import (
	"cmp"
	"encoding/json"
	"iter"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
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
		outcomes := &outcomes{state: state, sources: Sources(run.Header())}
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
				row.Changes = append(row.Changes, changesSince(past.before(op), op)...)
				continue
			}
			changed := past.changed(op, outcomes)
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

// changed describes one row. Its event goes by the name and start that were sent before.
func (p *past) changed(op *plan.Op, outcomes *outcomes) report.Changed {
	row := outcomes.row(op)
	describe(op, &row.Event)
	before := p.before(op)
	if op.Action == plan.Update {
		row.Changes = changesSince(before, op)
	}
	if was, err := json.Marshal(before); err == nil && op.Of().Keyed() {
		var earlier finding.Event
		describe(&plan.Op{Payload: plan.Payload{Body: was}}, &earlier)
		row.Event.Name = cmp.Or(earlier.Name, row.Event.Name)
		if !earlier.Start.IsZero() {
			row.Event.Start, row.Event.End = earlier.Start, earlier.End
			if _, said := before[catalog.Path(catalog.FieldTimezone)]; !said && op.Event.Zone != "" { // as the platform tells it
				zone := location(op.Event.Zone)
				row.Event.Start, row.Event.End = row.Event.Start.In(zone), row.Event.End.In(zone)
			}
		}
	}
	return report.Changed{Row: row, Resource: op.Resource, Effects: op.RowEffects(), Takes: op.Action == plan.Cancel}
}
