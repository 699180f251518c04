package match

import (
	"cmp"
	"slices"
	"strings"
)

// None is the answer that a field is fed by nothing.
const None = "none"

// Question is something that the file does not say.
type Question struct {
	ID      string // what --answer calls it
	At      string // line of the mapping that it decides
	Text    string // without a question mark's hint
	Why     string // what was found
	Columns []string
	Choices []Choice
	// Free tells what other answers may be, empty where the choices are all.
	Free string
	// Default is the value of the choice that is likeliest; empty where none is.
	Default string
	// Optional is a question without whose answer the mapping works: Default holds.
	Optional bool

	check func(answer string) bool // of Free
}

// Choice is a possible answer.
type Choice struct {
	Value string
	Text  string // what it means; empty where the value says it
}

// Accepts returns the answer as it is meant, and reports whether it is one.
func (q *Question) Accepts(answer string) (string, bool) {
	answer = strings.TrimSpace(answer)
	for _, c := range q.Choices {
		if c.Value == answer {
			return c.Value, true
		}
	}
	for _, c := range q.Choices {
		if fold(c.Value) == fold(answer) && fold(answer) != "" {
			return c.Value, true
		}
	}
	if q.Free != "" && q.check(answer) {
		return answer, true
	}
	return "", false
}

// ask returns the answer to a question, or leaves it open.
func (b *builder) ask(q Question, columns ...*column) (answer string, answered bool) {
	for _, c := range columns {
		if c.header != "" && !slices.Contains(q.Columns, c.header) {
			q.Columns = append(q.Columns, c.header)
		}
	}
	if q.At == "" {
		q.At = q.ID
	}
	if given, ok := b.config.Answers[q.ID]; ok {
		if answer, ok := q.Accepts(given); ok {
			b.taken[q.ID] = true
			return answer, true
		}
	}
	b.p.Questions = append(b.p.Questions, q)
	for _, c := range columns {
		if !b.used[c.index] {
			b.about[c.index] = true
		}
	}
	if q.Optional {
		return q.Default, false
	}
	return "", false
}

// option is a choice of columns for a field.
type option struct {
	columns []*column
	line    Line
	sure    bool // it needs no question
	rank    int  // how sure, 0 the surest
}

// optionsOf makes an option of each column.
func optionsOf(found []settled) []option {
	options := make([]option, len(found))
	for i := range found {
		options[i] = option{columns: []*column{found[i].column}, line: reasonOf(&found[i])}
	}
	return options
}

func (o *option) value() string {
	names := make([]string, len(o.columns))
	for i, c := range o.columns {
		names[i] = c.header
	}
	return strings.Join(names, " + ")
}

// choose settles which of several options feeds a field: the only one, or the
// one that a person names.
func (b *builder) choose(path, text string, options []option, sure, optional bool) (chosen option, ok bool) {
	if len(options) == 1 && sure {
		if _, given := b.config.Answers[path]; !given {
			return options[0], true
		}
	}
	q := Question{ID: path, Text: text, Optional: optional}
	var columns []*column
	for _, o := range options {
		q.Choices = append(q.Choices, Choice{o.value(), examples(o.columns)})
		columns = append(columns, o.columns...)
	}
	q.Choices = append(q.Choices, Choice{None, "no column feeds " + path})
	switch {
	case len(options) > 1:
		q.Why = "more than one column could"
	case len(options) == 1:
		q.Why = cmp.Or(options[0].line.Reason, "by what it holds, "+quoted(options[0].value())+" may be it")
		q.Default = options[0].value()
	default:
		q.Why = "no column looks like it"
	}
	answer, answered := b.ask(q, columns...)
	if !answered {
		return option{}, false
	}
	for _, o := range options {
		if o.value() == answer {
			o.line = Line{Basis: ByAnswer, Reason: "answered"}
			return o, true
		}
	}
	for _, c := range columns {
		b.ignore(c, "answered: it does not feed "+path)
	}
	return option{}, false
}

// examples shows what columns hold.
func examples(columns []*column) string {
	var texts []string
	for _, c := range columns {
		if len(c.examples) > 0 {
			texts = append(texts, shorten(c.examples[0]))
		}
	}
	if len(texts) == 0 {
		return "no cell is filled"
	}
	return "such as " + strings.Join(texts, " ")
}

func shorten(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
