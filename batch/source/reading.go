package source

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Input is what a source is read from, and what is known beside it.
type Input struct {
	Config

	Called string // what the source is known by; empty where nothing tells it from others
	Part   bool   // only some of the rows are read
	// Whole reads all rows where only some are planned.
	Whole iter.Seq[*mapping.Result]
	// Blind says why nobody can tell which keys are gone, empty where it can be told.
	Blind   string
	Store   journal.Store
	Memory  *journal.Memory
	Live    *live.Cache
	Resolve func(calendar string) (id string, err error)
	Clock   func() time.Time // the service's, zero as long as it has not answered
	// Base returns what the source and the platform last agreed on.
	Base func(event *plan.Event, known plan.Known) map[string]plan.Base
}

// A Reading is one reading of a source: which of its keys the input names.
type Reading struct {
	Name  string
	Takes string // the source that is taken over; empty for none

	in       Input
	resource string // events where some rows are about them, else that of the first row
	// calendars are those that rows name, and those that their events are on.
	calendars map[string]bool
	origins   origins
	borrowed  borrowed

	idle   bool   // nothing is looked for
	owned  bool   // the source has made events
	again  bool   // a row is about an event that is known
	partly string // why not all rows are known, empty where they are
	unread bool   // it is that the key of a row cannot be read
	there  int    // keys of the source that were read, known once the absent ones are
	named
	arrivals
}

// named is what rows name.
type named struct {
	read   map[journal.Name]bool // keys, keys on whatever calendar, and ids of events
	astray map[string]bool       // keys of rows whose calendar is not known
	keys   int                   // that were read
}

// arrivals are the rows that make events, and where they are found by what an absent key may have in common with them.
type arrivals struct {
	made   []arrival
	byKey  map[string][]int // places, once they are looked up
	byPair map[likeness][]int
}

// arrival is a row that makes an event.
type arrival struct {
	likeness

	op       plan.Op // that makes it, as far as it is counted
	row      int
	calendar string
	key      string
}

// Read begins a reading.
func Read(ctx context.Context, in Input, reading *mapping.Reading) (*Reading, error) {
	r := &Reading{
		Name: in.Called, in: in, calendars: map[string]bool{}, borrowed: borrowed{},
		named: named{read: map[journal.Name]bool{}, astray: map[string]bool{}},
	}
	if in.TakeOver != "" {
		if r.Takes = owner(in.Memory, in.TakeOver); r.Takes == "" {
			return nil, failure.New(failure.Usage, fmt.Errorf("--take-over: no source %q owns an event", in.TakeOver),
				"write the name that was given with --source, or the path of the file that was imported")
		}
	}
	r.owned = slices.ContainsFunc(r.names(), func(name string) bool { return owns(in.Memory, name) })
	if r.idle = in.Blind != "" || in.Missing == Keep || !r.owned; r.idle || in.Part {
		return r, nil
	}
	if sheet := reading.Beside(ctx); sheet != "" {
		r.partly = fmt.Sprintf("sheet %q is not read", sheet)
	}
	return r, nil
}

// owner returns the source that a word means: a name, or a path; empty where no such
// source owns anything.
func owner(memory *journal.Memory, word string) string {
	if owns(memory, word) {
		return word
	}
	if path, err := filepath.Abs(word); err == nil && owns(memory, path) {
		return path
	}
	return ""
}

func owns(memory *journal.Memory, name string) bool {
	for range memory.Owned(name) {
		return true
	}
	return false
}

// names returns the source, and the one that it takes over.
func (r *Reading) names() []string {
	return slices.DeleteFunc([]string{r.Name, r.Takes}, func(name string) bool { return name == "" })
}

// called names the source in a sentence.
func (r *Reading) called() string {
	if plan.Named(r.Name) {
		return "source " + r.Name
	}
	return "the file"
}

// eventName returns the name under which the id of an event is noted, and keyAnywhere that
// of a key on whatever calendar.
func eventName(id string) journal.Name    { return journal.NameOf("", "\x00"+id) }
func keyAnywhere(key string) journal.Name { return journal.NameOf("", key) }

