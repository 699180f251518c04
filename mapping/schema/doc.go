// Package schema is the catalog of the service: what rows can be about, which fields
// they have, and which calls of the service they lead to.
//
// Whatever another package knows of the service it reads here: validation, the columns of
// a mapping, template workbooks, the fields and operations commands, planning, sending,
// and the sandbox.
//
// A [Resource] is what a row is about: events, guests, coupons, hosts. It has fields of its
// own beside those that every row has (key, action, calendar_id), and says which of them
// names a record, which names the event that a record belongs to, how its fields go
// together, and which operation lists its records.
//
// A [Field] is known by its path, which is also the name of its column. It has a kind,
// the rule of its single value, and the actions whose operations take it. Several fields
// can be the parts of one object.
//
// An [Operation] is one call of the service. Its row in [Operations] says which action of
// which resource leads to it, what a second identical request does ([Repeat]), what it
// does to people or money ([Effect]), how many rows one request can carry, and which
// operation takes it back. Operations without an action find records again.
//
// A row becomes a [Draft]: an action, a calendar, a key, and for each field that the row
// does not leave alone a [Setting], which clears or sets it, with the cell that said so.
// [AppendBody] makes the body of an operation's request from a draft. What is wrong with a
// single value is a [Fault]; a [Problem] adds the place where the value stands. Both have
// a code, which [Codes] explains.
//
// A further operation is a row of Operations. Where its resource is new, that is a table
// of fields and an entry of [Resources], in the order of dependence. Reading, checking,
// planning, sending and the sandbox take it from there: only a rule that these tables
// cannot say needs code.
package schema
