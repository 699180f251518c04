// Package journal is what a store keeps of runs, as values, and what it promises of them.
//
// A [Run] has a plan that never changes: a header, and ops, each with a short line and a payload of which its request
// and its results are made. What becomes of the ops is recorded. An op is pending; an intent makes it sent; ok makes it
// done, fail failed, no pending again, doubt in doubt; resolved makes it done, or pending where nothing was made; skip
// skipped, or blocked where the op that it waits for was not done. An intent of several ops sends all of them, and each
// has an outcome of its own. A [State] is what the records of a run come to.
//
// An intent is durable before its request leaves: sent unawares, a create would be made twice, and an update be taken
// for somebody else's. Whatever else is recorded is durable within a second.
//
// A [Store] keeps runs: package files as lines in a folder, package postgres as rows. In a [Shared] one several processes
// can carry one run, each the share of an owner. Whoever carried it before, and was only lost from sight, stores nothing
// more and so sends nothing.
//
// A [Memory] says what all runs have made: of each key and each event, who spoke last of it and what was sent last.
// What runs that have come to their end have said is in the memory of keys, as the store has it; the other runs are on
// top of it.
package journal
