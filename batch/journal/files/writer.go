package files

import (
	"errors"
	"time"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch/journal"
)

// write is the writer's life: whatever comes is written at once, so that it
// survives this process; it is synced when somebody waits for that, else after
// a while, so that it survives the machine.
func (j *journalFile) write() {
	var round *round // the one under way
	defer func() {
		if value := recover(); value != nil {
			caught := panics.NewRecovered(1, value)
			j.poison(caught.AsError(), round)
		}
	}()
	timer := time.NewTimer(lazily)
	defer timer.Stop()
	unsynced := false
	for {
		last, due := false, false
		select {
		case <-j.wake:
		case <-timer.C:
			due = true
		case <-j.closing:
			last = true
		}
		j.mu.Lock()
		lines, until := j.buf, j.chain.n-1
		round = j.round
		j.buf, j.spare, j.round = j.spare[:0], nil, nil
		j.mu.Unlock()

		err := j.put(lines)
		if err == nil && len(lines) > 0 && !unsynced {
			unsynced = true
			timer.Reset(lazily)
		}
		if err == nil && unsynced && (round != nil || due || last) {
			if err = j.file.Sync(); err == nil {
				unsynced = false
				err = j.count(until)
			}
		}
		if err != nil {
			j.poison(err, round)
			return
		}
		j.mu.Lock()
		j.spare = lines
		if !unsynced {
			j.chain.d = until
		}
		j.mu.Unlock()
		if round != nil {
			close(round.done)
			round = nil
		}
		if last {
			return
		}
	}
}

// count notes beside the journal how many of its records are on disk.
func (t *tail) count(records int64) error {
	if records < t.counts {
		return nil
	}
	t.digits = appendSynced(t.digits[:0], records)
	return writeWhole(t.synced, t.digits, 0)
}

// put writes lines at the end of the file.
func (t *tail) put(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if err := writeWhole(t.file, lines, t.at); err != nil {
		return err
	}
	t.at += int64(len(lines))
	return nil
}

// abandon gives up what was never written to.
func (t *tail) abandon() error {
	var err error
	for _, f := range []File{t.file, t.synced} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return errors.Join(err, t.lock.Unlock())
}

// poison ends all writing, and all waiting: that of the round under way, and of
// the one that began to gather meanwhile.
func (j *journalFile) poison(cause error, under *round) {
	j.mu.Lock()
	j.err = &journal.PoisonedError{Path: j.path, Err: cause}
	j.buf = nil
	rounds := [...]*round{under, j.round}
	j.round = nil
	j.mu.Unlock()
	for _, r := range rounds {
		if r != nil {
			r.err = j.err
			close(r.done)
		}
	}
}
