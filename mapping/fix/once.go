package fix

import (
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// seenRows is the index by which duplicates are found: where each row, key and event id
// was first seen.
type seenRows struct {
	rows map[string]schema.Place // by all of a row's cells
	keys map[string]schema.Place // by calendar and key
	ids  map[string]schema.Place // by calendar and event id
}

func newSeenRows() seenRows {
	return seenRows{rows: map[string]schema.Place{}, keys: map[string]schema.Place{}, ids: map[string]schema.Place{}}
}

// twice returns why an earlier row makes this one needless; empty where none does.
func (s *seenRows) twice(rule Dedupe, header []string, row *Row) string {
	if rule == KeepRows || row.Skipped {
		return ""
	}
	d := row.Draft
	as := func(what string, first schema.Place) string {
		if first.Sheet != d.Place.Sheet {
			return what + " " + first.String()
		}
		return what + " row " + strconv.Itoa(first.Row)
	}
	all := d.Place.Sheet + "\x00" + own(header, row.Shown)
	if first, seen := s.rows[all]; seen {
		return as("every cell is that of", first)
	}
	s.rows[all] = d.Place
	if rule == EqualRows {
		return ""
	}
	event := d.Text(catalog.FieldEventID)
	for _, name := range []struct {
		text, what string
		seen       map[string]schema.Place
	}{
		{d.Key, fmt.Sprintf("the key %q is that of", d.Key), s.keys},
		{event, fmt.Sprintf("the event %s is that of", event), s.ids},
	} {
		if name.text == "" {
			continue
		}
		if first, seen := name.seen[d.Calendar+"\x00"+name.text]; seen {
			return as(name.what, first)
		}
		name.seen[d.Calendar+"\x00"+name.text] = d.Place
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
