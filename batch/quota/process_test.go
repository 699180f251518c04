package quota

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/trial"
)

// errand is what a process of these tests has to do.
type errand struct {
	Kind    string // send, hold, hammer
	URL     string
	Dir     string
	Window  time.Duration
	Lease   time.Duration
	Limit   int
	Rows    int
	Workers int
}

const errandVar = "EVENTBATCH_QUOTA_TEST_ERRAND"

func TestMain(m *testing.M) {
	if text := os.Getenv(errandVar); text != "" {
		var e errand
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(64)
		}
		if err := e.run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start runs the errand in a process of its own.
func (e errand) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), errandVar+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}

func (e errand) lane() (*Lane, error) {
	s, err := New(Config{Dir: e.Dir, Window: e.Window, Lease: e.Lease})
	if err != nil {
		return nil, err
	}
	return s.Lane(LaneConfig{Owners: []Owner{calendar("shared", e.Limit)}}), nil
}

func (e errand) run() error {
	lane, err := e.lane()
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch e.Kind {
	case "send":
		return e.send(ctx, lane)
	case "hold":
		for range e.Rows {
			if _, err := lane.Take(ctx); err != nil {
				return err
			}
		}
		fmt.Println("held")
		time.Sleep(time.Hour)
	case "hammer":
		fmt.Println("hammering")
		for {
			slot, err := lane.Take(ctx)
			if err != nil {
				return err
			}
			slot.Done(Seen{-1, -1})
		}
	}
	return nil
}

func (e errand) send(ctx context.Context, lane *Lane) error {
	var left atomic.Int64
	left.Store(int64(e.Rows))
	fail := make(chan error, e.Workers)
	var wg sync.WaitGroup
	for range e.Workers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				slot, err := lane.Take(ctx)
				if err != nil {
					fail <- err
					return
				}
				resp, err := http.Get(e.URL)
				if err != nil {
					slot.Unsent()
					fail <- err
					return
				}
				resp.Body.Close()
				slot.Done(Seen{-1, -1})
				if resp.StatusCode != http.StatusOK {
					fail <- fmt.Errorf("answer %s", resp.Status)
					return
				}
			}
		})
	}
	wg.Wait()
	close(fail)
	return <-fail
}

func TestEightProcessesStayUnderOneLimit(t *testing.T) {
	const processes, rows, limit, window = 8, 40, 50, 500 * time.Millisecond
	srv := &service{limit: limit, window: window}
	double := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := srv.serve(); !ok {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer double.Close()

	dir := t.TempDir()
	start := time.Now()
	var wg sync.WaitGroup
	for i := range processes {
		cmd := errand{
			Kind: "send", URL: double.URL, Dir: dir,
			Window: window, Lease: 2 * time.Second, Limit: limit, Rows: rows, Workers: 4,
		}.start(t)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	double.Close() // its handlers are done
	srv.mu.Lock()
	defer srv.mu.Unlock()
	took, bound := time.Since(start), (processes*rows-1)/limit*window
	t.Logf("took %v, bound %v", took, bound)
	trial.Say(t, trial.Requests, srv.served)
	trial.Say(t, trial.Refused, len(srv.breaches))
	if len(srv.breaches) > 0 || srv.served != processes*rows {
		t.Errorf("%d served, want %d; %d over the limit: %q", srv.served, processes*rows, len(srv.breaches), srv.breaches)
	}
	if took < bound || took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestKilledProcessGivesItsSlotsBack(t *testing.T) {
	const window, lease = 300 * time.Millisecond, 500 * time.Millisecond
	e := errand{Kind: "hold", Dir: t.TempDir(), Window: window, Lease: lease, Limit: 5, Rows: 5}
	kill(t, e.start(t), 0)
	killed := time.Now()
	lane, err := e.lane()
	if err != nil {
		t.Fatal(err)
	}
	defer lane.s.Close()
	if u := lane.s.Usage()[0]; u.Left != 0 || underWay(lane.s) != 5 {
		t.Errorf("after the kill: %+v", u)
	}
	for range 5 {
		if _, err := lane.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := time.Since(killed); got < window || got > lease+window+time.Second {
		t.Errorf("slots came free %v after the kill", got)
	}
}

func TestKillInTheMiddleDamagesNothing(t *testing.T) {
	e := errand{Kind: "hammer", Dir: t.TempDir(), Window: 5 * time.Millisecond, Lease: 10 * time.Millisecond, Limit: 40}
	for i := range 15 {
		one, two := e.start(t), e.start(t)
		kill(t, one, time.Duration(i)*time.Millisecond/3)
		kill(t, two, time.Duration(i)*time.Millisecond/5)
		trial.Struck(t, 2, "kill -9 of a process that counts")
		lane, err := e.lane()
		if err != nil {
			t.Fatal(err)
		}
		if u := lane.s.Usage()[0]; !u.ThrottledUntil.IsZero() {
			t.Fatalf("kill %d damaged the ledger: %+v", i, u)
		}
		slot, err := lane.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slot.Unsent()
		if err := lane.s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// kill starts a process, waits for its first line and so long again, and kills it.
func kill(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	<-time.After(after) // any moment will do
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("ended by itself")
	}
}
