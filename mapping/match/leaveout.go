package match

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// status settles what becomes of rows that are not to be made as the others are: those of events that do not
// take place, of drafts, of what is sold out, of guests who were refunded. A column of states that says that an
// event does not take place leaves it out; anything else is asked.
func (b choiceStep) status() {
	for i := range b.all.columns {
		c := &b.all.columns[i]
		switch {
		case c.header == "" || c.twice:
		case b.names(c):
			b.named(c)
		case b.tells(c):
			b.told(c)
		case !b.used[i] && !b.about[i]:
			b.states(c)
		}
	}
}

// states settles the rows of a column that says what becomes of them.
func (b choiceStep) states(c *column) {
	gate := GateOf(b.resource(), c.header)
	cl, known := b.claims[c.index]
	isStatus := known && cl.semantic == typeStatus
	if gate == nil || c.most(valueDate, valueMoment) {
		return
	}
	if b.again(c, gate) {
		return
	}
	var off, doubtful, held []string
	for _, v := range slices.Concat(c.distinct, c.stated) {
		switch s := gate.State(v); {
		case s == Off && (isStatus || gate.polarity == callOff) && b.resource().Takes(schema.Cancel):
			off = append(off, v)
		case s == Off && b.resource().Takes(schema.Cancel), s == Doubt:
			doubtful = append(doubtful, v)
		case s != Stated:
			held = append(held, v)
		}
	}
	if marks := gate.polarity == shows && c.flags() && len(c.distinct) == 1; marks && c.filled < b.all.rows &&
		gate.State(c.distinct[0]) == Stated {
		held = append(held, "") // a mark says yes, and none no
	}
	if len(doubtful) > 0 {
		if skip, _ := b.takesPlace(c, doubtful); skip {
			off = append(off, doubtful...)
		}
	}
	if len(held) > 0 {
		off = append(off, b.held(c, held, signOf)...)
	}
	b.leaveOut(c, off)
	if len(off)+len(doubtful)+len(held) == 0 && isStatus {
		b.ignore(c, "an event has no status")
	}
}

// guestStates asks about the rows of guests who do not come, before their states are read. It returns the column
// with the states of the others, nil where that is not answered yet.
func (b choiceStep) guestStates(c *column) *column {
	var off []string
	for _, v := range slices.Concat(c.distinct, c.stated) {
		if Absent(v) {
			off = append(off, v)
		}
	}
	if len(off) == 0 {
		return c
	}
	switch skip, answered := b.takesPlace(c, off); {
	case !answered:
		return nil
	case !skip:
		return c
	}
	others := *c
	others.distinct = slices.DeleteFunc(slices.Clone(c.distinct), func(v string) bool { return slices.Contains(off, v) })
	b.leaveOut(c, off)
	return &others
}

// named asks about names that say that the event is not to be made as the others are, or that it takes place more than once.
func (b choiceStep) named(c *column) {
	var doubtful []string
	told := slices.ContainsFunc(b.all.columns, func(o column) bool { return GateOf(b.resource(), o.header).Rhythms() })
	for _, v := range slices.Concat(c.distinct, c.stated) {
		switch state := NameState(v); {
		case state == Again && (c.times[v] > 1 || told): // each time has a row of its own, or a column has the rhythm
			b.marked(c, []string{v})
		case state != Unmarked:
			doubtful = append(doubtful, v)
		}
	}
	if len(doubtful) > 0 {
		b.leaveOut(c, b.held(c, doubtful, NameState))
	}
}

// told asks about texts that begin by calling the event off.
func (b choiceStep) told(c *column) {
	off := slices.DeleteFunc(slices.Concat(c.distinct, c.stated), func(v string) bool { return !CallsOff(v) })
	if len(off) == 0 {
		return
	}
	switch skip, answered := b.takesPlace(c, off); {
	case skip:
		b.leaveOut(c, off)
	case answered:
		b.p.File.Marked = append(b.p.File.Marked, off...)
	}
}

