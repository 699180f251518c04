package ics

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"eventbatch/mapping/datetime"

	ical "github.com/arran4/golang-ical"
)

// reader makes events of content lines. It keeps where in the nest of components
// a line stands.
type reader struct {
	events  []*event
	leftOut Tally
	strays  Tally // lines that are of no component, or of no event and cannot be read

	begun  bool
	open   []component
	clocks *clocks     // of the calendar that is being read
	event  *event      // that is being read; nil outside of one
	zone   *definition // likewise
	part   *observance // of the zone, likewise
	tzid   string      // of the zone
}

// component is what stands between a BEGIN and its END.
type component struct {
	name string
	line int
}

// maxNesting is more than the format knows: an alarm in an event in a calendar.
const maxNesting = 8

// What helps against most broken files.
const (
	exportAgain = "export the calendar again"
	cutOrJoined = "the file was cut or put together wrongly; export it again"
)

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
		return refuse(1, exportAgain, "there is no BEGIN:VCALENDAR")
	}
	return nil
}

// unfold takes one content line off the text. A line that begins with white
// space goes on with the one before it (RFC 5545, section 3.1).
func unfold(text string, number int) (line, rest string, after int) {
	var joined strings.Builder
	for {
		physical, next, _ := strings.Cut(text, "\n")
		physical, text, number = strings.TrimRight(physical, "\r"), next, number+1
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

// line reads one content line. An error is one of the whole text: what is wrong with an
// event or a time zone is noted there.
func (r *reader) line(line string, number int) error {
	if r.event != nil {
		fmt.Fprintln(r.event.content, line)
	}
	p := parseContentLine(line)
	if p == nil {
		r.unreadable(line, number)
		return nil
	}
	switch name, component := strings.ToUpper(p.IANAToken), strings.ToUpper(strings.TrimSpace(p.Value)); {
	case (name == "BEGIN" || name == "END") && !isName(component): // "Begin: 19:00"
		r.unreadable(line, number)
	case name == "BEGIN":
		return r.begin(component, number)
	case len(r.open) == 0:
		r.strays.add(number)
	case name == "END":
		return r.end(component, number)
	default:
		r.property(name, p, number)
	}
	return nil
}

// unreadable notes a line that is no property: most often a piece of the value before it.
func (r *reader) unreadable(line string, number int) {
	err := fmt.Errorf("%.60q is not a property", line)
	switch {
	case r.event != nil && len(r.open) == 2:
		r.event.fail(number, "a line that goes on with the one before it begins with a blank; "+exportAgain, err)
	case r.zone != nil:
		r.zone.fail(number, err)
	case len(r.open) < 2:
		r.strays.add(number)
	}
}

func (r *reader) property(name string, p *ical.BaseProperty, number int) {
	var err error
	switch {
	case len(r.open) == 1 && name == "X-WR-TIMEZONE":
		r.clocks.own = p.Value
	case r.event != nil && len(r.open) == 2:
		if err = r.event.take(name, p, number); err != nil {
			r.event.fail(number, "", fmt.Errorf("%s: %w", name, err))
		}
	case r.part != nil:
		if err = r.part.take(name, p); err != nil {
			r.zone.fail(number, fmt.Errorf("%s: %w", name, err))
		}
	case r.zone != nil && name == "TZID":
		r.tzid = p.Value
	case r.zone != nil && name == "X-LIC-LOCATION":
		r.zone.place = p.Value
	}
}

func (r *reader) begin(name string, line int) error {
	switch {
	case len(r.open) == 0 && name != "VCALENDAR":
		return refuse(line, exportAgain, "BEGIN:%.40s stands outside of a calendar", name)
	case len(r.open) > 1 && name == "VEVENT":
		top := r.open[len(r.open)-1]
		return refuse(line, cutOrJoined, "BEGIN:VEVENT stands in the %.40s of line %d", top.name, top.line)
	case len(r.open) == maxNesting:
		return refuse(line, "", "components lie more than %d deep in each other", maxNesting)
	}
	r.begun = true
	r.open = append(r.open, component{name, line})
	switch {
	case len(r.open) == 1:
		r.clocks = &clocks{defined: map[string]*definition{}, found: map[string]*zone{}}
	case len(r.open) == 2 && name == "VEVENT":
		r.event = &event{line: line, clocks: r.clocks, text: map[string]string{}, content: fnv.New64a()}
	case len(r.open) == 2 && name == "VTIMEZONE":
		r.zone, r.tzid = &definition{}, ""
	case len(r.open) == 2:
		r.leftOut.add(line)
	case len(r.open) == 3 && r.zone != nil && (name == "STANDARD" || name == "DAYLIGHT"):
		r.part = &observance{}
	}
	return nil
}

func (r *reader) end(name string, line int) error {
	top := r.open[len(r.open)-1]
	if top.name != name {
		return refuse(line, cutOrJoined, "END:%.40s meets BEGIN:%.40s of line %d", name, top.name, top.line)
	}
	r.open = r.open[:len(r.open)-1]
	switch {
	case r.part != nil && len(r.open) == 2:
		r.zone.parts, r.part = append(r.zone.parts, r.part), nil
	case r.zone != nil && len(r.open) == 1:
		if tzid := datetime.FoldZone(r.tzid); r.clocks.defined[tzid] == nil {
			r.clocks.defined[tzid] = r.zone
		}
		r.zone = nil
	case r.event != nil && len(r.open) == 1:
		r.events, r.event = append(r.events, r.event), nil
	}
	return nil
}

// parseContentLine returns a name with parameters and a value; nil for a line that is
// none. An extension (X-) that the library cannot read has no value: nothing needs it.
func parseContentLine(line string) (p *ical.BaseProperty) {
	at := strings.IndexAny(line, ":;")
	if at < 0 || !isName(line[:at]) {
		return nil
	}
	defer func() {
		if recover() != nil { // the library looks behind the end of some lines
			p = nil
		}
		if p == nil && extension(line[:at]) {
			p = &ical.BaseProperty{IANAToken: line[:at]}
		}
	}()
	p, err := ical.ParseProperty(ical.ContentLine(line))
	if err != nil || p == nil || !strings.HasPrefix(line, p.IANAToken) {
		return nil
	}
	return p
}

func extension(name string) bool { return len(name) > 2 && strings.EqualFold(name[:2], "X-") }

// isName reports whether a text can be a property's name. Names that nobody knows are to
// be passed over, but one in small letters is rather a word of the value before it,
// such as "Doors: 19:00" in a description whose lines were not folded.
func isName(text string) bool {
	if extension(text) {
		return !strings.ContainsAny(text, " \t")
	}
	small := false
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			small = true
		case c < '-' || c == '/' || '9' < c && c < 'A' || c > 'Z':
			return false
		}
	}
	return text != "" && (!small || properties[strings.ToUpper(text)])
}

// properties are the names of RFC 5545 that an event, a time zone or a calendar may have.
var properties = nameSet(`BEGIN END CALSCALE METHOD PRODID VERSION ATTACH CATEGORIES CLASS COMMENT DESCRIPTION GEO LOCATION
	PERCENT-COMPLETE PRIORITY RESOURCES STATUS SUMMARY COMPLETED DTEND DUE DTSTART DURATION FREEBUSY TRANSP TZID TZNAME
	TZOFFSETFROM TZOFFSETTO TZURL ATTENDEE CONTACT ORGANIZER RECURRENCE-ID RELATED-TO URL UID EXDATE EXRULE RDATE RRULE
	ACTION REPEAT TRIGGER CREATED DTSTAMP LAST-MODIFIED SEQUENCE REQUEST-STATUS NAME REFRESH-INTERVAL SOURCE COLOR IMAGE CONFERENCE`)

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}
