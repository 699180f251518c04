package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
)

// question is what a record of the service asks people (service: RegistrationQuestion).
type question struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Type    string   `json:"question_type"`
	Options []string `json:"options"`
}

// answers are those of a row, to the questions of one record.
type answers struct {
	*row

	field *schema.Field
	list  []map[string]json.RawMessage // as the row has them
	asked []question
}

// answersOf returns the answers of a row, nil where it has none that could be looked into. ok means
// that the questions are known.
func answersOf(r *row) (a *answers, ok bool) {
	f := r.d.Resource.Answering()
	if f == nil || r.config.Asked == nil || r.d.Text(f.ID) == "" || r.d.Get(f.ID).Untouched {
		return nil, true
	}
	a = &answers{row: r, field: f}
	if json.Unmarshal([]byte(r.d.Text(f.ID)), &a.list) != nil {
		return nil, true // the service says what it makes of it
	}
	if r.op.Event.Parent == "" && len(r.op.After) > 0 {
		event := r.above.relatives.of(r.op.After[0])
		_ = json.Unmarshal([]byte(event.questions), &a.asked) // its row was checked
		return a, true
	}
	of := &Event{Calendar: r.op.Event.Calendar, ID: r.op.Event.Parent}
	for i := range r.d.Settings {
		if catalog.Field(r.d.Settings[i].Field).Refers == f.Answers {
			of.ID = r.d.Settings[i].Text
		}
	}
	asked, err := r.config.Asked(f.Answers, of)
	if err != nil {
		r.hold(err.Error())
		return nil, false
	}
	_ = json.Unmarshal(asked, &a.asked) // without any, there are none
	return a, true
}

// answer puts the ids of questions in the place of what the row calls them: their labels, or their
// ids. ok means that there are such questions, and that their answers are possible.
func answer(r *row) (ok bool) {
	a, ok := answersOf(r)
	if a == nil {
		return ok
	}
	given := map[string]bool{}
	for i := range a.list {
		problem := a.resolve(i)
		var id string
		if _ = json.Unmarshal(a.list[i]["question_id"], &id); problem == nil && given[id] && id != "" {
			problem = a.problem(i, schema.CodeDuplicateField, "the question is answered in another column too", "keep one of the two")
		}
		if given[id] = true; problem != nil {
			r.op.Action, r.op.Reason, ok = Invalid, problem.Message, false
			r.op.Problems = append(r.op.Problems, *problem)
		}
	}
	a.keep()
	return ok
}

// keep makes the row say its answers as the service has them.
func (a *answers) keep() {
	text, _ := json.Marshal(a.list) // what came as JSON is JSON
	a.d.Get(a.field.ID).Text = string(text)
}

// resolve brings one answer into the form of the service; it returns what is wrong with it.
func (a *answers) resolve(i int) *schema.Problem {
	var word, text string
	if json.Unmarshal(a.list[i]["question"], &word) != nil {
		return nil // it was written as the service has it
	}
	_ = json.Unmarshal(a.list[i]["answer"], &text) // a text is a text
	q := a.question(word)
	if q == nil {
		return a.unasked(i, word)
	}
	delete(a.list[i], "question")
	a.list[i]["question_id"], _ = json.Marshal(q.ID) // texts always encode
	if len(q.Options) == 0 {
		return nil
	}
	items := []string{text}
	if q.Type == "multi-select" && q.option(text) == "" {
		items = strings.Split(text, ";")
	}
	for n, item := range items {
		option := q.option(item)
		if option == "" {
			hint := spelling.DidYouMean(strings.TrimSpace(item), q.Options)
			if hint == "" {
				hint = "write one of " + strings.Join(q.Options, ", ")
			}
			return a.problem(i, schema.CodeBadEnum,
				fmt.Sprintf("%q is no option of the question %q", strings.TrimSpace(item), q.Label), hint)
		}
		items[n] = option
	}
	if a.list[i]["answer"], _ = json.Marshal(items[0]); q.Type == "multi-select" {
		a.list[i]["answer"], _ = json.Marshal(items)
	}
	return nil
}

// unasked says that there is no such question.
func (a *answers) unasked(i int, word string) *schema.Problem {
	if a.op.Event.Parent == "" && len(a.op.After) > 0 && len(a.asked) == 0 {
		return a.problem(i, schema.CodeKeyMissing, fmt.Sprintf("its event is new, and its row asks no question %q", word),
			"write the question into "+catalog.Path(catalog.FieldRegistrationQuestions)+" of the event, or leave the cell blank")
	}
	var labels []string
	for _, q := range a.asked {
		labels = append(labels, q.Label)
	}
	hint := spelling.DidYouMean(word, labels)
	if hint == "" {
		hint = "write the label of a question as the service has it, or its id"
	}
	return a.problem(i, schema.CodeKeyMissing, fmt.Sprintf("the %s has no question %q", a.field.Answers.One, word), hint)
}

// problem returns a problem at the cell of an answer.
func (a *answers) problem(i int, code schema.Code, message, hint string) *schema.Problem {
	problem := problemAt(a.d, a.field.Path, code, message, hint)
	_ = json.Unmarshal(a.list[i]["answer"], &problem.Value)
	if i < len(a.d.Answered) {
		problem.Place.Column = a.d.Answered[i]
	}
	return &problem
}

// question returns the question that a word means, by its id or its label; nil where there is none.
func (a *answers) question(word string) *question {
	for _, called := range []func(q question) string{
		func(q question) string { return q.ID }, func(q question) string { return strings.TrimSpace(q.Label) },
	} {
		if i := slices.IndexFunc(a.asked, func(q question) bool { return strings.EqualFold(called(q), word) }); i >= 0 {
			return &a.asked[i]
		}
	}
	return nil
}

// option returns the option that a text means, in whatever letters; empty where there is none.
func (q *question) option(text string) string {
	for _, option := range q.Options {
		if strings.EqualFold(strings.TrimSpace(option), strings.TrimSpace(text)) {
			return option
		}
	}
	return ""
}

// answered warns, at their cells, of answers that a record which is there does not have: they go
// with its addition alone. It reports whether the row goes further.
func answered(r *row) bool {
	a, ok := answersOf(r)
	if a == nil {
		return ok
	}
	has, list := map[string]string{}, r.live.Values[a.field.Read()]
	for _, one := range value.AnswersIn(list) {
		has[one.ID] = one.Cell()
	}
	for i := range a.list {
		var answer value.Answer
		_ = a.resolve(i) // what is not asked was not answered
		item, _ := json.Marshal(a.list[i])
		_ = json.Unmarshal(item, &answer) // in a shape that nobody knows, it was not given
		is, known := has[answer.ID]
		if known && is == answer.Cell() {
			continue
		}
		words := "without an answer"
		switch {
		case known:
			words = fmt.Sprintf("with %q", is)
		case len(has) == 0 && string(list) != "[]":
			words = "with answers that the service does not tell"
		}
		message := r.d.Resource.Some() + " answers when added, and never again: this one is there " + words + ", and the cell is left out"
		r.op.Problems = append(r.op.Problems, *a.problem(i, schema.CodeFieldLeftOut, message, "leave the cell as it was"))
	}
	a.keep()
	return true
}
