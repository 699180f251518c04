package postgres

import (
	"slices"
	"testing"
	"time"
)

// An ask is answered by whoever has the lease, ends once, and is no more then.
func TestSlotsAreGrantedByWhoeverHasTheLease(t *testing.T) {
	p, a, b, _ := twoOf(t)
	ctx, counted := t.Context(), []string{"calendar cal-1", "organization org-1"}
	ask := func() int64 {
		t.Helper()
		id, err := b.Ask(ctx, "organization org-1", counted, 8)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	lease, err := a.Lease("organization org-1")
	if err != nil {
		t.Fatal(err)
	}
	asked := func(ids ...int64) time.Time {
		t.Helper()
		asks, now, err := a.Asked(ctx, map[string]int64{"organization org-1": lease.Epoch})
		var got []int64
		for _, ask := range asks {
			got = append(got, ask.ID)
			if !slices.Equal(ask.Counted, counted) || ask.Wanted != 8 || ask.Age < 0 || ask.Age > time.Minute {
				t.Errorf("%+v", ask)
			}
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, ids) {
			t.Fatalf("asked are %v, want %v: %v", got, ids, err)
		}
		return now
	}
	grants := func(id, epoch int64, until time.Time, want bool) {
		t.Helper()
		if granted, err := a.Grant(ctx, id, epoch, 5, until); granted != want || err != nil {
			t.Fatalf("granted: %v, %v", granted, err)
		}
	}
	first, second := ask(), ask()
	now := asked(first, second)
	if slots, _, err := b.Granted(ctx, first); slots != 0 || err != nil {
		t.Errorf("%d slots before the answer: %v", slots, err)
	}
	grants(first, lease.Epoch-1, now.Add(time.Minute), false) // somebody else has taken over
	grants(first, lease.Epoch, now.Add(time.Minute), true)
	grants(first, lease.Epoch, now.Add(time.Minute), false)
	if slots, left, err := b.Granted(ctx, first); slots != 5 || left < 30*time.Second || left > time.Minute || err != nil {
		t.Errorf("%d slots for %v: %v", slots, left, err)
	}
	for _, id := range []int64{first, second} { // the second was not answered
		if err := b.Used(ctx, id, 3); err != nil {
			t.Fatal(err)
		}
	}
	grants(second, lease.Epoch, now.Add(time.Minute), false)
	asked(first)
	asked()
	ask()
	p.exec("update asks set asked = now() - '1 hour'::interval")
	last := ask() // what nobody has ended is forgotten
	asked(last)
	asks, _, err := a.Asked(ctx, map[string]int64{"organization org-1": lease.Epoch - 1, "calendar cal-1": 1})
	if err != nil || len(asks) != 1 || !asks[0].Lost || asks[0].ID != 0 || asks[0].Owner != "organization org-1" {
		t.Errorf("of a lease that is lost: %+v, %v", asks, err)
	}
}
