package quota

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkTakeDone(b *testing.B) {
	for _, disk := range []bool{false, true} {
		for _, limit := range []int{500, 100_000} {
			for _, nested := range []bool{false, true} {
				b.Run(fmt.Sprintf("disk=%v/limit=%d/nested=%v", disk, limit, nested), func(b *testing.B) {
					// So short a window that the limit is never reached.
					cfg := Config{Window: 50 * time.Microsecond, Lease: time.Second}
					if limit > 500 {
						cfg.Window = 100 * time.Millisecond
					}
					if disk {
						cfg.Dir = b.TempDir()
					}
					owners := []Owner{calendar("c", limit)}
					if nested {
						owners = append(owners, organization(limit))
					}
					l := scheduler(b, cfg).Lane(LaneConfig{Owners: owners, Backlog: func() int { return 1000 }})
					b.ReportAllocs()
					for b.Loop() {
						slot, err := l.Take(b.Context())
						if err != nil {
							b.Fatal(err)
						}
						slot.Done(Seen{-1, -1})
					}
				})
			}
		}
	}
}

// BenchmarkTakeUnsentContended has two schedulers, as two processes would,
// change one ledger that is half full in turns.
func BenchmarkTakeUnsentContended(b *testing.B) {
	dir := b.TempDir()
	var lanes [2]*Lane
	for i := range lanes {
		lanes[i] = scheduler(b, Config{Dir: dir, Lease: time.Hour}).Lane(LaneConfig{Owners: []Owner{calendar("c", 500)}})
	}
	takeAtOnce(b, lanes[0], 250)
	for b.Loop() {
		for _, l := range lanes {
			slot, err := l.Take(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			slot.Unsent()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4, "ns/change")
}

func BenchmarkForecast(b *testing.B) {
	lanes := make([]LaneForecast, 100)
	for i := range lanes {
		lanes[i] = LaneForecast{[]Owner{calendar(fmt.Sprint(i), 200), organization(500)}, 1000 + i}
	}
	now := time.Unix(0, 0)
	for b.Loop() {
		Forecast(lanes, now, time.Minute, 50, nil)
	}
}
