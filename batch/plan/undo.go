package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/schema"
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

// Lacks reports whether a field may go back that the platform has not told, and would tell
// of the event alone.
func (r *Reversal) Lacks() bool {
	return r.Does == schema.Update && slices.ContainsFunc(r.Op.Of().Columns(), func(f *schema.Field) bool {
		_, said := r.Sent[f.Path]
		_, told := r.Live[f.Read()]
		_, imaged := r.Image[f.Path]
		_, sent := r.Was[f.Path]
		return said && !told && (imaged || sent) && r.returns(f) && !f.Local
	})
}

// returns reports whether the field is one that goes back.
func (r *Reversal) returns(f *schema.Field) bool {
	return !f.Manner && !f.Deprecated && !r.Op.Of().Names(f) && r.Wants(f)
}

// Undo returns the op that takes the op back. One that sends nothing says why.
func (r *Reversal) Undo() *Op {
	was := r.Op
	op := &Op{
		Row: was.Row, Resource: was.Resource, Event: was.Event, Hash: was.Hash, Reason: "undoes run " + r.Run,
		Payload: Payload{Cells: was.Cells, From: was.From},
	}
	resource := was.Of()
	done := r.done()
	var opposite *schema.Operation
	if done != nil {
		opposite = schema.OperationNamed(done.Opposite)
	}
	d := schema.NewDraft(resource, schema.Place{Row: was.Row.Number, Line: was.Row.Line, Column: -1})
	switch {
	case opposite == nil && (r.Does == schema.Update || r.Does == schema.Invite):
		op.skip("lost: no request takes it back")
	case opposite == nil && r.Does == schema.Create:
		op.skip("lost: no request takes " + resource.Some() + " away")
	case opposite == nil:
		op.skip("lost: " + resource.Some() + " that was taken away cannot be brought back")
	case r.Live == nil && r.Does != schema.Delete:
		op.skip("the " + resource.One + " is gone")
	case r.Does == schema.Create && !r.own():
		op.skip("left: the " + resource.One + " that has the id is another than the run has asked for")
	case was.Operation == schema.Transfer && !r.Wants(schema.FieldCalendarID.Field()):
		op.Action = Unchanged
	case was.Operation == schema.Transfer:
		r.transferBack(op)
	case r.Does == schema.Delete:
		r.again(op, d, opposite)
	case r.Does == schema.Create && opposite.Does == schema.Update:
		r.withdraw(op, d, done)
	case r.Does == schema.Create:
		r.takeAway(op, d, opposite)
	default:
		r.fields(op, d)
	}
	if !op.Action.Sends() {
		op.From = nil // no answer will name a field
	}
	return op
}

// done returns the operation that has been carried out. An update in the place of a create
// that has found its record is the first that there is, nil where no request changes such a record.
func (r *Reversal) done() *schema.Operation {
	if done := schema.OperationNamed(r.Op.Operation); done != nil && done.Does == r.Does {
		return done
	}
	return r.Op.Of().Operation(r.Does, r.Op.Event.Parent == "")
}

