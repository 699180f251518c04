package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Whole is what was read and planned once all rows were.
type Whole struct {
	Sources []mapping.Source
	Rows    int
	Cancels int // that rows ask for
	// Most is how many cancels a guard allows, -1 where that is not known: the events of more are not asked about.
	Most int
	// Renamed reports whether a row was found that has the new key of an old one.
	Renamed func(old string) bool
}

// Settlement is what becomes of the keys that are gone.
type Settlement struct {
	Notes []string
	// Held are creates that wait for somebody to say whether they are absent keys under another name, each
	// with the reason.
	Held []*plan.Op
	// Missing are the ops of keys that no row names. What the loop does to one is seen before the next is decided.
	Missing iter.Seq2[*plan.Op, error]
}

// Settle decides what becomes of the keys that are gone. The error is a [DoubtfulError] where the input looks wrong.
func (r *Reading) Settle(ctx context.Context, whole Whole) (*Settlement, error) {
	s := &Settlement{Notes: r.origins.notes(), Missing: r.report(nil)}
	if err := r.unknownRenames(whole.Renamed); err != nil {
		return nil, err
	}
	notes, err := r.borrowed.notes()
	if err != nil {
		return s, err
	}
	s.Notes = append(s.Notes, notes...)
	if note := r.blind(); note != "" {
		s.Notes = append(s.Notes, note)
	}
	if r.idle || !catalog.RecordsOf(r.resource).Keyed() { // a reading without a row about events
		return s, nil
	}
	why := r.lacks(whole.Sources)
	if why != "" && !r.in.Part {
		s.Notes = append(s.Notes, "no row counts as gone: "+why)
	}
	if why != "" || r.in.Part { // a new row may still be one that is gone
		left, held, err := r.holdTwins()
		s.Held = held
		if r.unread && !r.in.Part {
			s.Notes[len(s.Notes)-1] += perhaps(left)
		}
		return s, err
	}
	all, owed, note, err := r.absences()
	if err != nil {
		return nil, err
	}
	s.Missing = then(r.report(nil), owed)
	if note != "" {
		s.Notes = append(s.Notes, note)
	}
	if len(all) == 0 {
		r.long(whole.Sources, nil)
		return s, nil
	}
	if fewer, err := r.fewer(whole.Sources); err != nil {
		return nil, err
	} else if fewer {
		s.Notes = append(s.Notes, "no row counts as gone: files or sheets with rows are fewer than in the reading before")
		return s, nil
	}
	if err := r.doubt(all, whole.Rows); err != nil {
		return s, err
	}
	left, held := r.hold(all)
	s.Held = held
	if row := r.keyless(left, held); row > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("no row counts as gone: row %d has no key, and may be one that is gone", row))
		return s, nil
	}
	missing := r.report(left)
	if r.in.Missing == Cancel {
		missing = r.cancel(ctx, left, r.long(whole.Sources, all), &whole)
	}
	s.Missing = then(missing, owed)
	return s, nil
}

// perhaps returns the words for the events that a row may be about whose key cannot be read; empty where there is none.
func perhaps(list []absence) string {
	var names []string
	for i := range list {
		name := strconv.Quote(plan.Title(list[i].event.Key, list[i].event.Name))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it may be " + report.Names(names)
}

// then returns ops and those after them.
func then(ops iter.Seq2[*plan.Op, error], after []*plan.Op) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range ops {
			if !yield(op, err) {
				return
			}
		}
		for _, op := range after {
			if !yield(op, nil) {
				return
			}
		}
	}
}

// unknownRenames refuses a --rename whose keys are not there.
func (r *Reading) unknownRenames(renamed func(old string) bool) error {
	for _, old := range slices.Sorted(maps.Keys(r.in.Renames)) {
		if !renamed(old) {
			return failure.New(failure.Usage, fmt.Errorf("--rename %s=%s: no row has the new key, or no run knows the old one",
				old, r.in.Renames[old]), "write first the key that is gone, then that of its row now")
		}
	}
	return nil
}

// lacks says why the reading may lack rows, empty where it is whole.
func (r *Reading) lacks(sources []mapping.Source) string {
	hides := slices.ContainsFunc(sources, func(s mapping.Source) bool { return s.Hides() })
	if r.partly == "" && hides {
		return "rows that are hidden or struck through are left out"
	}
	return r.partly
}

