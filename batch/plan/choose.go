package plan

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
)

// Passed is the reason of unchanged rows that were only counted.
const Passed = "nothing has changed"

// asExported is the reason of a row that nobody has touched since it was exported.
const asExported = "the row is as it was exported"

// NamesEvent is the reason of an update whose event no run knows.
const NamesEvent = "the row names the event"

// FoundAgain is the reason of an update whose event the workspace did not know.
const FoundAgain = "the event was found again by its slug: this workspace did not know it"

// The reasons of a row whose record is live as it says.
const (
	hasIt   = "the platform has it so"
	foundSo = "found again by its slug, and the platform has it so"
)

// leftChanged is the reason of a row of which all stays that it would change: somebody else has changed it.
const leftChanged = "left: changed on the platform"

// choose decides by what the row asks for, now that its record is known or known to be new.
func (r *row) choose() {
	switch of := r.d.Resource; {
	case of.Keyed():
		r.says()
		r.chooseBySlug()
		if r.p.config.Source.Renames[r.op.Event.Key] != "" && r.op.Action == Unchanged {
			r.op.Agrees = Differs // under its new key, from now on
		}
	case of.Cell != nil:
		r.request(r.d.Action, "the call says so")
	default:
		r.chooseByList()
	}
}

func (r *row) chooseBySlug() {
	op, d, known := r.op, r.d, &r.known
	switch {
	case d.Action == schema.Cancel:
		r.cancel()
	case known.Cancelled && known.Hash == op.Hash && r.undone() && d.Action != schema.Create:
		r.unchanged(undoneBy(known.Run))
	case op.Event.ID != "":
		r.change()
		switch {
		case r.found && op.Action == Update:
			op.Reason = FoundAgain
		case r.found && op.Reason == hasIt:
			op.Reason = foundSo
		}
	case d.Action == schema.Update:
		r.changeBySlug()
	default:
		r.create()
	}
}

func (r *row) chooseByList() {
	op, d, known := r.op, r.d, &r.known
	of, made := d.Resource, known.there()
	keeps := d.Action == schema.Upsert || d.Action == schema.Update
	switch {
	case made && r.live == nil && len(op.After) == 0 && keeps && r.p.compares(),
		made && known.Gone && r.live == nil && d.Action == schema.Upsert && r.sentSo():
		op.Event.ID = known.EventID
		(&comparison{row: r}).gone()
	case d.Action == schema.Invite:
		r.invite()
	case r.there && d.Action == schema.Create:
		r.refuseAt(d.Naming().Path, schema.CodeKeyExists, fmt.Sprintf("the row says CREATE, but the %s exists", of.One),
			"say UPSERT or UPDATE to change the "+of.One)
	case r.there && d.Action == schema.Delete && r.undone():
		r.unchanged(undoneBy(known.Run))
	case r.there && d.Action == schema.Delete:
		if op.Event.ID = known.EventID; r.live != nil {
			op.Event.ID = r.live.ID
		}
		r.request(schema.Delete, "the row says DELETE")
	case r.there && r.live != nil:
		r.changeListed()
	case r.there:
		r.changeRemembered()
	case op.Event.ID != "" && d.Action != schema.Delete:
		r.refuseAt(of.ID, schema.CodeKeyMissing, fmt.Sprintf("there is no %s %s", of.One, op.Event.ID),
			"leave the cell blank to have "+of.Some()+" made")
	case of.Alike != nil && op.Event.Slug == "" && op.Event.ID == "" && known.Run == "":
		r.refuseAt(d.Naming().Path, schema.CodeKeyMissing,
			fmt.Sprintf("no run of this workspace knows the key, and nothing else says which %s it is", of.One),
			"fill in "+strings.Join(of.Alike, " and ")+" as they were sent, or "+of.ID)
	case known.Cancelled && known.Hash == op.Hash && d.Action == schema.Upsert && r.live == nil && r.undone():
		r.unchanged(undoneBy(known.Run))
	case d.Action == schema.Delete:
		r.unchanged("the " + of.One + " is gone already")
	case d.Action == schema.Update:
		r.refuseAt(d.Naming().Path, schema.CodeKeyMissing, fmt.Sprintf("the row says UPDATE, and there is no such %s", of.One),
			"say UPSERT or CREATE to add the "+of.One)
	default:
		r.add()
	}
}

