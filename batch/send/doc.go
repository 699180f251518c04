// Package send carries out the ops of a plan and records the outcome of each.
//
// A [Lane] is the work of one calendar and has a pool of its own, so that a calendar that
// is slow, or whose key is refused, holds up no other. Within a lane ops that concern the
// same event form a serial group and are sent one after another, in file order; serial groups
// run side by side. Ops of the same group are gathered: their rows share a request of at most
// as many rows as the operation takes, and each row has its own outcome. Where the service
// refuses such a request, each row is sent by itself.
//
// An op with After is given out once the one that it waits for is done, with the id that this one
// came to have, or ended as blocked where that was not done (queue.go). That is once nothing else is
// under way: until then another create may turn out to have the id (claim.go). Ticket types of a new event
// are within the request that makes it, whose intent names their rows too: whatever is not
// known to have been made so is looked for before it is sent by itself.
//
// carry (attempt.go) makes attempts until the outcome of an op is certain. The intent is
// in the journal before the first byte leaves, on disk where a second request would do
// harm. Then the class of the answer decides:
//
//	Done           the op is done
//	NotDone        nothing happened: another attempt after a pause
//	InDoubt        it is recorded, then looked at or sent again
//	Refused        the op has failed, with the service's reasons
//	Forbidden      the event is not the key's (Refused), or the key may do nothing (KeyRefused)
//	KeyRefused     the lane stops; its ops stay pending
//	WrongAddress   the run stops; the op is in doubt
//	Stopped        nothing has left; the op stays pending
//
// A doubt is resolved by looking, never by guessing, in one of the ways of lookup.go:
//
//	create with a slug       who has the slug is looked up
//	create without a slug    events of its name and start, known to nobody, are listed
//	update                   sent again; looked at first where people would notice a second
//	cancel                   the event is read: it is there, or gone
//	record of another kind   the records of the event are listed, once for all rows in doubt
//
// What looking does not settle stays in doubt, for the next process or for a person.
// The folder model has this as spin checks it, in every order in which requests, answers and
// processes may be lost; it names what each safeguard is there for.
//
// A lane stops when its key is refused or the service asks for a long wait. The run stops
// when the journal cannot be written, the service cannot be reached for longer than
// Patience, an answer is not the service's, or too many rows have failed. What has left is
// waited for and recorded; the other ops stay pending for the next process.
package send
