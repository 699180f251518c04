package quota

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A process that dies while it writes leaves a part of the write, header first.
// Whatever the part, no other process sees fewer slots out than there were.
func TestWriteCutShortFreesNothing(t *testing.T) {
	type step func(l *ledger, held []ticket) error
	for name, test := range map[string]struct {
		freed int // slots whose request never left
		do    step
	}{
		"a slot taken": {0, func(l *ledger, _ []ticket) error {
			_, _, err := l.take(maxLimit, 7)
			return err
		}},
		"a slot taken after answers": {0, func(l *ledger, held []ticket) error {
			for _, at := range []int{0, len(held) / 2, len(held) - 1} {
				if _, err := l.spend(held[at], maxLimit, -1, true); err != nil {
					return err
				}
			}
			_, _, err := l.take(maxLimit, 7)
			return err
		}},
		"an answer that tells of others": {0, func(l *ledger, held []ticket) error {
			_, err := l.spend(held[0], 1000, 0, false)
			return err
		}},
		"a slot given back": {1, func(l *ledger, held []ticket) error { return l.free(held[1]) }},
		"a pause":           {0, func(l *ledger, _ []ticket) error { return l.park(time.Hour) }},
	} {
		for _, n := range []int{3, 20, 600} { // the last takes two writes
			t.Run(fmt.Sprintf("%s, of %d", name, n), func(t *testing.T) {
				cfg, now := Config{Window: minute, Lease: minute}, int64(1_900_000_000e9)
				path := filepath.Join(t.TempDir(), "l")
				open := func() *ledger { return newLedger(path, cfg, func() int64 { return now }) }
				read := func() []byte {
					b, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					return b
				}
				writer, held := open(), make([]ticket, n)
				defer writer.close()
				for i := range held {
					var err error
					if held[i], _, err = writer.take(maxLimit, uint64(i+100)); err != nil {
						t.Fatal(err)
					}
				}
				before := read()
				now += int64(minute + minute/2)
				if err := test.do(writer, held); err != nil {
					t.Fatal(err)
				}
				after := read()
				for cut := 0; cut <= len(after); cut++ {
					if cut > 40 && cut%(recordSize*n/3) > 1 {
						continue // some will do
					}
					part := append([]byte(nil), after[:cut]...)
					if cut < len(before) {
						part = append(part, before[cut:]...)
					}
					if err := os.WriteFile(path, part, 0o600); err != nil {
						t.Fatal(err)
					}
					reader := open()
					u, _, err := reader.look()
					if err = errors.Join(err, reader.close()); err != nil {
						t.Fatal(err)
					}
					if u.parked < now+int64(minute) && u.used < n-test.freed {
						t.Fatalf("%d of %d bytes written: %+v, want %d out", cut, len(after), u, n-test.freed)
					}
				}
			})
		}
	}
}

// Another process that knows the ledger sees a write that was cut short too.
func TestWriteCutShortIsSeen(t *testing.T) {
	now := int64(1_900_000_000e9)
	path := filepath.Join(t.TempDir(), "l")
	one := newLedger(path, Config{Window: minute, Lease: minute}, func() int64 { return now })
	two := newLedger(path, Config{Window: minute, Lease: minute}, func() int64 { return now })
	defer one.close()
	defer two.close()
	const slots = 600
	take := func(l *ledger) {
		t.Helper()
		if _, _, err := l.take(maxLimit, 5); err != nil {
			t.Fatal(err)
		}
	}
	for range slots {
		take(one)
	}
	if u, _, err := two.look(); err != nil || u.used != slots {
		t.Fatalf("%+v, %v", u, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	take(one)
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Of the last write, the header alone; then the rest, as from another process
	// that changed nothing since.
	if err := os.WriteFile(path, append(append([]byte(nil), after[:recordSize]...), before[recordSize:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if u, _, err := two.look(); err != nil || u.used != slots || two.head.takes != slots+1 {
		t.Errorf("after the header: %+v, %d taken ever, %v", u, two.head.takes, err)
	}
	take(two)
	three := newLedger(path, Config{Window: minute, Lease: minute}, func() int64 { return now })
	defer three.close()
	if u, _, err := three.look(); err != nil || u.used != slots+1 {
		t.Errorf("in the end: %+v, %v", u, err)
	}
}

// The clock is set between an answer and its entry.
func TestClockSetBeforeAnAnswerIsEntered(t *testing.T) {
	for _, step := range []time.Duration{30 * time.Second, time.Hour, -30 * time.Second, -time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scheduler(t, Config{Dir: t.TempDir()})
				l := busy(s, calendar("c", 1))
				slot := takeAtOnce(t, l, 1)[0]
				time.Sleep(time.Second)
				slot.Done(Seen{-1, -1})
				answered := time.Now()
				s.mu.Lock()
				s.clock.read = func(t time.Time) int64 { return t.Add(step).UnixNano() }
				s.mu.Unlock()
				time.Sleep(time.Second) // it is entered by its timer
				if _, err := l.Take(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(answered); got < minute || got > minute+2*time.Second {
					t.Errorf("came free %v after the answer, want about %v", got, minute)
				}
			})
		})
	}
}

// What one operation changes here and there in the account is in the file, all of it.
func TestEveryChangeOfAnOperationReachesTheFile(t *testing.T) {
	for _, n := range []int{6, 700} { // the last takes two writes
		cfg, now := Config{Window: minute, Lease: minute}, int64(1_900_000_000e9)
		path := filepath.Join(t.TempDir(), "l")
		one := newLedger(path, cfg, func() int64 { return now })
		held := make([]ticket, n)
		for i := range held {
			var err error
			if held[i], _, err = one.take(maxLimit, uint64(i+100)); err != nil {
				t.Fatal(err)
			}
		}
		if err := one.free(held[1]); err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{n - 1, 0, n / 2} {
			if _, err := one.spend(held[at], maxLimit, -1, true); err != nil {
				t.Fatal(err)
			}
		}
		if tk, _, err := one.take(maxLimit, 7); err != nil || tk.index != 1 {
			t.Fatalf("%+v, %v: the test proves nothing", tk, err)
		}
		two := newLedger(path, cfg, func() int64 { return now })
		u, _, err := two.look()
		if err = errors.Join(err, one.close(), two.close()); err != nil {
			t.Fatal(err)
		}
		if u.used != n || u.flying != n-3 || u.parked != 0 {
			t.Errorf("of %d: %+v", n, u)
		}
	}
}
