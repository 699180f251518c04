// Package notify tells people and machines how the nights of a sync end: webhooks and mail
// in words, a heartbeat by a request, Prometheus by a file.
//
// A night is told by its state. A state that lasts is told once, then again after a day or when it has
// a cause that was not told; its end is told too. A night that changed something is news each time,
// and so is one that has something to note of its feed. What is told is put on disk before it leaves,
// with the state, and taken off once it has arrived: what could not be delivered, or what a kill
// prevented, is told when the sync runs next. A night that began and has no end by then was broken
// off, which is a failure too.
//
//	Begin  what is owed, the heartbeat's start, the beginning on disk
//	End    the state on disk, then notices, metrics, the heartbeat's end
//
// Nothing that fails here fails the sync: errors are returned to be shown. They, like the
// file, name addresses by their short form only.
//
// A text has so many characters at most. With private columns it is without their cells ([Troubles]):
// all else is told as it is.
package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wneessen/go-mail"

	"eventbatch/batch/report/finding"
)

// Teller tells of the nights of one sync.
type Teller struct {
	config Config
	dial   mail.DialContextFunc // to the mail server; nil is the network's own
	heard  []string
}

// Heard returns whom a notice has reached since New: mail addresses, and the short form of
// webhooks' addresses.
func (t *Teller) Heard() []string { return t.heard }

// New returns a Teller.
func New(c Config) *Teller {
	if len(c.On) == 0 {
		c.On = []State{Failed, Refused}
	}
	if c.Again <= 0 {
		c.Again = 24 * time.Hour
	}
	if c.Patience <= 0 {
		c.Patience = time.Minute
	}
	return &Teller{config: c}
}

// Begin tells what is owed, and that a night begins. It is called by who holds the sync's
// lock.
func (t *Teller) Begin(ctx context.Context) error {
	ctx, cancel := t.patient(ctx)
	defer cancel()
	now := time.Now().UTC()
	m, err := remember(&t.config, func(m *memory) {
		if broken := m.Began; !broken.IsZero() {
			reason := "broken off"
			if told, since := m.end(&t.config, Failed, []string{reason}, broken, now); told != "" {
				t.owe(m, told, &words{
					Sync: t.config.Sync, State: Failed, Reason: reason, At: moment(broken), Since: moment(since),
					Error: "the run that began at " + moment(broken) + " was ended before it could tell how",
				}, nil, now)
			}
		}
		m.Began = now
	})
	return errors.Join(err, t.deliver(ctx, m.Owed), t.beat(ctx, "start"))
}

// End tells how a night ended. A night that found the sync locked has no Begin, and is told
// from the second in a row on.
func (t *Teller) End(ctx context.Context, night Night) error {
	ctx, cancel := t.patient(ctx)
	defer cancel()
	now := time.Now().UTC()
	state := StateOf(night.Exit.Code, night.Changed)
	first := false
	m, err := remember(&t.config, func(m *memory) {
		if state == Locked {
			if m.Locked++; m.Locked < 2 {
				first = true
				return
			}
			state = Failed
		} else {
			m.Locked, m.Began = 0, time.Time{}
		}
		if told, since := m.end(&t.config, state, causesOf(&night, state), cmp.Or(night.Began, now), now); told != "" {
			t.owe(m, told, night.words(&t.config, told, since, now), &night, now)
		}
	})
	if first {
		return err
	}
	signal := ""
	if state.bad() {
		signal = "fail"
	}
	return errors.Join(err, measure(&t.config, &night, m.Success, now), t.deliver(ctx, m.Owed), t.beat(ctx, signal))
}

func (t *Teller) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, t.config.Patience, fmt.Errorf("telling took more than %s", t.config.Patience))
}

func (t *Teller) beat(ctx context.Context, signal string) error {
	return t.config.web().beat(ctx, t.config.Heartbeat, signal)
}

// owe puts a notice for each target into the memory. The night is nil where nobody knows how it ended.
func (t *Teller) owe(m *memory, state State, w *words, night *Night, now time.Time) {
	of := Facts{Sync: t.config.Sync, State: state}
	if night != nil {
		of.Run, of.Rows = night.Run, night.Rows
		of.Exit = &finding.Exit{Code: w.Exit, Reason: w.Reason, Error: w.Error, Hint: w.Hint}
	}
	subject := oneLine(fmt.Sprintf("eventbatch: %s %s", w.Sync, state))
	for _, to := range t.config.To {
		m.Serial++
		m.Owed = append(m.Owed, notice{Serial: m.Serial, To: to.id(), Subject: subject, Text: t.config.Text.of(w), At: now, Night: of})
	}
	m.Owed = m.Owed[max(0, len(m.Owed)-maxOwed):]
}

// deliver tells what is owed. What does not arrive stays owed.
func (t *Teller) deliver(ctx context.Context, owed []notice) error {
	if len(owed) == 0 {
		return nil
	}
	var errs []error
	var done []int
	for i := range owed {
		n := &owed[i]
		at := slices.IndexFunc(t.config.To, func(to Target) bool { return to.id() == n.To })
		if at >= 0 {
			who, err := t.tell(ctx, t.config.To[at], n)
			if err != nil {
				errs = append(errs, fmt.Errorf("%w; it is told when the sync runs next", err))
				continue
			}
			t.heard = append(t.heard, who)
		} // else nobody is to be told any more
		done = append(done, n.Serial)
	}
	_, err := remember(&t.config, func(m *memory) {
		m.Owed = slices.DeleteFunc(m.Owed, func(n notice) bool { return slices.Contains(done, n.Serial) })
	})
	return errors.Join(append(errs, err)...)
}

// tell returns who was told.
func (t *Teller) tell(ctx context.Context, to Target, n *notice) (who string, err error) {
	if to.Mail != "" {
		s := server{t.config.Mail, t.config.Secrets, t.config.TLS, t.dial}
		return to.Mail, s.mail(ctx, to.Mail, n)
	}
	return t.config.web().post(ctx, to.Webhook, n)
}
