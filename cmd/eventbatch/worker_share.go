package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/mapping/failure"
)

// taking is a share while a worker sends it.
type taking struct {
	*carrier

	share    *postgres.Share
	end      time.Time // of the turn
	epoch    int64
	requests journal.Requests
	tally    journal.Tally
}

// send sends what is open of the share, under the leases of those who own its quota by the keys of
// this worker. Those may be others than by the keys of the command.
func (t *taking) send(ctx context.Context) error {
	var rules sendRules
	if err := json.Unmarshal(t.share.Rules, &rules); err != nil {
		return failure.New(failure.Stale, fmt.Errorf("reading the rules of run %s: %w", t.share.Run, err), "")
	}
	service := t.conn.Apart(t.keys.Load())
	t.opened(service)
	defer t.closed(service)
	owners, err := t.owners(ctx, service)
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		if ctx.Err() == nil {
			err = errors.Join(err, t.under(ctx, service, owner, owners[owner], &rules))
		}
	}
	return errors.Join(err, ctx.Err())
}

// owners returns the calendars of the share by the owner of their quota, and an error where the key of
// some is missing.
func (t *taking) owners(ctx context.Context, service *batch.Service) (owners map[string][]string, err error) {
	if t.share.BaseURL != service.BaseURL() {
		err := fmt.Errorf("run %s is for %s, and this worker has keys for %s", t.share.Run, t.share.BaseURL, service.BaseURL())
		return nil, failure.New(failure.NoKey, err, "")
	}
	owners = map[string][]string{}
	var without []string
	for _, calendar := range slices.Sorted(slices.Values(t.share.Calendars)) {
		owner, missing := service.Owner(ctx, calendar)
		if missing != nil {
			without, err = append(without, calendar), cmp.Or(err, missing)
			continue
		}
		owners[owner] = append(owners[owner], calendar)
	}
	if err != nil {
		err = failure.New(failure.NoKey, fmt.Errorf("no key for calendar %s: %w", printable.Names(without), err), "")
	}
	return owners, err
}

// under sends calendars under the lease of their owner.
func (t *taking) under(ctx context.Context, service *batch.Service, owner string, calendars []string, rules *sendRules) error {
	lease, err := t.shared.Lease(owner)
	if err != nil {
		return err
	}
	t.epoch = lease.Epoch
	if lease.Left.Known && !lease.Left.Released {
		t.takeOvers.Add(1)
	}
	store := lease.Share(calendars)
	run, err := store.Find(t.share.Run)
	if err == nil {
		err = service.Restore(owner, lease.Left)
	}
	if err == nil {
		var applied *batch.Applied
		applied, err = batch.Apply(ctx, batch.ApplyConfig{
			Run: run, Workspace: store, Service: service, Concurrency: min(rules.Concurrency, t.concurrency),
			MaxErrors: rules.MaxErrors, MaxDuration: max(time.Until(t.end), time.Second), Fresh: rules.Fresh, Version: version(),
		})
		if applied != nil {
			t.requests.Add(applied.Requests)
			if applied.State != nil {
				for status, n := range applied.State.Tally() {
					t.tally[status] += n
				}
			}
		}
	}
	return errors.Join(err, lease.Release(service.Account(owner)))
}
