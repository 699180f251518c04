package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
)

// recordKey names a record for good, within its calendar: by what it belongs to and by
// its own name, in any letter case.
//
// What was sent to invite somebody is no state of a record, so it is remembered beside it.
func recordKey(r *schema.Resource, does schema.Action, parent, name string) string {
	of := r.Name
	if does == schema.Invite {
		of = "invited " + of
	}
	return of + ":" + parent + ":" + strings.ToLower(name)
}

// record decides what becomes of a row of another resource than events: a row says how
// a record should be, and the table of operations says how it is brought there.
func (p *Planner) record(op *Op, d *schema.Draft) {
	r := d.Resource
	op.Resource, op.Event.Name = r.Name, cmp.Or(d.Name(), d.Value(r.ID))
	event, further := p.home(op, d)
	if !further {
		return
	}
	name := op.Event.Name
	if r.Or != "" {
		name = cmp.Or(r.Likeness(d), name)
	}
	isNew := event != nil && event.action == Create // and none of what its export said is there
	if d.Untouched() && (d.Action == schema.Upsert || d.Action == schema.Update) && !isNew {
		if op.Event.Key = recordKey(r, d.Action, d.Value(r.Parent), name); !p.secondRecord(op, d) {
			op.Action, op.Reason = Unchanged, asExported
		}
		return
	}
	if d.Imply(); !p.parent(op, d, event) {
		return
	}
	op.Event.Key = recordKey(r, d.Action, op.Event.Parent, name)
	var known Known
	if len(op.After) == 0 {
		known, _ = p.config.Memory.Recall(op.Event.Calendar, op.Event.Key)
	} else {
		op.Event.Key = recordKey(r, d.Action, op.within(), name) // until its event has an id
	}
	if p.secondRecord(op, d) || p.secondAlike(op, d) {
		return
	}
	if known.Owed {
		op.Action, op.Reason = Blocked, "run "+known.Run+" has not settled this "+r.One+": finish it first"
		return
	}
	if op.Event.ID = d.Value(r.ID); op.Event.ID != "" && known.EventID != op.Event.ID {
		known = Known{} // the name was that of another record
	}
	if err := p.describe(op, d); err != nil {
		op.unsound(d, err)
		return
	}
	var live *Listed
	made := known.there()
	there := made && !known.Gone
	asks := r.IDField() != nil && known.EventID == "" || r.Lookup != "" || differs(d, op.Event.Parent == "")
	if asks && !p.sentSo(op, d, known) || p.compares() || p.anew(d, known) {
		there = false // its id, or what it has at present, has to be found
	}
	if !there && len(op.After) == 0 && p.config.Listed != nil {
		if live, further = p.listed(op, d, known, made); !further {
			return
		}
		if there = live != nil; there && known.EventID != live.ID && p.others(op, d, live) {
			return
		}
	}
	if live != nil && r.Lookup != "" && d.Name() == "" { // the row gives an id, by which nothing can be looked up
		_ = json.Unmarshal(live.Values[r.Or], &op.Event.Name)
		op.Event.Slug = r.OtherName(live.Values)
	}
	if r.Or != "" && there && p.secondName(op, d, known, live) {
		return
	}
	switch {
	case made && live == nil && len(op.After) == 0 && (d.Action == schema.Upsert || d.Action == schema.Update) && p.compares(),
		made && known.Gone && live == nil && d.Action == schema.Upsert && p.sentSo(op, d, known):
		op.Event.ID = known.EventID
		(&comparison{eventRow: &eventRow{p: p, op: op, d: d, known: known}}).gone()
	case d.Action == schema.Invite:
		p.invite(op, d, known, live)
	case there && d.Action == schema.Create:
		op.refuseAt(d, d.Naming().Path, schema.CodeKeyExists, fmt.Sprintf("the row says CREATE, but the %s exists", r.One),
			"say UPSERT or UPDATE to change the "+r.One)
	case there && d.Action == schema.Delete && p.undone(op, d, &known):
		op.Action, op.Reason = Unchanged, undoneBy(known.Run)
	case there && d.Action == schema.Delete:
		if op.Event.ID = known.EventID; live != nil {
			op.Event.ID = live.ID
		}
		p.requestRecord(op, d, schema.Delete, "the row says DELETE")
	case there:
		p.changeRecord(op, d, known, live)
	case op.Event.ID != "" && d.Action != schema.Delete:
		op.refuseAt(d, r.ID, schema.CodeKeyMissing, fmt.Sprintf("there is no %s %s", r.One, op.Event.ID),
			"leave the cell blank to have "+r.Some()+" made")
	case !there && r.Alike != nil && op.Event.Slug == "" && op.Event.ID == "" && known.Run == "":
		op.refuseAt(d, d.Naming().Path, schema.CodeKeyMissing,
			fmt.Sprintf("no run of this workspace knows the key, and nothing else says which %s it is", r.One),
			"fill in "+strings.Join(r.Alike, " and ")+" as they were sent, or "+r.ID)
	case known.Cancelled && known.Hash == op.Hash && d.Action == schema.Upsert && live == nil && p.undone(op, d, &known):
		op.Action, op.Reason = Unchanged, undoneBy(known.Run)
	case d.Action == schema.Delete:
		op.Action, op.Reason = Unchanged, "the "+r.One+" is gone already"
	case d.Action == schema.Update:
		op.refuseAt(d, d.Naming().Path, schema.CodeKeyMissing, fmt.Sprintf("the row says UPDATE, and there is no such %s", r.One),
			"say UPSERT or CREATE to add the "+r.One)
	default:
		p.createRecord(op, d)
	}
	p.outlast(op)
	if op.Action.Sends() || op.Agrees != "" {
		known = Recollection(p.config.Memory, &op.Event)
		for each := range op.All() {
			each.Known = known
		}
	}
	if live != nil && op.Action.Sends() {
		op.image(d, live)
	}
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
		p.added[of] = append(p.added[of], op.N)
	case Cancel:
		op.After = append(op.After, p.added[of]...)
	}
}

