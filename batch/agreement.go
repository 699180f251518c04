package batch

import (
	"encoding/json"

	"eventbatch/batch/plan"
)

// agreement is what the two sides of each field of an event said when they last agreed: what was sent counts for both of
// them, and what updates have sent in doubt since may. What an undo has sent is what the platform shows; the cell goes on
// saying what was undone. The picture is told by its hash, under the path of its column. Of a field that runs of the rows'
// own source have had, what other sources have sent is a change on the platform.
type agreement struct {
	source string // the source whose rows are compared; empty for all
	own    map[string]plan.Base
	others map[string]plan.Base // of other sources
	doubts map[string][]json.RawMessage
}

// sent takes in what an op has sent, the last first, and reports whether what was sent before it counts.
func (a *agreement) sent(run *pastRun, was *pastOp) (more bool) {
	if !was.doubt && !was.done && !was.agreed {
		return true
	}
	op, err := run.load(was)
	if err != nil {
		return false
	}
	if was.doubt {
		for field, value := range fields(was.operation, &op.Payload) {
			if _, agreed := a.own[field]; !agreed {
				a.doubts[field] = append(a.doubts[field], value)
			}
		}
		return true
	}
	if plan.ActionOf(was.operation) == plan.Cancel {
		return false
	}
	into, h, undone := a.own, run.run.Header(), ""
	if h.Reverts == plan.Undo {
		undone = h.Run
	}
	if a.source != "" && h.Source != a.source && (h.Source != "" || h.Command == "call") {
		into = a.others
	}
	for field, agreed := range op.Agreed {
		add(into, field, plan.Base{Agreement: agreed, At: was.ended, Undone: undone})
	}
	for field, value := range was.said(op) {
		agreed := plan.Agreement{Mine: value, Live: value}
		if undone != "" {
			agreed.Mine = nil
		}
		add(into, field, plan.Base{Agreement: agreed, At: was.ended, Undone: undone, Sent: h.Run})
	}
	return plan.ActionOf(was.operation) != plan.Create
}

// bases returns what was taken in.
func (a *agreement) bases() map[string]plan.Base {
	for field, base := range a.others {
		_, own := a.own[field]
		base.Other = !own
		add(a.own, field, base)
	}
	for field, base := range a.own {
		base.Doubts = a.doubts[field]
		a.own[field] = base
	}
	return a.own
}

// add adds what was agreed on before what is there, of which it tells what the cell said where nothing since does.
func add(bases map[string]plan.Base, field string, earlier plan.Base) {
	if base, later := bases[field]; later {
		if base.Mine == nil {
			base.Mine = earlier.Mine
		}
		earlier = base
	}
	bases[field] = earlier
}
