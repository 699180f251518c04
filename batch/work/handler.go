package work

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Listen answers requests to an address until stop is called.
func (w *Worker) Listen(address string) (stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: w.Handler(), ReadHeaderTimeout: 10 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it is closed below
	w.config.Log.Info("listens", "address", "http://"+listener.Addr().String())
	return func() {
		_ = server.Close()
		serving.Wait()
	}, nil
}

// Handler answers /livez, /healthz and /metrics.
func (w *Worker) Handler() http.Handler {
	mux := http.NewServeMux()
	probe := func(well func(context.Context) error) http.HandlerFunc {
		return func(out http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
			defer cancel()
			if err := well(ctx); err != nil {
				http.Error(out, err.Error(), http.StatusServiceUnavailable)
				return
			}
			_, _ = out.Write([]byte("ok\n")) // who asked has gone
		}
	}
	mux.Handle("GET /livez", probe(func(context.Context) error { return w.lives() }))
	mux.Handle("GET /healthz", probe(func(ctx context.Context) error { return w.config.Database.Answers(ctx) }))
	mux.HandleFunc("GET /metrics", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = out.Write([]byte(w.metrics()))
	})
	return mux
}

// metrics returns how the work stands, in the text format of Prometheus.
func (w *Worker) metrics() string {
	var b strings.Builder
	metric := func(kind, name, help string, value float64) {
		fmt.Fprintf(&b, "# HELP eventbatch_%[1]s %[2]s\n# TYPE eventbatch_%[1]s %[3]s\neventbatch_%[1]s %[4]g\n", name, help, kind, value)
	}
	if s, err := w.config.Database.Standing(); err == nil { // of a database that is away nothing is known
		metric("gauge", "shards_waiting", "Shards of the store that no worker sends.", float64(s.Waiting))
		metric("gauge", "shards_held", "Shards of the store that a worker sends.", float64(s.Held))
		metric("gauge", "shards_stuck", "Shards that wait for what somebody has to see to, such as a key.", float64(s.Stuck))
		metric("gauge", "shards_blocked", "Of these, shards whose lease another process has had for long.", float64(s.Blocked))
		metric("gauge", "oldest_waiting_seconds", "For how long the oldest shard has been waiting.", s.Oldest.Seconds())
		metric("gauge", "oldest_beat_seconds", "How long ago a process of the store that is there has shown that it gets on, at most.",
			s.Beat.Seconds())
	}
	f := w.config.Figures()
	metric("gauge", "shard_oldest_progress_seconds", "For how long nothing was answered of a shard that this worker sends, at most.",
		f.Stands.Seconds())
	metric("counter", "requests_total", "Requests of this worker.", float64(f.Requests.Sent+f.Requests.Reads))
	metric("counter", "requests_throttled_total", "Requests of this worker answered with 429.", float64(f.Requests.Throttled))
	metric("counter", "takeovers_total", "Leases that this worker took over from a process that had died, or did not get on.",
		float64(f.TakeOvers))
	metric("counter", "fenced_total", "Shards that this worker lost to another one.", float64(w.fenced.Load()))
	metric("counter", "syncs_total", "Nights of syncs that this worker went through.", float64(w.nights.Load()))
	metric("counter", "syncs_failed_total", "Nights of syncs that failed on this worker.", float64(w.failedNights.Load()))
	return b.String()
}
