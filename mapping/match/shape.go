package match

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// shape is what the text of a cell looks like. A cell may have several.
type shape uint8

const (
	shapeDate   shape = iota // without a time of day
	shapeMoment              // a date with a time
	shapeClock               // a time of day alone
	shapeSpan                // a date or moment up to another
	shapeHours               // a time of day up to another
	shapeBare                // 18.30, 1930, 21h: a time of day where nothing else is expected
	shapeOffset              // a moment that names its offset
	shapeSpreadsheet
	shapeURL
	shapeMeeting // an address of a program for meetings
	shapeImage   // an address of a picture
	shapePicture // a file name of a picture
	shapeMail
	shapeBool
	shapeInteger
	shapeNumber // with decimals
	shapePoint  // two numbers: a latitude, a longitude
	shapeZone
	shapeHTML
	shapeMarkdown
	shapeLength // how long something takes, with its unit
	shapeText   // words, and nothing of the above
	shapes
)

// look counts what a text looks like.
func (c *column) look(text string, kind sheet.CellKind) {
	c.letters += utf8.RuneCountInString(text)
	n := 0
	found := func(s shape) { c.counts[s]++; n++ }
	switch {
	case len(text) <= 100 && hasDigit(text):
		c.lookTime(text, found)
		c.lookNumber(text, found)
		if n == 0 && isLength(text) {
			found(shapeLength)
		}
	case len(text) <= 20: // noon
		c.lookTime(text, found)
	}
	switch {
	case kind == sheet.Bool || isBool(text) && !hasDigit(text):
		found(shapeBool)
	case strings.Contains(text, "/") && isZone(text) || text == "UTC":
		found(shapeZone)
	case isMail(text):
		found(shapeMail)
	}
	if !strings.ContainsAny(text, " \n") {
		lookLink(text, found)
	}
	if isHTML(text) {
		found(shapeHTML)
	} else if isMarkdown(text) {
		found(shapeMarkdown)
	}
	if n == 0 || c.counts[shapeHTML]+c.counts[shapeMarkdown] > 0 && strings.Contains(text, " ") {
		c.counts[shapeText]++
	}
}

func (c *column) lookTime(text string, found func(shape)) {
	if m, ok := scan(text); ok {
		found(shapeOf(&m))
		if m.HasOffset {
			c.counts[shapeOffset]++
		}
		return
	}
	if parts := sides(text); len(parts) == 2 {
		from, _ := scanIn(datetime.ClockCell, parts[0])
		to, _ := scanIn(datetime.RangeEnd, parts[1])
		switch {
		case from.HasDate:
			found(shapeSpan)
		case from.HasTime && to.HasTime && !to.HasDate:
			found(shapeHours)
		}
		return
	}
	if m, ok := scanIn(datetime.ClockCell, text); ok && !m.HasDate {
		c.counts[shapeBare]++
	}
}

// scan reads a moment in whatever order it allows.
func scan(text string) (datetime.Moment, bool) { return scanIn(datetime.AnyCell, text) }

func scanIn(where datetime.Where, text string) (m datetime.Moment, ok bool) {
	fault := m.ScanIn(where, text, datetime.DayFirst)
	if fault == datetime.WrongOrder || fault == datetime.NoSuchDay {
		fault = m.ScanIn(where, text, datetime.MonthFirst)
	}
	if fault != datetime.OK {
		return datetime.Moment{}, false
	}
	return m, true
}

func shapeOf(m *datetime.Moment) shape {
	switch {
	case m.HasDate && m.HasTime:
		return shapeMoment
	case m.HasDate:
		return shapeDate
	}
	return shapeClock
}

// sides cuts a range in two; any other text is one side.
func sides(text string) []string {
	if from, to, two := datetime.CutRange(text); two {
		return []string{from, to}
	}
	return []string{text}
}

