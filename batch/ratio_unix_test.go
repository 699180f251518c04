//go:build unix

package batch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/file"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/service"
)

// BenchmarkOwnTime says how many times as long as checking a file something takes, by the
// clock and of the processors, and the largest heap of it in MiB:
//
//	plan    planning the file
//	show    telling what became of the rows of the plan
//	before  taking it up until the first request leaves, and resume once more
//	leave   Ctrl-C after a hundred rows: from the last answer until the results are written, in seconds too
//	after   ending it once the last answer has come
//	shown   telling what became of the rows that were sent
//	again   planning the file again, unchanged
//
// The bounds are 10 times for show and shown, 20 for the others, 250 MiB, and one second
// at 100,000 rows for leave. ROWS is how many rows there are; SEND=no leaves out
// what needs all of them sent, which takes minutes where they are many.
func BenchmarkOwnTime(b *testing.B) {
	rows, err := strconv.Atoi(os.Getenv("ROWS"))
	if err != nil {
		rows = 20_000
	}
	s := newSending(b, "create", rows, 10, 0)
	s.bodies = nil // they would count as ours
	var checks, checksCPU []time.Duration
	check := func() {
		from := now(b)
		if _, err := batch.Check(b.Context(), batch.CheckConfig{Reading: s.reading()}); err != nil {
			b.Fatal(err)
		}
		took := now(b).since(from)
		checks, checksCPU = append(checks, took.wall), append(checksCPU, took.cpu)
	}
	times := map[string]spent{}
	report := func(name string, took spent, heap uint64) {
		check() // in turns, for a machine has its moods
		times[name] = took
		b.ReportMetric(float64(heap>>20), name+"-MiB")
	}
	measure := func(name string, do func()) {
		most := watchHeap(b.Context())
		from := now(b)
		do()
		report(name, now(b).since(from), most())
	}
	var service *service.Service
	var run *journal.Run
	var workspace *files.Workspace
	tell := func(name string) {
		measure(name, func() {
			if _, err := batch.Report(b.Context(), batch.ReportConfig{
				Run: run, Brief: true, Report: batch.Reporting{Sink: &finding.Problems{}},
			}); err != nil {
				b.Fatal(err)
			}
		})
	}
	// send sends the run until so many requests have been made.
	send := func(requests int64, before, after string) {
		ctx, stop := context.WithCancel(b.Context())
		defer stop()
		var made atomic.Int64
		var first, last atomic.Pointer[spent]
		s.asked = func() {
			at := now(b)
			first.CompareAndSwap(nil, &at)
			last.Store(&at)
			if made.Add(1) == requests {
				stop()
			}
		}
		most, from := watchHeap(b.Context()), now(b)
		applied, err := batch.Apply(ctx, batch.ApplyConfig{
			Run: run, Workspace: workspace, Service: service, Concurrency: s.concurrency,
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			b.Fatal(err)
		}
		if applied.State.Tally().Open() > 0 {
			results := file.NewResults(filepath.Join(s.dir, "results.csv"), run.Header().Sheets, false)
			reported, err := batch.Report(b.Context(), batch.ReportConfig{
				Run: run, Applied: applied, Told: true, Report: batch.Reporting{Sink: results},
			})
			if err := errors.Join(err, results.End(reported.Summary)); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(now(b).since(*last.Load()).wall.Seconds(), after+"-s")
		}
		took, heap := now(b).since(*last.Load()), most()
		report(before, first.Load().since(from), heap)
		report(after, took, heap)
	}
	for b.Loop() {
		measure("plan", func() { service, run, workspace = s.plan(b) })
		tell("show")
		send(100, "before", "leave")
		if os.Getenv("SEND") != "no" {
			send(int64(rows), "resume", "after")
			tell("shown")
			measure("again", func() {
				again, err := batch.Plan(b.Context(), batch.PlanConfig{
					Command: "plan", Service: service, Workspace: workspace, Reading: s.reading(), Fresh: true,
					Options: plan.Options{Slug: "derive", Compare: "sent"},
				})
				if err != nil || again.Total() > 0 {
					b.Fatal(again, err)
				}
			})
		}
		service.Close()
	}
	wall, cpu := median(checks), median(checksCPU)
	for name, took := range times {
		b.ReportMetric(float64(took.wall)/float64(wall), name)
		b.ReportMetric(float64(took.cpu)/float64(cpu), name+"-cpu")
	}
	b.ReportMetric(0, "ns/op")
}

// spent is a time by the clock, and by the processors.
type spent struct{ wall, cpu time.Duration }

var start = time.Now()

// now returns what the process has spent so far.
func now(b *testing.B) spent {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		b.Error(err)
	}
	return spent{time.Since(start), time.Duration(use.Utime.Nano() + use.Stime.Nano())}
}

func (s spent) since(from spent) spent { return spent{s.wall - from.wall, s.cpu - from.cpu} }

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
