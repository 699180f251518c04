package batch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// SourceConfig says which source the input is of, and what becomes of the events that the source
// has made and no longer names.
type SourceConfig struct {
	// Name is what somebody calls it. Without one it is known by its files.
	Name    string
	Missing Missing
	// Renames are new keys by the old ones; NoRenames means that no new key is an old one.
	Renames   map[string]string
	NoRenames bool
	// Rebind lets the source be one of another target than before.
	Rebind bool
	// TakeOver is another source whose keys become those of this one; empty for none.
	TakeOver string
	// LongGone, where it is not nil, is given the keys that are gone from a whole reading, as
	// hashes, and the hash of what was read. It returns those that have been gone for long
	// enough that their events can be cancelled.
	LongGone func(reading string, gone []string) map[string]bool `json:"-"`
}

// Missing says what becomes of events whose rows are gone.
type Missing string

// What becomes of them.
const (
	MissingReport Missing = "report" // they stay, and are told
	MissingKeep   Missing = "keep"   // they stay, and nobody looks for them
	MissingCancel Missing = "cancel"
)

// empty reports whether nothing was said.
func (c *SourceConfig) empty() bool {
	return c.Name == "" && c.Missing.reports() && len(c.Renames) == 0 && !c.NoRenames && c.TakeOver == ""
}

// byNew returns the old keys by the new.
func (c *SourceConfig) byNew() map[string]string {
	keys := map[string]string{}
	for old, key := range c.Renames {
		keys[key] = old
	}
	return keys
}

func (m Missing) reports() bool { return m == "" || m == MissingReport }

// source returns what the source is known by, empty where nothing tells it from others: the
// name that it was given, else where its files lie.
func (c *PlanConfig) source() string {
	if c.Source.Name != "" {
		return c.Source.Name
	}
	if c.Command == "call" {
		return ""
	}
	var paths []string
	files := c.Reading.Files
	if c.Folder != "" {
		files = []string{c.Folder}
	}
	for _, path := range files {
		name := cmp.Or(c.Reading.Names[path], path)
		if path == "-" || name == "stdin" {
			return ""
		}
		if at, err := filepath.Abs(name); err == nil && !strings.Contains(name, "://") {
			name = at
		}
		paths = append(paths, name)
	}
	return strings.Join(paths, string(os.PathListSeparator))
}

// source is one reading of a source: which of its keys the input names.
type source struct {
	d       *decision
	name    string
	takes   string // the source that is taken over; empty for none
	resolve func(string) (string, error)

	resource string // events where some rows are about them, else that of the first row

	idle    bool                  // nothing is looked for
	partly  string                // why not all rows are known, empty where they are
	read    map[journal.Name]bool // keys, keys on whatever calendar, and ids of events
	astray  map[string]bool       // keys of rows whose calendar is not known
	created []created
	keys    int // that were read
	there   int // keys of the source that were read, known once the gone ones are
	foreign foreign
}

// created is a row that makes an event.
type created struct {
	likeness

	n        int // of the op
	row      int
	calendar string
	key      string
	requests int
	cover    *plan.Cover
}

// newSource begins a reading.
func (d *decision) newSource(
	ctx context.Context, reading *mapping.Reading, resolve func(string) (string, error),
) (*source, error) {
	f := &d.config.Source
	s := &source{
		d: d, name: d.config.source(), resolve: resolve, read: map[journal.Name]bool{}, astray: map[string]bool{},
	}
	if f.TakeOver != "" {
		if s.takes = d.sourceCalled(f.TakeOver); s.takes == "" {
			return nil, failure.New(failure.Usage, fmt.Errorf("--take-over: no source %q owns an event", f.TakeOver),
				"write the name that was given with --source, or the path of the file that was imported")
		}
	}
	o := &d.config.Reading
	part := len(o.Rows) > 0 || o.Limit > 0 || o.Sheet != ""
	if s.idle = part || f.Missing == MissingKeep || !s.ownsAny(); s.idle {
		return s, nil
	}
	if sheet := reading.Beside(ctx); sheet != "" {
		s.partly = fmt.Sprintf("sheet %q is not read", sheet)
	}
	return s, nil
}

