// Package trial is how a test says what a trial of the program has come to.
//
// A test that kills, cuts, fills or confuses something counts what it did and what became of the rows. It says each
// count as an attribute of its own, which go test prints under -v and -json, and the command proof adds up for the page
// of what was tried. A count is said where it is known from the service, once it is known, however the test ends; a
// test with several services says several, which are added.
package trial

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Figure is what is counted.
type Figure string

// The figures. Silence is in seconds, memory in MiB, and pace is how long something took, in multiples of the shortest time
// that the limits of the service allow.
const (
	Rows       Figure = "rows"       // whose fate was looked up on the service
	Requests   Figure = "requests"   // that the service has had
	Strikes    Figure = "strikes"    // of the test upon a process, a disk, a connection, a file or a database
	Answers    Figure = "answers"    // that the service lost, spoiled, held back or gave to another request
	Edits      Figure = "edits"      // of a person on the platform meanwhile
	Twice      Figure = "twice"      // records made once more
	Lost       Figure = "lost"       // records that were not made
	Mails      Figure = "mails"      // that people got once more
	Unasked    Figure = "unasked"    // mails that nobody has given leave for
	Refused    Figure = "refused"    // requests answered with 429, by a service whose limit is not lower than it is told to be
	Doubt      Figure = "doubt"      // rows that had no outcome in the end
	Histories  Figure = "histories"  // that were simulated
	Safeguards Figure = "safeguards" // that were left out of a model
	States     Figure = "states"     // of a model that were searched
	Silence    Figure = "silence"    // the longest time between two requests of a calendar
	Pace       Figure = "pace"
	Memory     Figure = "memory"
)

// Figures are all of them.
var Figures = []Figure{
	Rows, Requests, Strikes, Answers, Edits, Twice, Lost, Mails, Unasked, Refused, Doubt,
	Histories, Safeguards, States, Silence, Pace, Memory,
}

// Most reports whether the largest of several is kept, and not their sum.
func (f Figure) Most() bool { return f == Silence || f == Pace || f == Memory }

// prefix tells the attributes of a trial from others.
const prefix = "trial."

// test is what [testing.TB] has.
type test interface{ Attr(key, value string) }

// Say says a figure of a test.
func Say[N int | int64 | float64](t test, f Figure, n N) {
	t.Attr(prefix+string(f), fmt.Sprint(n))
}

// Lasted says a figure that is a time.
func Lasted(t test, f Figure, d time.Duration) { Say(t, f, d.Seconds()) }

// Struck says how often a test has struck, and with what.
func Struck(t test, n int, with string) { t.Attr(prefix+string(Strikes), fmt.Sprint(n, " ", with)) }

// Said reads an attribute: a figure, its number, and of strikes with what. It reports whether it is one of a trial.
func Said(key, value string) (f Figure, n float64, with string, ok bool) {
	name, ok := strings.CutPrefix(key, prefix)
	number, with, _ := strings.Cut(value, " ")
	n, err := strconv.ParseFloat(number, 64)
	return Figure(name), n, with, ok && err == nil
}

// Fate says what became of rows: how many records there are in place of those that are wanted.
func Fate(t test, want, got int) {
	Say(t, Rows, want)
	Say(t, Twice, max(0, got-want))
	Say(t, Lost, max(0, want-got))
}
