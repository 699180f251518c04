package service

import (
	"context"
	"encoding/json"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
)

// Sender is the way to a calendar that keeps the pace of its operations: the service takes
// so many blasts in five minutes, whoever sends them. The slots are kept as those of the
// quota are, so that all processes of the machine keep the pace together.
type Sender struct {
	*api.Client

	service  *Service
	calendar string
}

// Sender returns the way to a calendar on which its changes are sent.
func (s *Service) Sender(l *Line, calendar string) Sender { return Sender{l.Client, s, calendar} }

// Write sends a request once the pace of its operation lets it go.
func (p Sender) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	if op.Pace.Most > 0 {
		lane, err := p.service.pace(op, p.calendar)
		if err != nil {
			return api.Answer{}, err
		}
		slot, err := lane.Take(ctx)
		if err != nil {
			return api.Answer{}, fmt.Errorf("waiting for the pace of %s: %w", op.Name, err)
		}
		defer slot.Done(quota.Seen(api.Unseen))
	}
	return p.Client.Write(ctx, op, body, before)
}

// pace returns the queue of an operation that has a pace, of one calendar.
func (s *Service) pace(op *schema.Operation, calendar string) (*quota.Lane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scheduler, err := s.pacer(op)
	if err != nil {
		return nil, err
	}
	owner := quota.Owner{
		Kind: op.Name, ID: s.BaseURL() + " " + calendar, Name: calendarOwner + " " + calendar, Limit: op.Pace.Most,
	}
	if l := s.lines[calendar]; l != nil {
		s.count(nameOf(l.owners), owner)
	}
	return scheduler.Lane(quota.LaneConfig{Owners: []quota.Owner{owner}}), nil
}

// pacer returns what keeps the pace of an operation.
func (s *Service) pacer(op *schema.Operation) (*quota.Scheduler, error) {
	if s.of != nil {
		s.of.mu.Lock()
		defer s.of.mu.Unlock()
		return s.of.pacer(op)
	}
	scheduler := s.paces[op]
	if scheduler == nil {
		var err error
		config := s.quota()
		config.Window, config.Pace, config.Share, config.MaxInFlight, config.Notice = op.Pace.Per, 0, 0, 0, nil
		if scheduler, err = quota.New(config); err != nil {
			return nil, fmt.Errorf("preparing the pace of %s: %w", op.Name, err)
		}
		s.paces[op] = scheduler
	}
	return scheduler, nil
}
