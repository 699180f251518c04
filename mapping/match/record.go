package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// recordStep infers the columns of other resources than events: of guests, say.
type recordStep struct{ *builder }

// record proposes the columns whose headers name the fields of a resource. What a row cannot do without is asked for.
func (b recordStep) record(r *schema.Resource) {
	b.p.File.Resource = r.Name
	headers := make([]string, len(b.all.columns))
	for i := range b.all.columns {
		headers[i] = b.all.columns[i].header
	}
	names := slices.Clone(headers)
	for i := range b.all.columns {
		if path, told := b.told(&b.all.columns[i]); told {
			if headers[i] = path; path == None {
				headers[i] = ""
			}
		}
	}
	timed := false
	bound, _, clashes := Bind(r, headers, func(i int) bool { return sheet.OwnColumn(names[i]) })
	for _, f := range bound {
		columns := make([]*column, len(f.Columns))
		for i, at := range f.Columns {
			columns[i] = &b.all.columns[at]
		}
		b.take(f.Field, Line{Basis: ByAlias, Reason: "its header names it"}, columns...)
		if f.Field.Kind == schema.Timestamp || f.Field.Kind == schema.Day {
			b.times = append(b.times, columns...)
			timed = timed || f.Field.Kind == schema.Timestamp
		}
	}
	for _, c := range clashes {
		b.clash(c)
	}
	choiceStep(b).status()
	for _, f := range r.Columns() {
		if !b.fed(f.Path) && !b.asked(f.Path) && f.Required != 0 && f.Kind != schema.Object && !(b.fed("price") && f.With == "price") {
			b.required(f)
		}
	}
	b.currency()
	if zone := r.Zone(); timed && zone != nil && !b.fed(zone.Path) {
		zoneStep(b).defaultZone(nil)
	}
	zoneStep(b).order()
	if r == catalog.Guests {
		b.persons()
	}
}

// take feeds a field with the columns that are its own.
func (b recordStep) take(field *schema.Field, line Line, columns ...*column) {
	c := columns[0]
	if field == catalog.GuestStatus() {
		if c = choiceStep(b).guestStates(c); c == nil {
			return
		}
	}
	if field.Kind == schema.Enum {
		choiceStep(b).values(field, &candidate{c, claim{basis: ByAlias, word: fold(c.header)}})
		return
	}
	b.set(field.Path, mapfile.Column{From: names(columns)}, line, columns...)
}

// clash asks which of two columns feeds a field that the headers of both name.
func (b recordStep) clash(c Clash) {
	both := []option{{columns: []*column{&b.all.columns[c.First]}}, {columns: []*column{&b.all.columns[c.Second]}}}
	if chosen, ok := b.choose(c.Field.Path, "which column feeds "+called(c.Field)+"?", both, false); ok {
		b.take(c.Field, chosen.line, chosen.columns...)
	}
}

func (b recordStep) fed(path string) bool {
	_, fed := b.p.File.Columns.Get(path)
	return fed
}

// currency asks for the currency of prices where neither a column nor the signs say it.
func (b recordStep) currency() {
	field, known := b.resource().ByPath("currency")
	price, _ := b.p.File.Columns.Get("price")
	if !known || len(price.From) != 1 || b.fed(field.Path) || b.asked(field.Path) {
		return
	}
	c := b.headed(price.From[0])[0]
	q := Question{
		ID: field.Path, Text: "in which currency are the prices of " + quoted(c.header) + "?", Why: examples([]*column{c}),
		Free:  "the code of another, such as chf",
		check: func(answer string) bool { return sayable(field, answer) },
	}
	for _, text := range c.distinct {
		_, fault := value.ReadPrice(text, "")
		if fault == nil || fault.Code != schema.CodeMissingValue {
			continue
		}
		q.Why = quoted(text) + " names none"
		for _, code := range value.CurrenciesOf(text) {
			if len(q.Choices) < mostAsked {
				q.Choices = append(q.Choices, Choice{code, ""})
			}
		}
		if answer, ok := b.ask(q, c); ok {
			b.set(field.Path, mapfile.Column{Value: strings.ToLower(answer)}, Line{Basis: ByAnswer, Reason: "answered"})
		}
		return
	}
}

