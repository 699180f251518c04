package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"strings"

	"eventbatch/batch/api"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Read makes a request of the catalog that changes nothing, for the calendar that is meant where none is named, or
// for the organization, and returns the answer as it came.
func (s *Service) Read(ctx context.Context, op *schema.Operation, query url.Values) (json.RawMessage, error) {
	l, err := s.way(ctx, op)
	if err != nil {
		return nil, err
	}
	var answer api.Answer
	err = Asked(ctx, func() (err error) {
		if op.Reads() {
			answer, err = l.Client.Read(ctx, op, query)
			return err
		}
		body := map[string]string{}
		for name := range query {
			body[name] = query.Get(name)
		}
		text, err := json.Marshal(body)
		if err == nil {
			answer, err = l.Client.Write(ctx, op, text, nil)
		}
		return err
	})
	return answer.Body, unread(err)
}

// NameOf returns the name of the record of an id, which belongs to the event, or to the calendar
// that is meant where none is named.
func (s *Service) NameOf(ctx context.Context, r *schema.Resource, event, id string) (string, error) {
	calendar, err := s.Resolve(ctx, "")
	if err != nil {
		return "", err
	}
	l, err := s.Line(ctx, calendar)
	if err != nil {
		return "", err
	}
	records, err := l.Records(ctx, r, event)
	if err != nil {
		return "", unread(err)
	}
	record, there := records.Of(id)
	if !there {
		err := fmt.Errorf("there is no %s %s", r.One, id)
		return "", failure.New(failure.Invalid, err, "write the "+r.Named+", or an id as the service lists it")
	}
	return r.NameIn(record.Values), nil
}

// Entries goes through all entries of a list, page by page. A page whose failure may pass is
// asked for again.
func (s *Service) Entries(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		l, err := s.way(ctx, op)
		if err != nil {
			yield(nil, err)
			return
		}
		for entry, err := range api.Entries(l.Pages(ctx, op, query)) {
			if !yield(entry, unread(err)) {
				return
			}
		}
	}
}

// Pages goes through a list. One that breaks off goes on where it broke off.
func (l *Line) Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[api.Page, error] {
	return func(yield func(api.Page, error) bool) {
		if !op.Paged() {
			entries, err := api.EntriesOf(l.Ask(ctx, op.Name, query))
			yield(api.Page{Entries: entries}, err)
			return
		}
		query, attempts, whole := maps.Clone(query), api.Attempts{Retry: api.Asking}, true
		if query == nil {
			query = url.Values{}
		}
		var err error
		for err == nil {
			for page, failed := range l.Client.Pages(ctx, op, query) {
				if err = failed; err != nil {
					break
				}
				if !yield(page, nil) {
					return
				}
				attempts = api.Attempts{Retry: api.Asking}
				if whole = page.Next != ""; whole { // it can be gone on with from there
					query.Set("pagination_cursor", page.Next)
				}
			}
			switch {
			case err == nil:
				return
			case whole:
				err = attempts.Again(ctx, err)
			}
		}
		yield(api.Page{}, err)
	}
}

// unread returns why a read was refused as what is wrong with what was asked for.
func unread(err error) error {
	if _, rejected := errors.AsType[*api.RejectedError](err); rejected {
		return failure.New(failure.Invalid, err, "the service takes the key but not the request: look at its parameters")
	}
	if _, forbidden := errors.AsType[*api.ForbiddenError](err); forbidden {
		return failure.New(failure.NoKey, err, "the service answers so to an id that it does not know too: look whether the id is right")
	}
	return err
}

// way returns the way that an operation takes: to the calendar that is meant where none is
// named, or to the organization.
func (s *Service) way(ctx context.Context, op *schema.Operation) (*Line, error) {
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
