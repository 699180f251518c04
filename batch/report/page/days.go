package page

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"eventbatch/batch/report/finding"
)

// What the calendar holds at most. Past so many days it is drawn by month, past
// so many months it keeps the first ones.
const (
	mostDays   = 3700
	mostMonths = 1200
	mostWords  = 16
)

// days counts the events of each day by what happens to them.
type days struct {
	words  []string
	days   map[when]int
	months map[when]int
	// none counts the rows that give no start, by source, and begins those that give one: a
	// sheet without any is not one of events.
	none, begins map[int]int
}

// when is a day since 1970, or a month since the year 0, and a word.
type when struct{ at, word int }

func (d *days) add(row *finding.Row) {
	if d.none == nil {
		d.days, d.months, d.none, d.begins = map[when]int{}, map[when]int{}, map[int]int{}, map[int]int{}
	}
	if row.Event.Start.IsZero() {
		d.none[row.Source]++
		return
	}
	d.begins[row.Source]++
	word := d.word(happens(row))
	year, month, day := row.Event.Start.Date()
	d.months[when{year*12 + int(month) - 1, word}]++
	if d.days == nil {
		return
	}
	at := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
	d.days[when{int(at), word}]++
	if len(d.days) > mostDays {
		d.days = nil
	}
}

// happens is the word under which a row's event is counted: what went wrong with
// it, else what is done.
func happens(row *finding.Row) string {
	if row.Status.Bad() {
		return string(row.Status)
	}
	return row.Action
}

func (d *days) word(word string) int {
	i := slices.Index(d.words, word)
	switch {
	case i >= 0:
		return i
	case len(d.words) == mostWords:
		return mostWords - 1
	}
	d.words = append(d.words, cut(visible(word), 40))
	return len(d.words) - 1
}

// daysJSON is the calendar as the page reads it: for each day, or month, with an
// event the number of events by word.
type daysJSON struct {
	Unit  string   `json:"unit"` // day or month
	Words []string `json:"words"`
	At    []int    `json:"at"` // each as the distance from the one before
	N     [][]int  `json:"n"`  // by word, one number for each of At
	None  int      `json:"none"`
	Left  int      `json:"left"` // events in months that are left out
}

func (d *days) encode() daysJSON {
	out := daysJSON{Unit: "day", Words: d.words, At: []int{}, N: [][]int{}}
	for source := range d.begins {
		out.None += d.none[source]
	}
	from := d.days
	if len(from) == 0 {
		out.Unit, from = "month", d.months
	}
	keys := slices.SortedFunc(maps.Keys(from), func(a, b when) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.word, b.word))
	})
	for range d.words {
		out.N = append(out.N, []int{})
	}
	last := 0
	for i, key := range keys {
		if i == 0 || key.at != keys[i-1].at {
			if out.Unit == "month" && len(out.At) == mostMonths {
				for _, rest := range keys[i:] {
					out.Left += from[rest]
				}
				break
			}
			out.At = append(out.At, key.at-last)
			last = key.at
			for w := range out.N {
				out.N[w] = append(out.N[w], 0)
			}
		}
		out.N[key.word][len(out.At)-1] = from[key]
	}
	return out
}
