package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"eventbatch/batch/journal"
)

// version is the form of the journal that this package writes.
const version = 1

// Read returns what the journal says, changing nothing. A torn tail is passed
// over; a [journal.DamagedError] means that records are missing.
func (r *run) Read(names bool) (*journal.State, error) {
	state, err := r.tryRead(names)
	if _, damaged := errors.AsType[*journal.DamagedError](err); damaged {
		// A process that takes the run up at this moment may have cut the tail
		// off while it was being read: what is truly damaged is so twice.
		return r.tryRead(names)
	}
	return state, err
}

func (r *run) tryRead(names bool) (*journal.State, error) {
	state := r.newState(names)
	found, err := r.evidence()
	if err != nil {
		return nil, err
	}
	said, err := r.replay(state)
	if err != nil {
		return nil, err
	}
	return state, r.Doubt(state, found.lost(said), found.here)
}

// newState returns the state before the first record.
func (r *run) newState(names bool) *journal.State {
	header := r.Header()
	state := journal.NewState(&header, r.Len(), nil, 0)
	state.Dropped = r.dropped()
	if names {
		state.Naming()
	}
	return state
}

// replay folds the journal in, where there is one.
func (r *run) replay(state *journal.State) (said chainSays, err error) {
	f, err := r.in.disk.Read(r.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return said, nil
	}
	if err != nil {
		return said, journal.Unusable("reading journal", err)
	}
	said.extent, err = replay(r.journalPath(), f, r.fold(state, &said))
	state.Torn = said.tail
	return said, errors.Join(err, f.Close())
}

// chainSays is what a journal says besides what became of the ops.
type chainSays struct {
	extent

	// ended and counted say whether there is an end at all, and an attachment that has kept
	// count in synced.
	ended, counted bool
}

// fold returns what replay does with each record: the first has to be this run's.
func (r *run) fold(state *journal.State, said *chainSays) func(*entry) error {
	return func(e *entry) error {
		if e.N == 1 {
			if err := r.opens(e); err != nil {
				return err
			}
		}
		said.ended = said.ended || e.T == journal.End
		said.counted = said.counted || e.T == journal.Attach && e.Home != nil
		record, ok := e.record()
		if !ok {
			return errors.New("a record without an op")
		}
		return state.Apply(&record)
	}
}

// Attach takes the run up: it locks it against every other process, checks the
// plan to its last byte and the target, replays the journal, cuts off a torn
// tail, and records the attachment, behind doubts of the creates whose outcomes may be
// lost. The errors of its own are [journal.LockedError], [journal.StaleTargetError],
// [journal.DamagedError] and [journal.PoisonedError]. The state is that of
// this moment; the journal does not change it.
func (r *run) Attach(a journal.Attachment) (journal.Journal, *journal.State, error) {
	lock, holder, err := tryLock(filepath.Join(r.folder, lockName))
	if err != nil {
		return nil, nil, err
	}
	if lock == nil {
		return nil, nil, &journal.LockedError{What: "run " + r.ID(), Holder: holder}
	}
	j := &journalFile{
		run: r.ID(), path: r.journalPath(), ops: r.Len(), now: r.in.now, tail: tail{lock: lock},
		ended: func() { r.in.remembered(r.Run) },
		wake:  make(chan struct{}, 1), closing: make(chan struct{}),
	}
	state, doubts, err := r.take(j, a)
	if err != nil {
		return nil, nil, errors.Join(err, j.abandon())
	}
	j.writer.Go(j.write)
	for i := range doubts {
		doubts[i].Turn = a.Turn
		_, more := j.append(&doubts[i], false)
		err = cmp.Or(err, more)
		state.Suspect(&doubts[i])
	}
	var round *round
	if err == nil {
		round, err = j.add(true, entry{
			T: journal.Attach, At: r.in.now().UnixMilli(), PID: os.Getpid(), By: a.By, Turn: a.Turn, Home: &j.home,
		})
	}
	if err == nil {
		err = round.wait(context.Background())
	}
	if err != nil {
		_ = j.Close() // its error is this one
		return nil, nil, err
	}
	state.Started, state.Ended = true, ""
	state.Attached++
	return j, state, nil
}

