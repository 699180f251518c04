package main

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/match"
)

// cutAnswer parts an answer. The id of a question about a cell's word holds that
// word, and with it perhaps an equals sign; a value holds none.
func cutAnswer(text string) (id, value string, found bool) {
	i := strings.LastIndexByte(text, '=')
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
}

// unusedAnswers refuses an answer that no question takes: a word that does nothing would be taken for one that
// does. One that says the same as another, which settles its question too, does no harm.
func unusedAnswers(columns *match.Columns, p *match.Proposal, config match.Config) error {
	for _, id := range p.Unused {
		switch asked := slices.IndexFunc(p.Questions, func(q match.Question) bool { return q.ID == id }); {
		case asked >= 0:
			return unfit(&p.Questions[asked], config.Answers[id])
		case !columns.Overtaken(config, id):
			hint := "no question is open"
			if len(p.Questions) > 0 {
				hint = "asked so far:"
				for _, q := range p.Questions {
					hint += " " + q.ID + ","
				}
				hint = strings.TrimSuffix(hint, ",")
			}
			return &usageError{err: fmt.Errorf("--answer %s: there is no such question", id), hint: hint}
		case !saidTwice(id, config.Answers):
			return &usageError{err: fmt.Errorf("--answer %s: the other answers settle it otherwise", id), hint: "leave it out"}
		}
	}
	return nil
}

// unfit says what a question takes that another answer was given to.
func unfit(q *match.Question, answer string) error {
	if q.Refused {
		return &usageError{err: fmt.Errorf("--answer %s: no answer settles it", q.ID), hint: q.Free}
	}
	may := answersTo(q)
	if offers := q.Offers(answer); len(offers) > 0 {
		may = answersTo(&match.Question{Choices: offers})
	}
	return &usageError{err: fmt.Errorf("--answer %s: that is not an answer to it", q.ID), hint: "write " + strings.Join(may, ", or ")}
}

// saidTwice reports whether another cell of the field has the same answer, or the answer is that nothing feeds it.
func saidTwice(id string, answers map[string]string) bool {
	field, _, _ := strings.Cut(id, ":")
	for other, answer := range answers {
		if other != id && strings.HasPrefix(other, field+":") && answer == answers[id] {
			return true
		}
	}
	return answers[id] == match.None
}

// answersTo lists what a question takes.
func answersTo(q *match.Question) []string {
	var words []string
	for _, c := range q.Choices {
		words = append(words, c.Value)
	}
	if q.Free != "" {
		words = append(words, q.Free)
	}
	return words
}