// sourceCalled returns the source that a word means: a name, or a path; empty where no such
// source owns anything.
func (d *decision) sourceCalled(word string) string {
	for range d.memory.Owned(word) {
		return word
	}
	if path, err := filepath.Abs(word); err == nil {
		for range d.memory.Owned(path) {
			return path
		}
	}
	return ""
}

// names returns the source, and the one that it takes over.
func (s *source) names() []string {
	return slices.DeleteFunc([]string{s.name, s.takes}, func(name string) bool { return name == "" })
}

func (s *source) ownsAny() bool {
	for _, name := range s.names() {
		for range s.d.memory.Owned(name) {
			return true
		}
	}
	return false
}

// eventName returns the name under which the id of an event is noted, and keyAnywhere that
// of a key on whatever calendar.
func eventName(id string) journal.Name    { return journal.NameOf("", "\x00"+id) }
func keyAnywhere(key string) journal.Name { return journal.NameOf("", key) }

// row notes that a row was read, whatever becomes of it.
func (s *source) row(row *mapping.Result, op *plan.Op) {
	d := row.Draft
	if d != nil && (s.resource == "" || d.Resource.Keyed()) {
		s.resource = d.Resource.Name
	}
	s.notOwned(row, op)
	if s.idle || d == nil || !d.Resource.Keyed() {
		return
	}
	if op.Event.ID != "" {
		s.read[eventName(op.Event.ID)] = true
	} else if id := d.Text(schema.FieldEventID); id != "" {
		s.read[eventName(id)] = true
	}
	if unnamed(row) {
		if s.partly == "" {
			s.partly = fmt.Sprintf("the key of row %d cannot be read", d.Place.Row)
		}
		return
	}
	key := plan.Key(d)
	calendar, err := s.resolve(d.Calendar)
	if err != nil || op.Action == plan.Invalid && calendarFaulty(op.Problems) {
		s.astray[strings.Clone(key)] = true
		return
	}
	s.read[journal.NameOf(calendar, key)], s.read[keyAnywhere(key)] = true, true
	s.keys++
	if op.Action == plan.Create && op.Known.EventID == "" {
		s.created = append(s.created, created{
			likeness: likenessOf(op.Event.Name, op.Event.StartAt, members(op.Body)), n: op.N, row: op.Row.Number,
			calendar: op.Event.Calendar, key: op.Event.Key, requests: op.Requests, cover: op.Cover,
		})
	}
}

// unnamed reports whether it cannot be told which event a row is about.
func unnamed(row *mapping.Result) bool {
	if row.Unknown {
		return true
	}
	d := row.Draft
	named := d.Key != "" || d.Has(schema.FieldEventID) || d.Has(schema.FieldSlug)
	for i := range row.Problems {
		p := &row.Problems[i]
		if p.Severity != schema.Error {
			continue
		}
		if !named || p.Field == schema.FieldKey.Path() && d.Key == "" {
			return true
		}
	}
	return false
}

func calendarFaulty(problems []schema.Problem) bool {
	return slices.ContainsFunc(problems, func(p schema.Problem) bool {
		return p.Severity == schema.Error && p.Field == schema.FieldCalendarID.Path()
	})
}

// whole notes why the reading may lack rows after all.
func (s *source) whole(sources []mapping.Source) {
	for i := range sources {
		if s.partly == "" && sources[i].Hides() {
			s.partly = "rows that are hidden or struck through are left out"
		}
	}
}

// fewer reports whether rows come from fewer files or sheets than in the reading before: the
// rows of one that was left out are not gone. A second reading without it counts.
func (s *source) fewer(sources []mapping.Source) (bool, error) {
	last, err := s.lastRun(func(*plan.Header) bool { return true })
	if err != nil || last == nil {
		return false, err
	}
	now, before := 0, 0
	for i := range sources {
		now += min(1, sources[i].Rows)
	}
	for i := range last.Header.Sheets {
		before += min(1, last.Header.Sheets[i].Rows)
	}
	return now < before && before > 1, nil
}

// lastRun returns the newest run of the source's rows that fits, of those that were sent or
// had nothing to send; nil where there is none.
func (s *source) lastRun(fits func(*plan.Header) bool) (*journal.Summary, error) {
	runs, err := s.d.config.Workspace.Runs()
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(runs) {
		r := &runs[i]
		waits := !r.Started && r.Tally.Open() > 0
		if r.Err == nil && r.Header.Source == s.name && r.Header.Parent == "" && !waits && fits(&r.Header) {
			return r, nil
		}
	}
	return nil, nil
}

