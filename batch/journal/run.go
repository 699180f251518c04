package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/plan"
)

// version is the form of the journal that this package writes.
const version = 1

// Run is one run of a workspace: a plan, and what became of it.
type runFolder struct {
	folder string
	host   string
	disk   disk
	now    func() time.Time
	header plan.Header
	seal   planSeal
	first  int64 // where the first op's line begins

	written  bool // by this process
	indexing sync.Mutex
	offsets  []int64 // see index
}

// ID names the run in its workspace.
func (r *runFolder) ID() string { return r.header.Run }

// Header is the first line of the plan.
func (r *runFolder) Header() plan.Header { return r.header }

// Len is the number of ops in the plan.
func (r *runFolder) Len() int { return r.seal.Ops }

// Files are those of the run's folder. The journal is there once the run has been taken up.
func (r *runFolder) Files() Files {
	return Files{Folder: r.folder, Plan: r.planPath(), Journal: r.journalPath(), Results: r.resultsPath()}
}

func (r *runFolder) planPath() string { return filepath.Join(r.folder, planName) }

// rowsPath is where the payloads of the plan's ops are.
func (r *runFolder) rowsPath() string { return filepath.Join(r.folder, rowsName) }

func (r *runFolder) journalPath() string { return filepath.Join(r.folder, journalName) }

func (r *runFolder) resultsPath() string { return filepath.Join(r.folder, resultsName) }

// State reads what the journal says, changing nothing. A torn tail is passed
// over; a [DamagedError] means that records are missing.
func (r *runFolder) State() (*State, error) {
	state, _, err := r.readState(false)
	return state, err
}

// readState also returns the size of the journal, -1 where a tail has to be cut off or
// there is none; and, where that is wanted, the names of the ops.
func (r *runFolder) readState(names bool) (*State, int64, error) {
	state, size, err := r.tryState(names)
	if _, damaged := errors.AsType[*DamagedError](err); damaged {
		// A process that takes the run up at this moment may have cut the tail
		// off while it was being read: what is truly damaged is so twice.
		return r.tryState(names)
	}
	return state, size, err
}

func (r *runFolder) tryState(names bool) (*State, int64, error) {
	state := newState(&r.header, r.seal.Ops)
	if names {
		state.named = make([]named, r.seal.Ops)
	}
	found, err := r.evidence()
	if err != nil {
		return nil, 0, err
	}
	f, err := r.disk.read(r.journalPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state, -1, r.doubt(state, &found)
	case err != nil:
		return nil, 0, unusable("reading journal", err)
	}
	defer f.Close()
	ext, err := replay(r.journalPath(), f, r.fold(state))
	if err != nil {
		return nil, 0, err
	}
	if ext.tail {
		ext.size = -1
	}
	return state, ext.size, r.doubt(state, &found)
}

// Attachment says who takes a run up.
type Attachment struct {
	Target plan.Target // what this process would send to
	By     string      // the program's version, for the record
	// Turn puts the attachment after all that are remembered: see [Memory.Turn].
	Turn int
}

// StaleTargetError says that a run was planned for another target than the one
// that it would be sent to.
type StaleTargetError struct {
	Run      string
	Calendar string // empty where the whole address differs
	Want     string // base URL or key fingerprint of the plan
	Have     string // of this process; empty where it has no key for the calendar
}

func (e *StaleTargetError) Error() string {
	switch {
	case e.Calendar == "":
		return fmt.Sprintf("run %s was planned for %s, not %s", e.Run, e.Want, e.Have)
	case e.Have == "":
		return fmt.Sprintf("run %s was planned with a key for calendar %s, which has none now", e.Run, e.Calendar)
	}
	return fmt.Sprintf("run %s was planned with another key for calendar %s", e.Run, e.Calendar)
}

// Attach takes the run up: it locks it against every other process, checks the
// plan to its last byte and the target, replays the journal, cuts off a torn
// tail, and records the attachment, behind doubts of the creates whose outcomes may be
// lost. The errors of its own are [LockedError], [StaleTargetError],
// [DamagedError] and [PoisonedError]. The state is that of
// this moment; the journal does not change it.
func (r *runFolder) Attach(a Attachment) (Journal, *State, error) {
	lock, holder, err := tryLock(filepath.Join(r.folder, lockName))
	if err != nil {
		return nil, nil, fmt.Errorf("attaching to run %s: %w", r.ID(), err)
	}
	if lock == nil {
		return nil, nil, &LockedError{What: "run " + r.ID(), Holder: holder}
	}
	j := &journalFile{
		run: r.ID(), path: r.journalPath(), ops: r.seal.Ops, now: r.now, lock: lock,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), failed: make(chan struct{}),
	}
	state, doubts, err := r.take(j, a)
	if err != nil {
		return nil, nil, errors.Join(err, lock.Unlock())
	}
	j.writer.Go(j.write)
	for i := range doubts {
		// An error is that of the attachment, too.
		_, _ = j.append(&doubts[i], false)
		state.suspect(&doubts[i])
	}
	round, err := j.add(true, encoded{T: Attach, At: r.now().UnixMilli(), PID: os.Getpid(), By: a.By, Turn: a.Turn, Home: &j.home})
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

