package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/check"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Config holds the options of a Planner, and what it asks others for.
type Config struct {
	Options Options
	// Resolve gives the calendar that a row means by its calendar column, which
	// may be empty. Its error says why no key serves it.
	Resolve func(calendar string) (string, error)
	Memory  Memory
	// Source names what the rows come from, as [Header.Source] does, and TakesOver another one
	// whose keys become its own. Renames are the old keys of rows, by the new.
	Source, TakesOver string
	Renames           map[string]string
	// BackAgain reports whether an event was cancelled because its row was gone.
	BackAgain func(event *Event, known Known) bool
	// Find returns the ids of the events whose slug names the row's key (see
	// [SlugIndex]). It is called for a row whose key the memory does not know, or whose
	// event was cancelled, and that names no event by its id. An error says why the calendar's events cannot
	// be listed: the row waits then. Nil finds nothing.
	Find func(Event) ([]string, error)
	// Parent returns the id of the event that the service knows by that id or slug, and
	// Listed what it lists of another record, nil where there is none. They are called
	// for what the memory does not know; an error other than [ErrGone] says why the row has to wait. Where
	// they are nil, nothing is found.
	Parent func(calendar, word string) (id string, err error)
	Listed func(*schema.Resource, *Event) (*Listed, error)
	// Live returns the members of an event as the service tells them now, and whether they
	// are whole or only what lists tell; whole asks for all. An error other than [ErrGone]
	// says why the row has to wait. Base returns what the row and the event last agreed on, by
	// the paths of its fields, as far as runs know. They are called where rows are compared with what is live.
	Live func(event *Event, whole bool) (members map[string]json.RawMessage, complete bool, err error)
	Base func(event *Event, known Known) map[string]Base
	// Ask asks somebody who is right, [Mine] or [Theirs], where the row and the platform have
	// both changed these fields, or where the platform has cancelled the event of a row that
	// was changed, and there are none. Any other answer holds the row back. Nil asks nobody.
	Ask func(op *Op, fields []Change) (who string)
}

// Input is one row as it was read, in the form that a plan keeps.
type Input struct {
	Row      Row
	Cells    []string
	Draft    *schema.Draft // nil where the row could not be read as a draft
	Problems []schema.Problem
	Skipped  string // why the row asks for nothing, empty where it asks for something
	Lacking  string // what the whole file lacks and the row needs, empty for nearly all
	Cover    *Cover // the picture that the row names, nil without one
}

// A Planner turns rows into ops in the order of the input.
type Planner struct {
	config Config
	next   int
	buf    []byte
	made   string         // hash of what only a create takes, of the row at hand
	keys   map[place]int  // the row of each key
	events map[string]int // the row of each event

	renamed map[string]bool // the old keys whose rows were met
}

// place is a key within its calendar.
type place struct{ calendar, key string }

// New returns a Planner without rows.
func New(config Config) *Planner {
	return &Planner{config: config, keys: map[place]int{}, events: map[string]int{}, renamed: map[string]bool{}}
}

// Add decides what becomes of one row. The op keeps nothing of the draft.
func (p *Planner) Add(in Input) *Op {
	op := &Op{N: p.next, Row: in.Row, Payload: Payload{Cells: in.Cells, Problems: in.Problems}}
	p.next++
	if in.Draft != nil {
		op.Base = in.Draft.Base
	}
	p.decide(op, in)
	if op.Action.Sends() && op.Resource == "" {
		op.Estimate()
	}
	if !op.Action.Sends() {
		op.From = nil // no answer will name a field
	}
	return op
}

