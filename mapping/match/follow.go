package match

import (
	"maps"
	"slices"
	"strings"
)

// ParseAnswer parts an answer that is written ID=VALUE. The id of a question about a cell's word holds that word, and
// with it perhaps an equals sign; a value holds none.
func ParseAnswer(text string) (id, value string, ok bool) {
	i := strings.LastIndexByte(text, '=')
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
}

// Idle is an answer that does nothing, and would be taken for one that does.
type Idle struct {
	ID        string
	Question  *Question // that it is no answer to; nil where there is none of that id
	Overtaken bool      // the other answers settle its question otherwise
}

// Idle returns the first answer that does nothing; nil where there is none. One that says the same as another, which
// settles its question too, does no harm.
func (c *Columns) Idle(p *Proposal, o Config) *Idle {
	for _, id := range p.Unused {
		for _, all := range [][]Question{p.Questions, p.Settled} {
			if i := slices.IndexFunc(all, func(q Question) bool { return q.ID == id }); i >= 0 {
				return &Idle{ID: id, Question: &all[i]}
			}
		}
		if overtaken := c.overtaken(o, id); !overtaken || !saidTwice(id, o.Answers) {
			return &Idle{ID: id, Overtaken: overtaken}
		}
	}
	return nil
}

// Why says why the answer does nothing, and what to do about that.
func (i *Idle) Why(p *Proposal, o Config) (why, hint string) {
	switch q := i.Question; {
	case q != nil && q.Refused:
		return "no answer settles it", q.Free
	case q != nil:
		may := q.Takes()
		if offers := q.Offers(o.Answers[i.ID]); len(offers) > 0 {
			may = (&Question{Choices: offers}).Takes()
		}
		return "that is not an answer to it", "write " + strings.Join(may, ", or ")
	case i.Overtaken:
		return "the other answers settle it otherwise", "leave it out"
	case len(p.Questions) == 0:
		return "there is no such question", "no question is open"
	}
	ids := make([]string, len(p.Questions))
	for i := range p.Questions {
		ids[i] = p.Questions[i].ID
	}
	return "there is no such question", "asked so far: " + strings.Join(ids, ", ")
}

// saidTwice reports whether another cell of the field has the same answer, or the answer is that nothing feeds it.
func saidTwice(id string, answers map[string]string) bool {
	field, _, _ := strings.Cut(id, ":")
	for other, answer := range answers {
		if other != id && strings.HasPrefix(other, field+":") && answer == answers[id] {
			return true
		}
	}
	return answers[id] == None
}

// overtaken reports whether an answer that no question takes is to a question that another answer settles: without
// that one it is asked.
func (c *Columns) overtaken(o Config, id string) bool {
	for other := range o.Answers {
		with := o
		with.Answers = maps.Clone(o.Answers)
		if delete(with.Answers, other); other != id && !slices.Contains(c.Propose(with).Unused, id) {
			return true
		}
	}
	return false
}

// Following is a question that comes up only where another is answered in a certain way.
type Following struct {
	Question

	After []string `json:"after,omitempty"` // answers such as start_at=Date, one of which brings it up
}

// mostFollowed is how many questions are followed, and how many of their answers.
const mostFollowed = 8

// Following lists the questions that the answers to the open ones would bring up, so that all can be answered at
// once.
func (c *Columns) Following(p *Proposal, o Config) []Following {
	var all []Following
	known := map[string]bool{}
	for i := range p.Questions {
		known[p.Questions[i].ID] = true
	}
	for i := range p.Questions[:min(len(p.Questions), mostFollowed)] {
		q := &p.Questions[i]
		for _, choice := range q.Choices[:min(len(q.Choices), mostFollowed)] {
			with := o
			with.Answers = maps.Clone(o.Answers)
			if with.Answers == nil {
				with.Answers = map[string]string{}
			}
			with.Answers[q.ID] = choice.Value
			for _, other := range c.Propose(with).Questions {
				if known[other.ID] {
					continue
				}
				at := slices.IndexFunc(all, func(f Following) bool { return f.ID == other.ID })
				if at < 0 {
					at = len(all)
					all = append(all, Following{Question: other})
				}
				all[at].After = append(all[at].After, q.ID+"="+choice.Value)
			}
		}
	}
	return all
}
