package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// words finds the name and the description.
func (b *builder) words() {
	offer := b.nameless
	if b.updates {
		offer = nil
	}
	name, ok := b.column("name", "which column has the name of the event?", offer, roleName)
	if ok {
		b.set("name", mapfile.Column{From: mapfile.Names{name.header}}, b.reason("name", name), name)
	}
	text, ok := b.column("description_md", "which column describes the event?", nil, roleDescription)
	if !ok && !b.asked("description_md") {
		text, ok = b.column("description_md", "is this the description of the event?", nil, roleSummary)
	}
	if ok {
		c := mapfile.Column{From: mapfile.Names{text.header}}
		line := b.reason("description_md", text)
		if text.share(shapeHTML) >= 0.1 {
			c.HTML = true
			line.Reason += ", its HTML becomes Markdown"
		}
		b.set("description_md", c, line, text)
	}
	b.leave("another column has the description", roleSummary)
}

// nameless offers columns of texts where no header says that it has the name.
func (b *builder) nameless() []settled {
	var found []settled
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if b.used[i] || b.about[i] || b.known(c) || c.header == "" || c.twice || c.blank() || !c.words() || c.length() < 3 ||
			c.length() > 120 {
			continue
		}
		found = append(found, settled{c, claim{basis: ByValues}})
	}
	return found[:min(len(found), 8)]
}

// known reports whether the header of a column says what it is.
func (b *builder) known(c *column) bool {
	return slices.ContainsFunc(b.settled, func(s settled) bool { return s.column == c })
}

// column settles which column feeds a field: the surest, and a question where there
// are several, or where one is not sure. fallback offers columns where none claims it.
func (b *builder) column(path, text string, fallback func() []settled, roles ...role) (*column, bool) {
	all := b.having(roles...)
	found := surest(all)
	sure := len(found) == 1 && found[0].sure()
	if len(found) == 0 {
		if fallback == nil {
			return nil, false
		}
		if found = fallback(); len(found) == 0 && path != "name" {
			return nil, false
		}
	}
	options := make([]option, len(found))
	for i := range found {
		options[i] = option{columns: []*column{found[i].column}, line: reasonOf(path, &found[i])}
	}
	chosen, ok := b.choose(path, text, options, sure, false)
	if ok {
		for _, s := range all {
			if s.column != chosen.columns[0] {
				b.ignore(s.column, quoted(chosen.columns[0].header)+" feeds "+path)
			}
		}
		return chosen.columns[0], true
	}
	return nil, false
}

// reason is why a column feeds a field.
func (b *builder) reason(path string, c *column) Line {
	if b.taken[path] {
		return Line{Basis: ByAnswer, Reason: "answered"}
	}
	for i := range b.settled {
		if b.settled[i].column == c {
			l := reasonOf(path, &b.settled[i])
			return l
		}
	}
	return Line{Basis: ByValues, Reason: c.describe()}
}

// asked reports whether a question about a field is open.
func (b *builder) asked(id string) bool {
	return slices.ContainsFunc(b.p.Questions, func(q Question) bool { return q.ID == id })
}

// links finds where people meet online, and the picture.
func (b *builder) links() {
	if c, ok := b.column("meeting_url", "by which link do guests join online?", nil, roleMeeting); ok {
		b.set("meeting_url", mapfile.Column{From: mapfile.Names{c.header}}, b.reason("meeting_url", c), c)
		b.leave("another column has the link to join by", roleLink)
	} else if !b.asked("meeting_url") {
		b.link()
	}
	c, ok := b.column("cover_url", "which column has the cover picture?", nil, roleCover)
	switch {
	case !ok:
	case c.share(shapePicture) >= 0.5:
		b.set(
			"cover_file", mapfile.Column{From: mapfile.Names{c.header}},
			Line{Basis: ByValues, Reason: "file names of pictures, which are uploaded"}, c,
		)
	default:
		b.set("cover_url", mapfile.Column{From: mapfile.Names{c.header}}, b.reason("cover_url", c), c)
	}
}

