package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
)

// both are keys of two calendars.
var both = []profile.Key{
	{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
	{Kind: secret.Calendar, Calendar: "cal-b", From: secret.Ref{Scheme: "env", Value: "KEY_B"}},
}

// machines share a store in a database and a service.
type machines struct {
	t       *testing.T
	address secret.Secret
	world   *world
}

// machine is one that carries shares.
type machine struct {
	*machines

	service *service.Service
	store   journal.Shared
}

func newMachines(t *testing.T) *machines {
	t.Helper()
	address, err := postgres.Told(pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := postgres.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	m := &machines{t: t, address: address, world: newWorld(t, both...)}
	m.world.window, m.world.lag = 2*time.Second, 1200*time.Millisecond
	return m
}

// open returns another machine, whose requests go by way of a transport.
func (m *machines) open(transport http.RoundTripper) *machine { return m.openAt(m.address, transport) }

// openAt does so with the database at an address.
func (m *machines) openAt(address secret.Secret, transport http.RoundTripper) *machine {
	m.t.Helper()
	db, err := postgres.Open(m.t.Context(), address)
	if err != nil {
		m.t.Fatal(err)
	}
	local, err := files.OpenWorkspace(m.t.TempDir())
	if err != nil {
		m.t.Fatal(err)
	}
	m.world.transport = transport
	m.world.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "key-b"}, both)
	it := &machine{m, m.world.service, postgres.OpenStore(db, local)}
	m.t.Cleanup(func() { _ = errors.Join(db.Close(), it.service.Close()) })
	return it
}

// plan plans rows of two calendars in turn, with this machine.
func (m *machine) plan(rows int) *journal.Run {
	m.t.Helper()
	text := []string{header}
	for n := range rows {
		text = append(text, fmt.Sprintf("%d,Tea %d,2027-04-03T18:00:00Z,Etc/UTC,cal-%c", n, n, 'a'+n%2))
	}
	m.world.service = m.service
	planned, err := Plan(m.t.Context(), m.world.planning(m.store, text...))
	if err != nil {
		m.t.Fatal(err)
	}
	return planned.Run
}

// carry carries a calendar of a run.
func (m *machine) carry(run, calendar string) (*Applied, error) {
	owner, err := m.service.Owner(m.t.Context(), calendar)
	if err != nil {
		return nil, err
	}
	lease, err := m.store.Lease(owner)
	if err != nil {
		return nil, err
	}
	share := lease.Share([]string{calendar})
	r, err := share.Find(run)
	if err != nil {
		return nil, err
	}
	applied, err := Apply(m.t.Context(), ApplyConfig{Run: r, Workspace: share, Service: m.service, Concurrency: 4})
	return applied, errors.Join(err, lease.Release(nil))
}

func (m *machines) events(rows int) {
	m.t.Helper()
	var names []string
	for _, e := range m.world.sandbox.Events() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if len(names) != rows || len(slices.Compact(names)) != rows {
		m.t.Errorf("%d events of %d names for %d rows", len(names), len(slices.Compact(names)), rows)
	}
}

func TestTwoMachinesCarryARun(t *testing.T) {
	const rows = 40
	m := newMachines(t)
	a, b := m.open(nil), m.open(nil)
	run := a.plan(rows)
	open, err := journal.OpenOf(run)
	if err != nil || open["cal-a"] != rows/2 || open["cal-b"] != rows/2 {
		t.Fatalf("open are %v, %v", open, err)
	}
	ended := make(chan error)
	for calendar, machine := range map[string]*machine{"cal-a": a, "cal-b": b} {
		go func() {
			applied, err := machine.carry(run.ID(), calendar)
			if err == nil && (applied.State.Tally()[journal.Done] != rows/2 || applied.State.Tally().Open() != 0) {
				err = fmt.Errorf("%s came to %v", calendar, applied.State.Tally())
			}
			ended <- err
		}()
	}
	if err := errors.Join(<-ended, <-ended); err != nil {
		t.Fatal(err)
	}
	m.events(rows)
	state, err := run.State()
	if err != nil || state.Tally()[journal.Done] != rows || state.Tally().Open() > 0 || state.Ended != "done" ||
		state.Requests.Sent != rows {
		t.Errorf("the run came to %v, %q, %+v, %v", state.Tally(), state.Ended, state.Requests, err)
	}
	again := a.plan(rows)
	if n := again.Header().Counts.Sends(); n != 0 {
		t.Errorf("planned again %d rows are sent", n)
	}
}

// freezing is a transport that loses sight of a process while a request of it is under way.
type freezing struct {
	next    http.RoundTripper
	left    atomic.Int32  // how many requests leave before it freezes
	frozen  chan struct{} // closed once it has
	release chan struct{}
}

func (f *freezing) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "create") || f.left.Add(-1) != 0 {
		return f.next.RoundTrip(req)
	}
	close(f.frozen)
	res, err := f.next.RoundTrip(req)
	<-f.release
	return res, err
}