// required asks for the column of a field that no row can do without. No cell says whether it is the one,
// so that there is no likeliest answer.
func (b recordStep) required(f *schema.Field) {
	q := Question{
		ID: f.Path, Text: "which column has the " + called(f) + " of the " + b.resource().One + "?", Why: "no header says it",
		Free:  "the header of another column",
		check: func(answer string) bool { c := b.headed(answer); return len(c) == 1 },
	}
	ofEvent := f.Path == b.resource().Parent
	var offered []*column
	for _, c := range b.free() {
		if !ofEvent || namesEvent(c) {
			offered = append(offered, c)
			q.Choices = append(q.Choices, Choice{c.header, examples([]*column{c})})
		}
	}
	if ofEvent {
		q.Choices = append(q.Choices, Choice{None, "all rows are of one event: say --set event=… with its key, its id or its slug"})
	}
	if answer, ok := b.ask(q, offered...); ok && answer != None {
		b.take(f, Line{Basis: ByAnswer, Reason: "answered"}, b.headed(answer)...)
	}
}

// fedByAnother returns the field of guests that a header names, which another column feeds; empty where it names none.
func fedByAnother(r *schema.Resource, header string) string {
	if f, ok := Field(r, header); ok {
		return f.Canonical().Path
	}
	if in("first name", header) || in("last name", header) {
		return "name"
	}
	return ""
}

// namesEvent reports whether a column may name the events that rows are of.
func namesEvent(c *column) bool {
	if c.blank() || c.most(valueDate, valueMoment, valueClock, valueSpan, valueHours, valueMoney, valueURL, valueMail) {
		return false
	}
	return slices.ContainsFunc(strings.Fields(fold(c.header)), func(word string) bool { return in("kind", word) })
}

// persons asks what becomes of rows with one address. Most are the tickets of one person, and some are those whom
// somebody has brought along, which no cell says.
func (b recordStep) persons() {
	email, _ := b.p.File.Columns.Get("email")
	if len(email.From) != 1 {
		return
	}
	c := b.headed(email.From[0])[0]
	if c.repeated == "" {
		return
	}
	const one = "one"
	answer, answered := b.ask(Question{
		ID: "group", Optional: true, Default: None,
		Text: "are rows with the same address in " + quoted(c.header) + " one guest?",
		Why:  quoted(c.repeated) + " stands in more than one row",
		Choices: []Choice{
			{None, "a guest of an event who has a second row is refused there"},
			{one, "one guest of an event, who has the tickets of all these rows, and the name in the first of them"},
		},
	})
	if !answered || answer != one {
		return
	}
	columns := []*column{c}
	if event, _ := b.p.File.Columns.Get(b.resource().Parent); len(event.From) == 1 {
		columns = append(b.headed(event.From[0]), c)
	}
	b.unkeyed()
	b.p.File.Group = names(columns)
	b.say("group", Line{Basis: ByAnswer, Reason: "answered"}, columns...)
}

// unkeyed leaves out the column that names the rows, which are tickets: a guest may have several.
func (b recordStep) unkeyed() {
	key := catalog.Path(schema.FieldKey)
	at := slices.IndexFunc(b.p.Lines, func(l Line) bool { return l.At == key })
	if at < 0 {
		return
	}
	for _, c := range b.headed(b.p.Lines[at].Columns[0]) {
		b.ignore(c, "a guest may have several tickets, and is known by the address")
	}
	b.p.Lines = slices.Delete(b.p.Lines, at, at+1)
	b.p.File.Columns = slices.DeleteFunc(b.p.File.Columns, func(item yamldoc.Item[mapfile.Column]) bool { return item.Key == key })
}
