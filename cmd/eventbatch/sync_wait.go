package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/postgres"
	"eventbatch/batch/work"
)

// wait waits until the workers have ended what an earlier night has left to them, where the feed says
// something else by now: no row could be planned whose key that run has not settled. The run of the same
// feed is gone on with.
func (s *syncing) wait(ctx context.Context) error {
	if s.db == nil || s.job.sync.dryRun {
		return nil
	}
	limit := time.After(s.job.send.maxDuration)
	for said := false; ; said = true {
		run, err := s.underWay(ctx)
		if run == "" || err != nil {
			return err
		}
		if !said {
			s.screen.Aside("the workers have run " + run + " of an earlier feed: waiting for its end")
		}
		select {
		case <-time.After(followEvery):
		case <-ctx.Done():
			return context.Canceled
		case <-limit:
			return fmt.Errorf("waiting for the end of run %s, which the workers have: %w", run, batch.ErrTimeUp)
		}
	}
}

// underWay returns the run of an earlier feed that workers are to end, empty where there is none: one
// that waits for somebody to see to a key is not waited for.
func (s *syncing) underWay(ctx context.Context) (string, error) {
	runs, err := s.db.HandedOf(s.job.sourceName())
	if err != nil || len(runs) == 0 {
		return "", err
	}
	if alive, err := work.Alive(ctx, s.db); !alive || err != nil {
		return "", err
	}
	for _, id := range runs {
		run, err := s.shared.Find(id)
		if err != nil {
			return "", err
		}
		shares, err := s.db.SharesOf(id)
		if err != nil {
			return "", err
		}
		same := slices.ContainsFunc(run.Header().Sheets, func(sheet plan.Sheet) bool { return sheet.SHA256 == s.feed.State.SHA256 })
		if !same && slices.ContainsFunc(shares, func(share postgres.Share) bool { return share.Waits == "" }) {
			return id, nil
		}
	}
	return "", nil
}
