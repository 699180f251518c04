package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// shapeStep finds what the cells of the columns become, and asks about those that have more
// than one reading.
type shapeStep struct{ *builder }

// cells goes through the columns that feed something.
func (b shapeStep) cells() {
	all := b.uses()
	for i := range b.all.columns {
		c := &b.all.columns[i]
		var uses []use
		for _, u := range all {
			if u.column == c {
				uses = append(uses, u)
			}
		}
		if len(uses) > 0 {
			b.show(uses)
		} else if at := slices.IndexFunc(b.p.Lines, func(l Line) bool { return slices.Contains(l.Columns, c.header) }); at >= 0 {
			b.summary(c, b.p.Lines[at].At)
		}
	}
}

// summary shows a column whose cells are taken as they are, or leave their rows out.
func (b shapeStep) summary(c *column, at string) {
	s := Shape{Field: at, Column: c.header, Count: c.filled}
	var out []Shape
	is := func(text string) bool {
		return slices.ContainsFunc(out, func(s Shape) bool { return s.Example == text })
	}
	for _, rows := range b.p.held {
		for _, text := range rows.Values {
			if n := c.times[text]; n > 0 && rows.Column == c.header && !is(text) {
				out = append(out, Shape{Field: at, Column: c.header, Example: text, Count: n, Becomes: "left out", Asked: b.openOf(c, at)})
				s.Count -= n
			}
		}
	}
	for _, text := range c.examples {
		if s.Example == "" && !is(text) {
			s.Example = text
		}
	}
	if b.p.Shapes = append(b.p.Shapes, out...); s.Count > 0 || len(out) == 0 {
		b.p.Shapes = append(b.p.Shapes, s)
	}
}

// openOf returns the id of the open question by which rows are left out by a column; empty where there is none.
func (b shapeStep) openOf(c *column, at string) string {
	open := func(q Question) bool { return q.At == at && !q.Optional && slices.Contains(q.Columns, c.header) }
	if i := slices.IndexFunc(b.p.Questions, open); i >= 0 {
		return b.p.Questions[i].ID
	}
	return ""
}

// shownColumn is a column on its way to be shown.
type shownColumn struct {
	shapeStep
	taught
	uses    []use           // of the column, the first of them the one that is shown
	years   reads.Years     // of the dates without one
	agreed  bool            // a day of the week is that of the year that other dates or the title say
	unknown int             // shapes without a proposal
	mixed   bool            // some cells of the shape at hand can be read
	open    map[lack]string // ids of the open questions that are of the whole column
	refused []string
	out     map[string]outText // of the texts that leave their rows out, as [compared] has them
}

func (b shapeStep) show(uses []use) {
	first := &uses[0]
	shown := false
	switch first.field.Kind {
	case schema.Timestamp, schema.Integer, schema.Number, schema.Zone:
		shown = true
	case schema.Bool, schema.Enum:
		shown = !first.computed // an expression knows which of its cells say something
	}
	if !shown {
		b.summary(first.column, first.field.Path)
		return
	}
	v := shownColumn{shapeStep: b, uses: uses, open: map[lack]string{}, out: map[string]outText{}}
	if b.p.File.DashOrder == "" {
		order := b.p.File.DateOrder
		for i := range b.p.Questions {
			if q := &b.p.Questions[i]; q.ID == "date_order" && order == "" {
				order = q.Default
			}
		}
		if heard := (&evidence{builder: b.builder}).hear(ofOrder); b.given && order == "" && len(heard) > 0 {
			order = heard[0].value // as the rows are read
		}
		v.order, _ = datetime.ParseOrder(order)
	}
	v.teach(b.readingsOf(first.field.Path)...)
	if b.given {
		for _, text := range amongOf(b.p.File.Filter, whole(first.column), notIn) {
			v.out[text] = outText{}
		}
	}
	date, said := b.said(first.column)
	for i := range first.kinds {
		kind := &first.kinds[i]
		if said && kind.kind != sheet.Number {
			kind = kind.with(&date)
		}
		if kind.kind == sheet.Text && b.splits(first.column) {
			kind = kind.split()
		}
		v.kind(kind)
	}
	if first.more > 0 {
		b.p.Shapes = append(b.p.Shapes, Shape{Field: first.field.Path, Column: first.header, Count: first.more})
	}
	v.filterOut()
	if l := b.p.line(first.field.Path); l != nil && len(v.refused) > 0 {
		l.Doubt = strings.Trim(l.Doubt+"; cells of "+quoted(first.header)+" cannot be read, such as "+quoted(v.refused[0]), "; ")
	}
}

