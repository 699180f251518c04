package schema

import "strings"

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

// Answering returns the field of the answers to questions, or nil.
func (r *Resource) Answering() *Field {
	for i := range r.Own {
		if r.Own[i].Answers != nil {
			return &r.Own[i]
		}
	}
	return nil
}

// AppendAnswer appends an answer to a JSON array of such, which begins as nothing, and is ended
// by a bracket.
func AppendAnswer(dst []byte, question, answer string) []byte {
	if len(dst) == 0 {
		dst = append(dst, '[')
	} else {
		dst = append(dst, ',')
	}
	dst = appendText(appendName(append(dst, '{'), "question"), question)
	dst = appendText(appendName(append(dst, ','), "answer"), answer)
	return append(dst, '}')
}
