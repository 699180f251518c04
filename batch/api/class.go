package api

import (
	"errors"
	"net/http"

	"eventbatch/mapping/failure"
)

// Class is what an answer says of its request: whether it was carried out, and may be made again.
type Class int

// The classes of answers.
const (
	Done         Class = iota // it was carried out
	NotDone                   // it certainly was not, and may be tried again
	InDoubt                   // it may have been carried out
	Refused                   // the service said no, for good
	KeyRefused                // the key is no good
	Forbidden                 // the key may do nothing, or not this: the event is not its own
	WrongAddress              // what answered is not the service
	Stopped                   // nothing was sent: the gate, the caller or this machine kept it back
)

var classes = []struct {
	is    func(error) bool
	class Class
}{
	{failure.Is[*NotSentError], NotDone},
	{failure.Is[*RateLimitedError], NotDone},
	{failure.Is[*UnknownOutcomeError], InDoubt},
	{failure.Is[*RejectedError], Refused},
	{failure.Is[*UnauthorizedError], KeyRefused},
	{failure.Is[*ForbiddenError], Forbidden},
	{failure.Is[*WrongAddressError], WrongAddress},
}

// ClassOf returns the class of what a request ended with.
func ClassOf(err error) Class {
	if err == nil {
		return Done
	}
	for _, c := range classes {
		if c.is(err) {
			return c.class
		}
	}
	return Stopped
}

// Unshown reports whether the service answered that it has no such record for the key.
func Unshown(err error) bool {
	class := ClassOf(err)
	return class == Refused || class == Forbidden
}

// Missing reports whether the service answered that there is no such record, for any key.
func Missing(err error) bool {
	rejected, ok := errors.AsType[*RejectedError](err)
	return ok && (rejected.Status == http.StatusNotFound || rejected.Status == http.StatusGone)
}
