package batch

import (
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// labels are what the columns of an export call the questions of its events: by their labels, which
// are looked up by the event and the id of the question. Those whose label does not tell them from
// the others of the event go by their ids, and so do those of an event that does not tell them.
type labels map[[2]string]string

// Questions returns what the columns with the answers of the resource's records call their questions, in
// the order in which the records answer them. It comes before [Exported.Records].
func (e *Exported) Questions(resource *schema.Resource) (questions []string, err error) {
	f := resource.Answering()
	if f == nil {
		return nil, nil
	}
	e.labels = labels{}
	if f.Answers.Keyed() {
		if err := e.label(); err != nil {
			return nil, err
		}
	}
	for r, err := range e.Records(resource) {
		if err != nil {
			return nil, err
		}
		for _, said := range value.AnswersSaid(r.Draft.Text(f.ID)) {
			if !slices.Contains(questions, said.Question) {
				questions = append(questions, said.Question)
			}
		}
	}
	return questions, nil
}

// label finds the labels of the events' questions. Those that differ in letter case alone share a
// column.
func (e *Exported) label() error {
	spelled := map[string]string{}
	for _, reader := range e.readers {
		for item, err := range reader.Items(catalog.Events) {
			if err != nil {
				return err
			}
			var questions []struct{ ID, Label string }
			if item.Record == nil || json.Unmarshal(item.Record.Values["registration_questions"], &questions) != nil {
				continue
			}
			words := map[string]int{}
			for _, q := range questions {
				words[strings.ToLower(strings.TrimSpace(q.Label))]++
				words[strings.ToLower(q.ID)]++
			}
			for _, q := range questions {
				label := strings.TrimSpace(q.Label)
				fold := strings.ToLower(label)
				if label == "" || words[fold] > 1 || strings.ContainsAny(label, "\r\n") {
					continue
				}
				if spelled[fold] == "" {
					spelled[fold] = label
				}
				e.labels[[2]string{item.Event.ID, q.ID}] = spelled[fold]
			}
		}
	}
	return nil
}

// say has a record say its answers as a row does.
func (l labels) say(r *record.Record, event string) {
	f := r.Draft.Resource.Answering()
	if f == nil {
		return
	}
	if s := r.Draft.Get(f.ID); s != nil {
		s.Text = value.Say(value.AnswersIn(json.RawMessage(s.Text)), func(id string) string {
			if label := l[[2]string{event, id}]; label != "" {
				return label
			}
			return id
		})
		if s.Text == "" {
			s.State = schema.Leave // they have a shape that nobody knows
		}
	}
}
