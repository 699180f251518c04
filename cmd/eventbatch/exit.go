package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/send"
	"eventbatch/mapping"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// The exit codes, and the one list of their reasons. From 64 on they are those
// of sysexits.
const (
	exitDone        = 0
	exitInternal    = 1
	exitChanges     = 2
	exitPartial     = 3
	exitRefused     = 4
	exitStale       = 5
	exitLocked      = 6
	exitStopped     = 7
	exitUsage       = 64
	exitInvalid     = 65
	exitNoInput     = 66
	exitUnavailable = 69
	exitIOErr       = 74
	exitNoPerm      = 77
	exitConfig      = 78
	exitInterrupted = 130
	exitTerminated  = 143
)

var exitReasons = map[int]string{
	exitDone:        "done",
	exitInternal:    "internal",
	exitChanges:     "changes",
	exitPartial:     "partial",
	exitRefused:     "refused",
	exitStale:       "stale",
	exitLocked:      "locked",
	exitStopped:     "stopped",
	exitUsage:       "usage",
	exitInvalid:     "invalid",
	exitNoInput:     "noinput",
	exitUnavailable: "unavailable",
	exitIOErr:       "ioerr",
	exitNoPerm:      "noperm",
	exitConfig:      "config",
	exitInterrupted: "interrupted",
	exitTerminated:  "interrupted",
}

// exitCode translates what an error means into the code a script reads.
func (a *app) exitCode(err error) int {
	if err == nil {
		switch {
		case a.result.partial:
			return exitPartial
		case a.result.changes:
			return exitChanges
		}
		return exitDone
	}
	if e, ok := errors.AsType[*interruptedError](err); ok {
		return e.code()
	}
	for _, row := range []struct {
		is   func(error) bool
		code int
	}{
		{is[*defectError], exitInternal},
		{is[*usageError], exitUsage},
		{is[*profile.UsageError], exitUsage},
		{is[*mapping.OptionError], exitUsage},
		{is[*journal.PoisonedError], exitIOErr},
		{is[*send.JournalError], exitIOErr},
		{is[*journal.DamagedError], exitIOErr},
		{is[*journal.LockedError], exitLocked},
		{is[*batch.StaleError], exitStale},
		{is[*journal.StaleTargetError], exitStale},
		{is[*batch.InvalidError], exitInvalid},
		{is[*invalidError], exitInvalid},
		{is[*declinedError], exitRefused},
		{is[*send.TooManyErrorsError], exitStopped},
		{isTimeUp, exitStopped},
		{is[*api.UnauthorizedError], exitNoPerm},
		{is[*api.ForbiddenError], exitNoPerm},
		{is[*send.CredentialError], exitNoPerm},
		{is[*secret.UnavailableError], exitNoPerm},
		{is[*api.WrongAddressError], exitConfig},
		{is[*profile.Error], exitConfig},
		{is[*yamldoc.Error], exitConfig},
		{is[*send.UnreachableError], exitUnavailable},
		{is[*api.NotSentError], exitUnavailable},
		{is[*api.UnknownOutcomeError], exitUnavailable},
		{is[*api.RateLimitedError], exitUnavailable},
		{is[*journal.NoRunError], exitNoInput},
		{is[*batch.NothingToRetryError], exitNoInput},
		{is[*batch.OpenRunError], exitRefused},
		{is[*batch.WrongCalendarError], exitConfig},
		{isMissing, exitNoInput},
		{is[*sheet.Error], exitInvalid},
		{is[*mapping.HeaderError], exitInvalid},
		{isOutput, exitIOErr},
	} {
		if row.is(err) {
			return row.code
		}
	}
	return exitInternal
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeUp(err error) bool { return errors.Is(err, batch.ErrTimeUp) }

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EISDIR)
}

func isOutput(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EIO)
}

// exit gives the end of a command as its JSON repeats it.
func (a *app) exit(err error) report.Exit {
	code := a.exitCode(err)
	e := report.Exit{Code: code, Reason: exitReasons[code]}
	if err != nil {
		e.Error, e.Hint = err.Error(), hintOf(err)
	}
	return e
}

// finish tells a person what went wrong and returns the exit code.
func (a *app) finish(cmd *cobra.Command, err error) int {
	if err == nil {
		return a.exitCode(nil)
	}
	if cobraUsage(err) {
		path := "eventbatch"
		if cmd != nil {
			path = cmd.CommandPath()
		}
		err = &usageError{err: err, command: path}
	}
	code := a.exitCode(err)
	if a.global.json && cmd != nil && !a.result.written {
		_ = report.WriteJSON(a.stdout, struct {
			Command string      `json:"command"`
			Exit    report.Exit `json:"exit"`
		}{cmd.Name(), a.exit(err)})
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		a.screen.Printf("eventbatch: %s\n", report.Clean(line))
	}
	if hint := hintOf(err); hint != "" {
		a.screen.Printf("hint: %s\n", report.Clean(hint))
	}
	if defect, ok := errors.AsType[*defectError](err); ok && a.global.verbose {
		a.screen.Printf("%s\n", defect.stack)
	}
	return code
}

// hintOf gives what to do about an error that says it.
func hintOf(err error) string {
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return h.Hint()
	}
	if e, ok := errors.AsType[*sheet.Error](err); ok {
		return e.Problem.Hint
	}
	if e, ok := errors.AsType[*mapping.OptionError](err); ok {
		return e.Hint
	}
	return ""
}

// cobraUsage tells the errors that cobra makes itself, which have no type.
func cobraUsage(err error) bool {
	for _, begin := range []string{"unknown command", "accepts ", "requires ", "invalid argument", "unknown flag", "required flag", "if any flags"} {
		if strings.HasPrefix(err.Error(), begin) {
			return true
		}
	}
	return false
}

// usageError is a command line that cannot be understood.
type usageError struct {
	err     error
	command string
	hint    string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func (e *usageError) Hint() string {
	if e.hint != "" {
		return e.hint
	}
	return "see " + e.command + " --help"
}

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), command: "eventbatch"}
}

// interruptedError is the cause of a stop by a signal.
type interruptedError struct{ signal os.Signal }

func (e *interruptedError) Error() string { return "interrupted: what had left is recorded" }

// Is makes an interruption a cancellation for those who ask for one.
func (e *interruptedError) Is(target error) bool { return target == context.Canceled }

func (e *interruptedError) code() int {
	if e.signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupted
}

// declinedError is a person's no.
type declinedError struct{}

func (*declinedError) Error() string { return "nothing was sent" }

// invalidError says that a check found errors.
type invalidError struct{ invalid, read int }

func (e *invalidError) Error() string {
	return fmt.Sprintf("%d of %d rows are invalid", e.invalid, e.read)
}

// defectError is a panic: a defect of ours.
type defectError struct {
	value any
	stack []byte
}

func (e *defectError) Error() string {
	return fmt.Sprintf("internal error: %v", e.value)
}

func (e *defectError) Hint() string {
	return "this is a defect of eventbatch: please report it with the output of the same command under --verbose; a run can be gone on with"
}