// kind shows the cells of one shape. Those that cannot be read are settled one after the
// other, until a reading serves the rest: a year is that of all dates without one, and what
// a text stands for is its own.
func (v *shownColumn) kind(k *cells) {
	u := &v.uses[0]
	first := len(v.p.Shapes)
	v.mixed = false
	v.answered(k)
	for rest := k.texts; len(rest) > 0; {
		var bad []string
		var good []Shape
		byLine := map[string]int{}
		for _, text := range rest {
			if by, out := v.isOut(text); out {
				v.p.Shapes = append(v.p.Shapes, v.outShape(k, text, by))
				continue
			}
			becomes, ok := u.read(v.table, k.kind, text, v.order)
			if !ok {
				bad = append(bad, text)
				continue
			}
			line := v.lineOf(k.kind, text)
			at, known := byLine[line.Key]
			if !known {
				at = len(good)
				byLine[line.Key] = at
				good = append(good, Shape{
					Field: u.field.Path, Column: u.header, Example: text, Becomes: becomes, Reading: line.Value, Asked: line.asked,
					Weekday: u.field.Kind == schema.Timestamp && namesWeekday(text), Stored: k.kind == sheet.Date,
					Settled: v.settled(k.kind, text, line),
				})
			}
			if known && len(good[at].Also) < 2 {
				good[at].Also = append(good[at].Also, text)
			}
			good[at].Count += k.times[text]
		}
		v.p.Shapes = append(v.p.Shapes, good...)
		v.mixed = v.mixed || len(good) > 0
		v.answeredFirst(bad)
		if rest = bad; len(bad) > 0 && !v.settle(k, bad) {
			lacks := v.lacking(bad[0])
			rest = slices.DeleteFunc(bad[1:], func(text string) bool { return lacks != nothing && v.lacking(text) == lacks })
		}
	}
	told := 0
	for _, n := range k.times {
		told += n
	}
	most := first
	for i := first + 1; i < len(v.p.Shapes); i++ {
		if v.p.Shapes[i].Count > v.p.Shapes[most].Count {
			most = i
		}
	}
	v.p.Shapes[most].Count += k.count - told // of texts that were not kept
}

// settle finds how cells of one shape are read that cannot be read as they are. It reports
// whether the first of them can be read then; else it is shown as it is.
func (v *shownColumn) settle(k *cells, bad []string) bool {
	u, text := &v.uses[0], bad[0]
	if line, ok := v.reading(u, k, bad); ok && !v.given {
		v.take(line, text)
		if _, out := v.isOut(text); out {
			return true
		}
		if _, ok := u.read(v.table, k.kind, text, v.order); ok {
			return true
		}
	}
	s := Shape{Field: u.field.Path, Column: u.header, Example: text, Count: v.count(k, bad)}
	if id := u.field.Path + ":" + flat(text); v.asked(id) {
		s.Asked = id
	} else if id := v.open[v.lacking(text)]; id != "" {
		s.Asked = id
	} else {
		s.Refused = true
		v.refused = append(v.refused, text)
	}
	v.p.Shapes = append(v.p.Shapes, s)
	return false
}

