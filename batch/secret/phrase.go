package secret

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/failure"
)

// NewPhrase takes a secret that is no key and may hold blanks and any script, such as
// a password or the value of a header. It is one line without control characters.
func NewPhrase(value string) (Secret, error) {
	switch {
	case value == "":
		return Secret{}, errors.New("it is empty")
	case len(value) > maxLength:
		return Secret{}, fmt.Errorf("it is %d bytes long, more than %d", len(value), maxLength)
	case !utf8.ValidString(value):
		return Secret{}, malformed("it is not UTF-8")
	case strings.ContainsFunc(value, unicode.IsControl):
		return Secret{}, malformed("it holds a control character or a line break")
	}
	return Secret{reveal: func() string { return value }}, nil
}

// ReadPhrase fetches what a reference names where that is no key: a password, the value
// of a header, an address. Every failure is of the kind [failure.NoKey], and never
// holds what was fetched.
func (s Sources) ReadPhrase(ctx context.Context, r Ref) (Secret, error) {
	return s.fetch(ctx, r, "", NewPhrase)
}

// ReadAddress fetches an address.
func (s Sources) ReadAddress(ctx context.Context, r Ref) (Address, error) {
	text, err := s.ReadPhrase(ctx, r)
	if err != nil {
		return Address{}, err
	}
	a, err := ParseAddress(text.Reveal())
	if err != nil {
		return Address{}, failure.New(failure.NoKey, fmt.Errorf("reading %s: the address: %w", r, err), "")
	}
	return a, nil
}
