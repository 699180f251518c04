package ics

import (
	"errors"
	"strings"

	ical "github.com/arran4/golang-ical"
)

// event is one VEVENT.
type event struct {
	line       int
	text       map[string]string // by property; several of one name are joined by "; "
	start, end *dateTime
	duration   string
	rules      []string // RRULE
	added      []*dateTime
	left       []*dateTime
	replaces   *dateTime // RECURRENCE-ID
}

func (e *event) uid() string  { return e.text["UID"] }
func (e *event) recurs() bool { return len(e.rules) > 0 || len(e.added) > 0 }

func (e *event) refuse(err error) *Error {
	return refuse(e.line, "", "the event %.60q: %w", e.text["SUMMARY"], err)
}

// take keeps one property of the event.
func (e *event) take(name string, p *ical.BaseProperty) error {
	var err error
	switch name {
	case "DTSTART":
		e.start, err = dateTimeOf(p)
	case "DTEND":
		e.end, err = dateTimeOf(p)
	case "DURATION":
		e.duration = p.Value
	case "RECURRENCE-ID":
		if strings.EqualFold(parameter(p, "RANGE"), "THISANDFUTURE") {
			return errors.New("RANGE=THISANDFUTURE is not understood: end the series there and begin another")
		}
		e.replaces, err = dateTimeOf(p)
	case "RRULE":
		e.rules = append(e.rules, p.Value)
	case "EXRULE":
		return errors.New("it is not understood: list the days with EXDATE")
	case "RDATE":
		e.added, err = appendDateTimes(e.added, p)
	case "EXDATE":
		e.left, err = appendDateTimes(e.left, p)
	default:
		value := p.Value
		if name == "ORGANIZER" || name == "ATTENDEE" {
			if cn := parameter(p, "CN"); cn != "" {
				value = cn
			}
		}
		before := e.text[name]
		switch {
		case before == "":
			e.text[name] = value
		case strings.TrimSpace(value) != "":
			e.text[name] = before + "; " + value
		}
	}
	return err
}

func parameter(p *ical.BaseProperty, name string) string {
	for key, values := range p.ICalParameters {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}
