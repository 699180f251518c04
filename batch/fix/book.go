package fix

import (
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// book remembers what rows have to know of each other.
type book struct {
	rows  map[string]schema.Place // by all of a row's cells
	keys  map[string]schema.Place // by calendar and key
	ids   map[string]schema.Place // by event id
	slugs map[string]bool         // that are in the file and good
	wants []want                  // slugs that are made once all others are known
}

// want is an edit that waits for its slug.
type want struct {
	row, column int
	sheet       string
	slug        string
}

func newBook() *book {
	return &book{rows: map[string]schema.Place{}, keys: map[string]schema.Place{}, ids: map[string]schema.Place{}, slugs: map[string]bool{}}
}

// twice returns why an earlier row makes this one needless; empty where none does.
func (b *book) twice(rule Dedupe, header []string, result *mapping.Result) string {
	if rule == KeepRows || result.Skipped != "" {
		return ""
	}
	d := result.Draft
	as := func(what string, first schema.Place) string {
		if first.Sheet != d.Place.Sheet {
			return what + " " + first.String()
		}
		return what + " row " + strconv.Itoa(first.Row)
	}
	all := d.Place.Sheet + "\x00" + own(header, result.Cells)
	if first, seen := b.rows[all]; seen {
		return as("every cell is that of", first)
	}
	b.rows[all] = d.Place
	if rule == EqualRows {
		return ""
	}
	for _, name := range []struct {
		text, what string
		seen       map[string]schema.Place
	}{
		{d.Key, fmt.Sprintf("the key %q is that of", d.Key), b.keys},
		{d.Text(schema.FieldEventID), fmt.Sprintf("the event %s is that of", d.Text(schema.FieldEventID)), b.ids},
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

// settle gives each slug that was made an ending where another event has it.
func (b *book) settle(found *Found) {
	at := map[want]string{}
	for _, w := range b.wants {
		slug := w.slug
		for n := 2; b.slugs[slug]; n++ {
			ending := "-" + strconv.Itoa(n)
			slug = strings.TrimRight(w.slug[:min(len(w.slug), schema.SlugMax-len(ending))], "-") + ending
		}
		b.slugs[slug] = true
		at[w] = slug
	}
	for i := range found.Edits {
		e := &found.Edits[i]
		if e.Field != schema.FieldSlug.Path() {
			continue
		}
		if slug, ok := at[want{e.Place.Row, e.Place.Column, e.Place.Sheet, e.After}]; ok {
			e.After, e.Cell.Text = slug, slug
		}
	}
}
