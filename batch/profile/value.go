package profile

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// The kinds of values in a file. Each checks itself when it is decoded, so that
// the problem is told with its own line.
type (
	base  string        // the address that keys are sent to
	web   string        // another address
	id    string        // visible ASCII
	token string        // the name of a header
	count int           // from 1
	span  time.Duration // above 0
	lag   time.Duration // likewise
	leave schema.Effect // one that needs leave
)

func (l *leave) UnmarshalText(text []byte) error {
	if !slices.Contains(schema.Leaves, schema.Effect(text)) {
		return errors.New("it is not an effect; write mail, cancel, refund or charge")
	}
	*l = leave(text)
	return nil
}

func (b *base) UnmarshalText(text []byte) error {
	if _, err := secret.ParseBase(string(text)); err != nil {
		return err
	}
	*b = base(text)
	return nil
}

func (w *web) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("it is not an address that begins with https://")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("it has a user, query or fragment")
	}
	*w = web(strings.TrimRight(string(text), "/"))
	return nil
}

// CheckID refuses what no id can be.
func CheckID(text string) error {
	if !plain(text) {
		return errors.New("an id has no blanks or control characters")
	}
	return nil
}

func (i *id) UnmarshalText(text []byte) error {
	*i = id(text)
	return CheckID(string(text))
}

func (t *token) UnmarshalText(text []byte) error {
	name := string(text)
	if err := secret.CheckHeader(name); err != nil {
		return err
	}
	*t = token(name)
	return nil
}

func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 1_000_000 {
		return errors.New("a limit is a whole number from 1 to 1000000")
	}
	*c = count(n)
	return nil
}

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 || d > 24*time.Hour {
		return errors.New("a window is a duration up to 24h, such as 60s or 1m")
	}
	*s = span(d)
	return nil
}

func (l *lag) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 || d > time.Hour {
		return errors.New("a lag is a duration up to 1h, such as 35s")
	}
	*l = lag(d)
	return nil
}

// plain reports whether a text can be an id: visible ASCII characters, or nothing.
func plain(id string) bool {
	return !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// oneOf takes a word of a list.
func oneOf[T ~string](into *T, text []byte, words ...string) error {
	if !slices.Contains(words, string(text)) {
		hint := cmp.Or(spelling.DidYouMean(string(text), words), "write "+spelling.Series(words, "or"))
		return fmt.Errorf("%q is not among the words; %s", text, hint)
	}
	*into = T(text)
	return nil
}