// Row notes that a row was read, whatever becomes of it.
func (r *Reading) Row(row *mapping.Result, op *plan.Op) {
	d := row.Draft
	if d != nil && (r.resource == "" || d.Resource.Keyed()) {
		r.resource = d.Resource.Name
	}
	if d == nil || !d.Resource.Keyed() {
		return
	}
	s := d.Get(catalog.FieldEventID)
	finds := s == nil || s.Column < 0 // its event, which it does not name itself: the plan has an update name it
	r.again = r.again || finds && op.Event.ID != ""
	calendar, err := r.in.Resolve(d.Calendar)
	for _, of := range []string{calendar, op.Event.Calendar} {
		if of != "" && !r.calendars[of] {
			r.calendars[strings.Clone(of)] = true
		}
	}
	if finds && r.in.Missing != Keep && plan.Named(r.Name) && op.Event.ID != "" {
		r.origins.row(r.in.Memory, r.names(), op)
	}
	if finds && plan.Keyed(op.Event.Key) {
		r.borrow(d, op)
	}
	if r.idle {
		return
	}
	if op.Event.ID != "" {
		r.read[eventName(op.Event.ID)] = true
	} else if id := d.Text(catalog.FieldEventID); id != "" {
		r.read[eventName(id)] = true
	}
	if unnamed(row) {
		if r.partly == "" {
			called := ""
			if name := d.Text(catalog.FieldName); name != "" {
				called = " (" + name + ")"
			}
			r.partly, r.unread = fmt.Sprintf("the key of row %d%s cannot be read", d.Place.Row, called), true
		}
		return
	}
	key := plan.Key(d)
	if err != nil || op.Action == plan.Invalid && calendarFaulty(op.Problems) {
		r.astray[strings.Clone(key)] = true
		return
	}
	r.read[journal.NameOf(calendar, key)], r.read[keyAnywhere(key)] = true, true
	r.keys++
	if op.Action == plan.Create && op.Known.EventID == "" {
		r.made = append(r.made, arrivalOf(op))
	}
}

// blind returns a note where nobody looks for keys that are gone, though some may be; empty where there is nothing to say.
func (r *Reading) blind() string {
	if r.in.Blind == "" || r.in.Missing == Keep || !r.owned && !(len(r.names()) == 0 && r.again) {
		return ""
	}
	return "no row counts as gone, and no new one is compared with those that are: " + r.in.Blind
}

// beside notes the keys of all rows, where only some are planned.
func (r *Reading) beside() {
	for row := range r.in.Whole {
		d := row.Draft
		if d == nil || !d.Resource.Keyed() {
			continue
		}
		if id := d.Text(catalog.FieldEventID); id != "" {
			r.read[eventName(id)] = true
		}
		key := strings.Clone(plan.Key(d))
		if calendar, err := r.in.Resolve(d.Calendar); err == nil {
			r.read[journal.NameOf(calendar, key)] = true
		} else {
			r.astray[key] = true
		}
	}
}

func arrivalOf(op *plan.Op) arrival {
	said := map[string]json.RawMessage{}
	_ = json.Unmarshal(op.Body, &said) // a body is an object of ours
	return arrival{
		likeness: likenessOf(op.Event.Name, op.Event.StartAt, said),
		row:      op.Row.Number, calendar: op.Event.Calendar, key: op.Event.Key,
		op: plan.Op{
			N: op.N, Action: plan.Create, Requests: op.Requests, Cover: op.Cover, Event: plan.Event{Calendar: op.Event.Calendar},
		},
	}
}

// Bind compares what the source is for with what it is used for now, and returns what it is
// for from now on: nil of one that nobody has given a name.
func (r *Reading) Bind(target *plan.Target, keyColumn string) (*Binding, error) {
	if !plan.Named(r.Name) {
		return nil, nil
	}
	all := maps.Clone(r.calendars)
	for calendar := range target.Calendars {
		all[calendar] = true
	}
	return bind(r.in.Store, &Binding{
		Source: r.Name, BaseURL: target.BaseURL, Calendars: slices.Sorted(maps.Keys(all)), Resource: r.resource, Key: keyColumn,
	}, r.in.Rebind)
}

// unnamed reports whether it cannot be told which event a row is about.
func unnamed(row *mapping.Result) bool {
	if row.Unknown {
		return true
	}
	d := row.Draft
	named := d.Key != "" || d.Has(catalog.FieldEventID) || d.Has(catalog.FieldSlug)
	for i := range row.Problems {
		p := &row.Problems[i]
		if p.Severity != schema.Error {
			continue
		}
		if !named || p.Field == catalog.Path(schema.FieldKey) && d.Key == "" {
			return true
		}
	}
	return false
}

func calendarFaulty(problems []schema.Problem) bool {
	return slices.ContainsFunc(problems, func(p schema.Problem) bool {
		return p.Severity == schema.Error && p.Field == catalog.Path(schema.FieldCalendarID)
	})
}
