package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/trial"
)

// mortal is a sync whose nights are processes that are killed.
type mortal struct {
	*sixty

	home   *home
	random *rand.Rand
	names  int // that rows were given

	mu      sync.Mutex
	arrived int   // requests
	doom    *doom // of the process under way; nil where it lives
}

// doom is the request at which a process is killed.
type doom struct {
	at      int           // which one
	late    bool          // once it was done
	linger  time.Duration // perhaps until it was answered
	process *process
	path    string        // of the request
	over    chan struct{} // closed when the process is dead
}

func newMortal(t *testing.T) *mortal {
	seed := cmp.Or(*endureSeed, rand.Uint64())
	t.Logf("seed %d (repeat with -endure.seed)", seed)
	m := &mortal{random: rand.New(rand.NewPCG(seed, 1))}
	m.sixty = newSixty(t, 200*time.Millisecond, m.front)
	m.home = &home{dir: m.dir, env: m.env}
	change(m.rows, "a=Tea b=Bread c=Choir d=Dance e=Eggs f=Flute g=Games h=Hike i=Ink j=Judo k=Kites l=Lute")
	return m
}

// front kills the process that makes the request which is its doom. What arrives behind that
// waits for the kill.
func (m *mortal) front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.arrived++
		n, d := m.arrived, m.doom
		m.mu.Unlock()
		if d != nil && n > d.at {
			<-d.over
		}
		if d != nil && n == d.at {
			d.path = r.URL.Path
			if !d.late {
				d.kill()
			}
		}
		next.ServeHTTP(w, r)
		if d != nil && n == d.at && d.late {
			d.kill()
		}
	})
}

func (d *doom) kill() {
	time.Sleep(d.linger)
	_ = d.process.Process.Kill()
	<-d.process.done
	close(d.over)
}

// begin starts a night that is killed at its request of that number.
func (m *mortal) begin(d *doom) {
	m.t.Helper()
	d.over = make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	d.at += m.arrived
	m.doom, d.process = d, m.home.start(m.t, "sync", "members")
}

// died waits for the end of a night, and reports whether it was killed.
func (m *mortal) died(d *doom) bool {
	m.t.Helper()
	<-d.process.done
	m.mu.Lock()
	m.doom = nil
	m.mu.Unlock()
	e := d.process.ended()
	if e.code > 0 {
		m.t.Fatalf("a night ended by itself: %v", e)
	}
	if e.code != 0 {
		trial.Struck(m.t, 1, "kill -9 of a night")
	}
	return e.code != 0
}

// mutate changes some rows of the feed, and adds one.
func (m *mortal) mutate(some int) {
	m.sixty.mu.Lock()
	defer m.sixty.mu.Unlock()
	keys := slices.Sorted(maps.Keys(m.rows))[:6] // more than half of the rows are not changed in one night
	name := func() string {
		m.names++
		return fmt.Sprintf("Name %d", m.names)
	}
	for range some {
		m.rows[keys[m.random.IntN(len(keys))]] = name()
	}
	m.rows[fmt.Sprintf("z%d", m.names)] = name()
}

// undisturbed goes through a night that nobody kills, after which the platform is as the feed
// says, nobody was mailed and nothing was made twice.
func (m *mortal) undisturbed() {
	m.t.Helper()
	e := m.home.must(m.t, 0, "sync", "members")
	m.live = m.rows
	m.service.fate(len(m.rows), len(m.service.Events()))
	m.service.figures[trial.Unasked] = len(m.service.Outbox())
	if got, want := strings.Join(m.platform(), "\n"), strings.Join(m.wanted(), "\n"); got != want {
		m.t.Fatalf("live:\n%s\nwant:\n%s\n%v", got, want, e)
	}
	for name, times := range m.service.Stats().Names {
		if times > 1 {
			m.t.Errorf("%s was made %d times", name, times)
		}
	}
	if left, _ := filepath.Glob(m.home.path(".eventbatch/syncs/members/*feed*")); len(left) > 0 {
		m.t.Errorf("left behind: %q", left)
	}
	if mails := len(m.service.Outbox()); mails > 0 {
		m.t.Errorf("%d mails", mails)
	}
}

