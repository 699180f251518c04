package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"

	"eventbatch/batch"
	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/batch/send"
	"eventbatch/mapping"
	"eventbatch/mapping/annotate"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
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

// meanings translate errors into codes. The first row that fits decides: what
// has to be known first stands first, so that an interruption does not hide a
// journal that could not be written.
var meanings = []struct {
	is   func(error) bool
	code int
	hint string // where the error itself has none
}{
	{is[*defectError], exitInternal, ""},
	{is[*usageError], exitUsage, ""},
	{is[*profile.UsageError], exitUsage, ""},
	{is[*mapping.OptionError], exitUsage, ""},
	{is[*file.NameError], exitUsage, ""},
	{is[*fix.RuleError], exitUsage, ""},
	{is[*batch.VerdictError], exitUsage, ""},
	{is[*journal.AmbiguousRunError], exitUsage, ""},
	{is[*journal.PoisonedError], exitIOErr, "make room or mend the disk: the same command goes on where this one stopped"},
	{is[*send.JournalError], exitIOErr, "make room or mend the disk: the same command goes on where this one stopped"},
	{is[*journal.DamagedError], exitIOErr, "restore the run's folder from a backup, or set it aside and plan the file again"},
	{is[*journal.VersionError], exitIOErr, "use the version of eventbatch that wrote it, or a later one"},
	{isInterrupted, exitInterrupted, ""}, // or exitTerminated: see exitCode
	{is[*journal.FolderError], exitIOErr, "see to it that the workspace can be read and written, or name another with --workspace"},
	{is[*quota.LedgerError], exitIOErr, "see to it that the folder can be written, or name another in the variable XDG_STATE_HOME"},
	{is[*journal.LockedError], exitLocked, "wait until that process has ended, then give the same command again"},
	{isAny(sandbox.ErrInUse), exitLocked, "wait until that process has ended, or use another --workspace"},
	{is[*batch.StaleError], exitStale, ""},
	{is[*journal.CopiedRunError], exitStale, ""},
	{is[*journal.StaleTargetError], exitStale, "use the profile and key that the run was planned with, or plan the file again"},
	{is[*batch.InvalidError], exitInvalid, ""},
	{is[*invalidError], exitInvalid, ""},
	{is[*openError], exitInvalid, ""},
	{is[*failedTestsError], exitInvalid, ""},
	{is[*declinedError], exitRefused, ""},
	{is[*unattendedError], exitRefused, ""},
	{is[*batch.OpenRunError], exitRefused, ""},
	{is[*send.TooManyErrorsError], exitStopped, "eventbatch show latest lists the failed rows; the same command goes on with the others"},
	{is[*quota.ParkedError], exitStopped, ""},
	{isAny(batch.ErrTimeUp), exitStopped, "the same command goes on where this one stopped"},
	{is[*send.CredentialError], exitNoPerm, "eventbatch doctor tries each key; once it is mended the same command goes on"},
	{is[*api.UnauthorizedError], exitNoPerm, "eventbatch doctor tries each key"},
	{is[*api.ForbiddenError], exitNoPerm, "eventbatch doctor tries each key"},
	{is[*secret.UnavailableError], exitNoPerm, ""},
	{is[*secret.MalformedError], exitNoPerm, ""},
	{is[*batch.WrongCalendarError], exitConfig, ""},
	{is[*api.WrongAddressError], exitConfig, ""},
	{is[*api.CAFileError], exitConfig, ""},
	{is[*profile.Error], exitConfig, ""},
	{is[*yamldoc.Error], exitConfig, ""},
	{is[*send.UnreachableError], exitUnavailable, "nothing is lost: the same command goes on once the service can be reached"},
	{is[*api.NotSentError], exitUnavailable, "check the address and the network"},
	{is[*api.UnknownOutcomeError], exitUnavailable, "try again later"},
	{is[*api.RateLimitedError], exitUnavailable, "try again later: other programs use the same quota"},
	{is[*api.RejectedError], exitUnavailable, "eventbatch doctor tries the connection"},
	{is[*net.OpError], exitUnavailable, ""},
	{is[*journal.NoRunError], exitNoInput, "eventbatch runs lists the runs that there are"},
	{is[*outputError], exitIOErr, ""},
	{is[*annotate.RefusedError], exitIOErr, ""}, // of a report that is a copy of the input
	{isMissing, exitNoInput, ""},
	{isUnreadable, exitIOErr, "try again, or copy the file to another disk first"},
	{is[*sheet.Error], exitInvalid, ""},
	{is[*mapping.ReshapedError], exitInvalid, ""},
	{is[*mapping.HeaderError], exitInvalid, ""},
	{isOutput, exitIOErr, ""},
}

// exitCode translates what an error means into the code a script reads.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.code
	}
	for _, m := range meanings {
		if !m.is(err) {
			continue
		}
		if e, ok := errors.AsType[*interruptedError](err); ok && m.code == exitInterrupted {
			return e.code()
		}
		return m.code
	}
	return exitInternal
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isAny(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isInterrupted(err error) bool {
	return is[*interruptedError](err) || errors.Is(err, context.Canceled)
}

// noInput are the reasons of the file system for which a name leads to nothing
// that can be read.
var noInput = []error{
	fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG,
	regular.ErrNotRegular, regular.ErrTooLarge,
}

func isMissing(err error) bool {
	return slices.ContainsFunc(noInput, func(reason error) bool { return errors.Is(err, reason) })
}

// isUnreadable reports whether a file of the input is there, and its disk fails.
func isUnreadable(err error) bool { return is[*sheet.Error](err) && isOutput(err) }

func isOutput(err error) bool {
	return is[*fs.PathError](err) || is[*os.LinkError](err) || is[*os.SyscallError](err) || is[syscall.Errno](err)
}

// exit gives the end of a command as its JSON repeats it.
func (a *app) exit(err error) report.Exit {
	if wrong, ok := errors.AsType[*usageError](err); ok && wrong.command == "" {
		wrong.command = "eventbatch"
		if a.command != nil {
			wrong.command = a.command.CommandPath()
		}
	}
	code := exitCode(err)
	e := report.Exit{Code: code, Reason: exitReasons[code]}
	if err != nil && !is[*statusError](err) {
		e.Error, e.Hint = err.Error(), hintOf(err)
	}
	return e
}

// hintOf gives what to do about an error: what the error itself says, else what
// is known of its kind.
func hintOf(err error) string {
	if hint, ok := ownHint(err); ok {
		return hint
	}
	for _, m := range meanings {
		if m.is(err) {
			return m.hint
		}
	}
	return ""
}

// ownHint gives what an error itself says is to be done.
func ownHint(err error) (hint string, ok bool) {
	if is[*tls.CertificateVerificationError](err) {
		return "if the service's certificate is one of your own making, name its issuer's with --ca-file; otherwise check the address", true
	}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return h.Hint(), true
	}
	if e, ok := errors.AsType[*journal.NoRunError](err); ok && e.ID == journal.Latest {
		return "eventbatch plan or import makes one", true
	}
	if e, ok := errors.AsType[*journal.AmbiguousRunError](err); ok {
		return "write more of one of them: " + report.Names(e.Runs), true
	}
	if e, ok := errors.AsType[*sheet.Error](err); ok {
		return e.Problem.Hint, true
	}
	if e, ok := errors.AsType[*mapping.HeaderError](err); ok {
		for i := range e.Problems {
			if p := &e.Problems[i]; p.Severity == schema.Error {
				return p.Hint, true
			}
		}
	}
	if e, ok := errors.AsType[*mapping.OptionError](err); ok {
		return e.Hint, true
	}
	return "", false
}
