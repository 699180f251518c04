package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Lost is the decision about a field that an undo cannot put back: nobody knows what it was,
// or no request can say it.
const Lost Decision = "lost"

// Reversal is an op that a run has carried out, with all that decides how it is taken back.
type Reversal struct {
	Run  string // that run
	Op   *Op    // whole; its event has the id that it came to have
	Does schema.Action
	// Sent has the fields as the op sent them, by their paths. Image has them as the platform
	// showed them before, and Was as an earlier run had sent them, as far as these are known.
	Sent, Image, Was map[string]json.RawMessage
	// Live has the members of the record as the platform tells them now; nil where it is gone.
	Live  map[string]json.RawMessage
	Whole bool // Live has what only a read of the event gives
	// Since names the run that has sent a field since, by the field's path.
	Since map[string]string
	Wants func(*schema.Field) bool // reports whether a field is to be taken back
	// Back are the fields that an undo of the run has put back. No run has sent them since.
	Back map[string]bool
}

// restoration is the choice of what takes an op of a run back, for a row that says what its record was before.
type restoration struct {
	*row
	*Reversal

	image *schema.Draft // what Image has, as a row would say it
}

// Undo returns the op that takes an op back. One that sends nothing says why.
func (p *Planner) Undo(r *Reversal) *Op {
	was := r.Op
	op := &Op{
		Row: was.Row, Resource: was.Resource, Event: was.Event, Hash: was.Hash, Reason: "undoes run " + r.Run,
		Payload: Payload{Cells: was.Cells, From: was.From},
	}
	d := schema.NewDraft(was.Of(), schema.Place{Row: was.Row.Number, Line: was.Row.Line, Column: -1})
	back := restoration{row: p.row(op, d), Reversal: r}
	back.choose()
	if !op.Action.Sends() {
		op.From = nil // no answer will name a field
	}
	return op
}

func (r restoration) choose() {
	op, of, done := r.op, r.d.Resource, r.done()
	var opposite *schema.Operation
	if done != nil {
		opposite = catalog.OperationNamed(done.Opposite)
	}
	switch {
	case opposite == nil && (r.Does == schema.Update || r.Does == schema.Invite):
		op.skip("lost: no request takes it back")
	case opposite == nil && r.Does == schema.Create:
		op.skip("lost: no request takes " + of.Some() + " away")
	case opposite == nil:
		op.skip("lost: " + of.Some() + " that was taken away cannot be brought back")
	case r.Live == nil && r.Does != schema.Delete:
		op.skip("the " + of.One + " is gone")
	case r.Does == schema.Create && !r.own():
		op.skip("left: the " + of.One + " that has the id is another than the run has asked for")
	case r.Op.Operation == catalog.Transfer && !r.Wants(catalog.Field(schema.FieldCalendarID)):
		op.Action = Unchanged
	case r.Op.Operation == catalog.Transfer:
		r.transfer()
	case r.Does == schema.Delete:
		r.again(opposite)
	case r.Does == schema.Create && opposite.Does == schema.Update:
		r.withdraw(done)
	case r.Does == schema.Create:
		r.takeAway(opposite)
	default:
		r.fields()
	}
}

// done returns the operation that has been carried out. An update in the place of a create
// that has found its record is the first that there is, nil where no request changes such a record.
func (r *Reversal) done() *schema.Operation {
	if done := catalog.OperationNamed(r.Op.Operation); done != nil && done.Does == r.Does {
		return done
	}
	return r.Op.Of().Operation(r.Does, r.Op.Event.Parent == "")
}

// takeAway takes away what the run has made.
func (r restoration) takeAway(opposite *schema.Operation) {
	op := r.op
	if run := r.newest(); run != "" {
		op.skip("run " + run + " has changed it since")
		return
	}
	for member, value := range opposite.Never {
		if f := asked(&schema.Field{}, value); string(r.Live[member]) == string(f) {
			op.skip("lost: " + op.Of().Some() + " that is " + value + " stays")
			return
		}
	}
	if r.changed() {
		op.Reason += ", and somebody has changed it since"
	}
	r.send(opposite)
}

