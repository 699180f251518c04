package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/send"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// The exit codes. From 64 on they are those of sysexits.
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

// exits are the codes' reasons, as JSON has them, what they mean to whoever finds one, and what a program does then.
var exits = map[int]struct{ reason, meaning, next string }{
	exitDone:     {"done", "nothing failed, or there was nothing to do", "go on"},
	exitInternal: {"internal", "a defect of eventbatch", "stop, and report it; a run can be gone on with"},
	exitChanges: {
		"changes", "nothing failed and there are changes; only with `--detailed-exitcode`", "look at the changes, then apply them",
	},
	exitPartial: {
		"partial", "finished, but some rows failed, are in doubt or were left out",
		"read the rows with show, mend the input, plan again; retry sends failed rows as they were",
	},
	exitRefused: {
		"refused", "nothing was sent: it needs leave, somebody said no, or nobody could be asked",
		"tell a person whom it would reach; never give leave yourself",
	},
	exitStale:   {"stale", "the plan no longer fits, or the run is a copy", "plan again, and read the new plan"},
	exitLocked:  {"locked", "another process holds the run", "wait for that process, then the same command"},
	exitStopped: {"stopped", "a limit on errors or time was reached", "read the failed rows, then the same command"},
	exitUsage:   {"usage", "the command line cannot be understood", "mend the command line by the hint"},
	exitInvalid: {"invalid", "rows or files are invalid", "mend the cells that problems name, then check again"},
	exitNoInput: {"noinput", "there is no such file or run", "name another one: runs lists them"},
	exitUnavailable: {
		"unavailable", "the service cannot be reached, or the address of a file", "wait, then the same command",
	},
	exitIOErr:  {"ioerr", "a disk fails", "have a person mend the disk or make room, then the same command"},
	exitNoPerm: {"noperm", "a key is missing or refused", "have a person mend the key: doctor tries it"},
	exitConfig: {
		"config", "the configuration cannot be used, or the address is not the service's", "have a person mend the configuration",
	},
	exitInterrupted: {"interrupted", "stopped by SIGINT", "the same command"},
	exitTerminated:  {"interrupted", "stopped by SIGTERM, or by SIGHUP as its terminal was closed", "the same command"},
}

// meaning is what becomes of an error.
type meaning struct {
	is   func(error) bool
	code int
	hint string // where the error itself has none
	// remedy is the hint of doctor, which was asked already what others hint at.
	remedy string
}

// meanings translate errors into codes. The first row that fits decides: what
// has to be known first stands first, so that an interruption does not hide a
// journal that could not be written.
var meanings = []meaning{
	{failure.Is[*defectError], exitInternal, "", ""},
	{failure.Is[*usageError], exitUsage, "", ""},
	{isAny(failure.Usage), exitUsage, "", ""},
	{failure.Is[*journal.FencedError], exitLocked, "", ""},
	{failure.Is[*journal.PoisonedError], exitIOErr, "make room or mend the disk: the same command goes on where this one stopped", ""},
	{failure.Is[*send.JournalError], exitIOErr, "make room or mend the disk: the same command goes on where this one stopped", ""},
	{
		failure.Is[*journal.DamagedError], exitIOErr, "restore the run's folder from a backup, or set it aside and plan the file again",
		"restore the run's folder from a backup, or set it aside",
	},
	{isInterrupted, exitInterrupted, "", ""}, // or exitTerminated: see exitCode
	{isAny(failure.Disk), exitIOErr, "", ""},
	{failure.Is[*journal.LockedError], exitLocked, "wait until that process has ended, then give the same command again", ""},
	{isAny(sandbox.ErrInUse), exitLocked, "wait until that process has ended, or use another --workspace", ""},
	{isAny(failure.Stale), exitStale, "", ""},
	{failure.Is[*journal.StaleTargetError], exitStale, "use the profile and key that the run was planned with, or plan the file again", ""},
	{failure.Is[*batch.InvalidError], exitInvalid, "", ""},
	{failure.Is[*batch.GuardError], exitRefused, "", ""},
	{isAny(failure.Invalid), exitInvalid, "", ""},
	{isAny(failure.Refused), exitRefused, "", ""},
	{
		failure.Is[*send.TooManyErrorsError], exitStopped,
		"eventbatch show latest lists the failed rows; the same command goes on with the others", "",
	},
	{isAny(batch.ErrTimeUp), exitStopped, "the same command goes on where this one stopped", ""},
	{failure.Is[*send.CredentialError], exitNoPerm, "eventbatch doctor tries each key; once it is mended the same command goes on", ""},
	{
		failure.Is[*api.UnauthorizedError], exitNoPerm, "eventbatch doctor tries each key",
		"the service does not know this key: it may be mistyped, withdrawn, of another service, or of another kind than --key-kind says",
	},
	{
		failure.Is[*api.ForbiddenError], exitNoPerm, "eventbatch doctor tries each key",
		"the service knows the key but lets it see nothing here: check its calendar, and what it was made for",
	},
	{isAny(failure.NoKey), exitNoPerm, "", ""},
	{isAny(failure.Config), exitConfig, "", ""},
	{failure.Is[*api.WrongAddressError], exitConfig, "", ""},
	{failure.Is[*yamldoc.Error], exitConfig, "", ""},
	{failure.Is[*quota.ThrottledError], exitStopped, "", ""}, // behind what waiting does not mend
	{failure.Is[*send.UnreachableError], exitUnavailable, "nothing is lost: the same command goes on once the service can be reached", ""},
	{
		failure.Is[*api.NotSentError], exitUnavailable, "check the address and the network",
		"check the address, the network and any proxy: nothing answers there",
	},
	{
		failure.Is[*api.UnknownOutcomeError], exitUnavailable, "try again later",
		"the service is there but fails: try again later",
	},
	{
		failure.Is[*api.RateLimitedError], exitUnavailable, "try again later: other programs use the same quota",
		"other programs use the same quota up: try again in a minute",
	},
	{
		failure.Is[*api.RejectedError], exitUnavailable, "eventbatch doctor tries the connection",
		"the service takes the key but not the question: check base_url, and the names under headers in the profile",
	},
	{failure.Is[*net.OpError], exitUnavailable, "", ""},
	{isAny(failure.Away), exitUnavailable, "", ""},
	{isAny(failure.Output), exitIOErr, "", ""},
	{regular.Missing, exitNoInput, "", ""},
	{isUnreadable, exitIOErr, "try again, or copy the file to another disk first", ""},
	{failure.Is[*sheet.Error], exitInvalid, "", ""},
	{failure.Is[*mapping.HeaderError], exitInvalid, "", ""},
	{isOutput, exitIOErr, "", ""},
}

