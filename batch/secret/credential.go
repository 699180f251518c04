package secret

import (
	"fmt"
	"strings"
)

// Kind says whom a key speaks for, which decides the header it travels in and
// the quota it uses (service: Authentication, Limits).
type Kind string

// The kinds of a key.
const (
	Calendar     Kind = "calendar"     // one calendar, implied by the key
	Organization Kind = "organization" // every calendar of an organization, selected by a header
	OAuth        Kind = "oauth"        // a bearer token; shares its calendar's quota
)

// ParseKind understands the name of a kind; empty means Calendar.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(strings.ToLower(strings.TrimSpace(s))); k {
	case "":
		return Calendar, nil
	case Calendar, Organization, OAuth:
		return k, nil
	}
	return "", fmt.Errorf("unknown kind of key %q, want calendar, organization or oauth", s)
}

// UnmarshalText makes Kind readable from files.
func (k *Kind) UnmarshalText(text []byte) error {
	parsed, err := ParseKind(string(text))
	if err != nil {
		return err
	}
	*k = parsed
	return nil
}

// Credential is a key with what is known of its reach.
type Credential struct {
	Kind Kind
	// Calendar is the calendar that the requests are for: with an organization
	// key it is sent as a header, with another key it is implied. Empty where
	// the only calendar of a key is not named.
	Calendar string
	Secret   Secret
}
