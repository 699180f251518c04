package reads

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// Evidence is what the other cells of a column say.
type Evidence struct {
	Whole  bool   // there are plain whole numbers among them
	Years  Years  // the year of a date without one, as far as anything says it
	Header string // of the column
	Hours  bool   // the cell is a number among times of day, or two such with a dash between them
	Half   bool   // a time of day has to say in which half of the day it is
}

// Proposal is a line of a mapping for a cell.
type Proposal struct {
	Example string // the cell, or the word of it that is left out
	Reading string // empty where only a person knows it
	Certain bool   // there is no other reading, so that nobody needs to be asked
}

// Propose returns how a cell is most likely read that the field's parser refuses. It
// reports false where nothing is known of such a cell.
func Propose(field *schema.Field, text string, e Evidence) (Proposal, bool) {
	p := Proposal{Example: strings.Join(strings.Fields(text), " ")}
	known := words()
	word := folded(text)
	switch {
	case known["unlimited"][word] && field.Nullable:
		p.Reading, p.Certain = Clear, true
	case known["blank"][word]:
		p.Reading, p.Certain = Blank, true
	case known["none"][word]:
		p.Reading = Blank
	case field.Kind.Numeric():
		p.Reading, p.Certain = ofNumber(field, text, e)
	case field.Kind == schema.Timestamp && e.Hours:
		if p.Reading = hourOf(text); !e.Half {
			p.Reading = cmp.Or(p.Reading, hoursOf(text))
		}
		p.Certain = !e.Half || p.Reading > "13"
	case field.Kind == schema.Timestamp:
		p.Example, p.Reading, p.Certain = ofTime(field, p.Example, e)
	}
	if p.Reading == "" {
		return p, false
	}
	if message, _ := Check(field, p.Example, p.Reading); message != "" {
		return Proposal{}, false
	}
	return p, true
}

// ofNumber returns how a text with a number is read.
func ofNumber(field *schema.Field, text string, e Evidence) (reading string, certain bool) {
	n, ok := oneNumber(text)
	if !ok {
		return "", false
	}
	known, unit := n.around()
	switch {
	case unit:
	case n.grouped():
		sure := len(n.groups) > 2 || n.mark != "." && n.mark != "," || e.Whole
		return Thousands, known && sure && field.Kind == schema.Integer
	case n.plain():
		return Number, known
	}
	return "", false
}

// around reports whether all words around a number are known, those for people and for how
// exact the number is, and whether one is a unit, which makes another number of it.
func (n *number) around() (known, unit bool) {
	before, after := strings.Trim(n.before, "~≈±:-( "), strings.Trim(n.after, ":)( ")
	known = isKnown(before, "about") && isKnown(after, "about", "people")
	for word := range strings.FieldsSeq(after) {
		unit = unit || words()["times"][strings.Trim(word, ".")]
	}
	if r, _ := utf8.DecodeRuneInString(n.after); unicode.IsLetter(r) && !known { // 1OO
		unit = unit || r < utf8.RuneSelf
	}
	return known, unit
}

// isKnown reports whether all words of a text are of some lists.
func isKnown(text string, lists ...string) bool {
	is := func(word string) bool {
		bare := strings.Trim(word, ".:()")
		return bare == "" || slices.ContainsFunc(lists, func(list string) bool { return words()[list][bare] || words()[list][word] })
	}
	for word := range strings.FieldsSeq(text) {
		if !is(word) {
			return is(text)
		}
	}
	return true
}

// ofTime finds the word that keeps a cell from being a time, or the year that its date
// lacks. A word for what the field is anyway has one reading.
func ofTime(field *schema.Field, text string, e Evidence) (example, reading string, certain bool) {
	if datetime.LacksYear(text) {
		if e.Years.First > 0 {
			reading = e.Years.String()
		}
		return text, reading, false
	}
	example = text
	own := "start"
	if field.ID == catalog.FieldEndAt {
		own = "end"
	} else if reading = Beginning(text, e.Header); reading != "" {
		return text, reading, true
	}
	for _, list := range []string{"doors", "around", "exact", "quarter", own} {
		for word := range words()[list] {
			if rest := without(text, word); rest != text && isTime(rest) && (reading == "" || len(word) > len(example)) {
				example, reading, certain = word, Ignore, list != "doors"
				if list == "quarter" {
					reading = Later
				}
			}
		}
	}
	return example, reading, certain
}

func isTime(text string) bool {
	message, _ := literal(catalog.Field(catalog.FieldStartAt), text)
	return message == ""
}

//go:embed words.txt
var wordText string

// words are the lists of words.txt, by name.
var words = sync.OnceValue(func() map[string]map[string]bool {
	lists := map[string]map[string]bool{}
	name := ""
	for line := range strings.Lines(wordText) {
		head, rest, found := strings.Cut(line, ": ")
		switch {
		case line[0] == '#' || line == "\n":
			continue
		case line[0] == ' ':
			rest = line
		case found:
			name = head
			lists[name] = map[string]bool{}
		}
		for word := range strings.SplitSeq(rest, ",") {
			if word = folded(word); word != "" {
				lists[name][word] = true
			}
		}
	}
	return lists
})

// Nothing reports whether a text says that nothing is known, such as tbd.
func Nothing(text string) bool {
	return words()["blank"][folded(text)] || words()["none"][folded(text)]
}

// Doors reports whether a cell of times says when the doors open, by a word that it returns.
func Doors(text string) (word string, ok bool) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if words()["doors"][folded(w)] {
			return w, true
		}
	}
	return "", false
}
