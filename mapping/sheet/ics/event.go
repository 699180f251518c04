package ics

import (
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"

	ical "github.com/arran4/golang-ical"

	"eventbatch/mapping/schema"
)

// event is one VEVENT. With a RECURRENCE-ID it changes one occurrence of the series that
// has its UID.
type event struct {
	line   int
	clocks *clocks           // of its calendar
	text   map[string]string // by property; several of one name are joined by "; "

	start, end *dateTime
	length     *duration
	recurrence
	amendment

	version
	content    hash.Hash64 // of the content lines
	passedOver bool        // another event with its UID counts

	fault *Error // the first thing that cannot be read
}

// recurrence says how often an event takes place.
type recurrence struct {
	rules      []*rule // RRULE
	exceptions []*rule // EXRULE
	added      []*date // RDATE
	left       []*date // EXDATE
}

func (r *recurrence) recurs() bool { return len(r.rules) > 0 || len(r.added) > 0 }

// amendment says which occurrence of a series an event changes.
type amendment struct {
	changes  bool      // one of them
	onward   bool      // it changes all that follow too: RANGE=THISANDFUTURE
	replaces *dateTime // RECURRENCE-ID; nil where the event does not change another, or where that cannot be read
}

// version says which of several events with one UID counts.
type version struct {
	sequence        int
	stamp, modified time.Time // DTSTAMP and LAST-MODIFIED; zero where they are missing or cannot be read
}

func (e *event) uid() string { return e.text["UID"] }

// fail notes why the event cannot be read, where nothing is noted yet. Line is that of a
// content line, 0 for the whole event.
func (e *event) fail(line int, hint string, err error) {
	if e.fault != nil {
		return
	}
	if line == 0 {
		line = e.line
	}
	e.fault = &Error{Line: line, Code: schema.CodeBadEvent, Hint: hint, Err: err}
}

// newer reports whether a version is later than another: by SEQUENCE, else by
// DTSTAMP, else by LAST-MODIFIED (RFC 5546, section 2.1.5).
func (v *version) newer(other *version) bool {
	if v.sequence != other.sequence {
		return v.sequence > other.sequence
	}
	if !v.stamp.Equal(other.stamp) {
		return v.stamp.After(other.stamp)
	}
	return v.modified.After(other.modified)
}

// take keeps one property of the event.
func (e *event) take(name string, p *ical.BaseProperty, line int) error {
	var err error
	switch name {
	case "DTSTART":
		err = once(&e.start, p, dateTimeOf)
	case "DTEND":
		err = once(&e.end, p, dateTimeOf)
	case "DURATION":
		err = once(&e.length, p, durationOf)
	case "RECURRENCE-ID":
		e.changes, e.onward = true, strings.EqualFold(parameter(p, "RANGE"), "THISANDFUTURE")
		err = once(&e.replaces, p, dateTimeOf)
	case "RRULE":
		e.rules, err = appendRule(e.rules, line, p)
	case "EXRULE":
		e.exceptions, err = appendRule(e.exceptions, line, p)
	case "RDATE":
		e.added, err = appendDates(e.added, p)
	case "EXDATE":
		e.left, err = appendDates(e.left, p)
	case "SEQUENCE":
		if e.sequence, err = strconv.Atoi(strings.TrimSpace(p.Value)); err != nil {
			e.sequence = 1 << 30 // which version counts cannot be told, and this one says so
			err = fmt.Errorf("%.40q is not a number", p.Value)
		}
	case "DTSTAMP":
		e.stamp = instantOr(p)
	case "LAST-MODIFIED":
		e.modified = instantOr(p)
	case "UID":
		if e.text[name] != "" {
			return errTwice
		}
		e.text[name] = p.Value
	default:
		return e.takeText(name, p)
	}
	return err
}

// oneEnd makes DTEND count where DURATION says too when the event ends, which no event may have (RFC 5545,
// section 3.6.1) and every reader settles so. It reports whether the two agree; a length of nothing is no word.
func (e *event) oneEnd() (agree bool) {
	length := e.length
	if e.end == nil || length == nil {
		return true
	}
	if e.length = nil; *length == (duration{}) || e.start == nil {
		return true
	}
	end, err := e.clocks.in(e.end, e.start)
	// What is wrong with a clock is told by itself.
	return err != nil || e.clocks.after(e.start, length) == e.clocks.written(e.start.at(end))
}

// instantOr returns the instant of a property, or the zero time.
func instantOr(p *ical.BaseProperty) time.Time {
	t, err := parseDateTime(p.Value, "")
	if err != nil {
		return time.Time{}
	}
	return t.wall
}

func (e *event) takeText(name string, p *ical.BaseProperty) error {
	if strings.EqualFold(parameter(p, "ENCODING"), "QUOTED-PRINTABLE") && strings.Contains(p.Value, "=") {
		return errors.New("ENCODING=QUOTED-PRINTABLE is of an older format, and not understood")
	}
	value := p.Value
	if name == "ATTACH" && strings.HasPrefix(strings.ToLower(parameter(p, "FMTTYPE")), "image/") {
		name = "IMAGE"
	}
	if name == "IMAGE" && strings.EqualFold(parameter(p, "ENCODING"), "BASE64") {
		value = "a picture in the file"
	}
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
	return nil
}