func (r *row) cancel() {
	op, known := r.op, &r.known
	switch {
	case known.Gone && known.Cancelled:
		r.unchanged("the event is gone already")
	case known.Cancelled:
		r.unchanged("run " + known.Run + " cancelled it already")
	case op.Event.ID == "" && op.Event.Slug == "":
		r.missing("cancel")
		op.Action, op.Problems[len(op.Problems)-1].Severity = Skip, schema.Warning // it is as the row says
	default:
		r.request(schema.Cancel, "the row says CANCEL")
	}
}

// invite plans an invitation of somebody who was not invited yet, and is not there.
func (r *row) invite() {
	switch one := r.d.Resource.One; {
	case r.live != nil:
		r.unchanged("the " + one + " is there already: nobody is invited twice")
	case r.known.sent():
		r.unchanged("run " + r.known.Run + " has invited the " + one)
	default:
		r.request(schema.Invite, "the row says INVITE")
	}
}

// change plans what becomes of an event that is there.
func (r *row) change() {
	op, d, known := r.op, r.d, &r.known
	had, certain := known.made()
	op.Hash = Values(op.Hash)
	if certain {
		op.Hash = contentHash(op.Hash, had)
	}
	r.leftOut(had, certain)
	same := r.p.config.Options.Compare != "none" && Values(op.Hash) != "" && Values(known.Hash) == Values(op.Hash)
	if r.undone() {
		r.unchanged(undoneBy(known.Run))
		return
	}
	if (r.p.compares() || r.found && r.p.config.Live != nil) && (d.Action != schema.Create || !same) && r.merge() {
		return
	}
	switch {
	case d.Moved > 0 && !r.p.compares(), d.Calendar != "" && r.moves(op.Event.Calendar) && (op.Hash == "" || r.elsewhere()):
		r.unmovable("only what is live tells which calendar the event is on")
	case same:
		r.unchanged("the same values were sent by run " + known.Run)
	case d.Action == schema.Create && known.Gone:
		r.refuse(schema.FieldKey, schema.CodeKeyExists,
			fmt.Sprintf("the row says CREATE, but its event was made before, as %s", op.Event.ID),
			"if the event was deleted, say --forget-missing to create it anew")
	case d.Action == schema.Create:
		r.refuse(schema.FieldKey, schema.CodeKeyExists,
			fmt.Sprintf("the row says CREATE, but its event exists as %s", op.Event.ID),
			"say UPSERT or UPDATE to change the event")
	case d.Untouched():
		r.unchanged(asExported)
	case Values(op.Hash) == "":
		r.unchanged("the row sets no field")
	case known.EventID == "":
		r.request(schema.Update, NamesEvent)
	case known.Gone:
		r.request(schema.Update, "run "+known.Run+" found no such event")
	case Values(known.Hash) == "":
		r.request(schema.Update, "run "+known.Run+" knows the event, not its values")
	case r.p.config.Options.Compare == "none":
		r.request(schema.Update, "nothing is compared")
	default:
		r.request(schema.Update, "values differ from those of run "+known.Run)
	}
}

// changeBySlug plans the update of an event that only its slug can name.
func (r *row) changeBySlug() {
	op := r.op
	if op.Event.Slug == "" {
		r.missing("update")
		return
	}
	if !r.p.compares() || r.p.config.Parent == nil {
		r.request(schema.Update, "the event is looked up by its slug")
		return
	}
	id, err := r.p.config.Parent(op.Event.Calendar, op.Event.Slug)
	switch {
	case err != nil:
		r.hold(err.Error())
	case id == "":
		r.missing("update")
	default:
		op.Event.ID = id
		r.change()
	}
}

