package value

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// answerMark begins the header of a column with the answers to one question.
const answerMark = "answer:"

// AnswerTo returns the label or the id of the question that the cells of a column answer, by its
// header: answer: Why?
func AnswerTo(header string) (question string, ok bool) {
	header = strings.TrimSpace(header)
	if len(header) < len(answerMark) || !strings.EqualFold(header[:len(answerMark)], answerMark) {
		return "", false
	}
	question = strings.TrimSpace(header[len(answerMark):])
	return question, question != ""
}

// AnswerHeader returns the header of a column with the answers to the question.
func AnswerHeader(question string) string { return answerMark + " " + question }

// AppendAnswer appends an answer to a JSON array of such, which begins as nothing, and is ended
// by a bracket.
func AppendAnswer(dst []byte, question, answer string) []byte {
	if len(dst) == 0 {
		dst = append(dst, '[')
	} else {
		dst = append(dst, ',')
	}
	dst = schema.AppendText(schema.AppendName(append(dst, '{'), "question"), question)
	dst = schema.AppendText(schema.AppendName(append(dst, ','), "answer"), answer)
	return append(dst, '}')
}

// Said is an answer as a row says it, by the label or the id of its question.
type Said struct {
	Question string `json:"question"`
	Text     string `json:"answer"`
}

// AnswersSaid returns the answers that the text of a row's field holds.
func AnswersSaid(text string) (said []Said) {
	_ = json.Unmarshal([]byte(text), &said) // what is none says none
	return said
}

// Say returns the text of the field of a row that says the answers, each by what name returns for
// its question: in the order of these, as the columns of a sheet are read.
func Say(list []Answer, name func(id string) string) string {
	given := map[string]string{}
	for _, a := range list {
		if text := a.Cell(); text != "" {
			given[name(a.ID)] = text
		}
	}
	var dst []byte
	for _, question := range slices.Sorted(maps.Keys(given)) {
		dst = AppendAnswer(dst, question, given[question])
	}
	if dst == nil {
		return ""
	}
	return string(append(dst, ']'))
}

// Answer is one answer to a question, as the service has it. What the service calls its parts is
// published nowhere: they are named after those of a question.
type Answer struct {
	ID    string `json:"question_id"`
	Value any    `json:"answer"` // a text, or the texts of several options
}

// Cell returns the answer as a cell has it, empty for none.
func (a *Answer) Cell() string {
	switch value := a.Value.(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(unixLines.Replace(value))
	case []any:
		parts := make([]string, len(value))
		for i := range value {
			parts[i] = (&Answer{Value: value[i]}).Cell()
		}
		return strings.Join(parts, "; ")
	}
	text, _ := json.Marshal(a.Value) // what came as JSON is JSON
	return string(text)
}

// AnswersIn returns the answers of a list that name their question.
func AnswersIn(list json.RawMessage) []Answer {
	var all, named []Answer
	_ = json.Unmarshal(list, &all) // in a shape that nobody knows, there are none
	for _, a := range all {
		if a.ID != "" {
			named = append(named, a)
		}
	}
	return named
}

// sameAnswers compares answers with those of a list that may have more.
func sameAnswers(said, other json.RawMessage) Likeness {
	all := map[string]string{}
	for _, a := range AnswersIn(other) {
		all[a.ID] = a.Cell()
	}
	if len(all) == 0 && !Blank(other) && string(other) != "[]" {
		return Unclear
	}
	for _, a := range AnswersIn(said) {
		if all[a.ID] != a.Cell() {
			return Unlike
		}
	}
	return Alike
}
