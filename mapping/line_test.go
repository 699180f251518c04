package mapping

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/mapping/sheet"
)

// A row may take its time: who stops the reading waits for the one at hand only.
func TestReadingEndsBetweenRows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j := &job{b: &binding{options: &options{}}, batch: &sheet.Batch{}, rows: make([]sheet.Row, 3)}
	if newWorker().job(ctx, j); j.end != context.Canceled || len(j.results) > 0 {
		t.Errorf("%d rows, then %v", len(j.results), j.end)
	}
	if admit(ctx, j.b)(&sheet.Row{}) {
		t.Error("a row is let through")
	}
}

// Whichever goroutine of the line panics, the others end, and the caller has the
// panic. A bubble fails at once where one of them waits for ever.
func TestPanicOfTheLine(t *testing.T) {
	const jobs = 3
	sheet1 := &binding{options: &options{}}
	good := func(j *job) { j.b, j.batch, j.rows = sheet1, &sheet.Batch{}, nil }
	bad := func(j *job) { j.b, j.batch, j.rows = nil, &sheet.Batch{}, make([]sheet.Row, 1) }
	endless := func(l *line, make func(i int, j *job)) func(context.Context) {
		return func(ctx context.Context) {
			for i := 0; ; i++ {
				select {
				case j := <-l.free:
					make(i, j)
					if !l.send(ctx, j) {
						return
					}
				case <-ctx.Done():
					return
				}
			}
		}
	}
	tests := []struct {
		name  string
		feed  func(*line) func(context.Context)
		merge func()
		of    string // function of the panic
	}{
		{
			"a worker, at its first job", func(l *line) func(context.Context) { return endless(l, func(_ int, j *job) { bad(j) }) },
			nil, "(*worker).job",
		},
		{"a worker, later", func(l *line) func(context.Context) {
			return endless(l, func(i int, j *job) {
				if good(j); i%50 == 49 {
					bad(j)
				}
			})
		}, nil, "(*worker).job"},
		{
			"the reader, at once", func(*line) func(context.Context) { return func(context.Context) { panic("a defect") } }, nil,
			"TestPanicOfTheLine",
		},
		{"the reader, later", func(l *line) func(context.Context) {
			return endless(l, func(i int, j *job) {
				if good(j); i == 50 {
					panic("a defect")
				}
			})
		}, nil, "TestPanicOfTheLine"},
		{
			"the merge", func(l *line) func(context.Context) { return endless(l, func(_ int, j *job) { good(j) }) },
			func() { panic("a defect") }, "",
		},
	}
	for _, tt := range tests {
		for _, workers := range []int{1, 4} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var r Reading
					r.options = &options{}
					l := newLine(jobs)
					defer func() {
						value := recover()
						if tt.of == "" {
							if value != "a defect" {
								t.Errorf("got %v", value)
							}
							return
						}
						p, ok := value.(*panics.Recovered)
						if !ok || !strings.Contains(string(p.Stack), tt.of) {
							t.Fatalf("got %v", value)
						}
						if _, ok := p.Value.(runtime.Error); !ok && p.Value != "a defect" {
							t.Errorf("got %v", p.Value)
						}
					}()
					l.run(t.Context(), tt.feed(l), workers, func() {
						if tt.merge != nil {
							tt.merge()
						}
						_ = r.merge(l, func(*Result, error) bool { return true })
					})
					t.Error("no panic")
				})
			})
		}
	}
}
