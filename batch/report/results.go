package report

import (
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/sheet"
)

// result is what stands behind a row's own cells in the results.
type result struct {
	Row     int    `csv:"_row"`
	Sheet   string `csv:"_sheet"`
	Action  string `csv:"_action"`
	Status  Status `csv:"_status"`
	EventID string `csv:"_event_id"`
	URL     string `csv:"_url"`
	Error   string `csv:"_error"`
	Field   string `csv:"_field"`
	At      string `csv:"_at"`
}

// Results is what the results of a run are written from.
type Results struct {
	Header   plan.Header
	Ops      iter.Seq2[*plan.Op, error]
	Outcomes Outcomes
	SiteURL  string // of the event pages; empty where it is not known
}

// Write writes the results as CSV: the input's own columns, unchanged and in
// order, then what became of the row. Rows are joined by the plan, which holds
// their cells and their physical place, never by position in a file.
func (r *Results) Write(w io.Writer) error {
	merged, sheets := merge(r.Header.Sources), sheetNames(r.Header.Sources)
	var failed error
	err := sheet.WriteResults(w, merged.header, func(yield func([]string, result) bool) {
		for op, err := range r.Ops {
			if err != nil {
				failed = err
				return
			}
			if !yield(merged.cells(op), r.of(op, sheets)) {
				return
			}
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// WriteFile replaces a file by the results.
func (r *Results) WriteFile(path string) error { return sheet.ReplaceFile(path, 0o600, r.Write) }

func (r *Results) of(op *plan.Op, sheets []string) result {
	out := r.Outcomes.Of(op)
	res := result{
		Row: op.Row.Number, Action: string(op.Action), Status: out.Status,
		EventID: printable.Clean(out.EventID), Error: printable.Clean(out.Error), Field: printable.Clean(out.Field),
		Sheet: printable.Clean(sheets[op.Row.Source]),
	}
	if r.SiteURL != "" && op.Event.Slug != "" && out.EventID != "" && out.Status != Cancelled {
		res.URL = strings.TrimRight(r.SiteURL, "/") + "/" + op.Event.Slug
	}
	if !out.At.IsZero() {
		res.At = out.At.UTC().Format(time.RFC3339)
	}
	return res
}

// sheetNames names each source in the column _sheet: by its sheet, and by its file
// where there are several.
func sheetNames(sources []plan.Source) []string {
	paths := make([]string, len(sources))
	for i := range sources {
		paths[i] = sources[i].File
	}
	files := finding.Names(paths)
	several := slices.ContainsFunc(sources, func(s plan.Source) bool { return s.File != sources[0].File })
	names := make([]string, len(sources))
	for i, s := range sources {
		switch {
		case !several:
			names[i] = s.Sheet
		case s.Sheet == "":
			names[i] = files[i]
		default:
			names[i] = files[i] + ":" + s.Sheet
		}
	}
	return names
}

// columns are the columns of all sources side by side: those of the first, then
// what others have besides.
type columns struct {
	header []string
	place  [][]int // by source: where each of its columns went
}

func merge(sources []plan.Source) *columns {
	c := &columns{}
	for _, s := range sources {
		taken := make([]bool, len(c.header))
		place := make([]int, len(s.Header))
		for i, name := range s.Header {
			at := slices.IndexFunc(c.header, func(have string) bool { return have == name })
			for at >= 0 && taken[at] { // a header may name two columns alike
				next := slices.Index(c.header[at+1:], name)
				if next < 0 {
					at = -1
					break
				}
				at += 1 + next
			}
			if at < 0 {
				at = len(c.header)
				c.header, taken = append(c.header, name), append(taken, false)
			}
			taken[at] = true
			place[i] = at
		}
		c.place = append(c.place, place)
	}
	return c
}

// cells puts a row's cells under the columns of the results.
func (c *columns) cells(op *plan.Op) []string {
	cells := make([]string, len(c.header))
	for i, text := range op.Cells {
		if place := c.place[op.Row.Source]; i < len(place) {
			cells[place[i]] = text
		}
	}
	return cells
}
