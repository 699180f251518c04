package desk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// mostWindow is how many rows a tab is given at once, and MostListed how many problems the document of the page lists:
// its groups count all, and each row comes with its own.
const (
	mostWindow = 500
	MostListed = 1000
)

// Session is one file as it was read, once.
type Session struct {
	edits    *Edits // that are laid over the rows; nil where nothing is edited
	rows     *spool
	ended    chan struct{} // closed once all rows were told
	done     chan struct{} // closed once the file was read
	document []byte        // of check; once done
	fail     error         // once done

	mu      sync.Mutex
	read    int
	groups  finding.Groups
	of      map[int]map[string][]int32 // rows of each group, by sheet
	sources []finding.Source
	totals  finding.Totals
	exit    finding.Exit
	views   map[View][]int32
	events  []entry // all, in the order of their starts; nil until they are asked for
	kept    Reader
}

// Reader reads rows of a file once more than they were read by it, with other cells.
type Reader interface {
	// Again tells each of what rows of a source are. It reports false where a row cannot be read without the others.
	Again(ctx context.Context, source int, rows []sheet.Row, each func(*finding.Row)) bool
	// ActionColumn returns the column in which a row says what it does, and whether that is a new one.
	ActionColumn(source int) (column int, adds bool, err error)
	Close()
}

// NewSession has read read the file: with the session as a sink of what is found, and its Take told of every row. read
// returns the document that check prints. The edits may be nil.
func NewSession(edits *Edits, read func(*Session) []byte) (*Session, error) {
	rows, err := newSpool()
	if err != nil {
		return nil, err
	}
	s := &Session{
		edits: edits, rows: rows, ended: make(chan struct{}), done: make(chan struct{}),
		of: map[int]map[string][]int32{}, views: map[View][]int32{},
	}
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
	s.sources = append(s.sources, finding.Source{
		File: sheet.File, Sheet: sheet.Sheet, Header: sheet.Header, HeaderRow: sheet.HeaderRow, Date1904: sheet.Date1904,
	})
}

// Row takes what a check says of a row.
func (s *Session) Row(row *finding.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read++
	v, what, err := say(row)
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
		what.Problems, err = json.Marshal(row.Problems)
	}
	return v, what, err
}

// Problem takes a problem of the whole file, or of its header.
func (s *Session) Problem(p schema.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(&p, p.Place.Sheet, -1)
}

