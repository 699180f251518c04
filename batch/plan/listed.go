package plan

import (
	"encoding/json"
	"errors"
	"strings"

	"eventbatch/mapping/schema"
)

// The errors of [Config.Listed].
var (
	ErrGone    = errors.New("the event is gone") // it is not shown any more
	ErrSeveral = errors.New("there are several of that name")
)

// Listed is a record of another resource than events, as the service lists it.
type Listed struct {
	ID     string
	Values map[string]json.RawMessage // by the service's names
}

// named reports whether the record has the name that the row says, in any letter case.
func (l *Listed) named(d *schema.Draft) bool {
	return d.Resource.Alike != nil || d.Resource.NameIn(l.Values) == strings.ToLower(d.Value(d.Resource.Named))
}

// has reports whether the record has what the row says, as far as lists tell and updates
// can bring it.
func (l *Listed) has(d *schema.Draft) bool {
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		named := f.Path == d.Resource.Named && (d.Resource.Names(f) || l.named(d))
		if f.Local || f.Manner || s.Untouched || !f.On.Has(schema.OnUpdate) || named {
			continue
		}
		if value, told := l.Values[f.Read()]; !told || f.Compare(s.JSON(), value) != schema.Alike {
			return false
		}
	}
	return true
}
