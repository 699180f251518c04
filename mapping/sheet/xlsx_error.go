package sheet

import (
	"context"
	"errors"
	"fmt"

	"eventbatch/mapping/schema"
)

// What a user can do about a workbook that is refused.
const (
	hintDamaged = "get the file again from where it came; if it opens in a spreadsheet program, save it anew as .xlsx"
	hintResave  = "open it in a spreadsheet program and save it as .xlsx"
	hintSmaller = "split it into smaller files, or save it as CSV"
)

// flaw is what is wrong with a workbook before it is known where.
type flaw struct {
	code    schema.Code
	message string
	hint    string
	err     error // the cause, where another package found it
}

func (f *flaw) Error() string { return f.message }

func (f *flaw) Unwrap() error { return f.err }

func flawf(code schema.Code, hint, format string, args ...any) *flaw {
	return &flaw{code: code, message: fmt.Sprintf(format, args...), hint: hint}
}

// at makes the *Error of whatever ended a reading, at the place where it did.
// The end of a context stays what it is.
func at(place schema.Place, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, done := errors.AsType[*Error](err); done {
		return err
	}
	f, ok := errors.AsType[*flaw](err)
	if !ok {
		f = &flaw{schema.CodeBadZip, err.Error(), hintDamaged, nil}
	}
	return &Error{
		Problem: schema.Problem{Code: f.code, Place: place, Message: err.Error(), Hint: f.hint},
		Err:     err,
	}
}

// inPart says in which part of the archive something is wrong.
func inPart(name string, err error) error {
	f, ok := errors.AsType[*flaw](err)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	return &flaw{f.code, name + ": " + f.message, f.hint, f.err}
}
