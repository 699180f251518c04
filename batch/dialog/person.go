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
	"slices"
	"strconv"
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

// Agrees asks whether some events may be cancelled, among other things, of which a person has to type the number: that cannot
// be undone. Of none it asks as Yes does.
func (p Person) Agrees(ctx context.Context, cancels int, format string, args ...any) (bool, error) {
	if cancels == 0 {
		return p.Yes(ctx, false, format, args...)
	}
	p.Screen.Printf(format+" To cancel, type the number of events: ", args...)
	answer, err := p.Line(ctx)
	if err == io.EOF {
		return false, nil
	}
	return answer == strconv.Itoa(cancels), err
}

// Choose asks for one of some words, of which the first letter is enough, until one is given. Nothing stands for the preset one.
// It is for all that is asked after it where "all" follows it, or where the input has ended.
func (p Person) Choose(ctx context.Context, question, preset string, others ...string) (chosen string, all bool, err error) {
	err = p.Until(ctx, question, func(answer string) bool {
		var word string
		word, all = strings.CutSuffix(strings.ToLower(answer), " all")
		words := append([]string{preset}, others...)
		i := slices.IndexFunc(words, func(one string) bool { return word == one || word == one[:1] || word == "" })
		if i >= 0 {
			chosen = words[i]
		}
		return i >= 0
	})
	if err == io.EOF {
		return preset, true, nil
	}
	return chosen, all, err
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
