package schema

import (
	"slices"
	"strings"
	"time"
)

// Repeat says what a second identical request does, which decides how a lost answer
// is settled.
type Repeat uint8

// What a repeated request does.
const (
	Same    Repeat = iota // nothing more: it may be sent again
	Skips                 // what is there already is passed over, though people may be mailed again
	Refused               // it is answered with an error that names the conflict
	Twice                 // a second record is made
	Gone                  // it is answered as if the record had never been
)

var repeatNames = [...]string{"same", "skips", "refused", "twice", "gone"}

// String returns the word that the operations command prints.
func (r Repeat) String() string { return repeatNames[r] }

// Effect is what an operation does to people or money.
type Effect string

// The effects of operations.
const (
	Mails   Effect = "mail"
	Pushes  Effect = "push" // to guests' phones, which nothing can silence
	Cancels Effect = "cancel"
	Refunds Effect = "refund"
	Charges Effect = "charge"
)

// Leaves are the effects that need somebody's leave. Nothing can silence a push: it is told
// and counted.
var Leaves = []Effect{Mails, Cancels, Refunds, Charges}

// The methods of operations.
const (
	Get  = "GET"
	Post = "POST"
)

// Operation is one call of the service.
type Operation struct {
	Name   string // its path without the version, such as events/guests/add
	Method string
	Path   string
	Legacy string // the older path that does the same; empty where there is none
	// Resource is what the operation writes, or lists; nil of one that no row leads to.
	Resource *Resource
	// Does is the action of a row that leads to it; Upsert where no row does.
	Does Action
	// Of is the resource that the record belongs to: nil where it belongs to a calendar.
	Of *Resource
	// Names gives the members of fields that this operation calls otherwise than the
	// table of fields does.
	Names map[string]string
	// Pace is how many such requests may be sent for a calendar in how long; zero for
	// however many.
	Pace Pace
	// Never are the members of a record with which the operation is refused.
	Never map[string]string
	// Whole are the parameters with which a list leaves nothing out.
	Whole map[string]string
	// Refuses gives the values of fields that this operation does not take.
	Refuses map[string][]string
	// Then is the operation that brings those to what was made, empty where none does.
	Then string
	// Only are the paths of the fields that this operation takes, where its action has
	// several, and Means what it makes of fields without being told: calendars/contacts/block
	// is the state blocked.
	Only  []string
	Means map[string]string
	// Differs is the path of a list of which a request says the difference alone: the member of
	// the field has what is added, and the member Drops the ids of what is taken away. Both are
	// empty for nearly all.
	Differs, Drops string
	// Platform is the member that says whether a record is one of the service's own; empty
	// where none does.
	Platform string
	// First is the operation whose answer this one needs, of one in two steps.
	First string

	Gathering
	Impact
	Repeat Repeat
	// Asks means that the operation changes nothing although it is posted.
	Asks bool
	// Parameters are what an operation that changes nothing can be asked with: one with a star is needed,
	// one in brackets may come several times.
	Parameters string
	Opposite   string // the operation that takes it back, empty where none does
	// Back gives, by the paths of fields, what Opposite says in the place of the earlier values:
	// of a record that was made and cannot be removed, or where no request can say them.
	Back map[string]string
}

// Gathering says how one request carries several rows: at most so many, in an array of this
// name whose items have the members Each, or are the values of the field Item alone. What else
// the rows say is the request's.
type Gathering struct {
	Into string
	Most int
	Each []string
	Item string
}

// Gathers reports whether one request can carry several rows.
func (g *Gathering) Gathers() bool { return g.Into != "" }

// ofItem reports whether a row's value of the field stands in the row's item of the array.
func (g *Gathering) ofItem(f *Field) bool { return f.Path == g.Item || slices.Contains(g.Each, f.Path) }

// Impact is what an operation does to people and money.
type Impact struct {
	Effects []Effect
	// When gives the fields of which a request has to change one to have the effect, or to
	// change it to a value: status=approved. An effect that is not in it is one of every request.
	When map[Effect][]string
	// Reaches means that the effects are on the guests of the event, and not on the record's
	// own person.
	Reaches bool
}

// Has reports whether the operation has the effect.
func (i *Impact) Has(e Effect) bool { return slices.Contains(i.Effects, e) }

// Pace is so many in so long.
type Pace struct {
	Most int
	Per  time.Duration
}

// Reads reports whether the operation is a read.
func (o *Operation) Reads() bool { return o.Method == Get }

// Takes reports whether a request of the operation can carry the field. The calendar of a row,
// which selects the key, is a member of its request only where Only names it.
func (o *Operation) Takes(f *Field) bool {
	if f.ID == FieldCalendarID {
		return slices.Contains(o.Only, f.Path)
	}
	return f.Each == nil && f.On&(1<<o.Does) != 0 && (o.Only == nil || slices.Contains(o.Only, f.Path))
}

// Brings reports whether a request of the operation can change what a record has in the field.
func (o *Operation) Brings(f *Field) bool {
	_, means := o.Means[f.Path]
	return means || o.Takes(f) && !f.Manner && !o.Resource.Names(f)
}

// ByID returns the field by whose value alone a request names the record that it is about;
// nil where it does not.
func (o *Operation) ByID() *Field {
	if f := o.Resource.IDField(); f != nil && o.Takes(f) && !o.Resource.Keyed() {
		return f
	}
	return nil
}

// Member returns the member of a request that the operation calls the field.
func (o *Operation) Member(f *Field) string {
	if name, ok := o.Names[f.Path]; ok {
		return name
	}
	return f.Member()
}

// FieldOf returns the path of the field that a member of a request of the operation
// stands for, the member itself where it stands for none.
func (o *Operation) FieldOf(member string) string {
	if item, ok := strings.CutPrefix(strings.NewReplacer("[", ".", "]", "").Replace(member), o.Into+"."); ok && o.Gathers() {
		if o.Item != "" {
			return o.Item
		}
		if _, name, nested := strings.Cut(item, "."); nested {
			member = name
		}
	}
	for _, f := range o.Resource.Columns() {
		if o.Takes(f) && o.Member(f) == member {
			return f.Path
		}
	}
	return member
}