func TestAShareIsTakenOver(t *testing.T) {
	const rows = 30
	m := newMachines(t)
	f := &freezing{next: m.world.sandbox.Transport(), frozen: make(chan struct{}), release: make(chan struct{})}
	f.left.Store(5)
	a, b := m.open(f), m.open(nil)
	run := b.plan(rows)
	ended := make(chan error)
	go func() {
		_, err := a.carry(run.ID(), "cal-a")
		ended <- err
	}()
	<-f.frozen
	if _, err := b.carry(run.ID(), "cal-a"); !isLocked(err) {
		t.Fatalf("two machines carry a share: %v", err)
	}
	if _, err := Apply(t.Context(), ApplyConfig{Run: run, Workspace: b.store, Service: b.service, Concurrency: 4}); !isLocked(err) {
		t.Fatalf("a command carries the run besides: %v", err)
	}
	// The database loses sight of it: its connections end, but it does not.
	pgtest.Exec(t, m.address.Reveal(), "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and objsubid = 1")
	applied, err := b.carry(run.ID(), "cal-a")
	if err != nil || applied.State.Tally()[journal.Done] != rows/2 {
		t.Fatalf("taken over it comes to %+v, %v", applied, err)
	}
	close(f.release)
	err = <-ended
	if _, fenced := errors.AsType[*journal.FencedError](err); !fenced {
		t.Errorf("whoever was taken over from ends with %v", err)
	}
	if _, err := b.carry(run.ID(), "cal-b"); err != nil {
		t.Fatal(err)
	}
	m.events(rows)
	state, err := run.State()
	if err != nil || state.Tally()[journal.Done] != rows || state.Tally().Open() > 0 || state.Ended == "" {
		t.Errorf("the run came to %v, %q, %v", state.Tally(), state.Ended, err)
	}
}

// mute is a way to a database that can hold its answers back, and calls hear before something is passed on to it.
type mute struct {
	holding sync.RWMutex
	hear    func(said []byte)
}

// listen returns the address of the way to the database at another one.
func (m *mute) listen(t *testing.T, address secret.Secret) secret.Secret {
	t.Helper()
	u, err := url.Parse(address.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "mute") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	query := u.Query()
	to := filepath.Join(query.Get("host"), socket)
	listener, err := net.Listen("unix", filepath.Join(folder, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(listener.Close(), os.RemoveAll(folder)) })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(out, io.TeeReader(in, heard{m}))
				_ = out.Close()
			}()
			go func() {
				_, _ = io.Copy(audible{in, m}, out)
				_ = in.Close()
			}()
		}
	}()
	query.Set("host", folder)
	u.RawQuery = query.Encode()
	told, err := postgres.Told(u.String())
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// audible passes on what is not held back.
type audible struct {
	io.Writer
	*mute
}

func (a audible) Write(p []byte) (int, error) {
	a.holding.RLock()
	defer a.holding.RUnlock()
	return a.Writer.Write(p)
}

type heard struct{ *mute }

func (h heard) Write(p []byte) (int, error) {
	h.hear(p)
	return len(p), nil
}

// counting is a transport that counts requests for a record to be made.
type counting struct {
	next http.RoundTripper
	n    atomic.Int32
}

func (c *counting) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "create") {
		c.n.Add(1)
	}
	return c.next.RoundTrip(req)
}

// A process is stopped while an intent of it is stored, and before the request leaves. It is missed, since it does not
// beat, and succeeded by one that looks for the row and sends it. When it wakes up it sends nothing: the request looks
// at how long ago its intent was.
func TestWhoeverWakesUpWithAnIntentSendsNothing(t *testing.T) {
	was := postgres.Beats
	postgres.Beats = postgres.Rhythm{Every: 50 * time.Millisecond, Missed: 1500 * time.Millisecond}
	t.Cleanup(func() { postgres.Beats = was })
	const rows = 30
	m := newMachines(t)
	stopped := make(chan struct{})
	sends := &counting{next: m.world.sandbox.Transport()}
	var way mute
	stop := sync.OnceFunc(func() {
		way.holding.Lock()
		close(stopped)
	})
	way.hear = func(said []byte) {
		// Of all that is stored only an intent has a list of times: when its requests leave.
		if sends.n.Load() >= 5 && bytes.Contains(said, []byte("{20")) {
			stop()
		}
	}
	a, b := m.openAt(way.listen(t, m.address), sends), m.open(nil)
	run := b.plan(rows)
	ended := make(chan error)
	go func() {
		_, err := a.carry(run.ID(), "cal-a")
		ended <- err
	}()
	<-stopped
	if _, err := b.carry(run.ID(), "cal-a"); !isLocked(err) {
		t.Errorf("it is succeeded before it is missed: %v", err)
	}
	var applied *Applied
	var err error
	pgtest.Eventually(t, func() bool {
		applied, err = b.carry(run.ID(), "cal-a")
		return !isLocked(err)
	})
	sent := sends.n.Load()
	if err != nil || applied.State.Tally()[journal.Done] != rows/2 {
		t.Errorf("taken over it comes to %+v, %v", applied, err)
	}
	way.holding.Unlock()
	err = <-ended
	if _, fenced := errors.AsType[*journal.FencedError](err); !fenced {
		t.Errorf("whoever was taken over from ends with %v", err)
	}
	if now := sends.n.Load(); now != sent {
		t.Errorf("it wakes up and sends %d requests", now-sent)
	}
	if _, err := b.carry(run.ID(), "cal-b"); err != nil {
		t.Fatal(err)
	}
	m.events(rows)
}

func isLocked(err error) bool {
	_, locked := errors.AsType[*journal.LockedError](err)
	return locked
}

func TestASharedRunIsOvertakenByCalendar(t *testing.T) {
	m := newMachines(t)
	a := m.open(nil)
	first := a.plan(4)
	second := a.plan(6) // of the same keys, and two more
	if _, err := a.carry(second.ID(), "cal-a"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.carry(first.ID(), "cal-a"); !errors.Is(err, failure.Stale) {
		t.Errorf("a share that another run has dealt with: %v", err)
	}
	if _, err := a.carry(first.ID(), "cal-b"); err != nil {
		t.Error(err)
	}
	if _, err := a.carry(second.ID(), "cal-b"); !errors.Is(err, failure.Stale) {
		t.Errorf("the other one: %v", err)
	}
	m.events(5)
}
