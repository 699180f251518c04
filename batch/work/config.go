package work

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/mapping/failure"
)

// How long a job works, when it counts as stuck, and how often a worker looks for jobs whose
// worker has died.
const (
	turn     = 10 * time.Minute
	timeout  = turn + time.Minute
	stuck    = timeout + time.Minute
	look     = 10 * time.Second
	leastOne = time.Minute // of a turn, for each share
)

// ErrDrained is the cause of a stop when the worker is to end, ErrWithdrawn where a run is no
// longer the workers' to send, ErrRestarted where each share begins anew, and ErrFull where nothing of
// one may leave for so long that others have its place meanwhile.
var (
	ErrDrained   = interruption("the worker is to end")
	ErrWithdrawn = interruption("the run was taken from the workers")
	ErrRestarted = interruption("the keys were read anew")
	ErrFull      = interruption("nothing may leave for a while")
)

// interruption returns an error that the journal of a run remembers as such.
func interruption(why string) error { return failure.New(context.Canceled, errors.New(why), "") }

// Config is what a worker is made of.
type Config struct {
	Database *postgres.DB
	Owners   int // that are worked at a time
	// Carry works a share for so long, or until ctx ends, and waits for what is under way.
	Carry func(ctx context.Context, share postgres.Share, turn time.Duration) Turn
	// Figures returns what the shares of this worker have come to.
	Figures func() Figures
	// Syncs are those that this worker can go through, and Night does until ctx ends.
	Syncs []Sync
	Night func(ctx context.Context, sync string) Night
	Log   *slog.Logger
}

// Sync is a sync that this worker can go through, and how often that is done.
type Sync struct {
	Name  string
	Every time.Duration
}

// Night is what a worker has come to with one night.
type Night struct {
	Every  time.Duration // there is a night by now; zero where no worker is to go on with the sync
	Begun  bool
	Failed bool // it was gone through to its end, which is not a good one
}

// Until something is tried again that others have to mend, or somebody else sends. A worker without
// the key hands the job back soon at first, for another one may have it.
const (
	againForKey  = time.Second
	AgainForHeld = 10 * time.Second
	AgainAtWorst = time.Minute

	soonForKey = 8 // times
)

// Outcome is what becomes of a share after a turn.
type Outcome struct {
	Over  bool          // there is nothing left to do, or nothing that another turn would change
	Again time.Duration // until there may be something to do again
	Why   string        // it waits; for people
	NoKey bool          // of this worker, where another one may have it
	Full  bool          // nothing may leave until then
}

// Turn is what a share has come to in one turn.
type Turn struct {
	Outcome
	Err      error // nil where all was sent
	Epoch    int64
	Requests journal.Made
	Tally    journal.Tally
}

// Figures are what all shares of a worker have come to, those under way as well.
type Figures struct {
	Requests  journal.Made
	TakeOvers int           // of leases, from processes that have died or did not get on
	Stands    time.Duration // for how long nothing was answered of a share under way, at most
}
