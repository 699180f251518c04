package plan

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// relatives are the rows of events in a plan, among which the event of a record is looked for.
// They come before the rows of records, and are kept only where there are such.
type relatives struct {
	rows      []relative
	keys      map[place]int // in rows
	names     map[string]int
	titles    map[place]int // by what events are called, and twins where another row is called the same
	twins     map[place]int
	left      map[place]int // of events that were moved, by their keys on the calendars that their rows say
	calendars []string
}

// relative is the row of an event.
type relative struct {
	n        int // of its op
	action   Action
	calendar string
	id       string // empty where the event is not there
	undone   string // the run that has taken the event back, where it stays so
	place    schema.Place
	// questions are those of an event that is new.
	questions string
}

// add notes the row of an event that is decided: the calendar that the event is on, the one that the row says, and what is
// remembered of the event. Of two rows about one event the first counts, unless it asks for nothing.
func (r *relatives) add(op *Op, d *schema.Draft, calendar, said string, known Known) {
	e := relative{n: op.N, action: op.Action, calendar: calendar, id: op.Event.ID, place: d.Place}
	if known.Cancelled || known.Gone || op.Agrees == Gone {
		e.id = ""
	}
	if op.Action == Create {
		e.questions = strings.Clone(d.Text(catalog.FieldRegistrationQuestions))
	}
	if known.Undone && known.Cancelled && op.Action == Unchanged {
		e.undone = known.Run
	}
	if r.keys == nil {
		r.keys, r.names, r.titles, r.twins = map[place]int{}, map[string]int{}, map[place]int{}, map[place]int{}
		r.left = map[place]int{}
	}
	if !slices.Contains(r.calendars, calendar) {
		r.calendars = append(r.calendars, calendar)
	}
	n := len(r.rows)
	r.rows = append(r.rows, e)
	counts := func(at int, taken bool) bool { return !taken || r.rows[at].action == Skip && e.action != Skip }
	key := place{calendar, strings.Clone(d.Key)}
	if at, taken := r.keys[key]; d.Key != "" && counts(at, taken) {
		r.keys[key] = n
	}
	if d.Key != "" && said != calendar {
		r.left[place{said, key.key}] = n
	}
	for _, name := range []string{op.Event.ID, strings.ToLower(d.Text(catalog.FieldSlug))} {
		if at, taken := r.names[name]; name != "" && counts(at, taken) {
			r.names[strings.Clone(name)] = n
		}
	}
	title := place{calendar, strings.Clone(strings.TrimSpace(d.Text(catalog.FieldName)))}
	switch at, taken := r.titles[title]; {
	case title.key == "":
	case counts(at, taken):
		r.titles[title] = n
	case e.action != Skip && (e.id == "" || e.id != r.rows[at].id):
		r.twins[title] = n
	}
}

// find returns the rows of the events that a word means: a key, or else an id or a slug, or else what
// rows call their events, of which several may be called the same. Without a calendar they can be of any.
func (r *relatives) find(calendar, word string) (found []*relative) {
	on := []string{calendar}
	if calendar == "" {
		on = r.calendars
	}
	for _, calendar := range on {
		if n, ok := r.keys[place{calendar, word}]; ok {
			found = append(found, &r.rows[n])
		}
	}
	if len(found) > 0 {
		return found
	}
	n, ok := r.names[word]
	if !ok {
		n, ok = r.names[strings.ToLower(word)]
	}
	if ok && (calendar == "" || r.rows[n].calendar == calendar) {
		return append(found, &r.rows[n])
	}
	if n, ok := r.left[place{calendar, word}]; ok {
		return append(found, &r.rows[n])
	}
	for _, calendar := range on {
		for _, titles := range []map[place]int{r.titles, r.twins} {
			if n, ok := titles[place{calendar, word}]; ok {
				found = append(found, &r.rows[n])
			}
		}
	}
	return found
}

// of returns the row of the event whose op has that number.
func (r *relatives) of(n int) *relative {
	i, _ := slices.BinarySearchFunc(r.rows, n, func(e relative, n int) int { return e.n - n })
	return &r.rows[i]
}

// named is the row of a record that other rows may name.
type named struct {
	n        int // of its op
	action   Action
	id, name string
	place    schema.Place
}

// nameOf returns the place of a record of an op's calendar and event that is called so.
func nameOf(op *Op, of *schema.Resource, word string) place {
	in := ""
	if of.Parent != "" {
		in = op.within()
	}
	return place{op.Event.Calendar, recordKey(of, schema.Create, in, word)}
}
