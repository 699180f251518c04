package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// canAsk reports whether map can ask a person about the file.
func (a *app) canAsk(file string) bool {
	in, ok := a.stdin.(*os.File)
	if !ok || file == "-" || a.global.json || a.global.quiet || !report.IsTerminal(in) {
		return false
	}
	out, ok := a.stderr.(*os.File)
	return ok && report.IsTerminal(out)
}

// askAll asks each question once, those too that an answer brings up. The answers
// are kept in the config.
func (a *app) askAll(ctx context.Context, columns *match.Columns, config match.Config) (*match.Proposal, error) {
	passed := map[string]bool{}
	for {
		p := columns.Propose(config)
		var next *match.Question
		for i := range p.Questions {
			if q := &p.Questions[i]; !passed[q.ID] {
				next = q
				break
			}
		}
		if next == nil {
			return p, nil
		}
		passed[next.ID] = true
		answer, err := a.ask(ctx, next)
		if err != nil {
			return nil, err
		}
		if answer != "" {
			config.Answers[next.ID] = answer
		}
	}
}

// ask returns the answer to a question, empty where it is left open.
func (a *app) ask(ctx context.Context, q *match.Question) (string, error) {
	a.screen.Printf("%s\n", sentence(q))
	if len(q.Choices) == 0 && q.Free != "" {
		a.screen.Printf("  (%s; %s)\n", printable.Clean(q.Why), q.Free)
		return a.write(ctx, q)
	}
	if q.Why != "" {
		a.screen.Printf("  (%s)\n", printable.Clean(q.Why))
	}
	preset := 1
	for i, c := range q.Choices {
		a.screen.Printf("  %d. %s\n", i+1, choiceWords(c))
		if c.Value == q.Default {
			preset = i + 1
		}
	}
	n := len(q.Choices)
	another, later := 0, 0 // the numbers of a text of one's own, and of leaving the question open
	if q.Free != "" {
		n++
		another = n
		a.screen.Printf("  %d. another: %s\n", n, q.Free)
	}
	if !q.Optional {
		n++
		later = n
		a.screen.Printf("  %d. leave it open\n", n)
	}
	number, err := a.number(ctx, preset, n)
	switch {
	case err != nil || number == later:
		return "", err
	case number == another:
		return a.write(ctx, q)
	}
	return q.Choices[number-1].Value, nil
}

// number asks for a number from 1 to most; return takes the preset.
func (a *app) number(ctx context.Context, preset, most int) (int, error) {
	for {
		a.screen.Printf("number [%d]: ", preset)
		line, err := a.reply(ctx)
		if err != nil {
			return 0, err
		}
		if line == "" {
			return preset, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= most {
			return n, nil
		}
		a.screen.Printf("write a number from 1 to %d\n", most)
	}
}

// write asks for a text.
func (a *app) write(ctx context.Context, q *match.Question) (string, error) {
	for {
		a.screen.Printf("answer: ")
		line, err := a.reply(ctx)
		if err != nil {
			return "", err
		}
		wrong := wrongAnswer(q, line)
		if wrong == nil {
			return line, nil
		}
		a.screen.Printf("%v\n", wrong)
	}
}

// reply reads a line. The end of the input is an interruption.
func (a *app) reply(ctx context.Context) (string, error) {
	line, err := a.line(ctx)
	if err == io.EOF {
		return "", &interruptedError{signal: syscall.SIGINT, phase: "nothing was written"}
	}
	return line, err
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

// wrongAnswer returns what is wrong with a text as an answer; no text leaves the question
// open.
func wrongAnswer(q *match.Question, text string) error {
	text = strings.TrimSpace(text)
	if _, ok := q.Accepts(text); ok || text == "" {
		return nil
	}
	if asksForZone(q) {
		_, err := schema.LoadZone(text)
		if fault, ok := errors.AsType[*schema.Fault](err); ok && strings.HasPrefix(fault.Hint, "did you mean") {
			return errors.New(fault.Message + ": " + fault.Hint)
		}
	}
	return errors.New("write " + q.Free + ", or nothing to leave it open")
}

func asksForZone(q *match.Question) bool { return q.At == "timezone.default" || q.At == "timezone" }

// place asks where the mapping goes: into which file, or over one that exists.
func (a *app) place(ctx context.Context, opts mapOptions, file string) (string, error) {
	output := opts.output
	if output == "" {
		output = mappingName(file)
	}
	question, preset := "write the mapping to %s (no prints it)?", true
	if _, err := os.Lstat(output); err == nil {
		if opts.output != "" && opts.force {
			return output, nil
		}
		question, preset = "%s exists: write over it (no prints the mapping)?", false
	} else if opts.output != "" {
		return output, nil
	}
	yes, err := a.yes(ctx, preset, question, a.screen.Path(output))
	if err != nil || !yes {
		return "", err
	}
	return output, nil
}
