package balance

import (
	"cmp"
	"maps"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Ledger gathers the rows of both sides. The zero value is ready.
type Ledger struct {
	source []Item // as the rows have it
	made   []Item // as the plan makes it
	fates  map[row][]fated
	byName map[record]*Item // of made, the first of each
	first  map[inInput]leader
	more   map[int][]string // of source, by index: the tickets of rows whose guest another file holds too, as far as it has fewer
}

// leader is the row of a record that others are put together with.
type leader struct {
	made  *Item // nil where it is not, for the reason
	why   string
	again bool
}

type fated struct {
	record

	fate Fate
}

// Source takes a row as the source has it.
func (l *Ledger) Source(it Item) { l.source = append(l.source, it) }

// Planned takes a row as the plan has it, with what becomes of it.
func (l *Ledger) Planned(it Item, fate Fate) {
	if l.fates == nil {
		l.fates, l.byName, l.first = map[row][]fated{}, map[record]*Item{}, map[inInput]leader{}
	}
	r := it.record()
	l.fates[it.row()] = append(l.fates[it.row()], fated{r, fate})
	lead := leader{why: fate.Why, again: fate.Again}
	if fate.Made {
		l.made = append(l.made, it)
		if l.byName[r] == nil {
			l.byName[r] = &it
		}
		lead.made = &it
	}
	if in := it.inInput(); !fate.Repeats && l.first[in].made == nil {
		l.first[in] = lead
	}
}

// fate returns what becomes of what a row of the source holds: made is nil where nothing does, for
// the reason.
func (l *Ledger) fate(it *Item) (made *Item, why string) {
	made, why, _ = l.whole(it)
	return made, why
}

// whole returns what becomes of a row, and whether another file holds its guest.
func (l *Ledger) whole(it *Item) (made *Item, why string, again bool) {
	r := it.record()
	list := l.fates[it.row()]
	if len(list) == 0 {
		return nil, "the plan has no such row", false
	}
	f := list[0].fate
	for _, each := range list {
		if each.record == r {
			f = each.fate
			break
		}
	}
	if f.Made {
		return l.byName[r], "", false
	}
	if f.Repeats {
		lead := l.first[it.inInput()]
		return lead.made, cmp.Or(lead.why, f.Why), lead.again
	}
	return nil, f.Why, f.Again
}

// ticketsOf returns the tickets that a row adds to those of the rows before: of a guest whom another file holds too, those
// alone that the other file does not have.
func (l *Ledger) ticketsOf(i int) []string {
	if more, again := l.more[i]; again {
		return more
	}
	return l.source[i].Tickets
}

// once compares the tickets of guests whom several files hold.
func (l *Ledger) once() {
	l.more = map[int][]string{}
	had := map[record]map[string]int{}
	left := map[inInput]map[string]int{}
	nameless := map[record]string{} // the first file that holds them
	var others []int
	for i := range l.source {
		it := &l.source[i]
		if it.Of != catalog.Guests {
			continue
		}
		r := it.guest()
		_, _, again := l.whole(it)
		if it.Name == "" && nameless[r] == "" {
			nameless[r] = it.At.File
		}
		if again || it.Name == "" && nameless[r] != it.At.File {
			others = append(others, i)
			continue
		}
		if had[r] == nil {
			had[r] = map[string]int{}
		}
		for _, ticket := range it.Tickets {
			had[r][ticket]++
		}
	}
	for _, i := range others {
		it := &l.source[i]
		in := inInput{it.guest(), it.Input}
		if left[in] == nil {
			left[in] = map[string]int{}
			maps.Copy(left[in], had[in.record])
		}
		l.more[i] = nil
		for _, ticket := range it.Tickets {
			if left[in][ticket] > 0 {
				left[in][ticket]--
			} else {
				l.more[i] = append(l.more[i], ticket)
			}
		}
	}
}

// distinct returns the records of a resource that are made.
func (l *Ledger) distinct(of *schema.Resource) map[record]bool {
	found := map[record]bool{}
	for i := range l.made {
		if l.made[i].Of == of {
			found[l.made[i].record()] = true
		}
	}
	return found
}
