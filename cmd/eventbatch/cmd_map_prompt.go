package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/charmbracelet/huh"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	_ "eventbatch/cmd/eventbatch/backdrop" // settled before the prompts can ask
	"eventbatch/mapping/guess"
	"eventbatch/mapping/schema"
)

// asker puts questions to a person: with arrow keys where the terminal can do
// that, else a line at a time.
type asker struct {
	in    io.Reader
	out   io.Writer
	plain bool // a line at a time
	lines *bufio.Reader
}

// asker is nil where there is nobody to ask.
func (a *app) asker(file string) *asker {
	in, ok := a.stdin.(*os.File)
	if !ok || file == "-" || a.global.json || a.global.quiet || !report.IsTerminal(in) {
		return nil
	}
	if out, ok := a.stderr.(*os.File); !ok || !report.IsTerminal(out) {
		return nil
	}
	return &asker{in: in, out: a.stderr, plain: a.env["TERM"] == "dumb" || a.env["TERM"] == ""}
}

// settle asks each question once, those too that an answer brings up. The answers
// are kept in the config.
func (k *asker) settle(ctx context.Context, columns *guess.Columns, config guess.Config) (*guess.Proposal, error) {
	passed := map[string]bool{}
	for {
		p := columns.Propose(config)
		var next *guess.Question
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
		answer, err := k.ask(ctx, next)
		if err != nil {
			return nil, err
		}
		if answer != "" {
			config.Answers[next.ID] = answer
		}
	}
}

// The choices besides a question's own.
const (
	another = "\x00another" // a text of one's own
	later   = "\x00later"   // the question stays open
)

// ask gives the answer to a question, empty where it is left open.
func (k *asker) ask(ctx context.Context, q *guess.Question) (string, error) {
	if len(q.Choices) == 0 && q.Free != "" {
		return k.write(ctx, q)
	}
	options := make([]huh.Option[string], 0, len(q.Choices)+2)
	for _, c := range q.Choices {
		options = append(options, huh.NewOption(choiceWords(c), c.Value))
	}
	if q.Free != "" {
		options = append(options, huh.NewOption("another: "+q.Free, another))
	}
	if !q.Optional {
		options = append(options, huh.NewOption("leave it open", later))
	}
	answer, err := k.pick(ctx, sentence(q), printable.Clean(q.Why), options, q.Default)
	switch {
	case err != nil:
		return "", err
	case answer == another:
		return k.write(ctx, q)
	case answer == later:
		return "", nil
	}
	return answer, nil
}

func sentence(q *guess.Question) string {
	text := printable.Clean(q.Text)
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

func choiceWords(c guess.Choice) string {
	if c.Text == "" {
		return printable.Clean(c.Value)
	}
	return printable.Clean(c.Value) + "  (" + printable.Brief(c.Text, 60) + ")"
}

// pick has one of several options chosen.
func (k *asker) pick(ctx context.Context, title, why string, options []huh.Option[string], chosen string) (string, error) {
	if chosen == "" && len(options) > 0 {
		chosen = options[0].Value
	}
	if k.plain {
		return k.pickLine(ctx, title, why, options, chosen)
	}
	field := huh.NewSelect[string]().Title(title).Description(why).Options(options...).Value(&chosen)
	if err := k.run(ctx, field); err != nil {
		return "", err
	}
	for _, o := range options {
		if o.Value == chosen {
			k.printf("%s %s\n", title, o.Key) // the field is gone from the screen
		}
	}
	return chosen, nil
}

// write has a text written.
func (k *asker) write(ctx context.Context, q *guess.Question) (string, error) {
	check := func(text string) error { return wrongAnswer(q, text) }
	if k.plain {
		return k.writeLine(ctx, q, check)
	}
	var answer string
	field := huh.NewInput().Title(sentence(q)).Description(printable.Clean(q.Why) + "; " + q.Free).Validate(check).Value(&answer)
	if asksForZone(q) {
		field.Suggestions(schema.ZoneNames)
	}
	if err := k.run(ctx, field); err != nil {
		return "", err
	}
	k.printf("%s %s\n", sentence(q), answer)
	return strings.TrimSpace(answer), nil
}

// wrongAnswer says what is wrong with a text that answers a question; no text leaves
// it open.
func wrongAnswer(q *guess.Question, text string) error {
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

func asksForZone(q *guess.Question) bool { return q.At == "timezone.default" || q.At == "timezone" }

// run shows a field until it is answered. Ctrl-C is an interruption like any other.
func (k *asker) run(ctx context.Context, field huh.Field) error {
	form := huh.NewForm(huh.NewGroup(field)).WithTheme(huh.ThemeBase()).WithInput(k.in).WithOutput(k.out).WithShowHelp(true)
	err := form.RunWithContext(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, huh.ErrUserAborted):
		return &interruptedError{signal: syscall.SIGINT, phase: "nothing was written"}
	case err != nil:
		return fmt.Errorf("asking: %w", err)
	}
	return nil
}

// printf writes to the terminal; words that cannot be written end nothing.
func (k *asker) printf(format string, args ...any) { _, _ = fmt.Fprintf(k.out, format, args...) }

// place asks where the mapping goes: into which file, or over one that exists.
func (k *asker) place(ctx context.Context, opts mapOptions, file string) (string, error) {
	output := opts.output
	if output == "" {
		output = mappingName(file)
	}
	title := "Write the mapping to " + output + "?"
	if _, err := os.Lstat(output); err == nil {
		if opts.output != "" && opts.force {
			return output, nil
		}
		title = output + " exists. Write over it?"
	} else if opts.output != "" {
		return output, nil
	}
	yes, no := "yes", "no"
	answer, err := k.pick(
		ctx, title, "", []huh.Option[string]{huh.NewOption("yes", yes), huh.NewOption("no, print it", no)},
		map[bool]string{true: yes, false: no}[!strings.Contains(title, "exists")],
	)
	if err != nil || answer == no {
		return "", err
	}
	return output, nil
}
