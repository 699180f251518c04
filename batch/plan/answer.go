package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// answer puts the ids of questions in the place of what the row calls them: their labels, or their
// ids. They are those of the record that the row refers to. ok means that there are such questions.
func (p *Planner) answer(op *Op, d *schema.Draft) (ok bool) {
	f := d.Resource.Answering()
	if f == nil || p.config.Listed == nil || d.Text(f.ID) == "" {
		return true
	}
	s := d.Get(f.ID)
	var list []map[string]json.RawMessage
	if json.Unmarshal([]byte(s.Text), &list) != nil {
		return true // the service says what it makes of it
	}
	labels, err := p.questions(op, d, f)
	if err != nil {
		op.Action, op.Reason = Blocked, err.Error()
		return false
	}
	for _, answer := range list {
		var word string
		if json.Unmarshal(answer["question"], &word) != nil {
			continue // it was written as the service has it
		}
		id, known := labels[strings.ToLower(word)]
		if !known {
			op.refuseAt(d, f.Path, schema.CodeKeyMissing, fmt.Sprintf("the %s has no question %q", f.Answers.One, word),
				"write the label of a question as the service has it, or its id")
			return false
		}
		answer["question_id"], _ = json.Marshal(id) // texts always encode
		delete(answer, "question")
	}
	text, _ := json.Marshal(list) // what came as JSON is JSON
	s.Text = string(text)
	return true
}

// questions returns the ids of the questions, by their labels and ids in small letters.
func (p *Planner) questions(op *Op, d *schema.Draft, f *schema.Field) (map[string]string, error) {
	labels := map[string]string{}
	for i := range d.Settings {
		if d.Settings[i].Field.Field().Refers != f.Answers {
			continue
		}
		found, err := p.config.Listed(f.Answers, &Event{Calendar: op.Event.Calendar, ID: d.Settings[i].Text})
		if err != nil || found == nil {
			return labels, err
		}
		var asked []struct{ ID, Label string }
		_ = json.Unmarshal(found.Values["registration_questions"], &asked) // without any, there are none
		for _, question := range asked {
			labels[strings.ToLower(question.Label)] = question.ID
		}
		for _, question := range asked {
			labels[strings.ToLower(question.ID)] = question.ID
		}
	}
	return labels, nil
}
