// Package sandbox is the service in miniature, for trying things without it.
//
// A request comes to [Service.ServeHTTP]. It is counted against the limits of its calendar
// and its organization, perhaps spoiled by a [Fault], and answered by the operation of its
// path. The paths are those of [catalog.Operations]. What they do to records, and how those
// read back, follows from the tables, so that a resource that is added there needs nothing
// here; a handler by hand has only what is odd, such as the cancellation in two steps.
//
// Bodies are judged by the fields of the table: unknown members, missing ones and wrong
// values are answered with 400 and a line each. An operation that writes decides under a
// lock which record of change it makes. The record is written to the log, if there is a
// folder, and then applied to the data, which is also how the log is read back: data that
// was not made by a record does not exist. The data holds items, and an event, a calendar,
// a guest, a token are one each: they differ in the place where they stand.
//
// What the service promises to those who call it stands in testdata/conformance.txt, as
// requests and what is wanted of their answers. It is written down from the service's document
// and not from the tables, so that what is wrong there shows. TestConformance has the sandbox
// keep it, or any other double.
//
// What people would have been mailed follows from the records too and is kept in the
// outbox. Tests ask it, the counts of [Stats] and the events whether each thing was done
// exactly once.
package sandbox