// image stores the before-image of what the op changes of a record.
func (op *Op) image(d *schema.Draft, live *Listed) {
	var fields []*schema.Field
	for _, f := range d.Resource.Columns() {
		if !f.Local && !f.Manner && f.Answers == nil && (op.Action == Cancel || d.Has(f.ID) && d.Sends(d.Get(f.ID))) {
			fields = append(fields, f)
		}
	}
	op.Before, _ = json.Marshal(Before{Fields: imageOf(live.Values, false, fields).Fields}) // what came as JSON is JSON
}

// secondAlike refuses a row that the service's lists could not tell from an earlier one.
func (p *Planner) secondAlike(op *Op, d *schema.Draft) bool {
	if op.Event.Slug = d.Resource.Likeness(d); op.Event.Slug == "" || d.Action == schema.Delete {
		return false
	}
	row, seen := p.earlier(op, d.Resource.Name+":"+op.Event.Parent+"\x00"+op.Event.Slug)
	if seen {
		op.refuseAt(d, d.Resource.Alike[0], schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d has the same %s", row, strings.Join(d.Resource.Alike, " and ")),
			"change a word: nothing else tells the two apart")
	}
	return seen
}

// secondRecord refuses a row whose record an earlier row has.
func (p *Planner) secondRecord(op *Op, d *schema.Draft) bool {
	row, seen := p.earlier(op, op.Event.Key)
	if seen {
		op.refuseAt(d, d.Naming().Path, schema.CodeDuplicateKey,
			fmt.Sprintf("row %d is about the same %s already", row, d.Resource.One),
			"keep one row for each "+d.Resource.One)
	}
	return seen
}

// secondName refuses a row whose record an earlier row has named by something else.
func (p *Planner) secondName(op *Op, d *schema.Draft, known Known, live *Listed) bool {
	id := known.EventID
	if live != nil {
		id = live.ID
	}
	row, seen := p.earlier(op, d.Resource.Name+"\x00"+id)
	if seen {
		op.refuseAt(d, d.Naming().Path, schema.CodeDuplicateKey,
			fmt.Sprintf("row %d is about %s %s already", row, d.Resource.One, id), "keep one row for each "+d.Resource.One)
	}
	return seen
}

