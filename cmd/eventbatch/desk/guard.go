package desk

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mostBody is how long the body of a request may be.
const mostBody = 1 << 20

// refusal is why a request is not answered.
type refusal struct {
	status int
	words  string
}

// Error returns the words.
func (r *refusal) Error() string { return r.words }

func refuse(status int, words string) error { return &refusal{status, words} }

// policy lets the page load its own files, have the style of this sum and ask this address, and nothing else. Scripts make no
// HTML of texts.
const policy = "default-src 'none'; script-src 'self'; style-src 'sha256-%s'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// headers are those of every answer, besides the policy.
var headers = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cache-Control":                "no-store",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=()",
}

// local reports whether a Host is a name of this machine that no other machine can have: a web page elsewhere may have its
// own name lead here, and is the same origin then for whoever compares Host with Origin.
func local(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	} else {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, name)
}

var crossOrigin = http.NewCrossOriginProtection()

// wall refuses what does not come from the page itself, whatever is asked for. It comes before the routes.
func wall(r *http.Request) error {
	if !local(r.Host) {
		return refuse(http.StatusMisdirectedRequest, "this page answers to the names 127.0.0.1 and localhost only")
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return refuse(http.StatusForbidden, "the request comes from another page")
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return refuse(http.StatusForbidden, "the request comes from another page")
	}
	if crossOrigin.Check(r) != nil { // which the two above are stricter than: it lets every GET pass
		return refuse(http.StatusForbidden, "the request comes from another page")
	}
	if r.Header.Get("Upgrade") != "" {
		return refuse(http.StatusBadRequest, "there is nothing to upgrade to")
	}
	return nil
}

// posts refuses a body that is not the page's own JSON.
func posts(r *http.Request) error {
	switch {
	case r.Method != http.MethodPost && r.ContentLength != 0:
		return refuse(http.StatusBadRequest, "nothing is posted there")
	case r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json":
		return refuse(http.StatusUnsupportedMediaType, "the body is not application/json")
	}
	return nil
}

// How long a body may take to come, and that of a request which is refused: a server reads it too, before the connection is free again.
const (
	bodyTime    = 30 * time.Second
	refusedTime = time.Second
)

// limitBody bounds how long the body of a request is waited for.
func limitBody(w http.ResponseWriter, r *http.Request, most time.Duration) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(most)) // where there is a connection
	}
}

// prompt is a writer of answers that gives up where nobody reads on: a lock that is held for an answer is not held for good.
type prompt struct{ http.ResponseWriter }

// Unwrap returns the writer that it writes to, for [http.ResponseController].
func (p prompt) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p prompt) Write(text []byte) (int, error) {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(readTime)) // where there is a connection
	return p.ResponseWriter.Write(text)
}

// readTime is how long whoever asked may take to read a part of the answer.
const readTime = 10 * time.Second

// takeBody reads the body of a request, before anything is held for it.
func takeBody(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refuse(http.StatusRequestEntityTooLarge, "the body is too long")
	}
	if err != nil {
		return refuse(http.StatusRequestTimeout, "the body did not come")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // likewise: the answer may take long
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}

// codeLife is how long a link is good.
const codeLife = 2 * time.Minute

// access is who may ask: whoever has the token, which is given for a code, once.
type access struct {
	mu    *sync.Mutex
	token string
	codes map[string]time.Time // until when each is good; zero: it was used
	good  context.Context      // of the token
	void  context.CancelFunc
}

func newAccess() access {
	a := access{mu: &sync.Mutex{}}
	a.renew()
	return a
}

// renew has another token be good in the place of the one before, whose requests end.
func (a *access) renew() {
	if a.void != nil {
		a.void()
	}
	a.token, a.codes = secret(), map[string]time.Time{}
	a.good, a.void = context.WithCancel(context.Background())
}

// secret returns 256 bits that nobody can guess.
func secret() string {
	bits := make([]byte, 32)
	_, _ = rand.Read(bits) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits)
}

// code returns a new code.
func (a *access) code() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	code := secret()
	a.codes[code] = time.Now().Add(codeLife)
	return code
}

// exchange returns the token for a code. Of one that was used before somebody else may have had the token: it is good
// for nobody from then on.
func (a *access) exchange(code string) (token string, stolen bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for known, until := range a.codes {
		if !same(known, code) {
			continue
		}
		if until.IsZero() {
			a.renew()
			return "", true, refuse(http.StatusForbidden, "the link was used before: press Enter in the terminal for a new one")
		}
		if time.Now().After(until) {
			return "", false, refuse(http.StatusForbidden, "the link is too old: press Enter in the terminal for a new one")
		}
		a.codes[known] = time.Time{}
		return a.token, false, nil
	}
	return "", false, refuse(http.StatusForbidden, "no such link: press Enter in the terminal for a new one")
}

// holds reports whether the request has the token, and returns what ends when that is no longer good.
func (a *access) holds(r *http.Request) (good context.Context, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.good, same(a.token, r.Header.Get(tokenHeader))
}

// tokenHeader is where the token is: a cookie would be shared with whatever else is on a port of this machine, and an
// address is kept in histories.
const tokenHeader = "X-Desk-Token"

// same compares in a time that tells nothing.
func same(known, said string) bool {
	a, b := sha256.Sum256([]byte(known)), sha256.Sum256([]byte(said))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// numberIn reads a number of a query up to a bound.
func numberIn(text string, preset, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return preset
	}
	return min(n, most)
}
