package mapping

import (
	"maps"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
)

// binder makes a binding and finds what is wrong with a header.
type binder struct {
	headers

	given []feed
}

func bind(o *options, b *binding, place schema.Place) (*binding, []schema.Problem) {
	if o.mapping != nil {
		b.header = o.mapping.Header(b.header)
	}
	b.options, b.width, b.resultID = o, len(b.header), slices.Index(b.header, "_event_id")
	b.times = -1
	b.verdict, b.base = slices.Index(b.header, sheet.AnnotationColumn), slices.Index(b.header, sheet.BaseColumn)
	b.exported = exported(b.header)
	x := &binder{headers: headers{b: b, place: place, names: b.header, used: make([]bool, len(b.header))}}
	if o.mapping != nil {
		x.layout(o.mapping)
	}
	if o.mapping != nil && len(o.mapping.Columns) > 0 {
		x.byFile(o.mapping)
	} else {
		x.byHeaders()
	}
	x.quantity()
	x.answers()
	x.assignments()
	x.prices()
	if message, hint := offsetOnly(o.said); message != "" && x.resource().Zone() != nil {
		x.fail(schema.Warning, schema.CodeFixedZone, -1, x.resource().Zone().Path, message, hint)
	}
	if !x.refused() {
		x.unmatched()
	}
	x.unread()
	x.arrange()
	if o.mapping != nil {
		rowBinder{x}.sieve(o.mapping)
	}
	b.dates = newDates(b)
	return b, x.problems
}

// byHeaders lets the headers say what they are. What a mapping without columns
// says of the calendar and the time zone goes before that.
func (x *binder) byHeaders() {
	if f := x.b.options.mapping; f != nil {
		x.byFile(f)
	}
	fed := map[schema.ID]bool{}
	for _, g := range x.given {
		fed[g.field.ID] = true
	}
	bindings, left, clashes := match.Bind(x.resource(), x.b.header, func(i int) bool {
		return x.used[i] || x.ignored(i) || sheet.OwnColumn(x.b.header[i])
	})
	for _, c := range clashes {
		x.clash(c)
	}
	for _, c := range bindings {
		if fed[c.Field.ID] {
			continue
		}
		meetings := c.Field.ID == catalog.FieldMeetingURL && match.NamesLink(x.b.header[c.Columns[0]])
		x.give(feed{field: c.Field, columns: c.Columns, join: " ", borrowed: c.Borrowed, meetings: meetings})
		if c.Old != nil {
			x.deprecated(c.Columns[0], c.Old, c.Field)
		}
	}
	for _, i := range left {
		field, ok := match.Field(x.resource(), x.b.header[i])
		switch {
		case !ok || x.used[i]:
		case field.Canonical().Deprecated:
			x.used[i] = true
			x.b.unread = append(x.b.unread, i)
			x.fail(schema.Warning, schema.CodeDeprecatedName, i, field.Path, quoted(x.b.header[i])+" is ignored: "+field.Doc, "")
		case !x.ignored(i):
			x.used[i] = true
			x.b.unread = append(x.b.unread, i)
			x.fail(
				schema.Warning, schema.CodeUnmatchedColumn, i, "",
				quoted(x.b.header[i])+" is not read: another column feeds "+field.Canonical().Path, "",
			)
		}
	}
}

// quantity finds the column that says how many tickets a row of a guest is.
func (x *binder) quantity() {
	if x.b.times >= 0 {
		return
	}
	var free []int
	for i, used := range x.used {
		if f := x.b.options.mapping; !used && (f == nil || !slices.Contains(f.Ignore, x.b.header[i])) {
			free = append(free, i)
		}
	}
	if x.b.times = match.Quantity(x.resource(), x.b.header, free); x.b.times >= 0 {
		x.used[x.b.times] = true
	}
}