// evening lets a day pass, after which nothing was told yet.
func (m *mortal) evening() {
	m.day(24 * time.Hour)
	m.sixty.mu.Lock()
	defer m.sixty.mu.Unlock()
	m.told, m.texts, m.beats = nil, nil, nil
}

// A night is killed at each of its requests in turn, before that is done or once it is: the
// next night is right, and tells what the killed one had to tell or that it was broken off.
func TestANightKilledAtAnyRequestIsMadeGood(t *testing.T) {
	t.Parallel()
	m := newMortal(t)
	m.undisturbed()
	for at, alive := 1, false; !alive; at++ {
		m.evening()
		m.mutate(1)
		d := &doom{at: at, late: m.random.IntN(2) == 0}
		m.begin(d)
		alive = !m.died(d)
		m.undisturbed()
		want := "failed recovered"
		switch {
		case alive, d.path == "/ping": // the last heartbeat
			want = "changed"
		case d.path == "/hook":
			want = "changed changed"
		}
		if told := strings.Join(m.told, " "); told != want || want == "changed changed" && m.texts[0] != m.texts[1] {
			t.Errorf("killed at request %d, %s (done: %v): told %q, want %q: %q", at, d.path, d.late, told, want, m.texts)
		}
	}
}

// A night is killed as it is about to write, sync, rename or remove something.
func TestANightKilledAtAnyWriteIsMadeGood(t *testing.T) {
	strace := tracer(t)
	t.Parallel()
	m := newMortal(t)
	m.undisturbed()
	kills := 0
	for range sized(200, 6, 6) {
		m.evening()
		m.mutate(1)
		// Calls are counted by thread: the last ones of a night are met by chance.
		at := 1 + m.random.IntN(20)
		p := m.home.startProgram(
			t, strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64,fsync,renameat,unlinkat",
			"-e", fmt.Sprintf("inject=pwrite64,fsync,renameat,unlinkat:signal=KILL:when=%d", at), program(t), "sync", "members",
		)
		if e := p.end(t); e.code < 0 || e.code == 137 {
			kills++
			trial.Struck(t, 1, "kill -9 of a night")
		} else if e.code != 0 {
			t.Fatalf("%d: %v", at, e)
		}
		m.undisturbed()
		if told := strings.Join(slices.Compact(m.told), " "); told != "failed recovered" && told != "changed" {
			t.Errorf("killed at write %d: told %q", at, m.texts)
		}
	}
	t.Logf("%d kills", kills)
}

// Nights are killed again and again, as requests arrive or at any moment, while the feed goes
// on changing.
func TestNightsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	m := newMortal(t)
	kills := 0
	for night := range sized(100, 3, 3) {
		m.evening()
		killed := 0
		for range 1 + m.random.IntN(4) {
			if night > 0 && m.random.IntN(2) == 0 {
				m.mutate(m.random.IntN(3))
			}
			d := &doom{at: 1 + m.random.IntN(10), late: m.random.IntN(2) == 0}
			if timed := m.random.IntN(3) == 0; timed {
				d.at = 1000
				m.begin(d)
				d.linger = time.Duration(m.random.Int64N(int64(150 * time.Millisecond)))
				d.kill()
			} else {
				d.linger = time.Duration(m.random.Int64N(int64(6 * time.Millisecond)))
				m.begin(d)
			}
			if m.died(d) {
				killed++
			}
		}
		if night > 0 {
			m.mutate(1)
		}
		m.undisturbed()
		kills += killed
		times := map[string]int{}
		for _, text := range m.texts {
			if times[text]++; times[text] > 1+killed {
				t.Errorf("night %d, %d kills: told %d times: %s", night, killed, times[text], text)
			}
		}
		if len(m.told) == 0 || m.told[len(m.told)-1] == "failed" || m.beats[len(m.beats)-1] != "" {
			t.Errorf("night %d, %d kills: told %q, heartbeats %q", night, killed, m.told, m.beats)
		}
	}
	t.Logf("%d kills", kills)
}

