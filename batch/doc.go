// Package batch tells the story of a run: checked, planned, applied, tried again.
//
// [Check] reads the input and reports what is wrong with it. It needs no service and
// writes nothing. It shares its loop over the rows with [Plan], so that both call the same
// rows invalid.
//
// [Plan] locks the workspace, reads the memory of earlier runs, and has package plan
// decide each row. The ops are written to a run while they are decided; a header with the
// sources, the target and the counts completes it. Where an unfinished run has the same
// identity (the hashes of the files, the mapping, the options and the target), that run is
// returned instead: to import a file again is to go on. A plan never changes.
//
// [Apply] takes a run up: it checks that the target is the one of the plan and that no
// other run has dealt with one of its keys since, attaches to the journal, and gives
// package send a lane for each calendar with the ops that are open. To resume is the same.
// A failed row is an outcome, not an error; an error says why the run could not go on.
//
// [Retry] plans the failed rows of a finished run as a new run, from the plan alone.
// [Undo] plans a run that takes back what another one has done: it looks at what that one has
// in doubt, asks what is live, and has package plan decide field by field. Once it is sent the
// other run has ended (undo_end.go): what that one has not sent is never sent.
// [Resolve] records what a person has found out about rows that stay in doubt.
// [Sync] goes through a night of a sync: the feed is read, planned and sent without a question,
// and what it was is remembered and told (sync_feed.go, sync_told.go).
// [HandOver] leaves a run to the workers of a database instead, and a [Carrier] sends its shares.
// [Describe] and [Report] tell what was planned and what became of it: one pass over the
// ops of a plan and the states of its journal (outcome.go) gives the counts, the failures,
// the results and the reports. Screen, JSON and files are sinks of the same records.
//
// [Export] is the way back: it has package export read what the service holds into a folder
// of the workspace, from which package record writes it as rows that can be imported again.
//
// Package service is the connection on which all of them ask and send.
package batch
