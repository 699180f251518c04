package main

import (
	"fmt"
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

// unusedAnswers refuses an answer that no question takes: a word that does nothing
// would be taken for one that does.
func unusedAnswers(p *match.Proposal, answers map[string]string) error {
	if len(p.Unused) == 0 {
		return nil
	}
	id := p.Unused[0]
	for _, q := range p.Questions {
		if q.ID == id {
			may := answersTo(&q)
			if q.Refused {
				return &usageError{err: fmt.Errorf("--answer %s: no answer settles it", id), hint: q.Free}
			}
			if offers := q.Offers(answers[id]); len(offers) > 0 {
				may = answersTo(&match.Question{Choices: offers})
			}
			return &usageError{err: fmt.Errorf("--answer %s: that is not an answer to it", id), hint: "write " + strings.Join(may, ", or ")}
		}
	}
	ids := make([]string, 0, len(p.Questions))
	for _, q := range p.Questions {
		ids = append(ids, q.ID)
	}
	hint := "no question is open"
	if len(ids) > 0 {
		hint = "asked so far: " + strings.Join(ids, ", ")
	}
	return &usageError{err: fmt.Errorf("--answer %s: there is no such question", id), hint: hint}
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
