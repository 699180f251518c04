package match

import (
	"maps"
	"slices"
)

// Overtaken reports whether an answer that no question takes is to a question that another answer settles: without
// that one it is asked.
func (c *Columns) Overtaken(o Config, id string) bool {
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

	After []string // answers such as start_at=Date, one of which brings it up
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
