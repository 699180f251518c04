package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"eventbatch/batch/feed"
	"eventbatch/batch/printable"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// read gets the feed, in the time that the whole night has, and leaves the rest of it to what follows.
func (s *syncRun) read(ctx context.Context) (err error) {
	limit, config := s.Duration, s.Feed
	config.Folder, config.Timeout = s.Folder, min(cmp.Or(config.Timeout, feed.DefaultTimeout), limit)
	if !s.Dry && !s.Accept && !s.plan.Source.Changes() {
		config.Known = s.memory.Known(s.bound)
	}
	s.feed, err = feed.Open(ctx, config)
	s.Duration = max(limit-time.Since(s.begun), time.Second)
	if err == nil {
		r := &s.plan.Reading
		r.Files, r.Names = []string{s.feed.Path}, map[string]string{s.feed.Path: s.feed.Name}
	}
	return err
}

// cutOff refuses a feed whose last line has no end, where that of the last night that was done had
// one: half of a cell may be all that has come of it. What is no table at all is left to who reads it.
func (s *syncRun) cutOff(ctx context.Context) error {
	done, state := s.memory.Done, s.feed.State
	if done == nil || !done.Feed.LineEnd || state.LineEnd || state.SHA256 == "" || s.Accept || s.unreadable(ctx) {
		return nil
	}
	return failure.New(failure.Invalid, fmt.Errorf(
		"%s: the feed ends within a line, which it did not on %s: it may be cut off, or still be written; nothing was sent",
		printable.Clean(s.feed.Name), shownTime(done.At),
	), "run the sync again in a while; if the last line is whole, say once: "+s.Screen.Again("--accept"))
}

// unreadable reports whether the feed ends in an error that no end of a line would mend.
func (s *syncRun) unreadable(ctx context.Context) bool {
	reading, err := mapping.Read(ctx, s.plan.Reading)
	if err == nil {
		defer reading.Close()
		for _, err = range reading.Results(ctx) {
			if err != nil {
				break
			}
		}
	}
	unread, _ := errors.AsType[*sheet.Error](err)
	headless, _ := errors.AsType[*mapping.HeaderError](err)
	if headless != nil && slices.ContainsFunc(headless.Problems, func(p schema.Problem) bool {
		return p.Code == schema.CodeNoHeader && p.Place.Row == 0 // there is nothing in it
	}) {
		return true
	}
	return unread != nil && unread.Problem.Code != schema.CodeUnclosedQuote
}

// waitEvery is how often it is asked whether the workers have ended a run.
const waitEvery = time.Second

// wait waits until the workers have ended what an earlier night has left to them, where the feed says
// something else by now: no row could be planned whose key that run has not settled. The run of the same
// feed is gone on with.
func (s *syncRun) wait(ctx context.Context) error {
	if s.Dry {
		return nil
	}
	limit := time.After(s.Duration)
	for said := false; ; said = true {
		run, err := s.Host.Handed(ctx, s.Source, s.feed.State.SHA256)
		if run == "" || err != nil {
			return err
		}
		if !said {
			s.Screen.Aside("the workers have run " + run + " of an earlier feed: waiting for its end")
		}
		select {
		case <-time.After(waitEvery):
		case <-ctx.Done():
			return context.Canceled
		case <-limit:
			return fmt.Errorf("waiting for the end of run %s, which the workers have: %w", run, ErrTimeUp)
		}
	}
}
