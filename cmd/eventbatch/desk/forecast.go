package desk

import (
	"context"
	"net/http"
	"slices"
	"sync"
)

// foreseen is what the rows would come to with what is proposed.
type foreseen struct {
	mu      sync.Mutex // held by whoever reads the file for it
	mapping string
	Open    int `json:"open"` // questions that have no likeliest answer
	Read    int `json:"read"`
	Invalid int `json:"invalid"`
}

// mostRounds is how many times the answers to questions lead to others.
const mostRounds = 4

// forecast answers with how many rows would be wrong if every question were answered as is proposed. The file is read for it by
// the mapping of these answers; nobody waits for that but who has asked.
func (d *reading) forecast(w http.ResponseWriter, r *http.Request) error {
	d.answering.Lock()
	if d.moved(r) {
		d.answering.Unlock()
		return errMoved
	}
	mapped, answers := d.mapped(r.Context()), slices.Clone(d.answers)
	d.answering.Unlock()
	for range mostRounds {
		if mapped.Open == 0 || len(mapped.Ready) == 0 {
			break
		}
		answers = append(answers, mapped.Ready...)
		mapped = d.Mapping.Map(r.Context(), answers)
	}
	f := &d.foreseen
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return err
	}
	switch {
	case mapped.Open > 0 || mapped.Text == "":
		f.mapping, f.Open = "", max(1, mapped.Open)
	case mapped.Text != f.mapping:
		read, invalid, err := d.foresee(r.Context(), mapped.Text)
		if err != nil {
			return err
		}
		f.mapping, f.Open, f.Read, f.Invalid = mapped.Text, 0, read, invalid
	}
	return writeJSON(w, f)
}

// foresee counts the rows as a mapping reads them, and keeps nothing of them.
func (d *reading) foresee(ctx context.Context, mapping string) (read, invalid int, err error) {
	session, err := d.Mapping.Read(ctx, mapping)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = session.Close() }() // its file has no name, and goes with it
	return session.Summary(ctx)
}
