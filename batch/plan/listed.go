package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// ErrGone is the error of the functions of a [Config] that ask about an event that is gone.
var ErrGone = errors.New("the event is gone") // it is not shown any more

// SeveralError is the error of [Config.Listed] where there are several records of that name.
type SeveralError struct{ IDs []string }

func (e *SeveralError) Error() string { return strings.Join(e.IDs, ", ") }

func several(err error) *SeveralError {
	found, _ := errors.AsType[*SeveralError](err)
	return found
}

// Listed is a record as the service lists it.
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

// has reports whether the record has what the row says, as far as lists tell and updates
// can bring it.
func (l *Listed) has(d *schema.Draft) bool {
	for i := range d.Settings {
		s := &d.Settings[i]
		f := catalog.Field(s.Field)
		named := f == d.Naming() && (d.Resource.Names(f) || l.named(d))
		if f.Local || f.Manner || s.Untouched || !f.On.Has(schema.OnUpdate) || named || f.Each != nil {
			continue
		}
		if raw, told := l.Values[f.Read()]; !told || value.Compare(f, f.JSON(s), raw) != value.Alike {
			return false
		}
	}
	return true
}

// UnshownError is the error of [Config.Live] where the key shows no event of its calendar at all.
type UnshownError struct{ Err error }

func (e *UnshownError) Error() string { return e.Err.Error() }

func (e *UnshownError) Unwrap() error { return e.Err }
