package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch/printable"
	"eventbatch/batch/secret"
)

// ofCommand names a feed that a command writes. The line itself may hold a password.
const ofCommand = "command"

// run has the shell run the command and stores what it writes. Whatever it has started
// and left behind is killed.
func (c *Config) run(ctx context.Context) (_ *Feed, err error) {
	s, err := c.newStore("")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.discard()
		}
	}()
	bounded, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	var said tail
	out := caught{to: s}
	cmd := shell(bounded, c.Command)
	cmd.Dir, cmd.Env = c.Secrets.Dir, c.Secrets.CommandEnvironment()
	cmd.Stdout, cmd.Stderr = &out, &said
	// A child may keep the output open after the shell is gone: then something is missing.
	cmd.WaitDelay = time.Second
	cmd.Cancel = func() error { return killAll(cmd) }
	err = cmd.Run()
	if cmd.Process != nil {
		_ = killAll(cmd) // mostly nobody is left
	}
	out.Repanic()
	said.Repanic()
	exit, isExit := errors.AsType[*exec.ExitError](err)
	_, isDisk := errors.AsType[diskError](out.err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isDisk:
		return nil, out.err
	case errors.Is(out.err, errTooLarge):
		return nil, refused(ofCommand, tooLarge(c.Bytes), "have it write less, or allow more bytes")
	case bounded.Err() != nil:
		return nil, unavailable(ofCommand, &saidError{fmt.Sprintf("it did not end within %s", c.Timeout), c.words(&said)}, "")
	case isExit:
		err := &saidError{"it failed: " + exit.ProcessState.String(), c.words(&said)}
		return nil, unavailable(ofCommand, err, "run it by hand to see why")
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, unavailable(ofCommand, errors.New("it ended while something that it had started was still writing"), "have it wait")
	case err != nil:
		return nil, unavailable(ofCommand, err, "")
	case s.page():
		return nil, refused(ofCommand, "it wrote HTML or XML, and not rows", "run it by hand to see what it writes")
	}
	return s.feed(ofCommand)
}

// caught keeps the first error of writing, and a panic, which a goroutine of os/exec would
// die of.
type caught struct {
	panics.Catcher
	to  interface{ Write([]byte) (int, error) }
	err error
}

func (w *caught) Write(p []byte) (n int, err error) {
	w.Try(func() { n, err = w.to.Write(p) })
	if w.Recovered() != nil {
		err = errors.New("panicked")
	}
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// tail keeps the end of what is written to it.
type tail struct {
	panics.Catcher
	last []byte
}

// tailBytes and tailWords bound what is kept of it, and shown.
const (
	tailBytes = 4 << 10
	tailWords = 300
)

func (t *tail) Write(p []byte) (int, error) {
	t.Try(func() {
		t.last = append(t.last, p...)
		if over := len(t.last) - tailBytes; over > 0 {
			t.last = append(t.last[:0], t.last[over:]...)
		}
	})
	return len(p), nil
}

// saidError is the failure of a command, with what it said of it on its standard error, which
// may well hold a password: it is for who is at the machine.
type saidError struct{ fault, said string }

func (e *saidError) Error() string { return e.fault + e.said }

// Told returns the error as others may hear of it.
func (e *saidError) Told() string { return ofCommand + ": " + e.fault }

// ofSecrets are in the names of variables whose values nobody should see.
var ofSecrets = []string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "URL", "DSN"}

// words returns the last lines of what a command said, as the end of a sentence: without what
// it may know from its environment.
func (c *Config) words(t *tail) string {
	var censor secret.Censor
	for _, variable := range c.Secrets.CommandEnvironment() {
		name, value, _ := strings.Cut(variable, "=")
		named := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
		if hidden, err := secret.New(value); err == nil && slices.ContainsFunc(ofSecrets, named) {
			censor.Add(hidden)
		}
	}
	lines := bytes.Split(bytes.TrimSpace([]byte(censor.Redact(string(t.last)))), []byte("\n"))
	text := strings.Join(strings.Fields(printable.Clean(string(bytes.Join(lines[max(0, len(lines)-3):], []byte(" "))))), " ")
	if runes := []rune(text); len(runes) > tailWords {
		text = "…" + string(runes[len(runes)-tailWords:])
	}
	if text == "" {
		return ""
	}
	return ": " + text
}
