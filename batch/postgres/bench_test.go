package postgres

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
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
			run := fmt.Sprint("run-", shares, "-", time.Now().UnixNano())
			number := int(time.Now().UnixNano() % 1e9)
			err := dbs[0].Insert(&journal.Stored{ID: run, Number: number, Created: time.Now(), Header: []byte("{}")},
				func(func(journal.StoredOp, error) bool) {}, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			var held []journal.Held
			for n := range shares {
				lease, _, _, err := dbs[n%len(dbs)].Lease(fmt.Sprint("calendar ", n))
				if err != nil {
					b.Fatal(err)
				}
				h, _, err := lease.Hold(run, []string{fmt.Sprint("cal-", n)})
				if err != nil {
					b.Fatal(err)
				}
				held = append(held, h)
				defer func() {
					if err := h.Release(); err != nil {
						b.Error(err)
					}
					if err := lease.Release(nil); err != nil {
						b.Error(err)
					}
				}()
			}
			piece := make([]byte, 250) // what an intent takes
			b.ResetTimer()
			var all sync.WaitGroup
			for n, h := range held {
				all.Go(func() {
					for i := n; i < b.N; i += shares {
						if err := h.Append(piece, int64(i/shares), int64(i/shares)+1, 0); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}
