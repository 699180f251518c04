// Package month sums the nights of a workspace up, source by source, for those who answer
// for them.
//
// Its nights come from the logs of the syncs, which know also those without a run. What
// people have imported by hand in between comes from the runs. Everything that shows a month
// (the page, the Markdown, the JSON) is drawn from a [Month].
package month

import (
	"cmp"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/report/finding"
)

// Month is what became of the sources of a workspace in some time, a month or not.
type Month struct {
	From    time.Time `json:"since"`
	To      time.Time `json:"until"`
	Sources []Source  `json:"sources"`
	// Unread is how many lines of the logs nobody can read: a crash has torn them.
	Unread int `json:"unread,omitempty"`
}

// Source is what became of one source.
type Source struct {
	Name    string    `json:"source"` // as its runs call it
	Totals  Totals    `json:"totals"`
	Success time.Time `json:"last_success,omitzero"` // of a night
	Gap     *Gap      `json:"longest_without_success,omitempty"`
	Nights  []Night   `json:"nights"` // and imports by hand, from old to new
}

// Night is a night, or an import by hand.
type Night struct {
	night.Entry
	By      string `json:"by,omitempty"`      // the command, of what was done by hand
	Results string `json:"results,omitempty"` // the file of its results, empty where there is none
	// Reached is what its run has done to people and money, nil where it has reached nobody: whom a
	// notice has told how the night went is another matter.
	Reached *finding.Reached `json:"reached,omitempty"`
}

// Outcome is what a night comes to, as it is counted.
type Outcome string

// The outcomes, from the worst on.
const (
	Failed  Outcome = "failed"
	Refused Outcome = "refused" // by a guard, or for lack of leave
	Partial Outcome = "partial" // some rows were not done
	Open    Outcome = "open"    // it has no end: it was broken off, or goes on
	Locked  Outcome = "locked"  // another process was at it
	Changed Outcome = "changed" // done
	Same    Outcome = "unchanged"
)

// Outcomes are all of them, from the worst on.
var Outcomes = []Outcome{Failed, Refused, Partial, Open, Locked, Changed, Same}

// The exit codes of the command that are told apart.
const (
	exitPartial = 3
	exitRefused = 4
	exitLocked  = 6
)

// Outcome returns what the night comes to.
func (n *Night) Outcome() Outcome {
	switch {
	case n.Ended.IsZero():
		return Open
	case n.Exit.Code == exitPartial:
		return Partial
	case n.Exit.Code == exitRefused:
		return Refused
	case n.Exit.Code == exitLocked:
		return Locked
	case n.Exit.Code != 0:
		return Failed
	case n.Rows[finding.Created]+n.Rows[finding.Updated]+n.Rows[finding.Cancelled] > 0:
		return Changed
	}
	return Same
}

// Well reports whether nothing was left to do.
func (o Outcome) Well() bool { return o == Changed || o == Same }

// Took is how long the night took.
func (n *Night) Took() time.Duration { return max(0, n.Ended.Sub(n.Began)) }

// Totals are the sums over the nights of a source.
type Totals struct {
	Nights   int             `json:"nights"` // without imports by hand
	ByHand   int             `json:"by_hand"`
	Outcomes map[Outcome]int `json:"outcomes"` // of the nights
	// Rows are summed over nights and imports: one that failed in two nights counts twice.
	Rows     night.Counts `json:"rows"`
	Requests journal.Made `json:"requests"`
	// Reached is summed over nights and imports too: an event of two of them counts twice.
	Reached *finding.Reached `json:"reached,omitempty"`
}

// Well is how many of the nights went well.
func (t *Totals) Well() int { return t.Outcomes[Changed] + t.Outcomes[Same] }

// Gap is a time without a night that went well.
type Gap struct {
	From    time.Time `json:"from"` // a success, or the first night
	To      time.Time `json:"to"`   // the next success, or the end of the month
	Seconds int64     `json:"seconds"`
}

// New sums up what began between two times. Of runs, one of a sync that the log knows is
// left out, and one of a night that was broken off completes it.
func New(from, to time.Time, logged []night.Entry, runs []Night) *Month {
	m := &Month{From: from, To: to, Sources: []Source{}}
	at := map[string]int{}
	source := func(name string) *Source {
		i, known := at[name]
		if !known {
			i = len(m.Sources)
			at[name], m.Sources = i, append(m.Sources, Source{Name: name})
		}
		return &m.Sources[i]
	}
	known := map[string]bool{}
	for i := range logged {
		s := source(logged[i].Source)
		s.Nights = append(s.Nights, Night{Entry: logged[i]})
		known[logged[i].Run] = true
	}
	for i := range runs {
		if s := source(runs[i].Source); !known[runs[i].Run] && !s.completes(&runs[i]) {
			s.Nights = append(s.Nights, runs[i])
		}
	}
	byRun := map[string]*Night{}
	for i := range runs {
		byRun[runs[i].Run] = &runs[i]
	}
	for i := range m.Sources {
		m.Sources[i].sum(to, byRun)
	}
	m.Sources = slices.DeleteFunc(m.Sources, func(s Source) bool { return len(s.Nights) == 0 })
	slices.SortStableFunc(m.Sources, func(a, b Source) int { // what no sync reads comes last
		return cmp.Or(cmp.Compare(min(b.Totals.Nights, 1), min(a.Totals.Nights, 1)), cmp.Compare(a.Name, b.Name))
	})
	return m
}

