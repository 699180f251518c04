package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/sourcegraph/conc/panics"
)

// command runs a program and takes what it writes to stdout. No shell is
// involved: what a profile holds is run as it stands, with nothing expanded.
// What it writes to stderr is dropped, since it may well repeat the key.
func (s Sources) command(ctx context.Context, line string) (value, hint string, err error) {
	argv, err := split(line)
	if err != nil {
		return "", "", err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	var out limited
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = s.CommandEnvironment()
	cmd.Stdout = &out
	// A child of the program may keep stdout open after the program is gone.
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	out.caught.Repanic()
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "", "", fmt.Errorf("it gave no key within %s", s.Timeout)
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case isExit:
		return "", "run it by hand to see what it says", errors.New("it failed: " + exit.ProcessState.String())
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "", "", errors.New("there is no such program")
	case err != nil:
		return "", "", withoutPath(err)
	case out.exceeded:
		return "", "", fmt.Errorf("it wrote more than %d bytes", maxLength)
	}
	return trimNewline(out.buf.String()), "", nil
}

// Without returns an environment without the variables of these names.
func Without(environ, names []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}

// CommandEnvironment returns the environment of a command: Environ without what is ours.
// It is never nil, which would mean the environment of this process.
func (s Sources) CommandEnvironment() []string {
	return append([]string{}, Without(s.Environ, []string{"EVENTBATCH_API_KEY", "EVENTBATCH_STORE"})...)
}

// limited keeps the first bytes of what is written to it, which a goroutine of
// os/exec does: a panic there is kept for whoever waits for the command.
type limited struct {
	buf      bytes.Buffer
	exceeded bool
	caught   panics.Catcher
}

func (l *limited) Write(p []byte) (int, error) {
	l.caught.Try(func() { l.keep(p) })
	return len(p), nil
}

func (l *limited) keep(p []byte) {
	room := maxLength + 2 - l.buf.Len()
	if len(p) > room {
		l.exceeded = true
	}
	l.buf.Write(p[:min(len(p), room)])
}

// split cuts a command line into words: blanks separate, '…' and "…" keep
// together, a backslash takes the next character as it is (but not within
// '…'). What a shell would act on is refused rather than passed on as text.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	var quote rune
	escaped := false
	for _, c := range line {
		switch {
		case escaped:
			escaped = false
			word.WriteRune(c)
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			word.WriteRune(c)
		case strings.ContainsRune("$`", c), quote == 0 && strings.ContainsRune("|&;<>()", c):
			return nil, fmt.Errorf("%q means something to a shell only, and none is used: quote it with '…', or run sh -c '…'", string(c))
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case unicode.IsSpace(c):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteRune(c)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("no program is named")
	}
	return words, nil
}
