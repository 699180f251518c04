// Package reshape makes one row an event of rows that are more or less than one.
package reshape