// sentSo reports whether nothing is to be done for a record that a run has sent as the row is.
func (p *Planner) sentSo(op *Op, d *schema.Draft, known Known) bool {
	return d.Action != schema.Delete && p.config.Options.Compare != "none" && known.sent() && Values(known.Hash) == Values(op.Hash)
}

// createRecord plans a record that is not there yet.
func (p *Planner) createRecord(op *Op, d *schema.Draft) {
	if d.Touch() { // it was exported, and is gone since
		if err := p.describe(op, d); err != nil {
			op.unsound(d, err)
			return
		}
	}
	operation := p.operation(op, d, schema.Create)
	var rest *schema.Draft
	for path, refused := range operation.Refuses {
		value := d.Value(path)
		switch {
		case !slices.Contains(refused, value):
			continue
		case operation.Then != "":
			rest = d.Clone()
			for i := range rest.Settings {
				s := &rest.Settings[i]
				s.Untouched = s.Untouched || s.Field.Path() != path
			}
			continue
		}
		if d.Action == schema.Create {
			op.refuseAt(d, path, schema.CodeBadEnum, fmt.Sprintf("%s cannot be made with the %s %s", d.Resource.Some(), path, value),
				"say UPSERT, or leave the action blank: the row is then skipped where there is no such "+d.Resource.One)
			return
		}
		op.Action, op.Reason = Skip, fmt.Sprintf("there is no such %s that could become %s", d.Resource.One, value)
		return
	}
	before := len(op.Problems)
	emit := func(problem schema.Problem) { op.Problems = append(op.Problems, problem) }
	check.Required(d, schema.OnCreate, emit)
	check.Ahead(d, p.config.Now, schema.Error, emit)
	if len(op.Problems) > before {
		op.Action, op.Reason = Invalid, "the row makes "+d.Resource.Some()+", and lacks what that needs"
		return
	}
	if !p.refer(op, d) || !p.answer(op, d) {
		return
	}
	for i := range d.Settings {
		if s := &d.Settings[i]; s.Field.Field().Kind == schema.List && s.State == schema.Clear {
			s.Untouched = true // what is new has none
		}
	}
	op.Strict = d.Action == schema.Create
	reason := "the " + d.Resource.One + " is new"
	if rest == nil {
		reason += unsent(d, operation, nil)
	}
	p.requestRecord(op, d, schema.Create, reason)
	if rest != nil && op.Action == Create {
		p.further(op, rest, nil, "a new "+d.Resource.One+" is changed once it is there")
	}
}

// unsent names what the row says and the operation that adds its record cannot, where no request has brought it
// since; empty where there is nothing. agreed is what runs know that the two sides have agreed on.
func unsent(d *schema.Draft, adds *schema.Operation, agreed map[string]Base) string {
	var reason strings.Builder
	for i := range d.Settings {
		if s := &d.Settings[i]; !s.Untouched && s.Text != s.Field.Field().Default && left(adds, s.Field.Field(), agreed) {
			reason.WriteString(", and what its " + s.Field.Path() + " is the service says")
		}
	}
	return reason.String()
}

// left reports whether the operation that adds a record says nothing of a field, and no other request since.
func left(adds *schema.Operation, f *schema.Field, agreed map[string]Base) bool {
	_, sent := agreed[f.Path]
	return !sent && f.On.Has(schema.OnCreate) && !f.Manner && f.Each == nil && adds != nil && !adds.Takes(f)
}

// invite plans an invitation of somebody who was not invited yet, and is not there.
func (p *Planner) invite(op *Op, d *schema.Draft, known Known, live *Listed) {
	switch {
	case live != nil:
		op.Action, op.Reason = Unchanged, "the "+d.Resource.One+" is there already: nobody is invited twice"
	case known.sent():
		op.Action, op.Reason = Unchanged, "run "+known.Run+" has invited the "+d.Resource.One
	default:
		p.requestRecord(op, d, schema.Invite, "the row says INVITE")
	}
}

