// Package reshape joins, groups and unrolls rows, so that each row describes one event.
package reshape
