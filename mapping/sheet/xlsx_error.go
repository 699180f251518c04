package sheet

import (
	"context"
	"errors"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// at makes the *Error of whatever ended a reading, at the place where it did.
// The end of a context stays what it is.
func at(place schema.Place, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, done := errors.AsType[*Error](err); done {
		return err
	}
	f, ok := errors.AsType[*ooxml.Flaw](err)
	if !ok {
		f = &ooxml.Flaw{Code: schema.CodeBadZip, Message: err.Error(), Hint: ooxml.HintDamaged}
	}
	return &Error{
		Problem: schema.Problem{Code: f.Code, Place: place, Message: err.Error(), Hint: f.Hint},
		Err:     err,
	}
}
