// Package reshape leaves out rows that are no events, carries values down, and joins, groups
// and unrolls rows, so that each row describes one event.
package reshape
