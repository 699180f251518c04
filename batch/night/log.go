package night

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
)

// Entry is a night as the log keeps it, for whoever answers for the nights of a month.
//
// The log of a sync is a text a month, to which a night is added twice, as one line of JSON:
// when it begins, so that one which is broken off leaves a trace, and when it ends. A line that
// a crash has torn is passed over. The texts of more than [Kept] ago are removed when a new
// one begins. An entry holds no cell, no key and no address in full.
type Entry struct {
	Sync   string    `json:"sync,omitempty"` // as people call it
	Source string    `json:"source"`         // as its runs call it
	Began  time.Time `json:"began"`
	Ended  time.Time `json:"ended,omitzero"` // zero where nobody knows of an end
	Run    string    `json:"run,omitempty"`  // empty where there was none: no feed, nothing new
	Told   []string  `json:"told,omitempty"` // whom a notice has reached
	Ending
	Work
}

// Ending is how a night ended.
type Ending struct {
	Exit  finding.Exit `json:"exit"`            // its error and hint as they may be told
	State string       `json:"state,omitempty"` // in the words of package notify
	// Problems are the first rows with what is wrong with them and what to do, as it may be told, a line each.
	Problems []string `json:"problems,omitempty"`
}

// Work is what a night has done.
type Work struct {
	Rows     Counts       `json:"rows,omitempty"` // by what became of them
	Requests journal.Made `json:"requests,omitzero"`
}

// Counts are numbers of rows that are not 0: those read, and by what became of them.
type Counts map[finding.Status]int

// Add adds numbers of rows.
func (c Counts) Add(rows map[finding.Status]int) {
	for _, status := range append([]finding.Status{finding.Read}, finding.Statuses...) {
		if n := rows[status]; n != 0 {
			c[status] += n
		}
	}
}

// Kept is how long the log keeps a night at least.
const Kept = 400 * 24 * time.Hour

// Log adds a night to the log of its sync, again with more of it where it has ended.
func Log(texts Store, sync string, e Entry) error {
	e.Began, e.Ended = e.Began.UTC(), e.Ended.UTC()
	line, err := json.Marshal(&e)
	if err == nil {
		var first bool
		if first, err = texts.Append(sync, e.Began.Format(monthName), append(line, '\n')); first && err == nil {
			err = forget(texts, sync, e.Began)
		}
	}
	if err != nil {
		return fmt.Errorf("adding the night to the log of sync %s: %w", e.Sync, err)
	}
	return nil
}

// forget removes the months that are over for longer than is kept.
func forget(texts Store, sync string, now time.Time) error {
	months, err := monthsOf(texts, sync, now.Add(-Kept))
	for _, name := range months.before {
		err = errors.Join(err, texts.Remove(sync, name))
	}
	return err
}

// months are the texts of a log, from old to new: those that have ended before a time, and
// the others.
type months struct{ before, after []string }

func monthsOf(texts Store, sync string, since time.Time) (m months, err error) {
	names, err := texts.Names(sync)
	for _, name := range names {
		begins, other := time.Parse(monthName, name)
		switch {
		case other != nil:
		case begins.AddDate(0, 1, 0).After(since):
			m.after = append(m.after, name)
		default:
			m.before = append(m.before, name)
		}
	}
	return m, err
}

// Logged returns the nights of all syncs that have begun since a time, each sync's from old to
// new, and how many lines of their logs nobody can read.
func Logged(texts Store, since time.Time) (nights []Entry, unread int, err error) {
	syncs, err := texts.Syncs()
	for _, sync := range syncs {
		months, failed := monthsOf(texts, sync, since)
		err = errors.Join(err, failed)
		var lines []Entry
		for _, name := range months.after {
			data, failed := texts.Read(sync, name)
			err = errors.Join(err, failed)
			lines = parseLog(lines, data, &unread)
		}
		nights = append(nights, slices.DeleteFunc(lines, func(e Entry) bool { return e.Began.Before(since) })...)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the log of the nights: %w", err)
	}
	return nights, unread, nil
}

// parseLog adds the nights of a text. The end of a night takes the place of its beginning.
func parseLog(nights []Entry, data []byte, unread *int) []Entry {
	begun := map[int64]int{}
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e, err := parseEntry(line)
		if err != nil || e.Began.IsZero() {
			*unread++
			continue
		}
		if i, known := begun[e.Began.UnixNano()]; known {
			nights[i] = e
			continue
		}
		if e.Ended.IsZero() {
			begun[e.Began.UnixNano()] = len(nights)
		}
		nights = append(nights, e)
	}
	slices.SortStableFunc(nights, func(a, b Entry) int { return a.Began.Compare(b.Began) })
	return nights
}

// parseEntry reads a line. The first version wrote the exit and the requests as numbers, with what they mean beside them.
func parseEntry(line []byte) (e Entry, err error) {
	err = json.Unmarshal(line, &e)
	if _, earlier := errors.AsType[*json.UnmarshalTypeError](err); !earlier {
		return e, err
	}
	var was struct {
		Exit, Requests, Throttled int
		Reason, Error, Hint       string
	}
	err = json.Unmarshal(line, &was)
	e.Exit = finding.Exit{Code: was.Exit, Reason: was.Reason, Error: was.Error, Hint: was.Hint}
	e.Requests = journal.Made{Sent: was.Requests, Throttled: was.Throttled}
	return e, err
}
