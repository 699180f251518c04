package postgres

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/plan"
)

// BenchmarkIntents tells how many commits a second one server takes on this disk from workers that
// store an intent each, over all their shares. A commit of a share under way has the intents of all its
// senders.
func BenchmarkIntents(b *testing.B) {
	const workers = 4
	address := pgtest.Durable(b)
	p := newPlace(b, address)
	for range workers {
		p.Open()
	}
	dbs := p.open
	for _, shares := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprint(shares, " shares"), func(b *testing.B) {
			store := OpenStore(dbs[0], p.Open().(*Store).local)
			to := plan.Target{BaseURL: target.BaseURL, Calendars: map[string]string{}}
			draft, err := store.Draft(time.Time{})
			for n := range max(b.N, shares) {
				calendar := fmt.Sprint("cal-", n%shares)
				to.Calendars[calendar] = "00112233"
				err = errors.Join(err, draft.Add(&plan.Op{
					N: n, Action: plan.Create, Operation: "events/create",
					Event: plan.Event{Calendar: calendar, Key: fmt.Sprint("key-", n), Slug: fmt.Sprint("a-", n)},
				}))
			}
			if err != nil {
				b.Fatal(err)
			}
			run, err := draft.Seal(plan.Header{Command: "import", Target: to}, nil)
			if err != nil {
				b.Fatal(err)
			}
			var journals []journal.Journal
			for n := range shares {
				lease, err := OpenStore(dbs[n%len(dbs)], store.local).Lease(fmt.Sprint("calendar ", n))
				if err != nil {
					b.Fatal(err)
				}
				r, err := lease.Share([]string{fmt.Sprint("cal-", n)}).Find(run.ID())
				if err != nil {
					b.Fatal(err)
				}
				j, _, err := r.Attach(journal.Attachment{Target: to})
				if err != nil {
					b.Fatal(err)
				}
				journals = append(journals, j)
				defer func() {
					if err := errors.Join(j.Close(), lease.Release(nil)); err != nil {
						b.Error(err)
					}
				}()
			}
			b.ResetTimer()
			var all sync.WaitGroup
			for n, j := range journals {
				all.Go(func() {
					for i := n; i < b.N; i += shares {
						if err := j.Commit(b.Context(), intent(i)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "intents/s")
		})
	}
}
