package check

import (
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// Links checks that the rows of a workbook which belong to an event belong to one that its own
// rows make or change. The rows of events come first. A word that no row has may still be a key
// that was imported before, an id or a slug: the plan looks it up. It is warned of where it looks
// like the keys of the workbook.
type Links struct {
	events map[string]eventRow // by key, id, slug and name
	keys   []string
	shapes map[string]bool   // of the keys
	asked  map[string]string // words that no event has, with the nearest key
}

// eventRow is the row of an event.
type eventRow struct {
	place  schema.Place
	action schema.Action
	twin   schema.Place // another row with the same name, for what is found by it
}

// mostKeys is how many keys a word is compared with to find the nearest.
const mostKeys = 2000

// NewLinks returns Links without rows.
func NewLinks() *Links {
	return &Links{events: map[string]eventRow{}, shapes: map[string]bool{}, asked: map[string]string{}}
}

// Add takes a row, of which emit is told what is wrong with its event. A row that is left out
// has asked for nothing.
func (l *Links) Add(d *schema.Draft, leftOut bool, emit func(schema.Problem)) {
	if d.Resource.Keyed() {
		l.event(d, leftOut)
		return
	}
	f, ok := d.Resource.ByPath(d.Resource.Parent)
	if !ok || len(l.events) == 0 || leftOut || d.Action == schema.Skip || d.Untouched() {
		return
	}
	s := d.Get(f.ID)
	if s == nil || s.State != schema.Set {
		return
	}
	p := schema.Problem{Field: f.Path, Place: d.Place, Value: s.Text}
	p.Place.Column = s.Column
	event, known := l.events[s.Text]
	if !known {
		event, known = l.events[slug(s.Text)]
	}
	if !known {
		event, known = l.events[title(s.Text)]
	}
	where := rowOf(event.place)
	switch {
	case known && event.twin.Row > 0:
		p.Severity, p.Code = schema.Warning, schema.CodeUnknownEvent
		p.Message = fmt.Sprintf("several events of the workbook are called %q, in %s and in %s", s.Text, where, rowOf(event.twin))
		p.Hint = "write the key, the id or the slug of one; plan refuses the row unless its calendar tells them apart"
	case !known && !strings.HasPrefix(s.Text, "evt-"):
		near, looks := l.like(s.Text)
		if !looks {
			return
		}
		p.Severity, p.Code = schema.Warning, schema.CodeUnknownEvent
		p.Message = fmt.Sprintf("no event of the workbook has the key %q", s.Text)
		p.Hint = "plan looks for an event that was imported before, or has this id or slug"
		if near != "" {
			p.Hint = "did you mean " + near + "? otherwise " + p.Hint
		}
	case known && event.action == schema.Skip:
		p.Severity, p.Code = schema.Warning, schema.CodeEventLeftOut
		p.Message = fmt.Sprintf("the event %q is left out, in %s", s.Text, where)
		p.Hint = "plan refuses the row unless the event was imported before; set the action of this row to SKIP too"
	case known && event.action == schema.Cancel:
		p.Code = schema.CodeEventCancelled
		p.Message = fmt.Sprintf("the event %q is cancelled by %s", s.Text, where)
		p.Hint = "set the action of this row to SKIP"
	default:
		return
	}
	emit(p)
}

// event takes the names of an event. Where several rows have one, the one that asks for more counts.
func (l *Links) event(d *schema.Draft, leftOut bool) {
	row := eventRow{place: d.Place, action: d.Action}
	if leftOut {
		row.action = schema.Skip
	}
	for _, name := range []string{d.Key, d.Text(catalog.FieldEventID), slug(d.Text(catalog.FieldSlug))} {
		if was, known := l.events[name]; name != "" && (!known || was.action == schema.Skip) {
			l.events[strings.Clone(name)] = row
		}
	}
	name := title(strings.TrimSpace(d.Text(catalog.FieldName)))
	switch was, known := l.events[name]; {
	case name == "":
	case !known || was.action == schema.Skip:
		l.events[strings.Clone(name)] = row
	case row.action != schema.Skip:
		was.twin = row.place
		l.events[name] = was
	}
	if d.Key == "" {
		return
	}
	if shape := reads.Shape(d.Key); !l.shapes[shape] && len(l.shapes) < mostKeys {
		l.shapes[shape] = true
	}
	if len(l.keys) < mostKeys {
		l.keys = append(l.keys, strings.Clone(d.Key))
	}
}

// rowOf says where a row stands in its workbook.
func rowOf(p schema.Place) string {
	where := "row " + strconv.Itoa(p.Row)
	if p.Sheet != "" {
		where += " of sheet " + p.Sheet
	}
	return where
}

// title marks a word as the name of an event.
func title(word string) string {
	if word == "" {
		return ""
	}
	return "\x01" + word
}

// slug marks a word as a slug, which has no letter case.
func slug(word string) string {
	if word == "" {
		return ""
	}
	return "\x00" + strings.ToLower(word)
}

// like reports whether a word looks like a key of the workbook, and returns the nearest.
func (l *Links) like(word string) (near string, looks bool) {
	near, again := l.asked[word]
	if !again {
		near = spelling.Nearest(word, l.keys)
		l.asked[strings.Clone(word)] = near
	}
	return near, near != "" || l.shapes[reads.Shape(word)]
}
