package reshape

import (
	"cmp"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Group makes one event of the rows that have the same texts in some columns.
type Group struct {
	Columns []int
	Compare []int  // columns that rows of one event should agree in
	One     string // what they make one of; empty: event
}

// groups remembers the first row of each event by the texts of its group.
type groups map[string]*first

type first struct {
	number int
	texts  []string // of the columns to compare
}

// repeats reports whether an earlier row has made the row's event. A row without any
// text in the columns of the group is an event of its own.
func (s *Shaper) repeats(row *sheet.Row, note *Note) bool {
	g := s.shape.Group
	var key strings.Builder
	blank := true
	for _, column := range g.Columns {
		text := strings.TrimSpace(row.Cells[column].Text)
		blank = blank && text == ""
		key.WriteString(strconv.Itoa(len(text))) // so that no text can look like two
		key.WriteByte(':')
		key.WriteString(text)
	}
	if blank {
		return false
	}
	before := s.groups[key.String()]
	if before == nil {
		before = &first{number: row.Number, texts: make([]string, len(g.Compare))}
		for i, column := range g.Compare {
			before.texts[i] = strings.Clone(strings.TrimSpace(row.Cells[column].Text))
		}
		s.groups[key.String()] = before
		return false
	}
	one := cmp.Or(g.One, "event")
	note.Skip = "same " + one + " as row " + strconv.Itoa(before.number)
	for i, column := range g.Compare {
		if text := strings.TrimSpace(row.Cells[column].Text); text != before.texts[i] {
			note.Problems = append(note.Problems, schema.Problem{
				Severity: schema.Warning, Code: schema.CodeGroupDiffers, Place: schema.Place{Column: column}, Value: row.Cells[column].Text,
				Message: "row " + strconv.Itoa(before.number) + " is the same " + one + " and says " + short(before.texts[i]) +
					", which is read",
				Hint: "write the same into all rows of the " + one,
			})
		}
	}
	return true
}

// short quotes a text, or its beginning.
func short(text string) string {
	if text == "" {
		return "nothing"
	}
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	return strconv.Quote(text)
}
