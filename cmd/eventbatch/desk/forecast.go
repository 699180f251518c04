package desk

import (
	"context"
	"encoding/json"
	"sync"

	"eventbatch/batch/report"
)

// foreseen is what the rows would come to with what is proposed.
type foreseen struct {
	mu      sync.Mutex // held by whoever reads the file for it
	of      string     // the mapping and the edits that it was counted with
	Open    int        `json:"open"` // questions that have no likeliest answer
	Read    int        `json:"read"`
	Invalid int        `json:"invalid"`
	Words   string     `json:"words"` // empty where questions stay open
}

// mostRounds is how many times the answers to questions lead to others.
const mostRounds = 4

// foresee returns the document of what the rows would come to, with every question of map answered as is proposed. It
// keeps nothing of the rows.
func (f *foreseen) foresee(ctx context.Context, by *Mapping, mapped Mapped, answers []Answer, edited string) ([]byte, error) {
	for range mostRounds {
		if mapped.Open == 0 || len(mapped.Ready) == 0 {
			break
		}
		answers = append(answers, mapped.Ready...)
		mapped = by.Map(ctx, answers)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case mapped.Open > 0 || mapped.Text == "":
		f.of, f.Open, f.Words = "", max(1, mapped.Open), ""
	case mapped.Text+edited != f.of:
		session, err := by.Read(ctx, mapped.Text)
		if err != nil {
			return nil, err
		}
		defer func() { _ = session.Close() }() // its file has no name, and goes with it
		read, invalid, err := session.Summary(ctx)
		if err != nil {
			return nil, err
		}
		f.of, f.Open, f.Read, f.Invalid, f.Words = mapped.Text+edited, 0, read, invalid, foretold(read, invalid)
	}
	return json.Marshal(f)
}

// foretold puts into words what the rows would come to.
func foretold(read, invalid int) string {
	if invalid == 0 {
		return "With all taken: no mistake in " + report.Count(read, "row")
	}
	return "With all taken: " + report.Number(invalid) + " of " + report.Count(read, "row") + " with mistakes"
}
