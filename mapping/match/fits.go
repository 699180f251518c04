package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// fits reports whether the cells of a column allow what its header claims. A column
// without cells allows anything.
func (c *column) fits(cl claim) bool {
	if c.blank() || cl.basis == ByPath && strings.ContainsAny(cl.field.Path(), "_.") {
		return true // nobody calls anything else by such a name
	}
	switch cl.role {
	case roleAside:
		return true
	case rolePath:
		return c.fitsField(cl.field)
	case roleWhen, roleStartDate, roleEndDate:
		return c.share(shapeDate, shapeMoment, shapeSpan) >= 0.5 || c.namesMonths()
	case roleStart, roleEnd:
		return c.share(shapeDate, shapeMoment, shapeSpan, shapeClock, shapeHours, shapeBare) >= 0.5 || c.namesMonths()
	case roleTime, roleStartTime, roleEndTime:
		return c.share(shapeClock, shapeHours, shapeMoment, shapeBare) >= 0.5 || c.namesMonths()
	case roleLength:
		return c.most(shapeClock, shapeInteger, shapeNumber, shapeLength) && !c.most(shapeDate, shapeMoment)
	case roleZone:
		return c.share(shapeZone) >= 0.5 || slices.ContainsFunc(c.distinct, func(v string) bool { return zoneHint(v) != "" })
	case roleLatitude:
		return c.degrees(90)
	case roleLongitude:
		return c.degrees(180)
	case rolePoint:
		return c.most(shapePoint)
	case roleCapacity:
		return c.share(shapeInteger) >= 0.5 && c.least >= 0
	case roleNumber:
		return c.most(shapeInteger)
	case roleMeeting, roleLink:
		return c.share(shapeURL) >= 0.5
	case roleCover:
		return c.share(shapeURL, shapePicture) >= 0.5
	case roleKey, roleEventID, roleCalendar:
		return !c.most(shapeDate, shapeMoment, shapeClock, shapeBool) && c.length() <= 80
	case roleVisibility, roleStatus:
		return c.choice() && c.knows(cl.role)
	case rolePrivate, rolePublic, roleOpen, roleGuestList, roleAllDay:
		return c.most(shapeBool) || c.flags()
	case roleWaitlist:
		return c.most(shapeBool) || c.flags() || c.choice() && c.knows(cl.role)
	case roleColor:
		return slices.ContainsFunc(c.distinct, func(v string) bool { return strings.HasPrefix(v, "#") })
	case roleRegion:
		return c.words() && !c.choiceOf(cancelled)
	case roleRoom, rolePostcode, roleStreet:
		return c.words() || c.share(shapeInteger) >= 0.5 && cl.role != roleStreet
	case roleName, roleSummary:
		return c.words() && c.length() <= 200 && c.share(shapeHTML) < 0.2
	}
	return c.words()
}

// words reports whether the cells are texts and not something that only has a shape.
func (c *column) words() bool {
	return c.share(
		shapeDate, shapeMoment, shapeClock, shapeSpan, shapeHours, shapeInteger, shapeNumber, shapePoint, shapeURL, shapePicture,
		shapeMail, shapeBool, shapeZone,
	) < 0.5
}

// choice reports whether a few values come again and again.
func (c *column) choice() bool { return !c.many && len(c.distinct) <= 12 }

// flags reports whether the cells hold 0 and 1 only, or a mark and nothing.
func (c *column) flags() bool {
	return !c.many && !slices.ContainsFunc(c.distinct, func(v string) bool {
		_, known := truths[fold(v)]
		return !known && v != "0" && v != "1"
	})
}

func (c *column) degrees(most int) bool {
	return c.most(shapeNumber, shapeInteger) && c.counts[shapeNumber] > 0 && c.least >= -most && c.greatest <= most
}

// fitsField tries the field's own rule on the different values.
func (c *column) fitsField(id schema.ID) bool {
	field, good := id.Field(), 0
	for _, v := range c.distinct {
		var s schema.Setting
		if field.Parse(&s, v) == nil || field.Kind == schema.Bool && isBool(v) {
			good++
		}
	}
	return len(c.distinct) == 0 || good > 0
}

