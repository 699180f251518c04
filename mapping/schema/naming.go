package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Naming says by what a record is known.
type Naming struct {
	// ID is the path of the field that holds the service's id of a record, or the member
	// that does where rows do not say it; empty where a record is known by its name alone.
	ID string
	// Named is the path of the field that names a record within what it belongs to, in
	// any letter case; empty for events, which have a key, an id or a slug. A record whose
	// id is a field can be given another name.
	Named string
	// Or is the path of the field that names a record where Named is blank; empty where
	// nothing else does.
	Or string
	// Alike are the paths of the fields by which the service's lists tell a record whose name
	// is a key of ours; nil where they tell its name.
	Alike []string
}

// Names reports whether the field says which record a row is about, and cannot be changed.
func (r *Resource) Names(f *Field) bool {
	return f.Path == r.ID || f.Path == r.Parent || f.Path == r.Named && r.IDField() == nil
}

// IDField returns the field that holds the service's id of a record, nil where rows do not
// say it.
func (r *Resource) IDField() *Field {
	f, _ := r.ByPath(r.ID)
	return f
}

// NameIn returns the name of a record of the service, in small letters; empty where it
// has none.
func (r *Resource) NameIn(record map[string]json.RawMessage) string {
	if r.Alike != nil {
		return r.likeness(func(f *Field) json.RawMessage { return record[f.Read()] })
	}
	return r.valueIn(record, r.Named)
}

// OtherName returns what names a record of the service where its name is not said: the value
// of the field Or, marked as such; empty where it has none.
func (r *Resource) OtherName(record map[string]json.RawMessage) string {
	return r.byOr(r.valueIn(record, r.Or))
}

// Called reports whether either is the name of a record of the service, in any letter case.
func (r *Resource) Called(record map[string]json.RawMessage, name string) bool {
	return slices.Contains([]string{r.valueIn(record, r.Named), r.valueIn(record, r.Or)}, strings.ToLower(name))
}

func (r *Resource) byOr(value string) string {
	if value == "" {
		return ""
	}
	return r.Or + "=" + strings.ToLower(value)
}

// valueIn returns what a record of the service has in the field of that path, in small
// letters.
func (r *Resource) valueIn(record map[string]json.RawMessage, path string) string {
	f, ok := r.ByPath(path)
	if !ok {
		return ""
	}
	var name string
	for _, member := range []string{f.Read(), f.Path} {
		if json.Unmarshal(record[member], &name) == nil && name != "" {
			return strings.ToLower(name)
		}
	}
	return ""
}

// Likeness returns what names the record that a row asks for in the service's lists, where
// these do not tell its own name, or the row does not say it; empty otherwise.
func (r *Resource) Likeness(d *Draft) string {
	if f := d.Naming(); f != nil && f.Path == r.Or {
		return r.byOr(d.Value(r.Or))
	}
	says := func(path string) bool { return d.Value(path) != "" }
	if !slices.ContainsFunc(r.Alike, says) {
		return ""
	}
	return r.likeness(func(f *Field) json.RawMessage {
		if s := d.Get(f.ID); s != nil {
			return f.JSON(s)
		}
		return nil
	})
}

func (r *Resource) likeness(value func(*Field) json.RawMessage) string {
	sum := sha256.New()
	for _, path := range r.Alike {
		f, _ := r.ByPath(path)
		var text string
		_ = json.Unmarshal(value(f), &text) // none where there is none
		sum.Write(append(AppendText(nil, f.Kind.Meant(text)), 0))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
