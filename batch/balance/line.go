package balance

import "slices"

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

func (l *Line) leave(n int64, it *Item, why string) {
	l.LeftOut = append(l.LeftOut, Left{
		Count: n, Who: it.called(), Why: why, File: it.At.File, Sheet: it.At.Sheet, Row: it.At.Row,
	})
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
