package notify

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"net/http"
	"time"

	"eventbatch/batch/secret"
)

// Settings are what the configuration says.
type Settings struct {
	On        []State // empty: failed and refused
	To        []Target
	Again     time.Duration // after which a state that lasts is told again; 0: a day
	Text      *Text         // nil: the package's own
	Private   []string      // columns of which no cell is told
	Heartbeat secret.Ref    // an address to ask for
	Metrics   string        // a file for Prometheus
}

// Target is whom to tell: one of the two.
type Target struct {
	Webhook secret.Ref
	Mail    string // an address
}

// id names a target without giving away what it is.
func (t Target) id() string {
	sum := sha256.Sum256([]byte(t.Mail + "\x00" + t.Webhook.Scheme + "\x00" + t.Webhook.Value))
	return hex.EncodeToString(sum[:6])
}

// Config is what it takes to tell.
type Config struct {
	Settings
	Sync string
	// Keep puts what change makes of the state of this sync in its place, while no other
	// process does.
	Keep      func(change func(text []byte) []byte) error
	Mail      Mail
	Secrets   secret.Sources
	Transport http.RoundTripper
	TLS       *tls.Config // of mail; nil is the system's
	UserAgent string
	Patience  time.Duration // of Begin and End, each; 0: a minute
}

// Mail is how mail leaves.
type Mail struct {
	Host     string // with its port
	From     string
	User     secret.Ref // zero: without logging in
	Password secret.Ref
}