// answers takes the columns that each answer a question, by the names that they have in a mapping.
// They are read in the order of the questions, so that a row says the same wherever they stand.
func (x *binder) answers() {
	g := feed{field: x.resource().Answering()}
	if g.field == nil || slices.ContainsFunc(x.given, func(o feed) bool { return o.field == g.field }) {
		return
	}
	asked := map[string]int{} // the columns, by what they call their questions
	for i, h := range x.names {
		question, ok := value.AnswerTo(h)
		if !ok || x.used[i] || x.ignored(i) {
			continue
		}
		if first, twice := asked[question]; twice {
			x.used[i] = true
			x.fail(
				schema.Error, schema.CodeDuplicateHeader, i, g.field.Path,
				"columns "+schema.ColumnName(first)+" and "+schema.ColumnName(i)+" both answer "+quoted(question), "rename one of them",
			)
			continue
		}
		asked[question] = i
	}
	for _, question := range slices.Sorted(maps.Keys(asked)) {
		g.columns, g.answers = append(g.columns, asked[question]), append(g.answers, question)
	}
	if len(g.columns) > 0 {
		x.give(g)
	}
}

func (x *binder) deprecated(column int, old, field *schema.Field) {
	x.fail(
		schema.Warning, schema.CodeDeprecatedName, column, field.Path, old.Path+" is the old name of "+field.Path,
		"rename the column to "+field.Path,
	)
}

func (x *binder) give(f feed) {
	for _, c := range f.columns {
		x.used[c] = true
	}
	x.given = append(x.given, f)
}

// assignments lets --set feed its fields, in place of whatever else does.
func (x *binder) assignments() {
	for i := range x.b.options.set {
		a := &x.b.options.set[i]
		x.several(a)
		x.given = slices.DeleteFunc(x.given, func(g feed) bool { return g.field == a.field })
		x.give(feed{field: a.field, constant: &a.text})
	}
}

// refused refuses a file whose rows are no events by its headers. Read as events, rows of guests would give the event that they
// name the name of a guest. It reports whether the file is one.
func (x *binder) refused() bool {
	said := slices.ContainsFunc(x.given, func(g feed) bool {
		return g.field.ID == catalog.FieldStartAt && (g.constant != nil || x.b.closed())
	})
	if said || !x.resource().Timed() {
		return false
	}
	p := notEvents(x.b.options, x.b.header, func(i int) bool { return x.used[i] || x.ignored(i) })
	if p == nil {
		return false
	}
	x.used[p.Place.Column] = true
	x.fail(schema.Error, p.Code, p.Place.Column, "", p.Message, p.Hint)
	x.problems[len(x.problems)-1].Resource = p.Resource
	return true
}

// notEvents returns what to say of rows below a header without a start that are no events: one column, which nothing takes, is of
// e-mail addresses, or most columns are those of another resource and nobody has said what the rows are. It is nil where they
// may be events.
func notEvents(o *options, header []string, taken func(column int) bool) *schema.Problem {
	p := &schema.Problem{Code: schema.CodeGuestList}
	are, own := match.Others(header)
	mail, starts := -1, match.Starts(header)
	for i, h := range header {
		if mail < 0 && !starts && match.NamesMail(h) && !taken(i) {
			mail = i
		}
	}
	but := "list the column under ignore in a mapping file"
	switch {
	case mail >= 0:
		are, p.Place.Column = catalog.Guests, mail
		if match.Named(catalog.Hosts, header) > match.Named(are, header) {
			are = catalog.Hosts
		}
		p.Message = quoted(header[mail]) + " is a column of e-mail addresses"
	case are != nil && !o.decided && o.mapping == nil:
		p.Code, p.Place.Column, but = schema.CodeOtherRows, slices.Index(header, own[0]), "say --resource "+o.Resource.Name
		p.Message = quoted(own[0]) + " and " + quoted(own[1]) + " are columns of " + are.Many()
	default:
		return nil
	}
	say := "say --resource " + are.Name
	if len(o.Files) > 1 {
		say = "take the file by itself, with --resource " + are.Name + ", or make it the sheet " + are.Name + " of one workbook"
	}
	p.Resource, p.Hint = are.Name, say+"; if the rows are events, "+but
	none := "no column is a start"
	if starts {
		none = "nothing but a time is one of events"
	}
	p.Message += ", and " + none + ": the rows are " + are.Many() + ", not events"
	return p
}

