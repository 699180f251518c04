package schema

import (
	"slices"
	"strconv"
	"strings"
)

// LeftBehind is what a file has of one kind and nothing takes.
type LeftBehind struct {
	What    string   `json:"what"`    // covers, prices; else the header of its one column
	Columns []string `json:"columns"` // headers
	Cells   int      `json:"cells"`   // filled, of the fullest of the columns
}

// kinds are what is known of columns that no field takes, what people would miss most first.
var kinds = []string{
	"covers", "prices", "tickets", "guests", "tags", "organisers", "coupons", "links", "other times", "notes", "settings", "order details",
}

// rank returns the place of what was left behind among the others; known reports whether it
// is named for what it is, and not by its header.
func (l *LeftBehind) rank() (place int, known bool) {
	if place = slices.Index(kinds, l.What); place < 0 {
		return len(kinds), false
	}
	return place, true
}

// SortLeftBehind puts first what people would miss most, and last what only its header names.
func SortLeftBehind(list []LeftBehind) {
	slices.SortStableFunc(list, func(a, b LeftBehind) int {
		x, _ := a.rank()
		y, _ := b.rank()
		return x - y
	})
}

// AddLeftBehind adds what a column holds to a list, which has one entry of each kind.
func AddLeftBehind(list []LeftBehind, more LeftBehind) []LeftBehind {
	if more.Cells == 0 {
		return list
	}
	at := slices.IndexFunc(list, func(l LeftBehind) bool { return l.What == more.What })
	if at < 0 {
		return append(list, more)
	}
	same := &list[at]
	same.Cells = max(same.Cells, more.Cells)
	for _, column := range more.Columns {
		if !slices.Contains(same.Columns, column) {
			same.Columns = append(same.Columns, column)
		}
	}
	return list
}

// mostNamed is how many kinds, and how many of their columns, are named in words.
const mostNamed = 8

// LeftBehindWords returns a list in words: 3 covers, 2 prices (columns "Bild", "Preis").
func LeftBehindWords(list []LeftBehind) string {
	var words, columns []string
	for i, l := range list {
		if i == mostNamed {
			words = append(words, strconv.Itoa(len(list)-i)+" more")
			break
		}
		switch _, known := l.rank(); {
		case !known:
			words = append(words, strconv.Itoa(l.Cells)+" "+strconv.Quote(l.What))
			continue
		case l.Cells == 1:
			words = append(words, "1 "+strings.TrimSuffix(l.What, "s"))
		default:
			words = append(words, strconv.Itoa(l.Cells)+" "+l.What)
		}
		for _, column := range l.Columns {
			columns = append(columns, strconv.Quote(column))
		}
	}
	text := strings.Join(words, ", ")
	if len(columns) > mostNamed {
		columns = append(columns[:mostNamed], strconv.Itoa(len(columns)-mostNamed)+" more")
	}
	switch len(columns) {
	case 0:
		return text
	case 1:
		return text + " (column " + columns[0] + ")"
	}
	return text + " (columns " + strings.Join(columns, ", ") + ")"
}
