package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
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
func (s *syncing) read(ctx context.Context, transport http.RoundTripper) (err error) {
	limit := s.job.send.maxDuration
	s.job.source.Timeout = min(cmp.Or(s.job.source.Timeout, feed.DefaultTimeout), limit)
	config := feed.Config{
		Source: s.job.source, Folder: s.job.folder, Transport: transport, UserAgent: userAgent(), Secrets: s.job.secrets(),
		Again: s.askedAgain,
	}
	if !s.job.sync.dryRun && !s.job.sync.accept && !s.job.plan.source.changes() {
		config.Known = s.memory.Known(s.bound)
	}
	s.feed, err = feed.Open(ctx, config)
	s.job.send.maxDuration = max(limit-time.Since(s.begun), time.Second)
	return err
}

// cutOff refuses a feed whose last line has no end, where that of the last night that was done had
// one: half of a cell may be all that has come of it. What is no table at all is left to who reads it.
func (s *syncing) cutOff(ctx context.Context) error {
	done, state := s.memory.Done, s.feed.State
	if done == nil || !done.Feed.LineEnd || state.LineEnd || state.SHA256 == "" || s.job.sync.accept || s.unreadable(ctx) {
		return nil
	}
	return failure.New(failure.Invalid, fmt.Errorf(
		"%s: the feed ends within a line, which it did not on %s: it may be cut off, or still be written; nothing was sent",
		printable.Clean(s.feed.Name), done.At.Local().Format("02 Jan 2006 15:04"),
	), "run the sync again in a while; if the last line is whole, say once: "+s.again("--accept"))
}

// unreadable reports whether the feed ends in an error that no end of a line would mend.
func (s *syncing) unreadable(ctx context.Context) bool {
	config, err := s.job.reading.config(s.app, []string{s.feed.Path}, s.begun)
	if err != nil {
		return true
	}
	reading, err := mapping.Read(ctx, config)
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
