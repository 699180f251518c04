package match

import (
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// meanings are what the headers of the columns mean.
type meanings struct {
	inquiry

	claims map[int]claim  // by column
	misfit map[int]string // columns whose cells are not what their header says
}

// candidate is a column with the one thing that it may be.
type candidate struct {
	*column
	claim
}

// readHeaders finds for each column the first meaning of its header that its cells allow.
func (m *meanings) readHeaders() {
	for i := range m.all.columns {
		c := &m.all.columns[i]
		if c.header == "" || c.twice {
			continue
		}
		if path, told := m.told(c); told {
			if path != None {
				cl := claimsOf(path)[0]
				cl.told = true
				m.claims[i] = cl
			}
			continue
		}
		claims := claimsOf(m.bareHeader(c))
		if at := slices.IndexFunc(claims, func(cl claim) bool { return c.fits(cl) }); at >= 0 {
			m.claims[i] = claims[at]
		} else if len(claims) > 0 && claims[0].semantic != typeAside && claims[0].basis != BySimilar {
			m.misfit[i] = claims[0].path()
		}
	}
	m.kindOfEvent()
	for _, s := range m.unnamed(func(c *column) bool {
		return in("who", c.header) && c.choice() && c.filled > 0 &&
			c.meant(catalog.Field(catalog.FieldVisibility)) == len(c.distinct)
	}) {
		m.claims[s.index] = claim{
			semantic: typeVisibility, field: catalog.Field(catalog.FieldVisibility), basis: ByAlias, word: fold(s.header),
		}
	}
}

// kindOfEvent takes the only column of texts whose header is a kind of event, such as Workshop, for the name where no other
// header says that it has it.
func (m *meanings) kindOfEvent() {
	if slices.ContainsFunc(m.having(typeName), func(s candidate) bool { return s.sure() }) {
		return
	}
	room := func(at int) bool { // Atelier beside Saal is one too, unless rooms stand below that, which are there again and again
		return m.claims[at].semantic == typeRoom && len(m.all.columns[at].distinct)*2 > m.all.columns[at].filled
	}
	kinds := m.unnamed(func(c *column) bool {
		kind := in("kind of event", c.header) && !c.blank() && c.fits(claim{semantic: typeName})
		return kind && !room(c.index-1) && !room(c.index+1)
	})
	if len(kinds) == 1 {
		m.claims[kinds[0].index] = claim{
			semantic: typeName, field: catalog.Field(catalog.FieldName), basis: ByAlias, word: fold(kinds[0].header),
		}
	}
}

// of returns a column with what its header means, or with what its cells alone say.
func (m *meanings) of(c *column) candidate {
	if cl, ok := m.claims[c.index]; ok {
		return candidate{c, cl}
	}
	return candidate{c, claim{basis: ByValues}}
}

// free lists the columns that nothing has taken, no question is about, and a mapping can name.
func (m *meanings) free() []*column {
	var found []*column
	for i := range m.all.columns {
		if c := &m.all.columns[i]; !m.used[i] && !m.about[i] && c.header != "" && !c.twice {
			found = append(found, c)
		}
	}
	return found
}

// unnamed lists the free columns whose headers say nothing, as far as their cells are of a kind.
func (m *meanings) unnamed(fits func(c *column) bool) []candidate {
	var found []candidate
	for _, c := range m.free() {
		if _, known := m.claims[c.index]; !known && fits(c) {
			found = append(found, m.of(c))
		}
	}
	return found
}

// having lists the free columns of some semantic types.
func (m *meanings) having(types ...semantic) []candidate {
	var found []candidate
	for _, c := range m.free() {
		if cl, ok := m.claims[c.index]; ok && slices.Contains(types, cl.semantic) {
			found = append(found, candidate{c, cl})
		}
	}
	return found
}

// leave ignores the free columns of some semantic types.
func (m *meanings) leave(reason string, types ...semantic) {
	for _, s := range m.having(types...) {
		m.ignore(s.column, reason)
	}
}

// hold keeps the columns of some semantic types from being ignored: a question that is
// open decides about them.
func (m *meanings) hold(types ...semantic) {
	for _, s := range m.having(types...) {
		m.about[s.index] = true
	}
}

// surest keeps those of the surest basis.
func surest(found []candidate) []candidate {
	return least(found, func(s *candidate) int { return s.rank() })
}

// rank is how sure a claim is, 0 the surest.
func (c *claim) rank() int {
	switch {
	case c.told:
		return -1
	case c.basis == ByPath:
		return 0
	case c.basis == ByAlias:
		return 1
	}
	return 2 + (100 - c.score)
}

// sure reports whether a claim needs no question: a header that only resembles a
// word needs cells that could be nothing else.
func (s *candidate) sure() bool {
	return s.basis != BySimilar || s.score >= 90 || s.score >= 80 && s.telling()
}

// telling reports whether the cells by themselves say what kind of thing they are.
func (s *candidate) telling() bool {
	return s.most(valueDate, valueMoment, valueClock, valueSpan, valueHours) || s.most(valueZone) || s.most(valueURL) || s.most(valueBool)
}

// sides are the columns of those who play each other, nil where there are no two.
func (m *meanings) sides() []*column {
	var found []*column
	for _, list := range []string{"home", "away"} {
		at := slices.IndexFunc(m.all.columns, func(c column) bool {
			return in(list, c.header) && !c.twice && c.isText() && !c.blank()
		})
		if at < 0 {
			return nil
		}
		found = append(found, &m.all.columns[at])
	}
	return found
}

// reason is why a column feeds a field.
func (m *meanings) reason(path string, c *column) Line {
	if m.taken[path] {
		return Line{Basis: ByAnswer, Reason: "answered"}
	}
	s := m.of(c)
	if s.basis == ByValues {
		return Line{Basis: ByValues, Reason: c.describe()}
	}
	return reasonOf(&s)
}

// feed feeds a field with a column as it stands.
func (m *meanings) feed(path string, c *column) {
	m.set(path, mapfile.Column{From: mapfile.Names{c.header}}, m.reason(path, c), c)
}

// column decides which column feeds a field: the surest, and a question where there
// are several, or where one is not sure. fallback offers columns where none claims it.
func (m *meanings) column(path, text string, fallback func() []candidate, types ...semantic) (*column, bool) {
	if _, fed := m.p.File.Columns.Get(path); fed || m.asked(path) {
		return nil, false // a column of its own name, as a person has said or is asked
	}
	all := m.having(types...)
	found := surest(all)
	sure := len(found) == 1 && found[0].sure()
	if path == "name" && sure && fallback != nil && found[0].filled*2 < m.all.rows {
		others := append(m.having(typeDescription, typeSummary), fallback()...) // most rows would have no name
		found, sure = append(found, others...), len(others) == 0
	}
	if len(found) == 0 {
		if fallback == nil {
			return nil, false
		}
		if found = fallback(); len(found) == 0 && path != "name" {
			return nil, false
		}
	}
	chosen, ok := m.choose(path, text, optionsOf(found), sure)
	if ok {
		for _, s := range all {
			if s.column != chosen.columns[0] {
				m.ignore(s.column, quoted(chosen.columns[0].header)+" feeds "+path)
			}
		}
		return chosen.columns[0], true
	}
	return nil, false
}

// counts reports whether a column says how many tickets a row is: it is read without a word of the mapping.
func (m *meanings) counts(c *column) bool {
	_, fed := m.p.File.Columns.Get("ticket_types")
	return fed && Quantity(m.resource(), []string{c.header}, []int{0}) == 0
}

// sampleOf returns a cell of a column: one that the field of its name does not take, where there is one.
func (m *meanings) sampleOf(c *column) string {
	if field := words().paths[fold(c.header)]; field != nil {
		if at := slices.IndexFunc(c.distinct, func(text string) bool { return !sayable(field, text) }); at >= 0 {
			return quoted(c.distinct[at])
		}
	}
	if len(c.examples) == 0 {
		return "blank"
	}
	return quoted(c.examples[0])
}

func (m *meanings) unknown(c *column) string {
	switch cl, ok := m.claims[c.index]; {
	case !ok && m.resource() == catalog.Guests && fedByAnother(m.resource(), c.header) != "":
		return "another column feeds " + fedByAnother(m.resource(), c.header)
	case !ok && c.most(valueMail):
		return "e-mail addresses: no field takes them"
	case !ok && c.most(valueMoney):
		return "prices: no field takes them"
	case !ok && c.blank():
		return "no cell is filled"
	case !ok && m.resource() == catalog.Guests && ofShop(c.header):
		return noneOfGuests
	case !ok && m.resource().Answering() != nil:
		return "if the event asks it, its header is " + value.AnswerHeader(c.header)
	case !ok:
		return "no field is known for it"
	case cl.semantic == typeAside:
		return cl.about
	}
	return "nothing else needs it"
}

// rest says why the other columns feed nothing.
func (m *meanings) rest() {
	for i := range m.all.columns {
		c := &m.all.columns[i]
		switch {
		case c.header == "" && c.filled > 0:
			m.p.Nameless = append(m.p.Nameless, i)
		case m.used[i] || m.about[i] || c.header == "" || sheet.OwnColumn(c.header):
		case m.resource().Answering() != nil && answers(c.header): // read without a word of the mapping
		case m.counts(c):
		case NamesDays(c.header) && c.half(datetime.IsWeekday):
			m.ignore(c, "days of the week, which dates are compared with")
		case c.twice:
			m.ignore(c, "two columns have this header, so a mapping cannot tell them apart: rename one")
		case m.misfit[i] != "":
			m.ignore(c, "named like "+m.misfit[i]+", and its cells are not: "+m.sampleOf(c))
		default:
			m.ignore(c, m.unknown(c))
		}
	}
	m.p.Nameless = append(m.p.Nameless, m.all.beyond...)
	for _, header := range m.config.Beside {
		m.p.Ignored = append(m.p.Ignored, Ignored{header, "not all sheets have it, and no field is known for it"})
	}
}