// fewer reports whether rows come from fewer files or sheets than in the reading before: the
// rows of one that was left out are not gone. A second reading without it counts.
func (r *Reading) fewer(sources []mapping.Source) (bool, error) {
	last, err := r.lastRun(func(*plan.Header) bool { return true })
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

// hold holds back the rows that make an event which an absent key may have: under another key,
// or on another calendar. It returns the keys that are gone all the same.
func (r *Reading) hold(list []absence) (left []absence, held []*plan.Op) {
	if r.in.NoRenames {
		return list, nil
	}
	taken := map[int]bool{}
	for i := range list {
		twin, asked := r.twin(&list[i], taken)
		if twin == nil {
			left = append(left, list[i])
			continue
		}
		taken[twin.op.N] = true
		op := twin.op
		op.Reason, op.Asks = asked.words, asked.asks
		held = append(held, &op)
	}
	return left, held
}

// holdTwins holds back new rows that may be what is gone, where no key counts as gone for good. Where only some rows are
// planned, a key that another one has is not gone.
func (r *Reading) holdTwins() (left []absence, held []*plan.Op, err error) {
	if (len(r.made) == 0 || r.in.NoRenames) && (r.in.Part || !r.unread) {
		return nil, nil, nil
	}
	if r.in.Part {
		r.beside()
	}
	list, _, _, err := r.absences()
	if err != nil {
		return nil, nil, err
	}
	left, held = r.hold(list)
	return left, held, nil
}

// keyless returns the row of a new event that has no key, where a row is gone that had one;
// 0 where there is none.
func (r *Reading) keyless(list []absence, held []*plan.Op) (row int) {
	if !slices.ContainsFunc(list, func(a absence) bool { return plan.Keyed(a.event.Key) }) {
		return 0
	}
	for i := range r.made {
		c := &r.made[i]
		waits := slices.ContainsFunc(held, func(op *plan.Op) bool { return op.N == c.op.N })
		if !waits && !plan.Keyed(c.key) {
			return c.row
		}
	}
	return 0
}

// long returns which of the keys that are gone have been so for long enough, nil where all have.
func (r *Reading) long(sources []mapping.Source, list []absence) map[string]bool {
	if r.in.LongGone == nil || r.in.Missing != Cancel {
		return nil
	}
	var read, keys []string
	for i := range sources {
		read = append(read, sources[i].SHA256)
	}
	for i := range list {
		keys = append(keys, list[i].hash())
	}
	return r.in.LongGone(strings.Join(read, " "), keys)
}

// report leaves the events of absent keys as they are.
func (r *Reading) report(list []absence) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for i := range list {
			op := r.elsewhere(&list[i])
			if op == nil {
				op = list[i].op(plan.Skip, "gone from "+r.called()+": its event stays")
			}
			if !yield(op, nil) {
				return
			}
		}
	}
}

// elsewhere returns the op of a key that a row has on another calendar, nil where none has.
func (r *Reading) elsewhere(a *absence) *plan.Op {
	if !r.read[keyAnywhere(a.event.Key)] || r.in.NoRenames {
		return nil
	}
	return a.op(plan.Blocked, "gone from calendar "+a.event.Calendar+", and a row has it on another: if that is another event, say "+
		"--rename none")
}

// cancel decides what becomes of events whose rows are gone, by what they are on the
// platform: each is read, until there are more to cancel than a guard allows. One that has
// not been gone for long stays for now.
func (r *Reading) cancel(ctx context.Context, list []absence, long map[string]bool, whole *Whole) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		cancels := whole.Cancels
		for i := range list {
			a := &list[i]
			op, err := a.op(plan.Cancel, "gone from "+r.called()), error(nil)
			switch {
			case long != nil && !long[a.hash()]:
				op = a.op(plan.Skip, "gone from "+r.called()+" for the first time: its event stays for now")
			case whole.Most < 0 || cancels <= whole.Most:
				if op, err = r.look(ctx, a); op == nil && err == nil {
					continue
				}
			}
			if !yield(op, err) || err != nil {
				return
			}
			if op.Action == plan.Cancel {
				cancels++
			}
		}
	}
}

// look reads one event, and decides what becomes of it; nil where it has begun.
func (r *Reading) look(ctx context.Context, a *absence) (*plan.Op, error) {
	if r.past(a.event.StartAt) {
		return nil, nil // by the service's clock
	}
	if op := r.elsewhere(a); op != nil {
		return op, nil
	}
	event, err := r.in.Live.Certain(ctx, &a.event)
	switch {
	case errors.Is(err, plan.ErrGone):
		op := a.op(plan.Skip, "gone from "+r.called()+", and from the platform")
		op.Agrees = plan.Gone
		return op, nil
	case live.Withheld(err):
		return a.op(plan.Blocked, err.Error()), nil
	case err != nil:
		return nil, fmt.Errorf("reading event %s: %w", a.event.ID, err)
	}
	var start string
	_ = json.Unmarshal(event.Values[catalog.Path(catalog.FieldStartAt)], &start) // else it is as it was
	if at, ok := datetime.ParseTimestamp(start); ok && r.past(at.UnixMilli()) {
		return nil, nil
	}
	moved := plan.Moved(a.op(plan.Cancel, "").Of(), a.base, event.Values)
	switch calendar := event.Calendar(); {
	case calendar != "" && calendar != a.event.Calendar:
		return a.op(plan.Conflict, "gone from "+r.called()+", and moved to calendar "+calendar), nil
	case len(a.base) == 0:
		return a.op(plan.Conflict, "gone from "+r.called()+", and nothing is known of what it was"), nil
	case len(moved) > 0:
		return a.op(plan.Conflict, "gone from "+r.called()+", and changed on the platform: "+strings.Join(moved, ", ")), nil
	}
	op := a.op(plan.Cancel, "gone from "+r.called())
	op.Operation = op.Of().Operation(schema.Cancel, false).Name
	op.Estimate()
	return op, nil
}
