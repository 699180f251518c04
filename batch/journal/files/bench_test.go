package files

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// rounds of each benchmark; what is compared takes turns, and medians count.
const rounds = 5

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// million gives a journal of about a million records, as a run of creates and
// updates leaves it, with one failure in fifty.
func million(b *testing.B, records int) ([]byte, *plan.Header) {
	b.Helper()
	text, crc, err := appendLine(nil, chain{n: 1}, entry{T: journal.Open, Version: version})
	if err != nil {
		b.Fatal(err)
	}
	for n := 2; n <= records; n++ {
		op := n / 2
		r := journal.Record{
			Type: journal.Intent, Op: op, Operation: "events/create", Attempt: 1, Key: journal.KeyHash("cal-1", fmt.Sprint(op)),
			Hash: "0123456789abcdef0123456789abcdef",
		}
		switch {
		case n%2 == 1 && op%50 == 0:
			r = journal.Record{
				Type: journal.Fail, Op: op, Code: "rejected", Status: 400, Error: "Invalid request.",
				Fields: []journal.FieldError{{Path: "start_at", Reason: "Invalid input: expected a date"}},
			}
		case n%2 == 1:
			r = journal.Record{Type: journal.OK, Op: op, EventID: fmt.Sprintf("evt-%016x", op), Status: 200}
		}
		r.At = time.UnixMilli(1790000000000 + int64(n))
		if text, crc, err = appendLine(text, chain{n: int64(n), p: crc, d: int64((n - 1) - (n-1)%200)}, encode(&r)); err != nil {
			b.Fatal(err)
		}
	}
	return text, &plan.Header{Counts: plan.Counts{plan.Create: records/2 + 1}}
}

// BenchmarkReplay replays a million records, and decodes the same lines with
// encoding/json.
func BenchmarkReplay(b *testing.B) {
	const records = 1_000_000
	text, h := million(b, records)
	var replays, decodes []time.Duration
	for b.Loop() {
		for range rounds {
			replays = append(replays, timed(func() {
				state := journal.NewState(h, h.Counts[plan.Create], nil, 0)
				if _, err := replay("j", bytes.NewReader(text), func(e *entry) error {
					record, _ := e.record()
					return state.Apply(&record)
				}); err != nil {
					b.Fatal(err)
				}
			}))
			decodes = append(decodes, timed(func() {
				for rest := text; len(rest) > 0; {
					end := bytes.IndexByte(rest, '\n')
					var w entry
					if err := json.Unmarshal(rest[9:end], &w); err != nil {
						b.Fatal(err)
					}
					rest = rest[end+1:]
				}
			}))
		}
	}
	b.ReportMetric(float64(median(replays))/float64(median(decodes)), "ratio-to-encoding/json")
	b.ReportMetric(float64(median(replays).Nanoseconds())/records, "ns/record")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCommit commits from many goroutines, and writes as many lines with
// one sync each.
func BenchmarkCommit(b *testing.B) {
	const goroutines, each = 64, 32
	_, run := planned(b, goroutines*each)
	j, _ := attach(b, run)
	f, err := os.Create(filepath.Join(b.TempDir(), "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var grouped, single []time.Duration
	for b.Loop() {
		for range rounds {
			grouped = append(grouped, timed(func() {
				var committing sync.WaitGroup
				for g := range goroutines {
					committing.Go(func() {
						for i := range each {
							if err := j.Commit(b.Context(), intent(g*each+i, plan.Create)); err != nil {
								b.Error(err)
							}
						}
					})
				}
				committing.Wait()
			}))
			single = append(single, timed(func() {
				var line []byte
				for i := range goroutines * each {
					r := intent(i, plan.Create)
					line, _, _ = appendLine(line[:0], chain{n: int64(i)}, encode(&r))
					if _, err := f.Write(line); err != nil {
						b.Fatal(err)
					}
					if err := f.Sync(); err != nil {
						b.Fatal(err)
					}
				}
			}))
		}
	}
	b.ReportMetric(float64(median(single))/float64(median(grouped)), "times-one-sync-a-record")
	b.ReportMetric(goroutines*each/median(grouped).Seconds(), "records/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkAppend measures what a record costs the goroutine that sends.
func BenchmarkAppend(b *testing.B) {
	_, run := planned(b, 1)
	j, _ := attach(b, run)
	r := intent(0, plan.Update)
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}

// manyRuns fills a workspace with runs that have each made so many events of their own.
func manyRuns(b *testing.B, w *Workspace, baseURL string, runs, events int) {
	b.Helper()
	for run := range runs {
		made, err := newRun(w, plan.Header{Target: plan.Target{BaseURL: baseURL}}, func(yield func(*plan.Op, error) bool) {
			for n := range events {
				op := &plan.Op{N: n, Action: plan.Create, Event: plan.Event{Calendar: "cal-1", Key: fmt.Sprint(run, "-", n)}}
				if !yield(op, nil) {
					return
				}
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		lines := []entry{made.opening(time.UnixMilli(1)), {T: journal.Attach, At: 1, Turn: run + 1, Home: &made.Head().Header.Home}}
		for n := range events {
			lines = append(lines,
				entry{
					T: journal.Intent, At: 1790000000000, Op: new(n), Operation: "events/create",
					Key:  journal.KeyHash("cal-1", fmt.Sprint(run, "-", n)),
					Hash: "0123456789abcdef0123456789abcdef+",
				},
				entry{T: journal.OK, At: 1790000000001, Op: new(n), Event: fmt.Sprintf("evt-%08d%08d", run, n), Status: 200},
			)
		}
		var text []byte
		crc := uint32(0)
		for i, line := range append(lines, entry{T: journal.End, At: 1790000000002, Code: "done"}) {
			if text, crc, err = appendLine(text, chain{n: int64(i + 1), p: crc}, line); err != nil {
				b.Fatal(err)
			}
		}
		synced := appendSynced(nil, int64(len(lines)+1))
		err = errors.Join(os.WriteFile(made.journalPath(), text, fileMode), os.WriteFile(made.syncedPath(), synced, fileMode))
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory asks a workspace of a thousand runs and a million keys for one of
// them: the first time, when every journal is replayed, and from then on. MANY names a
// folder where the workspace is to stay.
func BenchmarkMemory(b *testing.B) {
	dir := cmp.Or(os.Getenv("MANY"), b.TempDir())
	w, err := OpenWorkspace(dir)
	if err != nil {
		b.Fatal(err)
	}
	address := "http://localhost/sandbox"
	manyRuns(b, w, address, 1000, 1000)
	ask := func() {
		m, err := w.Memory(address)
		if err != nil {
			b.Fatal(err)
		}
		if known, ok := m.Recall("cal-1", "517-42"); !ok || known.EventID != fmt.Sprintf("evt-%08d%08d", 517, 42) {
			b.Fatalf("%+v", known)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
	first := timed(ask)
	var again []time.Duration
	for b.Loop() {
		for range rounds {
			again = append(again, timed(ask))
		}
	}
	b.ReportMetric(first.Seconds(), "s-first")
	b.ReportMetric(median(again).Seconds(), "s-again")
	b.ReportMetric(0, "ns/op")
}
