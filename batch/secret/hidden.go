package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"

	"eventbatch/batch/printable"
)

// Address is where something is read from or told. Its path and query are as good as a
// password with many services, so it prints as scheme, host and six hex digits of its hash,
// under every verb and in every encoding. The zero Address leads nowhere.
type Address struct {
	reveal func() string
	short  string
}

// IsAddress reports whether a text is meant as an address, and not as the path of a file.
func IsAddress(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// ParseAddress reads an address: https, or http on a loopback address, without a user
// and without a fragment, which is never sent. Its error does not repeat the text.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "":
		return Address{}, errors.New("it is no URL")
	case u.Scheme == "":
		return Address{}, errors.New("it does not begin with https://")
	case u.User != nil:
		return Address{}, errors.New("a user or password does not belong in a URL; name them in a header")
	case u.Hostname() == "":
		return Address{}, errors.New("it names no host")
	}
	if err := refuseSheetPage(u); err != nil {
		return Address{}, err
	}
	if strings.Contains(text, "#") {
		return Address{}, errors.New("what follows # is never sent to a server; leave it out")
	}
	if err := MayTravel(u); err != nil {
		return Address{}, err
	}
	sum := sha256.Sum256([]byte(text))
	short := u.Scheme + "://" + printable.Clean(u.Host) + "#" + hex.EncodeToString(sum[:3])
	return Address{func() string { return text }, short}, nil
}

// URL returns the address for a request.
func (a Address) URL() *url.URL {
	if a.reveal == nil {
		return &url.URL{}
	}
	u, err := url.Parse(a.reveal())
	if err != nil {
		panic("secret: an address was parsed before and cannot be now")
	}
	return u
}

// IsZero reports whether there is no address.
func (a Address) IsZero() bool { return a.reveal == nil }

// String returns the short form.
func (a Address) String() string { return a.short }

// Format prints the short form whatever the verb.
func (a Address) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, a.short) }

// MarshalText gives the short form.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.short), nil }

// LogValue gives the short form.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.short) }

// AddTo makes a [Censor] know what the short form leaves out.
func (a Address) AddTo(c *Censor) {
	if a.IsZero() {
		return
	}
	text := a.reveal()
	c.Add(Secret{func() string { return text }})
	u := a.URL()
	parts := []string{u.RequestURI(), u.Path}
	for _, values := range u.Query() {
		parts = append(parts, values...)
	}
	for _, part := range append(parts, strings.Split(u.Path, "/")...) {
		if len(part) >= tellingLength {
			c.Add(Secret{func() string { return part }})
		}
	}
}
