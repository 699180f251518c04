package desk

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
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

// policy lets the page load its own files and ask this address, and nothing else. Scripts make no HTML of texts.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// headers are those of every answer.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
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
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "the body is not application/json")
	}
	return nil
}

// codeLife is how long a link is good.
const codeLife = 2 * time.Minute

// access is who may ask: whoever has the token, which is given for a code, once.
type access struct {
	mu    *sync.Mutex
	token string
	codes map[string]time.Time // until when each is good; zero: it was used
}

func newAccess() access {
	return access{mu: &sync.Mutex{}, token: secret(), codes: map[string]time.Time{}}
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
			a.token, a.codes = secret(), map[string]time.Time{}
			return "", true, refuse(http.StatusForbidden, "the link was used before; ask for a new one in the terminal")
		}
		if time.Now().After(until) {
			return "", false, refuse(http.StatusForbidden, "the link is too old; ask for a new one in the terminal")
		}
		a.codes[known] = time.Time{}
		return a.token, false, nil
	}
	return "", false, refuse(http.StatusForbidden, "no such link; ask for a new one in the terminal")
}

// holds reports whether the request has the token.
func (a *access) holds(r *http.Request) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return same(a.token, r.Header.Get(tokenHeader))
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
