package ics

import (
	"context"
	"fmt"
	"strings"

	ical "github.com/arran4/golang-ical"
)

// reader makes events of content lines. It keeps where in the nest of components
// a line stands.
type reader struct {
	events  []*event
	clocks  clocks
	leftOut Tally

	begun bool
	open  []component
	event *event // that is being read; nil outside of one
	tzid  string // of the time zone that is being read
}

// component is what stands between a BEGIN and its END.
type component struct {
	name string
	line int
}

// maxNesting is more than the format knows: an alarm in an event in a calendar.
const maxNesting = 8

// read goes through the content lines. Lines are counted as the text has them,
// before unfolding.
func (r *reader) read(ctx context.Context, text string) error {
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
		return refuse(last.line, "the file was cut; export it again", "BEGIN:%s has no END", last.name)
	}
	if !r.begun {
		return refuse(1, "export the calendar again", "there is no BEGIN:VCALENDAR")
	}
	return nil
}

// unfold takes one content line off the text. A line that begins with white
// space goes on with the one before it (RFC 5545, section 3.1).
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

func (r *reader) line(line string, number int) error {
	p, err := parseContentLine(line)
	if err != nil {
		return refuse(number, "export the calendar again", "%w", err)
	}
	name, value := strings.ToUpper(p.IANAToken), strings.ToUpper(strings.TrimSpace(p.Value))
	switch {
	case name == "BEGIN" && len(r.open) == 0 && value != "VCALENDAR", name != "BEGIN" && len(r.open) == 0:
		return refuse(number, "export the calendar again", "%.40q stands outside of a calendar", line)
	case name == "BEGIN":
		if len(r.open) == maxNesting {
			return refuse(number, "", "components lie more than %d deep in each other", maxNesting)
		}
		r.begin(value, number)
		return nil
	case name == "END":
		top := r.open[len(r.open)-1]
		if top.name != value {
			return refuse(number, "the file was cut or put together wrongly; export it again", "END:%s meets BEGIN:%s of line %d", value, top.name, top.line)
		}
		r.open = r.open[:len(r.open)-1]
		if len(r.open) == 1 && value == "VEVENT" {
			r.events, r.event = append(r.events, r.event), nil
		}
		return nil
	}
	switch where := r.open[len(r.open)-1].name; {
	case len(r.open) == 1 && name == "X-WR-TIMEZONE":
		r.clocks.zone = r.clocks.zoneName(p.Value)
	case len(r.open) == 2 && where == "VTIMEZONE":
		r.timezone(name, p.Value)
	case len(r.open) == 2 && r.event != nil:
		if err := r.event.take(name, p); err != nil {
			return refuse(number, "", "%s: %w", name, err)
		}
	}
	return nil
}

func (r *reader) begin(name string, line int) {
	r.begun = true
	r.open = append(r.open, component{name, line})
	if len(r.open) != 2 {
		return
	}
	switch name {
	case "VEVENT":
		r.event = &event{line: line, text: map[string]string{}}
	case "VTIMEZONE":
		r.tzid = ""
	default:
		r.leftOut.add(line)
	}
}

// timezone reads the property of a time zone that says which place it is of.
func (r *reader) timezone(name, value string) {
	switch name {
	case "TZID":
		r.tzid = value
	case "X-LIC-LOCATION":
		if r.tzid != "" {
			r.clocks.names[r.tzid] = value
		}
	}
}

// parseContentLine reads a name with parameters and a value. The library says
// of a line that it cannot read that there is none, and looks for a name
// anywhere in it.
func parseContentLine(line string) (p *ical.BaseProperty, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("%.40q cannot be read: %v", line, r)
		}
	}()
	p, err = ical.ParseProperty(ical.ContentLine(line))
	switch {
	case err != nil:
		return nil, err
	case p == nil || !strings.HasPrefix(line, p.IANAToken):
		return nil, fmt.Errorf("%.40q is not a property", line)
	}
	return p, nil
}
