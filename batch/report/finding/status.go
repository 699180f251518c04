package finding

import (
	"strings"

	"eventbatch/mapping/schema"
)

// Status is the word for what became of a row, as people see it. What was planned for the row, a plan.Action, and what
// the journal has recorded of its ops, a journal.Status, are translated into it in one place, and nowhere else.
type Status string

// The statuses of a row. After a check it has one of the first two, after a run
// one of all but the first.
const (
	Valid     Status = "valid"
	Invalid   Status = "invalid"
	Created   Status = "created"
	Updated   Status = "updated"
	Cancelled Status = "cancelled" // what the row is about was taken away
	Unchanged Status = "unchanged"
	Skipped   Status = "skipped"
	Failed    Status = "failed"
	InDoubt   Status = "in_doubt"
	Conflict  Status = "conflict" // the row and the platform have both changed it
	Blocked   Status = "blocked"
	Pending   Status = "pending"
)

// meaning is all that follows from a status.
type meaning struct {
	status Status
	weight int         // the row of several ops has the status of the one that weighs most
	bad    bool        // something is wrong with the row
	agreed bool        // the row and the platform are as one: there is nothing left to be sent
	held   string      // why rows wait in vain for the row; empty where they do not
	code   schema.Code // of the problem that the row has then, where nothing says it better
}

// meanings are the statuses that a row of a run can have, in the order in which they are shown.
var meanings = []meaning{
	{status: Created, weight: 1, agreed: true},
	{status: Updated, weight: 1, agreed: true},
	{status: Cancelled, weight: 1},
	{status: Unchanged, agreed: true},
	{status: Skipped, held: "was skipped"},
	{status: Invalid, bad: true},
	{status: Failed, weight: 6, bad: true, held: "failed", code: schema.CodeServiceRejected},
	{status: InDoubt, weight: 5, bad: true, held: "is in doubt", code: schema.CodeInDoubt},
	{status: Conflict, weight: 3, bad: true, held: "is in conflict"},
	{status: Blocked, weight: 4, bad: true, held: "is blocked", code: schema.CodeBlocked},
	{status: Pending, weight: 2},
}

// Statuses are the statuses that a row of a run can have, in the order in which they are shown.
var Statuses = func() (list []Status) {
	for _, m := range meanings {
		list = append(list, m.status)
	}
	return list
}()

// means returns what follows from the status, nothing from one that no row of a run has.
func (s Status) means() meaning {
	for i := range meanings {
		if meanings[i].status == s {
			return meanings[i]
		}
	}
	return meaning{}
}

// Bad reports whether something is wrong with the row.
func (s Status) Bad() bool { return s.means().bad }

// Words returns the word as people write it: in doubt.
func (s Status) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// Agreed reports whether the row and the platform are as one.
func (s Status) Agreed() bool { return s.means().agreed }

// Held says why rows wait in vain for the row, such as "is in doubt"; it is empty where they do not.
func (s Status) Held() string { return s.means().held }

// Code returns the code of the problem that the row has by its status alone, empty where it has none.
func (s Status) Code() schema.Code { return s.means().code }

// Worse reports whether the row of two ops has this status rather than the other.
func (s Status) Worse(other Status) bool { return s.means().weight > other.means().weight }
