package work

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/postgres"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

func TestAWorkerTakesItsPart(t *testing.T) {
	for _, test := range []struct {
		name                     string
		jobs                     tally
		workers, refused, expect int
	}{
		{"alone", tally{waiting: 300}, 1, 0, 300},
		{"alone, and it has had all", tally{waiting: 3, recent: 300, took: 300}, 1, 0, 3},
		{"the first of four", tally{waiting: 300}, 4, 0, 75},
		{"it has its part", tally{waiting: 225, running: 75, mine: 75, recent: 75, took: 75}, 4, 0, 0},
		{"it has more, since the others have just come", tally{waiting: 0, running: 300, mine: 300, recent: 300, took: 300}, 4, 0, 0},
		{"the rest is somebody's", tally{waiting: 1, running: 9, mine: 2, recent: 9, took: 2}, 4, 0, 1},
		{"fewer than workers", tally{waiting: 1}, 4, 0, 1},
		{"it took more lately", tally{waiting: 1, recent: 4, took: 3}, 2, 0, 0},
		{"it took more lately, and the others leave it", tally{waiting: 1, late: 1, recent: 4, took: 3}, 2, 0, 1},
		{"it has no key for one", tally{waiting: 1, late: 1, recent: 4, took: 1}, 2, 1, 0},
		{"nobody has taken them", tally{waiting: 225, late: 60, overdue: 40, running: 75, mine: 75, recent: 75, took: 75}, 4, 0, 40},
		{"no beat was seen yet", tally{waiting: 3}, 0, 0, 3},
	} {
		if got := test.jobs.part(test.workers, test.refused); got != test.expect {
			t.Errorf("%s: %d, want %d", test.name, got, test.expect)
		}
	}
}

// What a worker has no key for is part of what it has, for a while: others may have the key.
func TestWhatAWorkerHasNoKeyForIsPartOfWhatItHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fair{refused: map[string]time.Time{}}
		f.refuse("cal-1")
		time.Sleep(refusedFor / 2)
		f.refuse("cal-1")
		f.refuse("cal-2")
		if n := f.refuses(); n != 2 {
			t.Errorf("%d owners", n)
		}
		time.Sleep(refusedFor + time.Nanosecond)
		if n := f.refuses(); n != 0 {
			t.Errorf("%d owners after a while", n)
		}
	})
}

// Workers that have room for all jobs have the same part of them each.
func TestWorkersShareTheJobs(t *testing.T) {
	const workers, each = 4, 10
	db, _ := newStore(t, "one")
	var carriers []*carrier
	goOn := make(chan struct{})
	for range workers {
		own, err := db.Beside(t.Context(), db.Schema())
		must(t, err)
		t.Cleanup(func() { _ = own.Close() })
		c := &carrier{outcome: func(postgres.Share) Outcome {
			<-goOn
			return Outcome{Over: true}
		}}
		start(t, own, c)
		c.again = make(chan string, workers*each)
		carriers = append(carriers, c)
	}
	pgtest.Eventually(t, func() bool {
		n, err := db.LiveWorkers()
		must(t, err)
		return n == workers
	})
	shares := make([]postgres.Share, workers*each)
	for i := range shares {
		shares[i].Owner = fmt.Sprintf("cal-%d", i)
	}
	must(t, HandOver(t.Context(), db, "one", []byte("{}"), shares))
	has := func() (all int, of []int) {
		for _, c := range carriers {
			c.mu.Lock()
			of, all = append(of, len(c.carried)), all+len(c.carried)
			c.mu.Unlock()
		}
		return all, of
	}
	pgtest.Eventually(t, func() bool {
		all, _ := has()
		return all == len(shares)
	})
	_, of := has()
	for _, n := range of {
		if n != each {
			t.Errorf("they have %v", of)
			break
		}
	}
	close(goOn)
}

// A job that has come back, as most do after each window, is left to whoever took fewer of late: where one job waits
// at a time, whoever asks first would else have them all.
func TestAJobThatComesBackIsLeftToWhoTookFewer(t *testing.T) {
	db, exec := newStore(t)
	must(t, Migrate(t.Context(), db))
	for range 2 {
		worker, err := db.Beside(t.Context(), db.Schema())
		must(t, err)
		t.Cleanup(func() { _ = worker.Close() })
		must(t, worker.Works(func() bool { return true }))
	}
	// The first has three of four, which wait for their window; one of these waits for a worker now.
	for i, at := range []string{"now()", "now() + interval '20 s'", "now() + interval '20 s'"} {
		exec("insert into river_job (kind, args, max_attempts, queue, state, attempt, attempted_at, attempted_by, scheduled_at) "+
			"values ('owner', jsonb_build_object('n', $1::int), 9, $2, $3, 1, now() - interval '20 s', array['second', 'first'], "+at+")",
			i, river.QueueDefault, map[bool]string{true: "available", false: "scheduled"}[i == 0])
	}
	exec("insert into river_job (kind, args, max_attempts, queue, state, attempt, attempted_at, attempted_by, scheduled_at) "+
		"values ('owner', '{}', 9, $1, 'scheduled', 1, now() - interval '20 s', array['first', 'second'], now() + interval '20 s')",
		river.QueueDefault)
	take := func(client string) int {
		jobs, err := newFair(db).GetExecutor().JobGetAvailable(t.Context(), &riverdriver.JobGetAvailableParams{
			ClientID: client, MaxAttemptedBy: 10, MaxToLock: 50, Queue: river.QueueDefault, Schema: db.Schema(),
		})
		must(t, err)
		for _, job := range jobs.Jobs {
			if len(job.AttemptedBy) != 1 {
				t.Errorf("its row grows with each take: %v", job.AttemptedBy)
			}
		}
		return len(jobs.Jobs)
	}
	pgtest.Eventually(t, func() bool {
		n, err := db.LiveWorkers()
		must(t, err)
		return n == 2
	})
	if n := take("first"); n != 0 {
		t.Errorf("who has three of four takes %d", n)
	}
	if n := take("second"); n != 1 {
		t.Errorf("who has one of four takes %d", n)
	}
	exec("update river_job set state = 'available', scheduled_at = now() - interval '3 s' where args->>'n' = '1'")
	if n := take("first"); n != 1 {
		t.Errorf("of what the others have left, who may have no key for it, who has more takes %d", n)
	}
}

// deaf is a database that gives no answer.
type deaf struct{ riverdriver.Executor }

func (deaf) JobGetAvailable(ctx context.Context, _ *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A worker whose connection nothing gets through asks for jobs again, by another one.
func TestTakingJobsDoesNotWaitForADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, err := fetcher{deaf{}, &fair{}}.JobGetAvailable(t.Context(), &riverdriver.JobGetAvailableParams{Queue: "nights"})
		if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != takeWithin {
			t.Errorf("it gave up after %v: %v", took, err)
		}
	})
}
