package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
)

// TransportConfig is what a transport can be told.
type TransportConfig struct {
	// Connections is how many requests are under way at once: no more connections
	// to one host are opened, and so many are kept. 0 means 16.
	Connections int
	// CAFile holds certificates (PEM) to trust besides the system's.
	CAFile string
}

// untrusted returns why the certificates to trust cannot be had.
func untrusted(path string, cause error) error {
	if failed, ok := errors.AsType[*os.PathError](cause); ok {
		cause = failed.Err // the path is named already
	}
	return failure.New(
		failure.Config, fmt.Errorf("reading the certificates in %s: %w", path, cause),
		"name a file of certificates in PEM form with --ca-file, or ca_file in the profile",
	)
}

// NewTransport returns the transport for the service: HTTP/1.1 (with HTTP/2 a
// debug setting of Go prints every header, the key too), TLS 1.2 or newer, no
// transparent compression, idle connections dropped before usual servers and
// load balancers drop them. Proxies are taken from the environment as
// http.ProxyFromEnvironment does (HTTPS_PROXY, NO_PROXY; never for a loopback
// address); the key travels within TLS, so a proxy does not see it. The error is of
// the kind [failure.Config].
func NewTransport(c TransportConfig) (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := regular.Read(c.CAFile, regular.MiB)
		if err != nil {
			return nil, untrusted(c.CAFile, err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, untrusted(c.CAFile, errors.New("it holds no certificate in PEM form"))
		}
		config.RootCAs = pool
	}
	if c.Connections <= 0 {
		c.Connections = 16
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    10 * time.Second,
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxIdleConns:           0,
		MaxIdleConnsPerHost:    c.Connections,
		MaxConnsPerHost:        c.Connections,
		IdleConnTimeout:        20 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}, nil
}

// keyed is the innermost RoundTripper: the only place where the key is.
type keyed struct {
	next     http.RoundTripper
	base     *url.URL
	name     string // of the key's header
	prefix   string // of its value
	key      secret.Secret
	calendar string // header that selects the calendar, empty for none
	id       string // of the calendar
}

func newKeyed(next http.RoundTripper, base *url.URL, h Headers, c secret.Credential) (*keyed, error) {
	k := &keyed{next: next, base: base, name: h.APIKey, key: c.Secret}
	if k.name == "" {
		k.name = "x-service-api-key"
	}
	switch c.Kind {
	case secret.Calendar, "":
	case secret.OAuth:
		k.name, k.prefix = "Authorization", "Bearer "
	case secret.Organization:
		if k.id = c.Calendar; k.id != "" {
			if k.calendar = h.Calendar; k.calendar == "" {
				k.calendar = "x-service-calendar-id"
			}
		}
	default:
		return nil, fmt.Errorf("unknown kind of key %q", c.Kind)
	}
	for _, name := range []string{k.name, k.calendar} {
		if name == "" {
			continue
		}
		if err := secret.CheckHeader(name); err != nil {
			return nil, fmt.Errorf("reading header name %q: %w", name, err)
		}
	}
	if strings.ContainsFunc(k.id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("%q cannot be the id of a calendar", k.id)
	}
	return k, nil
}

// refusedError says that a request was not let out.
type refusedError struct{ reason string }

func (e *refusedError) Error() string { return e.reason }

// RoundTrip sets the key after it has checked where the request goes.
func (k *keyed) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := secret.MayTravel(req.URL); err != nil {
		return nil, &refusedError{"the key is not sent there: " + err.Error()}
	}
	if req.URL.Scheme != k.base.Scheme || req.URL.Host != k.base.Host || req.Host != k.base.Host {
		return nil, &refusedError{"the key is not sent to another host than the base URL's"}
	}
	out := req.WithContext(req.Context())
	out.Header = req.Header.Clone()
	out.Header.Set(k.name, k.prefix+k.key.Reveal())
	if k.calendar != "" {
		out.Header.Set(k.calendar, k.id)
	}
	res, err := k.next.RoundTrip(out)
	if res != nil {
		res.Request = req // which has no key, should anybody print it
	}
	return res, err
}