// Names returns what the sources are called.
func (m *Month) Names() (names []string) {
	for i := range m.Sources {
		names = append(names, m.Sources[i].Name)
	}
	return names
}

// Only leaves out all sources but one, and reports whether there is that one.
func (m *Month) Only(source string) bool {
	i := slices.IndexFunc(m.Sources, func(s Source) bool { return s.Name == source })
	if i >= 0 {
		m.Sources = m.Sources[i : i+1]
	}
	return i >= 0
}

// completes gives the run of a sync to the night without an end that it was of.
func (s *Source) completes(run *Night) bool {
	if run.By != "" {
		return false
	}
	for i := range slices.Backward(s.Nights) {
		n := &s.Nights[i]
		if n.By != "" || n.Began.After(run.Began) {
			continue
		}
		if !n.Ended.IsZero() || n.Run != "" {
			return false
		}
		n.Run, n.Work = run.Run, run.Work
		return true
	}
	return false
}

// sum adds the nights up.
func (s *Source) sum(to time.Time, runs map[string]*Night) {
	slices.SortStableFunc(s.Nights, func(a, b Night) int { return a.Began.Compare(b.Began) })
	s.Totals = Totals{Outcomes: map[Outcome]int{}, Rows: night.Counts{}}
	last := time.Time{}
	for i := range s.Nights {
		n := &s.Nights[i]
		if run := runs[n.Run]; run != nil {
			n.Results, n.Reached = run.Results, run.Reached
		}
		if n.Reached != nil {
			if s.Totals.Reached == nil {
				s.Totals.Reached = &finding.Reached{}
			}
			s.Totals.Reached.Add(n.Reached)
		}
		s.Totals.Rows.Add(n.Rows)
		s.Totals.Requests.Add(n.Requests)
		if n.By != "" {
			s.Totals.ByHand++
			continue
		}
		if last.IsZero() {
			last = n.Began
		}
		s.Totals.Nights++
		outcome := n.Outcome()
		s.Totals.Outcomes[outcome]++
		if outcome.Well() {
			s.without(last, n.Ended)
			last, s.Success = n.Ended, n.Ended
		}
	}
	if !last.IsZero() {
		s.without(last, to)
	}
}

// without notes a time without a success, if it is the longest.
func (s *Source) without(from, to time.Time) {
	if seconds := int64(to.Sub(from) / time.Second); s.Gap == nil || seconds > s.Gap.Seconds {
		s.Gap = &Gap{from, to, seconds}
	}
}

// Last returns the last night that another process has not kept from its work, nil where
// there is none.
func (s *Source) Last() *Night {
	for i := range slices.Backward(s.Nights) {
		if n := &s.Nights[i]; n.By == "" && n.Outcome() != Locked {
			return n
		}
	}
	return nil
}

// Trouble is nights in a row that did not go well, for one reason, or one that did and has something to look at.
type Trouble struct {
	Night // the first

	Until time.Time // when the last began
	N     int
}

// Noted reports whether the night went well, and has something to look at.
func (n *Night) Noted() bool { return n.By == "" && n.Outcome().Well() && len(n.Problems) > 0 }

// Troubles returns what did not go well, or is to be looked at, from new to old.
func (s *Source) Troubles() []Trouble {
	var list []Trouble
	open := false // the last one may still go on
	for i := range s.Nights {
		n := &s.Nights[i]
		switch outcome := n.Outcome(); {
		case n.Noted():
			list, open = append(list, Trouble{*n, n.Began, 1}), false
		case n.By == "" && outcome.Well():
			open = false
		case outcome.Well():
		case open && same(&list[len(list)-1].Night, n):
			last := &list[len(list)-1]
			last.Until, last.N = n.Began, last.N+1
			last.Told = append(slices.Clip(last.Told), n.Told...)
		default:
			list, open = append(list, Trouble{*n, n.Began, 1}), true
		}
	}
	for i := range list {
		slices.Sort(list[i].Told)
		list[i].Told = slices.Compact(list[i].Told)
	}
	slices.Reverse(list)
	return list
}

// same reports whether two nights ended alike.
func same(a, b *Night) bool {
	return a.By == b.By && a.Outcome() == b.Outcome() && a.Exit.Reason == b.Exit.Reason && a.Exit.Error == b.Exit.Error
}
