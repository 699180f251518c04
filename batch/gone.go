package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// gone is a key that its source no longer names, and whose event is still to come.
type gone struct {
	likeness

	event plan.Event
	base  map[string]plan.Base // what its source and the platform last agreed on
}

// hash returns that of the key within its calendar.
func (g *gone) hash() string { return journal.KeyHash(g.event.Calendar, g.event.Key) }

// now returns the service's time as far as it has answered, else that of this machine.
func (s *source) now() time.Time {
	if at := s.d.config.Service.Clock(); !at.IsZero() {
		return at
	}
	return time.Now()
}

// past reports whether an event has begun, or begins within a day: a feed that lists what is
// to come drops it by itself.
func (s *source) past(start int64) bool {
	return start != 0 && !time.UnixMilli(start).After(s.now().Add(24*time.Hour))
}

// gone returns the keys that the source owns and the input does not name, those that begin
// last first. Past ones are left out.
func (s *source) gone(past *past) ([]gone, error) {
	var list []gone
	readers := map[string]journal.OpReader{}
	defer func() {
		for _, r := range readers {
			if r != nil {
				_ = r.Close() // nothing was written
			}
		}
	}()
	unnamed := 0
	for _, name := range s.names() {
		for o := range s.d.memory.Owned(name) {
			if s.read[o.Name] || s.read[eventName(o.EventID)] {
				s.there++
				continue
			}
			op := s.lastOp(readers, o)
			switch {
			case op == nil:
				unnamed++
				continue
			case !op.Of().Keyed() || s.astray[op.Event.Key]:
				continue
			}
			g := gone{event: op.Event}
			g.event.ID = o.EventID
			if g.event.StartAt != 0 && s.past(g.event.StartAt) {
				continue
			}
			s.complete(&g, past)
			if !s.past(g.event.StartAt) {
				list = append(list, g)
			}
		}
	}
	if unnamed > 0 {
		s.d.planned.Notes = append(s.d.planned.Notes, fmt.Sprintf(
			"%s that %s has made may be gone from it: their runs cannot be read any more", report.Count(unnamed, "event"), s.called(),
		))
	}
	slices.SortFunc(list, func(a, b gone) int {
		return cmp.Or(cmp.Compare(b.event.StartAt, a.event.StartAt), strings.Compare(a.event.Key, b.event.Key))
	})
	return list, s.d.memory.Err()
}

// lastOp returns the op that had the last word on a key, nil where it cannot be read.
func (s *source) lastOp(readers map[string]journal.OpReader, o journal.Owned) *plan.Op {
	r, met := readers[o.Run]
	if !met {
		if run, err := s.d.config.Workspace.Find(o.Run); err == nil {
			r, _ = run.Reader() // of one that cannot be read nothing is known
		}
		readers[o.Run] = r
	}
	if r == nil {
		return nil
	}
	op, err := r.Op(o.Op)
	if err != nil {
		return nil
	}
	return op
}

// complete fills in what the last op does not say of the event, from those before it.
func (s *source) complete(g *gone, past *past) {
	g.base = past.base(&g.event, plan.Recollection(s.d.memory, &g.event))
	said := map[string]json.RawMessage{}
	for field, base := range g.base {
		if said[field] = base.Mine; base.Mine == nil {
			said[field] = base.Live
		}
	}
	text := func(id schema.ID) (text string) {
		_ = json.Unmarshal(said[id.Path()], &text) // else there is none
		return text
	}
	g.event.Name = cmp.Or(g.event.Name, text(schema.FieldName))
	g.event.Zone = cmp.Or(g.event.Zone, text(schema.FieldTimezone))
	if start := local(text(schema.FieldStartAt), ""); g.event.StartAt == 0 && !start.IsZero() {
		g.event.StartAt = start.UnixMilli()
	}
	g.likeness = likenessOf(g.event.Name, g.event.StartAt, said)
}

// hold holds back the rows that make an event which a gone key may have: under another key,
// or on another calendar. It returns the keys that are gone all the same.
func (s *source) hold(list []gone) (left []gone, held map[int]journal.Change) {
	held = map[int]journal.Change{}
	if s.d.config.Source.NoRenames {
		return list, held
	}
	for i := range list {
		g := &list[i]
		c, reason := s.twin(g, held)
		if c == nil {
			left = append(left, *g)
			continue
		}
		held[c.n] = journal.Change{Action: plan.Blocked, Reason: reason}
		own := plan.Op{
			N: c.n, Action: plan.Create, Requests: c.requests, Cover: c.cover, Event: plan.Event{Calendar: c.calendar},
		}
		s.d.planned.block(&own, reason)
	}
	return left, held
}

