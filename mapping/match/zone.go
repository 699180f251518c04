package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/yamldoc"
)

// zoneStep infers in which time zone and in which order dates are written.
type zoneStep struct{ *builder }

// zone finds in which time zone times are meant: by a column, and by a question
// for the rows that it leaves open.
func (b zoneStep) zone() {
	found := surest(b.having(typeZone))
	if len(found) == 0 {
		for _, c := range b.free() {
			if c.most(valueZone) {
				found = append(found, candidate{c, claim{basis: ByValues}})
			}
		}
	}
	var c *column
	if places := b.cities(); len(found) == 0 && places != nil && !b.letters() {
		if b.zonesByCity(places) {
			c = places
		}
	} else if len(found) > 0 {
		sure := len(found) == 1 && found[0].sure()
		chosen, ok := b.choose("timezone.column", "which column names the time zone?", optionsOf(found), sure)
		if ok {
			c = chosen.columns[0]
			b.zoneColumn(c, chosen.line)
		}
	}
	b.defaultZone(c)
}

// zoneColumn reads a column of zones, and words for zones in it.
func (b zoneStep) zoneColumn(c *column, line Line) {
	var values yamldoc.Map[string]
	for _, v := range c.distinct {
		if isZone(v) {
			continue
		}
		if zone, ok := b.zoneOf(c, v); ok {
			values = append(values, yamldoc.Item[string]{Key: v, Value: zone})
		}
	}
	if len(values) == 0 {
		b.p.File.Timezone.Column = c.header
		b.say("timezone.column", line, c)
		return
	}
	line.Reason += ", its words are known"
	b.set("timezone", mapfile.Column{From: mapfile.Names{c.header}, Values: values}, line, c)
}

// zoneOf finds what a text that is no zone's name stands for, and asks where that may be several.
func (b zoneStep) zoneOf(c *column, text string) (zone string, ok bool) {
	q := zoneQuestion("timezone:"+text, "timezone", "which time zone is "+quoted(text)+"?")
	q.Why = said(c.times[text]) + " in " + quoted(c.header)
	q.Choices = q.Offers(text)
	if len(q.Choices) == 1 {
		q.Default = q.Choices[0].Value
	}
	if zone, sure := b.sureZone(c, text); sure {
		q.Default = zone
		return b.settle(q, c)
	}
	return b.ask(q, c)
}

// zoneQuestion returns a question that a time zone answers, or a text that finds one.
func zoneQuestion(id, at, text string) Question {
	return Question{
		ID: id, At: at, Text: text, Free: "a city, a country or an IANA name such as Europe/Paris", check: isZone,
		find: func(text string) ([]string, bool) { return datetime.FindZones(text) },
	}
}

// defaultZone asks for the zone of rows that name none.
func (b zoneStep) defaultZone(c *column) {
	why := "no column names one, and a time of day means nothing without it"
	switch _, given := b.config.Answers["timezone"]; {
	case c != nil && b.unzoned(c) > 0:
		why = rowsOf(b.unzoned(c)) + " with a time and without a zone in " + quoted(c.header)
	case given:
	case c != nil, b.letters(), b.updates && len(b.times) == 0, b.p.File.Timezone.Default != "", b.asked("timezone.column"):
		return
	case b.offsets():
		why = "the times say how far from UTC they are, and not where"
	}
	text := "in which time zone do the events take place?"
	if !b.resource().Timed() {
		text = "in which time zone are the times?"
	}
	q := zoneQuestion("timezone", "timezone.default", text)
	q.Why = why
	heard := (&evidence{builder: b.builder}).hear(ofZone)
	for _, zone := range b.lettered() { // which the answer has to agree with
		if !slices.ContainsFunc(heard, func(t testimony) bool { return t.value == zone }) {
			heard = append(heard, testimony{guess, zone, "letters behind a time may mean it"})
		}
	}
	for _, t := range heard {
		q.Choices = append(q.Choices, Choice{t.value, t.why})
	}
	if len(heard) == 1 && heard[0].weight > guess { // nothing of the file speaks for another
		q.Default = q.Choices[0].Value
	}
	if zone, ok := b.ask(q); ok {
		b.p.File.Timezone.Default = zone
		b.say("timezone.default", Line{Basis: ByAnswer, Reason: "answered"})
	}
}

