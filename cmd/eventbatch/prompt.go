package main

import (
	"context"
	"io"
	"strings"
)

// yes asks a person a question that no or return declines, or, with preset, that
// return accepts. The end of the input is a no.
func (a *app) yes(ctx context.Context, preset bool, format string, args ...any) (bool, error) {
	choice := " [y/N] "
	if preset {
		choice = " [Y/n] "
	}
	a.screen.Printf(format+choice, args...)
	answer, err := a.line(ctx)
	if err == io.EOF {
		return false, nil
	}
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes" || preset && answer == "" && err == nil, err
}

// line returns the next line that a person writes, without the blanks around it, and
// io.EOF at the end of the input. A read of a terminal cannot be called back: it ends
// with the line, or with the process.
func (a *app) line(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := a.lines.ReadString('\n')
		got <- read{strings.TrimSpace(text), err}
	}()
	select {
	case r := <-got:
		if r.err != nil && r.text == "" {
			a.screen.Printf("\n")
			return "", io.EOF
		}
		return r.text, nil
	case <-ctx.Done():
		a.screen.Printf("\n")
		return "", context.Cause(ctx)
	}
}
