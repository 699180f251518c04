package quota

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc/panics"
)

func TestAllFreeIsWhenTheLastSlotComesFree(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		synctest.Test(t, func(t *testing.T) {
			s := scheduler(t, Config{Dir: dir, Lease: time.Hour})
			slots := takeAtOnce(t, s.Lane(LaneConfig{Owners: []Owner{calendar("c", 10)}}), 2)
			slots[0].Done(Seen{-1, -1})
			time.Sleep(time.Second)
			slots[1].Done(Seen{-1, -1})
			if u := s.Usage()[0]; !u.AllFree.Equal(time.Now().Add(minute + 60*time.Millisecond)) {
				t.Errorf("all free in %v: that is the lease of a request that was answered", time.Until(u.AllFree))
			}
		})
	}
}

func TestPanicOfATimerIsRaisedInTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler(t, Config{})
		l := s.Lane(LaneConfig{Owners: []Owner{calendar("c", 1)}})
		takeAtOnce(t, l, 1)[0].Done(Seen{-1, -1})
		time.AfterFunc(time.Second, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.clock.read = func(time.Time) int64 { panic("no clock") }
		})
		for range 2 { // who waits, and who comes later
			func() {
				defer func() {
					d, ok := recover().(*panics.ErrRecovered)
					if !ok || d.Value != "no clock" || !strings.Contains(string(d.Stack), "answer_test.go") {
						t.Errorf("recovered %v", d)
					}
				}()
				_, err := l.Take(t.Context())
				t.Errorf("Take gave %v", err)
			}()
		}
	})
}
