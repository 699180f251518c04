package work

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"eventbatch/batch/postgres"
)

const (
	othersFirst  = 2 * time.Second  // how long a job is left to workers that took fewer of late
	anyonesAfter = 5 * time.Second  // and to the worker whose part it is
	lately       = time.Minute      // for how long what a worker took counts as recent
	refusedFor   = time.Minute      // for how long it counts what it has no key for
	takeWithin   = 10 * time.Second // how long taking jobs may take
)

// fair is River's driver, by which a worker takes no more than its part of the jobs of owners. River takes as many
// as a worker has room for, the first one all: it has no setting that changes while it works. What is not overridden
// is River's own.
type fair struct {
	*riverpgxv5.Driver

	db *postgres.DB

	mu      sync.Mutex
	refused map[string]time.Time // by owner: what this worker had no key for, and when
}

func newFair(db *postgres.DB) *fair {
	return &fair{Driver: driver(db), db: db, refused: map[string]time.Time{}}
}

// GetExecutor returns what River asks the database by.
func (f *fair) GetExecutor() riverdriver.Executor { return fetcher{f.Driver.GetExecutor(), f} }

// refuse notes that this worker cannot work an owner: others may, so that it stays part of what this one has.
func (f *fair) refuse(owner string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused[owner] = time.Now()
}

// refuses returns how many owners that are.
func (f *fair) refuses() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.refused, func(_ string, at time.Time) bool { return time.Since(at) > refusedFor })
	return len(f.refused)
}

// tally counts the jobs of a queue as one worker sees them.
type tally struct {
	waiting int // for a worker
	late    int // of them, for longer than othersFirst
	overdue int // of them, for longer than anyonesAfter
	running int
	mine    int // of those running
	recent  int // running, or taken lately
	took    int // of those recent, by this worker
}

// part returns how many jobs a worker may take: what is its part of those that wait and are worked, with those that it has
// no key for on its side; and first, for a moment, no more than its part of what was taken lately. Where a job often waits
// for its next window few wait at a time, and whoever asks first after each window would have nearly all of them by what is
// worked alone. But others may have no key for what they leave.
func (t *tally) part(workers, refused int) int {
	each := func(jobs, has int) int { return (jobs+max(workers, 1)-1)/max(workers, 1) - has }
	now, lately := each(t.waiting+t.running, t.mine+refused), each(t.waiting+t.recent, t.took)
	return max(min(now, max(lately, t.late)), t.overdue)
}

// countJobs reads a tally, in the order of its fields. A job that waits again may be a recent one as well.
const countJobs = `select count(*) filter (where waits), count(*) filter (where waits and scheduled_at <= now() - $2::interval),
	count(*) filter (where waits and scheduled_at <= now() - $3::interval), count(*) filter (where runs),
	count(*) filter (where runs and own), count(*) filter (where had), count(*) filter (where had and own)
from (
	select *, state = 'available' and scheduled_at <= now() as waits, state = 'running' as runs,
		state = 'running' or attempted_at > now() - $4::interval as had, attempted_by[cardinality(attempted_by)] = $5 as own
	from river_job where state in ('available', 'running', 'scheduled') and queue = $1
) as job`

type fetcher struct {
	riverdriver.Executor
	*fair
}

// JobGetAvailable takes jobs for this worker. River would wait for an answer as long as the connection lives, which is
// a quarter of an hour where nothing gets through any more. A job that is taken by then, unheard, is put back.
func (f fetcher) JobGetAvailable(
	ctx context.Context, params *riverdriver.JobGetAvailableParams,
) (*riverdriver.JobGetAvailableResult, error) {
	ctx, cancel := context.WithTimeout(ctx, takeWithin)
	defer cancel()
	if params.Queue != river.QueueDefault {
		return f.Executor.JobGetAvailable(ctx, params)
	}
	var t tally
	err := f.db.Pool().QueryRow(ctx, countJobs, params.Queue, othersFirst, anyonesAfter, lately, params.ClientID).
		Scan(&t.waiting, &t.late, &t.overdue, &t.running, &t.mine, &t.recent, &t.took)
	if err != nil || t.waiting == 0 {
		return &riverdriver.JobGetAvailableResult{}, err
	}
	workers, err := f.db.LiveWorkers()
	if err != nil {
		return nil, err
	}
	fewer := *params
	fewer.MaxToLock = min(params.MaxToLock, t.part(workers, f.refuses()))
	fewer.MaxAttemptedBy = 1 // who took a job before the last is nothing to anybody, and makes its row long
	if fewer.MaxToLock <= 0 {
		return &riverdriver.JobGetAvailableResult{}, nil
	}
	return f.Executor.JobGetAvailable(ctx, &fewer)
}