// take brings the files into a state that can be written to, and returns what has to be
// recorded before the attachment. The lock is held.
func (r *run) take(j *journalFile, a journal.Attachment) (state *journal.State, doubts []journal.Record, err error) {
	if err := r.CheckTarget(a.Target); err != nil {
		return nil, nil, err
	}
	if err := r.verify(); err != nil {
		return nil, nil, err
	}
	found, err := r.evidence()
	if err != nil {
		return nil, nil, err
	}
	state = r.newState(false)
	said, err := r.replay(state)
	if err == nil && said.lines == 0 {
		said, err = r.begin(j, state)
	}
	if err != nil {
		return nil, nil, err
	}
	if doubts, err = r.doubts(state, &found, said); err != nil {
		return nil, nil, err
	}
	if j.file, err = r.in.disk.Open(r.journalPath()); err != nil {
		return nil, nil, journal.Unusable("opening journal", err)
	}
	if err = r.mend(j.file, said.extent); err == nil {
		j.synced, err = r.count(&found, said.lines, len(doubts))
	}
	if err != nil {
		return nil, nil, err
	}
	j.at, j.home = said.size, found.here
	j.chain = chain{n: said.lines + 1, p: said.crc, d: said.lines}
	j.counts = j.chain.n + int64(len(doubts))
	return state, doubts, nil
}

// mend makes the prefix that replay found durable. A tail is cut off. Lines that
// no later one vouches for are written again: after a failed sync the kernel may
// show lines that it will never write by itself.
func (r *run) mend(f File, ext extent) error {
	err := func() error {
		if ext.tail {
			if err := f.Truncate(ext.size); err != nil {
				return err
			}
		}
		lines := make([]byte, ext.size-ext.vouched)
		if _, err := f.ReadAt(lines, ext.vouched); err != nil {
			return err
		}
		if err := writeWhole(f, lines, ext.vouched); err != nil {
			return err
		}
		return f.Sync()
	}()
	if err != nil {
		return &journal.PoisonedError{Path: r.journalPath(), Err: err}
	}
	return nil
}

// opening is the record that binds a journal to its plan.
func (r *run) opening(at time.Time) entry {
	target := r.Header().Target
	return entry{
		T: journal.Open, At: at.UnixMilli(), Version: version, Run: r.ID(), Plan: r.Head().Seal.Seal, BaseURL: target.BaseURL,
		Calendars: target.Calendars,
	}
}

// begin makes the journal appear with its first record.
func (r *run) begin(j *journalFile, state *journal.State) (said chainSays, err error) {
	line, _, err := appendLine(nil, chain{n: 1}, r.opening(r.in.now()))
	if err != nil {
		return said, journal.Unusable("opening journal", err)
	}
	if err := r.in.disk.Create(r.journalPath(), line); err != nil {
		return said, &journal.PoisonedError{Path: j.path, Err: err}
	}
	said.extent, err = replay(j.path, bytes.NewReader(line), r.fold(state, &said))
	return said, err
}

// opens refuses the first record of another run's journal.
func (r *run) opens(e *entry) error {
	target := r.Header().Target
	switch {
	case e.T != journal.Open:
		return errors.New("it does not begin with an open record")
	case e.Version != version:
		return journal.UnknownVersion(r.journalPath(), e.Version, version)
	case e.Run != r.ID():
		return errors.New("it is the journal of run " + e.Run)
	case e.Plan != r.Head().Seal.Seal || e.BaseURL != target.BaseURL || !maps.Equal(e.Calendars, target.Calendars):
		return errors.New("it belongs to another plan of the run")
	}
	return nil
}

// Sendings reads when each request that changes something left, in order.
func (r *run) Sendings() (list []journal.Sending, err error) {
	f, err := r.in.disk.Read(r.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, journal.Unusable("reading journal", err)
	}
	_, err = replay(r.journalPath(), f, func(e *entry) error {
		if ops := e.each(); e.T == journal.Intent && e.At > 0 && len(ops) > 0 {
			list = append(list, journal.Sending{Op: ops[0], At: time.UnixMilli(e.At)})
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b journal.Sending) int { return a.At.Compare(b.At) })
	return list, errors.Join(err, f.Close())
}

// Held reports whether a process is at work on the run at this moment.
func (r *run) Held() (bool, error) {
	path := filepath.Join(r.folder, lockName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return locked(path)
}
