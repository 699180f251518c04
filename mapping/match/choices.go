package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// choiceStep infers the fields that have a few values.
type choiceStep struct{ *builder }

// mostAsked is how many unknown values of one column are asked about. A column
// with more of them is another kind of column.
const mostAsked = 6

// choices finds the fields that have a few values.
func (b choiceStep) choices() {
	b.visibility()
	for _, f := range []struct {
		id       schema.ID
		semantic semantic
	}{
		{catalog.FieldRegistrationOpen, typeOpen},
		{catalog.FieldWaitlistStatus, typeWaitlist},
		{catalog.FieldShowGuestList, typeGuestList},
	} {
		path := catalog.Path(f.id)
		if c, ok := b.column(path, "which column feeds "+called(catalog.Field(f.id))+"?", nil, f.semantic); ok {
			s := b.of(c)
			b.values(catalog.Field(f.id), &s)
		}
	}
}

// visibility takes a column of words, or one of yes and no that says one of them.
func (b choiceStep) visibility() {
	c, ok := b.column("visibility", "which column says who may find the event?", b.byWords, typeVisibilityAll...)
	if !ok {
		return
	}
	s := b.of(c)
	if s.semantic != typePrivate && s.semantic != typePublic {
		b.values(catalog.Field(catalog.FieldVisibility), &s)
		return
	}
	// What is not private is left to the service's default, and what is not public
	// may be either of the two others.
	yes := "private"
	if s.semantic == typePublic {
		yes = "public"
	}
	if word, ok := meaning(catalog.Field(catalog.FieldVisibility), s.word); ok {
		yes = word // members only
	}
	var values yamldoc.Map[string]
	for _, v := range c.said() {
		truth, ok := truth(v)
		value := yes
		switch {
		case !ok:
			continue
		case truth == "false" && s.semantic == typePrivate:
			value = ""
		case truth == "false":
			if value, ok = b.value(catalog.Field(catalog.FieldVisibility), c, v); !ok {
				continue
			}
		}
		values = append(values, yamldoc.Item[string]{Key: v, Value: value})
	}
	column := mapfile.Column{From: mapfile.Names{c.header}}
	if marks := len(c.distinct) == 1 && len(values) == 1; marks && s.semantic == typePublic && c.filled < b.all.rows {
		if value, ok := b.value(catalog.Field(catalog.FieldVisibility), c, ""); ok {
			column.Default = value // a mark says yes, and none no
		}
	}
	line := b.reason("visibility", c)
	line.Reason += ", yes is " + yes
	column.Values = values
	b.set("visibility", column, line, c)
}

// allVisible asks who may find the events, where the file does not say: the platform shows them to everybody.
func (b choiceStep) allVisible() {
	if _, fed := b.p.File.Columns.Get("visibility"); fed || b.asked("visibility") || b.updates {
		return
	}
	q := Question{
		ID: "visibility", Text: "who may find the events?", Default: "public", Optional: true,
		Why: "no column says it, so that " + allRows(b.all.rows) + " would be the same; the platform shows events to everybody",
	}
	for _, v := range catalog.Field(catalog.FieldVisibility).Values {
		q.Choices = append(q.Choices, Choice{v, ""})
	}
	if answer, answered := b.ask(q); answered {
		b.set("visibility", mapfile.Column{Value: &answer}, Line{Basis: ByAnswer, Reason: "answered"})
	}
}

var typeVisibilityAll = []semantic{typeVisibility, typePrivate, typePublic}

// byWords offers columns whose words nearly all say who may find an event.
func (b choiceStep) byWords() []candidate {
	return b.unnamed(func(c *column) bool {
		return c.choice() && len(c.distinct) >= 2 && !c.most(valueBool) && !c.hasOne("status") &&
			c.meant(catalog.Field(catalog.FieldVisibility))*2 >= len(c.distinct)
	})
}