// twin returns the new row that a gone key is probably in now, and why; nil where there is
// none.
func (s *source) twin(g *gone, held map[int]journal.Change) (twin *created, reason string) {
	most := 1
	for i := range s.created {
		c := &s.created[i]
		if _, taken := held[c.n]; taken {
			continue
		}
		if c.key == g.event.Key && c.calendar != g.event.Calendar {
			return c, fmt.Sprintf("key %q is gone from calendar %s, and this row has it on %s: if it is another event, say --rename none",
				c.key, g.event.Calendar, c.calendar)
		}
		if common := g.common(c.likeness); len(common) > most {
			most, twin = len(common), c
			reason = fmt.Sprintf("probably %q renamed, which is gone and has the same %s: say --rename %s=%s, or --rename none",
				g.event.Key, strings.Join(common, " and "), g.event.Key, c.key)
		}
	}
	return twin, reason
}

// blockLength is from how many rows on a block that is gone at the end looks cut off.
const blockLength = 10

// refuse refuses a plan whose input looks wrong: without rows, cut off, or with other keys
// than before, or with none of them. Of files that nobody has given a name, only the last is found.
func (s *source) refuse(list []gone, reading *mapping.Reading) error {
	p := s.d.planned
	named := plan.Named(s.name)
	if named && p.Rows[finding.Read] == 0 {
		return refuse(p, fmt.Sprintf("the input has no rows, and %s has made %s that are still to come", s.called(),
			report.Count(len(list), "event")), "look whether the input is whole; if it is, say --missing keep")
	}
	if keys := s.otherKeys(list, named); keys != "" && !s.d.config.Source.NoRenames {
		words, quoting := fmt.Sprintf("%s of the %s of %s are gone, and as many are new", report.Number(len(list)),
			report.Count(len(list)+s.there, "key"), s.called()), ": "+keys
		if s.there == 0 {
			words = fmt.Sprintf("none of the %s is known to %s: was the key column renumbered?", report.Count(s.keys, "key"), s.called())
			quoting = " (" + keys + ")"
		}
		err := refuse(p, words+quoting,
			"look whether the keys have changed: --rename OLD=NEW names one, and --rename none says that the new ones are new events")
		err.Short, err.KeyColumn = strings.TrimSuffix(err.Error(), quoting), reading.KeyColumn()
		return err
	}
	if !named || len(list) < blockLength {
		return nil
	}
	if n, err := s.cutOff(list); err != nil || n >= blockLength {
		if err != nil {
			return err
		}
		return refuse(p, fmt.Sprintf("the last %s of %s are gone in one block, as if the input were cut off", report.Count(n, "row"),
			s.called()), "look whether the input is whole; if it is, say --missing keep, or cancel the rows with the action CANCEL")
	}
	return nil
}

// otherKeys returns three examples where the keys themselves have changed: a tenth of them
// is gone, three at least, and as many are new; empty where they have not.
func (s *source) otherKeys(list []gone, named bool) string {
	if len(list) < max(3, (len(list)+s.there+9)/10) {
		return ""
	}
	var pairs, old, fresh []string
	taken := map[int]journal.Change{}
	for i := range list {
		g := &list[i]
		old = append(old, fmt.Sprintf("%q", g.event.Key))
		if c, _ := s.twin(g, taken); c != nil {
			taken[c.n] = journal.Change{}
			pairs = append(pairs, fmt.Sprintf("%q is now %q", g.event.Key, c.key))
		}
	}
	for i := range s.created {
		fresh = append(fresh, fmt.Sprintf("%q", s.created[i].key))
	}
	first := func(list []string) string { return strings.Join(list[:min(3, len(list))], ", ") }
	switch {
	case len(pairs) >= 3 && len(pairs) == len(list):
		return "perhaps " + first(pairs)
	case named && (len(fresh) >= len(list) || s.there == 0 && 2*len(fresh) >= len(list)):
		return "gone are " + first(old) + ", new are " + first(fresh)
	}
	return ""
}

