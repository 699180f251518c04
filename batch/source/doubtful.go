package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
)

// DoubtfulError says that an input looks wrong: without rows, cut off, or with other keys than before, or with
// none of them.
type DoubtfulError struct {
	Words, Hint string
	// Short is what it says without the keys that it quotes, empty where it quotes none.
	Short string
}

func (e *DoubtfulError) Error() string { return e.Words }

// blockLength is from how many rows on a block that is gone at the end looks cut off.
const blockLength = 10

// doubt returns an error where the input of so many rows looks wrong. Of files that nobody has given a name, only
// that all keys have changed is found.
func (r *Reading) doubt(list []absence, rows int) error {
	named := plan.Named(r.Name)
	if named && rows == 0 {
		return &DoubtfulError{
			Words: fmt.Sprintf("the input has no rows, and %s has made %s that are still to come",
				r.called(), report.Count(len(list), "event")),
			Hint: "look whether the input is whole; if it is, say --missing keep",
		}
	}
	if keys := r.otherKeys(list, named); keys != "" && !r.in.NoRenames {
		words, quoting := fmt.Sprintf("%s of the %s of %s are gone, and as many are new", report.Number(len(list)),
			report.Count(len(list)+r.there, "key"), r.called()), ": "+keys
		if r.there == 0 {
			words = fmt.Sprintf("none of the %s is known to %s: was the key column renumbered?", report.Count(r.keys, "key"), r.called())
			quoting = " (" + keys + ")"
		}
		return &DoubtfulError{
			Words: words + quoting, Short: words,
			Hint: "look whether the keys have changed: --rename OLD=NEW names one, and --rename none says that the new ones are new events",
		}
	}
	if !named || len(list) < blockLength {
		return nil
	}
	n, err := r.cutOff(list)
	if err != nil || n < blockLength {
		return err
	}
	return &DoubtfulError{
		Words: fmt.Sprintf("the last %s of %s are gone in one block, as if the input were cut off", report.Count(n, "row"), r.called()),
		Hint:  "look whether the input is whole; if it is, say --missing keep, or cancel the rows with the action CANCEL",
	}
}

// otherKeys returns three examples where the keys themselves have changed: a tenth of them
// is gone, three at least, and as many are new; empty where they have not.
func (r *Reading) otherKeys(list []absence, named bool) string {
	if len(list) < max(3, (len(list)+r.there+9)/10) {
		return ""
	}
	var pairs, old, added []string
	taken := map[int]bool{}
	for i := range list {
		a := &list[i]
		if old = append(old, fmt.Sprintf("%q", a.event.Key)); !plan.Keyed(a.event.Key) {
			continue // its row is held back by itself: no key has changed
		}
		if twin, _ := r.twin(a, taken); twin != nil {
			taken[twin.op.N] = true
			pairs = append(pairs, fmt.Sprintf("%q is now %q", a.event.Key, twin.key))
		}
	}
	for i := range r.made {
		added = append(added, fmt.Sprintf("%q", r.made[i].key))
	}
	first := func(list []string) string { return strings.Join(list[:min(3, len(list))], ", ") }
	switch {
	case len(pairs) >= 3 && len(pairs) == len(list):
		return "perhaps " + first(pairs)
	case named && (len(added) >= len(list) || r.there == 0 && 2*len(added) >= len(list)):
		return "gone are " + first(old) + ", new are " + first(added)
	}
	return ""
}

// question is what a row that is held back asks, in words, and the answers that --rename takes.
type question struct {
	words string
	asks  []string
}