// changeListed plans a record that is there, as the service lists it.
func (r *row) changeListed() {
	op, d, one := r.op, r.d, r.d.Resource.One
	op.Event.ID, op.Hash = r.live.ID, Values(op.Hash)
	if r.undone() {
		r.unchanged(undoneBy(r.known.Run))
		return
	}
	if !r.refer() || !r.fixed() || !r.answered() {
		return
	}
	r.stays()
	switch {
	case r.p.compares():
		r.merge()
	case r.p.config.Options.Compare != "none" && r.live.has(d):
		r.unchanged("the service has it so already")
	case r.known.Run == "": // it was found again: nothing is known of it but what the list shows
		r.merge()
	default:
		r.update("the " + one + " is there, and differs")
	}
}

// changeRemembered plans a record that is there as the workspace remembers it.
func (r *row) changeRemembered() {
	op, d, known := r.op, r.d, &r.known
	op.Event.ID = known.EventID
	if f := r.remade(); f != nil {
		r.refuseRemade(f)
		return
	}
	had, certain := known.made()
	if certain && had != r.made {
		r.stays()
	}
	if op.Hash = Values(op.Hash); certain {
		op.Hash = contentHash(op.Hash, had)
	}
	switch {
	case r.undone():
		r.unchanged(undoneBy(known.Run))
	case r.p.config.Options.Compare == "none" || Values(known.Hash) != Values(op.Hash):
		r.update("values differ from those of run " + known.Run)
	default:
		r.unchanged("the same values were sent by run " + known.Run)
		if adds := r.operation(schema.Create); r.p.config.Base != nil && unsent(d, adds, nil) != "" {
			if agreed := r.p.config.Base(&op.Event, *known); len(agreed) > 0 {
				op.Reason += unsent(d, adds, agreed)
			}
		}
	}
}

// refuseRemade refuses a row that would change what its record was made with.
func (r *row) refuseRemade(f *schema.Field) {
	r.refuseAt(f.Path, schema.CodeWrongOperation,
		f.Path+" of "+r.d.Resource.Some()+" cannot be changed, and it was made with another",
		"leave the cell as it was, or give the row a name of its own")
}

// fixed refuses a row that would change what cannot be changed. ok means that it does not. What no list
// tells is compared with what the record was made with, and left out where that is not known.
func (r *row) fixed() (ok bool) {
	had, certain := r.known.made()
	for i := range r.d.Settings {
		s := &r.d.Settings[i]
		f := s.Field.Field()
		value, told := r.live.Values[f.Read()]
		if f.Fixed && told && !s.Untouched && f.Compare(s.JSON(), value) != schema.Alike {
			r.refuseAt(f.Path, schema.CodeWrongOperation,
				fmt.Sprintf("%s of %s cannot be changed: it is %s", f.Path, r.d.Resource.Some(), value),
				"leave the cell as it was, or give the row a name of its own")
			return false
		}
		if !f.Fixed || told || s.Untouched || certain && had == r.made {
			continue
		}
		if certain {
			r.refuseRemade(f)
			return false
		}
		r.op.Problems = append(r.op.Problems, problemAt(r.d, f.Path, schema.CodeFieldLeftOut,
			f.Path+" of "+r.d.Resource.Some()+" can be set only when it is added, and nobody can read back what this one has: "+
				"the cell is left out",
			"leave it blank, or change it on the platform"))
	}
	return true
}

// create plans an event that is not there yet.
func (r *row) create() {
	op, d, known := r.op, r.d, &r.known
	if r.lacks() {
		return
	}
	reason := "the key is new"
	switch {
	case known.Gone:
		reason = "run " + known.Run + " found the earlier event missing"
	case known.Cancelled && r.p.config.BackAgain != nil && r.p.config.BackAgain(&op.Event, *known):
		reason = "back again"
	case known.Cancelled:
		reason = "run " + known.Run + " cancelled the earlier event"
	}
	if op.Event.Slug == "" && r.p.config.Options.Slug != "keep" {
		op.Event.Slug = DeriveSlug(op.Event.Name, op.Event.Calendar, op.Event.Key)
		op.Event.Derived = true
		d.Put(schema.Setting{Field: schema.FieldSlug, State: schema.Set, Column: -1, Text: op.Event.Slug})
	}
	op.Strict = d.Action == schema.Create
	r.request(schema.Create, reason)
}

