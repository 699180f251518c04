package match

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/richtext"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// valueType is what the text of a cell looks like. A cell may have several.
type valueType uint8

const (
	valueDate      valueType = iota // without a time of day
	valueMoment                     // a date with a time
	valueMidnight                   // a moment of 00:00, which programs write for a date alone
	valueClock                      // a time of day alone
	valueSpan                       // a date or moment up to another
	valueHours                      // a time of day up to another
	valueBare                       // 18.30, 1930, 21h: a time of day where nothing else is expected
	valueBareHours                  // one of these up to another
	valueOffset                     // a moment that names its offset
	valueSpreadsheet
	valueURL
	valueMeeting // an address of a program for meetings
	valueImage   // an address of a picture
	valuePicture // a file name of a picture
	valueMail
	valueMoney
	valueAmount // a number with words
	valueBool
	valueInteger
	valueNumber // with decimals
	valuePoint  // two numbers: a latitude, a longitude
	valueZone
	valueHTML
	valueMarkdown
	valueLength // how long something takes, with its unit
	valueText   // words, and nothing of the above
	valueTypes
)

// look counts what a text looks like.
func (p *profile) look(text string, kind sheet.CellKind) {
	p.letters += utf8.RuneCountInString(text)
	n := 0
	found := func(s valueType) { p.counts[s]++; n++ }
	switch {
	case len(text) <= 100 && hasDigit(text):
		p.halves = p.halves || datetime.SaysHalf(text)
		p.lookTime(text, found)
		p.lookNumber(text, found)
		switch {
		case n > 0:
		case isLength(text):
			found(valueLength)
		case isDayOfNoYear(text):
			found(valueDate)
		case len(text) <= 30:
			p.counts[valueAmount]++
		}
	case len(text) <= 20: // noon
		p.lookTime(text, found)
	}
	switch {
	case kind == sheet.Bool || isBool(text) && !hasDigit(text):
		found(valueBool)
	case strings.Contains(text, "/") && isZone(text) || text == "UTC":
		found(valueZone)
	case isMail(text):
		found(valueMail)
	case isMoney(text):
		p.counts[valueMoney]++
	}
	if !strings.ContainsAny(text, " \n") {
		lookLink(text, found)
	}
	if richtext.IsHTML(text) {
		found(valueHTML)
	} else if richtext.IsMarkdown(text) {
		found(valueMarkdown)
	}
	if n == 0 || p.counts[valueHTML]+p.counts[valueMarkdown] > 0 && strings.Contains(text, " ") {
		p.counts[valueText]++
	}
}

func (p *profile) lookTime(text string, found func(valueType)) {
	if m, ok := scan(text); ok {
		found(valueOf(&m))
		p.clock.Note(text)
		if isMidnight(&m) {
			p.counts[valueMidnight]++
		}
		if m.HasOffset {
			p.counts[valueOffset]++
		}
		return
	}
	if parts := sides(text); len(parts) == 2 {
		from, _ := scanIn(datetime.ClockCell, parts[0])
		to, _ := scanIn(datetime.RangeEnd, parts[1])
		p.clock.Note(text)
		switch {
		case from.HasDate || from.HasTime && to.HasDate:
			found(valueSpan)
		case from.HasTime && to.HasTime && !strings.ContainsFunc(text, datetime.IsClockSign):
			p.counts[valueBare]++ // 19-21 may count people
			p.counts[valueBareHours]++
		case from.HasTime && to.HasTime:
			found(valueHours)
		}
		return
	}
	var m datetime.Moment
	switch fault := m.ScanIn(datetime.ClockCell, text, datetime.DayFirst); {
	case fault == datetime.NeedsHalf && !m.HasDate:
		found(valueClock)
	case fault == datetime.OK && !m.HasDate:
		p.counts[valueBare]++
		p.clock.Note(text)
	case fault != datetime.OK && hasDigit(text):
		if parts := datetime.List(text); parts != nil {
			p.lookTime(parts[0], found)
		} else if _, _, two := reads.Two(text); two {
			found(valueClock)
		}
	}
}

// scan reads a moment in whatever order it allows.
func scan(text string) (datetime.Moment, bool) { return scanIn(datetime.AnyCell, text) }

func scanIn(where datetime.Where, text string) (m datetime.Moment, ok bool) {
	fault := lettered(&m, where, text, datetime.DayFirst)
	if fault == datetime.WrongOrder || fault == datetime.NoSuchDay {
		fault = lettered(&m, where, text, datetime.MonthFirst)
	}
	if fault != datetime.OK {
		return datetime.Moment{}, false
	}
	return m, true
}

