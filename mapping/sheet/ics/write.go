package ics

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Writer writes a calendar (RFC 5545). Its zones are written before its events, and
// Close ends it.
type Writer struct{ w *bufio.Writer }

// Entry is an event to be written.
type Entry struct {
	UID        string
	Stamp      time.Time
	Start, End time.Time // by the clock of their location; a zero end is none
	Properties []Property
}

// Property is one property of an event, by its name with its parameters.
type Property struct {
	Name, Value string
	Raw         bool // the value is no text: nothing in it is escaped
}

// NewWriter begins a calendar.
func NewWriter(w io.Writer) *Writer {
	out := &Writer{bufio.NewWriter(w)}
	out.line("BEGIN:VCALENDAR")
	out.line("VERSION:2.0")
	out.line("PRODID:-//eventbatch//EN")
	out.line("CALSCALE:GREGORIAN")
	return out
}

// Zone defines a time zone by the changes of its clocks between two instants.
func (w *Writer) Zone(zone *time.Location, from, to time.Time) {
	w.line("BEGIN:VTIMEZONE")
	w.line("TZID:" + zone.String())
	for at := from.In(zone); ; {
		name, offset := at.Zone()
		begins, ends := at.ZoneBounds()
		before := offset
		if !begins.IsZero() {
			_, before = begins.Add(-time.Nanosecond).Zone()
		} else {
			begins = time.Unix(0, 0)
		}
		kind := "STANDARD"
		if at.IsDST() {
			kind = "DAYLIGHT"
		}
		w.line("BEGIN:" + kind)
		w.line("DTSTART:" + begins.UTC().Add(time.Duration(before)*time.Second).Format(wallLayout)) // by the clock before
		w.line("TZOFFSETFROM:" + offsetText(before))
		w.line("TZOFFSETTO:" + offsetText(offset))
		w.line("TZNAME:" + name)
		w.line("END:" + kind)
		if ends.IsZero() || ends.After(to) {
			break
		}
		at = ends.In(zone)
	}
	w.line("END:VTIMEZONE")
}

const wallLayout = "20060102T150405"

func offsetText(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	text := fmt.Sprintf("%c%02d%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf("%02d", seconds%60)
	}
	return text
}

// Event writes an event. A time of UTC is written as an instant.
func (w *Writer) Event(e Entry) {
	w.line("BEGIN:VEVENT")
	w.line("UID:" + escape(e.UID))
	w.line("DTSTAMP:" + e.Stamp.UTC().Format(wallLayout) + "Z")
	w.when("DTSTART", e.Start)
	if !e.End.IsZero() {
		w.when("DTEND", e.End)
	}
	for _, p := range e.Properties {
		value := p.Value
		if !p.Raw {
			value = escape(value)
		}
		w.line(p.Name + ":" + value)
	}
	w.line("END:VEVENT")
}

func (w *Writer) when(name string, at time.Time) {
	if at.Location() == time.UTC {
		w.line(name + ":" + at.Format(wallLayout) + "Z")
		return
	}
	w.line(name + ";TZID=" + at.Location().String() + ":" + at.Format(wallLayout))
}

// Close ends the calendar. Its error is the first one of the writing.
func (w *Writer) Close() error {
	w.line("END:VCALENDAR")
	return w.w.Flush()
}

var escape = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`).Replace

// Text returns a text without the control characters that have no place in a calendar.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

// line writes a content line, folded to 75 bytes (RFC 5545, section 3.1). The writer keeps
// its first error for Flush.
func (w *Writer) line(text string) {
	width := 0
	for _, r := range Text(text) {
		if n := utf8.RuneLen(r); width+n > 75 {
			_, _ = w.w.WriteString("\r\n ")
			width = 1
		}
		n, _ := w.w.WriteRune(r)
		width += n
	}
	_, _ = w.w.WriteString("\r\n")
}