// lacks refuses a row that lacks what making its record needs.
func (r *row) lacks() bool {
	before := len(r.op.Problems)
	emit := func(problem schema.Problem) { r.op.Problems = append(r.op.Problems, problem) }
	check.Required(r.d, schema.OnCreate, emit)
	check.Ahead(r.d, r.p.config.Now, schema.Error, emit)
	lacks := len(r.op.Problems) > before
	if lacks {
		r.op.Action, r.op.Reason = Invalid, "the row makes "+r.d.Resource.Some()+", and lacks what that needs"
	}
	return lacks
}

// add plans a record that is not there yet.
func (r *row) add() {
	op, d := r.op, r.d
	if d.Touch() { // it was exported, and is gone since
		if err := r.content(); err != nil {
			r.unsound(err)
			return
		}
	}
	operation := r.operation(schema.Create)
	rest, refused := r.refusedAt(operation)
	if refused || r.lacks() || !r.refer() || !r.answer() {
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
	r.request(schema.Create, reason)
	if rest != nil && op.Action == Create {
		r.further(rest, "a new "+d.Resource.One+" is changed once it is there")
	}
}

// refusedAt refuses a row with a value that nothing can be made with, or returns the row with what is brought once
// the record is there, nil where the operation that makes it brings all.
func (r *row) refusedAt(makes *schema.Operation) (rest *schema.Draft, refused bool) {
	d, of := r.d, r.d.Resource
	for path, values := range makes.Refuses {
		value := d.Value(path)
		switch {
		case !slices.Contains(values, value):
			continue
		case makes.Then != "":
			rest = d.Clone()
			for i := range rest.Settings {
				s := &rest.Settings[i]
				s.Untouched = s.Untouched || s.Field.Path() != path
			}
			continue
		case d.Action == schema.Create:
			r.refuseAt(path, schema.CodeBadEnum, fmt.Sprintf("%s cannot be made with the %s %s", of.Some(), path, value),
				"say UPSERT, or leave the action blank: the row is then skipped where there is no such "+of.One)
		default:
			r.op.skip(fmt.Sprintf("there is no such %s that could become %s", of.One, value))
		}
		return nil, true
	}
	return rest, false
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

// update plans the update of a record, where the row says anything that an update
// can bring.
func (r *row) update(reason string) {
	op, d := r.op, r.d
	var rest *schema.Draft
	if r.live != nil {
		r.lack()
		rest = r.divide()
	}
	operation := r.operation(schema.Update)
	if s := d.Get(d.Naming().ID); s != nil && d.Resource.IDField() != nil && (r.live == nil || r.live.named(d)) {
		s.Untouched = true // it stays
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		if operation != nil && operation.Brings(s.Field.Field()) && !s.Untouched {
			r.request(schema.Update, reason)
			if f := differing(operation); f != nil && op.Action == Update {
				list := d.Get(f.ID).JSON()
				op.differ(f, list, list, r.live.Values[f.Read()])
			}
			if rest != nil && op.Action == Update {
				r.further(rest, reason)
			}
			return
		}
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := s.Field.Field(); f.On.Has(schema.OnUpdate) && !f.Manner && !s.Untouched && !d.Resource.Reaches(f, s.JSON()) {
			r.refuseAt(f.Path, schema.CodeWrongOperation, fmt.Sprintf("%s cannot become %s", d.Resource.Some(), s.Text), f.Rule)
			return
		}
	}
	r.unchanged("the row sets nothing that can be changed")
}