// lettered reads a moment, perhaps with the letters of a time zone that are known behind it.
func lettered(m *datetime.Moment, where datetime.Where, text string, order datetime.Order) datetime.Fault {
	fault := m.Lettered(text, func(text string) datetime.Fault { return m.ScanIn(where, text, order) })
	if _, one := datetime.ZoneOf(m.Letters); fault == datetime.OK && m.Letters != "" && !one && datetime.Abbreviated(m.Letters) == nil {
		return datetime.InexactZone
	}
	return fault
}

func valueOf(m *datetime.Moment) valueType {
	switch {
	case m.HasDate && m.HasTime && m.Epoch():
		return valueClock
	case m.HasDate && m.HasTime:
		return valueMoment
	case m.HasDate:
		return valueDate
	}
	return valueClock
}

// isMidnight reports whether a moment has the time 00:00, which may stand for none beside a
// column of times.
func isMidnight(m *datetime.Moment) bool {
	return m.HasDate && m.HasTime && m.Wall()%86400 == 0 && m.Milli == 0
}

// sides cuts a range in two; any other text is one side.
func sides(text string) []string {
	if from, to, two := datetime.CutRange(text); two {
		return []string{from, to}
	}
	return []string{text}
}

func (p *profile) lookNumber(text string, found func(valueType)) {
	if n, err := strconv.Atoi(text); err == nil {
		p.bound(n, n)
		found(valueInteger)
		return
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		f = max(min(f, math.MaxInt32), math.MinInt32)
		p.bound(int(math.Floor(f)), int(math.Ceil(f)))
		found(valueNumber)
		return
	}
	if a, b, ok := strings.Cut(text, ","); ok {
		north, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		east, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
		if err == nil && err2 == nil && strings.Contains(a, ".") && strings.Contains(b, ".") && north >= -90 && north <= 90 &&
			east >= -180 && east <= 180 {
			found(valuePoint)
		}
	}
}

// bound widens the bounds of the numbers.
func (p *profile) bound(least, greatest int) {
	if p.counts[valueInteger]+p.counts[valueNumber] == 0 {
		p.least, p.greatest = least, greatest
	}
	p.least, p.greatest = min(p.least, least), max(p.greatest, greatest)
}

var imageEnds = []string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".heic", ".svg"}

func lookLink(text string, found func(valueType)) {
	lower := strings.ToLower(text)
	ends := func(s string) bool {
		return slices.ContainsFunc(imageEnds, func(end string) bool { return strings.HasSuffix(s, end) })
	}
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		switch {
		case strings.HasPrefix(lower, "www."):
			found(valueURL)
		case ends(lower):
			found(valuePicture)
		}
		return
	}
	u, err := url.Parse(lower)
	if err != nil || u.Host == "" {
		return
	}
	found(valueURL)
	labels := strings.Split(u.Hostname(), ".")
	switch {
	case ends(u.Path):
		found(valueImage)
	case value.IsMeetingLink(lower):
		found(valueMeeting)
	case slices.ContainsFunc(labels, func(label string) bool {
		return slices.Contains([]string{"images", "image", "img", "imgur", "cloudinary", "unsplash"}, label)
	}):
		found(valueImage)
	}
}

func isZone(text string) bool {
	_, fault := datetime.LoadZone(text)
	return fault == nil
}

// findsZone reports whether a text finds a time zone, as a name or otherwise.
func findsZone(text string) bool {
	zones, _ := datetime.FindZones(text)
	return len(zones) > 0
}

func isMail(text string) bool {
	name, host, found := strings.Cut(text, "@")
	return found && name != "" && strings.Contains(host, ".") && !strings.ContainsAny(text, " /:")
}

// isDayOfNoYear reports whether a text is a date without a year, such as Mar 4 and 4.3.
func isDayOfNoYear(text string) bool {
	return datetime.LacksYear(text) && (strings.HasSuffix(text, ".") || strings.ContainsFunc(text, unicode.IsLetter))
}

// isMoney reports whether a text is an amount with its currency: 12,50 €, CHF 20, from $15.
func isMoney(text string) bool {
	return len(text) <= 40 && hasDigit(text) && (strings.ContainsAny(text, "€$£¥") || slices.ContainsFunc(
		strings.FieldsFunc(text, notLetter), func(w string) bool { return in("currency", w) }))
}

func isBool(text string) bool {
	_, known := truth(text)
	return known
}

// isLength reports whether a text is a length such as "90 min", "1h 30m", "2 Stunden", 1,5 and PT1H30M.
func isLength(text string) bool {
	_, ok := datetime.ParseLength(text, time.Hour)
	return ok
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
