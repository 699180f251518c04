package batch

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"iter"
	"maps"
	"time"
	"unique"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// past tells what was sent before an op of a plan for the same event. Each op names the run
// that had the last word on its event when it was planned; that run's op names the one
// before it: only the runs that are asked about are read, however many there are.
type past struct {
	workspace journal.Store
	runs      map[string]*pastRun // nil where a run cannot be read
}

// pastRun finds the ops of a run by their key and by the id of their event.
type pastRun struct {
	run *journal.Run
	ops []pastOp
	at  map[uint64]int32
	// made are the ids of what ops have made that others call by name.
	made map[int]string
}

// pastOp is what is kept of an op that has sent something, or has tried to.
type pastOp struct {
	at        int64
	n, size   int32
	done      bool
	doubt     bool      // it may have arrived, which nobody will find out
	missing   bool      // no row asked for it
	agreed    bool      // it has sent nothing, and what it agreed to counts
	start     int64     // of the event as the row had it, in Unix milliseconds
	ended     time.Time // when it was done
	cover     string    // hash of the picture that was sent; empty without one
	operation string
	before    string         // the run that had the last word before
	names     map[string]int // as those of the op
	calendar  unique.Handle[string]
	beside    int32 // the op of the same row and event that comes before it, from 1; 0 without one
}

func newPast(workspace journal.Store) *past {
	return &past{workspace: workspace, runs: map[string]*pastRun{}}
}

var pastSeed = maphash.MakeSeed()

func byKey(e *plan.Event) uint64 { return maphash.String(pastSeed, e.Calendar+"\x00"+e.Key) }
func byID(id string) uint64      { return maphash.String(pastSeed, "\x00"+id) }

// of returns a run as it is asked about, nil where it cannot be read: what it sent is
// unknown then, no more.
func (p *past) of(id string) *pastRun {
	r, met := p.runs[id]
	if !met {
		r = p.read(id)
		p.runs[id] = r
	}
	return r
}

func (p *past) read(id string) *pastRun {
	run, err := p.workspace.Find(id)
	if err != nil {
		return nil
	}
	state, err := run.State()
	if err != nil {
		return nil
	}
	r := &pastRun{run: run, at: map[uint64]int32{}, made: map[int]string{}}
	for op, err := range run.Lines() {
		if err != nil {
			return nil
		}
		if !op.Action.Sends() && op.Agrees == "" {
			continue
		}
		state.Place(op)
		was, n := &state.Ops[op.N], int32(len(r.ops))
		cover := ""
		if op.Cover != nil {
			cover = op.Cover.SHA256
		}
		r.ops = append(r.ops, pastOp{
			start: op.Event.StartAt, ended: was.At(), cover: cover,
			at: op.At, n: int32(op.N), size: int32(op.Size), done: was.Status == journal.Done, agreed: was.Status == journal.Agreed,
			doubt:     was.Attempts > 0 && op.Action == plan.Update && (inDoubt(was) || was.Status == journal.Skipped),
			operation: op.Operation, before: op.Known.Run, missing: op.Missing, names: op.Names,
			calendar: unique.Make(op.Event.Calendar),
		})
		for _, n := range op.Names {
			r.made[n] = state.Ops[n].EventID
		}
		if first, met := r.at[byKey(&op.Event)]; met && op.Part > 0 && op.Operation == catalog.Transfer {
			// What the row says of the event was sent before it, and is what is found.
			r.ops[n].beside, r.ops[first].beside = r.ops[first].beside, n+1
			continue
		}
		if op.Event.Key != "" {
			if first, met := r.at[byKey(&op.Event)]; met && op.Part > 0 {
				r.ops[n].beside = first + 1
			}
			r.at[byKey(&op.Event)] = n
		}
		if id := cmp.Or(was.EventID, op.Event.ID); id != "" {
			r.at[byID(id)] = n
		}
	}
	return r
}

