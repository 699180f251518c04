package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// fits reports whether the cells of a column allow what its header claims. A column
// without cells allows anything.
func (c *column) fits(cl claim) bool {
	if c.blank() || cl.basis == ByPath && strings.ContainsAny(cl.field.Path, "_.") {
		return true // nobody calls anything else by such a name
	}
	switch cl.semantic {
	case typeAside:
		return true
	case typePath:
		return c.fitsField(cl.field)
	case typeWhen, typeStartDate, typeEndDate:
		return c.share(valueDate, valueMoment, valueSpan) >= 0.5 || c.keeps(cl)
	case typeStart, typeEnd:
		return c.readable() || c.keeps(cl)
	case typeTime, typeStartTime, typeEndTime, typeDoors:
		return c.share(valueClock, valueHours, valueMoment, valueBare) >= 0.5 || c.keeps(cl)
	case typeLength:
		return c.most(valueClock, valueInteger, valueNumber, valueLength) && !c.most(valueDate, valueMoment)
	case typeZone:
		return c.share(valueZone) >= 0.5 || slices.ContainsFunc(c.distinct, func(v string) bool { return findsZone(v) })
	case typeLatitude:
		return c.degrees(90)
	case typeLongitude:
		return c.degrees(180)
	case typePoint:
		return c.most(valuePoint)
	case typeCapacity:
		return c.share(valueInteger, valueNumber, valueAmount) >= 0.3 && !c.negative() &&
			c.share(valueDate, valueMoment, valueClock, valueURL, valuePoint) < 0.5
	case typeNumber:
		return c.most(valueInteger) || c.isText() && c.length() <= 20 && c.repeated == ""
	case typeMeeting, typeLink:
		return c.share(valueURL) >= 0.5
	case typeCover:
		return c.share(valueURL, valuePicture) >= 0.5
	case typeKey, typeEventID, typeCalendar:
		return !c.most(valueDate, valueMoment, valueClock, valueBool) && c.length() <= 80
	case typeVisibility, typeStatus:
		return c.choice() && c.knows(cl.semantic)
	case typePrivate, typePublic, typeOpen, typeGuestList, typeAllDay:
		return c.most(valueBool) || c.flags()
	case typeWaitlist:
		return c.most(valueBool) || c.flags() || c.choice() && c.knows(cl.semantic)
	case typeColor:
		return slices.ContainsFunc(c.distinct, func(v string) bool { return strings.HasPrefix(v, "#") })
	case typeVenue:
		return c.isText() || c.share(valueURL, valueText) >= 0.8 && c.counts[valueText] > 0
	case typeRegion:
		return c.isText() && !c.hasOne("cancelled")
	case typeRoom, typePostcode, typeStreet:
		return c.isText() || c.share(valueInteger) >= 0.5 && cl.semantic != typeStreet
	case typeName, typeSummary:
		return c.isText() && c.length() <= 200 && c.share(valueHTML) < 0.2 && c.share(valueMoney) < 0.5
	}
	return c.isText()
}

// isText reports whether the cells are texts, and of no other value type.
func (p *profile) isText() bool {
	return p.share(
		valueDate, valueMoment, valueClock, valueSpan, valueHours, valueInteger, valueNumber, valuePoint, valueURL, valuePicture,
		valueMail, valueBool, valueZone,
	) < 0.5
}

// negative reports whether half of the different values are numbers below zero.
func (v *values) negative() bool {
	return v.half(func(text string) bool { return len(text) > 1 && text[0] == '-' && hasDigit(text[1:2]) })
}

// choice reports whether a few values come again and again.
func (v *values) choice() bool { return !v.many && len(v.distinct) <= 12 }

// flags reports whether the cells hold 0 and 1 only, or a mark and nothing.
func (v *values) flags() bool {
	return !v.many && !slices.ContainsFunc(v.distinct, func(text string) bool {
		_, known := truth(text)
		return !known
	})
}

func (p *profile) degrees(most int) bool {
	return p.most(valueNumber, valueInteger) && p.counts[valueNumber] > 0 && p.least >= -most && p.greatest <= most
}

// fitsField tries the field's own rule on the different values: one has to keep it, and every one of a slug, as the
// addresses of another program are mostly longer and nobody misses them.
func (v *values) fitsField(field *schema.Field) bool {
	good := 0
	for _, text := range v.distinct {
		var s schema.Setting
		if value.Parse(field, &s, text) == nil || field.Kind == schema.Bool && isBool(text) {
			good++
		}
	}
	return good == len(v.distinct) || good > 0 && field.Kind != schema.Slug
}

// readable reports whether half of the cells are times as they stand.
func (p *profile) readable() bool {
	return p.share(valueDate, valueMoment, valueSpan, valueClock, valueHours, valueBare) >= 0.5
}

