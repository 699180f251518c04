package quota

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/mapping/own"
)

// ledgerFile is the one file in a folder.
func ledgerFile(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.ledger"))
	if err != nil || len(files) != 1 {
		t.Fatalf("ledgers %v, %v", files, err)
	}
	return files[0]
}

// takeAtOnce takes n slots that have to be there.
func takeAtOnce(t testing.TB, l *Lane, n int) []Slot {
	t.Helper()
	start := time.Now()
	slots := make([]Slot, n)
	for i := range slots {
		var err error
		if slots[i], err = l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if waited := time.Since(start); waited > time.Second {
		t.Fatalf("taking %d slots took %v", n, waited)
	}
	return slots
}

func TestLedgerIsPrivateAndNamesNobody(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "quota")
	s := scheduler(t, Config{Dir: dir})
	takeAtOnce(t, s.Lane(LaneConfig{Owners: []Owner{calendar("https://api.example/ cal-1 a1b2c3", 5)}}), 1)
	file := ledgerFile(t, dir)
	for path, want := range map[string]os.FileMode{file: 0o600, dir: 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), want, err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil || bytes.Contains(content, []byte("cal-1")) || bytes.Contains([]byte(file), []byte("cal-1")) {
		t.Errorf("the ledger %s names its owner (%v)", file, err)
	}
}

func TestDamagedLedgerIsFullForAWindow(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"garbage":            func([]byte) []byte { return bytes.Repeat([]byte("garbage "), 100) },
		"zeros":              func(b []byte) []byte { return make([]byte, len(b)) },
		"empty":              func([]byte) []byte { return nil },
		"half a header":      func(b []byte) []byte { return b[:17] },
		"a torn record":      func(b []byte) []byte { clear(b[headerSize+8 : headerSize+20]); return b },
		"a flipped bit":      func(b []byte) []byte { b[headerSize+recordSize+3] ^= 4; return b },
		"another's header":   func(b []byte) []byte { b[0]++; return b },
		"a text file":        func([]byte) []byte { return []byte("hello\n") },
		"a long text file":   func([]byte) []byte { return bytes.Repeat([]byte("hello\n"), 1<<16) },
		"a header with junk": func(b []byte) []byte { return append(b[:headerSize:headerSize], bytes.Repeat([]byte{7}, 4096)...) },
	} {
		for _, known := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					dir := t.TempDir()
					cfg := Config{Dir: dir}
					owners := []Owner{calendar("c", 5)}
					s := scheduler(t, cfg)
					l := s.Lane(LaneConfig{Owners: owners})
					slots := takeAtOnce(t, l, 3)
					file := ledgerFile(t, dir)
					b, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					b = damage(b)
					if err := os.WriteFile(file, b, 0o600); err != nil {
						t.Fatal(err)
					}
					if !known {
						if name == "empty" {
							return // as good as new, for whoever never saw it
						}
						// The one that knew is gone.
						if err := s.Close(); err != nil {
							t.Fatal(err)
						}
						s = scheduler(t, cfg)
						l = s.Lane(LaneConfig{Owners: owners})
					}
					if u := s.Usage()[0]; u.Left != 0 || u.ThrottledUntil.Before(time.Now().Add(minute)) {
						t.Errorf("usage %+v, want throttled for a window", u)
					}
					slots[0].Done(Seen{-1, -1}) // finds no record, or does nothing
					start := time.Now()
					if _, err := l.Take(t.Context()); err != nil {
						t.Fatal(err)
					}
					if got, want := time.Since(start), minute+60*time.Millisecond; got != want {
						t.Errorf("waited %v, want %v", got, want)
					}
				})
			})
		}
	}
}

func TestRemovedLedgerThrottlesThoseWhoKnewIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := scheduler(t, Config{Dir: dir})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 5)}})
		takeAtOnce(t, l, 4)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got < minute {
			t.Errorf("took a slot %v after the ledger was removed", got)
		}
		ledgerFile(t, dir)
	})
}

// Neither an earlier ledger that somebody has brought back nor one that another process has made anew says what left since.
func TestALedgerThatForgetsThrottlesThoseWhoKnewIt(t *testing.T) {
	for name, forget := range map[string]func(one *Scheduler, file string, earlier []byte) error{
		"brought back": func(_ *Scheduler, file string, earlier []byte) error { return own.ReplaceText(file, earlier) },
		"written over": func(_ *Scheduler, file string, earlier []byte) error { return os.WriteFile(file, earlier, 0o600) },
		"removed":      func(_ *Scheduler, file string, _ []byte) error { return os.Remove(file) },
		"looked for while there is none": func(one *Scheduler, file string, _ []byte) error {
			defer one.Usage()
			return os.Remove(file)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg, owners := Config{Dir: t.TempDir()}, []Owner{calendar("c", 5)}
				one, two := scheduler(t, cfg), scheduler(t, cfg)
				l := one.Lane(LaneConfig{Owners: owners})
				takeAtOnce(t, l, 1)
				file := ledgerFile(t, cfg.Dir)
				earlier, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				takeAtOnce(t, l, 3)
				if err := forget(one, file, earlier); err != nil {
					t.Fatal(err)
				}
				other := two.Lane(LaneConfig{Owners: owners})
				takeAtOnce(t, other, 1)
				start := time.Now()
				if _, err := l.Take(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != minute+60*time.Millisecond {
					t.Errorf("took a slot after %v", got)
				}
			})
		})
	}
}

func TestAReplacedLedgerIsTheOneThatCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, owners := Config{Dir: t.TempDir()}, []Owner{calendar("c", 5)}
		one, two := scheduler(t, cfg), scheduler(t, cfg)
		l := one.Lane(LaneConfig{Owners: owners})
		takeAtOnce(t, l, 2)
		file := ledgerFile(t, cfg.Dir)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := own.ReplaceText(file, text); err != nil {
			t.Fatal(err)
		}
		takeAtOnce(t, two.Lane(LaneConfig{Owners: owners}), 3)
		start := time.Now()
		if _, err := l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got < minute {
			t.Errorf("took a sixth slot after %v", got)
		}
	})
}

func TestSlotsOfADeadProcessExpireByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{Dir: t.TempDir(), Lease: 30 * time.Second}
		owners := []Owner{calendar("c", 2)}
		dead := scheduler(t, cfg)
		takeAtOnce(t, dead.Lane(LaneConfig{Owners: owners}), 2)
		// As a kill leaves it: nothing is told to the ledger.
		if err := dead.Close(); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := scheduler(t, cfg).Lane(LaneConfig{Owners: owners}).Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), 90*time.Second+60*time.Millisecond; got != want {
			t.Errorf("waited %v, want %v", got, want)
		}
	})
}

func TestClockSetBackDoesNotHoldSlotsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := scheduler(t, Config{Dir: dir})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}})
		for _, slot := range takeAtOnce(t, l, 2) {
			slot.Throttled(5 * minute)
		}
		back := func(t time.Time) int64 { return t.Add(-24 * time.Hour).UnixNano() }
		done := make(chan time.Duration)
		start := time.Now()
		go func() {
			if _, err := l.Take(t.Context()); err != nil {
				t.Error(err)
			}
			done <- time.Since(start)
		}()
		synctest.Wait()
		s.mu.Lock()
		s.clock.read = back
		s.mu.Unlock()
		late := scheduler(t, Config{Dir: dir})
		late.clock.read = back
		late.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}})
		if u := late.Usage()[0]; u.ThrottledUntil.After(time.Unix(0, back(time.Now())).Add(5*minute + time.Second)) {
			t.Errorf("throttled until %v", u.ThrottledUntil)
		}
		// The waiter's timer is a monotonic one; once it rings, the step shows.
		if got := <-done; got > 11*minute {
			t.Errorf("waited %v", got)
		}
	})
}

func TestClockSetForwardFreesNothingEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{Dir: t.TempDir()})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}})
		for _, slot := range takeAtOnce(t, l, 2) {
			slot.Done(Seen{-1, -1})
		}
		time.Sleep(time.Second)
		start := time.Now()
		s.mu.Lock()
		s.clock.read = func(t time.Time) int64 { return t.Add(time.Hour).UnixNano() }
		s.mu.Unlock()
		if _, err := l.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got < minute-time.Second || got > minute+time.Second {
			t.Errorf("waited %v, want about a window", got)
		}
	})
}

func TestSlowClockDriftIsNoStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock{window: minute}
		start := time.Now()
		c.read = func(t time.Time) int64 { return t.UnixNano() + int64(t.Sub(start))/2000 }
		for _, d := range []time.Duration{0, time.Millisecond, time.Hour, time.Second} {
			time.Sleep(d)
			if _, step := c.now(); step != 0 {
				t.Errorf("step of %v after %v", step, d)
			}
		}
	})
}

func TestEveryChangeIsSeenByOthers(t *testing.T) { synctest.Test(t, testEveryChangeIsSeenByOthers) }

func testEveryChangeIsSeenByOthers(t *testing.T) {
	dir := t.TempDir()
	owners := []Owner{calendar("c", 10)}
	one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
	l := one.Lane(LaneConfig{Owners: owners})
	two.Lane(LaneConfig{Owners: owners})
	check := func(what string, left, inFlight int, throttled bool) {
		t.Helper()
		if u := two.Usage()[0]; u.Left != left || underWay(two) != inFlight || u.ThrottledUntil.IsZero() == throttled {
			t.Errorf("after %s: %+v", what, u)
		}
	}
	check("nothing", 10, 0, false)
	slots := takeAtOnce(t, l, 3)
	check("Take", 7, 3, false)
	slots[0].Unsent()
	check("Unsent", 8, 2, false)
	slots[1].Done(Seen{-1, -1})
	check("Done", 8, 2, false)
	time.Sleep(minute / 600)
	synctest.Wait()
	check("Done and a while", 8, 1, false)
	slots[2].Throttled(0)
	check("Throttled", 0, 0, true)
}

