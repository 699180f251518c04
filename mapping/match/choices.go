package match

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// mostAsked is how many unknown values of one column are asked about. A column
// with more of them is another kind of column.
const mostAsked = 6

// choices finds the fields that have a few values.
func (b *builder) choices() {
	b.visibility()
	for _, f := range []struct {
		id   schema.ID
		role role
	}{
		{schema.FieldRegistrationOpen, roleOpen},
		{schema.FieldWaitlistStatus, roleWaitlist},
		{schema.FieldShowGuestList, roleGuestList},
	} {
		path := f.id.Path()
		if c, ok := b.column(path, "which column feeds "+path+"?", nil, f.role); ok {
			b.values(f.id, &settled{c, b.claimOf(c)})
		}
	}
}

func (b *builder) claimOf(c *column) claim {
	for _, s := range b.settled {
		if s.column == c {
			return s.claim
		}
	}
	return claim{basis: ByValues}
}

// visibility takes a column of words, or one of yes and no that says one of them.
func (b *builder) visibility() {
	c, ok := b.column("visibility", "which column says who may find the event?", b.byWords, roleVisibilityAll...)
	if !ok {
		return
	}
	s := settled{c, b.claimOf(c)}
	if s.role != rolePrivate && s.role != rolePublic {
		b.values(schema.FieldVisibility, &s)
		return
	}
	// What is not private is left to the service's default, and what is not public
	// may be either of the two others.
	yes := "private"
	if s.role == rolePublic {
		yes = "public"
	}
	if w := s.word; strings.Contains(w, "member") || strings.Contains(w, "mitglied") || strings.Contains(w, "socios") ||
		strings.Contains(w, "membres") {
		yes = "members-only"
	}
	var values yamldoc.Map[string]
	for _, v := range c.said() {
		truth, ok := meaning(schema.FieldRegistrationOpen, v)
		value := yes
		switch {
		case !ok:
			continue
		case truth == "false" && s.role == rolePrivate:
			value = ""
		case truth == "false":
			if value, ok = b.value(schema.FieldVisibility.Field(), c, v); !ok {
				continue
			}
		}
		values = append(values, yamldoc.Item[string]{Key: v, Value: value})
	}
	line := b.reason("visibility", c)
	line.Reason += ", yes is " + yes
	b.set("visibility", mapfile.Column{From: mapfile.Names{c.header}, Values: values}, line, c)
}

var roleVisibilityAll = []role{roleVisibility, rolePrivate, rolePublic}

// said lists the different values, and those that later files are likely to have.
func (c *column) said() []string {
	if len(c.distinct) == 0 {
		return []string{"true", "false"}
	}
	return c.distinct
}

// byWords offers columns whose words nearly all say who may find an event.
func (b *builder) byWords() []settled {
	var found []settled
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if b.used[i] || b.about[i] || b.known(c) || c.header == "" || c.twice || !c.choice() || len(c.distinct) < 2 || c.most(shapeBool) {
			continue
		}
		if c.meant(schema.FieldVisibility)*2 >= len(c.distinct) && !c.choiceOf(statuses) {
			found = append(found, settled{c, claim{basis: ByValues}})
		}
	}
	return found
}

// values feeds a field that has a few values with a column of words for them.
func (b *builder) values(id schema.ID, s *settled) {
	field, path := id.Field(), id.Path()
	var values yamldoc.Map[string]
	var unknown []string
	for _, v := range s.distinct {
		var set schema.Setting
		if field.Parse(&set, v) == nil {
			continue // it says it in the service's own words
		}
		if value, ok := meaning(id, v); ok {
			values = append(values, yamldoc.Item[string]{Key: v, Value: value})
		} else {
			unknown = append(unknown, v)
		}
	}
	if s.many || len(unknown) > mostAsked {
		b.ignore(s.column, "named like "+path+", and its cells are not: "+quoted(strings.Join(unknown[:min(len(unknown), 3)], ", ")))
		return
	}
	line := reasonOf(path, s)
	if b.taken[path] {
		line.Basis, line.Score, line.Reason = ByAnswer, 0, "answered"
	}
	if len(values) > 0 {
		line.Reason += ", its words are known"
	}
	for _, v := range unknown {
		if value, ok := b.value(field, s.column, v); ok {
			values = append(values, yamldoc.Item[string]{Key: v, Value: value})
		}
	}
	slices.SortStableFunc(values, func(x, y yamldoc.Item[string]) int {
		return slices.Index(s.distinct, x.Key) - slices.Index(s.distinct, y.Key)
	})
	b.set(path, mapfile.Column{From: mapfile.Names{s.header}, Values: values}, line, s.column)
}

// blankValue is the answer that leaves a field alone.
const blankValue = "blank"

// value asks what a word stands for.
func (b *builder) value(field *schema.Field, c *column, word string) (value string, ok bool) {
	q := Question{
		ID: field.Path + ":" + word, At: field.Path,
		Text: "what is " + quoted(word) + " of " + quoted(c.header) + " for " + field.Path + "?",
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
	answer, answered := b.ask(q, c)
	if answer == blankValue {
		answer = ""
	}
	return answer, answered
}

func said(n int) string {
	if n == 1 {
		return "1 row says it"
	}
	return rowsOf(n) + " say it"
}

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return strconv.Itoa(n) + " rows"
}

// status leaves out the rows of events that do not take place.
func (b *builder) status() {
	for _, s := range b.having(roleStatus) {
		var off []string
		for _, v := range s.distinct {
			if slices.Contains(cancelled, fold(v)) {
				off = append(off, strconv.Quote(v))
			}
		}
		if len(off) == 0 || b.p.File.Filter != "" {
			b.ignore(s.column, "an event has no status")
			continue
		}
		b.p.File.Filter = whole(s.column) + " not in [" + strings.Join(off, ", ") + "]"
		b.say("filter", Line{Basis: ByValues, Reason: "rows of events that do not take place are left out"}, s.column)
	}
}