// settle decides what becomes of the keys that are gone. The ops that it returns as changed
// wait for somebody to say whether they are the gone ones under another name.
func (s *source) settle(
	ctx context.Context, reading *mapping.Reading, now *live.Cache, people *reach,
) (held map[int]journal.Change, err error) {
	err = s.unknownRenames()
	s.d.planned.Notes = append(s.d.planned.Notes, s.foreign.notes()...)
	if err != nil || s.idle || !schema.RecordsOf(s.resource).Keyed() { // a reading without a row about events
		return nil, err
	}
	s.whole(reading.Sources())
	p := s.d.planned
	if s.partly != "" {
		p.Notes = append(p.Notes, "no row counts as gone: "+s.partly)
		return nil, nil
	}
	gone, err := s.gone(people.past)
	if err != nil {
		return nil, err
	}
	if len(gone) == 0 {
		s.long(reading, nil)
		return nil, nil
	}
	if fewer, err := s.fewer(reading.Sources()); err != nil || fewer {
		p.Notes = append(p.Notes, "no row counts as gone: files or sheets with rows are fewer than in the reading before")
		return nil, err
	}
	if err := s.refuse(gone, reading); err != nil {
		return nil, err
	}
	all := gone
	gone, held = s.hold(gone)
	if row := s.keyless(gone, held); row > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("no row counts as gone: row %d has no key, and may be one that is gone", row))
		return held, nil
	}
	if s.d.config.Source.Missing == MissingCancel {
		return held, s.cancel(ctx, gone, s.long(reading, all), now, people)
	}
	for i := range gone {
		op := s.op(&gone[i], plan.Skip, "gone from "+s.called()+": its event stays")
		if elsewhere := s.elsewhere(&gone[i]); elsewhere != nil {
			op = elsewhere
		}
		if err := s.add(op); err != nil {
			return nil, err
		}
	}
	return held, nil
}

// keyless returns the row of a new event that has no key, where a row is gone that had one;
// 0 where there is none.
func (s *source) keyless(list []gone, held map[int]journal.Change) (row int) {
	if !slices.ContainsFunc(list, func(g gone) bool { return plan.Keyed(g.event.Key) }) {
		return 0
	}
	for i := range s.created {
		if _, waits := held[s.created[i].n]; !waits && !plan.Keyed(s.created[i].key) {
			return s.created[i].row
		}
	}
	return 0
}

// long returns which of the keys that are gone have been so for long enough, nil where all have.
func (s *source) long(reading *mapping.Reading, gone []gone) map[string]bool {
	c := &s.d.config.Source
	if c.LongGone == nil || c.Missing != MissingCancel {
		return nil
	}
	var read, keys []string
	for _, from := range reading.Sources() {
		read = append(read, from.SHA256)
	}
	for i := range gone {
		keys = append(keys, gone[i].hash())
	}
	return c.LongGone(strings.Join(read, " "), keys)
}

// called names the source in a sentence.
func (s *source) called() string {
	if plan.Named(s.name) {
		return "source " + s.name
	}
	return "the file"
}

// unknownRenames refuses a --rename whose keys are not there.
func (s *source) unknownRenames() error {
	for _, old := range slices.Sorted(maps.Keys(s.d.config.Source.Renames)) {
		if !s.d.planner.Renamed(old) {
			return failure.New(failure.Usage, fmt.Errorf("--rename %s=%s: no row has the new key, or no run knows the old one",
				old, s.d.config.Source.Renames[old]), "write first the key that is gone, then that of its row now")
		}
	}
	return nil
}

// op returns the op of a key without a row.
func (s *source) op(g *gone, action plan.Action, reason string) *plan.Op {
	return &plan.Op{N: s.d.draft.Len(), Missing: true, Action: action, Reason: reason, Event: g.event}
}

// add adds an op to the plan.
func (s *source) add(op *plan.Op) error {
	if op.Action.Sends() || op.Agrees != "" {
		op.Known = plan.Recollection(s.d.memory, &op.Event)
	}
	s.d.planned.add(op)
	s.d.planned.missing(op)
	return s.d.draft.Add(op)
}
