// Package live tells what is on the platform now, to whoever asks.
//
// A [Teller] puts single questions to one calendar and remembers nothing: sending, exports and verdicts ask it, and the
// two below are made of it.
//
// A [Cache] is what one plan asks: which event a key, a slug or a word means, what a record is, which records a
// calendar has. Each list is asked for once, and again while it shifts, while it lacks what a run has made, and
// for what was answered so shortly before that it may not show it ([api.Lag]). [Shared] is the same for lanes
// that send at once and ask whether anything has changed since the plan.
//
// That a list lacks something proves nothing by itself. An event is gone, [plan.ErrGone], where its key sees
// others of the calendar and no calendar of the organization has it; a list that lacks too many of the events
// that are known to be there is an error ([Window]). What concerns one key or one record alone is [Withheld] from the
// rows about it, and no error of the others.
package live