// find returns the op of an event, the last where the row has several; nil where the run has none.
func (r *pastRun) find(e *plan.Event) *pastOp {
	if r == nil {
		return nil
	}
	n, there := r.at[byKey(e)]
	if !there && e.ID != "" {
		n, there = r.at[byID(e.ID)]
	}
	if !there {
		return nil
	}
	return &r.ops[n]
}

// load reads what an op has sent.
func (r *pastRun) load(was *pastOp) (*plan.Op, error) {
	op := &plan.Op{N: int(was.n), At: was.at, Size: int(was.size), Operation: was.operation, Names: was.names}
	if o := catalog.OperationNamed(was.operation); o != nil {
		op.Resource = o.Resource.Name
	}
	err := r.run.Load(op)
	op.Place(func(n int) string { return r.made[n] })
	return op, err
}

// earlier returns the op of the same row and event that comes before one, nil where that is the first.
func (r *pastRun) earlier(was *pastOp) *pastOp {
	if was.beside == 0 {
		return nil
	}
	return &r.ops[was.beside-1]
}

// before returns the fields of the op's event as they were sent last, or were on the platform
// when the op was compared with that, by their paths.
func (p *past) before(op *plan.Op) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	for field, base := range p.base(&op.Event, op.Known) {
		if base.Sure() {
			values[field] = base.Live
		}
	}
	var image struct {
		Fields map[string]json.RawMessage `json:"fields"`
	}
	if len(op.Before) > 0 && json.Unmarshal(op.Before, &image) == nil {
		maps.Copy(values, image.Fields)
	}
	return values
}

// base returns what the two sides of each field of an event said when they last agreed, by their paths, whatever
// source had the row.
func (p *past) base(event *plan.Event, known plan.Known) map[string]plan.Base {
	return p.baseOf("")(event, known)
}

// baseOf is [past.base] for the rows of a source.
func (p *past) baseOf(source string) func(event *plan.Event, known plan.Known) map[string]plan.Base {
	return func(event *plan.Event, known plan.Known) map[string]plan.Base {
		a := agreement{source: source, own: map[string]plan.Base{}, others: map[string]plan.Base{}, doubts: map[string][]json.RawMessage{}}
		for run, was := range p.back(event, known) {
			if more := a.sent(run, was); !more {
				break
			}
		}
		return a.bases()
	}
}

// back goes through the ops of an event, the last first, for as long as the runs can be read that were before.
func (p *past) back(event *plan.Event, known plan.Known) iter.Seq2[*pastRun, *pastOp] {
	return func(yield func(*pastRun, *pastOp) bool) {
		seen := map[string]bool{}
		for id := known.Run; id != "" && !seen[id]; {
			seen[id] = true
			run := p.of(id)
			id = ""
			for was := run.find(event); was != nil; was = run.earlier(was) {
				if !yield(run, was) {
					return
				}
				id = cmp.Or(was.before, known.Maker)
			}
		}
	}
}

// missed reports whether an event was cancelled because its row was gone.
func (p *past) missed(event *plan.Event, known plan.Known) bool {
	was := p.of(known.Run).find(event)
	return was != nil && was.missing && plan.ActionOf(was.operation) == plan.Cancel
}

// calendar returns the one on which a run has had an event last, empty where no run tells.
func (p *past) calendar(event *plan.Event, known plan.Known) (calendar string) {
	if moved, ok := p.base(event, known)[catalog.Path(schema.FieldCalendarID)]; ok && json.Unmarshal(moved.Live, &calendar) == nil {
		return calendar
	}
	if was := p.of(known.Run).find(event); was != nil {
		return was.calendar.Value()
	}
	return ""
}

// said returns what was sent of the op's fields.
func (o *pastOp) said(op *plan.Op) map[string]json.RawMessage {
	if !o.done {
		return nil
	}
	said := fields(o.operation, &op.Payload)
	if o.cover != "" {
		said[catalog.Path(catalog.FieldCoverFile)], _ = json.Marshal(o.cover) // texts always encode
	}
	return said
}
