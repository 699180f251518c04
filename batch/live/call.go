package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"eventbatch/batch/api"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Answer makes a request of the catalog that changes nothing, for the calendar that is meant where none is named, or
// for the organization, and returns the answer as it came.
func Answer(ctx context.Context, s *service.Service, op *schema.Operation, query url.Values) (json.RawMessage, error) {
	l, err := s.Way(ctx, op)
	if err != nil {
		return nil, err
	}
	if op.Reads() {
		answer, err := l.Read(ctx, op, query)
		return answer.Body, unread(err)
	}
	body := map[string]string{}
	for name := range query {
		body[name] = query.Get(name)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var answer api.Answer
	err = service.Asked(ctx, func() (err error) {
		answer, err = l.Write(ctx, op, text, nil)
		return err
	})
	return answer.Body, unread(err)
}

// Entries goes through all entries of a list, page by page.
func Entries(ctx context.Context, s *service.Service, op *schema.Operation, query url.Values) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		l, err := s.Way(ctx, op)
		if err != nil {
			yield(nil, err)
			return
		}
		pages := l.Pages(ctx, op, query)
		if !op.Paged() { // it is asked as the user says, and not as a whole
			pages = func(yield func(api.Page, error) bool) {
				entries, err := api.EntriesOf(l.Read(ctx, op, query))
				yield(api.Page{Entries: entries}, err)
			}
		}
		for entry, err := range api.Entries(pages) {
			if !yield(entry, unread(err)) {
				return
			}
		}
	}
}

// NameOf returns the name of the record of an id, which belongs to the event, or to the calendar
// that is meant where none is named.
func NameOf(ctx context.Context, s *service.Service, r *schema.Resource, event, id string) (string, error) {
	calendar, err := s.Resolve(ctx, "")
	if err != nil {
		return "", err
	}
	t, err := Of(ctx, s, calendar)
	if err != nil {
		return "", err
	}
	records, err := t.Records(ctx, r, event)
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
