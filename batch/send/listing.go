package send

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// listing looks records up that are in doubt. What it has listed holds until the next
// request is sent.
type listing struct {
	*lane

	op       *schema.Operation
	parent   string
	records  *api.Listed
	twice    bool  // they were listed a second time
	unlisted error // why they cannot be listed
}

// byList finds out what became of an attempt at one record.
func (x *listing) byList(ctx context.Context, t *Task) (settled bool, err error) {
	waited, err := x.waitOut(ctx, t)
	if err != nil {
		return false, err
	}
	if waited {
		x.records, x.twice = nil, false // listed too early for this one
	}
	if x.records == nil && x.unlisted == nil {
		if x.unlisted, err = x.list(ctx, t); err != nil {
			return false, err
		}
	}
	if x.unlisted != nil {
		return true, x.giveUp(t)
	}
	id := t.Op.Event.ID
	if x.op.Does == schema.Create {
		id = "" // of one that was taken away
	}
	records, record := x.records.Find(x.op.Resource, id, cmp.Or(t.Op.Event.Slug, t.Op.Event.Name)), api.Record{}
	there := len(records) > 0
	if len(records) > 1 {
		return true, x.giveUp(t) // which of them the attempt has made cannot be told
	} else if there {
		record = records[0]
	}
	found := journal.Record{Type: journal.OK, EventID: cmp.Or(record.ID, t.Op.Event.ID)}
	switch {
	case x.op.Does == schema.Create && there:
		if x.op.Resource.IDField() != nil && !x.claim(record.ID) {
			return true, x.giveUp(t)
		}
		found.Code = journal.Adopted
	case x.op.Does == schema.Invite && there: // nobody is invited who was there before
		found.Code = "applied"
	case x.op.Does == schema.Delete && !there:
		found.Code = "gone"
	case x.op.Does == schema.Update && there && x.has(record, t.Op):
		found.Code = "applied"
	case x.op.Differs != "" && x.moved(record, t.Op):
		return true, x.giveUp(t) // what the attempt has added cannot be told from what others have
	case !x.twice:
		x.records, x.twice = nil, true
		if err := x.wait(ctx, x.Settle); err != nil {
			return false, err
		}
		return x.byList(ctx, t)
	default:
		return false, x.resolved(t, "not applied")
	}
	t.Doubt = false
	return true, x.finish(t, found)
}

// list lists the records, or looks up that of the task where no list tells of all. unlisted
// says why the service refuses to.
func (x *listing) list(ctx context.Context, t *Task) (unlisted, err error) {
	return x.read(ctx, func() (err error) {
		if x.op.Resource.Lookup != "" {
			x.records, err = x.Live.Named(ctx, x.op.Resource, &t.Op.Event)
			return err
		}
		x.records, err = x.Live.Records(ctx, x.op.Resource, x.parent)
		if x.parent == "" || x.Follow == nil || !api.Unshown(err) {
			return err
		}
		there, failed := x.Follow(ctx, &plan.Event{ID: x.parent, Calendar: x.Calendar})
		if failed != nil {
			return err
		}
		x.records, err = there.Records(ctx, x.op.Resource, x.parent)
		return err
	})
}

// made returns the id of a record that was made with its event, empty where no list tells it.
func (x *listing) made(ctx context.Context, t *Task) (id string, err error) {
	x.op, x.parent = catalog.OperationNamed(t.Op.Operation), t.Op.Event.Parent
	if x.records == nil && x.unlisted == nil {
		x.unlisted, err = x.list(ctx, t)
	}
	if err != nil || x.unlisted != nil {
		return "", err
	}
	switch found := x.records.Find(x.op.Resource, "", t.Op.Event.Name); {
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) > 1 || x.twice:
		return "", nil
	}
	x.records, x.twice = nil, true // listed too early
	if err := x.wait(ctx, x.Whole()); err != nil {
		return "", err
	}
	return x.made(ctx, t)
}

// has reports whether a record has what an op asks for, as far as lists tell.
func (x *listing) has(record api.Record, op *plan.Op) bool {
	if f, ok := x.op.Resource.ByPath(x.op.Differs); ok {
		return value.Compare(f, op.Agreed[f.Path].Live, record.Values[f.Read()]) == value.Alike
	}
	var asked map[string]json.RawMessage
	if json.Unmarshal(op.Body, &asked) != nil {
		return false
	}
	for _, f := range x.op.Resource.Columns() {
		if means := x.op.Means[f.Path]; means != "" && strings.Trim(string(record.Values[f.Read()]), `"`) != means {
			return false
		}
		raw, says := asked[x.op.Member(f)]
		if says && !f.Manner && !x.op.Resource.Names(f) && value.Compare(f, raw, record.Values[f.Read()]) != value.Alike {
			return false
		}
	}
	return true
}

// moved reports whether the list that an op changes is another one than when that was planned.
func (x *listing) moved(record api.Record, op *plan.Op) bool {
	var was plan.Before
	f, _ := x.op.Resource.ByPath(x.op.Differs)
	return json.Unmarshal(op.Before, &was) != nil || value.Compare(f, was.Fields[f.Path], record.Values[f.Read()]) != value.Alike
}