// values feeds a field that has a few values with a column of words for them.
func (b choiceStep) values(field *schema.Field, s *candidate) {
	path := field.Path
	var known, values yamldoc.Map[string]
	var unknown []string
	for _, v := range s.distinct {
		if sayable(field, v) && !(field.Kind == schema.Bool && s.foreign()) {
			continue // it says it in the service's own words
		}
		if value, ok := meaning(field, v); ok {
			known = append(known, yamldoc.Item[string]{Key: v, Value: value})
		} else {
			unknown = append(unknown, v)
		}
	}
	if s.many || len(unknown) > mostAsked {
		b.ignore(s.column, "named like "+path+", and its cells are not: "+quoted(strings.Join(unknown[:min(len(unknown), 3)], ", ")))
		return
	}
	line := reasonOf(s)
	if b.taken[path] {
		line.Basis, line.Score, line.Reason = ByAnswer, 0, "answered"
	}
	if len(known) > 0 {
		line.Reason += ", its words are known"
	}
	for _, item := range known {
		if value, ok := b.meant(field, s.column, item.Key, item.Value); ok {
			values = append(values, yamldoc.Item[string]{Key: item.Key, Value: value})
		}
	}
	for _, v := range unknown {
		if value, ok := b.value(field, s.column, v); ok {
			values = append(values, yamldoc.Item[string]{Key: v, Value: value})
		}
	}
	column := mapfile.Column{From: mapfile.Names{s.header}}
	if field.Kind == schema.Bool || field.ID == catalog.FieldWaitlistStatus {
		values = paired(field, values, &column)
	}
	slices.SortStableFunc(values, func(x, y yamldoc.Item[string]) int {
		return s.place(x.Key) - s.place(y.Key)
	})
	column.Values = values
	b.set(path, column, line, s.column)
}

// sayable reports whether a text is a value of a field in the service's own words.
func sayable(field *schema.Field, text string) bool {
	var set schema.Setting
	return value.Parse(field, &set, text) == nil
}

// paired adds the word for no to one for yes that stands alone, and the other way round: the
// next file is likely to have it. Where a mark is all there is, no mark means no.
func paired(field *schema.Field, values yamldoc.Map[string], c *mapfile.Column) yamldoc.Map[string] {
	has := func(text string) bool {
		return slices.ContainsFunc(values, func(v yamldoc.Item[string]) bool { return fold(v.Key) == fold(text) })
	}
	for _, item := range slices.Clone(values) {
		other := pairs()[fold(item.Key)]
		value, ok := meaning(field, other)
		switch {
		case other == "" && len(values) == 1 && field.Kind == schema.Bool && item.Value == "true":
			c.Default = "false"
		case other != "" && ok && !has(other):
			values = append(values, yamldoc.Item[string]{Key: likeCase(other, item.Key), Value: value})
		}
	}
	return values
}

// likeCase returns a word in the letter case of another.
func likeCase(word, model string) string {
	switch {
	case len(model) > 1 && strings.ToUpper(model) == model:
		return strings.ToUpper(word)
	case strings.ToLower(model) == model:
		return word
	}
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// blankValue is the answer that leaves a field alone.
const blankValue = "blank"

// value asks what a word stands for.
func (b choiceStep) value(field *schema.Field, c *column, word string) (value string, ok bool) {
	answer, answered := b.ask(b.wordQuestion(field, c, word), c)
	return unblank(answer), answered
}

// meant returns what a word that is known stands for, unless a person says something else.
func (b choiceStep) meant(field *schema.Field, c *column, word, known string) (value string, ok bool) {
	q := b.wordQuestion(field, c, word)
	q.Default = cmp.Or(known, blankValue)
	answer, answered := b.settle(q, c)
	return unblank(answer), answered
}

// unblank returns what an answer puts into a field.
func unblank(answer string) string {
	if answer == blankValue {
		return ""
	}
	return answer
}

func (b choiceStep) wordQuestion(field *schema.Field, c *column, word string) Question {
	q := Question{
		ID: field.Path + ":" + word, At: field.Path,
		Text: "what is " + quoted(word) + " of " + quoted(c.header) + " for " + called(field) + "?",
		Why:  said(c.times[word]),
	}
	options := field.Values
	if field.Kind == schema.Bool {
		options = []string{"true", "false"}
	}
	for _, v := range options {
		q.Choices = append(q.Choices, Choice{v, ""})
	}
	q.Choices = append(q.Choices, Choice{blankValue, "leave the field alone"})
	return q
}

func said(n int) string { return rowsOf(n) + " " + say(n) + " it" }

// say returns says or say, of so many rows.
func say(n int) string {
	if n == 1 {
		return "says"
	}
	return "say"
}

func allRows(n int) string {
	if n == 1 {
		return "the one row"
	}
	return "all " + rowsOf(n)
}

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return strconv.Itoa(n) + " rows"
}
