package journal

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// busy is a store in which others plan, or that others have locked.
type busy struct {
	Store // what is not below is not asked

	planned, locked bool
	took            []string
}

func (b *busy) Name() string { return "a store" }

func (b *busy) Planning(ctx context.Context, alone bool) (done func() error, err error) {
	return b.take(ctx, "plans", b.planned && alone)
}

func (b *busy) Lock(ctx context.Context) (unlock func() error, err error) {
	return b.take(ctx, "locks", b.locked)
}

func (b *busy) take(ctx context.Context, what string, waits bool) (end func() error, err error) {
	if waits {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	b.took = append(b.took, what)
	return func() error {
		b.took = append(b.took, "ends what it "+what)
		return nil
	}, nil
}

func TestACopyWaitsForWhoeverPlansAndForTheLock(t *testing.T) {
	for _, tt := range []struct {
		store busy
		took  []string
	}{
		{busy{}, []string{"plans", "locks", "ends what it locks", "ends what it plans"}},
		{busy{planned: true}, nil},
		{busy{locked: true}, []string{"plans", "ends what it plans"}},
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
