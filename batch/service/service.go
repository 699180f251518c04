package service

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Config is how the service is reached.
type Config struct {
	Connection *profile.Connection
	// Transport carries the requests; nil means the network.
	Transport http.RoundTripper
	// Ledgers is the folder of the quota's ledgers, shared by all processes of
	// the machine; empty keeps them in memory, for a service in this process.
	Ledgers string
	// Leases hand the quotas over between machines; nil where the runs lie in a folder, or
	// whoever sends has the leases by itself, with [Service.Restore] and [Service.Account].
	Leases Leases
	// Asks are those of other processes for slots of what this one holds, and of this one where it has Leases; nil
	// where the runs lie in a folder.
	Asks  Asks
	Pace  float64 // requests a second, 0 sets no bound, quota.AutoPace follows the limits
	Share float64 // of each limit, 0 means all
	// Timeout bounds one request; 0 means 30 s.
	Timeout     time.Duration
	Concurrency int // of one calendar
	// Patience is how long a wait that the service asks for is borne; 0 means
	// however long it is.
	Patience time.Duration
	// Notice is told, in words, what the service says of a quota that somebody has
	// to know, and whether it is a wait that is borne. It may be nil.
	Notice func(words string, waits bool)
	// Answered is told what each request was answered that has changed something, from any
	// goroutine. It may be nil.
	Answered func(*schema.Operation, []byte)
	Log      *slog.Logger
	Version  string
}

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

// connections is how many requests a process has under way at once, whatever the
// number of calendars: at any latency up to two seconds more than the pace asks for,
// and within what the smallest usual limits allow a process to open.
const connections = 128

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
		if s.asker, err = newAsker(s.quotas); err != nil {
			return nil, fmt.Errorf("preparing quota: %w", err)
		}
	}
	return s, nil
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

func (c *Config) lag() api.Lag { return api.NewLag(c.Timeout, c.Connection.Limits.Lag) }

// Await waits until the service's lists show what it answered at a moment.
func (s *Service) Await(ctx context.Context, answered time.Time) error {
	return s.Lag().Await(ctx, answered, func(wait time.Duration) {
		if s.config.Notice != nil {
			s.config.Notice("waiting "+report.Span(wait)+": lists of the service may lag behind what was just sent", true)
		}
	})
}

// Target returns what a run that concerns these calendars is bound to. A calendar
// whose key cannot be read is told apart, so that it holds up no other.
func (s *Service) Target(ctx context.Context, calendars []string) (plan.Target, map[string]error) {
	target := plan.Target{BaseURL: s.BaseURL(), Calendars: map[string]string{}}
	failed := map[string]error{}
	for _, calendar := range calendars {
		asked, err := s.asked(ctx, calendar)
		if err != nil {
			failed[calendar] = err
			continue
		}
		prints, errs := s.config.Connection.Targets.Fingerprints(ctx, []string{asked})
		for _, err := range errs {
			failed[calendar] = err
		}
		for _, print := range prints {
			target.Calendars[calendar] = print
		}
	}
	return target, failed
}

// Clock returns the service's time when it answered last, zero where it has not.
func (s *Service) Clock() time.Time {
	if at := s.transport.clock.Load(); at > 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// Requests returns what left the machine so far.
func (s *Service) Requests() journal.Requests {
	return s.transport.requests()
}

// Forecast returns when the last of the requests will leave, by calendar.
func (s *Service) Forecast(ctx context.Context, requests map[string]int, now time.Time) time.Time {
	var lanes []quota.LaneForecast
	for _, calendar := range slices.Sorted(maps.Keys(requests)) {
		l, err := s.Line(ctx, calendar)
		if err != nil {
			continue // a calendar without a key takes no time
		}
		lanes = append(lanes, quota.LaneForecast{Owners: l.owners, Requests: requests[calendar]})
	}
	usage := s.Usage()
	for i := range usage {
		// A slot that is out for a request not answered yet is kept for as long
		// as the request may take; it is answered in a moment.
		if u, soon := &usage[i], now.Add(s.Window()); u.AllFree.After(soon) {
			u.AllFree = soon
		}
	}
	return quota.Forecast(lanes, now, s.Window(), s.scheduler.Pace(), usage)
}
