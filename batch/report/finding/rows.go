package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/printable"
)

// Rows are the numbers of a run's rows: those read, by the action that was planned
// for them, and by what became of them. A row whose action says already what becomes
// of it (unchanged, invalid, blocked) is counted once under that word.
type Rows map[Status]int

// Read counts all rows.
const Read Status = "read"

// Missing counts the keys without a row whose events the source has made: with them, what
// became of the rows adds up to more than were read. It is left out where there are none.
const Missing Status = "missing"

// HeldBack reports whether rows are not sent, and should have been.
func (r Rows) HeldBack() bool { return r[Conflict]+r[Blocked]+r[Invalid] > 0 }

// Unfinished reports whether rows have come to no good end.
func (r Rows) Unfinished() bool {
	for status, n := range r {
		if n > 0 && (status.Bad() || status == Pending) {
			return true
		}
	}
	return false
}

// members are the members of Rows in JSON, in order.
var members = []Status{
	Read, Invalid, "create", "update", "cancel", Unchanged, "skip",
	Created, Updated, Cancelled, Skipped, Failed, InDoubt, Conflict, Blocked, Pending,
}

// Add counts so many rows of one action and status.
func (r Rows) Add(action string, status Status, n int) {
	r[Read] += n
	r[status] += n
	if planned := Status(action); planned != status {
		r[planned] += n
	}
}

// Open returns the number of rows that still have something to be done.
func (r Rows) Open() int { return r[Pending] + r[InDoubt] }

// Words counts what became of the rows, as far as that is not 0: 3 created, 1 failed.
func (r Rows) Words() string {
	var parts []string
	for _, s := range Statuses {
		if n := r[s]; n > 0 {
			parts = append(parts, printable.Number(n)+" "+s.Words())
		}
	}
	return strings.Join(parts, ", ")
}

// Totals returns the rows by what became of them. All but the first add up to it.
func (r Rows) Totals() Totals {
	return r.in(append([]Status{Read}, Statuses...))
}

// All returns the rows by what was planned for them too.
func (r Rows) All() Totals { return r.in(members) }

// MarshalJSON writes all members, zeros too.
func (r Rows) MarshalJSON() ([]byte, error) { return json.Marshal(r.All()) }

// String returns the members that are not zero, such as "read=4 create=4 created=4", as a line of a log has them.
func (r Rows) String() string {
	var words []string
	for _, total := range r.in(members) {
		if total.Rows != 0 {
			words = append(words, fmt.Sprintf("%s=%d", total.Word, total.Rows))
		}
	}
	return strings.Join(words, " ")
}

func (r Rows) in(order []Status) Totals {
	totals := make(Totals, 0, len(order)+1)
	for _, word := range order {
		totals = append(totals, Total{string(word), r[word]})
		if word == Read && r[Missing] > 0 {
			totals = append(totals, Total{string(Missing), r[Missing]})
		}
	}
	return totals
}

// Resources are the numbers of a run's rows by what they are about.
type Resources map[string]Rows

// Of returns the numbers of one resource.
func (r Resources) Of(name string) Rows {
	if r[name] == nil {
		r[name] = Rows{}
	}
	return r[name]
}

// Several returns the numbers where rows are about more than one thing, and else nil.
func (r Resources) Several() Resources {
	if len(r) < 2 {
		return nil
	}
	return r
}

// Totals are numbers of rows in the order in which they are shown.
type Totals []Total

// Of returns the number of rows of a word.
func (t Totals) Of(word string) int {
	i := slices.IndexFunc(t, func(total Total) bool { return total.Word == word })
	if i < 0 {
		return 0
	}
	return t[i].Rows
}

// MarshalJSON writes an object such as {"read":3,"valid":2}, its members in order.
func (t Totals) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, total := range t {
		if i > 0 {
			text = append(text, ',')
		}
		word, err := json.Marshal(total.Word)
		if err != nil {
			return nil, err
		}
		text = strconv.AppendInt(append(append(text, word...), ':'), int64(total.Rows), 10)
	}
	return append(text, '}'), nil
}

// Total is a number of rows with its word: read, valid, created, in_doubt.
type Total struct {
	Word string
	Rows int
}

// Plain are the words for a row's status or action, and for a total, of whoever knows the file alone.
var Plain = map[string]string{
	"read": "rows", "valid": "ready", "upsert": "ready", "invalid": "to mend", "create": "new", "update": "change",
	"updated": "changed", "unchanged": "already up to date", "skip": "left out", "skipped": "left out", "failed": "not accepted",
	"in_doubt": "not certain", "conflict": "in conflict", "blocked": "held back", "pending": "waiting",
}