// twin returns the new row that an absent key is probably in now, and what is asked about it; nil where there is
// none that is not taken.
func (r *Reading) twin(a *absence, taken map[int]bool) (twin *arrival, q question) {
	most := 1
	for _, i := range r.candidates(a) {
		c := &r.made[i]
		if taken[c.op.N] {
			continue
		}
		if c.key == a.event.Key && c.calendar != a.event.Calendar {
			return c, question{fmt.Sprintf("key %q is gone from calendar %s, and this row has it on %s: "+
				"if it is another event, say --rename none", c.key, a.event.Calendar, c.calendar), []string{"none"}}
		}
		common, same := a.common(c.likeness), a.event.Key+"="+c.key
		switch keyless := a.keyless() && !plan.Keyed(c.key); {
		case keyless && (a.name == c.name || a.sameSlot(c.likeness)) && (twin == nil || a.closer(c, twin)):
			twin = c
			other := "start"
			if a.name != c.name {
				other = "name"
			}
			q = question{fmt.Sprintf("looks like %s of the last run with another %s: keys are missing; say --rename %s if it is, or "+
				"--rename none", a.title(), other, spelling.Quoted(same)), []string{same, "none"}}
		case !keyless && len(common) > most:
			most, twin = len(common), c
			q = question{fmt.Sprintf("probably %q renamed, which is gone and has the same %s: say --rename %s, or --rename none",
				a.event.Key, strings.Join(common, " and "), spelling.Quoted(same)), []string{same, "none"}}
		}
	}
	return twin, q
}

// keyless reports whether its event is known by name and start alone: with another of them the row has another key.
func (a *absence) keyless() bool { return !plan.Keyed(a.event.Key) && a.name != 0 }

// closer reports whether c is more likely its event than other: the name counts first, then how near the start is.
func (a *absence) closer(c, other *arrival) bool {
	if named := c.name == a.name; named != (other.name == a.name) {
		return named
	}
	return a.apart(c) < a.apart(other)
}

// apart returns how far the starts are from each other, in milliseconds.
func (a *absence) apart(c *arrival) int64 { return max(a.start-c.start, c.start-a.start) }

// title names its event to a person.
func (a *absence) title() string {
	words := strconv.Quote(a.event.Name)
	if at := time.UnixMilli(a.event.StartAt); a.event.StartAt != 0 {
		if zone, err := value.LoadZone(a.event.Zone); err == nil {
			at = at.In(zone)
		}
		words += at.Format(", Mon 2 Jan 2006 15:04,")
	}
	return words
}

// candidates returns the places of the new rows that an absent key may be in now, in their order. Each absent key
// compared with each new row would take minutes where a large input is replaced by another one.
func (n *arrivals) candidates(a *absence) []int {
	if n.byKey == nil {
		n.byKey, n.byPair = map[string][]int{}, map[likeness][]int{}
		for i := range n.made {
			c := &n.made[i]
			n.byKey[c.key] = append(n.byKey[c.key], i)
			pairs := c.pairs()
			if !plan.Keyed(c.key) {
				pairs = append(pairs, c.unkeyed()...)
			}
			for _, p := range pairs {
				n.byPair[p] = append(n.byPair[p], i)
			}
		}
	}
	list, pairs := slices.Clone(n.byKey[a.event.Key]), a.pairs()
	if a.keyless() {
		pairs = append(pairs, a.unkeyed()...)
	}
	for _, p := range pairs {
		list = append(list, n.byPair[p]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// cutOff returns how many rows are gone behind the last one that is there, in the order of
// the input that was sent last.
func (r *Reading) cutOff(list []absence) (rows int, err error) {
	was := map[journal.Name]bool{}
	for i := range list {
		was[journal.NameOf(list[i].event.Calendar, list[i].event.Key)] = true
	}
	last, err := r.lastRun(func(h *plan.Header) bool { return h.Passed == 0 }) // which has a line for each row
	if err != nil || last == nil {
		return 0, err
	}
	run, err := r.in.Store.Find(last.ID)
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
		case r.read[name]:
			rows = 0
		}
	}
	return rows, nil
}

// lastRun returns the newest run of the source's rows that fits, of those that were sent or
// had nothing to send; nil where there is none.
func (r *Reading) lastRun(fits func(*plan.Header) bool) (*journal.Summary, error) {
	runs, err := r.in.Store.Runs()
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(runs) {
		s := &runs[i]
		waits := !s.Started && s.Tally.Open() > 0
		if s.Err == nil && s.Header.Source == r.Name && s.Header.Parent == "" && !waits && fits(&s.Header) {
			return s, nil
		}
	}
	return nil, nil
}
