package batch_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// BenchmarkOwnTime says how many times as long as checking a file it takes to plan it,
// to take the plan up until the first request leaves, to end it once the last answer has
// come, and to plan it again unchanged; and the largest heap of each in MiB. The bound of
// each is 20 times and 250 MiB. ROWS is how many rows there are.
func BenchmarkOwnTime(b *testing.B) {
	rows, err := strconv.Atoi(os.Getenv("ROWS"))
	if err != nil {
		rows = 20_000
	}
	s := newSending(b, "create", rows, 10, 0)
	var first, last atomic.Int64
	s.asked = func() {
		now := time.Now().UnixNano()
		first.CompareAndSwap(0, now)
		last.Store(now)
	}
	begin := time.Now()
	if _, err := batch.Check(b.Context(), batch.CheckConfig{Reading: s.reading()}); err != nil {
		b.Fatal(err)
	}
	check := time.Since(begin)
	report := func(name string, took time.Duration, heap uint64) {
		b.ReportMetric(float64(took)/float64(check), name+"-of-check")
		b.ReportMetric(float64(heap>>20), name+"-MiB")
	}
	for b.Loop() {
		var service *batch.Service
		var run journal.Run
		var workspace *journal.Workspace
		begin, most := time.Now(), watchHeap(b.Context())
		service, run, workspace = s.plan(b)
		report("plan", time.Since(begin), most())
		first.Store(0)
		begin, most = time.Now(), watchHeap(b.Context())
		if _, err := batch.Apply(b.Context(), batch.ApplyConfig{
			Run: run, Workspace: workspace, Service: service, Concurrency: s.concurrency, Version: "bench",
		}); err != nil {
			b.Fatal(err)
		}
		heap := most()
		report("before", time.Unix(0, first.Load()).Sub(begin), heap)
		report("after", time.Since(time.Unix(0, last.Load())), heap)
		begin, most = time.Now(), watchHeap(b.Context())
		again, err := batch.Plan(b.Context(), batch.PlanConfig{
			Command: "plan", Service: service, Workspace: workspace, Reading: s.reading(), Fresh: true,
			Options: plan.Options{Slug: "derive", Compare: "sent"},
		})
		if err != nil || again.Total() > 0 {
			b.Fatal(again, err)
		}
		report("again", time.Since(begin), most())
		service.Close()
	}
	b.ReportMetric(0, "ns/op")
}

// watchHeap looks at the heap from time to time until the largest is asked for.
func watchHeap(ctx context.Context) (most func() uint64) {
	runtime.GC()
	ctx, stop := context.WithCancel(ctx)
	largest := make(chan uint64)
	go func() {
		var m runtime.MemStats
		var most uint64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			<-tick.C
		}
		largest <- most
	}()
	return func() uint64 {
		stop()
		return <-largest
	}
}
