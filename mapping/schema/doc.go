// Package schema is the language in which the service is described: resources, the fields that
// they have, and the operations that they lead to. Package catalog describes the service in it.
//
// A [Resource] is what a row is about: events, guests, coupons, hosts. It has fields of its
// own beside those that every row has (key, action, calendar_id), and says which of them
// names a record, which names the event that a record belongs to, how its fields go
// together, and which operation lists its records. [Assemble] gives each resource its columns
// and its operations.
//
// A [Field] is known by its path, which is also the name of its column. It has a kind,
// the rule of its single value, and the actions whose operations take it. Several fields
// can be the parts of one object.
//
// An [Operation] is one call of the service. It says which action of which resource leads to
// it, what a second identical request does ([Repeat]), what it does to people or money
// ([Effect]), how many rows one request can carry, and which operation takes it back.
// Operations without an action find records again.
//
// A row becomes a [Draft]: an action, a calendar, a key, and for each field that the row
// does not leave alone a [Setting], which clears or sets it, with the cell that said so.
// [AppendBody] makes the body of an operation's request from a draft. What is wrong with a
// single value is a [Fault]; a [Problem] adds the place where the value stands. Both have
// a [Code].
package schema