// A night that is told to stop while it sends ends within ten seconds, however slow the
// service is. The next one goes on with what is left, or plans anew where the feed has changed.
func TestAStoppedNightGoesOnTheNextNight(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits some seconds for a service that hangs")
	}
	for _, tt := range []struct {
		what    string
		answers time.Duration // after which the request is answered that is under way
		changed bool
	}{
		{what: "the same feed", answers: 100 * time.Millisecond},
		{what: "another feed", answers: 100 * time.Millisecond, changed: true},
		{what: "a service that hangs", answers: 30 * time.Second, changed: true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			m := newMortal(t)
			sending, ended := make(chan struct{}), make(chan struct{})
			creates := 0
			m.service.asked = func(r *http.Request) {
				if r.URL.Path != "/v1/events/create" {
					return
				}
				if creates++; creates == 4 {
					close(sending)
					select {
					case <-time.After(tt.answers):
					case <-ended:
					}
				}
			}
			p := m.home.start(t, "sync", "members", "--concurrency", "1")
			<-sending
			if err := p.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			trial.Struck(t, 1, "SIGTERM of a night")
			begun := time.Now()
			e := p.end(t)
			took := time.Since(begun)
			close(ended)
			if e.code != 143 || took > 10*time.Second || !strings.Contains(e.stderr, "interrupted") {
				t.Fatalf("%v: %v", took, e)
			}
			if made := len(m.service.Events()); made < 3 || made > 5 {
				t.Errorf("%d events", made)
			}
			if tt.changed {
				m.mutate(3)
			}
			m.undisturbed()
			if told := strings.Join(m.told, " "); told != "failed recovered" {
				t.Errorf("told %q", told)
			}
			list := m.home.must(t, 0, "runs").stdout
			if strings.Contains(list, "unfinished") || strings.Count(list, "sync") != 1+strings.Count(fmt.Sprint(tt.changed), "true") {
				t.Errorf("the runs are\n%s", list)
			}
		})
	}
}

// A disk that is full when a night begins, or fills up on the way: the night says so and tells
// it, and the next one, which has room, is right.
func TestANightOnAFullDisk(t *testing.T) {
	if err := exec.CommandContext(t.Context(), "unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", t.TempDir()).Run(); err != nil {
		t.Skipf("no file system of its own is to be had: %v", err)
	}
	for _, left := range []int{0, 4, 16, 28, 40} { // KiB
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			t.Parallel()
			m := newMortal(t)
			if err := os.Mkdir(m.home.path(".eventbatch"), 0o700); err != nil {
				t.Fatal(err)
			}
			m.home.write(t, "nights.sh", fmt.Sprintf(`
mount -t tmpfs -o size=256k tmpfs .eventbatch
head -c %dk /dev/zero > .eventbatch/filler
eventbatch sync members
echo "exit $?"
rm .eventbatch/filler
eventbatch sync members
echo "exit $?"
`, 256-left))
			e := m.home.startProgram(t, "/usr/bin/env", "unshare", "-rm", "sh", "nights.sh").end(t)
			trial.Struck(t, 1, "full disk under a night")
			if e.stdout != "exit 74\nexit 0\n" || !strings.Contains(e.stderr, "no space left on device") {
				t.Errorf("%v", e)
			}
			m.live = m.rows
			m.service.fate(len(m.rows), len(m.service.Events()))
			if made := m.service.Stats().Created; !slices.Equal(m.platform(), m.wanted()) || made != len(m.rows) {
				t.Errorf("%d events were made: %q\n%v", made, m.platform(), e)
			}
			// Who cannot store that it has told of its failure is told of once more, as broken off.
			if len(m.told) < 2 || m.told[0] != "failed" || m.told[len(m.told)-1] == "failed" {
				t.Errorf("told %q\n%v", m.told, e)
			}
		})
	}
}