// takeAway takes away what the run has made.
func (r *Reversal) takeAway(op *Op, d *schema.Draft, opposite *schema.Operation) {
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
	r.request(op, d, opposite)
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
		return said && told && f.Compare(sent, live) != schema.Unlike
	}
	if of.Keyed() {
		var slug string
		_ = json.Unmarshal(r.Live[of.Slug], &slug) // one that is not told is none
		return event.Named(slug) || alike(schema.FieldName.Path()) && alike(schema.FieldStartAt.Path())
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
		return said && told && !f.Manner && f.Compare(sent, live) == schema.Unlike
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
func (r *Reversal) withdraw(op *Op, d *schema.Draft, done *schema.Operation) {
	same := true
	for path, value := range done.Back {
		f, _ := r.Op.Of().ByPath(path)
		var s schema.Setting
		if f.Parse(&s, value) != nil {
			continue // the table has good values
		}
		target := asked(f, value)
		live, told := r.Live[f.Read()]
		switch sent, said := r.Sent[path]; {
		case told && f.Compare(target, live) == schema.Alike, !told && r.Back[path]:
			continue
		case r.Since[path] != "":
			op.skip("run " + r.Since[path] + " has changed it since")
			return
		case f.Kind == schema.Enum && said && told && f.Compare(sent, live) != schema.Alike: // a count goes down by itself
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
	r.request(op, d, schema.OperationNamed(done.Opposite))
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
func (r *Reversal) again(op *Op, d *schema.Draft, opposite *schema.Operation) {
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
	r.request(op, d, opposite)
}

// request gives the op of a record its request.
func (r *Reversal) request(op *Op, d *schema.Draft, operation *schema.Operation) {
	if f, named := d.Resource.ByPath(d.Resource.Named); named && !f.Local && !d.Has(f.ID) && d.Resource.Or == "" {
		// An update that names the record by its id leaves the name as it is.
		named := schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: op.Event.Name}
		named.Untouched = operation.Does == schema.Update && operation.ByID() != nil
		d.Put(named)
	}
	(&row{p: New(Config{}), op: op, d: d}).request(operation.Does, op.Reason)
}

// fields puts each field back to what it was, where the platform still has what the run sent.
func (r *Reversal) fields(op *Op, d *schema.Draft) {
	image := r.imaged(d.Resource)
	var all []*returning
	for _, f := range d.Resource.Columns() {
		sent, said := r.Sent[f.Path]
		back := d.Resource.Bringing(f, schema.Update, op.Event.Parent == "")
		if !said || !r.returns(f) || !f.Local && back == nil {
			continue
		}
		r.meant(f)
		b := &returning{field: f, sent: sent}
		r.decide(b, image)
		if b.decision != "" {
			all = append(all, b)
		}
	}
	stay(all)
	var left, lost []*returning
	send := map[schema.ID]bool{}
	for _, b := range all {
		switch b.decision {
		case Send:
			send[b.field.ID] = true
			for _, s := range b.settings {
				r.locate(&s)
				d.Put(s)
			}
		case Left:
			left = append(left, b)
		default:
			lost = append(lost, b)
		}
		change := Change{Field: b.field.Path, Base: b.sent, Live: b.live, Decision: b.decision, Why: b.why}
		if b.known {
			change.Mine = b.was
		}
		op.Changes = append(op.Changes, change)
	}
	switch {
	case len(all) == 0:
		op.Action, op.Reason = Unchanged, "it is as it was before run "+r.Run
	case len(send) > 0:
		op.Reason += stays("left", left) + stays("lost", lost)
		r.update(op, d, send)
	case len(left) > 0:
		op.skip("left: " + left[0].why)
	default:
		op.skip("lost: " + lost[0].why)
	}
}

// meant takes what the opposite of the op makes of a field for what it was, where the op
// itself has made something of it and nobody knows better, and what the table says for what it
// was, where no request can say that.
func (r *Reversal) meant(f *schema.Field) {
	done := r.done()
	if back, image := done.Back[f.Path], r.Image[f.Path]; back != "" && image != nil && !r.Op.Of().Reaches(f, image) {
		delete(r.Image, f.Path)
		r.Was[f.Path] = asked(f, back)
	}
	if _, known := r.Was[f.Path]; known || done.Means[f.Path] == "" || done.Opposite == "" {
		return
	}
	if was := schema.OperationNamed(done.Opposite).Means[f.Path]; was != "" {
		r.Was[f.Path] = asked(f, was)
	}
}

// locate writes a time in the zone of its event, as people know it.
func (r *Reversal) locate(s *schema.Setting) {
	var name string
	if s.Field.Field().Kind != schema.Timestamp || json.Unmarshal(r.Live[schema.FieldTimezone.Path()], &name) != nil {
		return
	}
	if zone, err := schema.LoadZone(name); err == nil {
		s.Text = time.UnixMilli(s.Instant).In(zone).Format("2006-01-02T15:04:05.999Z07:00")
	}
}

// stays names the fields that do not go back.
func stays(word string, list []*returning) string {
	if len(list) == 0 {
		return ""
	}
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.field.Path + " (" + b.why + ")"
	}
	return "; " + word + ": " + strings.Join(names, ", ")
}

// update gives the op the request that puts the fields back, and their image as they are.
func (r *Reversal) update(op *Op, d *schema.Draft, send map[schema.ID]bool) {
	op.Action = Update
	reason := op.Reason
	if start := d.Get(schema.FieldStartAt); start != nil {
		op.Event.StartAt, op.Event.Zone = start.Instant, cmp.Or(zone(d, start), op.Event.Zone)
	}
	if of := d.Resource; of.Keyed() {
		op.Event.Slug = cmp.Or(d.Value(of.Slug), op.Event.Slug)
	}
	operation := d.Operation(schema.Update, op.Event.Parent == "")
	r.request(op, d, operation)
	if f := differing(operation); f != nil && op.Action == Update {
		want, imaged := r.Image[f.Path]
		if !imaged {
			want = f.JSON(d.Get(f.ID))
		}
		op.differ(f, want, nil, r.Live[f.Read()])
	}
	if op.Action != Update { // its parts make no whole
		op.skip("lost: " + op.Reason)
		op.Problems = nil
		return
	}
	op.Reason = reason
	c := comparison{row: &row{op: op}, members: r.Live, whole: r.Whole}
	c.keep(send)
}

// imaged returns the before-image as a row would say it.
func (r *Reversal) imaged(resource *schema.Resource) *schema.Draft {
	members := map[string]json.RawMessage{}
	for path, value := range r.Image {
		if f, ok := resource.ByPath(path); ok {
			members[f.Read()] = value
		}
	}
	d := new(schema.Draft)
	d.Record(resource, members)
	return d
}
