package match

import (
	"slices"
	"strconv"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// textStep infers the fields that are fed by a column as it stands: name, description, links.
type textStep struct{ *builder }

// words finds the name and the description.
func (b textStep) words() {
	offer := b.nameless
	if b.updates {
		offer = nil
	}
	b.summary()
	if _, fed := b.p.File.Columns.Get("name"); !fed && !b.asked("grid") && !b.teams() {
		if name, ok := b.column("name", "which column has the name of the event?", offer, typeName); ok {
			b.feed("name", name)
		}
	}
	text, ok := b.column("description_md", "which column describes the event?", nil, typeDescription)
	if !ok && !b.asked("description_md") {
		text, ok = b.column("description_md", "is this the description of the event?", nil, typeSummary)
	}
	if ok {
		c := mapfile.Column{From: mapfile.Names{text.header}}
		line := b.reason("description_md", text)
		if text.share(valueHTML) >= 0.1 {
			c.HTML = true
			line.Reason += ", its HTML becomes Markdown"
		}
		b.set("description_md", c, line, text)
	}
	b.leave("another column has the description", typeSummary)
}

// summary takes a column Summary for the name where another has the description, or none may have the name: calendars call
// the name so.
func (b textStep) summary() {
	why := "another column has the description"
	switch {
	case len(b.having(typeName)) > 0:
		return
	case len(b.having(typeDescription)) > 0:
	case b.sides() != nil || len(b.nameless()) > 0:
		return
	default:
		why = "no other column may be it"
	}
	for _, s := range b.having(typeSummary) {
		if s.word == "summary" && s.basis == ByAlias {
			line := reasonOf(&s)
			line.Reason = "calendars call the name so, and " + why
			b.set("name", mapfile.Column{From: mapfile.Names{s.header}}, line, s.column)
			return
		}
	}
}

// teams takes the two sides of a match for the name of an event, where no column has one. It
// reports whether there are two sides.
func (b textStep) teams() bool {
	both := b.sides()
	if both == nil || len(b.having(typeName)) > 0 {
		return false
	}
	sides := option{columns: both, line: Line{Reason: "the two sides of a match, and no column has a name"}}
	if chosen, ok := b.choose("name", "which column has the name of the event?", []option{sides}, true); ok {
		c := mapfile.Column{From: names(chosen.columns)}
		if len(c.From) == 2 {
			c.Join = new(" – ")
		}
		b.set("name", c, chosen.line, chosen.columns...)
	}
	return true
}

// nameless offers columns of texts where no header says that it has the name.
func (b textStep) nameless() []candidate {
	found := b.unnamed(func(c *column) bool {
		return !c.blank() && c.isText() && c.length() >= 3 && c.length() <= 120 && !ofTime(c.header)
	})
	return found[:min(len(found), 8)]
}

// ofTime reports whether a header is a usual name for a time, whatever the cells below it are.
func ofTime(header string) bool {
	return slices.ContainsFunc(claimsOf(header), func(cl claim) bool {
		return cl.basis == ByAlias && slices.Contains(timeTypes, cl.semantic)
	})
}

// links finds where people meet online, and the picture.
func (b textStep) links() {
	if c, ok := b.column("meeting_url", "by which link do guests join online?", nil, typeMeeting); ok {
		b.feed("meeting_url", c)
		b.leave("another column has the link to join by", typeLink)
	} else if !b.asked("meeting_url") {
		b.link()
	}
	b.linksOfPlaces()
	c, ok := b.column("cover_url", "which column has the cover picture?", nil, typeCover)
	switch {
	case !ok:
	case c.share(valuePicture) >= 0.5:
		b.pictures(c)
	default:
		b.feed("cover_url", c)
	}
}

// pictures takes the column of names of pictures. Where some of them lie nowhere, every row of theirs would
// be refused, so that it is asked.
func (b textStep) pictures(c *column) {
	line := Line{Basis: ByValues, Reason: "file names of pictures, which are uploaded"}
	var missing []string
	for _, path := range c.distinct {
		if b.config.Lies != nil && !b.config.Lies(path) {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		answer, answered := b.ask(Question{
			ID: "cover_file", Text: "are the pictures of " + quoted(c.header) + " to be uploaded?", Default: None,
			Why: strconv.Itoa(len(missing)) + " of " + strconv.Itoa(len(c.distinct)) +
				" do not lie in the folder of the file, such as " + quoted(missing[0]),
			Choices: []Choice{{None, "the events have no picture of their own"}, {"upload", "from a folder that --covers-from names"}},
		}, c)
		if answer == None {
			b.ignore(c, "answered: the pictures are not uploaded")
		}
		if !answered || answer == None {
			return
		}
		line = Line{Basis: ByAnswer, Reason: "answered"}
	}
	b.set("cover_file", mapfile.Column{From: mapfile.Names{c.header}}, line, c)
}

// linksOfPlaces has the links among the places join the link to meet by.
func (b textStep) linksOfPlaces() {
	if len(b.linked) == 0 || b.asked("meeting_url") {
		return
	}
	at := slices.IndexFunc(b.p.File.Columns, func(item yamldoc.Item[mapfile.Column]) bool { return item.Key == "meeting_url" })
	expr := `""`
	for _, c := range slices.Backward(b.linked) {
		expr = isLink(c) + " ? " + whole(c) + " : " + expr
	}
	if at < 0 {
		b.set("meeting_url", mapfile.Column{Expr: expr}, Line{Basis: ByValues, Reason: "the cells that are links"}, b.linked...)
		return
	}
	own := "col(" + strconv.Quote(b.p.File.Columns[at].Value.From[0]) + ")"
	b.p.File.Columns[at].Value = mapfile.Column{Expr: own + ` != "" ? ` + own + " : " + expr}
	l := b.p.line("meeting_url")
	l.Reason += ", and the places that are links"
	for _, c := range b.linked {
		l.Columns = append(l.Columns, c.header)
	}
}

// link takes a column of links for the meeting's only where their hosts say so.
func (b textStep) link() {
	var likely, others []candidate
	for _, c := range b.free() {
		s := b.of(c)
		switch {
		case c.share(valueURL) < 0.5:
		case c.counts[valueMeeting] > 0 && c.counts[valueMeeting]*5 >= c.counts[valueURL]*4:
			likely = append(likely, s)
		case s.semantic == typeLink, b.misfit[c.index] == "address":
			others = append(others, s)
		}
	}
	all := append(likely, others...)
	if len(all) == 0 {
		return
	}
	options := optionsOf(all)
	for i := range likely {
		options[i].line = Line{Basis: ByValues, Reason: likely[i].describe()}
	}
	for i := len(likely); i < len(options); i++ {
		options[i].elsewise = true // the page of the event elsewhere
	}
	chosen, ok := b.choose("meeting_url", "by which link do guests join online?", options, len(likely) == 1 && len(others) == 0)
	if ok {
		c := chosen.columns[0]
		b.set("meeting_url", mapfile.Column{From: mapfile.Names{c.header}}, chosen.line, c)
		b.leave("another column has the link to join by", typeLink)
	}
}

// plain feeds the fields whose columns need nothing but a header.
func (b textStep) plain() {
	if c, ok := b.column("max_capacity", "which column says how many guests there may be?", nil, typeCapacity); ok {
		b.feed("max_capacity", c)
	}
	if c, ok := b.column("tint_color", "which column has the accent color?", nil, typeColor); ok {
		b.feed("tint_color", c)
	}
	b.paths()
}

// paths feeds the fields that no semantic type feeds, by their own names.
func (b textStep) paths() {
	byField := map[*schema.Field][]candidate{}
	var order []*schema.Field
	for _, s := range b.having(typePath) {
		if byField[s.field] == nil {
			order = append(order, s.field)
		}
		byField[s.field] = append(byField[s.field], s)
	}
	b.misnamed()
	for _, field := range order {
		switch all := surest(byField[field]); {
		case len(all) > 1:
			if chosen, ok := b.choose(field.Path, "which column feeds "+called(field)+"?", optionsOf(all), false); ok {
				b.set(field.Path, mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
			}
		case field.Kind == schema.Enum || field.Kind == schema.Bool:
			choiceStep(b).values(field, &all[0])
		default:
			b.set(field.Path, mapfile.Column{From: mapfile.Names{all[0].header}}, reasonOf(&all[0]), all[0].column)
		}
	}
}

// misnamed asks about columns that have a field's own name, and not its cells.
func (b textStep) misnamed() {
	barred := []schema.Kind{schema.Enum, schema.Slug, schema.Zone} // no row would be taken
	for i := range b.all.columns {
		c := &b.all.columns[i]
		field, ok := words().paths[fold(c.header)]
		if !ok || b.misfit[i] == "" || b.used[i] || slices.Contains(barred, field.Kind) {
			continue
		}
		path := field.Path
		line := Line{Basis: ByPath, Reason: "it has the field's name, but cells such as " + b.sampleOf(c)}
		it := option{columns: []*column{c}, line: line}
		if chosen, ok := b.choose(path, "is "+quoted(c.header)+" the field "+path+"?", []option{it}, false); ok {
			b.set(path, mapfile.Column{From: names(chosen.columns)}, chosen.line, chosen.columns...)
		}
	}
}

func answers(header string) bool {
	_, ok := value.AnswerTo(header)
	return ok
}
