// Package journal records the runs of a workspace.
//
// A workspace is a folder. In it lie runs/ID, a folder a run; lock, which a process holds
// while it plans or takes a run up; and keys-HASH, the memory of keys of one service.
//
// A run has a plan that never changes: plan.jsonl, a header and then a short line an op,
// and rows.jsonl, a line an op with what its request and its results are made of. An op's
// line names the place of the other. The header has the sizes and CRCs of both, and its
// own; both are written while the ops are decided, synced, and named last, so that a run
// is there whole or not at all.
//
// What became of the ops is in journal.jsonl. A line is eight hex digits of the CRC-32C of
// what follows, a blank, and a JSON object: n is its number from 1, p the CRC of the line
// before, d the highest number known to be on disk when it was written, t its type. The
// first line binds the journal to the plan. An op is pending; an intent makes it sent; ok
// makes it done, fail failed, no pending again, doubt in doubt; resolved makes it done, or
// pending where nothing was made; skip skipped, or blocked where the op that it waits for
// was not done. An intent of several ops sends all of them, and each has an outcome of its
// own.
//
// An intent is synced before its request leaves, and those that wait share a sync: sent
// unawares, a create would be made twice, and an update be taken for somebody else's. All else
// is written at once, which survives the process, and synced within a second, which survives
// the machine. Replaying takes the longest prefix of lines
// that chain. What follows is a tail that a crash tore, and is cut off, unless one of its
// lines vouches with d for more than the prefix: then the file is damaged, and refused.
// The file synced counts the records on disk, since a journal that has lost its end looks
// like one that was torn; lock is held by the process at work, and dies with it.
//
// With a database, several processes can carry one run, each the share of an owner: a calendar, or
// an organization with its own. Who has the owner's [Lease] sees a store of which there is only
// that, and writes a chain of lines of its own; the state of the run is what all chains come to. An
// owner, and what it carries of a run, is for one process at a time. Each has an epoch, which grows
// as it is taken: whoever had it before, and was only lost from sight, stores nothing more and so
// sends nothing.
//
// The memory of keys says what all runs have made: of each key and each event, who spoke
// last of it and what was sent last. The runs that have come to their end are merged into
// a snapshot, whose blocks are searched on disk; the others are replayed on top of it. It
// lists the journals that it covers with their sizes, and whatever does not fit, or is
// damaged, is made anew from them: it may be removed, as long as no run was pruned. Of the
// runs that were, it alone knows, and a file beside it says so.
package journal
