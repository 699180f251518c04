package service

import (
	"context"
	"errors"
	"fmt"

	"eventbatch/batch/api"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
)

// own returns the calendar of a key that does not say which it is. It has to be asked for, once: the
// calendar is part of what names an event for good.
func (s *Service) own(ctx context.Context, target profile.Target) (calendar string, err error) {
	s.mu.Lock()
	calendar = s.ownCalendar
	s.mu.Unlock()
	if calendar != "" {
		return calendar, nil
	}
	credential, err := target.Credential(ctx)
	if err != nil {
		return "", err
	}
	m, err := quota.Recall(ctx, s.config.Ledgers, s.BaseURL()+" "+credential.Secret.Fingerprint())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	target.Calendar = m.Said
	l, err := s.open(ctx, target)
	if err != nil {
		return "", err
	}
	record, err := l.calendar(ctx)
	if err != nil {
		return "", fmt.Errorf("asking which calendar the key of %s is for: %w", target.Place, err)
	}
	s.mu.Lock()
	s.ownCalendar = record.ID
	s.mu.Unlock()
	if record.ID == m.Said {
		return record.ID, nil
	}
	// The question is counted again, now that the calendar is known, and so are those of processes that have
	// not heard the answer.
	asked := s.usageOf(l.owners[0]).Own
	if l, err = s.Line(ctx, record.ID); err != nil {
		return "", err
	}
	for range asked {
		slot, err := l.lane.Take(ctx)
		if err != nil {
			return "", err
		}
		slot.Done(api.Unseen)
	}
	return record.ID, m.Remember(record.ID)
}
