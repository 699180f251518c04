package main

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptMail starts a mail server that takes what comes over TLS and with the password that is
// in the environment under a name, and writes it into a file, which is kept out of the way:
// mailserver VARIABLE PASSWORD-VARIABLE FILE. Its certificate is mail.pem. To whom the password
// is wrong it repeats it.
func scriptMail(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: mailserver VARIABLE PASSWORD-VARIABLE FILE")
	}
	_, address, certificate, closed, err := openPostOffice(ts.MkAbs(args[2]), ts.Getenv(args[1]))
	ts.Check(err)
	ts.Defer(closed)
	ts.Check(os.WriteFile(ts.MkAbs("mail.pem"), certificate, 0o600))
	ts.Setenv(args[0], address)
}

// openPostOffice starts a mail server on this machine, until it is closed.
func openPostOffice(path, password string) (office *postOffice, address string, certificate []byte, closed func(), err error) {
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	office = &postOffice{path: path, password: password}
	server := smtp.NewServer(office)
	server.Domain, server.ErrorLog = "mail.example", unheard{}
	server.TLSConfig = &tls.Config{Certificates: certified.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", nil, nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // until it is closed
	}()
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw})
	closed = func() {
		_ = server.Close()
		<-done
	}
	return office, listener.Addr().String(), certificate, closed, nil
}

// postOffice keeps the mail that it is sent in a file.
type postOffice struct {
	path, password string

	mu sync.Mutex
}

func (p *postOffice) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &posting{postOffice: p, conn: c}, nil
}

// posting is a connection to a postOffice.
type posting struct {
	*postOffice

	conn  *smtp.Conn
	lines []string
}

func (*posting) AuthMechanisms() []string { return []string{sasl.Plain} }

func (p *posting) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		_, encrypted := p.conn.TLSConnectionState()
		if !encrypted || password != p.password {
			return &smtp.SMTPError{Code: 535, Message: "no " + password + " here, " + user}
		}
		p.lines = append(p.lines, "login "+user)
		return nil
	}), nil
}

func (p *posting) Mail(from string, _ *smtp.MailOptions) error {
	if len(p.lines) == 0 {
		return smtp.ErrAuthRequired
	}
	p.lines = append(p.lines, "from "+from)
	return nil
}

func (p *posting) Rcpt(to string, _ *smtp.RcptOptions) error {
	p.lines = append(p.lines, "to "+to)
	return nil
}

func (p *posting) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := os.OpenFile(p.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s\n%s\n", strings.Join(p.lines, "\n"), strings.ReplaceAll(string(text), "\r\n", "\n"))
	return err
}

func (*posting) Reset()        {}
func (*posting) Logout() error { return nil }

// unheard is a log that nobody reads: connections fail here on purpose.
type unheard struct{}

func (unheard) Printf(string, ...any) {}
func (unheard) Println(...any)        {}
