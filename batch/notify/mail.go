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

// Mail is how mail leaves.
type Mail struct {
	Host     string // with its port
	From     string
	User     secret.Ref // zero: without logging in
	Password secret.Ref
}

// tlsPort is the port on which TLS comes before SMTP.
const tlsPort = 465

const mailTimeout = 30 * time.Second

// mail sends a notice. The connection is encrypted before anything is said, unless it does
// not leave the machine.
func (t *Teller) mail(ctx context.Context, to string, n *notice) error {
	var censor secret.Censor
	err := t.send(ctx, to, n, &censor)
	if err == nil {
		return nil
	}
	// What the server says may repeat what it was told.
	return fmt.Errorf("sending mail by %s: %w", t.config.Mail.Host, errors.New(censor.Redact(printable.Brief(err.Error(), maxWords))))
}

func (t *Teller) send(ctx context.Context, to string, n *notice, censor *secret.Censor) error {
	host, port, err := net.SplitHostPort(t.config.Mail.Host)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return errors.New("its port is no number")
	}
	config := &tls.Config{}
	if t.config.TLS != nil {
		config = t.config.TLS.Clone()
	}
	config.ServerName, config.MinVersion = host, tls.VersionTLS12
	local := secret.Loopback(host)
	options := []mail.Option{
		mail.WithPort(number), mail.WithTLSConfig(config), mail.WithTimeout(mailTimeout), mail.WithTLSPolicy(mail.TLSMandatory),
	}
	if t.dial != nil {
		options = append(options, mail.WithDialContextFunc(t.dial))
	}
	switch {
	case number == tlsPort:
		options = append(options, mail.WithSSL())
	case local:
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if !t.config.Mail.User.IsZero() {
		user, err := t.config.Secrets.ReadPhrase(ctx, t.config.Mail.User)
		if err != nil {
			return err
		}
		password, err := t.config.Secrets.ReadPhrase(ctx, t.config.Mail.Password)
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
	if err := message.From(t.config.Mail.From); err != nil {
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
