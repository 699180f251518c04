package quota

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A process that dies while it writes leaves a part of the write.
// Whatever the part, no other process sees fewer slots out than there were.
func TestWriteCutShortFreesNothing(t *testing.T) {
	type step func(l *ledger, held []reservation) error
	for name, test := range map[string]struct {
		freed int // slots whose request never left
		do    step
	}{
		"a slot taken": {0, func(l *ledger, _ []reservation) error {
			_, _, err := l.reserve(maxLimit, 7)
			return err
		}},
		"an answer": {0, func(l *ledger, held []reservation) error {
			l.release(held[len(held)/2], maxLimit, -1)
			return l.flush()
		}},
		"an answer that tells of others": {0, func(l *ledger, held []reservation) error {
			l.release(held[0], 1000, 0)
			return l.flush()
		}},
		"a slot given back": {1, func(l *ledger, held []reservation) error { return l.cancel(held[1]) }},
		"a pause":           {0, func(l *ledger, _ []reservation) error { return l.pause(time.Hour) }},
	} {
		for _, n := range []int{3, 20, 600} {
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
				writer, held := open(), make([]reservation, n)
				for i := range held {
					var err error
					if held[i], _, err = writer.reserve(maxLimit, uint64(i+100)); err != nil {
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
					u, err := open().look()
					if err != nil {
						t.Fatal(err)
					}
					if u.throttled < now+int64(minute) && u.used < n-test.freed {
						t.Fatalf("%d of %d bytes written: %+v, want %d out", cut, len(after), u, n-test.freed)
					}
				}
			})
		}
	}
}

// The clock is set between an answer and the next slot.
func TestClockSetAfterAnAnswer(t *testing.T) {
	for _, step := range []time.Duration{30 * time.Second, time.Hour, -30 * time.Second, -time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scheduler(t, Config{Dir: t.TempDir()})
				l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 1)}})
				slot := takeAtOnce(t, l, 1)[0]
				time.Sleep(time.Second)
				slot.Done(Seen{-1, -1})
				answered := time.Now()
				s.mu.Lock()
				s.clock.read = func(t time.Time) int64 { return t.Add(step).UnixNano() }
				s.mu.Unlock()
				time.Sleep(time.Second)
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

// However many slots a limit has, the account stays short, and no slot of it is lost
// or free before its time.
func TestCrowdSharesRecords(t *testing.T) {
	now := int64(1_900_000_000e9)
	l := newLedger(filepath.Join(t.TempDir(), "l"), Config{Window: minute, Lease: minute}, func() int64 { return now })
	const slots, apart = 20_000, int64(2 * time.Millisecond) // two thirds of a window
	for i := range slots {
		tk, _, err := l.reserve(maxLimit, uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		l.release(tk, maxLimit, -1)
		now += apart
	}
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	if n := len(l.records); n > crowd+260 {
		t.Errorf("%d records", n)
	}
	start := now - slots*apart
	for i := 0; i <= slots; i += 1000 {
		now = start + int64(i)*apart + int64(minute+l.margin)
		u, err := l.look()
		if late := slots - i + 130; err != nil || u.used < slots-i-1 || u.used > late {
			t.Errorf("a window after %d answers %d slots are out (%v), want %d to %d", i, u.used, err, slots-i-1, late)
		}
	}
}