// namesMonths reports whether the cells name a month and a number, and yet are no
// dates that can be read: their year is missing, say.
func (c *column) namesMonths() bool {
	n := 0
	for _, v := range c.distinct {
		if hasDigit(v) && len(v) < 60 && slices.ContainsFunc(
			strings.FieldsFunc(v, notLetter), func(w string) bool { return datetime.Month(w) > 0 },
		) {
			n++
		}
	}
	return n > 0 && n*2 >= len(c.distinct)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// path is the field that a role feeds in the end, for words.
func (r role) path(id schema.ID) string {
	switch r {
	case rolePath:
		return id.Path()
	case roleWhen, roleTime, roleStart, roleStartDate, roleStartTime:
		return "start_at"
	case roleEnd, roleEndDate, roleEndTime, roleLength:
		return "end_at"
	case roleSummary:
		return "description_md"
	case roleVenue, roleRoom, roleStreet, roleCity, rolePostcode, roleRegion, roleCountry:
		return "address"
	case roleLink:
		return "meeting_url"
	case roleNumber:
		return "key"
	case rolePrivate, rolePublic:
		return "visibility"
	case roleAllDay:
		return "all_day"
	case roleStatus:
		return "filter"
	case rolePoint:
		return "coordinate"
	}
	for id, known := range pathRoles {
		if known == r {
			return id.Path()
		}
	}
	return ""
}

// reasonOf words why a column feeds a field.
func reasonOf(path string, s *settled) Line {
	l := Line{Basis: s.basis, Score: s.score}
	switch s.basis {
	case ByPath:
		l.Reason = "the field's own name"
	case ByAlias:
		if l.Reason = "a usual name for it"; s.word != fold(s.header) {
			l.Reason = fmt.Sprintf("as %q, a usual name for it", s.word)
		}
	case BySimilar:
		l.Reason = fmt.Sprintf("like %q (%d%%)", s.word, s.score)
	}
	if s.telling() {
		if d := s.describe(); d != "" {
			l.Reason += ", " + d
		}
	}
	return l
}

// describe says what the cells are, where they have a shape.
func (c *column) describe() string {
	for _, kind := range []struct {
		words  string
		shapes []shape
	}{
		{"ranges of dates", []shape{shapeSpan}},
		{"ranges of hours", []shape{shapeHours}},
		{"dates with times", []shape{shapeMoment}},
		{"dates", []shape{shapeDate}},
		{"times of day", []shape{shapeClock}},
		{"time zones", []shape{shapeZone}},
		{"links to meetings", []shape{shapeMeeting}},
		{"addresses of pictures", []shape{shapeImage}},
		{"web addresses", []shape{shapeURL}},
		{"whole numbers", []shape{shapeInteger}},
		{"numbers", []shape{shapeNumber, shapePoint}},
		{"HTML", []shape{shapeHTML}},
		{"yes or no", []shape{shapeBool}},
	} {
		if c.most(kind.shapes...) {
			return kind.words
		}
	}
	if c.most(shapeDate, shapeMoment) {
		return "dates, some with times"
	}
	return ""
}

// doubt says which cells of a column of times cannot be read where they are to stand.
func (c *column) doubt(where datetime.Where) string {
	if c.blank() {
		return "no cell is filled"
	}
	n := c.counts[shapeDate] + c.counts[shapeMoment] + c.counts[shapeClock] + c.counts[shapeSpan] + c.counts[shapeHours]
	if where == datetime.ClockCell {
		n += c.counts[shapeBare]
	}
	if n == c.looked {
		return ""
	}
	for _, v := range c.distinct {
		if _, ok := scanIn(where, v); !ok && len(sides(v)) == 1 {
			return fmt.Sprintf("%d of %d cells cannot be read as a time, such as %s", c.looked-n, c.looked, quoted(v))
		}
	}
	return fmt.Sprintf("%d of %d cells cannot be read as a time", c.looked-n, c.looked)
}
