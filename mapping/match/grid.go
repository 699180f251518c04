package match

import (
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/sheet"
)

// gridStep finds programmes whose columns are rooms or days.
type gridStep struct{ *builder }

// grid finds a programme with a column for each room, whose cells are the events: no column has
// a name, one has the start, and two or more hold texts and are headed by rooms or by nothing that is known.
func (b gridStep) grid() {
	found, ok := b.columns()
	if !ok || len(found.rooms) < 2 || !found.start || found.heading != "Day" && b.sides() != nil {
		return
	}
	rooms, headers := found.rooms, names(found.rooms)
	if !b.isGrid(&found) {
		return
	}
	g := mapfile.Grid{Columns: headers, Heading: b.unusedName(found.heading), Cell: b.unusedName("Session")}
	if found.timed {
		g.Time = b.unusedName("Cell time")
	}
	b.p.File.Grid = g
	b.say("grid", Line{Basis: ByAnswer, Reason: "each filled cell is an event"}, rooms...)
	b.set("name", mapfile.Column{From: mapfile.Names{g.Cell}}, Line{Basis: ByAnswer, Reason: "the cell of the grid"})
	b.gridWords(rooms)
	if found.inside > 0 {
		why := "some cells say a time within their text"
		if found.hours {
			why += ", and a column has the hours of the row"
		}
		b.ask(Question{
			ID: "grid_time", At: "grid", Text: "are times in cells part of the name?",
			Why:     why,
			Choices: []Choice{{"yes", "the hours of the row count, and the cell is the name as it stands"}},
			Free:    "else write such times into rows of their own", check: func(string) bool { return false },
		}, rooms...)
	}
}

// gridColumns are the columns that may be those of a grid.
type gridColumns struct {
	rooms   []*column
	heading string // of what is in their headers: Room, Day
	known   bool   // their headers are such
	start   bool   // something says when the events start
	hours   bool   // at what time of day, too
	timed   bool   // the cells do
	inside  int    // cells with a time of their own, where not most have one or a column has it
}

// columns finds the columns that may be those of a grid. It is not ok where another column has the name.
func (b gridStep) columns() (found gridColumns, ok bool) {
	var others, alike []*column
	for i := range b.all.columns {
		c := &b.all.columns[i]
		cl, known := b.claims[i]
		switch {
		case known && cl.semantic == typeName && (cl.basis != BySimilar || !in("kind", cl.word)):
			return found, false
		case known && cl.semantic == typeName:
			alike = append(alike, c) // Course A, Course B
		case known && slices.Contains(startTypes, cl.semantic):
			found.start = true
			found.hours = found.hours || !c.onlyDates()
		case c.header == "" || c.twice || b.joined(c) || !c.blank() && !c.isText() || sheet.OwnColumn(c.header):
		case known && cl.semantic == typeRoom: // a blank one may lie below a cell that covers it
			if found.rooms = append(found.rooms, c); cl.basis == BySimilar {
				others = append(others, c) // Main Stage may be one of several, or where each row is
			}
		case !known && !c.blank() && !ofTime(c.header): // every Tuesday under When is no session
			others = append(others, c)
		}
	}
	if len(alike) == 1 {
		return found, false // it is the name's
	}
	others = append(others, alike...)
	slices.SortFunc(others, func(x, y *column) int { return x.index - y.index })
	found.known, found.heading = len(found.rooms) > 1, "Room"
	switch days := b.days(); {
	case len(days) > 1:
		found.known, found.rooms, found.heading = true, days, "Day"
		found.start = found.start || b.hoursBefore(days)
		found.hours = found.start
	case found.known, len(found.rooms) == 1 && len(others) == 1 && others[0].filled*10 < b.all.rows*9: // too seldom for a name
		found.rooms = beside(found.rooms, others)
	default:
		found.rooms = others
	}
	texts, inside, _ := b.all.timedCells(names(found.rooms))
	if found.timed = !found.hours && inside*2 >= texts && inside > 0; !found.timed {
		found.inside = inside
	}
	found.start = found.start || found.timed && found.heading == "Day"
	return found, true
}

