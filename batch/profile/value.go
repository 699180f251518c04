package profile

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/schema"
)

// profile lays what is written over the defaults.
func (d *described) profile(name string, f *file) Profile {
	p := Default()
	p.Name = name
	p.BaseURL, p.ImageBase, p.SiteURL = string(d.BaseURL), string(d.ImageBase), string(d.SiteURL)
	dir := filepath.Dir(f.path)
	p.CAFile = beside(dir, d.CAFile)
	if !d.Store.From.IsZero() {
		p.Shared = Shared{From: d.Store.From, Dir: dir}
	}
	put(&p.NativePlatform, string(d.NativePlatform))
	put(&p.Headers.APIKey, string(d.Headers.APIKey))
	put(&p.Headers.Calendar, string(d.Headers.Calendar))
	put(&p.Limits.Calendar, int(d.Limits.Calendar))
	put(&p.Limits.Organization, int(d.Limits.Organization))
	put(&p.Limits.Window, time.Duration(d.Limits.Window))
	put(&p.Limits.Lag, time.Duration(d.Limits.Lag))
	if d.Limits.Nest != nil {
		p.Limits.Nest = *d.Limits.Nest
	}
	for _, k := range d.Keys {
		p.Keys = append(p.Keys, Key{
			Kind: k.Kind, Calendar: string(k.Calendar), Organization: string(k.Organization), From: k.From,
			Place: f.name + ":" + strconv.Itoa(k.Line), dir: dir, doubt: f.doubt,
		})
	}
	p.Routes = d.routes()
	for _, effect := range d.Allow {
		p.Allow = append(p.Allow, schema.Effect(effect))
	}
	return p
}

func put[T comparable](into *T, value T) {
	var zero T
	if value != zero {
		*into = value
	}
}

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

func (i *id) UnmarshalText(text []byte) error {
	if !plain(string(text)) {
		return errors.New("an id has no blanks or control characters")
	}
	*i = id(text)
	return nil
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
