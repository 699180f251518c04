package send

import (
	"errors"
	"fmt"
	"slices"
)

// TooManyErrorsError says that the limit on failed rows was reached.
type TooManyErrorsError struct{ Failed int }

func (e *TooManyErrorsError) Error() string {
	return fmt.Sprintf("stopping: %d rows failed, which is the limit", e.Failed)
}

// JournalError says that the journal cannot be written.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return "writing the journal: " + e.Err.Error() }

func (e *JournalError) Unwrap() error { return e.Err }

// CredentialError names the calendars whose key was refused, each with the
// service's answer. The other calendars were sent.
type CredentialError struct{ Calendars map[string]error }

func (e *CredentialError) Error() string {
	if len(e.Calendars) == 0 {
		return "the key of a calendar was refused"
	}
	names := make([]string, 0, len(e.Calendars))
	for name := range e.Calendars {
		names = append(names, name)
	}
	slices.Sort(names)
	errs := make([]error, len(names))
	for i, name := range names {
		errs[i] = fmt.Errorf("calendar %s: %w", name, e.Calendars[name])
	}
	return errors.Join(errs...).Error()
}

// UnreachableError says that no request could be sent for a while.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return "reaching the service: " + e.Err.Error() }

func (e *UnreachableError) Unwrap() error { return e.Err }