// leaveOut leaves the rows with some values of a column out.
func (b choiceStep) leaveOut(c *column, off []string) {
	if len(off) == 0 {
		return
	}
	reason := "rows of events that do not take place are left out"
	asked := func(q Question) bool {
		prefix, header, _ := strings.Cut(q.ID, ":")
		return header == c.header && slices.Contains(about[:], prefix)
	}
	if !b.resource().Takes(schema.Cancel) || slices.ContainsFunc(slices.Concat(b.p.Settled, b.p.Questions), asked) {
		reason = "such rows are left out"
	}
	b.filter(c, off, Line{Basis: ByValues, Reason: reason})
}

// filter leaves the rows with some values of a column out, and says why.
func (s *sketch) filter(c *column, off []string, line Line) {
	s.outBy(c, off)
	filter := among(whole(c), notIn, off)
	if before := s.p.File.Filter; before != "" {
		filter = before + " && " + filter
	}
	s.p.File.Filter = filter
	s.say("filter", line, c)
}

// takesPlace asks about rows that may be of events that do not take place. It reports whether they
// are left out.
func (b choiceStep) takesPlace(c *column, values []string) (skip, answered bool) {
	text := " events that do not take place?"
	if !b.resource().Takes(schema.Cancel) {
		text = " " + b.resource().Name + " who do not come?"
	}
	answer, answered := b.ask(Question{
		ID: "filter:" + c.header, At: "filter", Default: mapfile.HiddenSkip,
		Text:    "are rows with " + strings.Join(values, ", ") + " in " + quoted(c.header) + text,
		Why:     said(c.timesOf(values)),
		Choices: []Choice{{mapfile.HiddenSkip, "such rows are left out"}, {mapfile.HiddenRead, b.likeOthers()}},
		Optional: b.resource().Takes(schema.Cancel) && !slices.ContainsFunc(values, func(v string) bool {
			return stateOf(b.resource(), v, false) != Off
		}),
	}, c)
	if answer == "" {
		b.outBy(c, values)
	}
	return answer == mapfile.HiddenSkip, answered
}

func (b choiceStep) likeOthers() string { return "they are " + b.resource().Name + " like the others" }

// held asks what becomes of rows that are perhaps not for everybody, or not yet, by the signs that
// their values are. It returns the values whose rows are left out.
func (b choiceStep) held(c *column, values []string, sign func(string) Sign) (off []string) {
	var private []string
	for m := Again; m > Unmarked; m-- {
		alike := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return sign(v) != m })
		if len(alike) == 0 {
			continue
		}
		switch answer := b.heldAs(m, c, alike); answer {
		case mapfile.HiddenSkip:
			off = append(off, alike...)
		case asPrivate:
			private = append(private, alike...)
			b.marked(c, alike)
		case mapfile.HiddenRead:
			if b.marked(c, alike); !b.used[c.index] {
				b.ignore(c, "its rows are like the others")
			}
		case "":
			b.outBy(c, alike)
		default:
			b.unroll(c, b.headed(answer)[0])
		}
	}
	if len(private) > 0 {
		b.set(
			"visibility", mapfile.Column{Expr: among(whole(c), isIn, private) + ` ? "private" : ""`},
			Line{Basis: ByAnswer, Reason: "answered"}, c,
		)
	}
	return off
}

// marked has rows made whose names say a state.
func (b choiceStep) marked(c *column, values []string) {
	for _, v := range values {
		if v = strings.TrimSpace(v); NameState(v) != Unmarked && b.names(c) {
			b.p.File.Marked = append(b.p.File.Marked, v)
		}
	}
}

// names reports whether the events have their names in the column.
func (b choiceStep) names(c *column) bool {
	name, _ := b.p.File.Columns.Get("name")
	return len(name.From) == 1 && c.header == name.From[0] && b.resource().Takes(schema.Cancel)
}

