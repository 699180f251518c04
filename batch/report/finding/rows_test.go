package finding

import "testing"

func TestRowsOfWhichNotAllIsDone(t *testing.T) {
	for status, want := range map[Status]struct{ held, unfinished bool }{
		Created: {}, Updated: {}, Cancelled: {}, Unchanged: {}, Skipped: {}, Read: {}, Missing: {},
		Failed: {false, true}, InDoubt: {false, true}, Pending: {false, true},
		Conflict: {true, true}, Blocked: {true, true}, Invalid: {true, true},
	} {
		rows := Rows{Read: 2, Created: 1, status: 1}
		if rows.HeldBack() != want.held || rows.Unfinished() != want.unfinished {
			t.Errorf("with a row %s: held back %v, unfinished %v", status, rows.HeldBack(), rows.Unfinished())
		}
		if rows[status] = 0; rows.HeldBack() || rows.Unfinished() {
			t.Errorf("with no row %s they are not done", status)
		}
	}
}
