// Package api makes one request at a time and tells what came of it.
//
// A [Client] knows no operation by name: it is given a row of the catalog and writes,
// reads or lists. What an answer holds is read by functions beside its types, such as
// [EventOf] and [NewID], tolerantly: under new names and old ones, flat or wrapped.
//
// Nothing is sent without a slot of the quota, which the [Gate] gives, and nothing is
// ever sent twice but by who calls. What became of a request is told by the type of
// the error, and [ClassOf] gives the types their classes:
//
//	answer                                      error                 class
//	2xx with a JSON object, or no body          nil                   Done
//	the header certainly never left             NotSentError          NotDone
//	429                                         RateLimitedError      NotDone
//	408, 5xx, reset, time-out, cut short        UnknownOutcomeError   InDoubt
//	other 4xx                                   RejectedError         Refused
//	401                                         UnauthorizedError     KeyRefused
//	403                                         ForbiddenError        Forbidden
//	3xx, a web page, no JSON, no id             WrongAddressError     WrongAddress
//	none: the gate or the caller kept it back   theirs                Stopped
//
// The service answers 403 both to a key that may do nothing and to an event that is
// unknown or of another calendar: who calls has to tell them apart.
//
// NotDone and InDoubt may pass. [Attempts] counts how often a request is made again
// then, by one of two policies: [Sending] for the rows of a run, whose outages the
// run's patience bounds, and [Asking] for questions that somebody waits for. Between
// two attempts lies a pause that doubles, but none after a 429, which the gate waits
// out. A write in doubt that would do harm a second time is looked for first: that is
// the caller's to know, by the operation's Repeat.
package api
