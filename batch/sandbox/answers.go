package sandbox

import (
	"encoding/json"
	"slices"
	"strconv"

	"eventbatch/mapping/schema"
)

// checkAnswers returns what is wrong with answers to the questions of an event or a tier, nil where
// nothing is (service: RegistrationQuestion). A question that has to be answered by who registers
// need not be by who is added.
func checkAnswers(path string, questions, answers json.RawMessage) *answer {
	var asked []struct {
		ID      string
		Type    string `json:"question_type"`
		Options []string
	}
	_ = json.Unmarshal(questions, &asked) // without any, there are none
	items, _ := arrayOf(answers)
	for i, item := range items {
		at := path + "." + strconv.Itoa(i)
		var given map[string]any
		if json.Unmarshal(item, &given) != nil {
			return invalid(trouble{at, "Invalid input: expected object, received " + kindOf(item) + "."})
		}
		question := -1
		for n := range asked {
			if given["question_id"] == asked[n].ID {
				question = n
			}
		}
		texts := []any{given["answer"]}
		if question >= 0 && asked[question].Type == "multi-select" {
			texts, _ = given["answer"].([]any)
		}
		switch {
		case question < 0:
			return invalid(trouble{at + ".question_id", "Question not found."})
		case len(given) != 2 || len(texts) == 0:
			return invalid(trouble{at + ".answer", "Required, and nothing else."})
		}
		for _, text := range texts {
			switch words, is := text.(string); {
			case !is || words == "":
				return invalid(trouble{at + ".answer", "Invalid input: expected string."})
			case len(asked[question].Options) > 0 && !slices.Contains(asked[question].Options, words):
				return invalid(trouble{at + ".answer", "Invalid option."})
			}
		}
	}
	return nil
}

// checkGuest checks the answers of a row of a request that adds guests to an event.
func (c *call) checkGuest(e *Event, row int, answers json.RawMessage) *answer {
	if c.Resource != schema.Guests || answers == nil {
		return nil
	}
	path := c.Into + "." + strconv.Itoa(row) + ".registration_answers"
	return checkAnswers(path, e.Fields["registration_questions"], answers)
}