// cutOff returns how many rows are gone behind the last one that is there, in the order of
// the input that was sent last.
func (s *source) cutOff(list []gone) (rows int, err error) {
	was := map[journal.Name]bool{}
	for i := range list {
		was[journal.NameOf(list[i].event.Calendar, list[i].event.Key)] = true
	}
	last, err := s.lastRun(func(h *plan.Header) bool { return h.Passed == 0 }) // which has a line for each row
	if err != nil || last == nil {
		return 0, err
	}
	run, err := s.d.config.Workspace.Find(last.ID)
	if err != nil {
		return 0, err
	}
	for op, err := range run.Lines() {
		if err != nil {
			return 0, err
		}
		switch name := journal.NameOf(op.Event.Calendar, op.Event.Key); {
		case op.Missing:
		case was[name]:
			rows++
		case s.read[name]:
			rows = 0
		}
	}
	return rows, nil
}

// cancel decides what becomes of events whose rows are gone, by what they are on the
// platform: each is read, until there are more to cancel than a guard allows. One that has
// not been gone for long stays for now.
func (s *source) cancel(ctx context.Context, list []gone, long map[string]bool, now *live.Cache, people *reach) error {
	allowed, cancels := s.d.config.Guards.MaxCancel, s.d.planned.Rows[finding.Status(plan.Cancel)]
	for i := range list {
		op, err := s.op(&list[i], plan.Cancel, "gone from "+s.called()), error(nil)
		switch {
		case long != nil && !long[list[i].hash()]:
			op = s.op(&list[i], plan.Skip, "gone from "+s.called()+" for the first time: its event stays for now")
		case allowed.relative() || cancels <= allowed.n:
			if s.past(op.Event.StartAt) {
				continue // by the service's clock
			}
			if op, err = s.look(ctx, &list[i], now); err != nil {
				return err
			}
			if op == nil {
				continue
			}
			s.d.bind(ctx, op)
			if err := people.count(ctx, op); err != nil {
				return err
			}
		}
		if op.Action == plan.Cancel {
			cancels++
		}
		if err := s.add(op); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere returns the op of a key that a row has on another calendar, nil where none has.
func (s *source) elsewhere(g *gone) *plan.Op {
	if !s.read[keyAnywhere(g.event.Key)] || s.d.config.Source.NoRenames {
		return nil
	}
	return s.op(g, plan.Blocked, "gone from calendar "+g.event.Calendar+", and a row has it on another: if that is another event, say "+
		"--rename none")
}

// look reads one event, and decides what becomes of it; nil where it has begun.
func (s *source) look(ctx context.Context, g *gone, now *live.Cache) (*plan.Op, error) {
	if op := s.elsewhere(g); op != nil {
		return op, nil
	}
	members, calendar, err := now.Certain(ctx, &g.event)
	switch {
	case errors.Is(err, plan.ErrGone):
		op := s.op(g, plan.Skip, "gone from "+s.called()+", and from the platform")
		op.Agrees = plan.Gone
		return op, nil
	case live.Withheld(err):
		return s.op(g, plan.Blocked, err.Error()), nil
	case err != nil:
		return nil, fmt.Errorf("reading event %s: %w", g.event.ID, err)
	}
	var start string
	_ = json.Unmarshal(members[schema.FieldStartAt.Path()], &start) // else it is as it was
	if at := local(start, ""); !at.IsZero() && s.past(at.UnixMilli()) {
		return nil, nil
	}
	if calendar != "" && calendar != g.event.Calendar {
		return s.op(g, plan.Conflict, "gone from "+s.called()+", and moved to calendar "+calendar), nil
	}
	op := s.op(g, plan.Cancel, "gone from "+s.called())
	switch moved := plan.Moved(op.Of(), g.base, members); {
	case len(g.base) == 0:
		return s.op(g, plan.Conflict, "gone from "+s.called()+", and nothing is known of what it was"), nil
	case len(moved) > 0:
		return s.op(g, plan.Conflict, "gone from "+s.called()+", and changed on the platform: "+strings.Join(moved, ", ")), nil
	}
	op.Operation = op.Of().Operation(schema.Cancel, false).Name
	op.Estimate()
	return op, nil
}
