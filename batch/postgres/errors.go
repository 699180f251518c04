package postgres

import (
	"context"
	"errors"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// Error is what a database answered, or why it did not.
type Error struct {
	Store string
	Err   error
}

// Error says in one line where no connection came about, without the address and the words of each attempt: the name of the
// store has said where.
func (e *Error) Error() string {
	if _, unconnected := errors.AsType[*pgconn.ConnectError](e.Err); unconnected {
		if answer, ok := errors.AsType[*pgconn.PgError](e.Err); ok {
			return e.Store + ": " + answer.Error()
		}
		if wire, ok := errors.AsType[*net.OpError](e.Err); ok {
			return e.Store + " cannot be reached: " + wire.Err.Error()
		}
	}
	return e.Store + ": " + e.Err.Error()
}

// Unwrap returns what the database answered, or that nobody waited for it. Why it could not be reached is
// no error of what was asked for: a socket that is gone would look like a row that is not there.
func (e *Error) Unwrap() error {
	if answer, ok := errors.AsType[*pgconn.PgError](e.Err); ok {
		return answer
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(e.Err, ended) {
			return ended
		}
	}
	return nil
}

// codeOf returns the code of the database's error, empty where it is none of its own.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// The codes of errors that there is no such table, no schema that this user may look into, and that it may not do
// something.
const noTable, noSchema, notAllowed = "42P01", "3F000", "42501"

// locked is the code of the error that a statement has waited too long for a lock.
const locked = "55P03"

// The codes of errors that there is such a table, and no such column.
const hasTable, noColumn = "42P07", "42703"
