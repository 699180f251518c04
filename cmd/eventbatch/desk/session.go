package desk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// mostWindow is how many rows a tab is given at once, mostBytes how long they are on their way, and MostListed how many
// problems the document of the page lists: its groups count all, and each row comes with its own.
const (
	mostWindow = 500
	mostBytes  = 2 << 20
	MostListed = 1000
)

// Session is one file as it was read, once.
type Session struct {
	found

	done     chan struct{} // closed once the file was read
	document []byte        // of check; once done
	fail     error         // once done; until then for who has mu
}

// NewSession has read read the file: with the session as a sink of what is found, and its Take told of every row. read
// returns the document that check prints. The edits may be nil.
func NewSession(edits *Edits, read func(*Session) []byte) (*Session, error) {
	rows, err := newSpool()
	if err != nil {
		return nil, err
	}
	s := &Session{done: make(chan struct{}), found: found{
		edits: edits, rows: rows, ended: make(chan struct{}), views: map[View][]int32{},
		checked: checked{of: map[int]map[string][]int32{}, parts: map[string]map[int][]int{}},
	}}
	go func() {
		defer close(s.done)
		var text []byte
		caught := panics.Try(func() { text = read(s) })
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.document = text; caught != nil {
			s.fail = caught.AsError()
		}
	}()
	return s, nil
}

// Close waits for the reading, and gives its file back.
func (s *Session) Close() error {
	<-s.done
	if s.kept != nil {
		s.kept.Close()
	}
	return s.rows.close()
}

// Keep takes what reads rows once more, before the End.
func (s *Session) Keep(kept Reader) { s.kept = kept }

// Sum returns the sum of the file that is read, where it is edited.
func (s *Session) Sum(ctx context.Context) string {
	if s.edits == nil {
		return ""
	}
	return s.edits.Sum(ctx)
}

// Without returns the rows of the file that a person has left out.
func (s *Session) Without() (rows mapping.RowSet) {
	for _, row := range s.edits.leftOut() {
		rows = append(rows, mapping.RowRange{First: row.Row, Last: row.Row, Sheet: row.Sheet})
	}
	return rows.Sorted()
}

// Take is told of each row as it is in the file, and lays the edits over it.
func (s *Session) Take(name string, row *sheet.Row) {
	s.rows.take(name, row)
	if s.edits != nil {
		s.edits.Lay(name, row)
	}
}

// Sheet is told of each sheet before its rows are.
func (s *Session) Sheet(sheet *mapping.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources = append(s.sources, plan.Sheet{
		File: sheet.File, Sheet: sheet.Sheet, Header: sheet.Header, Row: sheet.HeaderRow, Date1904: sheet.Date1904,
	})
}

// Row takes what a check says of a row.
func (s *Session) Row(row *finding.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(row)
	v, what, err := say(row)
	if v == skipped {
		if row.Of > 0 {
			s.joined++
		} else {
			s.skipped++
		}
	}
	at, failed := s.rows.tell(row.Sheet, row.Number, v, what)
	s.fail = errors.Join(s.fail, err, failed)
	for i := range row.Problems {
		s.add(&row.Problems[i], row.Sheet, at)
	}
}

// say returns what there is to say of a row.
func say(row *finding.Row) (verdict, *told, error) {
	what, v := &told{}, good
	switch {
	case row.Status == finding.Invalid:
		v = wrong
		if len(row.Problems) == 0 {
			what.Reason = row.Reason
		}
	case row.Reason != "" || row.Action == "skip":
		v, what.Reason = skipped, row.Reason
	}
	if e := &row.Event; e.Name != "" || !e.Start.IsZero() {
		what.Event = &event{Name: e.Name, Zone: e.Zone, Place: e.Place, Seats: e.Seats, Seen: e.Visibility}
		what.Event.times(e)
	}
	var err error
	if len(row.Problems) > 0 {
		flat := make([]schema.FlatProblem, len(row.Problems)) // each would be marshaled twice
		for i := range row.Problems {
			flat[i] = row.Problems[i].Flat()
		}
		what.Problems, err = json.Marshal(flat)
	}
	return v, what, err
}

// Problem takes a problem of the whole file, or of its header.
func (s *Session) Problem(p schema.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(&p, p.Place.Sheet, -1)
}

// End takes what there is to say of the whole.
func (s *Session) End(summary *finding.Summary) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources, s.totals, s.exit = summary.Sources, summary.Totals, summary.Exit
	s.fail = errors.Join(s.fail, s.rows.flush())
	close(s.ended)
	return nil
}

// Checked returns the document of check, which comes after the rows: it says besides what map knows of the file.
func (s *Session) Checked(ctx context.Context) ([]byte, error) {
	select {
	case <-s.done:
		return s.document, s.fail
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Summary returns how many rows were read, and how many of them are invalid, once the file was read.
func (s *Session) Summary(ctx context.Context) (read, invalid int, err error) {
	if err := s.wait(ctx); err != nil {
		return 0, 0, err
	}
	return s.read, s.totals.Of("invalid"), nil
}

func (s *Session) wait(ctx context.Context) error {
	select {
	case <-s.ended:
	case <-s.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fail
}
