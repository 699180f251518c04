package mapfile

import (
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// anyOther is the key of what all texts stand for that no other key fits.
const anyOther = "*"

// Words are what the cells of a column stand for, by the values of its mapping: letter for letter, else folded as headers are.
// Nil are none.
type Words map[string]string

// NewWords returns the words of some values.
func NewWords(values yamldoc.Map[string]) Words {
	if len(values) == 0 {
		return nil
	}
	w := make(Words, 2*len(values))
	for _, v := range values {
		w[v.Key] = v.Value
		if folded := sheet.NormalHeader(v.Key); folded != anyOther && w[folded] == "" {
			w[folded] = v.Value
		}
	}
	return w
}

// Of returns what a text stands for. It reports false where the values do not say it.
func (w Words) Of(text string) (value string, ok bool) {
	if value, ok = w[text]; !ok {
		value, ok = w[sheet.NormalHeader(text)]
	}
	if !ok {
		value, ok = w[anyOther]
	}
	return value, ok
}
