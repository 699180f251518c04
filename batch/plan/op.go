package plan

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Action is what a plan does with one row: the first of three words for what becomes of it. How far that has come is a
// journal.Status, and what people see a finding.Status.
type Action string

// The actions of a plan. Create, Update and Cancel send requests, the others do not.
const (
	Create    Action = "create"
	Update    Action = "update"
	Cancel    Action = "cancel"
	Unchanged Action = "unchanged" // the same values were sent before
	Skip      Action = "skip"      // the row, or a filter, asks for nothing
	Conflict  Action = "conflict"  // the row and the platform have both changed the event
	Blocked   Action = "blocked"   // another run or row has to come first
	Invalid   Action = "invalid"   // the row has errors
)

// Actions are all actions, in the order in which they are shown.
var Actions = []Action{Invalid, Create, Update, Cancel, Unchanged, Skip, Conflict, Blocked}

// ActionOf returns the action of an operation of the catalog, empty for a name that is
// none. Whatever is taken away is cancelled.
func ActionOf(operation string) Action {
	o := catalog.OperationNamed(operation)
	if o == nil {
		return ""
	}
	switch o.Does {
	case schema.Create:
		return Create
	case schema.Update, schema.Invite:
		return Update
	case schema.Cancel, schema.Delete:
		return Cancel
	}
	return ""
}

// Sends reports whether the action takes requests.
func (a Action) Sends() bool { return a == Create || a == Update || a == Cancel }

// Op is one planned change with its reason: one line of plan.jsonl a row of the input,
// and one of rows.jsonl for its payload.
type Op struct {
	N         int    `json:"n"` // index in the plan, from 0
	Row       Row    `json:"row"`
	Resource  string `json:"resource,omitempty"` // what the row is about; empty for events
	Action    Action `json:"action,omitempty"`
	Operation string `json:"operation,omitempty"` // that it sends, such as events/create
	Reason    string `json:"reason,omitempty"`    // in words, lower case
	// Asks are the answers to what a row that is held back asks, as --rename takes them: none of nearly all.
	Asks  []string `json:"asks,omitempty"`
	Event Event    `json:"event"`
	// Hash names the content that the row asks for: the same hash, sent
	// successfully before, needs no request.
	Hash string `json:"hash,omitempty"`
	// Known is what was remembered of the event when the op was planned, of an op
	// that sends: once something else is remembered, another run has dealt with it.
	Known Known `json:"known,omitzero"`
	// Agrees says what is remembered with the run besides what the op sends, even where that
	// is nothing: see [Differs] and [Gone]. It is empty for nearly all.
	Agrees string `json:"agrees,omitempty"`
	// Missing means that no row asks for the op: the source has made the event, and no longer
	// names its key. Row is zero then.
	Missing bool `json:"missing,omitempty"`
	// Strict means that the row says CREATE: an event that turns out to exist is
	// not changed.
	Strict bool `json:"strict,omitempty"`
	// Part counts the further ops of a row, from 1: they stand behind its first, whose Part is 0.
	Part int `json:"part,omitempty"`
	// After are the numbers of earlier ops of the same calendar that have to be done first, none
	// for nearly all. Where Event has no Parent the first of them makes the event that this one
	// belongs to, whose id is known only then: until then there is no Key, and the body lacks the
	// id: see [Op.Place].
	After []int `json:"after,omitempty"`
	// Names are those of After whose records the body calls by their names, in the place of the ids
	// that are known only then, by these names.
	Names map[string]int `json:"names,omitempty"`
	// Group is the same for ops whose rows can be gathered into one request.
	Group    string  `json:"group,omitempty"`
	Requests int     `json:"requests,omitempty"` // that it takes if all goes well, and shares with its group
	Effects  Effects `json:"effects,omitzero"`
	// Cover is the local picture that is uploaded first, nil without one.
	Cover *Cover `json:"cover,omitempty"`
	// At and Size are where the payload lies in rows.jsonl, in bytes.
	At   int64 `json:"at,omitempty"`
	Size int   `json:"size,omitempty"`

	Payload `json:"-"` // filled in by what reads an op whole
	// Parts are the further ops of the row, while it is planned and where ops are read by [Rows].
	Parts []*Op `json:"-"`
}

// Payload is the rest of an op, of which its request and its results are made. It is read
// when the op's turn comes.
type Payload struct {
	// Cells are the user's own, for the results.
	Cells []string `json:"cells,omitzero"`
	// Body is the request's JSON object for a create or update, complete but
	// for an event id that is only known once the event has been found.
	Body json.RawMessage `json:"body,omitempty"`
	// From gives the zero-based column that each field of the body came from, by field path.
	From     map[string]int   `json:"from,omitempty"`
	Problems []schema.Problem `json:"problems,omitempty"`
	// Before is the before-image of an update that was compared with what is live, as JSON:
	// fields has those that it changes as they were, rest the hash of all others.
	Before json.RawMessage `json:"before,omitempty"`
	// Base is the baseline that the row came with, and Says what its cells say now, as a
	// baseline has it: both of an event that is compared with what is live, or was exported.
	Base string `json:"base,omitempty"`
	Says string `json:"says,omitempty"`
	// Agreed are the fields on which the row and the platform differ without one of them
	// being sent, by their paths: from now on they agree to do so.
	Agreed map[string]Agreement `json:"agreed,omitempty"`
	// Changes is what comparing the row with what is live has shown.
	Changes []Change `json:"changes,omitempty"`
}

