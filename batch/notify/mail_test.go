package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"eventbatch/batch/secret"
)

// post is a mail server that keeps what it is sent.
type post struct {
	mu     sync.Mutex
	mails  []string
	from   []string
	to     []string
	logins []string
	refuse error // of a login
}

func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{post: p}, nil }

type session struct{ *post }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logins = append(s.logins, user+":"+password)
		return s.refuse
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = append(s.from, from)
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = append(s.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, string(data))
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

// office serves mail on this machine, with STARTTLS where it has a certificate.
func office(t *testing.T, encrypted bool) (*post, net.Listener, *tls.Config) {
	t.Helper()
	p := &post{}
	server := smtp.NewServer(p)
	server.Domain, server.AllowInsecureAuth = "mail.example", !encrypted
	server.ErrorLog = quiet{}
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	if encrypted {
		server.TLSConfig = &tls.Config{Certificates: certified.TLS.Certificates}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	pool := x509.NewCertPool()
	pool.AddCert(certified.Certificate())
	return p, listener, &tls.Config{RootCAs: pool}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// mailing is a sync that tells by mail, by a server of that name, wherever it is.
func mailing(t *testing.T, host string, listener net.Listener, roots *tls.Config) *Teller {
	t.Helper()
	teller := telling(t, &sink{})
	teller.config.Heartbeat = secret.Ref{}
	teller.config.To = []Target{{Mail: "ops@example.org"}}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	teller.config.Mail = Mail{
		Host: net.JoinHostPort(host, port), From: "eventbatch@example.org",
		User: secret.Ref{Scheme: "env", Value: "USER"}, Password: secret.Ref{Scheme: "env", Value: "PASSWORD"},
	}
	teller.config.TLS = roots
	teller.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, listener.Addr().String())
	}
	return teller
}

func TestMailArrives(t *testing.T) {
	for name, c := range map[string]struct {
		host      string
		encrypted bool
	}{"over TLS": {"example.com", true}, "on this machine": {"127.0.0.1", false}} {
		t.Run(name, func(t *testing.T) {
			p, listener, roots := office(t, c.encrypted)
			teller := mailing(t, c.host, listener, roots)
			n := night(65, "invalid")
			n.Exit.Error = "2 rows are invalid: Späť\r\n.\r\nRCPT TO:<x@example.org>"
			if err := teller.End(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			if len(p.mails) != 1 || p.from[0] != "eventbatch@example.org" || len(p.to) != 1 || p.to[0] != "ops@example.org" {
				t.Fatalf("%+v", p)
			}
			if len(p.logins) != 1 || p.logins[0] != "bot:"+canary {
				t.Errorf("logged in as %q", p.logins)
			}
			m, err := mail.ReadMessage(strings.NewReader(p.mails[0]))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(m.Body)
			if m.Header.Get("Subject") != "eventbatch: members failed" ||
				!strings.Contains(string(body), "members failed: invalid (exit 65)") {
				t.Errorf("%v\n%s", m.Header, body)
			}
			if strings.Contains(p.mails[0], canary) {
				t.Error("the password is in the mail")
			}
		})
	}
}

func TestMailThatCannotBeSentSafelyIsNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		host      string
		encrypted bool
		trusted   bool
		want      string
	}{
		"without STARTTLS":         {"example.com", false, true, "does not support STARTTLS"},
		"a certificate of nobody":  {"example.com", true, false, "certificate"},
		"a certificate of another": {"mail.example.net", true, true, "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			p, listener, roots := office(t, c.encrypted)
			if !c.trusted {
				roots = nil
			}
			err := mailing(t, c.host, listener, roots).End(t.Context(), night(65, "invalid"))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "sending mail by "+c.host) ||
				!strings.Contains(err.Error(), "it is told when the sync runs next") {
				t.Errorf("%v", err)
			}
			if len(p.mails)+len(p.logins) > 0 {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestPasswordIsInNoError(t *testing.T) {
	p, listener, roots := office(t, true)
	p.refuse = &smtp.SMTPError{Code: 535, Message: "no " + canary + " here, bot"}
	err := mailing(t, "example.com", listener, roots).End(t.Context(), night(65, "invalid"))
	if err == nil || strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "535") {
		t.Errorf("%v", err)
	}
	teller := mailing(t, "example.com", listener, roots)
	teller.config.Mail.Password = secret.Ref{Scheme: "env", Value: "NONE"}
	if err := teller.End(t.Context(), night(65, "invalid")); err == nil || !strings.Contains(err.Error(), "env:NONE") {
		t.Errorf("%v", err)
	}
	listener.Close()
	teller = mailing(t, "example.com", listener, roots)
	if err := teller.End(t.Context(), night(65, "invalid")); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}