// letters reports whether behind all times stand letters that say their zone.
func (b zoneStep) letters() bool {
	return slices.ContainsFunc(b.times, func(c *column) bool {
		return c.filled == b.all.rows && c.more == 0 && !slices.ContainsFunc(c.kinds, func(k cells) bool {
			return slices.ContainsFunc(k.texts, func(text string) bool { _, one := datetime.ZoneOf(lettersOf(text)); return !one })
		})
	})
}

// lettered returns the zones that letters behind times may mean which do not say which of several.
func (b zoneStep) lettered() (zones []string) {
	for _, c := range b.times {
		for i := range c.kinds {
			for _, text := range c.kinds[i].texts {
				if of := datetime.Abbreviated(lettersOf(text)); len(of) > 1 && zones == nil {
					zones = of
				}
			}
		}
	}
	return zones
}

// lettersOf returns the letters of a time zone behind a time or the end of a range.
func lettersOf(text string) string {
	parts := sides(text)
	m, _ := scanIn(datetime.ClockCell, parts[len(parts)-1])
	return m.Letters
}

// unzoned counts the rows that have a time and no zone.
func (b zoneStep) unzoned(c *column) int {
	n := 0
	for row := range min(b.all.rows, mostRows) {
		if !c.has.at(row) && slices.ContainsFunc(b.times, func(t *column) bool { return t.has.at(row) }) {
			n++
		}
	}
	return n
}

// offsets reports whether all times have their offset from UTC.
func (b zoneStep) offsets() bool {
	return len(b.times) > 0 && !slices.ContainsFunc(b.times, func(c *column) bool { return c.counts[valueOffset] < c.looked || c.blank() })
}

// order finds whether the day or the month comes first in dates of numbers. All
// dates of a file that have the same separator are in one order; nothing less than
// a date that only one order allows proves it.
func (b zoneStep) order() {
	ordered, between, settled := false, "", ""
	for _, c := range b.times {
		ordered = ordered || c.ordered > 0
		between, settled = together(between, c.between), together(settled, c.proven)
	}
	_, given := b.config.Answers["date_order"]
	if !ordered && !given || b.p.File.DateOrder != "" && !given {
		return
	}
	heard := (&evidence{builder: b.builder}).hear(ofOrder)
	q := Question{
		ID: "date_order", Text: "in which order are dates such as " + b.dateExample() + " written?",
		Why:     "no date of the file proves it: none has a day above 12",
		Choices: []Choice{{"mdy", "month, day, year"}, {"dmy", "day, month, year"}},
	}
	if given {
		q.Choices = append(q.Choices, Choice{"ymd", "year, month, day"})
	}
	switch {
	case len(heard) > 1:
		q.Why = reasons(heard)
		q.Choices = append(q.Choices, Choice{"mdy or dmy", "the month first, and where it cannot be the day"},
			Choice{"dmy or mdy", "the day first, and where it cannot be the month"})
	case given, len(heard) == 0:
	case heard[0].weight == proven && len(settled) < len(between) && len(between) > 1:
		q.Why = "dates are written with different separators, and not all of them prove it"
	default:
		b.p.File.DateOrder = heard[0].value
		b.say("date_order", Line{Basis: ByValues, Reason: heard[0].why})
		return
	}
	if order, ok := b.ask(q); ok {
		order, _, b.both = strings.Cut(order, " or ")
		b.p.File.DateOrder = order
		b.say("date_order", Line{Basis: ByAnswer, Reason: "answered"})
	}
}

// together puts separators together, each once.
func together(a, b string) string {
	for _, r := range b {
		if !strings.ContainsRune(a, r) {
			a += string(r)
		}
	}
	return a
}

func (b zoneStep) dateExample() string {
	for _, c := range b.times {
		if c.orders != "" {
			return c.orders
		}
	}
	return "03/04/2026"
}
