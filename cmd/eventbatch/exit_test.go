package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch"
	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/postgres"
	"eventbatch/batch/quota"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/report/month"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/send"
	"eventbatch/batch/source"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ics"
	"eventbatch/mapping/sheet/ooxml"
	"eventbatch/mapping/yamldoc"
)

// endings are all errors that a command can end with, by their types, with their codes.
var endings = map[string]struct {
	err  error
	code int
}{
	"api.ForbiddenError":        {&api.ForbiddenError{}, 77},
	"api.NotSentError":          {&api.NotSentError{Err: errors.New("dial")}, 69},
	"api.RateLimitedError":      {&api.RateLimitedError{}, 69},
	"api.RejectedError":         {&api.RejectedError{Status: 400}, 69},
	"api.ShiftsError":           {&api.ShiftsError{}, 1}, // always becomes a reason of rows, or of an export that lacks some
	"api.UnauthorizedError":     {&api.UnauthorizedError{}, 77},
	"api.UnknownOutcomeError":   {&api.UnknownOutcomeError{Status: 502}, 69},
	"api.WrongAddressError":     {&api.WrongAddressError{Status: 301}, 78},
	"batch.GuardError":          {&batch.GuardError{}, 4},
	"batch.InvalidError":        {&batch.InvalidError{Rows: found.Rows{found.Read: 2, found.Invalid: 1}}, 65},
	"batch.NothingToRetryError": {&batch.NothingToRetryError{}, 1},                // retry itself takes it for a good end
	"batch.NothingToUndoError":  {&batch.NothingToUndoError{}, 1},                 // as undo does
	"ics.Error":                 {&ics.Error{Line: 2, Err: errors.New("cut")}, 1}, // always becomes a sheet.Error
	"journal.DamagedError":      {&journal.DamagedError{}, 74},
	"journal.FencedError":       {&journal.PoisonedError{Err: &journal.FencedError{}}, 6},
	"journal.LockedError":       {&journal.LockedError{}, 6},
	"journal.PoisonedError":     {&journal.PoisonedError{Err: syscall.ENOSPC}, 74},
	"journal.StaleTargetError":  {&journal.StaleTargetError{}, 5},
	"mapping.HeaderError":       {&mapping.HeaderError{Problems: []schema.Problem{{Code: schema.CodeNoHeader, Hint: "name them"}}}, 65},
	// always becomes a sheet.Error, or why a copy is not written
	"ooxml.Flaw":              {&ooxml.Flaw{Code: schema.CodeCutXML, Message: "cut"}, 1},
	"plan.SeveralError":       {&plan.SeveralError{}, 1}, // always becomes a Problem
	"plan.UnshownError":       {&plan.UnshownError{Err: errors.New("403")}, 1},
	"postgres.Error":          {&postgres.Error{Err: errors.New("no answer")}, 1}, // what it is one of says more
	"quota.ThrottledError":    {&quota.ThrottledError{}, 7},
	"record.RequestError":     {&record.RequestError{}, 1},                                    // always becomes a usageError
	"schema.Fault":            {&schema.Fault{Message: "no zone"}, 1},                         // always becomes a Problem
	"schema.Problem":          {&schema.Problem{Code: schema.CodeBadZone, Message: "bad"}, 1}, // always in a sheet.Error or a report
	"send.CredentialError":    {&send.CredentialError{Calendars: map[string]error{"cal-1": &api.UnauthorizedError{}}}, 77},
	"send.JournalError":       {&send.JournalError{Err: syscall.ENOSPC}, 74},
	"send.TooManyErrorsError": {&send.TooManyErrorsError{Failed: 2}, 7},
	"send.UnreachableError":   {&send.UnreachableError{Err: syscall.ECONNREFUSED}, 69},
	"source.DoubtfulError":    {&source.DoubtfulError{Words: "the last 12 rows are gone"}, 1}, // always becomes a batch.GuardError
	"sheet.Error":             {&sheet.Error{Problem: schema.Problem{Code: schema.CodeCutXML, Message: "cut"}, Err: errors.New("cut")}, 65},
	"yamldoc.Error":           {&yamldoc.Error{}, 78},

	"failure.Error":         {failure.New(failure.Usage, errors.New("no field"), ""), 64},
	"failure.Kind":          {failure.Config, 78},
	"main.defectError":      {&defectError{&panics.Recovered{Value: "nil map"}}, 1},
	"main.interruptedError": {&interruptedError{signal: os.Interrupt}, 130},
	"main.shownError":       {&shownError{err: &sheet.Error{Problem: schema.Problem{Message: "cut"}, Err: errors.New("cut")}}, 65},
	"main.statusError":      {&statusError{exitPartial}, 3},
	"main.unwellError":      {&unwellError{looked: 2, causes: []error{&api.UnauthorizedError{}}}, 77},
	"main.usageError":       {usagef("no"), 64},
}

func TestEveryKindHasItsCode(t *testing.T) {
	for kind, want := range map[error]int{
		failure.Usage: 64, failure.Config: 78, failure.NoKey: 77, failure.Invalid: 65, failure.Refused: 4, failure.Stale: 5,
		failure.Disk: 74, failure.Output: 74, fs.ErrNotExist: 66,
	} {
		err := fmt.Errorf("planning: %w", failure.New(kind, errors.New("no"), ""))
		if code := exitCode(err); code != want {
			t.Errorf("%v: exit code %d, want %d", kind, code, want)
		}
	}
}

func TestEveryErrorHasItsCode(t *testing.T) {
	for name, ending := range endings {
		for _, err := range []error{ending.err, fmt.Errorf("planning: %w", ending.err), errors.Join(ending.err)} {
			if code := exitCode(err); code != ending.code {
				t.Errorf("%s (%T): exit code %d, want %d", name, err, code, ending.code)
			}
		}
	}
}

