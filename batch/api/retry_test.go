package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetries(t *testing.T) {
	var (
		unsent  = &NotSentError{Err: errors.New("refused")}
		lost    = &UnknownOutcomeError{Status: 500, Err: errors.New("oh")}
		limited = &RateLimitedError{}
	)
	for _, test := range []struct {
		policy      Retry
		err         error
		want        int // attempts
		least, most time.Duration
	}{
		{Asking, unsent, 5, 1875 * time.Millisecond, 4 * time.Second},
		{Asking, lost, 8, 4 * time.Second, 10 * time.Second},
		{Asking, limited, 5, 0, 0}, // the gate waits them out
		{Asking, &UnauthorizedError{}, 1, 0, 0},
		{Asking, &WrongAddressError{}, 1, 0, 0},
		{Asking, errors.New("no slot"), 1, 0, 0},
		{Sending, unsent, 20, 4 * time.Minute, 8 * time.Minute}, // and on
		{Sending, lost, 8, 15 * time.Second, 32 * time.Second},
		{Sending, limited, 20, 0, 0},
		{Sending, &RejectedError{}, 1, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts, made, begin := Attempts{Retry: test.policy}, 1, time.Now()
			for ; made < 20; made++ {
				if err := attempts.Again(t.Context(), test.err); err != nil {
					if !errors.Is(err, test.err) {
						t.Error(err)
					}
					break
				}
			}
			if took := time.Since(begin); made != test.want || took < test.least || took > test.most {
				t.Errorf("%+v, %T: %d attempts in %v, want %d", test.policy, test.err, made, took, test.want)
			}
		})
	}
}

func TestNoRetryAfterTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	attempts := Attempts{Retry: Asking}
	if err := attempts.Again(ctx, &RateLimitedError{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
