// Package reshape turns the rows of a sheet into rows that describe one event each.
//
// It works in two steps, each told by columns alone. A [Sieve] sees the rows as they stand
// in the sheet: it leaves out those that are no events, which a [Layout] tells by the kinds
// of their cells and the words for totals, and carries values down into blank cells. A row
// in doubt stays. A [Shaper] is given the rest: it looks rows up in further tables ([Join]),
// makes an event of each filled cell of a [Grid], one of several rows ([Group]), or several
// of a row that repeats ([Unroll]). Cells that it adds stand behind those of the header, and
// a [Note] beside each row says where they are from and why the row is no event of its own.
//
// Both take the rows in their order and keep no more than what later rows need.
package reshape
