package notify

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
)

// Trouble is what is wrong with a row, or with a whole file.
type Trouble struct {
	schema.Problem
	Key    string   // of the row; empty where it has none
	Header []string // of its sheet; of a whole file those of all sheets
	Cells  []string // of the row; nil of a whole file
}

// Troubles are what is wrong with the rows of a night: the first of them, and the causes of all.
type Troubles struct {
	First  []Trouble
	N      int // how many rows are concerned
	news   []Trouble
	last   string
	causes []string
	seen   []string // the headers that were met
}

const (
	shownTroubles = 3   // that a notice names
	maxCauses     = 100 // that are told apart by their rows
)

// Add takes one more. A warning is none, and a row counts once, with the first that is wrong with it.
func (t *Troubles) Add(add Trouble) {
	for _, name := range add.Header {
		if !slices.Contains(t.seen, name) {
			t.seen = append(t.seen, name)
		}
	}
	if add.Severity != schema.Error {
		return
	}
	what := string(add.Code) + " " + add.Field + " " + add.Place.Sheet
	which := add.Key
	if which == "" {
		which = strconv.Itoa(add.Place.Row)
	}
	cause := what
	if len(t.causes) < maxCauses {
		cause += " " + which
	}
	if !slices.Contains(t.causes, cause) {
		t.causes = append(t.causes, cause)
	}
	row := add.Place.File + " " + add.Place.Sheet + " " + strconv.Itoa(add.Place.Row) + " " + which
	if row == t.last && add.Place.Row > 0 {
		return
	}
	t.last = row
	if t.N++; len(t.First) < shownTroubles {
		add.Cells = slices.Clone(add.Cells)
		t.First = append(t.First, add)
	}
}

// Note takes what holds no row up, is of the whole feed, quotes no private cell and was not so the night before:
// it is told however the night ends.
func (t *Troubles) Note(p schema.Problem) { t.news = append(t.news, Trouble{Problem: p}) }

// Words tells the first of them, and what was noted, on a line each: without private cells, and where it is not certain which words
// are, what the code means.
func (t *Troubles) Words(private []string) []string {
	lines := make([]string, 0, len(t.First)+len(t.news))
	for _, list := range [][]Trouble{t.First, t.news} {
		for i := range list {
			lines = append(lines, list[i].words(private, t.hides(private)))
		}
	}
	return lines
}

// hides reports whether a private column was not met, so that its cells may stand under another name.
func (t *Troubles) hides(private []string) bool {
	return slices.ContainsFunc(private, func(name string) bool { return !Among(t.seen, name) })
}

func (t *Trouble) words(private []string, hides bool) string {
	message, hint := t.Message, t.Hint
	// What a text may be that is no UTF-8 is shown by a cell of any column.
	shows := len(private) > 0 && t.Code == schema.CodeBadEncoding
	if shows || hides && t.Place.Row > 0 || Among(private, t.Place.Header) || t.keyed(private) {
		info, _ := catalog.Lookup(t.Code)
		message, hint = info.Title, "eventbatch explain "+string(t.Code)+" says what to do"
	} else {
		message, hint = t.masked(message, private), t.masked(hint, private)
	}
	place := t.Place
	if t.Place.Row <= 0 && t.Key != "" {
		message = "key " + strconv.Quote(t.Key) + ": " + message
	}
	text := strings.TrimPrefix(place.String()+": "+message+" ["+string(t.Code)+"]", ": ")
	if hint != "" {
		text += "; " + hint
	}
	return data(text)
}

// keyed reports whether the key is made of a private cell: words may quote the keys of other rows.
func (t *Trouble) keyed(private []string) bool {
	return slices.ContainsFunc(t.private(private), func(cell string) bool { return strings.Contains(t.Key, cell) })
}

// private returns the cells of the private columns that are not blank.
func (t *Trouble) private(columns []string) (cells []string) {
	for i, cell := range t.Cells {
		if cell = strings.TrimSpace(cell); cell != "" && i < len(t.Header) && Among(columns, t.Header[i]) {
			cells = append(cells, cell)
		}
	}
	return cells
}

// between are what stands between the items of a cell.
var between = pattern.New(`\s*[;,|\n]\s*`)

// masked leaves the row's own private cells, and their items, out of a text.
func (t *Trouble) masked(text string, private []string) string {
	for _, cell := range t.private(private) {
		for _, part := range append([]string{cell}, between().Split(cell, -1)...) {
			if part != "" {
				text = without(text, part)
				quoted := strconv.Quote(part)
				text = without(text, quoted[1:len(quoted)-1])
			}
		}
	}
	return text
}

// without leaves a word out of a text, in capitals or not.
func without(text, word string) string {
	found := regexp.MustCompile(`(?i)(^|[^\pL\pN])` + regexp.QuoteMeta(word) + `([^\pL\pN]|$)`)
	for range 2 { // two may share a blank
		text = found.ReplaceAllString(text, "${1}…${2}")
	}
	return text
}

// Among reports whether a column is one of those.
func Among(columns []string, name string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(name)) })
}