// readable reports whether a line of readings may say what cells of the column stand for.
func (v *shownColumn) readable(kind sheet.CellKind) bool {
	u := &v.uses[0]
	return !v.given && !u.computed && (kind == sheet.Text || kind == sheet.Number) &&
		slices.Contains([]schema.Kind{schema.Timestamp, schema.Integer, schema.Number}, u.field.Kind)
}

// answered takes what a person says of texts of a shape that are read without being asked about.
func (v *shownColumn) answered(k *cells) {
	u := &v.uses[0]
	for _, text := range k.texts {
		id := u.field.Path + ":" + flat(text)
		given, ok := v.config.Answers[id]
		if _, read := u.read(v.table, k.kind, text, v.order); !ok || !read || v.taken[id] || !v.readable(k.kind) {
			continue
		}
		q := (&doubted{v, u, text}).question("", k.times[text])
		if answer, ok := q.Accepts(given); ok {
			q.Default = answer
			v.taken[id] = true
			v.p.Settled = append(v.p.Settled, q)
			line := readsLine{Item: yamldoc.Item[string]{Key: q.ID[len(u.field.Path)+1:], Value: v.forAll(text, answer)}}
			v.take(line, text)
			v.put(line)
		}
	}
}

// settled returns the id of the question by whose answer a text, which is read by a line or by none, may be read otherwise.
func (v *shownColumn) settled(kind sheet.CellKind, text string, line readsLine) string {
	path := v.uses[0].field.Path
	_, word := v.uses[0].values.Get(text)
	switch {
	case word && !v.given:
		return path + ":" + text
	case !v.readable(kind) || line.asked != "":
		return ""
	case line.Key != "":
		return path + ":" + flat(line.Key)
	}
	return path + ":" + flat(text)
}

// count returns how many cells have the first of some texts in whatever letter case, or one of them that lacks the same.
func (v *shownColumn) count(k *cells, texts []string) int {
	lacks, n := v.lacking(texts[0]), 0
	for i, text := range texts {
		if i == 0 || compared(text) == compared(texts[0]) || lacks != nothing && v.lacking(text) == lacks {
			n += k.times[text]
		}
	}
	return n
}

// reading returns the line that makes the first of some texts of a shape readable: what is known
// of it, or what a person says. It is put into the mapping unless its question is open.
func (v *shownColumn) reading(u *use, k *cells, bad []string) (line readsLine, ok bool) {
	text := bad[0]
	switch u.field.Kind {
	case schema.Timestamp, schema.Integer, schema.Number:
	default:
		return line, false // the words of a field are asked about where its column is
	}
	if u.computed {
		return line, false
	}
	years, fits := v.yearsOf(text)
	if v.shaped(text) {
		years, fits = reads.Years{}, nil // of another shape's year, which this text is not a day of
	}
	p, known, ok := v.proposal(u, k, text, years)
	if !ok {
		return line, false
	}
	if days, all := v.namesDays(); years.First > 0 && len(fits) == 1 && (days == all && days > 1 || v.agreed) {
		p.Certain = true // no other year has these days of the week
	}
	lacks := v.lacking(text)
	if line, ok = v.again(&p, lacks, years.First > 0); ok && line.asked == "" {
		v.put(line)
	}
	if ok || v.open[lacks] != "" {
		return line, ok
	}
	count := v.count(k, bad)
	switch {
	case lacks.ofColumn():
		count = v.countAll(lacks)
	case known && lacks == nothing:
		count = total(k.times, bad)
	}
	d := doubted{v, u, p.Example}
	q := d.question(p.Reading, count)
	d.offerYears(&q, fits)
	d.offerAlike(&q, count)
	if u.halfOpen(text) {
		q.Why += also((&evidence{builder: v.builder, shown: v}).hear(ofHalf))
	}
	line.Item = yamldoc.Item[string]{Key: p.Example, Value: p.Reading}
	if q.Default != "" && v.both && v.lacking(text) == lackOrder {
		line.Value, p.Certain = q.Default, true
	}
	if _, given := v.config.Answers[q.ID]; p.Certain && !given {
		v.p.Settled = append(v.p.Settled, q)
		v.put(line)
		return line, true
	}
	return v.answer(line, &q, bad)
}

