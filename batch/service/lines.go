package service

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Line returns the way to a calendar, as Resolve named it.
func (s *Service) Line(ctx context.Context, calendar string) (*Line, error) {
	s.mu.Lock()
	l := s.lines[calendar]
	s.mu.Unlock()
	if l != nil {
		return l, nil
	}
	asked, err := s.asked(ctx, calendar)
	if err != nil {
		return nil, err
	}
	target, err := s.config.Connection.Targets.For(asked)
	if err != nil {
		return nil, err
	}
	if target.Calendar = calendar; target.Of(calendar) {
		target.Calendar = s.anyOf(ctx, target)
	}
	if l, err = s.open(ctx, target); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines[calendar] == nil {
		s.lines[calendar] = l
	}
	return s.lines[calendar], nil
}

// anyOf returns a calendar of the organization: requests about calendars name one of them, whichever it is.
// Where none can be told, they name none.
func (s *Service) anyOf(ctx context.Context, target profile.Target) (calendar string) {
	target.Calendar = ""
	l, err := s.open(ctx, target)
	if err != nil {
		return "" // who sends is told
	}
	all, _ := l.calendars(ctx, target.Organization)
	for i := range all {
		if id := all[i].ID; calendar == "" || id < calendar {
			calendar = id
		}
	}
	return calendar
}

// Across returns the way to all calendars of the organization whose key reaches this one,
// nil where the key is of a calendar.
func (s *Service) Across(ctx context.Context, calendar string) (*Line, error) {
	asked, err := s.asked(ctx, calendar)
	if err != nil {
		return nil, err
	}
	target, err := s.config.Connection.Targets.For(asked)
	if err != nil || target.Kind != secret.Organization {
		return nil, err
	}
	target.Calendar = ""
	return s.open(ctx, target)
}

// asked returns the name by which the profile finds a calendar: none for the only
// calendar of a key that does not say which it is. A run from an earlier process
// knows such a calendar before this process has asked.
func (s *Service) asked(ctx context.Context, calendar string) (string, error) {
	s.mu.Lock()
	own := s.ownCalendar
	s.mu.Unlock()
	if target, err := s.config.Connection.Targets.For(""); own == "" && err == nil && target.Calendar == "" {
		if own, err = s.Resolve(ctx, ""); err != nil {
			return "", err
		}
	}
	if calendar == own {
		return "", nil
	}
	return calendar, nil
}

func (s *Service) open(ctx context.Context, target profile.Target) (*Line, error) {
	credential, err := target.Credential(ctx)
	if err != nil {
		return nil, err
	}
	l := &Line{owners: owners(s.config.Connection, target, credential), Shared: target.Kind == secret.Organization}
	l.lane = s.scheduler.Lane(quota.LaneConfig{
		Owners: l.owners, Backlog: func() int { return int(l.Backlog.Load()) },
	})
	if s.asker != nil {
		l.beside = s.asker.scheduler.Lane(quota.LaneConfig{Owners: l.owners})
	}
	s.count(nameOf(l.owners), l.owners...)
	c := s.config.Connection
	l.Client, err = api.New(api.Config{
		BaseURL: c.BaseURL, Headers: api.Headers{APIKey: c.Headers.APIKey, Calendar: c.Headers.Calendar},
		Route: c.Routes.Of, Credential: credential, Gate: gate{s.quotas, s.transport, l}, Timeout: s.config.Timeout,
		Transport: s.transport, Room: s.room, Censor: s.censor, Log: s.config.Log, UserAgent: "eventbatch/" + s.config.Version,
		Leaves: s.config.leaves(), Answered: s.config.Answered,
	})
	return l, err
}

// Serves asks the service whether the calendar's key is for that calendar. An error
// says that it could not be asked.
func (s *Service) Serves(ctx context.Context, calendar string) (bool, error) {
	l, err := s.Line(ctx, calendar)
	if err != nil {
		return false, nil
	}
	record, err := l.calendar(ctx)
	if Unanswered(err) {
		return false, err
	}
	return err == nil && record.ID == calendar, nil
}

// Owner names whoever's quota all that is sent to a calendar uses, and other calendars with it: itself, or
// the organization whose key reaches it. Every process with such a key gives the same name.
func (s *Service) Owner(ctx context.Context, calendar string) (string, error) {
	l, err := s.Line(ctx, calendar)
	if err != nil {
		return "", err
	}
	return nameOf(l.owners), nil
}

// Sender returns the way to a calendar on which its changes are sent.
func (s *Service) Sender(l *Line, calendar string) Sender {
	return Sender{Client: l.Client, quotas: s.quotas, owners: l.owners, calendar: calendar}
}

// Way returns the way that an operation takes: to the calendar that is meant where none is
// named, or to the organization.
func (s *Service) Way(ctx context.Context, op *schema.Operation) (*Line, error) {
	if !strings.HasPrefix(op.Name, "organizations/") {
		calendar, err := s.Resolve(ctx, "")
		if err != nil {
			return nil, err
		}
		return s.Line(ctx, calendar)
	}
	found := map[string]profile.Target{}
	for _, target := range s.config.Connection.Targets.All() {
		if target.Kind == secret.Organization {
			target.Calendar = ""
			found[target.Organization] = target
		}
	}
	for _, target := range found {
		if len(found) == 1 {
			return s.open(ctx, target)
		}
	}
	err := fmt.Errorf("%s needs the key of an organization, and the profile has none", op.Name)
	if len(found) > 1 {
		err = fmt.Errorf("%s needs the key of an organization, and the profile has %d", op.Name, len(found))
	}
	return nil, failure.New(failure.Config, err, "choose a profile with one such key: --profile")
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

// Tightest returns the state of the tightest quota.
func (s *Service) Tightest() report.Quota {
	q := report.Quota{Left: -1, Waiting: s.Waiting()}
	for _, u := range s.Usage() {
		if q.Left < 0 || u.Left < q.Left {
			q.Left = u.Left
		}
		if u.ThrottledUntil.After(q.ThrottledUntil) {
			q.ThrottledUntil = u.ThrottledUntil
		}
	}
	q.Left = max(q.Left, 0)
	return q
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
