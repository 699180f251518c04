// Package service is the connection of one process to the platform: the keys of a profile, the calendars that
// they serve, the quota, and one client for each calendar.
//
// A [Service] knows which key leads to a calendar, and which calendar a word means. A [Line] is the way to one
// calendar; it asks again where the failure of a question may pass. What the answers
// mean is told by package live. Requests that change something are made by a [Sender], at the pace of their
// operations. All lines take their slots from the same scheduler of package
// quota, and share a bounded number of connections.
//
// What a process has out of an owner's quota goes from one machine to the next by [Service.Account] and
// [Service.Restore], under the lease of the owner. A process that wants to send for an owner whose lease another
// one has asks that one for slots (asking.go), and the holder counts what it grants as its own (granting.go): it
// reserves a slot, says until when it may be used, and takes it back once the asker has ended its ask. So no window
// has more than the limit, whoever sends, and nobody waits for the other's end. Where nobody answers the asker
// tries the lease again, and says whom it waits for. An owner that nothing is asked of is given up.
package service