func (s *Session) add(p *schema.Problem, name string, row int) {
	g := s.groups.Add(p)
	if row < 0 {
		return
	}
	if s.of[g.Index] == nil {
		s.of[g.Index] = map[string][]int32{}
	}
	if list := s.of[g.Index][name]; len(list) == 0 || list[len(list)-1] != int32(row) {
		s.of[g.Index][name] = append(list, int32(row))
	}
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
	for _, total := range s.totals {
		if total.Word == "invalid" {
			invalid = total.Rows
		}
	}
	return s.read, invalid, nil
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

// State is what the page is about, and how far its file was read.
type State struct {
	Format  string            `json:"format"`
	File    string            `json:"file"` // empty where the page is about no file
	Command string            `json:"command"`
	Done    bool              `json:"done"`
	Read    int               `json:"read"` // rows so far
	Rows    finding.Totals    `json:"rows"` // once done
	LeftOut int               `json:"left_out"`
	Sheets  []Sheet           `json:"sheets"`
	Words   map[string]string `json:"words"`  // for statuses and actions of rows
	Marked  string            `json:"marked"` // file in which check marks every problem at its cell
	Exit    *finding.Exit     `json:"exit"`   // of the check, once done

	Generation int           `json:"generation"` // counts the answers
	Answers    []Answer      `json:"answers"`
	By         string        `json:"by"`      // mapping that the rows are read by and that the page did not make
	Unread     string        `json:"unread"`  // why the mapping beside the file is not read by
	Mapping    *StateMapping `json:"mapping"` // null where the page answers nothing
	Edits      *StateEdits   `json:"edits"`   // null where the page edits nothing
	Sends      bool          `json:"sends"`   // the page plans, and sends
}

// StateEdits is what became of the file.
type StateEdits struct {
	Cells   int    `json:"cells"` // that hold something else than the file has
	Copy    string `json:"copy"`
	Written bool   `json:"written"` // as the edits are now
	Command string `json:"command"`
	Why     string `json:"why"`     // nothing can be edited; empty where it can
	Changed bool   `json:"changed"` // the file was saved since it was read
}

// Answer is what a person says to a question of map.
type Answer struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

// StateMapping is what became of the answers.
type StateMapping struct {
	File    string `json:"file"`  // that it is saved to
	Reads   bool   `json:"reads"` // the rows are read by it
	Saved   bool   `json:"saved"` // as it is now
	Command string `json:"command"`
}

// stateFormat names a State, which is no document of a command.
const stateFormat = "eventbatch/desk/1"

// Sheet is one sheet whose rows are read.
type Sheet struct {
	Name   string   `json:"name"`
	Header []string `json:"header"`
	Row    int      `json:"row"`  // of the header
	Rows   int      `json:"rows"` // below it; once done
}

// State returns what is known so far.
func (s *Session) State() State {
	state := State{Format: stateFormat, Sheets: []Sheet{}, Rows: finding.Totals{}}
	select {
	case <-s.ended:
		state.Done = true
	case <-s.done:
		state.Done = true
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state.Read = s.read
	if state.Done {
		state.Rows, state.Exit = s.totals, &s.exit
	}
	for i := range s.sources {
		source := &s.sources[i]
		if !state.Done {
			state.Sheets = append(state.Sheets, Sheet{source.Sheet, source.Header, source.HeaderRow, 0})
			continue
		}
		for _, rows := range source.LeftOut {
			state.LeftOut += len(rows)
		}
		below := len(s.below(source))
		state.Sheets = append(state.Sheets, Sheet{source.Sheet, source.Header, source.HeaderRow, below})
	}
	return state
}

// View is some rows of a sheet.
type View struct {
	Sheet int    // index in State.Sheets
	Of    string // all, wrong, left (out), group, search, shape, failed or events
	Group int    // index in the groups of the document
	// Text is what a cell has, in small letters; of a shape one of its cells; or the rows that a run has failed at, by sheet
	// and number, a line each.
	Text string
	In   string // header of the column with cells of a shape
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
	Events   []*event          `json:"events"`
}

// states are the verdicts in words.
var states = map[verdict]string{untold: "left-out", good: "valid", skipped: "skipped", wrong: "invalid"}

// below returns the rows of a sheet below its header.
func (s *Session) below(source *finding.Source) []int32 {
	x := s.rows.sheets[source.Sheet]
	if x == nil {
		return nil
	}
	first := x.below(source.HeaderRow)
	rows := make([]int32, 0, len(x.marks)-first)
	for i := first; i < len(x.marks); i++ {
		rows = append(rows, int32(i))
	}
	return rows
}

// view returns the rows of a view, which are found once.
func (s *Session) view(ctx context.Context, v View) (*finding.Source, []int32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.Sheet >= len(s.sources) {
		return nil, nil, refuse(http.StatusNotFound, "there is no such sheet")
	}
	source := &s.sources[v.Sheet]
	if rows, known := s.views[v]; known {
		return source, rows, nil
	}
	rows, x := s.below(source), s.rows.sheets[source.Sheet]
	var err error
	switch v.Of {
	case "wrong":
		rows = slices.DeleteFunc(rows, func(i int32) bool { return x.verdict(int(i)) != wrong })
	case "left":
		rows = slices.DeleteFunc(rows, func(i int32) bool { v := x.verdict(int(i)); return v != untold && v != skipped })
	case "group":
		rows = s.of[v.Group][source.Sheet]
	case "search":
		rows, err = s.search(ctx, source, rows, func(cells []string) bool {
			return slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(strings.ToLower(cell), v.Text) })
		})
	case "shape":
		at, shape := slices.Index(source.Header, v.In), reads.Shape(v.Text)
		rows, err = s.search(ctx, source, rows, func(cells []string) bool {
			return at >= 0 && at < len(cells) && cells[at] != "" && reads.Shape(cells[at]) == shape
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
	if len(s.views) > 8 { // a search a letter
		clear(s.views)
	}
	s.views[v] = rows
	return source, rows, nil
}

// search returns the rows whose cells are wanted.
func (s *Session) search(
	ctx context.Context, source *finding.Source, rows []int32, wanted func(cells []string) bool,
) (found []int32, err error) {
	x, cells := s.rows.sheets[source.Sheet], s.rows.cursor()
	for n, i := range rows {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := s.row(cells, source.Sheet, x.cells[i])
		if err != nil {
			return nil, err
		}
		if wanted(shown(&row, source.Date1904)) {
			found = append(found, i)
		}
	}
	return found, nil
}

// windowFormat names a Window, which is no document of a command.
const windowFormat = "eventbatch/window/1"

// window returns where some rows of a view are, and how many there are. While the file is still read, the rows of a sheet are
// those so far.
func (s *Session) window(ctx context.Context, v View, from, n int) (source *finding.Source, rows []kept, total int, err error) {
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
			rows, total, err = s.rows.part(source.Sheet, source.HeaderRow, from, n)
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
		return s.calendar(ctx, v.Text, from, n)
	}
	source, rows, total, err := s.window(ctx, v, from, n)
	if err != nil {
		return nil, err
	}
	w := &Window{Format: windowFormat, Total: total, From: min(from, total), Rows: []WindowRow{}}
	cells, findings := s.rows.cursor(), s.rows.cursor()
	for _, kept := range rows {
		row, err := s.row(cells, source.Sheet, kept.cells)
		if err != nil {
			return nil, err
		}
		out, err := windowRow(&row, source.Date1904, kept, findings)
		if err != nil {
			return nil, err
		}
		w.Rows = append(w.Rows, out)
	}
	return w, nil
}

// row returns a row as it is edited.
func (s *Session) row(cells *cursor, name string, at int64) (sheet.Row, error) {
	row, err := cells.row(at)
	if err == nil && s.edits != nil {
		s.edits.Lay(name, &row)
	}
	return row, err
}

// windowRow returns a row with what was said of it.
func windowRow(row *sheet.Row, date1904 bool, at kept, findings *cursor) (WindowRow, error) {
	out := WindowRow{
		Row: row.Number, State: states[at.verdict], Cells: shown(row, date1904), Problems: []json.RawMessage{}, Events: []*event{},
	}
	said, err := findings.said(at.told)
	for _, one := range said {
		if out.Reason == "" {
			out.Reason = one.Reason
		}
		if one.Event != nil {
			out.Events = append(out.Events, one.Event)
		}
		if len(one.Problems) > 0 {
			var problems []json.RawMessage
			if err := json.Unmarshal(one.Problems, &problems); err != nil {
				return out, err
			}
			out.Problems = append(out.Problems, problems...)
		}
	}
	return out, err
}

// dates tells of each sheet whose rows are read whether its dates count from 1904.
func (s *Session) dates() map[string]bool {
	dates := map[string]bool{}
	for i := range s.sources {
		dates[s.sources[i].Sheet] = s.sources[i].Date1904
	}
	return dates
}

// source returns a sheet whose rows are read.
func (s *Session) source(name string) *finding.Source {
	i := slices.IndexFunc(s.sources, func(f finding.Source) bool { return f.Sheet == name })
	if i < 0 {
		return nil
	}
	return &s.sources[i]
}