// changeRecord plans a record that is there, as the workspace remembers it, or else as
// the service lists it.
func (p *Planner) changeRecord(op *Op, d *schema.Draft, known Known, live *Listed) {
	if live != nil {
		op.Event.ID, op.Hash = live.ID, Values(op.Hash)
		compare := p.config.Options.Compare
		if p.undone(op, d, &known) {
			op.Action, op.Reason = Unchanged, undoneBy(known.Run)
			return
		}
		if !p.refer(op, d) || !p.fixed(op, d, live, known) || !p.answered(op, d, live) {
			return
		}
		op.stays(d, live)
		switch {
		case p.compares():
			live.merge(p, op, d, known)
		case compare != "none" && live.has(d):
			op.Action, op.Reason = Unchanged, "the service has it so already"
		case known.Run == "": // it was found again: nothing is known of it but what the list shows
			live.merge(p, op, d, known)
		default:
			p.updateRecord(op, d, live, "the "+d.Resource.One+" is there, and differs")
		}
		return
	}
	op.Event.ID = known.EventID
	if f := p.remade(d, known); f != nil {
		op.remade(d, f)
		return
	}
	had, certain := known.made()
	if certain && had != p.made {
		op.stays(d, nil)
	}
	if op.Hash = Values(op.Hash); certain {
		op.Hash = contentHash(op.Hash, had)
	}
	if p.undone(op, d, &known) {
		op.Action, op.Reason = Unchanged, undoneBy(known.Run)
		return
	}
	if p.config.Options.Compare != "none" && Values(known.Hash) == Values(op.Hash) {
		op.Action, op.Reason = Unchanged, "the same values were sent by run "+known.Run
		if adds := p.operation(op, d, schema.Create); p.config.Base != nil && unsent(d, adds, nil) != "" {
			if agreed := p.config.Base(&op.Event, known); len(agreed) > 0 {
				op.Reason += unsent(d, adds, agreed)
			}
		}
		return
	}
	p.updateRecord(op, d, nil, "values differ from those of run "+known.Run)
}

// anew reports whether a row may have other answers than its record was made with, or other values of what
// cannot be changed: only the record itself tells.
func (p *Planner) anew(d *schema.Draft, known Known) bool {
	had, certain := known.made()
	return (d.Resource.Answering() != nil || p.remade(d, known) != nil) &&
		d.Action != schema.Delete && certain && had != p.made
}

// remade returns the field by which a row would change what its record was made with, and cannot
// be changed; nil where it does not.
func (p *Planner) remade(d *schema.Draft, known Known) *schema.Field {
	if had, certain := known.made(); certain && had != p.made && p.made != "" {
		for i := range d.Settings {
			if f := d.Settings[i].Field.Field(); f.Fixed {
				return f
			}
		}
	}
	return nil
}

// remade refuses a row that would change what its record was made with.
func (op *Op) remade(d *schema.Draft, f *schema.Field) {
	op.refuseAt(d, f.Path, schema.CodeWrongOperation, f.Path+" of "+d.Resource.Some()+" cannot be changed, and it was made with another",
		"leave the cell as it was, or give the row a name of its own")
}

// updateRecord plans the update of a record, where the row says anything that an update
// can bring.
func (p *Planner) updateRecord(op *Op, d *schema.Draft, live *Listed, reason string) {
	var rest *schema.Draft
	if live != nil {
		p.lack(op, d, live)
		rest = p.divide(op, d)
	}
	operation := p.operation(op, d, schema.Update)
	if s := d.Get(d.Naming().ID); s != nil && d.Resource.IDField() != nil && (live == nil || live.named(d)) {
		s.Untouched = true // it stays
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		if operation != nil && operation.Brings(s.Field.Field()) && !s.Untouched {
			p.requestRecord(op, d, schema.Update, reason)
			if f := differing(operation); f != nil && op.Action == Update {
				list := d.Get(f.ID).JSON()
				op.differ(f, list, list, live.Values[f.Read()])
			}
			if rest != nil && op.Action == Update {
				p.further(op, rest, live, reason)
			}
			return
		}
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := s.Field.Field(); f.On.Has(schema.OnUpdate) && !f.Manner && !s.Untouched && !d.Resource.Reaches(f, s.JSON()) {
			op.refuseAt(d, f.Path, schema.CodeWrongOperation, fmt.Sprintf("%s cannot become %s", d.Resource.Some(), s.Text), f.Rule)
			return
		}
	}
	op.Action, op.Reason = Unchanged, "the row sets nothing that can be changed"
}
