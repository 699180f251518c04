package match

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// None is the answer that a field is fed by nothing.
const None = "none"

// Question is something that the file does not say.
type Question struct {
	ID      string   `json:"id"`                // what --answer calls it
	At      string   `json:"-"`                 // line of the mapping that it decides
	Text    string   `json:"text"`              // what is asked
	Why     string   `json:"why"`               // what was found
	Columns []string `json:"columns"`           // headers
	Choices []Choice `json:"choices"`           // answers
	Free    string   `json:"free,omitempty"`    // what other answers may be, empty where the choices are all
	Default string   `json:"default,omitempty"` // the value of the choice that is likeliest; empty where none is
	// Refused is a question that no answer settles: Free tells what to do with the file.
	Refused  bool `json:"-"`
	Optional bool `json:"optional"` // the mapping works without an answer, by the default

	check func(answer string) bool // of Free
	// find returns the values that a text may stand for, and reports whether it names them;
	// nil where an answer has to be a value.
	find func(text string) (values []string, named bool)
}

// Choice is a possible answer.
type Choice struct {
	Value string `json:"value"`
	Text  string `json:"text,omitempty"` // what it means; empty where the value says it
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
	if q.find != nil {
		if found, named := q.find(answer); named && len(found) == 1 {
			return found[0], true
		}
	}
	if q.Free != "" && !q.Refused && q.check(answer) {
		return answer, true
	}
	return "", false
}

// Offers lists the answers that a text may stand for which is none by itself: the zones of a
// country, where a zone is asked for.
func (q *Question) Offers(text string) []Choice {
	if q.find == nil {
		return nil
	}
	found, _ := q.find(text)
	choices := make([]Choice, len(found))
	for i, value := range found {
		choices[i].Value = value
	}
	return choices
}

// Takes lists what the question takes.
func (q *Question) Takes() []string {
	var words []string
	for _, c := range q.Choices {
		words = append(words, c.Value)
	}
	if q.Free != "" {
		words = append(words, q.Free)
	}
	return words
}

// called is what a person calls a field: seats, start.
func called(f *schema.Field) string { return strings.ToLower(f.Title()) }

// inquiry asks what the columns leave open, and knows the answers.
type inquiry struct {
	sketch

	taken map[string]bool // ids of answers that a question took
}

// settle returns the default of a question, which the file answers, unless a person answers it.
func (i *inquiry) settle(q Question, columns ...*column) (answer string, answered bool) {
	if _, given := i.config.Answers[q.ID]; given {
		return i.ask(q, columns...)
	}
	q.about(columns)
	i.p.Settled = append(i.p.Settled, q)
	return q.Default, true
}

// about notes the columns that a question is about.
func (q *Question) about(columns []*column) {
	for _, c := range columns {
		if c.header != "" && !slices.Contains(q.Columns, c.header) {
			q.Columns = append(q.Columns, c.header)
		}
	}
	if q.At == "" {
		q.At = q.ID
	}
}

// ask returns the answer to a question, or leaves it open: once for each id, as one answer is for all that asked for it.
func (i *inquiry) ask(q Question, columns ...*column) (answer string, answered bool) {
	q.about(columns)
	if given, ok := i.config.Answers[q.ID]; ok {
		if answer, ok := q.Accepts(given); ok {
			if q.Default = answer; !i.taken[q.ID] {
				i.p.Settled = append(i.p.Settled, q)
			}
			i.taken[q.ID] = true
			return answer, true
		}
	}
	open := func(o Question) bool { return o.ID == q.ID }
	if n := slices.IndexFunc(i.p.Questions, open); n >= 0 { // a text of two columns that feed one field
		i.p.Questions[n].about(columns)
	} else {
		i.p.Questions = append(i.p.Questions, q)
		if !q.Optional {
			i.p.File.Open = append(i.p.File.Open, yamldoc.Item[string]{Key: q.ID, Value: flat(q.Text)})
		}
	}
	for _, c := range columns {
		if !i.used[c.index] {
			i.about[c.index] = true
		}
	}
	if q.Optional {
		return q.Default, false
	}
	return "", false
}

// option is a choice of columns for a field.
type option struct {
	columns  []*column
	line     Line
	sure     bool // it needs no question
	elsewise bool // it may be it, and most likely is not
	likely   bool // it is what an answer most likely is, though others are possible
	rank     int  // how sure, 0 the surest
}

// optionsOf makes an option of each column.
func optionsOf(found []candidate) []option {
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

// choose settles which of several options feeds a field: the only one, or what a person names.
func (i *inquiry) choose(path, text string, options []option, sure bool) (chosen option, ok bool) {
	q := Question{ID: path, Text: text}
	var columns []*column
	for _, o := range options {
		q.Choices = append(q.Choices, Choice{o.value(), examples(o.columns)})
		columns = append(columns, o.columns...)
	}
	if !i.needs(path) {
		q.Choices = append(q.Choices, Choice{None, "no column feeds " + path})
	}
	q.Free, q.check = "the header of another column", func(answer string) bool { return i.headed(answer) != nil }
	switch {
	case len(options) > 0 && (len(options) == 1 || options[0].likely):
		q.Why = cmp.Or(options[0].line.Reason, "by what it holds, "+quoted(options[0].value())+" may be it")
		if q.Default = options[0].value(); options[0].elsewise {
			q.Default = None
		}
	case len(options) > 1:
		q.Why = "more than one column could"
	default:
		q.Why = "no column looks like it"
	}
	if _, given := i.config.Answers[path]; len(options) == 1 && sure && !given {
		for _, c := range columns {
			q.Columns = append(q.Columns, c.header)
		}
		i.p.Settled = append(i.p.Settled, q)
		return options[0], true
	}
	answer, answered := i.ask(q, columns...)
	if !answered {
		return option{}, false
	}
	line := Line{Basis: ByAnswer, Reason: "answered"}
	for _, o := range options {
		if o.value() == answer {
			o.line = line
			return o, true
		}
	}
	if answer != None {
		return option{columns: i.headed(answer), line: line}, true
	}
	for _, c := range columns {
		i.ignore(c, "answered: it does not feed "+path)
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

// asked reports whether a question about a field is open.
func (i *inquiry) asked(id string) bool {
	return slices.ContainsFunc(i.p.Questions, func(q Question) bool { return q.ID == id })
}
