package batch

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/quota"
)

// A question is put to a service that cannot be reached five times, for about three
// seconds, and to one that answers with failures eight times, for about ten: the first
// plan of a calendar hangs on its listing.
const (
	asksUnreached = 5
	asksFailing   = 8
	longestPause  = 2 * time.Second
)

// lastAsk reports whether the failure of one more try is taken for good.
func lastAsk(try int, err error) bool {
	if _, unreached := errors.AsType[*api.NotSentError](err); unreached {
		return try+1 >= asksUnreached
	}
	return try+1 >= asksFailing
}

// ask makes a request that changes nothing, again where its failure may pass. A
// plan of many rows does not come to nothing because of one lost answer.
func ask(ctx context.Context, call func() error) error {
	for try := 0; ; try++ {
		err := call()
		if err == nil || !passing(err) || lastAsk(try, err) {
			return err
		}
		if err := pause(ctx, try, err); err != nil {
			return err
		}
	}
}

// answer asks a question, and gives the answer.
func answer[T any](ctx context.Context, question func(context.Context) (T, error)) (said T, err error) {
	err = ask(ctx, func() (err error) {
		said, err = question(ctx)
		return err
	})
	return said, err
}

// list calls found once for each event of the calendar that the query asks for. A
// list that breaks off goes on where it broke off.
func list(ctx context.Context, service *Service, calendar string, query api.ListQuery, found func(api.Event)) error {
	l, err := service.Line(ctx, calendar)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for try := 0; ; try++ {
		last, err := query.After, error(nil)
		for event, failure := range l.client.ListEvents(ctx, query) {
			if failure != nil {
				err = failure
				break
			}
			if !seen[event.ID] {
				seen[event.ID] = true
				found(event)
			}
			if event.StartAt.After(last) {
				last = event.StartAt
			}
		}
		if err == nil {
			return nil
		}
		if from := last.Add(-time.Second); from.After(query.After) {
			query.After, try = from, 0
		}
		if !passing(err) || lastAsk(try, err) {
			return err
		}
		if err := pause(ctx, try, err); err != nil {
			return err
		}
	}
}

// passing reports whether another attempt may get an answer.
func passing(err error) bool {
	if _, ok := errors.AsType[*api.NotSentError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*api.RateLimitedError](err); ok {
		return true
	}
	_, ok := errors.AsType[*api.UnknownOutcomeError](err)
	return ok
}

// unanswered reports whether the service could not be asked, which says nothing of
// what was asked.
func unanswered(err error) bool {
	_, parked := errors.AsType[*quota.ParkedError](err)
	return parked || passing(err)
}

// pause waits before another attempt: longer each time, not at all after a 429,
// which the quota waits out.
func pause(ctx context.Context, try int, reason error) error {
	if _, ok := errors.AsType[*api.RateLimitedError](reason); ok {
		return ctx.Err()
	}
	wait := min(250*time.Millisecond<<try, longestPause)
	timer := time.NewTimer(wait/2 + rand.N(wait/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
