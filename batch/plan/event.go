package plan

import (
	"fmt"
	"strings"

	"eventbatch/mapping/baseline"
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

// The reasons of a row whose event, or record, is live as it says.
const (
	hasIt   = "the platform has it so"
	foundSo = "found again by its slug, and the platform has it so"
)

// leftChanged is the reason of a row of which all stays that it would change: somebody else has changed it.
const leftChanged = "left: changed on the platform"

// eventRow is the deciding of one row about an event.
type eventRow struct {
	p     *Planner
	op    *Op
	d     *schema.Draft
	known Known // what is remembered of the event
	found bool  // the workspace did not know the event, which was found by its slug
}

// decide decides what becomes of the row. The order matters: first which event the row is
// about, then what an earlier run or row says of that event, and only then what the row asks
// for.
func (r *eventRow) decide(cover *Cover) {
	op, d := r.op, r.d
	if !r.address() || r.anothers() {
		return
	}
	r.rename()
	remembered := Recollection(r.p.config.Memory, &op.Event)
	r.known = remembered
	if r.known.Gone && op.Event.ID == "" && r.p.config.Options.ForgetMissing {
		r.known.Cancelled = true // whoever did it
	}
	if !r.find() || r.barred() {
		return
	}
	if op.Event.ID == "" && !r.known.Cancelled {
		op.Event.ID = r.known.EventID
	}
	if r.p.twice(op, d) {
		return
	}
	op.Cover = cover
	if op.Base != "" || r.p.compares() {
		op.Says = baseline.Says(d)
	}
	if err := r.p.describe(op, d); err != nil {
		op.unsound(d, err)
		return
	}
	r.choose()
	if r.p.config.Source.Renames[op.Event.Key] != "" && op.Action == Unchanged {
		op.Agrees = Differs // under its new key, from now on
	}
	if r.found {
		remembered = Recollection(r.p.config.Memory, &op.Event) // of the event, under whatever key
	}
	if op.Action.Sends() || op.Agrees != "" {
		op.Known = remembered
	}
	for _, part := range op.Parts {
		part.Known = remembered
	}
}

// address fills in which event the row is about, as far as the row says. It reports whether
// the row goes further.
func (r *eventRow) address() (further bool) {
	op, d := r.op, r.d
	op.Event = Event{
		Calendar: d.Calendar,
		ID:       d.Text(schema.FieldEventID),
		Slug:     d.Text(schema.FieldSlug),
		Name:     d.Text(schema.FieldName),
	}
	if start := d.Get(schema.FieldStartAt); start != nil {
		op.Event.StartAt, op.Event.Zone = start.Instant, zone(d, start)
	}
	if !r.p.calendar(op, d) {
		return false
	}
	op.Event.Key = Key(d)
	return true
}

// zone names the zone in which the event starts: the row's, else the offset that its
// start is written with.
func zone(d *schema.Draft, start *schema.Setting) string {
	if name := d.Text(schema.FieldTimezone); name != "" {
		return name
	}
	if i := strings.LastIndexAny(start.Text, "+-"); i > len("2006-01-02") {
		return start.Text[i:]
	}
	return ""
}

// find looks for the event that an earlier workspace made for the row's key, where nothing
// else says which event that is. It reports whether the row goes further.
func (r *eventRow) find() (further bool) {
	op, d := r.op, r.d
	// An UPDATE or CANCEL row whose key is its slug is looked up by that slug when it is sent.
	bySlug := op.Event.KeyIsSlug() && (d.Action == schema.Update || d.Action == schema.Cancel)
	// A key whose event was cancelled may have been made anew elsewhere.
	made := r.known.EventID != "" && (!r.known.Cancelled || d.Action == schema.Cancel)
	if op.Event.ID != "" || made || r.known.Owed || bySlug || r.p.config.Find == nil {
		return true
	}
	ids, err := r.p.config.Find(op.Event)
	switch {
	case err != nil:
		op.Action, op.Reason = Blocked, err.Error()
		return false
	case len(ids) > 1:
		op.refuse(d, schema.FieldKey, schema.CodeKeyConflict,
			fmt.Sprintf("%d events were made for this row's key: %s", len(ids), strings.Join(ids, ", ")),
			"name the right one in event_id, and cancel the others")
		return false
	}
	var elsewhere Known
	if len(ids) == 1 {
		if elsewhere, _ = r.p.config.Memory.Event(ids[0]); !elsewhere.Cancelled && !elsewhere.Gone {
			op.Event.ID = ids[0]
		}
	}
	if op.Event.ID != "" || !r.known.Cancelled {
		r.known, r.found = elsewhere, len(ids) == 1
	}
	return true
}

// barred keeps back a row that what is remembered of its event does not let pass. It reports
// whether it did.
func (r *eventRow) barred() bool {
	op, d, known := r.op, r.d, &r.known
	switch {
	case known.Owed:
		op.Action = Blocked
		op.Reason = "run " + known.Run + " has not settled this key: finish it first"
	case known.Cancelled && op.Event.ID != "" && op.Event.ID == known.EventID && d.Action != schema.Cancel:
		op.Action, op.Reason = Skip, "run "+known.Run+" cancelled event "+op.Event.ID
	case op.Event.ID != "" && known.EventID != "" && op.Event.ID != known.EventID:
		op.refuse(d, schema.FieldEventID, schema.CodeKeyConflict,
			fmt.Sprintf("key %q belongs to event %s, but the row names %s", d.Key, known.EventID, op.Event.ID),
			"correct the event_id, or give the row a key of its own")
	default:
		return false
	}
	return true
}

// choose decides by what the row asks for, now that its event is known or known to be new.
func (r *eventRow) choose() {
	op, d, known := r.op, r.d, &r.known
	switch {
	case d.Action == schema.Cancel:
		r.cancel()
	case known.Cancelled && known.Hash == op.Hash && r.p.undone(op, d, known) && d.Action != schema.Create:
		op.Action, op.Reason = Unchanged, undoneBy(known.Run)
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

func (r *eventRow) cancel() {
	op, d, known := r.op, r.d, &r.known
	switch {
	case known.Gone && known.Cancelled:
		op.Action, op.Reason = Unchanged, "the event is gone already"
	case known.Cancelled:
		op.Action, op.Reason = Unchanged, "run "+known.Run+" cancelled it already"
	case op.Event.ID == "" && op.Event.Slug == "":
		op.missing(d, "cancel")
		op.Action, op.Problems[len(op.Problems)-1].Severity = Skip, schema.Warning // it is as the row says
	default:
		op.Action, op.Reason = Cancel, "the row says CANCEL"
		r.request(schema.Cancel)
	}
}

// change plans what becomes of an event that is there.
func (r *eventRow) change() {
	op, d, known := r.op, r.d, &r.known
	had, certain := known.made()
	op.Hash = Values(op.Hash)
	if certain {
		op.Hash = contentHash(op.Hash, had)
	}
	r.leftOut(had, certain)
	same := r.p.config.Options.Compare != "none" && Values(op.Hash) != "" && Values(known.Hash) == Values(op.Hash)
	if r.p.undone(op, d, known) {
		op.Action, op.Reason = Unchanged, undoneBy(known.Run)
		return
	}
	if (r.p.compares() || r.found && r.p.config.Live != nil) && (d.Action != schema.Create || !same) && r.merge() {
		return
	}
	switch {
	case d.Moved > 0 && !r.p.compares(), d.Calendar != "" && r.moves(op.Event.Calendar) && (op.Hash == "" || r.elsewhere()):
		r.unmovable("only what is live tells which calendar the event is on")
		return
	case same:
		op.Action, op.Reason = Unchanged, "the same values were sent by run "+known.Run
		return
	case d.Action == schema.Create && known.Gone:
		op.refuse(d, schema.FieldKey, schema.CodeKeyExists,
			fmt.Sprintf("the row says CREATE, but its event was made before, as %s", op.Event.ID),
			"if the event was deleted, say --forget-missing to create it anew")
		return
	case d.Action == schema.Create:
		op.refuse(d, schema.FieldKey, schema.CodeKeyExists,
			fmt.Sprintf("the row says CREATE, but its event exists as %s", op.Event.ID),
			"say UPSERT or UPDATE to change the event")
		return
	case d.Untouched():
		op.Action, op.Reason = Unchanged, asExported
		return
	case Values(op.Hash) == "":
		op.Action, op.Reason = Unchanged, "the row sets no field"
		return
	}
	op.Action = Update
	switch {
	case known.EventID == "":
		op.Reason = NamesEvent
	case known.Gone:
		op.Reason = "run " + known.Run + " found no such event"
	case Values(known.Hash) == "":
		op.Reason = "run " + known.Run + " knows the event, not its values"
	case r.p.config.Options.Compare == "none":
		op.Reason = "nothing is compared"
	default:
		op.Reason = "values differ from those of run " + known.Run
	}
	if !d.Has(schema.FieldEventID) {
		d.Put(schema.Setting{Field: schema.FieldEventID, State: schema.Set, Column: -1, Text: op.Event.ID})
	}
	r.request(schema.Update)
}

// changeBySlug plans the update of an event that only its slug can name.
func (r *eventRow) changeBySlug() {
	op, d := r.op, r.d
	if op.Event.Slug == "" {
		op.missing(d, "update")
		return
	}
	if r.p.compares() && r.p.config.Parent != nil {
		id, err := r.p.config.Parent(op.Event.Calendar, op.Event.Slug)
		switch {
		case err != nil:
			op.Action, op.Reason = Blocked, err.Error()
		case id == "":
			op.missing(d, "update")
		default:
			op.Event.ID = id
			r.change()
		}
		return
	}
	op.Action, op.Reason = Update, "the event is looked up by its slug"
	r.request(schema.Update)
}

func (r *eventRow) create() {
	op, d, known := r.op, r.d, &r.known
	before := len(op.Problems)
	check.Required(d, schema.OnCreate, func(problem schema.Problem) { op.Problems = append(op.Problems, problem) })
	if len(op.Problems) > before {
		op.Action, op.Reason = Invalid, "the row creates an event, and lacks what that needs"
		return
	}
	op.Action, op.Reason = Create, "the key is new"
	op.Strict = d.Action == schema.Create
	switch {
	case known.Gone:
		op.Reason = "run " + known.Run + " found the earlier event missing"
	case known.Cancelled && r.p.config.BackAgain != nil && r.p.config.BackAgain(&op.Event, *known):
		op.Reason = "back again"
	case known.Cancelled:
		op.Reason = "run " + known.Run + " cancelled the earlier event"
	}
	if op.Event.Slug == "" && r.p.config.Options.Slug != "keep" {
		op.Event.Slug = DeriveSlug(op.Event.Name, op.Event.Calendar, op.Event.Key)
		op.Event.Derived = true
		d.Put(schema.Setting{Field: schema.FieldSlug, State: schema.Set, Column: -1, Text: op.Event.Slug})
	}
	r.request(schema.Create)
}

// request makes the body of the op's request. The draft has passed package check, so an
// error means that the two packages have different rules: the row is refused, not sent.
func (r *eventRow) request(does schema.Action) {
	op, d := r.op, r.d
	operation := d.Resource.Operation(does, false)
	if does == schema.Update {
		quiet(d)
	}
	body, err := schema.AppendBody(r.p.buf[:0], d, operation)
	if err != nil {
		op.unsound(d, err)
		return
	}
	r.p.buf = body
	if op.Operation = operation.Name; does != schema.Cancel || len(body) > len("{}") {
		op.Body = append([]byte(nil), body...)
	}
}

// quiet keeps guests from being mailed about an update, unless the row itself says
// whether they are.
func quiet(d *schema.Draft) {
	if !d.Has(schema.FieldSuppressEmail) && !d.Has(schema.FieldSuppressNotices) {
		d.Put(schema.Setting{Field: schema.FieldSuppressEmail, State: schema.Set, Column: -1, Text: "true"})
	}
}
