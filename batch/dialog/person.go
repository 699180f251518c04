// Package dialog asks a person at a terminal: for a yes, for a text that can be used, and for what a proposed mapping
// leaves open.
//
// A question is a line on the [report.Screen], and its answer the next line of the input. Whoever asks knows that somebody is
// there. The end of the input answers nothing: it is a no, or [io.EOF] to whoever needs more than that.
package dialog

import (
	"bufio"
	"context"
	"io"
	"strings"

	"eventbatch/batch/report"
)

// Person is who is asked.
type Person struct {
	Screen *report.Screen
	Lines  *bufio.Reader
}

// Yes asks a question that no or return declines, or, with preset, that return accepts. The end of the input is a no.
func (p Person) Yes(ctx context.Context, preset bool, format string, args ...any) (bool, error) {
	choice := " [y/N] "
	if preset {
		choice = " [Y/n] "
	}
	p.Screen.Printf(format+choice, args...)
	answer, err := p.Line(ctx)
	if err == io.EOF {
		return false, nil
	}
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes" || preset && answer == "" && err == nil, err
}

// Until asks until an answer can be used: use reports whether it can, and says why not.
func (p Person) Until(ctx context.Context, prompt string, use func(answer string) bool) error {
	for {
		p.Screen.Printf("%s", prompt)
		answer, err := p.Line(ctx)
		if err != nil || use(answer) {
			return err
		}
	}
}

// Line returns the next line that the person writes, without the blanks around it, and io.EOF at the end of the input.
// A read of a terminal cannot be called back: it ends with the line, or with the process.
func (p Person) Line(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := p.Lines.ReadString('\n')
		got <- read{strings.TrimSpace(text), err}
	}()
	select {
	case r := <-got:
		if r.err != nil && r.text == "" {
			p.Screen.Printf("\n")
			return "", io.EOF
		}
		return r.text, nil
	case <-ctx.Done():
		p.Screen.Printf("\n")
		return "", context.Cause(ctx)
	}
}
