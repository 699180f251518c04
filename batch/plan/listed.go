package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/schema"
)

// ErrGone is the error of [Config.Listed] where the event is gone.
var ErrGone = errors.New("the event is gone") // it is not shown any more

// SeveralError is the error of [Config.Listed] where there are several records of that name.
type SeveralError struct{ IDs []string }

func (e *SeveralError) Error() string { return strings.Join(e.IDs, ", ") }

func several(err error) *SeveralError {
	found, _ := errors.AsType[*SeveralError](err)
	return found
}

// Listed is a record of another resource than events, as the service lists it.
type Listed struct {
	ID     string
	Values map[string]json.RawMessage // by the service's names
}

// called returns what requests call the record: the name that the service has of it, or else its id.
func (l *Listed) called(r *schema.Resource) (name string) {
	_ = json.Unmarshal(l.Values[r.Named], &name) // what has none goes by its id
	return cmp.Or(name, l.ID)
}

// named reports whether the record has the name that the row says, in any letter case.
func (l *Listed) named(d *schema.Draft) bool {
	r := d.Resource
	if d.Naming().Path == r.Or {
		return r.OtherName(l.Values) == r.Likeness(d)
	}
	return r.Alike != nil || r.NameIn(l.Values) == strings.ToLower(d.Value(r.Named))
}

// merge decides field by field what becomes of a row whose record is there.
func (l *Listed) merge(p *Planner, op *Op, d *schema.Draft, known Known) {
	c := comparison{eventRow: &eventRow{p: p, op: op, d: d, known: known}, record: l, live: l.Values, whole: true}
	c.baseline, c.exported = baseline.Parse(d.Base)
	c.unmoved = !c.exported && c.recorded()
	if err := c.align(); err != nil {
		op.unsound(d, err)
		return
	}
	c.conclude()
}

// has reports whether the record has what the row says, as far as lists tell and updates
// can bring it.
func (l *Listed) has(d *schema.Draft) bool {
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		named := f == d.Naming() && (d.Resource.Names(f) || l.named(d))
		if f.Local || f.Manner || s.Untouched || !f.On.Has(schema.OnUpdate) || named || f.Each != nil {
			continue
		}
		if value, told := l.Values[f.Read()]; !told || f.Compare(s.JSON(), value) != schema.Alike {
			return false
		}
	}
	return true
}

// listed returns the record that the service lists for a row, nil where it has none. It reports
// whether the row goes further. made means that a run has made the record.
func (p *Planner) listed(op *Op, d *schema.Draft, known Known, made bool) (live *Listed, further bool) {
	r, event := d.Resource, op.Event
	if made && event.ID == "" && r.IDField() != nil {
		event.ID = known.EventID // whatever its name is now
	}
	live, err := p.config.Listed(r, &event)
	if live == nil && err == nil && event.ID != op.Event.ID {
		live, err = p.config.Listed(r, &op.Event)
	}
	switch {
	case errors.Is(err, ErrGone):
		op.refuseAt(d, r.Parent, schema.CodeKeyMissing, fmt.Sprintf("event %s is gone, or not for this key to see", op.Event.Parent),
			"name another event, or set the action to SKIP")
	case several(err) != nil:
		op.refuseAt(d, d.Naming().Path, schema.CodeKeyConflict,
			fmt.Sprintf("the service has several %s of this name: %s", strings.ToLower(r.Title()), several(err)),
			"say which of them is meant in the column "+r.ID)
	case err != nil:
		op.Action, op.Reason = Blocked, err.Error()
	}
	return live, err == nil
}

// others refuses a row that the service has a record like, which a run has made for another.
func (p *Planner) others(op *Op, d *schema.Draft, live *Listed) bool {
	known, _ := p.config.Memory.Event(live.ID)
	if d.Resource.Alike == nil || op.Event.Slug == "" || op.Event.ID != "" || known.Run == "" {
		return false
	}
	alike := strings.Join(d.Resource.Alike, " and ")
	op.refuseAt(d, d.Resource.Alike[0], schema.CodeKeyExists,
		fmt.Sprintf("run %s has made %s of the same %s for another key", known.Run, d.Resource.Some(), alike),
		"change a word, or say in the column "+d.Resource.ID+" which one the row is about")
	return true
}

// fixed refuses a row that would change what cannot be changed. ok means that it does not. What no list
// tells is compared with what the record was made with, and left out where that is not known.
func (p *Planner) fixed(op *Op, d *schema.Draft, live *Listed, known Known) (ok bool) {
	had, certain := known.made()
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		value, told := live.Values[f.Read()]
		if f.Fixed && told && !s.Untouched && f.Compare(s.JSON(), value) != schema.Alike {
			op.refuseAt(d, f.Path, schema.CodeWrongOperation,
				fmt.Sprintf("%s of %s cannot be changed: it is %s", f.Path, d.Resource.Some(), value),
				"leave the cell as it was, or give the row a name of its own")
			return false
		}
		if !f.Fixed || told || s.Untouched || certain && had == p.made {
			continue
		}
		if certain {
			op.remade(d, f)
			return false
		}
		op.Problems = append(op.Problems, problemAt(d, f.Path, schema.CodeFieldLeftOut,
			f.Path+" of "+d.Resource.Some()+" can be set only when it is added, and nobody can read back what this one has: "+
				"the cell is left out",
			"leave it blank, or change it on the platform"))
	}
	return true
}
