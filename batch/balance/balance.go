// Package balance sets what the rows of a source hold against what a plan makes of them.
//
// A [Ledger] is told of every row twice: as the source has it, each by itself, and as the plan has
// it, where rows are put together and left out. What is made is counted from the plan alone, and
// what the source holds from its rows alone. What a row holds and nothing makes is left out, with
// the reason that the plan has for that row. The three have to agree: the source is what is made
// and what is left out. Where they do not, a [Line] says so.
package balance

import (
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Lines returns the balance, once all rows were told.
func (l *Ledger) Lines() []Line {
	l.once()
	var lines []Line
	for _, r := range catalog.Resources {
		if r == catalog.Guests {
			if people := l.people(); people != nil {
				lines = append(append(append(lines, *people), l.tickets()...), l.money()...)
			}
		} else if records := l.records(r); records != nil {
			lines = append(lines, *records)
		}
	}
	return lines
}

// records returns the line of the records of a resource, nil where the source has none.
func (l *Ledger) records(of *schema.Resource) *Line {
	line := Line{What: of.Name}
	first, there := map[record]*Item{}, map[record]bool{}
	var order []record
	for i := range l.source {
		it := &l.source[i]
		if it.Of != of {
			continue
		}
		r := it.record()
		if first[r] == nil {
			first[r] = it
			order = append(order, r)
		}
		made, _ := l.fate(it)
		there[r] = there[r] || made != nil
	}
	line.Source = int64(len(order))
	for _, r := range order {
		if !there[r] {
			_, why := l.fate(first[r])
			line.leave(1, first[r], why)
		}
	}
	line.Made = int64(len(l.distinct(of)))
	if line.Source == 0 && line.Made == 0 {
		return nil
	}
	return &line
}