// proposal returns what a text that cannot be read as it is may be, and reports whether that is known. It is not ok where
// so many texts of the column were asked about that no more are.
func (v *shownColumn) proposal(u *use, k *cells, text string, years reads.Years) (p reads.Proposal, known, ok bool) {
	p, known = reads.Propose(u.field, text, reads.Evidence{
		Whole: u.counts[valueInteger] > 0, Years: years, Header: u.header,
		Hours: u.part == clockOnly && (k.kind == sheet.Number || isHour(text) || reads.AreHours(text)) && u.hasHours(), Half: u.half,
	})
	times := u.field.Kind == schema.Timestamp
	if v.mayLeave() && v.saysOff(text) && 2*k.times[text] <= v.all.rows { // what most rows say is not left out by Enter
		return reads.Proposal{Example: p.Example, Reading: mapfile.HiddenSkip}, false, true
	}
	if word := fullIn(text); times && !known && word != "" {
		return reads.Proposal{Example: word, Reading: reads.Ignore}, true, true // it takes place
	}
	if u.part == clockOnly && slices.Contains(words().headers[fold(text)], typeAllDay) {
		return reads.Proposal{Example: text, Reading: allDay}, true, true
	}
	left := !times && isLeft(text)
	if known && !left {
		return p, true, true
	}
	v.unknown++
	p = reads.Proposal{Example: strings.Join(strings.Fields(text), " ")}
	if left || !v.needs(u.field.Path) && !hasDigit(text) { // any other number is not lost by Enter
		p.Reading = reads.Blank
	}
	return p, known, v.unknown <= mostAsked
}

// answer asks the question about the first of some texts, and returns the line with the answer, or with its default
// while the question is open.
func (v *shownColumn) answer(line readsLine, q *Question, bad []string) (readsLine, bool) {
	text := bad[0]
	if id := v.answeredOf(v.lacking(text)); id != "" {
		q.ID = id
	}
	answer, answered := v.ask(*q, v.uses[0].column)
	switch {
	case answered:
		if given, isYear := v.meant(text, answer); isYear {
			v.years, answer = given, given.String()
			v.builder.years = given
		}
		line.Value = v.forAll(text, answer)
		v.put(line)
		if answer == reads.Blank && line.Value == answer && v.mixed {
			v.blanks(bad[1:])
		}
	case q.Default == "":
		if lacks := v.lacking(text); lacks.ofColumn() {
			v.open[lacks] = q.ID
		}
		return line, false
	default:
		line.asked, line.Value = q.ID, v.forAll(text, q.Default)
	}
	return line, true
}

// put writes a reading into the mapping, for each field that the column feeds.
func (v *shownColumn) put(line readsLine) {
	all := &v.p.File.Reads
	for i := range v.uses {
		path := v.uses[i].field.Path
		if message, _ := reads.Check(v.uses[i].field, line.Key, line.Value); message != "" || v.uses[i].computed {
			continue
		}
		at := slices.IndexFunc(*all, func(item yamldoc.Item[yamldoc.Map[string]]) bool { return item.Key == path })
		if at < 0 {
			at = len(*all)
			*all = append(*all, yamldoc.Item[yamldoc.Map[string]]{Key: path})
		}
		lines := &(*all)[at].Value
		if _, twice := lines.Get(line.Key); !twice {
			*lines = append(*lines, line.Item)
		}
	}
}

// isLeft reports whether a text says how many are left or taken, which is not how many there are.
func isLeft(text string) bool { return mentions(fold(text), "left", "full") }

// namesWeekday reports whether a text names a day of the week.
func namesWeekday(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, notLetter), datetime.IsWeekday)
}
