package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// add notes the row of an event that is decided. known is what is remembered of the event. Of two
// rows about one event the first counts, unless it asks for nothing.
func (r *relatives) add(op *Op, d *schema.Draft, calendar string, known Known) {
	e := relative{n: op.N, action: op.Action, calendar: calendar, id: op.Event.ID, place: d.Place}
	if known.Cancelled || known.Gone || op.Agrees == Gone {
		e.id = ""
	}
	if op.Action == Create {
		e.questions = strings.Clone(d.Text(schema.FieldRegistrationQuestions))
	}
	if known.Undone && known.Cancelled && op.Action == Unchanged {
		e.undone = known.Run
	}
	if r.keys == nil {
		r.keys, r.names, r.titles, r.twins = map[place]int{}, map[string]int{}, map[place]int{}, map[place]int{}
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
	for _, name := range []string{op.Event.ID, strings.ToLower(d.Text(schema.FieldSlug))} {
		if at, taken := r.names[name]; name != "" && counts(at, taken) {
			r.names[strings.Clone(name)] = n
		}
	}
	title := place{calendar, strings.Clone(strings.TrimSpace(d.Text(schema.FieldName)))}
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
	for _, calendar := range on {
		for _, titles := range []map[place]int{r.titles, r.twins} {
			if n, ok := titles[place{calendar, word}]; ok {
				found = append(found, &r.rows[n])
			}
		}
	}
	return found
}

// related notes the row of an event for the records that belong to it.
func (r *row) related() {
	calendar := r.op.Event.Calendar
	if calendar == "" {
		calendar, _ = r.p.config.Resolve(r.d.Calendar) // of a row that is refused for something else
	}
	r.p.relatives.add(r.op, r.d, calendar, Recollection(r.p.config.Memory, &r.op.Event))
}

// home finds the calendar of a record, and the row of its event where the plan has one: a
// record is where its event is. It reports whether the row goes further.
func (r *row) home() (event *relative, further bool) {
	if r.d.Calendar != "" && !r.calendar() {
		return nil, false
	}
	word := r.d.Value(r.d.Resource.Parent)
	var found []*relative
	if word != "" {
		found = r.p.relatives.find(r.op.Event.Calendar, word)
	}
	switch {
	case len(found) > 1 && found[0].calendar == found[1].calendar:
		r.refuseAt(r.d.Resource.Parent, schema.CodeKeyMissing,
			fmt.Sprintf("%s and %s are both called %q", found[0].place, found[1].place, word), "write the key, the id or the slug of one")
		return nil, false
	case len(found) > 1:
		r.manyHomes(found[0].calendar, found[1].calendar, word)
		return nil, false
	case len(found) == 0:
		return nil, r.d.Calendar != "" || r.calendar()
	case found[0].calendar == "":
		return found[0], true // its row is invalid
	}
	r.op.Event.Calendar = found[0].calendar
	return found[0], true
}

// parent finds the event that a record belongs to: by a row of the plan, else by a key that a run
// of the workspace knows, else by what the service says of the id or slug. It reports whether
// the row goes further.
func (r *row) parent(event *relative) bool {
	word := r.d.Value(r.d.Resource.Parent)
	switch {
	case word == "" && (r.d.Resource.Alone || r.d.Resource.Parent == ""):
		return true
	case word == "":
		r.refuseAt(r.d.Resource.Parent, schema.CodeMissingValue,
			fmt.Sprintf("nothing says which event the %s belongs to", r.d.Resource.One), "fill in the key, the id or the slug of an event")
		return false
	case event == nil:
		return r.remembered(word) || r.op.Action == "" && r.asked(word)
	case event.action == Create:
		r.op.After = []int{event.n}
		return true
	case event.undone != "":
		r.op.Action, r.op.Reason = Unchanged, "its event was undone by run "+event.undone
		return false
	case event.action == Cancel:
		r.refuseAt(r.d.Resource.Parent, schema.CodeEventCancelled, fmt.Sprintf("event %q is cancelled by %s", word, event.place),
			"set the action to SKIP")
		return false
	case event.id != "" && event.action != Blocked:
		r.op.Event.Parent = event.id
		return true
	}
	if r.remembered(word) || r.op.Action != "" {
		return r.op.Action == ""
	}
	if event.action == Invalid || event.action == Blocked || event.action == Conflict {
		r.op.Action, r.op.Reason = Blocked, HeldBack(event.place, event.action)
		return false
	}
	return r.asked(word)
}

// HeldBack is the reason of a record whose event is not there, and is not made by its row.
func HeldBack(event schema.Place, action Action) string {
	word := string(action)
	if action == Conflict {
		word = "in conflict"
	}
	return "its event, " + event.String() + ", is " + word
}

// Place returns where the event of an op comes from that others wait for.
func (p *Planner) Place(n int) schema.Place { return p.relatives.of(n).place }

// of returns the row of the event whose op has that number.
func (r *relatives) of(n int) *relative {
	i, _ := slices.BinarySearchFunc(r.rows, n, func(e relative, n int) int { return e.n - n })
	return &r.rows[i]
}

// remembered takes the event that a run of the workspace knows by that key, and reports whether
// there is one that is there. Of one that is not, the op says so.
func (r *row) remembered(word string) bool {
	known, _ := r.p.config.Memory.Recall(r.op.Event.Calendar, word)
	switch {
	case known.Owed:
		r.op.Action, r.op.Reason = Blocked, "run "+known.Run+" has not settled event "+strconv.Quote(word)+": finish it first"
		return false
	case known.Cancelled && known.Undone:
		r.op.Action, r.op.Reason = Unchanged, "its event was "+undoneBy(known.Run)
		return false
	case known.Cancelled || known.Gone:
		r.refuseAt(r.d.Resource.Parent, schema.CodeKeyMissing, fmt.Sprintf("event %q is gone, as run %s found", word, known.Run),
			"name another event, or set the action to SKIP")
		return false
	}
	r.op.Event.Parent = known.EventID
	return known.EventID != ""
}

// asked takes the event that the service knows by that id or slug, and reports whether there is one.
func (r *row) asked(word string) bool {
	if r.p.config.Parent != nil {
		id, err := r.p.config.Parent(r.op.Event.Calendar, word)
		if err != nil {
			r.op.Action, r.op.Reason = Blocked, err.Error()
			return false
		}
		if r.op.Event.Parent = id; id != "" {
			return true
		}
	}
	for _, event := range r.p.relatives.find("", word) {
		if event.calendar != "" && event.calendar != r.op.Event.Calendar {
			r.refuse(schema.FieldCalendarID, schema.CodeUnknownCalendar,
				fmt.Sprintf("event %q is on calendar %s, not on %s", word, event.calendar, r.op.Event.Calendar),
				"leave the calendar blank: it is that of the event")
			return false
		}
	}
	said := fmt.Sprintf("no event is known by %q", word)
	hint := "import the events first, from this workspace, or write an event id or a slug"
	if r.d.Calendar == "" && r.p.config.Reached != nil {
		others, found := r.p.elsewhere(r.op.Event.Calendar, word)
		switch {
		case len(found) > 1:
			r.manyHomes(found[0], found[1], word)
			return false
		case len(found) == 1:
			r.op.Event.Calendar = found[0]
			return r.remembered(word)
		case len(others) > 0:
			said += " on calendar " + r.op.Event.Calendar
			hint += "; where it is on another calendar, fill that in"
		}
	}
	r.refuseAt(r.d.Resource.Parent, schema.CodeKeyMissing, said, hint)
	return false
}

// elsewhere returns the calendars other than the one that is meant where a row names none, and those of them
// on which a run of the workspace knows an event by that key.
func (p *Planner) elsewhere(here, key string) (others, found []string) {
	for _, calendar := range p.config.Reached() {
		if calendar == here {
			continue
		}
		others = append(others, calendar)
		if known, _ := p.config.Memory.Recall(calendar, key); known.EventID != "" {
			found = append(found, calendar)
		}
	}
	return others, found
}

// manyHomes refuses a row whose event may be on either of two calendars.
func (r *row) manyHomes(one, other, word string) {
	r.refuse(schema.FieldCalendarID, schema.CodeNoCalendar,
		fmt.Sprintf("calendars %s and %s both have an event %q", one, other, word), "fill in the calendar")
}
