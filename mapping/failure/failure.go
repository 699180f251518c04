// Package failure tells kinds of errors apart, and what a person does about one.
package failure

import "errors"

// Kind is a kind of errors, as far as a caller makes something else of it. errors.Is
// finds it.
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds.
const (
	Usage   Kind = "usage"   // what was asked for cannot be understood or followed
	Config  Kind = "config"  // the configuration does not serve
	NoKey   Kind = "no key"  // a source gave no usable key
	Invalid Kind = "invalid" // the input has faults
	Refused Kind = "refused" // somebody said no, or nobody could be asked
	Stale   Kind = "stale"   // a plan no longer fits
	Disk    Kind = "disk"    // what has to be kept cannot be
	Output  Kind = "output"  // what was made cannot be put where it belongs
	Away    Kind = "away"    // where the input comes from gives none
)

// Error is an error of a kind: one of those above, or any other that errors.Is finds.
type Error struct {
	Kind   error
	Err    error
	Advice string // what to do; empty where Err says it, or has advice of its own
}

// New returns an error of a kind with its advice, which may be empty.
func New(kind, err error, advice string) error { return &Error{kind, err, advice} }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Hint returns what to do, empty where nobody knows more than the error says.
func (e *Error) Hint() string {
	if e.Advice != "" {
		return e.Advice
	}
	hint, _ := HintOf(e.Err)
	return hint
}

// Is reports whether an error is of a type, or wraps one that is.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// HintOf returns what an error, or one that it wraps, says to do. ok is false where none
// of them has a hint.
func HintOf(err error) (hint string, ok bool) {
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		return h.Hint(), true
	}
	return "", false
}
