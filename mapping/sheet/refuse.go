package sheet

import (
	"fmt"

	"eventbatch/mapping/schema"
)

// refuse makes the error that ends a reading at a place.
func refuse(code schema.Code, place schema.Place, hint, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{
		Problem: schema.Problem{Code: code, Place: place, Message: err.Error(), Hint: hint},
		Err:     err,
	}
}
