package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"eventbatch/batch/printable"
	"eventbatch/batch/secret"
)

// tlsPort is the port on which TLS comes before SMTP.
const tlsPort = 465

const mailTimeout = 30 * time.Second

// server is the one by which mail leaves.
type server struct {
	Mail

	secrets secret.Sources
	tls     *tls.Config          // nil is the system's
	dial    mail.DialContextFunc // nil is the network's own
}

// mail sends a notice. The connection is encrypted before anything is said, unless it does
// not leave the machine.
func (s *server) mail(ctx context.Context, to string, n *notice) error {
	var censor secret.Censor
	err := s.send(ctx, to, n, &censor)
	if err == nil {
		return nil
	}
	// What the server says may repeat what it was told.
	return fmt.Errorf("sending mail by %s: %w", s.Host, errors.New(censor.Redact(printable.Brief(err.Error(), maxWords))))
}

func (s *server) send(ctx context.Context, to string, n *notice, censor *secret.Censor) error {
	host, port, err := net.SplitHostPort(s.Host)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return errors.New("its port is no number")
	}
	config := &tls.Config{}
	if s.tls != nil {
		config = s.tls.Clone()
	}
	config.ServerName, config.MinVersion = host, tls.VersionTLS12
	local := secret.Loopback(host)
	options := []mail.Option{
		mail.WithPort(number), mail.WithTLSConfig(config), mail.WithTimeout(mailTimeout), mail.WithTLSPolicy(mail.TLSMandatory),
	}
	if s.dial != nil {
		options = append(options, mail.WithDialContextFunc(s.dial))
	}
	switch {
	case number == tlsPort:
		options = append(options, mail.WithSSL())
	case local:
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if !s.User.IsZero() {
		user, err := s.secrets.ReadPhrase(ctx, s.User)
		if err != nil {
			return err
		}
		password, err := s.secrets.ReadPhrase(ctx, s.Password)
		if err != nil {
			return err
		}
		censor.Add(password)
		login := mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover)
		if local {
			login = mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc)
		}
		options = append(options, mail.WithUsername(user.Reveal()), mail.WithPassword(password.Reveal()), login)
	}
	message := mail.NewMsg()
	if err := message.From(s.From); err != nil {
		return err
	}
	if err := message.To(to); err != nil {
		return err
	}
	message.Subject(n.Subject)
	message.SetDateWithValue(n.At)
	message.SetMessageID()
	message.SetBodyString(mail.TypeTextPlain, n.Text+"\n")
	client, err := mail.NewClient(host, options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, message)
}
