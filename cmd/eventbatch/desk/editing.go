package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Editing is how the page edits its file.
type Editing struct {
	Edits *Edits // nil where the page edits nothing
	Copy  string // the copy of the file with the edits
	// Mend writes the copy by a file of edits, read by a mapping, or as it is where that is empty.
	Mend func(ctx context.Context, edits, mapping string) error
	// Line returns the command line that writes the copy by a file of edits, Checking the one that checks the copy in the
	// place of the file.
	Line     func(edits string) string
	Checking func(command string) string
}

// stateEdits returns what became of the file. The caller says how it is read.
func (d *reading) stateEdits() *StateEdits {
	e := d.Editing.Edits
	if e == nil {
		return nil
	}
	s := &StateEdits{
		Copy: filepath.Base(d.Editing.Copy), Written: d.mendedBy == d.edited(), Command: d.Editing.Line(e.name()),
		Changed: d.changed,
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if s.Cells = e.differ; e.why != nil && !errors.Is(e.why, errUnread) {
		s.Why = e.why.Error()
	}
	return s
}

// edited names what the copy holds: so many steps over one version of the file, read by one mapping.
func (d *reading) edited() string {
	e := d.Editing.Edits
	e.mu.RLock()
	defer e.mu.RUnlock()
	return fmt.Sprintf("%s %d", e.sum, len(e.steps))
}

// change is what is posted: cells, or one rule over many.
type change struct {
	Generation int          `json:"generation"`
	Cells      []fix.Change `json:"cells"`
	// Rule is done to the cells of a kind of mistakes: proposals, value; to their rows, or to the rows of a sheet: skip; to a
	// block of cells in the rows of a sheet: fill by the value, paste the block that it is.
	Rule    string `json:"rule"`
	Group   *int   `json:"group"`
	Sheet   string `json:"sheet"`
	Rows    []int  `json:"rows"`
	Column  int    `json:"column"` // from 0
	Columns int    `json:"columns"`
	Marked  int    `json:"marked"` // of the rows: one text goes into so many
	Value   string `json:"value"`
}

// rules are what is done, in the words of the history.
var rules = map[string]string{
	"": "typed", "proposals": "as proposed", "value": "one value for all", "skip": "left out", "fill": "filled", "paste": "pasted",
}

// changed is what an edit, or the taking back of one, has done.
type changed struct {
	Generation int         `json:"generation"`
	Step       int         `json:"step"`  // 0: nothing was changed
	Cells      int         `json:"cells"` // that were changed
	Words      string      `json:"words"`
	Checked    bool        `json:"checked"` // the rows are, each by itself
	Rows       []WindowRow `json:"rows"`    // as they are now
	Sheets     []string    `json:"sheets"`  // of the rows
	With       []int       `json:"with"`    // steps that would go with it: they have to be said first
}

// unchanged is the answer to a step that was not done.
func (d *reading) unchanged(s *fix.Step, words string) changed {
	return changed{
		Generation: d.generation, Cells: len(s.Cells), Words: words, Rows: []WindowRow{}, Sheets: []string{}, With: []int{},
	}
}

// edit takes an edit. Its rows are checked at once where they can be, and the whole file behind it.
func (d *reading) edit(w http.ResponseWriter, r *http.Request) error {
	var said change
	if err := body(r, &said); err != nil {
		return err
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	if said.Generation != d.generation {
		return errMoved
	}
	if err := d.current.wait(r.Context()); err != nil {
		return err
	}
	step := fix.Step{Rule: rules[said.Rule]}
	var err error
	if step.Cells, err = d.changesOf(r.Context(), &said); err != nil {
		return err
	}
	return d.do(w, r, step)
}

// do has a step be done, and answers with what it did.
func (d *reading) do(w http.ResponseWriter, r *http.Request, step fix.Step) error {
	answer := d.unchanged(&step, "all was so already")
	if len(step.Cells) == 0 {
		return writeJSON(w, answer)
	}
	e := d.Editing.Edits
	e.mu.Lock()
	number, err := e.append(step)
	e.mu.Unlock()
	if err != nil {
		return refuse(http.StatusConflict, "nothing was changed: "+err.Error())
	}
	d.reads.Lock()
	d.generation++
	answer.Generation, answer.Step = d.generation, number
	answer.Checked, err = d.current.again(d.ctx, step.Cells, func(name string, row WindowRow) {
		if len(answer.Rows) < mostWindow {
			answer.Rows, answer.Sheets = append(answer.Rows, row), append(answer.Sheets, name)
		}
	})
	d.reads.Unlock()
	d.readBehind()
	if err != nil {
		return err
	}
	answer.Words = became(&step, answer.Rows)
	return writeJSON(w, answer)
}

// became says what was made of cells.
func became(s *fix.Step, rows []WindowRow) string {
	cells := report.Count(len(s.Cells), "cell")
	switch {
	case s.Back > 0:
		return cells + " " + s.Rule
	case s.Rule == rules["skip"]:
		skip := func(c fix.Change) bool { return c.After != schema.Skip.String() } // the header of a new column is not
		return report.Count(len(slices.DeleteFunc(slices.Clone(s.Cells), skip)), "row") + " left out"
	case len(s.Cells) > 1:
		return cells + " changed"
	}
	row, column, _ := s.Cells[0].Place()
	for i := range rows {
		for _, text := range rows[i].Problems {
			var p schema.FlatProblem
			if rows[i].Row != row || json.Unmarshal(text, &p) != nil {
				continue
			}
			if p.Column == schema.ColumnName(column) && *p.Severity == schema.Error {
				return s.Cells[0].Cell + ": " + p.Message
			}
		}
	}
	return s.Cells[0].Cell + " is right now"
}

// undo takes a step back: one of the history, or the last that is not taken back; forth, the one that was last taken back is
// done again. Where later steps have changed its cells, they are named first.
func (d *reading) undo(w http.ResponseWriter, r *http.Request) error {
	var said struct {
		Generation int   `json:"generation"`
		Step       int   `json:"step"` // 0: the last
		Forth      bool  `json:"forth"`
		With       []int `json:"with"` // later steps that go with it
	}
	if err := body(r, &said); err != nil {
		return err
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	if said.Generation != d.generation {
		return errMoved
	}
	if err := d.current.wait(r.Context()); err != nil {
		return err
	}
	e := d.Editing.Edits
	e.mu.RLock()
	if said.Step == 0 {
		said.Step = e.lastOf(said.Forth)
	}
	step, with := e.back(said.Step)
	asks := d.unchanged(&step, "later steps have changed the same cells, and go with it there")
	for _, n := range with {
		if !slices.Contains(said.With, n) {
			asks.With = append(asks.With, n)
			asks.Words += "; " + e.text(n)
		}
	}
	e.mu.RUnlock()
	switch {
	case len(step.Cells) == 0:
		return refuse(http.StatusConflict, "there is nothing to be taken back")
	case len(asks.With) > 0:
		return writeJSON(w, asks)
	}
	return d.do(w, r, step)
}

// past is a step of the history.
type past struct {
	Step int    `json:"step"`
	Text string `json:"text"`
	Rule string `json:"rule"`
	Time string `json:"time"`
	Good int    `json:"good"` // of its cells, those that no other step has taken back
}

// mostPast is how many steps of the history are shown.
const mostPast = 500

// history answers with what was done, the newest first, and what of it no longer fits.
func (d *reading) history(w http.ResponseWriter, r *http.Request) error {
	return d.read(r, func(s *Session) error {
		if err := s.wait(r.Context()); err != nil {
			return err
		}
		e := d.Editing.Edits
		answer := struct {
			Format  string   `json:"format"`
			Steps   []past   `json:"steps"`
			Total   int      `json:"total"`
			Cells   int      `json:"cells"`
			Misfits []misfit `json:"misfits"`
		}{Format: "eventbatch/history/1", Steps: []past{}}
		net := e.net()
		e.mu.RLock()
		defer e.mu.RUnlock()
		good := e.good()
		answer.Total, answer.Cells = len(e.steps), len(net)
		for n := len(e.steps); n > 0 && len(answer.Steps) < mostPast; n-- {
			s := &e.steps[n-1]
			answer.Steps = append(answer.Steps, past{n, e.text(n), s.Rule, s.At.Local().Format("15:04"), good[n]})
		}
		cells := s.rows.cursor()
		answer.Misfits = e.misfits(net, func(name string, number int) (sheet.Row, bool) {
			x := s.rows.sheets[name]
			if x == nil {
				return sheet.Row{}, false
			}
			i, found := x.find(number)
			if !found {
				return sheet.Row{}, false
			}
			row, err := cells.row(x.cells[i])
			return row, err == nil
		})
		return writeJSON(w, answer)
	})
}

// mostCells is how many cells one step changes.
const mostCells = 200_000

// changesOf returns what an edit changes: cells that hold now what the tab thinks that they do.
func (d *reading) changesOf(ctx context.Context, said *change) ([]fix.Change, error) {
	list, err := said.Cells, error(nil)
	if said.Rule != "" {
		list, err = d.current.changesBy(ctx, said)
	}
	if err != nil {
		return nil, err
	}
	if len(list) > mostCells {
		return nil, refuse(http.StatusRequestEntityTooLarge, "that is more than is done at once")
	}
	cells, dates := d.current.rows.cursor(), d.current.dates()
	changes := make([]fix.Change, 0, len(list))
	seen := map[string]bool{}
	for _, c := range list {
		number, column, ok := c.Place()
		x := d.current.rows.sheets[c.Sheet]
		if _, known := dates[c.Sheet]; !ok || x == nil || !known || seen[c.Sheet+"!"+c.Cell] {
			return nil, refuse(http.StatusBadRequest, "that is not a cell of the file")
		}
		seen[c.Sheet+"!"+c.Cell] = true
		i, found := x.find(number)
		source := d.current.source(c.Sheet)
		if !found || said.Rule == "" && (number <= source.HeaderRow || column >= len(source.Header)) {
			return nil, refuse(http.StatusBadRequest, c.Cell+" is not a cell of the rows")
		}
		if c.After, ok = writable(c.After); !ok {
			return nil, refuse(http.StatusBadRequest, c.Cell+": no cell can hold that")
		}
		raw, err := cells.row(x.cells[i])
		if err != nil {
			return nil, err
		}
		old := raw.Cell(column)
		if old.Formula || old.Kind == sheet.NoCache {
			return nil, refuse(http.StatusConflict, c.Cell+" holds a formula: change what it is computed of, in the workbook itself")
		}
		d.Editing.Edits.Lay(c.Sheet, &raw)
		now := raw.Cell(column)
		switch holds := fix.Shown(&now, dates[c.Sheet]); {
		case holds != c.Before:
			return nil, refuse(http.StatusConflict, fmt.Sprintf("%s holds %q now", c.Cell, holds))
		case holds != c.After:
			changes = append(changes, fix.Change{Sheet: c.Sheet, Cell: c.Cell, Before: c.Before, After: c.After})
		}
	}
	return changes, nil
}

// writable returns a text as a cell holds it; not ok where none can.
func writable(text string) (string, bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	bad := strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff || r == 0xfffd
	})
	return text, !bad && len(text) < 1<<17 && len(utf16.Encode([]rune(text))) <= 32_767
}

// changesBy returns the cells that a rule changes.
func (s *Session) changesBy(ctx context.Context, said *change) ([]fix.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := map[string][]int32{}
	switch {
	case said.Group == nil:
		x := s.rows.sheets[said.Sheet]
		for _, number := range said.Rows {
			if x == nil {
				break
			}
			if i, found := x.find(number); found {
				rows[said.Sheet] = append(rows[said.Sheet], int32(i))
			}
		}
	case *said.Group >= 0 && *said.Group < len(s.groups.All):
		rows = s.of[*said.Group]
	default:
		return nil, refuse(http.StatusNotFound, "there are no such mistakes")
	}
	var list []fix.Change
	for i := range s.sources {
		source := &s.sources[i]
		if len(rows[source.Sheet]) == 0 {
			continue
		}
		var err error
		switch said.Rule {
		case "fill", "paste":
			list, err = s.block(list, source, rows[source.Sheet], said)
		case "proposals", "value":
			if said.Group == nil {
				return nil, refuse(http.StatusBadRequest, "that is not done to rows")
			}
			list, err = s.mend(ctx, list, source, rows[source.Sheet], said)
		case "skip":
			list, err = s.skip(list, i, rows[source.Sheet])
		default:
			return nil, refuse(http.StatusBadRequest, "there is no such rule")
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// changeOf has a cell of a row hold a text.
func changeOf(source *finding.Source, row *sheet.Row, column int, after string) fix.Change {
	old, place := row.Cell(column), schema.Place{Row: row.Number, Column: column}
	return fix.Change{Sheet: source.Sheet, Cell: place.Cell(), Before: fix.Shown(&old, source.Date1904), After: after}
}

// block has a block of cells hold one text, or the texts that were copied from a spreadsheet. What reaches over the right is
// left.
func (s *Session) block(list []fix.Change, source *finding.Source, rows []int32, said *change) ([]fix.Change, error) {
	texts := [][]string{{said.Value}}
	if said.Rule == "paste" {
		texts = pasted(said.Value)
	}
	if len(texts) == 1 && len(texts[0]) == 1 {
		row := slices.Repeat(texts[0], min(max(said.Columns, 1), len(source.Header)))
		texts = slices.Repeat([][]string{row}, min(max(said.Marked, 1), len(rows)))
	}
	x, cells := s.rows.sheets[source.Sheet], s.rows.cursor()
	for k, i := range rows[:min(len(rows), len(texts))] {
		row, err := s.row(cells, source.Sheet, x.cells[i])
		if err != nil {
			return nil, err
		}
		for n, after := range texts[k] {
			if said.Column < 0 || said.Column+n >= len(source.Header) {
				break
			}
			list = append(list, changeOf(source, &row, said.Column+n, after))
		}
	}
	return list, nil
}

// pasted parts what a spreadsheet gives to be pasted into rows and cells.
func pasted(text string) (block [][]string) {
	text = strings.TrimSuffix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	row := []string{}
	for {
		cell := ""
		if quoted, rest, ok := unquoted(text); ok {
			cell, text = quoted, rest
		} else if end := strings.IndexAny(text, "\t\n"); end >= 0 {
			cell, text = text[:end], text[end:]
		} else {
			cell, text = text, ""
		}
		row = append(row, cell)
		if text == "" || text[0] == '\n' {
			block, row = append(block, row), []string{}
		}
		if text == "" {
			return block
		}
		text = text[1:]
	}
}

// unquoted reads a cell between quotes, as those of several lines are.
func unquoted(text string) (cell, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if strings.HasPrefix(text[i:], `""`) {
			i++
			continue
		}
		rest = text[i+1:]
		return strings.ReplaceAll(text[1:i], `""`, `"`), rest, rest == "" || rest[0] == '\t' || rest[0] == '\n'
	}
	return "", text, false
}

// mend has the cells of a group hold what is proposed for them, or one value.
func (s *Session) mend(
	ctx context.Context, list []fix.Change, source *finding.Source, rows []int32, said *change,
) ([]fix.Change, error) {
	of := s.groups.All[*said.Group].First.Flat()
	x, cells, findings := s.rows.sheets[source.Sheet], s.rows.cursor(), s.rows.cursor()
	for n, i := range rows {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := s.row(cells, source.Sheet, x.cells[i])
		if err != nil {
			return nil, err
		}
		told, err := findings.said(x.told[i])
		if err != nil {
			return nil, err
		}
		seen := map[int]bool{}
		for _, one := range told {
			var problems []schema.FlatProblem
			if len(one.Problems) > 0 {
				if err := json.Unmarshal(one.Problems, &problems); err != nil {
					return nil, err
				}
			}
			for k := range problems {
				p := &problems[k]
				column, at := schema.ColumnIndex(p.Column)
				if p.Code != of.Code || p.Field != of.Field || p.Column != of.Column || !at || seen[column] {
					continue
				}
				after := said.Value
				if said.Rule == "proposals" {
					after = p.Proposal
				}
				if said.Rule == "proposals" && after == "" {
					continue
				}
				seen[column] = true
				list = append(list, changeOf(source, &row, column, after))
			}
		}
	}
	return list, nil
}

// skip gives rows the action SKIP, in a new column where the sheet has none.
func (s *Session) skip(list []fix.Change, source int, rows []int32) ([]fix.Change, error) {
	if s.kept == nil {
		return nil, refuse(http.StatusConflict, "the file cannot be read so far")
	}
	of := &s.sources[source]
	column, adds, err := s.kept.ActionColumn(source)
	if err != nil {
		return nil, refuse(http.StatusConflict, "the rows cannot be left out: "+err.Error())
	}
	x, cells := s.rows.sheets[of.Sheet], s.rows.cursor()
	put := func(i int, after string) error {
		row, err := s.row(cells, of.Sheet, x.cells[i])
		if err != nil {
			return err
		}
		list = append(list, changeOf(of, &row, column, after))
		return nil
	}
	if header, found := x.find(of.HeaderRow); adds && found {
		if err := put(header, "action"); err != nil {
			return nil, err
		}
	}
	for _, i := range rows {
		if err := put(int(i), schema.Skip.String()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// again checks the rows of cells that were changed, each by itself, and tells of each what it is now. It reports false where
// only a reading of the whole file can say so: what was said of the rows stays as it was until then.
func (s *Session) again(ctx context.Context, changes []fix.Change, each func(name string, row WindowRow)) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.views) // a search may find other rows
	s.events = nil
	cells, all := s.rows.cursor(), s.kept != nil
	for i := range s.sources {
		source := &s.sources[i]
		x, at := s.rows.sheets[source.Sheet], []int{}
		for k := range changes {
			number, column, _ := changes[k].Place()
			if changes[k].Sheet != source.Sheet {
				continue
			}
			n, found := x.find(number)
			if !found || x.verdict(n) == untold || number <= source.HeaderRow || column >= len(source.Header) {
				all = false // it may be something else now: a heading, an event, a column
			}
			if found && number > source.HeaderRow {
				at = append(at, n)
			}
		}
		slices.Sort(at)
		at = slices.Compact(at)
		rows := make([]sheet.Row, 0, len(at))
		for _, n := range at {
			row, err := s.row(cells, source.Sheet, x.cells[n])
			if err != nil {
				return false, err
			}
			rows = append(rows, row)
		}
		if len(rows) == 0 {
			continue
		}
		if all {
			var err error
			if all, err = s.againOf(ctx, i, rows, at); err != nil {
				return false, err
			}
		}
		findings := s.rows.cursor()
		for k, n := range at {
			row, err := windowRow(&rows[k], source.Date1904, x.kept(n), findings)
			if err != nil {
				return false, err
			}
			each(source.Sheet, row)
		}
	}
	return all, nil
}

// againOf checks rows of one sheet, in their order.
func (s *Session) againOf(ctx context.Context, source int, rows []sheet.Row, at []int) (bool, error) {
	name := s.sources[source].Sheet
	x := s.rows.sheets[name]
	type word struct {
		number int
		verdict
		*told
	}
	var words []word
	var failed error
	if !s.kept.Again(ctx, source, rows, func(row *finding.Row) {
		v, what, err := say(row)
		failed = errors.Join(failed, err)
		words = append(words, word{row.Number, v, what})
	}) {
		return false, nil
	}
	wrongs := 0
	for _, i := range at {
		if x.verdict(i) == wrong {
			wrongs--
		}
		s.rows.retell(x, i)
	}
	for _, w := range words {
		_, err := s.rows.tell(name, w.number, w.verdict, w.told)
		failed = errors.Join(failed, err)
	}
	failed = errors.Join(failed, s.rows.flush())
	for _, i := range at {
		if x.verdict(i) == wrong {
			wrongs++
		}
	}
	for i := range s.totals {
		switch s.totals[i].Word {
		case "invalid":
			s.totals[i].Rows += wrongs
		case "valid":
			s.totals[i].Rows -= wrongs
		}
	}
	return true, failed
}

// behind is a reading of the whole file behind what was edited.
type behind struct {
	stop context.CancelFunc
	done chan struct{}
}

// together is how long after an edit the whole file is read: further ones are taken together with it.
const together = 150 * time.Millisecond

// readBehind begins a reading of the whole file, in the place of one that is under way. The caller says how it is read.
func (d *reading) readBehind() {
	if d.behind != nil {
		d.behind.stop()
	}
	ctx, stop := context.WithCancel(d.ctx)
	b := &behind{stop, make(chan struct{})}
	d.behind = b
	d.behinds.Go(func() {
		defer close(b.done)
		defer stop()
		select {
		case <-time.After(together):
			d.readWhole(ctx, b)
		case <-ctx.Done():
		}
	})
}

// readWhole reads the whole file, and puts what it says in the place of what was said before.
func (d *reading) readWhole(ctx context.Context, b *behind) {
	d.answering.Lock()
	by := d.by
	d.answering.Unlock()
	reading, stop := context.WithCancel(d.ctx) // it goes on once it stands for the file
	defer context.AfterFunc(ctx, stop)()
	session, err := d.Mapping.Read(reading, by)
	if err == nil {
		err = session.wait(reading)
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	ours := d.behind == b && ctx.Err() == nil
	if ours {
		d.behind = nil
		// Without its sheets, the file is not what it was: what was said of the rows stays.
		d.changed = err != nil || len(session.sources) == 0 && len(d.current.sources) > 0
	}
	if !ours || d.changed {
		stop()
		if session != nil {
			_ = session.Close() // its files have no names, and go with it
		}
		return
	}
	d.reads.Lock()
	defer d.reads.Unlock()
	d.stop()
	_ = d.current.Close() // likewise
	d.current, d.stop = session, stop
}

// settled waits until the whole file was read behind what was edited.
func (d *reading) settled(ctx context.Context) error {
	for {
		d.answering.Lock()
		b := d.behind
		d.answering.Unlock()
		if b == nil {
			return nil
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if d.ctx.Err() != nil {
			return d.ctx.Err()
		}
	}
}

// mended returns a copy of the file that has the edits, which it writes where it is not there; the file itself where
// there are none. The caller says how it is read.
func (d *reading) mended(ctx context.Context) (path string, err error) {
	e := d.Editing.Edits
	if e == nil || !e.Any() {
		return d.File, nil
	}
	copied := d.Editing.Copy
	_, err = os.Lstat(copied)
	there := err == nil
	if there && !e.isOurs(copied) {
		return "", refuse(http.StatusConflict, filepath.Base(copied)+
			" is there, and not as this page wrote it: nothing was written; move it away first")
	}
	if there && d.mendedBy == d.edited() {
		return copied, nil
	}
	if there {
		if err := os.Remove(copied); err != nil {
			return "", err
		}
	}
	if err := d.Editing.Mend(ctx, e.name(), d.by); err != nil {
		return "", refuse(http.StatusInsufficientStorage, "the copy was not written: "+err.Error())
	}
	if err := e.wrote(copied); err != nil {
		return "", refuse(http.StatusInsufficientStorage, "the copy was not written: "+err.Error())
	}
	d.mendedBy = d.edited()
	return copied, nil
}

// mend writes the copy of the file, over nothing but what the page wrote itself.
func (d *reading) mend(w http.ResponseWriter, r *http.Request) error {
	return d.done(w, r, func(ctx context.Context) error {
		_, err := d.mended(ctx)
		return err
	})
}

// savedSince tells whether the file was saved since it was read, and how many edits fit it as it is now.
func (d *reading) savedSince(w http.ResponseWriter, r *http.Request) error {
	var answer struct {
		Changed bool   `json:"changed"`
		Fit     int    `json:"fit"`
		Of      int    `json:"of"`
		Words   string `json:"words"`
	}
	var err error
	if answer.Changed = d.Editing.Edits.changed(r.Context()); answer.Changed {
		answer.Fit, answer.Of, err = d.Editing.Edits.Fits(r.Context())
	}
	if err != nil {
		return refuse(http.StatusConflict, err.Error())
	}
	if answer.Words = "The file has been saved since: read it again?"; answer.Of > 0 {
		answer.Words += fmt.Sprintf(" %d of %s fit.", answer.Fit, report.Count(answer.Of, "edit"))
	}
	return writeJSON(w, answer)
}

// readAnew reads the file as it was saved.
func (d *reading) readAnew(w http.ResponseWriter, r *http.Request) error {
	return d.done(w, r, func(ctx context.Context) error {
		d.changed = false
		d.Editing.Edits.Open(ctx)
		d.known = Mapped{}
		return d.readBy(d.by, true)
	})
}
