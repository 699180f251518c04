// Package sim has whole histories happen in one process, each of which follows from a seed, and looks whether the platform and
// what is on record are as they should be.
//
// What is under test is everything below package batch: planner, sender, journal, quota. The platform is the sandbox, behind a
// link that delays and loses requests; the clock is that of testing/synctest; journals lie on a disk that forgets what was
// not synced and tears what was being written. Files other than journals lie in the file system, and are there once they were
// written.
//
// A process of a history dies at a request, a write or a sync: from then on its requests and writes have no effect, its context
// has ended, and what it still does in its own memory is nobody's. Where power goes, all processes of the machine
// die, and its disk forgets.
//
// A seed decides on the setting, the steps, what is in the files, what people do, how long a request is under way, and
// at which event a process dies. Not decided are the order in which goroutines come to run, and so which requests of several
// at once come first, and what the product draws by itself: ids of runs and of slots, and by how much a pause varies. A history
// with one request at a time mostly repeats exactly; others are tried several times while they are made shorter.
package sim

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var (
	seed    = flag.Uint64("sim.seed", 0, "have the history of the seed `N` happen alone")
	from    = flag.Uint64("sim.from", 0, "begin with the seed `N`")
	most    = flag.Int("sim.histories", 0, "have `N` histories happen, instead of a few")
	first   = flag.Bool("sim.first", false, "end with the first history that fails, which is told as it is")
	lasting = flag.Duration("sim.for", 0, "have histories happen for so long, as many at once as there are processors")
)

// few is how many histories happen where nobody asks for more.
const few = 20

func TestHistories(t *testing.T) {
	switch {
	case *seed > 0:
		draw(*seed).must(t)
	case *lasting > 0:
		begun, done := time.Now(), atomic.Uint64{}
		begin := max(*from, rand.Uint64N(1<<40))
		t.Cleanup(func() { t.Logf("%d histories", done.Load()) })
		for n := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				for time.Since(begun) < *lasting {
					draw(begin + done.Add(1)).must(t)
				}
			})
		}
	default:
		for n := range uint64(cmp.Or(*most, few)) {
			h := draw(*from + 1 + n)
			if failures := h.happens(t); *first && len(failures) > 0 {
				t.Fatalf("%d histories\n%v\n\t%s", n+1, h, strings.Join(failures, "\n\t"))
			} else if len(failures) > 0 {
				h.tell(t, failures)
			}
		}
	}
}

// must has a history happen. Where something should not have been, the shortest history is told in which it is, with the
// command that has it happen again.
func (h history) must(t *testing.T) {
	t.Helper()
	failures := h.happens(t)
	if len(failures) == 0 {
		return
	}
	h.tell(t, failures)
}

// tell tells the shortest history in which something should not have been.
func (h history) tell(t *testing.T, failures []string) {
	t.Helper()
	h, failures = h.shortened(t, failures)
	t.Errorf("%v\n\t%s\ngo test ./batch/sim -run TestHistories -sim.seed %d", h, strings.Join(failures, "\n\t"), h.seed)
}

// shortened leaves out of a history what is not needed for it to fail.
func (h history) shortened(t *testing.T, failures []string) (history, []string) {
	for n := len(h.steps) - 1; n >= 0; n-- {
		shorter := history{h.seed, slices.Delete(slices.Clone(h.steps), n, n+1)}
		if fails := shorter.fails(t); len(fails) > 0 {
			h, failures = shorter, fails
		}
	}
	return h, failures
}

// fails has a history happen a few times, since not all of it follows from the seed, and returns what should not have been.
func (h history) fails(t *testing.T) (failures []string) {
	for try := 0; try < 3 && len(failures) == 0; try++ {
		failures = h.happens(t)
	}
	return failures
}