func TestACertificateThatIsNotTrustedHasItsHint(t *testing.T) {
	untrusted := &api.NotSentError{Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}}
	for _, err := range []error{untrusted, &send.UnreachableError{Err: untrusted}} {
		if hint := hintOf(err); !strings.Contains(hint, "--ca-file") {
			t.Errorf("%T: hint %q", err, hint)
		}
	}
}

func TestAnOutputErrorHasTheHintOfItsCause(t *testing.T) {
	cause := usagef("no")
	cause.hint = "say yes"
	if hint := hintOf(failure.New(failure.Output, cause, "")); hint != "say yes" {
		t.Errorf("hint %q", hint)
	}
	if hint := hintOf(failure.New(failure.Output, cause, "make room")); hint != "make room" {
		t.Errorf("hint %q", hint)
	}
}

func TestOtherErrorsHaveTheirCode(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "a.csv", Err: fs.ErrNotExist}
	interrupted := &interruptedError{signal: syscall.SIGTERM}
	for _, test := range []struct {
		name string
		err  error
		code int
	}{
		{"a missing file", missing, 66},
		{"a missing file, as the reader tells it", &sheet.Error{Err: missing}, 66},
		{"a folder, as the reader tells it", &sheet.Error{Err: syscall.EISDIR}, 66},
		{"a file that may not be read", &fs.PathError{Op: "open", Path: "a.csv", Err: fs.ErrPermission}, 66},
		{"a link that leads to itself", &sheet.Error{Err: syscall.ELOOP}, 66},
		{"a file in the place of a folder", &sheet.Error{Err: syscall.ENOTDIR}, 66},
		{"a name that is too long", &sheet.Error{Err: syscall.ENAMETOOLONG}, 66},
		{"a folder in the place of a file", &fs.PathError{Op: "read", Path: "a", Err: syscall.EISDIR}, 66},
		{"a full disk", &fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}, 74},
		{"a rename that failed", &os.LinkError{Op: "rename", Err: syscall.EIO}, 74},
		{"a disk that fails under the input", &sheet.Error{Err: &fs.PathError{Op: "read", Path: "a.csv", Err: syscall.EIO}}, 74},
		{"a workspace that may not be locked", failure.New(failure.Disk, fs.ErrPermission, ""), 74},
		{"an interruption while the workspace is awaited", failure.New(failure.Disk, context.Canceled, ""), 130},
		{"a missing folder of the output", failure.New(failure.Output, missing, ""), 74},
		{"a closed pipe", syscall.EPIPE, 74},
		{"SIGTERM", interrupted, 143},
		{"a cancellation", fmt.Errorf("reading: %w", context.Canceled), 130},
		{"an interruption of a sending that could not be recorded", errors.Join(interrupted, &journal.PoisonedError{Err: syscall.EIO}), 74},
		{"a time that is up", fmt.Errorf("sending: %w", batch.ErrTimeUp), 7},
		{"another process's sandbox", fmt.Errorf("opening sandbox: %w", sandbox.ErrInUse), 6},
		{"an error nobody knows", errors.New("what is this"), 1},
	} {
		if code := exitCode(test.err); code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.name, code, test.code)
		}
	}
	done, failed := found.Rows{found.Read: 1, found.Created: 1}, found.Rows{found.Read: 1, found.Failed: 1}
	for _, test := range []struct {
		rows    found.Rows
		changes bool
		code    int
	}{{done, false, 0}, {done, true, 2}, {failed, false, 3}, {failed, true, 3}} {
		if code := exitCode(ending(test.rows.Unfinished(), test.changes)); code != test.code {
			t.Errorf("%+v: exit code %d, want %d", test, code, test.code)
		}
	}
}

func TestEveryExitCodeHasItsReason(t *testing.T) {
	for _, m := range meanings {
		if exits[m.code].reason == "" {
			t.Errorf("code %d has no reason", m.code)
		}
	}
}

// A new error type has to be given its code.
func TestEveryErrorTypeIsKnown(t *testing.T) {
	var found []string
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		types, err := errorTypes(path)
		found = append(found, types...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for name := range endings {
		want = append(want, name)
	}
	slices.Sort(found)
	slices.Sort(want)
	if diff := difference(t, want, found); diff != "" {
		t.Errorf("types with an Error method (-table +tree):\n%s", diff)
	}
}

// errorTypes lists the types of a file that have a method Error, but for those
// that their package keeps to itself.
func errorTypes(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	var types []string
	for _, decl := range file.Decls {
		method, ok := decl.(*ast.FuncDecl)
		if !ok || method.Recv == nil || method.Name.Name != "Error" || method.Type.Results == nil {
			continue
		}
		if result, ok := method.Type.Results.List[0].Type.(*ast.Ident); !ok || result.Name != "string" {
			continue
		}
		receiver := method.Recv.List[0].Type
		if pointer, ok := receiver.(*ast.StarExpr); ok {
			receiver = pointer.X
		}
		if name := receiver.(*ast.Ident).Name; ast.IsExported(name) || file.Name.Name == "main" {
			types = append(types, file.Name.Name+"."+name)
		}
	}
	return types, nil
}

// A month reads the exit codes of nights, which it knows by their numbers.
func TestAMonthKnowsTheExitCodes(t *testing.T) {
	for code, want := range map[int]month.Outcome{
		exitDone: month.Same, exitPartial: month.Partial, exitRefused: month.Refused, exitLocked: month.Locked, exitInternal: month.Failed,
	} {
		var n month.Night
		n.Ended, n.Exit.Code = time.Now(), code
		if got := n.Outcome(); got != want {
			t.Errorf("a night that exits with %d is %s, want %s", code, got, want)
		}
	}
}