// keeps reports whether a column keeps the header of a time although most of its cells cannot be
// read as one: they are what is asked about. Whole numbers are hours and no dates, and words
// without a number are times of day where the header cannot mean anything else.
func (c *column) keeps(cl claim) bool {
	clock := slices.Contains([]semantic{typeTime, typeStartTime, typeEndTime, typeDoors}, cl.semantic)
	usual := cl.basis != BySimilar || cl.score >= 90
	switch {
	case c.half(namesMonth):
		return true
	case !usual, c.share(valueURL, valueMail, valueBool, valueZone, valuePoint) >= 0.5, !clock && c.share(valueMoney) >= 0.5:
		return false
	case c.share(valueInteger, valueNumber) >= 0.5:
		dates := slices.Contains([]semantic{typeWhen, typeStartDate, typeEndDate}, cl.semantic)
		return !dates && c.least >= 0 && c.greatest <= 24 && !slices.Contains(words().headers[cl.word], typeLength)
	}
	return clock && cl.basis != BySimilar || c.half(hasDigit)
}

// half reports whether something is true of at least half of the different values.
func (v *values) half(is func(text string) bool) bool {
	n := 0
	for _, text := range v.distinct {
		if is(text) {
			n++
		}
	}
	return n > 0 && n*2 >= len(v.distinct)
}

// onlyDates reports whether the cells are dates without a time of day, perhaps without a year.
func (v *values) onlyDates() bool {
	return v.half(func(text string) bool {
		m, ok := scan(datetime.InAnyYear(text))
		return ok && m.HasDate && !m.HasTime
	})
}

// namesMonth reports whether a text names a month and a number. It may be no date that can be
// read: its year is missing, say.
func namesMonth(text string) bool {
	return hasDigit(text) && len(text) < 60 && slices.ContainsFunc(
		strings.FieldsFunc(text, notLetter), func(w string) bool { return datetime.Month(w) > 0 },
	)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// reasonOf words why a column feeds a field.
func reasonOf(s *candidate) Line {
	if s.told {
		return Line{Basis: ByAnswer, Reason: "answered"}
	}
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

// describe returns in words what the cells are; empty where they are of no one kind.
func (p *profile) describe() string {
	for _, kind := range []struct {
		words      string
		valueTypes []valueType
	}{
		{"ranges of dates", []valueType{valueSpan}},
		{"ranges of hours", []valueType{valueHours}},
		{"dates with times", []valueType{valueMoment}},
		{"dates", []valueType{valueDate}},
		{"times of day", []valueType{valueClock}},
		{"time zones", []valueType{valueZone}},
		{"links to meetings", []valueType{valueMeeting}},
		{"addresses of pictures", []valueType{valueImage}},
		{"web addresses", []valueType{valueURL}},
		{"whole numbers", []valueType{valueInteger}},
		{"numbers", []valueType{valueNumber, valuePoint}},
		{"HTML", []valueType{valueHTML}},
		{"yes or no", []valueType{valueBool}},
	} {
		if p.most(kind.valueTypes...) {
			return kind.words
		}
	}
	if p.most(valueDate, valueMoment) {
		return "dates, some with times"
	}
	return ""
}

// hasOne reports whether one of the different values is in a list of words.
func (v *values) hasOne(list string) bool {
	return slices.ContainsFunc(v.distinct, func(text string) bool { return in(list, text) })
}

// knows reports whether one of the different values is one that a semantic type has.
func (v *values) knows(t semantic) bool {
	switch t {
	case typeStatus:
		return v.hasOne("cancelled") || v.hasOne("status")
	case typeWaitlist:
		return v.meant(catalog.Field(catalog.FieldWaitlistStatus)) > 0
	}
	return v.meant(catalog.Field(catalog.FieldVisibility)) > 0
}

// meant counts the different values that are known for a field.
func (v *values) meant(field *schema.Field) int {
	n := 0
	for _, text := range v.distinct {
		if _, ok := meaning(field, text); ok {
			n++
		}
	}
	return n
}

func (v *values) begins(prefix string) bool {
	return len(v.distinct) > 0 && !slices.ContainsFunc(v.distinct, func(v string) bool { return !strings.HasPrefix(v, prefix) })
}

// said lists the different values, and those that later files are likely to have.
func (v *values) said() []string {
	if len(v.distinct) == 0 {
		return []string{"true", "false"}
	}
	return v.distinct
}

// place is the place of a text among the different ones; those that no cell has come last.
func (v *values) place(text string) int {
	if at := slices.Index(v.distinct, text); at >= 0 {
		return at
	}
	return len(v.distinct)
}

// foreign reports whether some of the different texts are words for yes and no that only a
// mapping understands.
func (v *values) foreign() bool {
	return slices.ContainsFunc(v.distinct, func(text string) bool { _, fault := value.ParseBool(text); return fault != nil })
}