// own reports whether what has the id is what the run has made: a service, or what stands before it,
// may have answered with the id of something else. An event has the slug that it was made with, of one
// that was derived the end, or else its name and start; any other record has what names it.
func (r *Reversal) own() bool {
	of, event := r.Op.Of(), &r.Op.Event
	if of.IDField() == nil {
		return true // it was found by its name
	}
	alike := func(path string) bool {
		f, _ := of.ByPath(path)
		sent, said := r.Sent[path]
		live, told := r.Live[f.Read()]
		return said && told && value.Compare(f, sent, live) != value.Unlike
	}
	if of.Keyed() {
		var slug string
		_ = json.Unmarshal(r.Live[of.Slug], &slug) // one that is not told is none
		return event.Named(slug) || alike(catalog.Path(catalog.FieldName)) && alike(catalog.Path(catalog.FieldStartAt))
	}
	name := of.NameIn(r.Live)
	return alike(of.Named) || name == strings.ToLower(event.Name) ||
		event.Slug != "" && (name == event.Slug || of.OtherName(r.Live) == event.Slug)
}

// changed reports whether the platform tells anything else than the run sent.
func (r *Reversal) changed() bool {
	return slices.ContainsFunc(r.Op.Of().Columns(), func(f *schema.Field) bool {
		sent, said := r.Sent[f.Path]
		live, told := r.Live[f.Read()]
		return said && told && !f.Manner && value.Compare(f, sent, live) == value.Unlike
	})
}

// newest returns a run that has sent a field since, empty where none has.
func (r *Reversal) newest() string {
	run := ""
	for _, by := range r.Since {
		run = max(run, by)
	}
	return run
}

// withdraw brings what the run has made into the state that is the nearest to its not being
// there.
func (r restoration) withdraw(done *schema.Operation) {
	op, d, same := r.op, r.d, true
	for path, text := range done.Back {
		f, _ := r.Op.Of().ByPath(path)
		var s schema.Setting
		if value.Parse(f, &s, text) != nil {
			continue // the table has good values
		}
		target := asked(f, text)
		live, told := r.Live[f.Read()]
		switch sent, said := r.Sent[path]; {
		case told && value.Compare(f, target, live) == value.Alike, !told && r.Back[path]:
			continue
		case r.Since[path] != "":
			op.skip("run " + r.Since[path] + " has changed it since")
			return
		case f.Kind == schema.Enum && said && told && value.Compare(f, sent, live) != value.Alike: // a count goes down by itself
			op.skip(leftChanged + " since")
			return
		}
		same, s.Column = false, -1
		d.Put(s)
	}
	if same {
		op.Action, op.Reason = Unchanged, "it is taken back already"
		return
	}
	r.send(catalog.OperationNamed(done.Opposite))
}

// asked returns a word of a table as a request has it.
func asked(f *schema.Field, value string) json.RawMessage {
	if f.Kind.Numeric() || f.Kind == schema.Bool {
		return json.RawMessage(value)
	}
	text, _ := json.Marshal(value) // texts always encode
	return text
}

// again brings back what the run has taken away, as it was.
func (r restoration) again(opposite *schema.Operation) {
	op, d := r.op, r.d
	if r.Live != nil {
		op.Action, op.Reason = Unchanged, "it is back already"
		return
	}
	for _, f := range d.Resource.Columns() {
		value, known := r.Image[f.Path]
		if !known {
			value, known = r.Was[f.Path]
		}
		if !known || f.Manner || f.Local || f.Path == d.Resource.Named || !opposite.Takes(f) {
			continue
		}
		if s, ok := settingOf(f, value); ok {
			d.Put(s)
		}
	}
	if len(d.Settings) == 0 && d.Resource.Cell == nil {
		op.skip("lost: nobody knows what the " + d.Resource.One + " was like")
		return
	}
	r.send(opposite)
}

// send gives the op the request of an operation. An update that names its record by the id leaves the name as it is.
func (r restoration) send(operation *schema.Operation) {
	of := r.d.Resource
	if f, named := of.ByPath(of.Named); named && !f.Local && !r.d.Has(f.ID) && of.Or == "" {
		untouched := operation.Does == schema.Update && operation.ByID() != nil
		r.d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: r.op.Event.Name, Untouched: untouched})
	}
	r.request(operation.Does, r.op.Reason)
}
