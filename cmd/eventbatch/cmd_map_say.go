package main

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// sayFound says what kind of file it is.
func (c *mapCommand) sayFound(t *table, p *match.Proposal) {
	where := printable.Clean(t.file)
	switch {
	case len(t.named) > 1:
		where += ":" + printable.Clean(strings.Join(t.named, ", "))
	case t.sheet != "":
		where += ":" + printable.Clean(t.sheet)
	}
	c.say("%s: %s below the header in row %d\n", where, report.Count(t.columns.Rows(), "row"), t.headerRow)
	if t.remark != "" {
		c.say("%s\n", printable.Clean(t.remark))
	}
	for i := range t.joins {
		j := &t.joins[i]
		columns := printable.Clean(strings.Join(j.Columns, ", "))
		c.say("joined with sheet %q by %s: %s\n", printable.Clean(j.Sheet), printable.Clean(j.On), columns)
	}
	if len(t.hidden) > 0 {
		c.say("hidden columns, which are read like the others: %s\n", printable.Clean(strings.Join(t.hidden, ", ")))
	}
	if len(t.others) > 0 {
		c.say("not read: %s; --sheet names another sheet\n", printable.Clean(printable.Names(t.others)))
	}
	if len(p.Nameless) > 0 {
		names := make([]string, len(p.Nameless))
		for i, column := range p.Nameless {
			names[i] = schema.ColumnName(column)
		}
		c.say("columns without a header, which are not read: %s\n", printable.Names(names))
	}
	switch {
	case p.Source != "":
		c.say("the headers are those of %s\n", p.Source)
	case p.Near != "":
		c.say("the headers are nearly those of %s: eventbatch map show %s says what that expects\n", p.Near, p.Near)
	}
}

// sayQuestions lists what is open, and what follows.
func (c *mapCommand) sayQuestions(p *match.Proposal, following []match.Following) {
	for i := range p.Questions {
		word := "open"
		if p.Questions[i].Optional {
			word = "optional"
		}
		c.sayQuestion(word, &p.Questions[i])
	}
	for i := range following {
		f := &following[i]
		c.sayQuestion("with "+printable.Clean(strings.Join(f.After, " or ")), &f.Question)
	}
}

func (c *mapCommand) sayQuestion(word string, q *match.Question) {
	c.say("%s: %s\n", word, printable.Clean(q.Text))
	if q.Why != "" {
		c.say("  %s\n", printable.Clean(q.Why))
	}
	c.say("  %s\n", printable.Clean(answering(q)))
}

// answering names the flag that settles a question: with its default, where it has one.
func answering(q *match.Question) string {
	const most, some = 12, 6
	others := slices.DeleteFunc(answersTo(q), func(answer string) bool { return answer == q.Default })
	if more := len(others) - some; len(others) > most {
		others = append(others[:some], fmt.Sprintf("one of %d more, which the mapping lists", more))
	}
	switch {
	case q.Refused:
		return q.Free
	case q.Default == "":
		return "--answer " + quoted(q.ID+"=VALUE") + ", VALUE being " + strings.Join(others, " | ")
	case len(others) == 0:
		return "--answer " + quoted(q.ID+"="+q.Default)
	}
	return "--answer " + quoted(q.ID+"="+q.Default) + ", or instead of " + q.Default + ": " + strings.Join(others, " | ")
}

// sayNext says what to do with the mapping.
func (c *mapCommand) sayNext(t *table, p *match.Proposal, output string) {
	if output != "" {
		c.say("mapping: %s\n", c.screen.Path(output))
	}
	name := quoted(t.file)
	flags := []string{"format", "delimiter"}
	if p.Needless() { // else the mapping says them
		flags = append(flags, "encoding", "rows-at")
	}
	how := c.flagsGiven(func(name string) bool { return slices.Contains(flags, name) })
	switch {
	case p.Needless():
		c.say("the headers say it all by themselves, no mapping is needed: eventbatch check %s%s\n", name, how)
	case p.Open() > 0:
	case output != "":
		c.say("next: eventbatch check %s --mapping %s%s\n", name, quoted(output), how)
	default:
		c.say("next: save it and say eventbatch check %s --mapping %s%s\n", name, quoted(mappingName(t.file)), how)
	}
}

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
		all := slices.Concat(p.Questions, p.Settled)
		switch asked := slices.IndexFunc(all, func(q match.Question) bool { return q.ID == id }); {
		case asked >= 0:
			return unfit(&all[asked], config.Answers[id])
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
