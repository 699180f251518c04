package dialog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/match"
)

// Review shows a proposal until the person takes it, and makes it again with what is changed. The answers are kept in
// the table's config.
func (p Person) Review(ctx context.Context, t *match.Table) (*match.Proposal, error) {
	r := review{Person: p, answers: t.Config.Answers, seen: map[string]bool{}, passed: map[string]bool{}}
	r.propose = func() *match.Proposal { return t.Propose(t.Config) }
	for {
		p := r.propose()
		lines := report.ProposalLines(p)
		r.Screen.Proposal(lines, p)
		for i := range p.Questions {
			r.seen[p.Questions[i].ID] = true
		}
		taken, err := r.command(ctx, p, lines)
		if err != nil {
			return nil, err
		}
		for _, id := range r.propose().Unused {
			if r.seen[id] { // the answer to another has made an end of the question
				delete(r.answers, id)
			}
		}
		if p = r.propose(); taken && !slices.ContainsFunc(p.Questions, func(q match.Question) bool { return !r.seen[q.ID] }) {
			return p, nil
		}
	}
}

// review is a person with a proposal.
type review struct {
	Person

	propose func() *match.Proposal
	answers map[string]string
	seen    map[string]bool // ids of the questions that were shown
	passed  map[string]bool // of those that are left open
}

// command does what the person says of the lines. It reports whether they are taken.
func (r *review) command(ctx context.Context, p *match.Proposal, lines []report.ProposalLine) (taken bool, err error) {
	for {
		r.Screen.Printf("[Enter] take it   [e] or the number of a line changes it   [?] why: ")
		word, err := r.Line(ctx)
		if err != nil {
			return false, err
		}
		if word == "e" {
			r.Screen.Printf("line: ")
			if word, err = r.Line(ctx); err != nil {
				return false, err
			}
		}
		switch n, wrong := strconv.Atoi(word); {
		case word == "":
			return true, r.take(ctx, p)
		case word == "?":
			r.Screen.ProposalWhy(p)
		case wrong != nil || n < 1 || n > len(lines):
			r.Screen.Printf("write a number from 1 to %d\n", len(lines))
		case len(lines[n-1].Questions) == 0:
			r.Screen.Printf("nothing of it is a question: change it in the mapping file\n")
		default:
			return false, r.edit(ctx, &lines[n-1])
		}
	}
}

// take answers the open questions with what stands there, and asks those that have no answer.
func (r *review) take(ctx context.Context, p *match.Proposal) error {
	open := p
	for i := range p.Questions {
		q := &p.Questions[i]
		switch {
		case q.Default != "":
			r.answers[q.ID] = q.Default
		case slices.ContainsFunc(open.Questions, func(other match.Question) bool { return other.ID == q.ID }):
			if err := r.answer(ctx, q); err != nil {
				return err
			}
			open = r.propose() // the answer may be one to others too
		}
	}
	return nil
}

// edit asks again what a line depends on.
func (r *review) edit(ctx context.Context, line *report.ProposalLine) error {
	at := 0
	if n := len(line.Questions); n > 1 {
		for i, q := range line.Questions {
			r.Screen.Printf("  %d. %s  %s\n", i+1, printable.Clean(q.Text), printable.Clean(q.Default))
		}
		number, err := r.number(ctx, 1, n)
		if err != nil {
			return err
		}
		at = number - 1
	}
	return r.answer(ctx, line.Questions[at])
}

// answer asks one question in words, once; later leaves it open.
func (r *review) answer(ctx context.Context, q *match.Question) error {
	if r.passed[q.ID] {
		return nil
	}
	if q.Refused {
		r.Screen.Printf("%s\n  %s\n  %s\n", sentence(q), printable.Clean(q.Why), printable.Clean(q.Free))
		r.passed[q.ID] = true
		return nil
	}
	answer, err := r.ask(ctx, q)
	switch {
	case err != nil:
		return err
	case answer == "":
		r.passed[q.ID] = true
		delete(r.answers, q.ID)
	default:
		r.answers[q.ID] = answer
	}
	return nil
}

// leaveOpen is the word that answers a question with nothing.
const leaveOpen = "later"

// ask returns the answer to a question: the number of a choice, or its text, or one that finds
// others to choose from. It is empty where the question is left open.
func (r *review) ask(ctx context.Context, q *match.Question) (string, error) {
	r.Screen.Printf("%s\n", sentence(q))
	if q.Why != "" {
		r.Screen.Printf("  (%s)\n", printable.Clean(q.Why))
	}
	choices := q.Choices
	r.sayChoices(choices)
	prompt := "answer"
	if q.Free != "" {
		prompt = q.Free
		if len(choices) > 0 {
			prompt = "number, or " + q.Free
		}
	} else if len(choices) > 0 {
		prompt = "number"
	}
	preset := ""
	if q.Default != "" {
		preset = " [" + q.Default + "]"
	}
	for {
		r.Screen.Printf("%s%s: ", prompt, printable.Clean(preset))
		line, err := r.Line(ctx)
		if err != nil {
			return "", err
		}
		n, wrong := strconv.Atoi(line)
		switch {
		case line == "" && q.Default != "":
			return q.Default, nil
		case line == leaveOpen:
			return "", nil
		case wrong == nil && n >= 1 && n <= len(choices):
			return choices[n-1].Value, nil
		}
		if answer, ok := q.Accepts(line); ok && line != "" {
			return answer, nil
		}
		if offers := q.Offers(line); line != "" && len(offers) > 0 {
			choices = offers
			r.sayChoices(choices)
			prompt = "number, or another text"
			continue
		}
		r.Screen.Printf("%s\n", wrongAnswer(q))
	}
}

func (r *review) sayChoices(choices []match.Choice) {
	for i, c := range choices {
		r.Screen.Printf("  %d. %s\n", i+1, choiceWords(c))
	}
}

// number asks for a number from 1 to most; return takes the preset.
func (r *review) number(ctx context.Context, preset, most int) (n int, err error) {
	err = r.Until(ctx, "number ["+strconv.Itoa(preset)+"]: ", func(answer string) bool {
		n = preset
		if answer == "" {
			return true
		}
		var wrong error
		if n, wrong = strconv.Atoi(answer); wrong == nil && n >= 1 && n <= most {
			return true
		}
		r.Screen.Printf("write a number from 1 to %d\n", most)
		return false
	})
	return n, err
}

func sentence(q *match.Question) string {
	text := printable.Clean(q.Text)
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

func choiceWords(c match.Choice) string {
	if c.Text == "" {
		return printable.Clean(c.Value)
	}
	return printable.Clean(c.Value) + "  (" + printable.Brief(c.Text, 60) + ")"
}

// wrongAnswer says what an answer may be.
func wrongAnswer(q *match.Question) string {
	var ways []string
	if n := len(q.Choices); n > 0 {
		ways = append(ways, "a number from 1 to "+strconv.Itoa(n))
	}
	if q.Free != "" {
		ways = append(ways, q.Free)
	}
	return "write " + strings.Join(append(ways, leaveOpen+" to leave it open"), ", or ")
}