func (p *Planner) decide(op *Op, in Input) {
	d := in.Draft
	switch {
	case hasErrors(in.Problems) || d == nil:
		op.Action, op.Reason = Invalid, "the row has errors"
		if d != nil {
			op.Event.Key = cmp.Or(d.Value(d.Resource.Named), d.Key)
		}
		return
	case in.Lacking != "":
		op.Action, op.Reason = Invalid, in.Lacking
		return
	case in.Skipped != "":
		op.Action, op.Reason = Skip, in.Skipped
		return
	case d.Action == schema.Skip:
		op.Action, op.Reason = Skip, "the row says SKIP"
		return
	}
	if d.Resource != schema.Events {
		if p.calendar(op, d) {
			p.record(op, d)
		}
		return
	}
	if !p.address(op, d) {
		return
	}
	if p.anothers(op, d) {
		return
	}
	p.rename(op)
	known := Recollection(p.config.Memory, &op.Event)
	remembered := known
	if known.Missing && op.Event.ID == "" && p.config.Options.ForgetMissing {
		known.Cancelled = true // whoever did it
	}
	found := false
	// An UPDATE or CANCEL row whose key is its slug is looked up by that slug when it is sent.
	bySlug := op.Event.KeyIsSlug() && (d.Action == schema.Update || d.Action == schema.Cancel)
	// A key whose event was cancelled may have been made anew elsewhere.
	made := known.EventID != "" && (!known.Cancelled || d.Action == schema.Cancel)
	if op.Event.ID == "" && !made && !known.Owed && !bySlug && p.config.Find != nil {
		elsewhere, again, ok := p.find(op, d)
		if !ok {
			return
		}
		if op.Event.ID != "" || !known.Cancelled {
			known, found = elsewhere, again
		}
	}
	switch {
	case known.Owed:
		op.Action = Blocked
		op.Reason = "run " + known.Run + " has not settled this key: finish it first"
		return
	case known.Cancelled && op.Event.ID != "" && op.Event.ID == known.EventID && d.Action != schema.Cancel:
		op.Action, op.Reason = Skip, "run "+known.Run+" cancelled event "+op.Event.ID
		return
	case op.Event.ID != "" && known.EventID != "" && op.Event.ID != known.EventID:
		op.refuse(d, schema.FieldEventID, schema.CodeKeyConflict,
			fmt.Sprintf("key %q belongs to event %s, but the row names %s", d.Key, known.EventID, op.Event.ID),
			"correct the event_id, or give the row a key of its own")
		return
	}
	if op.Event.ID == "" && !known.Cancelled {
		op.Event.ID = known.EventID
	}
	if p.twice(op, d) {
		return
	}
	op.Cover = in.Cover
	if op.Base != "" || p.compares() {
		op.Says = baseline.Says(d)
	}
	if err := p.describe(op, d); err != nil {
		op.refuse(d, schema.FieldAction, schema.CodeBadObject, err.Error(), "")
		return
	}
	compared := p.config.Options.Compare != "none"
	switch {
	case d.Action == schema.Cancel:
		p.cancel(op, d, known)
	case compared && known.Cancelled && known.Hash == op.Hash && known.undone(op.Hash) && d.Action != schema.Create:
		op.Action, op.Reason = Unchanged, known.undoneBy()
	case op.Event.ID != "":
		p.change(op, d, known)
		if found && op.Action == Update {
			op.Reason = FoundAgain
		}
	case d.Action == schema.Update:
		p.changeBySlug(op, d, known)
	default:
		p.create(op, d, known)
	}
	if p.config.Renames[op.Event.Key] != "" && op.Action == Unchanged {
		op.Agrees = Differs // under its new key, from now on
	}
	if found {
		remembered = Recollection(p.config.Memory, &op.Event) // of the event, under whatever key
	}
	if op.Action.Sends() || op.Agrees != "" {
		op.Known = remembered
	}
}

// address fills in which event the row is about, as far as the row says.
func (p *Planner) address(op *Op, d *schema.Draft) bool {
	op.Event = Event{
		Calendar: d.Calendar,
		ID:       d.Text(schema.FieldEventID),
		Slug:     d.Text(schema.FieldSlug),
		Name:     d.Text(schema.FieldName),
	}
	if start := d.Get(schema.FieldStartAt); start != nil {
		op.Event.StartAt, op.Event.Zone = start.Instant, zone(d, start)
	}
	if !p.calendar(op, d) {
		return false
	}
	op.Event.Key = Key(d)
	return true
}