// tells reports whether the events have a text from the column: their description, their address.
func (b choiceStep) tells(c *column) bool {
	return b.resource().Takes(schema.Cancel) && slices.ContainsFunc(b.p.File.Columns, func(item yamldoc.Item[mapfile.Column]) bool {
		f, ok := b.resource().ByPath(item.Key)
		return ok && f.Kind.Textual() && slices.Contains(item.Value.From, c.header)
	})
}

const asPrivate = "private" // an answer

// heldAs asks about the rows with values of one sign, and returns the answer. Words that can only mean that an event does not
// take place, or not yet, are an answer of their own, which a person may change. What is sold out is asked about: made like the
// others it would have seats.
func (b choiceStep) heldAs(m Sign, c *column, values []string) string {
	shown := make([]string, len(values))
	n := 0
	for i, v := range values {
		n += c.times[v]
		if shown[i] = quoted(shorten(v)); v == "" {
			shown[i], n = "no mark", n+b.all.rows-c.filled
		}
	}
	if more := len(shown) - mostAsked; more > 0 {
		shown = append(shown[:mostAsked], strconv.Itoa(more)+" more")
	}
	q := Question{
		ID: about[m] + ":" + c.header, At: "filter", Default: mapfile.HiddenSkip, Why: said(n),
		Text:    "what becomes of rows with " + strings.Join(shown, ", ") + " in " + quoted(c.header) + "?",
		Choices: []Choice{{mapfile.HiddenSkip, "they are left out"}, {mapfile.HiddenRead, b.likeOthers()}},
	}
	if m == Full && b.resource().Takes(schema.Cancel) {
		q.Default = mapfile.HiddenRead // it takes place
	}
	_, fed := b.p.File.Columns.Get("visibility")
	if m == Again {
		b.offerDays(&q, c, values)
	} else if b.resource().Takes(schema.Cancel) && !fed && !b.asked("visibility") {
		q.Choices = append(q.Choices, Choice{asPrivate, "they are made, and shown to nobody who is not invited"})
	}
	gate := GateOf(b.resource(), c.header)
	unknown := func(v string) bool { return gate.State(v) == Stated || gate.unknown(v) }
	if 2*n > b.all.rows && !b.names(c) && slices.ContainsFunc(values, unknown) {
		q.Default = "" // what most rows say is not left out because nobody knows the word
	}
	place := in("shown or held online", c.header) // no may mean a draft, or that it takes place in a hall
	q.Optional = b.resource().Takes(schema.Cancel) && m == NotNow && !place && !slices.ContainsFunc(values, func(v string) bool {
		if b.names(c) {
			at, _ := signIn(v)
			return at < 0 // a draft of players
		}
		return unknown(v)
	})
	answer, _ := b.ask(q, c)
	return answer
}

func total(times map[string]int, texts []string) int {
	n := 0
	for _, text := range texts {
		n += times[text]
	}
	return n
}

// among is an expression for whether a cell is one of some texts, or not in them, in whatever letter case.
func among(expr, in string, texts []string) string {
	var list []string
	for _, text := range texts {
		if text = strconv.Quote(compared(text)); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return comparing(expr) + in + "[" + strings.Join(list, ", ") + "]"
}

const (
	isIn  = " in "
	notIn = " not in "
)

// comparing is an expression for a text as [among] compares it, which compared returns of a text.
func comparing(expr string) string { return "lower(trim(" + expr + "))" }

func compared(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// amongOf returns the texts that an expression compares another with by [among].
func amongOf(filter, expr, in string) (texts []string) {
	for {
		_, behind, found := strings.Cut(filter, comparing(expr)+in)
		var list []string
		if !found || json.NewDecoder(strings.NewReader(behind)).Decode(&list) != nil {
			return texts
		}
		texts, filter = append(texts, list...), behind
	}
}
