package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/mapping/failure"
)

// LockedError says that another process holds something.
type LockedError struct {
	What string // such as a run, with its id
	Holder
}

func (e *LockedError) Error() string {
	words := e.What + " is held by another process"
	if e.PID != 0 {
		words = fmt.Sprintf("%s is held by process %d", e.What, e.PID)
	}
	if e.Host != "" {
		words += " of another machine, " + e.Host
	}
	if !e.Since.IsZero() {
		words += ", since " + e.Since.Local().Format("02 Jan 2006 15:04")
	}
	return words
}

// Raised returns an error, unless it is a panic of a goroutine that works for others, which it raises again
// where the work was asked for.
func Raised(err error) error {
	if d, ok := errors.AsType[*panics.ErrRecovered](err); ok {
		panic(d)
	}
	return err
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

// DamagedError says that something has been lost, or is not what was written. It
// is not repaired: what is missing may be the record of an event created.
type DamagedError struct {
	Path   string
	Line   int   // of the file, from 1; 0 where no line is concerned
	Offset int64 // of the line's first byte
	Reason string
}

func (e *DamagedError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s is damaged: %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s is damaged at line %d, byte %d: %s", e.Path, e.Line, e.Offset, e.Reason)
}

// ErrClosed is the error of a record that comes after [Journal.Close].
var ErrClosed = errors.New("the journal is closed")

// PoisonedError says that a write or sync failed. What was appended since the
// last sync may or may not be stored; nothing more is written.
type PoisonedError struct {
	Path string
	Err  error
}

func (e *PoisonedError) Error() string { return fmt.Sprintf("writing %s: %v", e.Path, e.Err) }

func (e *PoisonedError) Unwrap() error { return e.Err }

// FencedError says that another process has taken over what this one had. It is in a
// [PoisonedError] where it ends a journal.
type FencedError struct {
	What string // such as a run, with its id
}

func (e *FencedError) Error() string { return "another process has taken over " + e.What }

// Hint says what became of it.
func (e *FencedError) Hint() string {
	return "nothing is lost: that process goes on where this one stopped"
}

// ErrDropped is the kind of error of reading what was dropped on purpose.
var ErrDropped = fmt.Errorf("%w: dropped", fs.ErrNotExist)

// ErrVersion is the kind of error of a file of which this program does not know the form.
var ErrVersion = fmt.Errorf("%w: version", failure.Config)

// UnknownVersion returns the error that something is of a version that this program does not know.
func UnknownVersion(path string, have, know int) error {
	return failure.New(
		ErrVersion, fmt.Errorf("%s is of version %d, and this program knows %d", path, have, know),
		"use the version of eventbatch that wrote it, or a later one",
	)
}

// Unusable returns the error that the workspace cannot be read or written, unless the error says better what to do.
func Unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err),
		"see to it that the workspace can be read and written, or name another with --workspace")
}