// held reports whether a process is at work on the run at this moment. Whoever
// asks holds [Workspace.Lock], or would be in the way of an Attach.
func (r *runFolder) held() (bool, error) {
	path := filepath.Join(r.folder, lockName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return locked(path)
}

// take brings the files into a state that can be written to, and returns what has to be
// recorded before the attachment. The lock is held.
func (r *runFolder) take(j *journalFile, a Attachment) (state *State, doubts []Record, err error) {
	if err := r.checkTarget(a.Target); err != nil {
		return nil, nil, err
	}
	if err := r.verify(); err != nil {
		return nil, nil, err
	}
	found, err := r.evidence()
	if err != nil {
		return nil, nil, err
	}
	f, err := r.disk.open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.begin(j.path); err != nil {
			return nil, nil, err
		}
		f, err = r.disk.open(j.path)
	}
	if err != nil {
		return nil, nil, unusable("opening journal", err)
	}
	state = newState(&r.header, r.seal.Ops)
	ext, err := replay(j.path, f, r.fold(state))
	if err == nil {
		doubts, err = r.doubts(state, &found)
	}
	if err == nil {
		err = mend(j.path, f, ext)
	}
	if err == nil {
		j.synced, err = r.openSynced(&found, ext.lines, len(doubts) > 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	j.file, j.at, j.home = f, ext.size, found.here
	j.chain = chain{n: ext.lines + 1, p: ext.crc, d: ext.lines}
	j.counts = j.chain.n + int64(len(doubts))
	return state, doubts, nil
}

// begin makes the journal appear with its first record.
func (r *runFolder) begin(path string) error {
	line, _, err := appendLine(nil, chain{n: 1}, r.opening())
	if err != nil {
		return unusable("opening journal", err)
	}
	if err := r.disk.create(path, line); err != nil {
		return &PoisonedError{Path: path, Err: err}
	}
	return nil
}

// opening is the record that binds the journal to its plan and target.
func (r *runFolder) opening() encoded {
	return encoded{
		T: Open, At: r.now().UnixMilli(), Version: version, Run: r.ID(), Plan: r.seal.Seal,
		BaseURL: r.header.Target.BaseURL, Calendars: r.header.Target.Calendars,
	}
}

// mend makes the prefix that replay found durable. A tail is cut off. Lines that
// no later one vouches for are written again: after a failed sync the kernel may
// show lines that it will never write by itself.
func mend(path string, f file, ext extent) error {
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
		return &PoisonedError{Path: path, Err: err}
	}
	return nil
}

// fold gives what replay does with each record: the first has to be this run's.
func (r *runFolder) fold(state *State) func(*entry) error {
	return func(e *entry) error {
		if e.n > 1 {
			return state.apply(e)
		}
		if e.T != Open {
			return fmt.Errorf("it does not begin with an open record")
		}
		if e.Version != version {
			return unknownVersion(r.journalPath(), e.Version, version)
		}
		target := r.header.Target
		if e.Run != r.ID() {
			return fmt.Errorf("it is the journal of run %s", e.Run)
		}
		if e.Plan != r.seal.Seal || e.BaseURL != target.BaseURL || !maps.Equal(e.Calendars, target.Calendars) {
			return errors.New("it belongs to another plan of the run")
		}
		return state.apply(e)
	}
}

// checkTarget compares what the plan was made for with what there is now. More
// calendars than the plan's do no harm.
func (r *runFolder) checkTarget(now plan.Target) error {
	want := r.header.Target
	if now.BaseURL != want.BaseURL {
		return &StaleTargetError{Run: r.ID(), Want: want.BaseURL, Have: now.BaseURL}
	}
	for _, calendar := range slices.Sorted(maps.Keys(want.Calendars)) {
		if fingerprint := want.Calendars[calendar]; now.Calendars[calendar] != fingerprint {
			return &StaleTargetError{Run: r.ID(), Calendar: calendar, Want: fingerprint, Have: now.Calendars[calendar]}
		}
	}
	return nil
}
