// Package files keeps the runs of a store in a folder.
//
// A [Workspace] is a folder. In it lie runs/ID, a folder a run; lock, which a process holds while it plans or takes a
// run up; and keys-HASH, the memory of keys of one service.
//
// The plan of a run is plan.jsonl, a header and then a short line an op, and rows.jsonl, a line an op with what its
// request and its results are made of. An op's line names the place of the other. The header has the sizes and CRCs of
// both, and its own; both are written while the ops are decided, synced, and named last, so that a run is there whole
// or not at all.
//
// What became of the ops is in journal.jsonl. A line is eight hex digits of the CRC-32C of what follows, a blank, and a
// JSON object: n is its number from 1, p the CRC of the line before, d the highest number known to be on disk when it
// was written, t its type. The first line binds the journal to the plan.
//
// An intent is synced before its request leaves, and those that wait share a sync. All else is written at once, which
// survives the process, and synced within a second, which survives the machine. Replaying takes the longest prefix of
// lines that chain. What follows is a tail that a crash tore, and is cut off, unless one of its lines vouches with d
// for more than the prefix: then the file is damaged, and refused. The file synced counts the records on disk, since a
// journal that has lost its end looks like one that was torn; lock is held by the process at work, and dies with it.
//
// The runs that have come to their end are merged into a snapshot, whose blocks are searched on disk; the others are
// replayed on top of it. It lists the journals that it covers with their sizes, and whatever does not fit, or is
// damaged, is made anew from them: it may be removed, as long as no run was pruned. Of the runs that were, it alone
// knows, and a file beside it says so.
package files
