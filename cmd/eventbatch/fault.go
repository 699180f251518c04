package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/mapping/failure"
)

// statusError ends a command that went as it should with another exit code than 0.
// There is nothing to say about it.
type statusError struct{ code int }

func (e *statusError) Error() string { return exits[e.code].reason }

// shownError is an error whose words are on the screen already.
type shownError struct {
	err   error
	words string // that are left to say
}

func (e *shownError) Error() string { return e.err.Error() }
func (e *shownError) Unwrap() error { return e.err }

// interruptedError is the cause of a stop by a signal.
type interruptedError struct {
	signal os.Signal
	// phase says what that means for the service, empty where nothing is sent.
	phase string
}

func (e *interruptedError) Error() string {
	if e.phase != "" {
		return "interrupted: " + e.phase
	}
	return "interrupted"
}

// Is makes an interruption a cancellation for those who ask for one.
func (e *interruptedError) Is(target error) bool { return target == context.Canceled }

func (e *interruptedError) code() int {
	if e.signal == syscall.SIGINT {
		return exitInterrupted
	}
	return exitTerminated
}

// because returns the signal that a cancellation came from.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) && !failure.Is[*interruptedError](err) {
		return cause
	}
	return err
}

// during names the phase in which an interruption came; other errors, and an
// interruption that is not all there is to say, are left as they are.
func during(phase string, err error) error {
	e, ok := errors.AsType[*interruptedError](err)
	if !ok || e.phase != "" || err.Error() != e.Error() {
		return err
	}
	return &interruptedError{signal: e.signal, phase: phase}
}

// unattended returns the error of a question that has nobody to answer it.
func unattended(input, advice string) error {
	return failure.New(failure.Refused, nobody(input), advice)
}

// nobody says why there is nobody to ask.
func nobody(input string) error {
	return errors.New("standard input is " + input + ", so there is nobody to ask")
}

// defectError is a panic: a defect of ours.
type defectError struct{ *panics.Recovered }

// Error returns the first line of what was panicked with, through however many
// goroutines the panic came.
func (e *defectError) Error() string {
	first, _, _ := strings.Cut(fmt.Sprint(e.Value), "\n")
	return "internal error: " + strings.ReplaceAll(first, "panic: ", "")
}

func (e *defectError) Hint() string {
	return "this is a defect of eventbatch: please report it with the output of the same command under --verbose; a run can be gone on with"
}