// unmatched warns once of each column that nothing reads.
func (x *binder) unmatched() {
	candidates := slices.DeleteFunc(mapfile.Targets(x.resource()), func(path string) bool {
		field, _ := x.resource().ByPath(path)
		return slices.ContainsFunc(x.given, func(g feed) bool { return g.field == field })
	})
	for i, h := range x.b.header {
		if i < x.b.width && !x.used[i] && x.resource().Timed() && match.NamesDays(h) {
			x.b.weekdays = append(x.b.weekdays, i)
		}
		switch {
		case h == "":
			x.b.blind = append(x.b.blind, i)
		case x.used[i] || sheet.OwnColumn(h) || x.ignored(i):
		default:
			if i < x.b.width {
				x.b.gates = append(x.b.gates, gate{i, h})
			}
			hint, path := match.LeftOut(x.resource(), h), ""
			f := x.b.options.mapping
			mapped := f != nil && len(f.Columns) > 0
			if x.resource().Timed() && !mapped {
				path = match.Knows(h)
			}
			if match.NamesDays(h) {
				hint = "days of the week in it are compared with the dates"
			}
			if hint == "" && path != "" {
				hint = "eventbatch map takes it for " + path
			}
			if hint == "" && !mapped { // which alone says what is read
				hint = spelling.DidYouMean(h, candidates)
			}
			if hint == "" {
				if hint = "name it after a field (" + catalog.Listing(x.resource()) + " lists them), "; mapped {
					hint = "name it under columns in the mapping, "
				}
				if f := x.resource().Answering(); f != nil {
					hint += "put \"answer:\" before its header if the " + f.Answers.One + " asks it, "
				}
				if hint += "or list it under ignore"; !mapped {
					hint += " in a mapping file"
				}
			}
			x.fail(schema.Warning, schema.CodeUnmatchedColumn, i, path, quoted(h)+" matches no field and is not read", hint)
		}
	}
}

// unread lists the columns whose cells are left behind: those that nothing reads, though
// nobody may have been warned of them.
func (x *binder) unread() {
	for i, h := range x.b.header[:x.b.width] {
		if h != "" && !x.used[i] && !sheet.OwnColumn(h) {
			x.b.unread = append(x.b.unread, i)
		}
	}
	slices.Sort(x.b.unread)
}

// arrange puts the feeds in the order in which a row needs them.
func (x *binder) arrange() {
	b := x.b
	x.share()
	x.readings()
	plain, computed := []feed{}, []feed{}
	for _, g := range x.given {
		switch {
		case g.field.ID == schema.FieldAction && g.program == nil:
			b.action = &g
		case g.field.Kind == schema.Zone && g.program == nil:
			b.zone = &g
		case g.program != nil:
			computed = append(computed, g)
		default:
			plain = append(plain, g)
		}
	}
	slices.SortStableFunc(plain, func(a, c feed) int { return int(a.field.ID) - int(c.field.ID) })
	b.list = slices.Concat(plain, computed)
	b.byID = make([]*feed, len(catalog.Fields))
	for i := range b.list {
		b.byID[b.list[i].field.ID] = &b.list[i]
	}
	for _, g := range []*feed{b.action, b.zone} {
		if g != nil {
			b.byID[g.field.ID] = g
		}
	}
}

// share notes that an end whose date is the start's too says nothing without a time
// of its own.
func (x *binder) share() {
	at := func(id schema.ID) int {
		return slices.IndexFunc(x.given, func(g feed) bool { return g.field.ID == id })
	}
	start, end := at(catalog.FieldStartAt), at(catalog.FieldEndAt)
	if start < 0 || end < 0 || len(x.given[end].columns) != 2 || x.given[end].span != wholeCell {
		return
	}
	of := x.given[start].columns
	if p := x.given[start].program; p != nil {
		of = p.Columns()
	}
	if slices.Contains(of, x.given[end].columns[0]) {
		x.given[end].borrowed = true
	}
}
