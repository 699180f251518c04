package fix

import (
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// seenRows is the index by which duplicates are found: where each row, key and event id was first seen, by
// where it has to be one of its kind, and what it is.
type seenRows map[[2]string]schema.Place

// twice returns why an earlier row makes this one needless; empty where none does.
func (s seenRows) twice(rule Dedupe, header []string, row *Row) string {
	if rule == KeepRows || row.Skipped {
		return ""
	}
	d := row.Draft
	event := d.Text(catalog.FieldEventID)
	names := []struct{ within, text, what string }{
		{"row\x00" + d.Place.Sheet, own(header, row.Shown), "every cell is that of"},
		{"key\x00" + d.Calendar, d.Key, fmt.Sprintf("the key %q is that of", d.Key)},
		{"event\x00" + d.Calendar, event, fmt.Sprintf("the event %s is that of", event)},
	}
	if rule == EqualRows {
		names = names[:1]
	}
	for i, name := range names {
		if name.text == "" && i > 0 { // the row has none
			continue
		}
		first, seen := s[[2]string{name.within, name.text}]
		switch {
		case !seen:
			s[[2]string{name.within, name.text}] = d.Place
		case first.Sheet != d.Place.Sheet:
			return name.what + " " + first.String()
		default:
			return name.what + " row " + strconv.Itoa(first.Row)
		}
	}
	return ""
}

// own joins the cells that are the user's own: columns of a report or of results,
// whose names begin with an underscore, say of each row something else.
func own(header, cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i < len(header) && strings.HasPrefix(header[i], "_") {
			cell = ""
		}
		b.WriteString(cell)
		b.WriteByte(0)
	}
	return strings.TrimRight(b.String(), "\x00")
}

// distinct gives each slug that was made an ending where another event has it. taken are
// the good slugs of the file.
func distinct(edits []Edit, taken map[string]bool) {
	for i := range edits {
		e := &edits[i]
		if e.Field != catalog.Path(catalog.FieldSlug) || !strings.HasSuffix(e.Rule, ruleSlug) && !strings.HasSuffix(e.Rule, ruleTake) {
			continue
		}
		slug := e.After
		for n := 2; taken[slug]; n++ {
			ending := "-" + strconv.Itoa(n)
			slug = strings.TrimRight(e.After[:min(len(e.After), value.SlugMax-len(ending))], "-") + ending
		}
		taken[slug] = true
		e.After, e.Cell.Text = slug, slug
	}
}
