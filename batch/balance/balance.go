// Package balance sets what the rows of a source hold against what a plan makes of them.
//
// A [Ledger] is told of every row twice: as the source has it, each by itself, and as the plan has
// it, where rows are put together and left out. What is made is counted from the plan alone, and
// what the source holds from its rows alone. What a row holds and nothing makes is left out, with
// the reason that the plan has for that row. The three have to agree: the source is what is made
// and what is left out. Where they do not, a [Line] says so.
package balance

import (
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Item is what one row is about.
type Item struct {
	Input int // which of the inputs that are read, by which the rows of one file are told apart
	At    schema.Place
	Of    *schema.Resource

	Within   string // the event that it belongs to, by its key; else the calendar
	Name     string // what names it: of an event its key, of a guest the address
	Label    string // what people call it
	Person   string // of a guest: the name
	Tickets  []string
	Cents    int64 // of a ticket type
	Currency string
}

// Fate is what becomes of a row.
type Fate struct {
	Made    bool
	Repeats bool   // it is put together with an earlier row
	Again   bool   // it is a guest of another file, which is what becomes of both
	Why     string // it is not made
}

// What lines are about, besides resources.
const (
	People  = "people"
	Tickets = "tickets"
	Money   = "money"
)

// Line is what there is of one thing on both sides.
type Line struct {
	What    string `json:"what"`         // a resource, or People, Tickets, Money
	Of      string `json:"of,omitempty"` // of Tickets their type, of Money the currency
	Source  int64  `json:"source"`       // of Money in the currency's smallest unit
	Made    int64  `json:"made"`
	LeftOut []Left `json:"left_out,omitempty"`
}

// Left is what a row of the source holds and nothing makes. Of Money it is less than nothing where
// what is made is worth more.
type Left struct {
	Count int64  `json:"count"`
	Who   string `json:"who"`
	Why   string `json:"why"`
	File  string `json:"file"`
	Sheet string `json:"sheet,omitempty"`
	Row   int    `json:"row"`
}

// Left returns how much is left out.
func (l *Line) Left() (n int64) {
	for i := range l.LeftOut {
		n += l.LeftOut[i].Count
	}
	return n
}

// Unexplained returns what the source has more than is made and left out: it is 0 unless we
// have miscounted.
func (l *Line) Unexplained() int64 { return l.Source - l.Made - l.Left() }

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

// lines are those of one thing by what it is of, in the order in which they were met.
type lines []Line

func (l *lines) of(what, of string) *Line {
	at := slices.IndexFunc(*l, func(line Line) bool { return line.Of == of })
	if at < 0 {
		at = len(*l)
		*l = append(*l, Line{What: what, Of: of})
	}
	return &(*l)[at]
}

func (l *Line) leave(n int64, it *Item, why string) {
	l.LeftOut = append(l.LeftOut, Left{
		Count: n, Who: it.called(), Why: why, File: it.At.File, Sheet: it.At.Sheet, Row: it.At.Row,
	})
}
