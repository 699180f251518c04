package plan

import (
	"cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// A Planner turns rows into ops in the order of the input.
type Planner struct {
	config Config
	above  above
	buf    []byte
}

// New returns a Planner without rows.
func New(config Config) *Planner {
	return &Planner{config: config, above: above{
		keys: map[place]int{}, renamed: map[string]bool{}, named: map[place]named{},
		calendars: map[string][]named{}, added: map[place][]int{},
	}}
}

func (p *Planner) row(op *Op, d *schema.Draft) *row {
	return &row{verdict: verdict{&p.config, op, d}, above: &p.above, buf: &p.buf}
}

// Add decides what becomes of one row, and returns its op. That has what is known of the row without its draft: its
// place, cells and problems, the picture that it names, and where reading it has decided already, its action with the
// reason. It keeps nothing of the draft, which is nil where the row could not be read as one.
func (p *Planner) Add(op *Op, d *schema.Draft) *Op {
	r := p.row(op, d)
	if r.d != nil {
		if op.Base = r.d.Base; p.config.Options.Compare == "none" {
			r.d.Touch()
		}
	}
	if p.decide(r); r.d != nil {
		addCells(r)
		op.leaveLast()
	}
	for each := range op.All() {
		if err := each.Off(p.config.Off); err != nil {
			r.refuse(schema.FieldAction, schema.CodeOperationOff, err.Error(), "take the row out, or give it the action SKIP")
			op.Parts = nil
		}
	}
	if r.d != nil {
		manner(op, r.d)
		note{r}.add()
	}
	if op.within() != op.Event.Parent {
		op.Event.Key = "" // until its event has an id
	}
	if !op.Action.Sends() {
		op.From = nil // no answer will name a field
		op.After, op.Names = nil, nil
	}
	return op
}

// decide decides what becomes of the row. The order matters: first which record the row is about, then what runs
// and the service say of that, and only then what the row asks for.
func (p *Planner) decide(r *row) {
	op, d := r.op, r.d
	switch fault, wrong := firstError(op.Problems); {
	case wrong || d == nil:
		op.Action, op.Reason = Invalid, cmp.Or(fault, "the row has errors")
		if d != nil {
			op.Event.Key, op.Event.Name = cmp.Or(d.Name(), d.Key), d.Text(catalog.FieldName) // by which a person finds it
			r.about()
		}
	case op.Action == Invalid: // for what its whole file lacks
	case op.Action == Skip, d.Action == schema.Skip:
		op.skip(cmp.Or(op.Reason, "the row says SKIP"))
		op.Event.Name = d.Text(catalog.FieldName) // by which a person sees what is left out
		r.about()
	case identity{r}.find() && recall{r}.find() && content{r}.describe() && lookup{r}.find():
		choice{r}.choose()
		p.remember(r)
		return
	}
	op.Cover = nil // nothing is sent of it
}

// remember notes with the op what is remembered of its record, and how the record was.
func (p *Planner) remember(r *row) {
	op := r.op
	p.outlast(op)
	known := Recollection(p.config.Memory, &op.Event)
	for each := range op.All() {
		if each.Action.Sends() || each.Agrees != "" {
			each.Known = known
		}
	}
	if r.live != nil && op.Action.Sends() {
		keep(op, r.d, r.live)
	}
}

// firstError returns what is wrong with a row; not wrong where nothing is.
func firstError(problems []schema.Problem) (message string, wrong bool) {
	for i := range problems {
		if problems[i].Severity == schema.Error {
			return problems[i].Message, true
		}
	}
	return "", false
}

// outlast has a record of which the last one cannot be taken away, such as a ticket type, wait for those that rows
// above it add.
func (p *Planner) outlast(op *Op) {
	if op.Of().Within == "" || op.Event.Parent == "" {
		return
	}
	of := place{op.Event.Calendar, op.Resource + ":" + op.Event.Parent}
	switch op.Action {
	case Create:
		p.above.added[of] = append(p.above.added[of], op.N)
	case Cancel:
		op.After = append(op.After, p.above.added[of]...)
	}
}

// Renamed reports whether a row was met that has the event of an old key.
func (p *Planner) Renamed(old string) bool { return p.above.renamed[old] }

// Place returns where the event of an op comes from that others wait for.
func (p *Planner) Place(n int) schema.Place { return p.above.relatives.of(n).place }

// Made reports whether the event of a row is there, as far as the runs know that have made or met it.
func (p *Planner) Made(d *schema.Draft) bool {
	if !d.Resource.Keyed() {
		return false
	}
	calendar, err := p.config.Resolve(d.Calendar)
	if err != nil {
		return false
	}
	known, _ := p.config.Memory.Recall(calendar, Key(d))
	return known.EventID != "" && known.there() && !known.Gone
}