// exitCode translates what an error means into the code a script reads.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.code
	}
	m := meaningOf(err)
	if e, ok := errors.AsType[*interruptedError](err); ok && m.code == exitInterrupted {
		return e.code()
	}
	return m.code
}

func meaningOf(err error) meaning {
	i := slices.IndexFunc(meanings, func(m meaning) bool { return m.is(err) })
	if i < 0 {
		return meaning{code: exitInternal}
	}
	return meanings[i]
}

func isAny(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isInterrupted(err error) bool {
	return failure.Is[*interruptedError](err) || errors.Is(err, context.Canceled)
}

// isUnreadable reports whether a file of the input is there, and its disk fails.
func isUnreadable(err error) bool { return failure.Is[*sheet.Error](err) && isOutput(err) }

func isOutput(err error) bool {
	return failure.Is[*fs.PathError](err) || failure.Is[*os.LinkError](err) || failure.Is[*os.SyscallError](err) ||
		failure.Is[syscall.Errno](err)
}

// exit returns the end of a command as its JSON repeats it.
func (a *env) exit(err error) found.Exit {
	if wrong, ok := errors.AsType[*usageError](err); ok && wrong.hint == "" {
		wrong.hint = "see eventbatch --help"
		if a.command != nil {
			wrong.hint = "see " + a.command.CommandPath() + " --help"
		}
	}
	code := exitCode(err)
	e := found.Exit{Code: code, Reason: exits[code].reason}
	if err != nil && !failure.Is[*statusError](err) {
		e.Error, e.Hint = err.Error(), a.fromHere(hintOf(err))
	}
	return e
}

var goesOn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`eventbatch (apply|retry|show) ([0-9]\S*)`) })

// fromHere returns a hint with the flags by which this command finds a run, behind each command in it that goes on with one.
func (a *env) fromHere(hint string) string {
	if a.command == nil || hint == "" {
		return hint
	}
	return goesOn().ReplaceAllStringFunc(hint, func(command string) string {
		words := strings.Fields(command)
		if full := a.resumeCommand(words[1], words[2]); !strings.Contains(hint, full) {
			return full
		}
		return command // it has them
	})
}

// hintOf returns what to do about an error: what the error itself says, else what
// is known of its kind.
func hintOf(err error) string {
	if hint, ok := ownHint(err); ok {
		return hint
	}
	return meaningOf(err).hint
}

// ownHint returns the hint of the error itself.
func ownHint(err error) (hint string, ok bool) {
	if failure.Is[*tls.CertificateVerificationError](err) {
		return "if the service's certificate is one of your own making, name its issuer's with --ca-file; otherwise check the address", true
	}
	if hint, ok := failure.HintOf(err); ok {
		return hint, true
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
	return "", false
}

// end ends a command: under --json its document is completed by how that is, and written.
func (a *env) end(doc *report.Run, err error) error {
	if !a.global.json {
		return err
	}
	doc.Exit = a.exit(err)
	writing := doc.Write(a.stdout)
	if writing != nil && failure.Is[*statusError](err) {
		return writing
	}
	return errors.Join(err, writing)
}

// writeDoc ends a command by a document, of which a schema of this name says what it holds.
func (a *env) writeDoc(kind string, doc any, err error) error {
	return errors.Join(err, report.WriteEnded(a.stdout, kind, below(a.command), a.exit(err), doc))
}

// finish prints what went wrong and returns the exit code.
func (a *env) finish(cmd *cobra.Command, err error) int {
	if err == nil || failure.Is[*statusError](err) {
		return exitCode(err)
	}
	name := "eventbatch"
	if cmd != nil && cmd.HasParent() {
		name = below(cmd)
	}
	if a.command == nil { // its words could not be read
		a.command = cmd
	}
	err = misused(err)
	exit := a.exit(err)
	if a.global.json && !a.stdout.used {
		_ = report.WriteEnded(a.stdout, "end", name, exit)
	}
	if errors.Is(a.stdout.failed, syscall.EPIPE) && errors.Is(err, syscall.EPIPE) {
		return exit.Code // whoever read the output has gone: there is nobody to tell
	}
	a.sayEnd(err, exit.Hint)
	if defect, ok := errors.AsType[*defectError](err); ok && a.global.verbose {
		a.screen.Printf("%s", defect.Recovered)
	}
	return exit.Code
}
