package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/batch/send"
	"eventbatch/mapping/failure"
)

// followEvery is how often a run that workers send is looked at, at most.
const followEvery = time.Second

// Follower is shown how far the workers are with a run.
type Follower interface {
	Stand(open, failed, inDoubt int)
	Wait(why string) // empty where it does not any more
}

// Follow returns what became of a run once the workers have ended it, and why they have left it before its end; nil
// where ctx ends before that.
func Follow(ctx context.Context, db *postgres.DB, run *journal.Run, follower Follower) (*journal.State, error) {
	begun, said := time.Now(), ""
	for {
		begin := time.Now()
		shares, err := db.SharesOf(run.ID())
		var state *journal.State
		if err == nil {
			state, err = run.State()
		}
		if err == nil {
			tally := state.Tally()
			follower.Stand(tally.Open(), tally[journal.Failed], tally[journal.InDoubt])
			if len(shares) == 0 {
				return state, stopped(run, state)
			}
			if why := waiting(shares); why != said {
				said = why
				follower.Wait(why)
			}
		} // a database that is away comes back: the run is nothing to this process
		select {
		// A small run is over soon, and a large one not all that the database has to do.
		case <-time.After(max(min(time.Since(begun)/4, followEvery), 10*time.Since(begin))):
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// stopped returns why the workers have left a run before its end.
func stopped(run *journal.Run, state *journal.State) error {
	tally := state.Tally()
	switch {
	case state.Ended == "too-many-errors":
		return &send.TooManyErrorsError{Failed: tally[journal.Failed]}
	case tally[journal.Pending] > 0:
		return failure.New(failure.Stale, errors.New("the workers could not go on with run "+run.ID()),
			"the log of the worker says why, and so does eventbatch apply "+run.ID())
	}
	return nil
}

// Withdraw takes a run from the workers, waits until what has left is recorded, and returns what became of the run.
func Withdraw(db *postgres.DB, run *journal.Run) (*journal.State, error) {
	if err := db.Withdraw(run.ID()); err != nil {
		return nil, err
	}
	for range 60 { // the workers see it within seconds, and what has left comes back
		held, err := db.Held(run.ID())
		if err != nil {
			return nil, err
		}
		if !held {
			break
		}
		time.Sleep(followEvery)
	}
	return run.State()
}

// waiting says for which reasons shares wait, and how many for each; empty where none does.
func waiting(shares []postgres.Share) string {
	var reasons []string // in the order of the shares
	of := map[string]int{}
	for i := range shares {
		if why := shares[i].Waits; why != "" {
			if of[why] == 0 {
				reasons = append(reasons, why)
			}
			of[why]++
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return of[b] - of[a] })
	words := make([]string, 0, mostReasons+1)
	rest := 0
	for i, why := range reasons {
		if i >= mostReasons {
			rest += of[why]
			continue
		}
		words = append(words, waits(of[why])+": "+printable.Clean(why))
	}
	if rest > 0 {
		words = append(words, waits(rest)+" for other reasons")
	}
	return strings.Join(words, "; ")
}

// mostReasons is how many reasons are named: those of most shares.
const mostReasons = 3

// waits says that so many shares wait.
func waits(n int) string { return printable.Count(n, "share") + printable.Pick(n, " waits", " wait") }

// What is said of a run that waits for nothing else, and where there are no workers.
const (
	WithWorkers    = "the workers have it"
	WithoutWorkers = "no worker is at work: eventbatch worker starts one"
)

// Words returns in words how far the runs are that workers have: with them, or why they wait. Without a database
// they have none.
func Words(ctx context.Context, db *postgres.DB, runs ...string) map[string]string {
	if db == nil {
		return nil
	}
	shares, err := db.SharesOf(runs...)
	if err != nil {
		return nil // whoever wants to see a run is told other errors
	}
	of, words := map[string][]postgres.Share{}, map[string]string{}
	for i := range shares {
		of[shares[i].Run] = append(of[shares[i].Run], shares[i])
	}
	alive, err := Alive(ctx, db)
	for run, shares := range of {
		words[run] = cmp.Or(waiting(shares), WithWorkers)
		if err == nil && !alive {
			words[run] = WithoutWorkers
		}
	}
	return words
}
