package profile

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/notify"
	"eventbatch/batch/plan"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// The kinds of values of a sync. Each checks itself when it is decoded.
type (
	format   string
	encoding string // of a text file, by a name of the web
	resource string
	zone     string // an IANA name
	constant string // of a field, whatever it looks like in YAML
	compare  string
	missing  string
	side     string // of two that differ
	state    notify.State
	bound    string        // a number or a share
	people   string        // their number
	lasting  time.Duration // above 0, in days too
	period   time.Duration // within reason
	mailbox  string        // one address, without a name
	server   string        // host:port
)

// origin says where rows come from: a text, or a mapping with a command.
type origin struct {
	yamldoc.Pos
	Command string `yaml:"command"`

	path    string
	address secret.Address
	from    secret.Ref
}

// given counts what is said.
func (o *origin) given() int {
	n := 0
	for _, said := range []bool{o.Command != "", o.path != "", !o.address.IsZero(), !o.from.IsZero()} {
		if said {
			n++
		}
	}
	return n
}

func (o *origin) UnmarshalText(text []byte) (err error) {
	scheme, _, _ := strings.Cut(string(text), ":")
	switch {
	case secret.IsAddress(string(text)):
		if o.address, err = secret.ParseAddress(string(text)); err != nil {
			return fmt.Errorf("reading the address: %w", err)
		}
	case slices.Contains([]string{"env", "file", "cmd"}, scheme):
		return o.from.UnmarshalText(text)
	default:
		o.path = string(text)
	}
	return nil
}

func (f *format) UnmarshalText(text []byte) error {
	return oneOf(f, text, sheet.FormatNames()...)
}

func (e *encoding) UnmarshalText(text []byte) error {
	if _, err := sheet.ParseEncoding(string(text)); err != nil {
		return errors.New("there is no such encoding: names are those of the web, such as windows-1252")
	}
	*e = encoding(text)
	return nil
}

func (r *resource) UnmarshalText(text []byte) error {
	return oneOf(r, text, catalog.ResourceNames()...)
}

func (c *constant) UnmarshalText(text []byte) error {
	*c = constant(text)
	return nil
}

func (c *compare) UnmarshalText(text []byte) error { return oneOf(c, text, plan.Comparisons...) }

func (m *missing) UnmarshalText(text []byte) error { return oneOf(m, text, plan.Missings...) }

func (s *side) UnmarshalText(text []byte) error { return oneOf(s, text, plan.Sides...) }

func (s *state) UnmarshalText(text []byte) error {
	words := make([]string, len(notify.Told))
	for i, told := range notify.Told {
		words[i] = string(told)
	}
	return oneOf(s, text, words...)
}

func (z *zone) UnmarshalText(text []byte) error {
	found, err := value.LoadZone(string(text))
	if err != nil {
		return err
	}
	*z = zone(found.String())
	return nil
}

func (b *bound) UnmarshalText(text []byte) error {
	if _, err := plan.ParseBound(string(text)); err != nil {
		return err
	}
	*b = bound(text)
	return nil
}

func (p *people) UnmarshalText(text []byte) error {
	if n, err := strconv.Atoi(string(text)); err != nil || n < 0 {
		return errors.New("it is no number of people")
	}
	*p = people(text)
	return nil
}

func (l *lasting) UnmarshalText(text []byte) error {
	d, ok := datetime.ParseAge(string(text))
	if !ok || d == 0 {
		return errors.New("it is no length of time such as 90d, 12h or 30m")
	}
	*l = lasting(d)
	return nil
}

// What a period is at least and at most.
const (
	leastPeriod   = 10 * time.Second
	longestPeriod = 31 * 24 * time.Hour
)

func (p *period) UnmarshalText(text []byte) error {
	d, ok := datetime.ParseAge(string(text))
	if !ok || d < leastPeriod || d > longestPeriod {
		return errors.New("it is no length of time from 10s to 31d, such as 15m, 6h or 1d")
	}
	*p = period(d)
	return nil
}

func (m *mailbox) UnmarshalText(text []byte) error {
	a, err := mail.ParseAddress(string(text))
	if err != nil || a.Name != "" || a.Address != string(text) {
		return errors.New("it is no mail address such as ops@example.org")
	}
	*m = mailbox(text)
	return nil
}

func (s *server) UnmarshalText(text []byte) error {
	host, port, err := net.SplitHostPort(string(text))
	n, wrong := strconv.Atoi(port)
	if err != nil || wrong != nil || host == "" || !plain(host) || n < 1 || n > 65535 {
		return errors.New("a mail server is written with its port, such as smtp.example.org:587")
	}
	*s = server(text)
	return nil
}

// syncName reports whether a text can name a sync, which names a folder and a source too.
func syncName(name string) bool {
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