// What no later request of its process records, the end of the process does.
func TestCloseRecordsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, owners := Config{Dir: t.TempDir(), Lease: minute}, []Owner{calendar("c", 2)}
		one, two := scheduler(t, cfg), scheduler(t, cfg)
		for _, slot := range takeAtOnce(t, one.Lane(LaneConfig{Owners: owners}), 2) {
			slot.Done(Seen{-1, -1})
		}
		two.Lane(LaneConfig{Owners: owners})
		if u := two.Usage()[0]; underWay(two) != 2 || u.AllFree.Before(time.Now().Add(2*minute)) {
			t.Errorf("before: %+v, want slots that are out until their leases end", u)
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		if u := two.Usage()[0]; underWay(two) != 0 || u.Left != 0 || u.AllFree.After(time.Now().Add(minute+time.Second)) {
			t.Errorf("after: %+v, want slots that come free in a window", u)
		}
	})
}

func TestLedgerDoesNotGrowBeyondTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		one, two := scheduler(t, Config{Dir: dir}), scheduler(t, Config{Dir: dir})
		for _, s := range []*Scheduler{one, two, one} {
			send(t, s, []Owner{calendar("c", 20)}, 200, 30, func() (Seen, bool) { return Seen{-1, -1}, true })
		}
		info, err := os.Stat(ledgerFile(t, dir))
		if err != nil || info.Size() > headerSize+21*recordSize {
			t.Errorf("the ledger has %d bytes (%v)", info.Size(), err)
		}
	})
}

// Processes waiting for a lock, or on processors that disagree, see records from
// a little before they were written.
func TestLookFromBeforeShortensNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.ledger")
	now := int64(1_800_000_000_000_000_000)
	clock := func() int64 { return now }
	cfg := Config{Window: time.Second, Lease: time.Second}
	one, two := newLedger(path, cfg, clock), newLedger(path, cfg, clock)
	tk, _, err := one.reserve(5, 9)
	if err != nil {
		t.Fatal(err)
	}
	free := one.release(tk, 5, -1)
	if err := one.flush(); err != nil {
		t.Fatal(err)
	}
	now -= int64(5 * time.Millisecond)
	if u, err := two.look(); err != nil || u.first != free {
		t.Errorf("comes free at %d, want %d (%v)", u.first, free, err)
	}
}

func TestClocksReadApartAreNoStep(t *testing.T) {
	reads := 0
	c := clock{window: time.Second, read: func(t time.Time) int64 {
		if reads++; reads == 2 {
			t = t.Add(time.Minute)
		}
		return t.UnixNano()
	}}
	for range 3 {
		if _, step := c.now(); step != 0 {
			t.Errorf("step of %v", step)
		}
	}
}

func TestUnwritableLedgerIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := scheduler(t, Config{Dir: filepath.Join(file, "quota")})
	l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 2)}})
	if _, err := l.Take(t.Context()); err == nil {
		t.Error("no error")
	}
	if u := s.Usage(); len(u) != 0 {
		t.Errorf("usage %v", u)
	}
}

// FuzzLedger opens any bytes as a ledger: it is never more than full, always
// free in the end, and whole after the first look.
func FuzzLedger(f *testing.F) {
	a := account{throttled: 1 << 60, span: 1000, records: []record{{id: 1, until: 1 << 61, span: 5000, count: 3, state: inFlight}}}
	whole := a.encode(nil)
	f.Add([]byte{})
	f.Add(whole)
	f.Add(whole[:headerSize])
	f.Add(append(whole, whole[:20]...))
	f.Add(make([]byte, 96))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "x.ledger")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := Config{Window: minute, Lease: minute}
		now := int64(1_800_000_000_000_000_000)
		clock := func() int64 { return now }
		l := newLedger(path, cfg, clock)
		tk, retry, err := l.reserve(5, 9)
		if err != nil || (tk.id == 0) == (retry == 0) || retry != 0 && retry <= now {
			t.Fatalf("take: %+v, retry %d, %v", tk, retry, err)
		}
		have := l.tally()
		if have.used < 0 || have.inFlight+have.others > have.used {
			t.Fatalf("tally %+v", have)
		}
		other := newLedger(path, cfg, clock)
		if u, err := other.look(); err != nil || u != have {
			t.Fatalf("another reads %+v, want %+v (%v)", u, have, err)
		}
		now += int64(100 * 24 * time.Hour) // beyond the longest span
		if u, err := other.look(); err != nil || u.used != 0 || u.throttled != 0 {
			t.Fatalf("in the end: %+v, %v", u, err)
		}
	})
}
