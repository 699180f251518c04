package batch

import (
	"errors"
	"testing"

	"eventbatch/batch/journal"
	"eventbatch/batch/send"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

// What only this worker cannot send waits for another one, which may have the key.
func TestAWorkerEndsNoShareForTheOthers(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		over  bool
		waits bool
	}{
		"sent":            {nil, true, false},
		"told to end":     {work.ErrDrained, false, false},
		"taken back":      {work.ErrWithdrawn, false, false},
		"keys read anew":  {work.ErrRestarted, false, false},
		"no key":          {failure.New(failure.NoKey, errors.New("no key"), ""), false, true},
		"another key":     {&journal.StaleTargetError{Calendar: "cal-1"}, false, true},
		"refused key":     {&send.CredentialError{}, false, true},
		"somebody has it": {&journal.LockedError{}, false, false},
		"taken over":      {&journal.FencedError{}, false, false},
		"no database":     {failure.New(failure.Away, errors.New("gone"), ""), false, true},
		"damaged":         {&journal.DamagedError{}, true, false},
		"too many errors": {&send.TooManyErrorsError{}, true, false},
		"of another plan": {failure.New(failure.Stale, errors.New("stale"), ""), true, false},
	} {
		if got := outcomeOf(test.err); got.Over != test.over || (got.Why != "") != test.waits {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
