package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// busy is a store of which others have a lock, or do what keeps it from being taken.
type busy struct {
	Store // what is not below is not asked

	busy Lock // -1 for none
	took []string
}

func (b *busy) Name() string { return "a store" }

func (b *busy) Lock(ctx context.Context, what Lock) (unlock func() error, err error) {
	if what == b.busy {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	b.took = append(b.took, fmt.Sprint("locks ", what))
	return func() error {
		b.took = append(b.took, fmt.Sprint("unlocks ", what))
		return nil
	}, nil
}

func TestACopyWaitsForWhoeverPlansAndForTheLock(t *testing.T) {
	for _, tt := range []struct {
		store busy
		took  []string
	}{
		{busy{busy: -1}, []string{"locks 2", "locks 0", "unlocks 0", "unlocks 2"}},
		{busy{busy: Quiet}, nil},
		{busy{busy: Runs}, []string{"locks 2", "unlocks 2"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, start := &tt.store, time.Now()
			unlock, err := lockBriefly(t.Context(), b)
			if err == nil {
				err = unlock()
			} else if _, locked := errors.AsType[*LockedError](err); locked && time.Since(start) == copyWait {
				err = nil
			}
			if err != nil || !slices.Equal(b.took, tt.took) {
				t.Errorf("it took %v, not %v: %v", b.took, tt.took, err)
			}
		})
	}
}
