package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"eventbatch/batch/plan"
)

// version is the form of the journal that this package writes.
const version = 1

// run is a plan, and what became of it, wherever they lie.
type run struct {
	place

	now    func() time.Time
	header plan.Header
	seal   planSeal
	part   *part // of a run of which there is only a share; else nil
}

// place is where one run lies: a folder, or a database.
type place interface {
	Files() Files
	Checksum() (string, error)
	// planPath, rowsPath and journalPath name the parts of the run in errors.
	planPath() string
	rowsPath() string
	journalPath() string

	// head returns the header's line, and when the payloads were dropped.
	head() (line []byte, dropped time.Time, err error)
	// lines hands on the line of each op with its newline, valid until each returns, and
	// openRows opens the lines of their payloads.
	lines(each func(line []byte) error) error
	openRows() (io.ReadCloser, error)
	// picker reads the lines of single ops, row that of one payload, and verify whatever
	// they do not vouch for.
	picker() (picker, error)
	row(op *plan.Op) ([]byte, error)
	verify() error
	// droppedAt returns the day on which the payloads were dropped, empty where they are
	// there. drop drops them, or only says how many bytes that would be.
	droppedAt() string
	drop(at time.Time, try bool) (bytes int64, there bool, err error)

	// journals opens the chains of the journal that there are, one after another: that of the
	// whole run, whose owner is empty, and then those of shares.
	journals(each func(owner, path string, lines io.Reader) error) error
	journalSize() (int64, error)
	// evidence is what tells of the journal besides itself, and original where the run
	// was copied from, where it still lies there.
	evidence() (evidence, error)
	original(home plan.Home) string
	// hold takes the run for this process; nil where another has it. held reports whether
	// one has: whoever asks holds the store's lock, or would be in the way of an Attach.
	hold() (holding, Holder, error)
	held() (bool, error)
	// size is how many bytes the run takes.
	size() (int64, error)
}

// picker reads the lines of single ops, for many goroutines at once.
type picker interface {
	// line returns that of an op, with that of its payload where the two are read at once.
	line(n int) (line, row []byte, err error)
	row(op *plan.Op) ([]byte, error)
	Close() error
}

// holding is the run that this process has taken.
type holding interface {
	// turn returns which attachment this one is, at least the given one.
	turn(least int) (int, error)
	// begin makes the chain appear with its first line, and open opens it for writing.
	begin(line []byte) error
	open(ext extent) (file, error)
	// mend makes what was replayed durable, and cuts off a tail.
	mend(f file, ext extent) error
	// count opens what is told how many records are on disk, once those in doubt are.
	count(e *evidence, lines int64, inDoubt int) (file, error)
	// Unlock gives the run up.
	Unlock() error
}

// ID names the run in its workspace.
func (r *run) ID() string { return r.header.Run }

// Header is the first line of the plan.
func (r *run) Header() plan.Header { return r.header }

// Len is the number of ops in the plan.
func (r *run) Len() int { return r.seal.Ops }

// State reads what the journal says, changing nothing. A torn tail is passed
// over; a [DamagedError] means that records are missing.
func (r *run) State() (*State, error) {
	state, _, err := r.readState(false)
	return state, err
}

// readState also returns the size of the journal, -1 where a tail has to be cut off or
// there is none; and, where that is wanted, the names of the ops.
func (r *run) readState(names bool) (*State, int64, error) {
	state, size, err := r.tryState(names)
	if _, damaged := errors.AsType[*DamagedError](err); damaged {
		// A process that takes the run up at this moment may have cut the tail
		// off while it was being read: what is truly damaged is so twice.
		return r.tryState(names)
	}
	return state, size, err
}

func (r *run) tryState(names bool) (*State, int64, error) {
	state, err := r.empty()
	if err != nil {
		return nil, 0, err
	}
	if names {
		state.named = make([]named, len(state.Ops))
	}
	found, err := r.evidence()
	if err != nil {
		return nil, 0, err
	}
	size, _, err := r.read(state, &found, "")
	if err != nil {
		return nil, 0, err
	}
	return state, size, r.doubt(state, &found)
}

// empty returns the state before the first record.
func (r *run) empty() (*State, error) {
	if r.part == nil {
		return newState(&r.header, r.seal.Ops), nil
	}
	return r.part.empty(r)
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
func (r *run) Attach(a Attachment) (Journal, *State, error) {
	held, holder, err := r.hold()
	if err != nil {
		return nil, nil, fmt.Errorf("attaching to run %s: %w", r.ID(), err)
	}
	if held == nil {
		return nil, nil, &LockedError{What: "run " + r.ID(), Holder: holder}
	}
	j := &journalFile{
		run: r.ID(), path: r.journalPath(), ops: r.seal.Ops, now: r.now, held: held,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), failed: make(chan struct{}),
	}
	state, doubts, err := r.take(j, a)
	if err == nil {
		a.Turn, err = held.turn(a.Turn)
	}
	if err != nil {
		return nil, nil, errors.Join(err, j.abandon())
	}
	j.writer.Go(j.write)
	for i := range doubts {
		_ = j.doubt(&doubts[i], a.Turn) // an error is that of the attachment, too
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

// take brings the files into a state that can be written to, and returns what has to be
// recorded before the attachment. The lock is held.
func (r *run) take(j *journalFile, a Attachment) (state *State, doubts []Record, err error) {
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
	if state, err = r.empty(); err != nil {
		return nil, nil, err
	}
	_, ext, err := r.read(state, &found, r.part.owner())
	if err == nil && ext.lines == 0 {
		ext, err = r.begin(j, state)
	}
	if err != nil {
		return nil, nil, err
	}
	if doubts, err = r.doubts(state, &found); err != nil {
		return nil, nil, err
	}
	f, err := j.held.open(ext)
	if err != nil {
		return nil, nil, unusable("opening journal", err)
	}
	j.file = f
	if err = j.held.mend(f, ext); err == nil {
		j.synced, err = j.held.count(&found, ext.lines, len(doubts))
	}
	if err != nil {
		return nil, nil, err
	}
	j.at, j.home = ext.size, found.here
	j.chain = chain{n: ext.lines + 1, p: ext.crc, d: ext.lines}
	j.counts = j.chain.n + int64(len(doubts))
	return state, doubts, nil
}

// begin makes a chain of the journal appear with its first record.
func (r *run) begin(j *journalFile, state *State) (extent, error) {
	line, _, err := appendLine(nil, chain{n: 1}, r.opening())
	if err != nil {
		return extent{}, unusable("opening journal", err)
	}
	if err := j.held.begin(line); err != nil {
		return extent{}, &PoisonedError{Path: j.path, Err: err}
	}
	return replay(j.path, bytes.NewReader(line), r.fold(state, r.part.owner()))
}

// checkTarget compares what the plan was made for with what there is now. More
// calendars than the plan's do no harm.
func (r *run) checkTarget(now plan.Target) error {
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