// calendar finds the calendar that the row means.
func (p *Planner) calendar(op *Op, d *schema.Draft) bool {
	calendar, err := p.config.Resolve(d.Calendar)
	if err != nil {
		code := schema.CodeUnknownCalendar
		if d.Calendar == "" {
			code = schema.CodeNoCalendar
		}
		hint, _ := failure.HintOf(err)
		op.refuse(d, schema.FieldCalendarID, code, err.Error(), hint)
		return false
	}
	op.Event.Calendar = calendar
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

// twice refuses a row whose key or event an earlier row has. That two rows mean the same
// event may only be seen once their calendars and keys have been resolved.
func (p *Planner) twice(op *Op, d *schema.Draft) bool {
	key := place{op.Event.Calendar, op.Event.Key}
	switch row, seen := p.keys[key]; {
	case seen && d.Key != "":
		op.refuse(d, schema.FieldKey, schema.CodeDuplicateKey,
			fmt.Sprintf("the key %q stands in row %d already", d.Key, row), "give each event a key of its own")
		return true
	case seen:
		op.refuse(d, schema.FieldName, schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d is about the same event already", row), "take one of the two out, or give each a key")
		return true
	}
	p.keys[key] = op.Row.Number
	if op.Event.ID == "" {
		return false
	}
	if row, seen := p.events[op.Event.ID]; seen {
		op.refuse(d, schema.FieldEventID, schema.CodeDuplicateEventID,
			fmt.Sprintf("row %d is about event %s already", row, op.Event.ID), "bring what the event shall become into one row")
		return true
	}
	p.events[op.Event.ID] = op.Row.Number
	return false
}

func (p *Planner) cancel(op *Op, d *schema.Draft, known Known) {
	switch {
	case known.Missing && known.Cancelled:
		op.Action, op.Reason = Unchanged, "the event is gone already"
	case known.Cancelled:
		op.Action, op.Reason = Unchanged, "run "+known.Run+" cancelled it already"
	case op.Event.ID == "" && op.Event.Slug == "":
		op.missing(d, "cancel")
		op.Action, op.Problems[len(op.Problems)-1].Severity = Skip, schema.Warning // it is as the row says
	default:
		op.Action, op.Reason = Cancel, "the row says CANCEL"
		p.request(op, d, schema.Cancel)
	}
}

func (p *Planner) change(op *Op, d *schema.Draft, known Known) {
	had, certain := known.made()
	op.Hash = Values(op.Hash)
	if certain {
		op.Hash = contentHash(op.Hash, had)
	}
	p.leftOut(op, d, had, certain)
	same := p.config.Options.Compare != "none" && op.Hash != "" && Values(known.Hash) == Values(op.Hash)
	if same && known.Undone {
		op.Action, op.Reason = Unchanged, known.undoneBy()
		return
	}
	from := op.Event.Calendar
	if p.compares() && (d.Action != schema.Create || !same) && p.merge(op, d, known) {
		op.followed(from)
		return
	}
	switch {
	case same:
		op.Action, op.Reason = Unchanged, "the same values were sent by run "+known.Run
		return
	case d.Action == schema.Create && known.Missing:
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
		op.Action, op.Reason = Unchanged, AsExported
		return
	case op.Hash == "":
		op.Action, op.Reason = Unchanged, "the row sets no field"
		return
	}
	op.Action = Update
	switch {
	case known.EventID == "":
		op.Reason = "the row names the event"
	case known.Missing:
		op.Reason = "run " + known.Run + " found no such event"
	case Values(known.Hash) == "":
		op.Reason = "run " + known.Run + " knows the event, not its values"
	case p.config.Options.Compare == "none":
		op.Reason = "nothing is compared"
	default:
		op.Reason = "values differ from those of run " + known.Run
	}
	if !d.Has(schema.FieldEventID) {
		d.Put(schema.Setting{Field: schema.FieldEventID, State: schema.Set, Column: -1, Text: op.Event.ID})
	}
	p.request(op, d, schema.Update)
}

// find looks for the event that an earlier workspace made for the row's key. ok is
// false where the row goes no further.
func (p *Planner) find(op *Op, d *schema.Draft) (known Known, found, ok bool) {
	ids, err := p.config.Find(op.Event)
	switch {
	case err != nil:
		op.Action, op.Reason = Blocked, err.Error()
		return Known{}, false, false
	case len(ids) == 0:
		return Known{}, false, true
	case len(ids) > 1:
		op.refuse(d, schema.FieldKey, schema.CodeKeyConflict,
			fmt.Sprintf("%d events were made for this row's key: %s", len(ids), strings.Join(ids, ", ")),
			"name the right one in event_id, and cancel the others")
		return Known{}, false, false
	}
	known, _ = p.config.Memory.Event(ids[0])
	if !known.Cancelled && !known.Missing {
		op.Event.ID = ids[0]
	}
	return known, true, true
}

// quiet keeps guests from being mailed about an update, unless the row itself says
// whether they are.
func quiet(d *schema.Draft) {
	if !d.Has(schema.FieldSuppressEmail) && !d.Has(schema.FieldSuppressNotices) {
		d.Put(schema.Setting{Field: schema.FieldSuppressEmail, State: schema.Set, Column: -1, Text: "true"})
	}
}

// Passed is the reason of unchanged rows that were only counted.
const Passed = "nothing has changed"

// AsExported is the reason of a row that nobody has touched since it was exported.
const AsExported = "the row is as it was exported"

// FoundAgain is the reason of an update whose event the workspace did not know.
const FoundAgain = "the event was found again by its slug: this workspace did not know it"

// changeBySlug plans the update of an event that only its slug can name.
func (p *Planner) changeBySlug(op *Op, d *schema.Draft, known Known) {
	if op.Event.Slug == "" {
		op.missing(d, "update")
		return
	}
	if p.compares() && p.config.Parent != nil {
		id, err := p.config.Parent(op.Event.Calendar, op.Event.Slug)
		switch {
		case err != nil:
			op.Action, op.Reason = Blocked, err.Error()
		case id == "":
			op.missing(d, "update")
		default:
			op.Event.ID = id
			p.change(op, d, known)
		}
		return
	}
	op.Action, op.Reason = Update, "the event is looked up by its slug"
	p.request(op, d, schema.Update)
}

func (p *Planner) create(op *Op, d *schema.Draft, known Known) {
	before := len(op.Problems)
	check.Required(d, schema.OnCreate, func(problem schema.Problem) { op.Problems = append(op.Problems, problem) })
	if len(op.Problems) > before {
		op.Action, op.Reason = Invalid, "the row creates an event, and lacks what that needs"
		return
	}
	op.Action, op.Reason = Create, "the key is new"
	op.Strict = d.Action == schema.Create
	switch {
	case known.Missing:
		op.Reason = "run " + known.Run + " found the earlier event missing"
	case known.Cancelled && p.config.BackAgain != nil && p.config.BackAgain(&op.Event, known):
		op.Reason = "back again"
	case known.Cancelled:
		op.Reason = "run " + known.Run + " cancelled the earlier event"
	}
	if op.Event.Slug == "" && p.config.Options.Slug != "keep" {
		op.Event.Slug = DeriveSlug(op.Event.Name, op.Event.Calendar, op.Event.Key)
		op.Event.Derived = true
		d.Put(schema.Setting{Field: schema.FieldSlug, State: schema.Set, Column: -1, Text: op.Event.Slug})
	}
	p.request(op, d, schema.Create)
}

// request makes the body of the op's request. The draft has passed package check, so an
// error means that the two packages have different rules: the row is refused, not sent.
func (p *Planner) request(op *Op, d *schema.Draft, does schema.Action) {
	operation := d.Resource.Operation(does, false)
	if does == schema.Update {
		quiet(d)
	}
	body, err := schema.AppendBody(p.buf[:0], d, operation)
	if err != nil {
		op.refuse(d, schema.FieldAction, schema.CodeBadObject, err.Error(), "")
		return
	}
	p.buf = body
	if op.Operation = operation.Name; does != schema.Cancel || len(body) > len("{}") {
		op.Body = append([]byte(nil), body...)
	}
}

func hasErrors(problems []schema.Problem) bool {
	for i := range problems {
		if problems[i].Severity == schema.Error {
			return true
		}
	}
	return false
}

func (op *Op) missing(d *schema.Draft, verb string) {
	op.refuse(d, schema.FieldKey, schema.CodeKeyMissing,
		fmt.Sprintf("no event is known for this row, so there is nothing to %s", verb),
		"add its event_id or slug, or import the row that makes the event first")
}

// refuse makes the op invalid, with the problem at the cell that holds the
// field, or at the row where no cell does.
func (op *Op) refuse(d *schema.Draft, id schema.ID, code schema.Code, message, hint string) {
	op.refuseAt(d, id.Path(), code, message, hint)
}

func (op *Op) refuseAt(d *schema.Draft, path string, code schema.Code, message, hint string) {
	op.Action, op.Reason = Invalid, message
	op.Problems = append(op.Problems, problemAt(d, path, code, message, hint))
}

// problemAt returns a problem at the cell that holds the field, or at the row where none does.
func problemAt(d *schema.Draft, path string, code schema.Code, message, hint string) schema.Problem {
	place := d.Place
	place.Column = -1
	value := ""
	if f, ok := d.Resource.ByPath(path); ok {
		if s := d.Get(f.ID); s != nil {
			place.Column, value = s.Column, s.Text
		}
	}
	return schema.Problem{
		Severity: code.Severity(), Code: code, Field: path,
		Place: place, Value: value, Message: message, Hint: hint,
	}
}