// link takes a column of links for the meeting's only where their hosts say so.
func (b *builder) link() {
	var likely, others []settled
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if c.header == "" || c.twice || b.used[i] || b.about[i] || c.share(shapeURL) < 0.5 {
			continue
		}
		at := slices.IndexFunc(b.settled, func(s settled) bool { return s.column == c })
		s := settled{c, claim{basis: ByValues}}
		if at >= 0 {
			s = b.settled[at]
		}
		switch {
		case c.counts[shapeMeeting] > 0 && c.counts[shapeMeeting]*5 >= c.counts[shapeURL]*4:
			likely = append(likely, s)
		case at >= 0 && s.role == roleLink:
			others = append(others, s)
		}
	}
	all := append(likely, others...)
	if len(all) == 0 {
		return
	}
	options := make([]option, 0, len(all))
	for i := range all {
		l := reasonOf("", &all[i])
		if i < len(likely) {
			l = Line{Basis: ByValues, Reason: all[i].describe()}
		}
		options = append(options, option{columns: []*column{all[i].column}, line: l})
	}
	chosen, ok := b.choose("meeting_url", "by which link do guests join online?", options, len(likely) == 1 && len(others) == 0, false)
	if ok {
		c := chosen.columns[0]
		b.set("meeting_url", mapfile.Column{From: mapfile.Names{c.header}}, chosen.line, c)
		b.leave("another column has the link to join by", roleLink)
	}
}

// plain feeds the fields whose columns need nothing but a header.
func (b *builder) plain() {
	if c, ok := b.column("max_capacity", "which column says how many guests there may be?", nil, roleCapacity); ok {
		line := b.reason("max_capacity", c)
		if n := c.looked - c.counts[shapeInteger]; n > 0 {
			line.Doubt = "some cells are not whole numbers"
		}
		b.set("max_capacity", mapfile.Column{From: mapfile.Names{c.header}}, line, c)
	}
	if c, ok := b.column("tint_color", "which column has the accent color?", nil, roleColor); ok {
		b.set("tint_color", mapfile.Column{From: mapfile.Names{c.header}}, b.reason("tint_color", c), c)
	}
	b.paths()
}

// paths feeds the fields that have no role, by their own names.
func (b *builder) paths() {
	byField := map[schema.ID][]settled{}
	var order []schema.ID
	for _, s := range b.having(rolePath) {
		if byField[s.field] == nil {
			order = append(order, s.field)
		}
		byField[s.field] = append(byField[s.field], s)
	}
	b.misnamed()
	for _, id := range order {
		all, path := byField[id], id.Path()
		if len(all) > 1 {
			options := make([]option, len(all))
			for i := range all {
				options[i] = option{columns: []*column{all[i].column}, line: reasonOf(path, &all[i])}
			}
			if chosen, ok := b.choose(path, "which column feeds "+path+"?", options, false, false); ok {
				b.set(path, mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
			}
			continue
		}
		if field := id.Field(); field.Kind == schema.Enum || field.Kind == schema.Bool {
			b.values(id, &all[0])
			continue
		}
		line := reasonOf(path, &all[0])
		b.set(path, mapfile.Column{From: mapfile.Names{all[0].header}}, line, all[0].column)
	}
}

// misnamed asks about columns that have a field's own name, and not its cells.
func (b *builder) misnamed() {
	for i := range b.all.columns {
		c := &b.all.columns[i]
		id, ok := paths[fold(c.header)]
		if !ok || b.misfit[i] == "" || b.used[i] {
			continue
		}
		path := id.Path()
		line := Line{Basis: ByPath, Reason: "it has the field's name, but cells such as " + b.sampleOf(c)}
		if chosen, ok := b.choose(
			path, "is "+quoted(c.header)+" the field "+path+"?", []option{{columns: []*column{c}, line: line}}, false, false,
		); ok {
			b.set(path, mapfile.Column{From: names(chosen.columns)}, chosen.line, c)
		}
	}
}

// rest says why the other columns feed nothing.
func (b *builder) rest() {
	for i := range b.all.columns {
		c := &b.all.columns[i]
		switch {
		case b.used[i] || b.about[i] || c.header == "" || isOurs(c.header):
		case c.twice:
			b.ignore(c, "two columns have this header, so a mapping cannot tell them apart: rename one")
		case b.misfit[i] != "":
			b.ignore(c, "named like "+b.misfit[i]+", and its cells are not: "+b.sampleOf(c))
		default:
			b.ignore(c, b.unknown(c))
		}
	}
}

func (b *builder) sampleOf(c *column) string {
	if len(c.examples) == 0 {
		return "blank"
	}
	return quoted(c.examples[0])
}

func (b *builder) unknown(c *column) string {
	for _, s := range b.settled {
		if s.column != c {
			continue
		}
		if s.role != roleAside {
			return "nothing else needs it"
		}
		if about := aside[s.word]; about != "" {
			return about
		}
		return s.word
	}
	return "no field is known for it"
}

// isOurs knows the columns of a results file, which need no word.
func isOurs(header string) bool {
	return slices.Contains(strings.Fields("_row _sheet _action _status _event_id _url _error _field _at"), header)
}
