package main

import (
	"bufio"
	"context"
	"strconv"
	"strings"
	"syscall"

	"github.com/charmbracelet/huh"

	"eventbatch/batch/printable"
	"eventbatch/mapping/guess"
)

// pickLine has an option chosen by its number. The end of the input is an interruption.
func (k *asker) pickLine(ctx context.Context, title, why string, options []huh.Option[string], chosen string) (string, error) {
	k.printf("%s\n", title)
	if why != "" {
		k.printf("(%s)\n", why)
	}
	preset := 0
	for i, o := range options {
		k.printf("%d. %s\n", i+1, o.Key)
		if o.Value == chosen {
			preset = i
		}
	}
	for {
		k.printf("number [%d]: ", preset+1)
		line, err := k.line(ctx)
		if err != nil {
			return "", err
		}
		if line == "" {
			return options[preset].Value, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(options) {
			return options[n-1].Value, nil
		}
		k.printf("write a number from 1 to %d\n", len(options))
	}
}

func (k *asker) writeLine(ctx context.Context, q *guess.Question, check func(string) error) (string, error) {
	k.printf("%s\n(%s; %s)\n", sentence(q), printable.Clean(q.Why), q.Free)
	for {
		k.printf("answer: ")
		line, err := k.line(ctx)
		if err != nil {
			return "", err
		}
		wrong := check(line)
		if wrong == nil {
			return line, nil
		}
		k.printf("%v\n", wrong)
	}
}

// line reads a line. A read of a terminal cannot be called back: it ends with the
// line, or with the process.
func (k *asker) line(ctx context.Context) (string, error) {
	if k.lines == nil {
		k.lines = bufio.NewReader(k.in)
	}
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := k.lines.ReadString('\n')
		got <- read{text, err}
	}()
	select {
	case r := <-got:
		if r.err != nil && r.text == "" {
			k.printf("\n")
			return "", &interruptedError{signal: syscall.SIGINT, phase: "nothing was written"}
		}
		return strings.TrimSpace(r.text), nil
	case <-ctx.Done():
		k.printf("\n")
		return "", context.Cause(ctx)
	}
}
