package match

import "eventbatch/mapping/mapfile"

// keyStep infers what names a row for good, and whose event it is.
type keyStep struct{ *builder }

// identity finds what names a row for good, and whose event it is.
func (b keyStep) identity() {
	b.key()
	b.calendar()
}

// eventID takes a column for the service's ids only where its cells look so: other
// programs have an event_id too.
func (b keyStep) eventID() {
	if found := surest(b.having(typeEventID)); len(found) > 0 {
		s := found[0]
		if s.begins("evt-") || s.blank() && s.basis == ByPath {
			b.set(
				"event_id", mapfile.Column{From: mapfile.Names{s.header}}, Line{Basis: s.basis, Reason: "the service's own ids"},
				s.column,
			)
			b.updates = true
			return
		}
		answer, ok := b.ask(Question{
			ID: "event_id", At: "event_id", Text: "whose ids are those of " + quoted(s.header) + "?", Why: examples([]*column{s.column}),
			Choices: []Choice{
				{"key", "another program's: they name the rows"},
				{"event_id", "the service's: the rows change its events"},
				{None, "nobody's"},
			}, Default: "key",
		}, s.column)
		switch {
		case !ok:
		case answer == "key":
			b.keyed(s.column, Line{Basis: ByAnswer, Reason: "answered"})
		case answer == "event_id":
			b.set("event_id", mapfile.Column{From: mapfile.Names{s.header}}, Line{Basis: ByAnswer, Reason: "answered"}, s.column)
			b.updates = true
		default:
			b.ignore(s.column, "answered: it names nothing")
		}
	}
}

func (b keyStep) keyed(c *column, line Line) {
	b.p.File.Key = mapfile.Names{c.header}
	b.say("key", line, c)
}

// key takes a column whose every cell is another, and that does not count rows:
// a number that shifts when a row is put in would change the wrong event.
func (b keyStep) key() {
	if len(b.p.File.Key) > 0 || b.asked("event_id") {
		b.hold(typeKey)
		return
	}
	var good []candidate
	for _, s := range b.having(typeKey) {
		switch {
		case s.blank() && s.basis != ByPath:
			b.ignore(s.column, "no cell is filled")
		case s.names(b.all.rows) && !(s.counted && s.rank() > 0), s.basis == ByPath:
			good = append(good, s)
		}
	}
	if good = surest(good); len(good) > 0 {
		options := optionsOf(good)
		for i := range good {
			options[i].line.Reason += ", no two rows have the same"
			if n := b.all.rows - good[i].filled; n > 0 {
				options[i].line.Doubt = "it is blank in " + rowsOf(n)
			}
		}
		sure := good[0].sure() && len(good) == 1
		if chosen, ok := b.choose("key", "which column has a number or code that never changes for an event?", options, sure); ok {
			b.keyed(chosen.columns[0], chosen.line)
			b.leave("another column names the rows", typeKey, typeNumber)
		}
		return
	}
	b.number()
}

// number asks about columns that name rows, but perhaps not for good.
func (b keyStep) number() {
	all := b.having(typeKey, typeNumber)
	q := Question{
		ID: "key", Optional: true, Default: None,
		Text: "is there a column with a number or code that never changes for an event? Then a later import changes the event " +
			"instead of making a second one",
		Choices: []Choice{{None, "an event whose name or start changes is made a second time"}},
	}
	var columns []*column
	for _, s := range all {
		switch {
		case s.repeated != "":
			b.ignore(s.column, "it cannot name rows: "+quoted(s.repeated)+" stands in more than one")
		case s.filled < b.all.rows:
			b.ignore(s.column, "it cannot name rows: not every one has it")
		default:
			q.Choices = append(q.Choices, Choice{s.header, examples([]*column{s.column})})
			columns = append(columns, s.column)
			switch q.Why = "each row of " + quoted(s.header) + " has another number"; {
			case s.counted:
				q.Why = quoted(s.header) + " counts the rows: good as a key only if no row is ever put in between"
			case !s.most(valueInteger):
				q.Why, q.Default = "each row of "+quoted(s.header)+" has another code", s.header
			}
		}
	}
	if len(columns) == 0 {
		return
	}
	answer, answered := b.ask(q, columns...)
	for _, c := range columns {
		switch {
		case answered && c.header == answer:
			b.keyed(c, Line{Basis: ByAnswer, Reason: "answered"})
		case answered:
			b.ignore(c, "answered: it does not name rows for good")
		}
	}
}

// calendar takes a column for the service's calendars only where that is certain:
// other programs call something else so.
func (b keyStep) calendar() {
	for _, s := range b.having(typeCalendar) {
		if s.basis != ByPath && !s.begins("cal-") {
			answer, ok := b.ask(Question{
				ID: "calendar", Text: "does " + quoted(s.header) + " hold ids of the service's calendars?",
				Why:     examples([]*column{s.column}),
				Choices: []Choice{{"yes", "it chooses the calendar of each event"}, {"no", "all events go to one calendar"}}, Default: "no",
			}, s.column)
			if !ok {
				return
			}
			if answer == "no" {
				b.ignore(s.column, "answered: it has no ids of calendars")
				continue
			}
			s.basis = ByAnswer
		}
		b.p.File.Calendar.Column = s.header
		b.say("calendar", reasonOf(&s), s.column)
		return
	}
}
