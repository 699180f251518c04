package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// dataJSON is all that the page's script knows. A text is a string, or the index
// of one in Strings; a column is a list, or the one value that all entries have.
// All texts are those of visible and none is markup.
type dataJSON struct {
	Version  int          `json:"version"`
	Run      bool         `json:"run"`      // of a run, not of a check
	Read     int          `json:"read"`     // rows, carried or not
	Severity [2]int       `json:"severity"` // errors, warnings, carried or not
	Strings  []string     `json:"strings"`
	Sources  []sourceJSON `json:"sources"`
	Codes    []codeJSON   `json:"codes"`
	Groups   groupsJSON   `json:"groups"`
	Rows     rowsJSON     `json:"rows"`
	Problems problemsJSON `json:"problems"`
	Days     daysJSON     `json:"days"`
	Usage    []usageJSON  `json:"usage"`
}

type sourceJSON struct {
	File   string   `json:"file"`
	Sheet  string   `json:"sheet"`
	Row    int      `json:"row"` // of the header
	Header []string `json:"header"`
}

type codeJSON struct {
	Code    string `json:"code"`
	Title   string `json:"title"`
	Explain string `json:"explain"`
	Example string `json:"example"`
}

// groupsJSON has an entry for each rule and column. Total counts its problems,
// carried or not.
type groupsJSON struct {
	N        int `json:"n"`
	Severity any `json:"severity"`
	Code     any `json:"code"`   // index in Codes
	Source   any `json:"source"` // index in Sources, -1 where Place says it
	Place    any `json:"place"`
	Column   any `json:"column"` // zero-based, -1 where none is concerned
	Header   any `json:"header"`
	Field    any `json:"field"`
	Total    any `json:"total"`
}

// rowsJSON has an entry for each row that is carried, in physical order.
type rowsJSON struct {
	N        int `json:"n"`
	Source   any `json:"source"`
	Number   any `json:"number"` // as the distance from the one before
	Line     any `json:"line"`   // likewise
	Action   any `json:"action"`
	Status   any `json:"status"`
	Reason   any `json:"reason"`
	Name     any `json:"name"`
	Start    any `json:"start"` // minutes since 1970 on the event's own clock, null where it is not known
	End      any `json:"end"`   // minutes after the start
	Zone     any `json:"zone"`
	Calendar any `json:"calendar"`
	Key      any `json:"key"`
	ID       any `json:"id"`
	Base     any `json:"base"` // of the address, up to its last slash
	URL      any `json:"url"`  // what comes after
	Cells    any `json:"cells"`
	Changes  any `json:"changes"` // field, before, after, 1 where before is known, one after the other
}

// problemsJSON has an entry for each problem that is carried: those of files, then
// those of the rows in their order.
type problemsJSON struct {
	N       int `json:"n"`
	Group   any `json:"group"`
	Row     any `json:"row"` // index in Rows, -1 of a problem that no row has brought
	Message any `json:"message"`
	Hint    any `json:"hint"`
	Value   any `json:"value"`  // "" where the row's cell shows it
	Number  any `json:"number"` // of the physical row, where Row is -1
	Line    any `json:"line"`
}

// column gives the one value that all entries have, or the list.
func column(list []any) any {
	if len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return v != list[0] }) {
		return list[0]
	}
	if list == nil {
		return []any{}
	}
	return list
}

// dictionary gives each text that occurs more than once a number, the most
// frequent texts the shortest. The text "" is always 0.
type dictionary struct {
	seen  map[string]int
	index map[string]int
	list  []string
}

// settle ends the counting.
func (d *dictionary) settle() {
	maps.DeleteFunc(d.seen, func(text string, n int) bool { return n < 2 || len(text) < 2 })
	d.list = slices.SortedFunc(maps.Keys(d.seen), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.seen[b], d.seen[a]), strings.Compare(a, b))
	})
	d.list = slices.Insert(d.list, 0, "")
	d.index = make(map[string]int, len(d.list))
	for i, text := range d.list {
		d.index[text] = i
	}
}

// text gives what stands for a text; while it is counted, that does not matter.
func (d *dictionary) text(text string) any {
	if d.index == nil {
		d.seen[text]++
		return text
	}
	if i, ok := d.index[text]; ok {
		return i
	}
	return text
}