// What an op agrees to.
const (
	Differs = "agreed" // the fields in Agreed differ
	Gone    = "gone"   // the event is gone
)

// Agreement is what the two sides of a field said when they last agreed.
type Agreement struct {
	Mine json.RawMessage `json:"mine,omitempty"` // what the cell says; nil where it is blank
	Live json.RawMessage `json:"live,omitempty"` // what the platform shows; nil where it has nothing
}

// All goes through the ops of the row of a first op: itself, and the further ones.
func (op *Op) All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		more := yield(op)
		for i := 0; more && i < len(op.Parts); i++ {
			more = yield(op.Parts[i])
		}
	}
}

// newPart returns the next further op of the row of a first op, which has not joined it yet.
func (op *Op) newPart() *Op {
	part := len(op.Parts) + 1
	return &Op{N: op.N + part, Part: part, Row: op.Row}
}

// Join has another op that was planned behind a first op become a further one of its row.
func (op *Op) Join(other *Op) {
	other.Part, other.Row = len(op.Parts)+1, op.Row
	op.Parts = append(op.Parts, other)
}

// RowAction returns what is done with the row of a first op, given its further ones. What only
// these change is an update of the row.
func (op *Op) RowAction() Action {
	action := op.Action
	if action.Sends() && op.Of().Cell != nil {
		action = Update
	}
	for _, part := range op.Parts {
		switch {
		case action.Sends():
		case part.Action.Sends():
			action = Update
		case part.Action == Blocked:
			action = Blocked
		}
	}
	return action
}

// Rows goes through ops, which come in their order, by rows: the first op of each, with the further ones.
func Rows(ops iter.Seq2[*Op, error]) iter.Seq2[*Op, error] {
	return func(yield func(*Op, error) bool) {
		var first *Op
		for op, err := range ops {
			if err == nil && op.Part > 0 && first != nil {
				first.Parts = append(first.Parts, op)
				continue
			}
			if first != nil && !yield(first, nil) {
				return
			}
			if first = op; err != nil {
				yield(nil, err)
				return
			}
		}
		if first != nil {
			yield(first, nil)
		}
	}
}

// Of returns what the row is about.
func (op *Op) Of() *schema.Resource {
	return catalog.RecordsOf(op.Resource)
}

// Label returns what people know the record of the op by: the key of an event, the name of any other.
func (op *Op) Label() string {
	if op.Of().Keyed() {
		return op.Event.Key
	}
	return op.Event.Name
}

// Concerns returns the id of the event that the op is about, empty where none is known: the event itself, which
// an answer may have named, or the one that its record belongs to.
func (op *Op) Concerns(answered string) string {
	if op.Of().Keyed() {
		return cmp.Or(answered, op.Event.ID)
	}
	return op.Event.Parent
}

// Cover is a local picture that is uploaded before its event is sent.
type Cover struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`   // in bytes
	SHA256 string `json:"sha256"` // when the plan was made
	Type   string `json:"type"`   // image/jpeg or image/png
}

// Row is the physical row of an op.
type Row struct {
	Sheet  int `json:"source,omitempty"` // index in Header.Sheets
	Number int `json:"number,omitempty"` // as the spreadsheet shows it
	Line   int `json:"line,omitempty"`
}

// Event says which event, or which other record, an op is about.
type Event struct {
	Calendar string `json:"calendar,omitempty"`
	Key      string `json:"key,omitempty"`
	// Parent is the id of the event that a record of another resource belongs to.
	Parent  string `json:"parent,omitempty"`
	ID      string `json:"id,omitempty"`   // known event id; empty for a create, or where a slug has to be looked up
	Slug    string `json:"slug,omitempty"` // the slug that the body carries, or that finds the event
	Derived bool   `json:"derived,omitempty"`
	Name    string `json:"name,omitempty"`
	StartAt int64  `json:"start_at,omitempty"` // Unix milliseconds, 0 where the row does not say
	Zone    string `json:"zone,omitempty"`     // of the start: a name, or an offset such as +02:00
	// ZoneWas is the zone in which the platform tells the times, where the row gives the event another.
	ZoneWas string `json:"zone_was,omitempty"`
}

// Off returns why one of the operations that the op needs is not called at all, as off says it;
// nil where all are, or where off is nil.
func (op *Op) Off(off func(*schema.Operation) error) error {
	if off == nil || !op.Action.Sends() {
		return nil
	}
	needs := []string{op.Operation}
	if op.Cover != nil {
		needs = append(needs, "images/create-upload-url")
	}
	for _, name := range needs {
		for o := catalog.OperationNamed(name); o != nil; o = catalog.OperationNamed(o.First) {
			if err := off(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveLast has the event of a row leave its calendar once all else that the row says was sent there.
func (op *Op) leaveLast() {
	i := slices.IndexFunc(op.Parts, func(part *Op) bool { return part.Operation == catalog.Transfer })
	if i < 0 {
		return
	}
	leaves := op.Parts[i]
	op.Parts = append(slices.Delete(op.Parts, i, i+1), leaves)
	if op.Action.Sends() {
		leaves.After = append(leaves.After, op.N)
	}
	for i, part := range op.Parts {
		part.Part = i + 1
		part.N = op.N + part.Part
		if part != leaves {
			leaves.After = append(leaves.After, part.N)
		}
	}
}

func (op *Op) skip(reason string) { op.Action, op.Reason = Skip, reason }
