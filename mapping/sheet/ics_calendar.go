package sheet

import (
	"context"
	"fmt"
	"strings"

	ics "github.com/arran4/golang-ical"

	"eventbatch/mapping/schema"
)

// icsCalendar is what a file of events holds.
type icsCalendar struct {
	file   string
	events []*icsEvent
	zone   string            // of the calendar, as an IANA name where it is known
	zones  map[string]string // the names that the file's own time zones go by, by TZID

	left, firstLeft int // components that are no events: how many, the first one's line
}

// icsEvent is one VEVENT.
type icsEvent struct {
	line       int
	text       map[string]string // by property; several of one name are joined by "; "
	start, end *icsTime
	duration   string
	rules      []string // RRULE
	added      []*icsTime
	left       []*icsTime
	replaces   *icsTime // RECURRENCE-ID
}

// read goes through the content lines. Lines are counted as the file has them,
// before unfolding.
func (c *icsCalendar) read(ctx context.Context, text string) error {
	r := icsReader{calendar: c}
	number := 0
	for len(text) > 0 {
		first := number + 1
		var line string
		line, text, number = unfold(text, number)
		if strings.TrimSpace(line) == "" {
			continue
		}
		if number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.line(line, first); err != nil {
			return err
		}
	}
	if len(r.open) > 0 {
		last := r.open[len(r.open)-1]
		return c.refuse(last.line, "the file was cut; export it again", "BEGIN:%s has no END", last.name)
	}
	if !r.begun {
		return c.refuse(1, "export the calendar again", "there is no BEGIN:VCALENDAR")
	}
	return nil
}

// unfold takes one content line off the text. A line that begins with white
// space goes on with the one before it.
func unfold(text string, number int) (line, rest string, after int) {
	var joined strings.Builder
	for {
		physical, next, _ := strings.Cut(text, "\n")
		physical, text, number = strings.TrimSuffix(physical, "\r"), next, number+1
		if joined.Len() == 0 && (text == "" || text[0] != ' ' && text[0] != '\t') {
			return physical, text, number
		}
		joined.WriteString(physical)
		if text == "" || text[0] != ' ' && text[0] != '\t' {
			return joined.String(), text, number
		}
		text = text[1:]
	}
}

func (c *icsCalendar) refuse(line int, hint, format string, args ...any) error {
	return refuse(schema.CodeBadRecord, schema.Place{File: c.file, Line: line, Column: -1}, hint, format, args...)
}

// icsReader keeps where in the nest of components a line stands.
type icsReader struct {
	calendar *icsCalendar
	begun    bool
	open     []struct {
		name string
		line int
	}
	event *icsEvent
	tzid  string // of the time zone that is being read
}

func (r *icsReader) line(line string, number int) error {
	c := r.calendar
	p, err := parseContentLine(line)
	if err != nil {
		return c.refuse(number, "export the calendar again", "%w", err)
	}
	name, value := strings.ToUpper(p.IANAToken), strings.ToUpper(strings.TrimSpace(p.Value))
	switch {
	case name == "BEGIN" && len(r.open) == 0 && value != "VCALENDAR", name != "BEGIN" && len(r.open) == 0:
		return c.refuse(number, "export the calendar again", "%.40q stands outside of a calendar", line)
	case name == "BEGIN":
		if len(r.open) == maxNesting {
			return c.refuse(number, "", "components lie more than %d deep in each other", maxNesting)
		}
		r.begin(value, number)
		return nil
	case name == "END":
		top := r.open[len(r.open)-1]
		if top.name != value {
			return c.refuse(number, "the file was cut or put together wrongly; export it again", "END:%s meets BEGIN:%s of line %d", value, top.name, top.line)
		}
		r.open = r.open[:len(r.open)-1]
		if len(r.open) == 1 && value == "VEVENT" {
			c.events, r.event = append(c.events, r.event), nil
		}
		return nil
	}
	switch where := r.open[len(r.open)-1].name; {
	case len(r.open) == 1 && name == "X-WR-TIMEZONE":
		c.zone = c.zoneName(p.Value)
	case len(r.open) == 2 && where == "VTIMEZONE":
		r.zone(name, p.Value)
	case len(r.open) == 2 && r.event != nil:
		if err := r.event.take(name, p); err != nil {
			return c.refuse(number, "", "%s: %w", name, err)
		}
	}
	return nil
}

// maxNesting is more than the format knows: an alarm in an event in a calendar.
const maxNesting = 8

func (r *icsReader) begin(name string, line int) {
	r.begun = true
	r.open = append(r.open, struct {
		name string
		line int
	}{name, line})
	if len(r.open) != 2 {
		return
	}
	switch name {
	case "VEVENT":
		r.event = &icsEvent{line: line, text: map[string]string{}}
	case "VTIMEZONE":
		r.tzid = ""
	default:
		if r.calendar.left++; r.calendar.left == 1 {
			r.calendar.firstLeft = line
		}
	}
}

// zone reads the property of a time zone that says which place it is of.
func (r *icsReader) zone(name, value string) {
	switch name {
	case "TZID":
		r.tzid = value
	case "X-LIC-LOCATION":
		if r.tzid != "" {
			r.calendar.zones[r.tzid] = value
		}
	}
}

// parseContentLine reads a name with parameters and a value. The library says
// of a line that it cannot read that there is none, and looks for a name
// anywhere in it.
func parseContentLine(line string) (p *ics.BaseProperty, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("%.40q cannot be read: %v", line, r)
		}
	}()
	p, err = ics.ParseProperty(ics.ContentLine(line))
	switch {
	case err != nil:
		return nil, err
	case p == nil || !strings.HasPrefix(line, p.IANAToken):
		return nil, fmt.Errorf("%.40q is not a property", line)
	}
	return p, nil
}

// take keeps one property of the event.
func (e *icsEvent) take(name string, p *ics.BaseProperty) error {
	var err error
	switch name {
	case "DTSTART":
		e.start, err = parseICSTime(p)
	case "DTEND":
		e.end, err = parseICSTime(p)
	case "DURATION":
		e.duration = p.Value
	case "RECURRENCE-ID":
		if strings.EqualFold(parameter(p, "RANGE"), "THISANDFUTURE") {
			return fmt.Errorf("RANGE=THISANDFUTURE is not understood: end the series there and begin another")
		}
		e.replaces, err = parseICSTime(p)
	case "RRULE":
		e.rules = append(e.rules, p.Value)
	case "EXRULE":
		return fmt.Errorf("it is not understood: list the days with EXDATE")
	case "RDATE":
		e.added, err = appendICSTimes(e.added, p)
	case "EXDATE":
		e.left, err = appendICSTimes(e.left, p)
	default:
		value := p.Value
		if name == "ORGANIZER" || name == "ATTENDEE" {
			if cn := parameter(p, "CN"); cn != "" {
				value = cn
			}
		}
		if before := e.text[name]; before != "" && strings.TrimSpace(value) != "" {
			value = before + "; " + value
		}
		e.text[name] = value
	}
	return err
}

func parameter(p *ics.BaseProperty, name string) string {
	for key, values := range p.ICalParameters {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}