func (c *column) lookNumber(text string, found func(shape)) {
	if n, err := strconv.Atoi(text); err == nil {
		c.bound(n, n)
		found(shapeInteger)
		return
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		f = max(min(f, math.MaxInt32), math.MinInt32)
		c.bound(int(math.Floor(f)), int(math.Ceil(f)))
		found(shapeNumber)
		return
	}
	if a, b, ok := strings.Cut(text, ","); ok {
		north, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		east, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
		if err == nil && err2 == nil && strings.Contains(a, ".") && strings.Contains(b, ".") && north >= -90 && north <= 90 &&
			east >= -180 && east <= 180 {
			found(shapePoint)
		}
	}
}

// bound widens the bounds of the numbers.
func (c *column) bound(least, greatest int) {
	if c.counts[shapeInteger]+c.counts[shapeNumber] == 0 {
		c.least, c.greatest = least, greatest
	}
	c.least, c.greatest = min(c.least, least), max(c.greatest, greatest)
}

// meetingWords are the parts of host names by which people meet online.
var meetingWords = []string{
	"zoom", "meet", "teams", "webex", "gotomeeting", "gotowebinar", "goto", "whereby", "jitsi", "jit", "bbb", "bigbluebutton",
	"bluejeans", "livestorm", "crowdcast", "streamyard", "hopin", "airmeet", "demio", "chime", "hangouts", "edudip",
}

var imageEnds = []string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".heic", ".svg"}

func lookLink(text string, found func(shape)) {
	lower := strings.ToLower(text)
	ends := func(s string) bool {
		return slices.ContainsFunc(imageEnds, func(end string) bool { return strings.HasSuffix(s, end) })
	}
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		switch {
		case strings.HasPrefix(lower, "www."):
			found(shapeURL)
		case ends(lower):
			found(shapePicture)
		}
		return
	}
	u, err := url.Parse(lower)
	if err != nil || u.Host == "" {
		return
	}
	found(shapeURL)
	labels := strings.Split(u.Hostname(), ".")
	switch {
	case ends(u.Path):
		found(shapeImage)
	case slices.ContainsFunc(labels, func(label string) bool { return slices.Contains(meetingWords, label) }):
		found(shapeMeeting)
	case slices.ContainsFunc(labels, func(label string) bool {
		return slices.Contains([]string{"images", "image", "img", "imgur", "cloudinary", "unsplash"}, label)
	}):
		found(shapeImage)
	}
}

func isZone(text string) bool {
	_, err := schema.LoadZone(text)
	return err == nil
}

func isMail(text string) bool {
	name, host, found := strings.Cut(text, "@")
	return found && name != "" && strings.Contains(host, ".") && !strings.ContainsAny(text, " /:")
}

func isBool(text string) bool {
	if _, fault := schema.ParseBool(text); fault == nil {
		return true
	}
	_, known := truths[fold(text)]
	return known
}

var htmlTags = []string{
	"p", "br", "b", "i", "u", "em", "strong", "a", "ul", "ol", "li", "div", "span", "h1", "h2", "h3", "h4", "img", "table", "blockquote",
	"hr",
}

func isHTML(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "<")
		if !found {
			return false
		}
		rest = strings.TrimPrefix(rest, "/")
		after := strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		name := strings.ToLower(rest[:len(rest)-len(after)])
		if slices.Contains(htmlTags, name) && strings.Contains(after, ">") && (after[0] == '>' || after[0] == ' ' || after[0] == '/') {
			return true
		}
		text = rest
	}
}

func isMarkdown(text string) bool {
	return strings.Count(text, "**") >= 2 || strings.Contains(text, "](http") || strings.HasPrefix(text, "# ") ||
		strings.Contains(text, "\n- ") || strings.Contains(text, "\n# ")
}

// lengthUnits are the units of a duration, and what Go calls them.
var lengthUnits = map[string]string{
	"h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "std": "h", "stunde": "h", "stunden": "h", "hora": "h", "horas": "h",
	"heure": "h", "heures": "h",
	"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "minuten": "m", "minuto": "m", "minutos": "m",
}

// isLength knows "90 min", "1h 30m", "2 Stunden" and PT1H30M.
func isLength(text string) bool {
	if _, fault := schema.ParseDuration(text); fault == nil {
		return true
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '.' || r == ',' || unicode.IsDigit(r) })
	for _, w := range words {
		if lengthUnits[fold(w)] == "" {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 2 && text[0] >= '0' && text[0] <= '9'
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