// isGrid asks whether the cells of columns are events, unless their headers say so.
func (b gridStep) isGrid(found *gridColumns) bool {
	rooms, headers := found.rooms, names(found.rooms)
	q := Question{
		ID: "grid", Text: "is each filled cell under " + strings.Join(headers, ", ") + " an event of its own?",
		Why: "no column has the name of the event, and these hold texts: " + examples(rooms),
		Choices: []Choice{
			{"yes", "the cell is its name, the header its " + strings.ToLower(found.heading)}, {"no", "each row is one event"},
		},
	}
	if found.known || len(rooms) > 2 && !b.tells(rooms) { // two columns of any texts may be anything
		q.Default = "yes"
	}
	_, given := b.config.Answers[q.ID]
	dates := found.heading == "Day" && dayHeaders(headers)[0].date != ""
	if (dates || found.heading == "Day" && len(rooms) > 2) && !given { // hours beside the days of a week are a timetable
		b.p.Settled = append(b.p.Settled, q)
		return true
	}
	answer, answered := b.ask(q, rooms...)
	return answered && answer != "no" || !answered && q.Default != ""
}

// tells reports whether another column than these says in words what the rows are, such as a place or who takes part:
// rows of a grid have nothing but their hours.
func (b gridStep) tells(rooms []*column) bool {
	return slices.ContainsFunc(b.free(), func(c *column) bool {
		cl, known := b.claims[c.index]
		told := known && (cl.semantic == typeRoom || !slices.Contains(rooms, c))
		return told && c.isText() && !c.blank() && !slices.Contains(timeTypes, cl.semantic)
	})
}

// gridWords asks whether cells that say that there is nothing are events all the same.
func (b gridStep) gridWords(rooms []*column) {
	var said []string
	for _, c := range rooms {
		for _, text := range c.distinct {
			nothing := in("nothing", text) || reads.Nothing(text)
			if nothing && !slices.Contains(said, text) && strings.ContainsFunc(text, unicode.IsLetter) {
				said = append(said, text)
			}
		}
	}
	if len(said) == 0 {
		return
	}
	answer, answered := b.ask(Question{
		ID: "grid_words", At: "filter", Text: "are " + strings.Join(said, ", ") + " events?", Default: mapfile.HiddenSkip,
		Why:     "in a grid these words mostly say that there is nothing",
		Choices: []Choice{{mapfile.HiddenSkip, "such cells are left out"}, {mapfile.HiddenRead, "they are names of events"}},
	})
	if answered && answer == mapfile.HiddenSkip {
		b.p.File.Filter = among(b.p.File.Grid.Cell, notIn, said)
		b.say("filter", Line{Basis: ByAnswer, Reason: "answered: these cells are no events"})
	}
}

// beside returns rooms with the other columns that stand without a gap beside them.
func beside(rooms, others []*column) []*column {
	for grown := true; grown; {
		grown = false
		for _, c := range others {
			switch {
			case slices.Contains(rooms, c):
				continue
			case c.index == rooms[0].index-1:
				rooms = slices.Insert(rooms, 0, c)
			case c.index == rooms[len(rooms)-1].index+1:
				rooms = append(rooms, c)
			default:
				continue
			}
			grown = true
		}
	}
	return rooms
}

// gridRoom puts the header of a grid's cell before what else is known of the place.
func (b gridStep) gridRoom() {
	room := b.p.File.Grid.Heading
	if room == "" || b.ofWeek() {
		return
	}
	for i := range b.p.File.Columns {
		if item := &b.p.File.Columns[i]; item.Key == "address" {
			if len(item.Value.From) > 0 {
				item.Value.From = append(mapfile.Names{room}, item.Value.From...)
				item.Value.Join = new(", ")
			}
			return
		}
	}
	b.set("address", mapfile.Column{From: mapfile.Names{room}}, Line{Basis: ByAnswer, Reason: "the header of the cell"})
}

// days returns the columns that are headed by days of the week; none where fewer than two are.
func (b gridStep) days() []*column {
	headers := make([]string, len(b.all.columns))
	for i := range b.all.columns {
		headers[i] = b.all.columns[i].header
	}
	var found []*column
	for i, day := range dayHeaders(headers) {
		if c := &b.all.columns[i]; day != nil && !c.twice && !b.joined(c) {
			found = append(found, c)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// hoursBefore finds among the columns before the first day, of which none is known for the start, the one that
// holds times of day, whatever its header says: it may be the week or the title.
func (b gridStep) hoursBefore(days []*column) (found bool) {
	for i := range days[0].index {
		c := &b.all.columns[i]
		if _, known := b.claims[i]; known || c.header == "" || c.twice || !c.hours() && c.share(valueClock, valueHours, valueBare) < 0.5 {
			continue
		}
		b.claims[i] = claim{semantic: typeTime, basis: ByValues}
		return true
	}
	return false
}
