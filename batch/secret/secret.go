// Package secret holds keys that never show themselves.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"eventbatch/mapping/failure"
)

// Redacted is what a Secret prints as, under every verb and in every encoding.
const Redacted = "[redacted]"

// Secret is one key. Its value lives behind a closure, so that not even
// reflection over an unexported field (which is how fmt walks a struct that it
// may not call methods on) can print it. The zero Secret holds nothing.
type Secret struct {
	reveal func() string
}

// maxLength is far above any key, and far below what a server takes as a header.
const maxLength = 4096

// New takes a key as a source gave it. A key is sent as a header, so it has to
// be 1 to 4096 visible ASCII characters; anything else is refused with an error
// that tells the kind of the fault without the value.
func New(value string) (Secret, error) {
	switch {
	case value == "":
		return Secret{}, errors.New("the key is empty")
	case len(value) > maxLength:
		return Secret{}, fmt.Errorf("the key is %d bytes long, more than %d", len(value), maxLength)
	}
	for i := range len(value) {
		switch c := value[i]; {
		case c == '\n' || c == '\r':
			return Secret{}, malformed("the key holds a line break")
		case c == ' ' || c == '\t':
			return Secret{}, malformed("the key holds a blank")
		case c < 0x20 || c == 0x7f:
			return Secret{}, malformed("the key holds a control character")
		case c > 0x7f:
			return Secret{}, malformed("the key holds a character that is not ASCII")
		}
	}
	return Secret{reveal: func() string { return value }}, nil
}

// malformed returns what is wrong with what a source gave, without the value.
func malformed(fault string) error {
	return failure.New(failure.NoKey, errors.New(fault), "the source has to give the key alone, on one line")
}

// Reveal gives the value. Only the transport calls it, at the moment when the
// header is set.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsZero reports whether there is no key.
func (s Secret) IsZero() bool { return s.reveal == nil }

// Equal compares two keys in constant time.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// Fingerprint names the key without giving it away: twelve hex digits of a
// hash that serves nothing else. It is empty for the zero Secret.
func (s Secret) Fingerprint() string {
	if s.IsZero() {
		return ""
	}
	sum := sha256.Sum256([]byte("eventbatch key fingerprint\x00" + s.Reveal()))
	return hex.EncodeToString(sum[:6])
}

// String gives Redacted.
func (Secret) String() string { return Redacted }

// GoString gives Redacted.
func (Secret) GoString() string { return Redacted }

// Format prints Redacted whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// MarshalText gives Redacted.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// MarshalJSON gives Redacted.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Redacted + `"`), nil }

// LogValue gives Redacted.
func (Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }
