package desk

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/sheet"
)

// View is some rows of a sheet.
type View struct {
	Sheet int    // index in State.Sheets
	Of    string // all, wrong, left (out), group, search, shape, cells, failed or events
	Group int    // index in the groups of the document
	// Text is what a cell has, in small letters; of a shape one of its cells; of cells their texts; or the rows that a run has
	// failed at, by sheet and number, a line each.
	Text string
	But  string // texts of a shape that are read otherwise
	In   string // header of the column with these cells or with cells of a shape; of a group its kind
	Also string // numbers of rows that stay among those with mistakes, or of a kind of them, though they were mended
}

// Window is some rows of a view.
type Window struct {
	Format string      `json:"format"`
	Total  int         `json:"total"`
	From   int         `json:"from"`
	Rows   []WindowRow `json:"rows"`
}

// WindowRow is one row of it.
type WindowRow struct {
	Row      int               `json:"row"`
	Sheet    string            `json:"sheet,omitempty"` // of an event
	State    string            `json:"state"`           // valid, invalid, skipped or left-out
	Cells    []string          `json:"cells"`
	Problems []json.RawMessage `json:"problems"`
	Reason   string            `json:"reason"`
	May      string            `json:"may"`  // skip or in: the rule by which it is left out, or taken in again; empty: neither
	Read     []string          `json:"read"` // as which events, in words
}

// states are the verdicts in words.
var states = map[verdict]string{untold: "left-out", good: "valid", skipped: "skipped", wrong: "invalid"}

// below returns the rows of a sheet below its header.
func (f *found) below(source *plan.Sheet) []int32 {
	x := f.rows.sheets[source.Sheet]
	if x == nil {
		return nil
	}
	first := x.below(source.Row)
	rows := make([]int32, 0, len(x.marks)-first)
	for i := first; i < len(x.marks); i++ {
		rows = append(rows, int32(i))
	}
	return rows
}

// view returns the rows of a view, which are found once.
func (f *found) view(ctx context.Context, v View) (*plan.Sheet, []int32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.Sheet >= len(f.sources) {
		return nil, nil, refuse(http.StatusNotFound, "there is no such sheet")
	}
	source := &f.sources[v.Sheet]
	if rows, known := f.views[v]; known {
		return source, rows, nil
	}
	rows, x := f.below(source), f.rows.sheets[source.Sheet]
	var err error
	switch v.Of {
	case "wrong":
		rows = x.also(slices.DeleteFunc(rows, func(i int32) bool { return x.verdict(int(i)) != wrong }), v.Also)
	case "left":
		rows = slices.DeleteFunc(rows, func(i int32) bool { v := x.verdict(int(i)); return v != untold && v != skipped })
	case "group":
		rows = x.also(f.of[f.group(v)][source.Sheet], v.Also)
	case "search":
		rows, err = f.search(ctx, source, rows, func(cells []string) bool {
			return slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(strings.ToLower(cell), v.Text) })
		})
	case "shape", "cells":
		own, but := strings.Split(v.Text, "\x00"), strings.Split(v.But, "\x00")
		at, shape := slices.Index(source.Header, v.In), reads.Shape(own[0])
		rows, err = f.search(ctx, source, rows, func(cells []string) bool {
			if at < 0 || at >= len(cells) || cells[at] == "" {
				return false
			}
			text := strings.ToLower(cells[at])
			if v.Of == "cells" {
				return slices.Contains(own, text)
			}
			return reads.Shape(text) == shape && !slices.Contains(but, text)
		})
	case "failed":
		rows = nil
		for line := range strings.SplitSeq(v.Text, "\n") {
			name, number, _ := strings.Cut(line, "\x00")
			if n, err := strconv.Atoi(number); err == nil && name == source.Sheet {
				if i, found := x.find(n); found {
					rows = append(rows, int32(i))
				}
			}
		}
	case "all":
	default:
		return nil, nil, refuse(http.StatusBadRequest, "there is no such view")
	}
	if err != nil {
		return nil, nil, err
	}
	if len(f.views) > 8 { // a search a letter
		clear(f.views)
	}
	f.views[v] = rows
	return source, rows, nil
}

// also adds rows to others, by their numbers.
func (x *index) also(rows []int32, numbers string) []int32 {
	if x == nil || numbers == "" {
		return rows
	}
	rows = slices.Clone(rows)
	for number := range strings.SplitSeq(numbers, ",") {
		if n, err := strconv.Atoi(number); err == nil {
			if i, found := x.find(n); found {
				rows = append(rows, int32(i))
			}
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// search returns the rows whose cells are wanted.
func (f *found) search(
	ctx context.Context, source *plan.Sheet, rows []int32, wanted func(cells []string) bool,
) (found []int32, err error) {
	err = f.walk(ctx, source.Sheet, rows, func(i int32, row *sheet.Row) error {
		if wanted(shown(row, source.Date1904)) {
			found = append(found, i)
		}
		return nil
	})
	return found, err
}

// windowFormat names a Window, which is no document of a command.
const windowFormat = "eventbatch/window/1"

// window returns where some rows of a view are, and how many there are. While the file is still read, the rows of a sheet are
// those so far.
func (s *Session) window(ctx context.Context, v View, from, n int) (source *plan.Sheet, rows []kept, total int, err error) {
	select {
	case <-s.ended:
	case <-s.done:
	default:
		s.mu.Lock()
		if v.Of == "all" && v.Sheet < len(s.sources) {
			source = new(s.sources[v.Sheet])
		}
		s.mu.Unlock()
		if source != nil {
			rows, total, err = s.rows.part(source.Sheet, source.Row, from, n)
			return source, rows, total, err
		}
	}
	if err := s.wait(ctx); err != nil {
		return nil, nil, 0, err
	}
	source, found, err := s.view(ctx, v)
	if err != nil {
		return nil, nil, 0, err
	}
	total = len(found)
	x := s.rows.sheets[source.Sheet]
	for _, i := range found[min(from, total):min(from+n, total)] {
		rows = append(rows, x.kept(int(i)))
	}
	return source, rows, total, nil
}

// Window returns some rows of a view.
func (s *Session) Window(ctx context.Context, v View, from, n int) (*Window, error) {
	if v.Of == "events" {
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
		return calendar{&s.found}.window(ctx, v.Text, from, n)
	}
	source, rows, total, err := s.window(ctx, v, from, n)
	if err != nil {
		return nil, err
	}
	w := &Window{Format: windowFormat, Total: total, From: min(from, total), Rows: []WindowRow{}}
	cells, findings, may := s.rows.cursor(), s.rows.cursor(), s.may(v.Sheet)
	var room room
	for _, kept := range rows {
		row, err := s.row(cells, source.Sheet, kept.cells)
		if err != nil {
			return nil, err
		}
		out, err := windowRow(&row, source.Date1904, kept, findings)
		if err != nil {
			return nil, err
		}
		switch {
		case out.State != states[untold]:
		case s.edits.leaves(source.Sheet, row.Number):
			out.Reason = "you have left it out"
		case s.over():
			out.Reason = "it is no event"
		}
		out.May = may(&row, out.State)
		if !room.takes(out.size()) {
			break
		}
		w.Rows = append(w.Rows, out)
	}
	return w, nil
}

// failed has the rows of a sheet say why a run has failed at them.
func (w *Window) failed(sheet string, rows []shownRow) {
	for i := range w.Rows {
		at := slices.IndexFunc(rows, func(r shownRow) bool { return r.Sheet == sheet && r.Row == w.Rows[i].Row })
		if at >= 0 {
			w.Rows[i].Reason = rows[at].why()
		}
	}
}

// mistake returns where in a view the next row with a mistake stands, in the direction of the step and round the ends: the last
// of them is the row itself. Where there is none, that is behind all.
func (s *Session) mistake(ctx context.Context, v View, from, step int) (int, error) {
	if v.Of == "events" {
		return 1 << 30, nil
	}
	if err := s.wait(ctx); err != nil {
		return 0, err
	}
	source, found, err := s.view(ctx, v)
	if err != nil {
		return 0, err
	}
	total := len(found)
	for n := 1; n <= total; n++ {
		at := ((from+step*n)%total + total) % total
		if s.rows.sheets[source.Sheet].verdict(int(found[at])) == wrong {
			return at, nil
		}
	}
	return total, nil
}

// room is what an answer has taken of mostBytes.
type room struct{ rows, bytes int }

// takes reports whether a row of that size is still answered with. The first always is.
func (r *room) takes(size int) bool {
	r.rows++
	r.bytes += size
	return r.rows == 1 || r.bytes <= mostBytes
}

// size returns how long a row is on its way to a tab.
func (w *WindowRow) size() int {
	text, _ := json.Marshal(w) // a row always is JSON
	return len(text)
}

// mostRead is how many events of a row are told.
const mostRead = 5

// windowRow returns a row with what was said of it.
func windowRow(row *sheet.Row, date1904 bool, at kept, findings *cursor) (WindowRow, error) {
	out := WindowRow{
		Row: row.Number, State: states[at.verdict], Cells: shown(row, date1904), Problems: []json.RawMessage{}, Read: []string{},
	}
	said, err := findings.said(at.told)
	events := 0
	for _, one := range said {
		if out.Reason == "" {
			out.Reason = one.Reason
		}
		if one.Event != nil {
			if events++; events <= mostRead {
				out.Read = append(out.Read, "Read as "+one.Event.Words)
			}
		}
		if len(one.Problems) > 0 {
			var problems []json.RawMessage
			if err := json.Unmarshal(one.Problems, &problems); err != nil {
				return out, err
			}
			out.Problems = append(out.Problems, problems...)
		}
	}
	if more := events - mostRead; more > 0 {
		out.Read = append(out.Read, "and "+report.Count(more, "more event"))
	}
	return out, err
}
