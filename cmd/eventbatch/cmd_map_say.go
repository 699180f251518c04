package main

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/match"
	"eventbatch/mapping/spelling"
)

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
		return "--answer " + spelling.Quoted(q.ID+"=VALUE") + ", VALUE being " + strings.Join(others, " | ")
	case len(others) == 0:
		return "--answer " + spelling.Quoted(q.ID+"="+q.Default)
	}
	return "--answer " + spelling.Quoted(q.ID+"="+q.Default) + ", or instead of " + q.Default + ": " + strings.Join(others, " | ")
}

// sayNext says what to do with the mapping.
func (c *mapCommand) sayNext(t *match.Table, p *match.Proposal, output string) {
	if output != "" {
		c.say("mapping: %s\n", c.screen.Path(output))
	}
	name := spelling.Quoted(t.File)
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
		c.say("next: eventbatch check %s --mapping %s%s\n", name, spelling.Quoted(output), how)
	default:
		c.say("next: save it and say eventbatch check %s --mapping %s%s\n", name, spelling.Quoted(mappingName(t.File)), how)
	}
}

// idleAnswer refuses an answer that does nothing.
func (c *mapCommand) idleAnswer(t *match.Table, p *match.Proposal) error {
	idle := t.Idle(p, t.Config)
	for idle != nil && idle.Question == nil && c.flagged()[idle.ID] != "" { // a file may have no times, or none yet
		p.Unused = slices.DeleteFunc(p.Unused, func(id string) bool { return id == idle.ID })
		idle = t.Idle(p, t.Config)
	}
	switch {
	case idle == nil:
		return nil
	case idle.Question != nil:
		return unfit(idle.Question, t.Config.Answers[idle.ID])
	case idle.Overtaken:
		return usagef("--answer %s: the other answers settle it otherwise", idle.ID).hinted("leave it out")
	default:
		hint := "no question is open"
		if len(p.Questions) > 0 {
			ids := make([]string, len(p.Questions))
			for i := range p.Questions {
				ids[i] = p.Questions[i].ID
			}
			hint = "asked so far: " + strings.Join(ids, ", ")
		}
		return usagef("--answer %s: there is no such question", idle.ID).hinted(hint)
	}
}

// unfit says what a question takes that another answer was given to.
func unfit(q *match.Question, answer string) error {
	if q.Refused {
		return usagef("--answer %s: no answer settles it", q.ID).hinted(q.Free)
	}
	may := answersTo(q)
	if offers := q.Offers(answer); len(offers) > 0 {
		may = answersTo(&match.Question{Choices: offers})
	}
	return usagef("--answer %s: that is not an answer to it", q.ID).hinted("write " + strings.Join(may, ", or "))
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
