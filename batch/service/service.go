package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Service is the connection of one process: a client a calendar, all of them
// under one scheduler of quotas.
type Service struct {
	*quotas

	config    Config
	transport *counter
	room      *api.Room
	censor    *secret.Censor

	mu          sync.Mutex
	lines       map[string]*Line
	ownCalendar string // of a key whose target names none, once it was asked for
}

// Open prepares a connection. Nothing is sent and no key is read.
func Open(config Config) (*Service, error) {
	if err := config.Connection.Ready(); err != nil {
		return nil, err
	}
	if config.Timeout <= 0 {
		config.Timeout = 30 * time.Second
	}
	if err := lags(&config); err != nil {
		return nil, err
	}
	if config.Sandbox != nil {
		config.Transport = config.Sandbox.Transport()
	}
	if config.Transport == nil {
		transport, err := api.NewTransport(api.TransportConfig{
			CAFile: config.Connection.CAFile, Connections: max(connections, config.Concurrency),
		})
		if err != nil {
			return nil, err
		}
		config.Transport = transport
	}
	s := &Service{
		config: config, lines: map[string]*Line{},
		transport: &counter{next: config.Transport, routes: &config.Connection.Routes}, room: api.NewRoom(), censor: new(secret.Censor),
	}
	s.quotas = newQuotas(&s.config)
	var err error
	if s.scheduler, err = quota.New(s.limits()); err != nil {
		return nil, fmt.Errorf("preparing quota: %w", err)
	}
	if config.Asks != nil {
		s.granter = &granter{asks: config.Asks, flight: s.config.flight(), held: map[string]*holding{}}
	}
	if config.Leases != nil {
		if s.asker, err = newAsker(&s.config, s.limits(), s.inherit); err != nil {
			return nil, fmt.Errorf("preparing quota: %w", err)
		}
	}
	return s, nil
}

// Close gives up what the connection has, and closes its files.
func (s *Service) Close() error {
	err := s.quotas.Close()
	if s.config.Sandbox != nil {
		err = errors.Join(err, s.config.Sandbox.Close())
	}
	return err
}

// lags refuses to take a service for quicker than its requests may be, unless it is one of this machine.
func lags(config *Config) error {
	least, lag := api.NewLag(config.Timeout, 0).Whole(), config.Connection.Limits.Lag
	if u, err := url.Parse(config.Connection.BaseURL); lag == 0 || lag >= least || err == nil && secret.Loopback(u.Hostname()) {
		return nil
	}
	return failure.New(failure.Config, fmt.Errorf("limits.lag is %s, and a request may take %s", lag, least),
		"leave it out: only a sandbox on this machine may have a shorter one")
}

// Apart returns the same connection for a run that is sent beside others, with keys that may be newer: it
// counts its own requests, and keeps to the quotas, paces and connections that all of them have. It is not
// closed.
func (s *Service) Apart(keys *profile.Connection) *Service {
	apart := &Service{
		config: s.config, room: s.room, censor: s.censor, lines: map[string]*Line{},
		transport: &counter{next: s.config.Transport, routes: &keys.Routes},
	}
	apart.config.Connection = keys
	apart.quotas = newQuotas(&apart.config)
	apart.scheduler, apart.granter, apart.of = s.scheduler, s.granter, s.quotas
	return apart
}

// Version returns the version of the program that asks.
func (s *Service) Version() string { return s.config.Version }

// Native returns the platform's own name among those that an event may have come from.
func (s *Service) Native() string { return s.config.Connection.NativePlatform }

// BaseURL returns where requests go.
func (s *Service) BaseURL() string { return s.config.Connection.BaseURL }

// Off returns why an operation is not called at all, nil where it is.
func (s *Service) Off(op *schema.Operation) error {
	_, err := s.config.Connection.Routes.Of(op)
	return err
}

// Window returns the span over which the service counts requests.
func (s *Service) Window() time.Duration { return s.config.Connection.Limits.Window }

// Lag returns how long it takes until the service shows what became of a request.
func (s *Service) Lag() api.Lag { return s.config.lag() }

// Await waits until the service's lists show what it answered at a moment.
func (s *Service) Await(ctx context.Context, answered time.Time) error {
	return s.Lag().Await(ctx, answered, func(wait time.Duration) {
		if s.config.Notice != nil {
			s.config.Notice("waiting "+report.Span(wait)+": lists of the service may lag behind what was just sent", true)
		}
	})
}

// Clock returns the service's time when it answered last, zero where it has not.
func (s *Service) Clock() time.Time {
	if at := s.transport.clock.Load(); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// Requests returns what left the machine so far.
func (s *Service) Requests() journal.Made {
	return s.transport.requests()
}
