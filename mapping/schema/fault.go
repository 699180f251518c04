package schema

import "errors"

// Fault is what is wrong with a single value. Message and Hint are lower case
// without a full stop.
type Fault struct {
	Code    Code
	Message string
	Hint    string
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// HintOf returns the hint of an error that is or wraps a Fault, empty for any other.
func HintOf(err error) string {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault.Hint
	}
	return ""
}

// Fault returns the fault of the code with what is wrong and what to do.
func (c Code) Fault(message, hint string) *Fault {
	return &Fault{Code: c, Message: message, Hint: hint}
}
