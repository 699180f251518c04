package secret

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// ParseBase reads the address of a service that a key is sent to: https, or
// http on a loopback address, with or without a path; no user, query or
// fragment. Its error does not repeat the address, which may hold a password.
func ParseBase(s string) (*url.URL, error) {
	if s == "" {
		return nil, errors.New("no address is given")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil && strings.Contains(s, "://"):
		return nil, errors.New("it is no URL")
	case err != nil: // 127.0.0.1:8787
		return nil, errors.New("it does not begin with https://")
	case u.User != nil:
		return nil, errors.New("a user or password does not belong in a URL")
	case u.Scheme == "" || u.Opaque != "":
		return nil, errors.New("it does not begin with https://")
	case u.Hostname() == "":
		return nil, errors.New("it names no host")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("it has a query or fragment")
	}
	if err := MayTravel(u); err != nil {
		return nil, err
	}
	return u, nil
}

// MayTravel reports whether a key may be sent to an address: over TLS, or without
// it where it does not leave the machine.
func MayTravel(u *url.URL) error {
	switch {
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return fmt.Errorf("the scheme is %q, not https", u.Scheme)
	case !Loopback(u.Hostname()):
		return errors.New("plain http is for loopback addresses only, use https")
	}
	return nil
}

// Loopback reports whether what is sent to a host does not leave the machine.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// CheckHeader reports whether a name can be that of a header of the service's
// own. Names on which net/http acts cannot: with an idempotency key it sends a
// POST again by itself.
func CheckHeader(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) {
		return errors.New("a header's name is letters, digits, - and _")
	}
	switch strings.ToLower(name) {
	case "idempotency-key", "x-idempotency-key", "host", "content-length", "content-type", "transfer-encoding",
		"connection", "upgrade", "trailer", "te", "expect", "accept", "user-agent":
		return errors.New("the name belongs to HTTP itself")
	}
	return nil
}
