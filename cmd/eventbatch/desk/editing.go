package desk

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
)

// stateEdits returns what became of the file. The caller says how it is read.
func (d *reading) stateEdits() *StateEdits {
	e := d.Editing.Edits
	if e == nil {
		return nil
	}
	mapping := ""
	if d.by != "" && d.by == d.saved.text {
		mapping = d.Mapping.Save
	}
	if d.copyHas == "" && e.Any() { // else nobody asks for a copy
		d.copyHas = e.wrote(d.Editing.Copy)
	}
	s := &StateEdits{
		Copy: filepath.Base(d.Editing.Copy), Written: d.copyHas == d.edited(),
		Command: d.Editing.Line(e.name(), mapping, d.copyHas != ""),
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	s.History, s.out = "History: "+report.Count(e.differ, "cell")+" changed", e.rows-len(e.strange)
	if s.out > 0 {
		s.History += ", " + report.Count(s.out, "row") + " left out"
	}
	if s.Cells = e.differ; e.why != nil && !errors.Is(e.why, errUnread) {
		s.Why = e.why.Error()
	}
	return s
}

// edited names what the copy holds: so many steps over one version of the file.
func (d *reading) edited() string {
	e := d.Editing.Edits
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.version()
}

// change is what is posted: cells, or one rule over many.
type change struct {
	Generation int          `json:"generation"`
	Cells      []fix.Change `json:"cells"`
	// Rule is done to the cells of a kind of mistakes: proposals, value; to their rows, or to the rows of a sheet: skip; to the
	// rows of a sheet from a column on: paste the block of cells that the value is.
	Rule   string `json:"rule"`
	Group  *int   `json:"group"`
	Kind   string `json:"kind"` // the code and the column of the group, as the tab has shown it
	Sheet  string `json:"sheet"`
	Rows   []int  `json:"rows"`
	Column int    `json:"column"` // from 0
	Value  string `json:"value"`
}

// rules are what is done, in the words of the history.
var rules = map[string]string{
	"": "typed", "proposals": "as proposed", "value": "one value for all", "skip": "left out", "in": "taken in again", "paste": "pasted",
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
	// Cells that were typed into say what they held: another tab may have edited others since.
	if since := d.generation; said.Generation > since || said.Generation < since && (said.Rule != "" || said.Generation < d.answered) {
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
	return d.do(w, step)
}

// waitFresh waits until the file was read, and refuses what is done to its rows where it was saved since.
func (d *reading) waitFresh(ctx context.Context) error {
	if err := d.current.wait(ctx); err != nil {
		return err
	}
	return d.refuseStale(ctx)
}

// refuseStale refuses what is done about a file that was saved since it was read.
func (d *reading) refuseStale(ctx context.Context) error {
	if e := d.Editing.Edits; e != nil && e.changed(ctx) {
		return refuse(http.StatusConflict, filepath.Base(d.File)+" is not as it was read: read it again first")
	}
	return nil
}

// do has a step be done, and answers with what it did.
func (d *reading) do(w http.ResponseWriter, step fix.Step) error {
	answer := d.unchanged(&step, "all was so already")
	if len(step.Cells) == 0 {
		return writeJSON(w, answer)
	}
	before, err := d.current.mistakeAt(&step.Cells[0])
	if err != nil {
		return err
	}
	e := d.Editing.Edits
	e.mu.Lock()
	number, err := e.append(step)
	e.mu.Unlock()
	if err != nil {
		return refuse(http.StatusConflict, "nothing was changed: "+err.Error())
	}
	d.known = Mapped{} // other cells may be asked about
	d.reads.Lock()
	d.generation++
	answer.Generation, answer.Step = d.generation, number
	var room room
	answer.Checked, err = recheck{&d.current.found}.again(d.ctx, step.Cells, func(name string, row WindowRow) {
		if len(answer.Rows) < mostWindow && room.takes(row.size()) {
			answer.Rows, answer.Sheets = append(answer.Rows, row), append(answer.Sheets, name)
		}
	})
	d.reads.Unlock()
	d.readBehind()
	after, unread := d.current.mistakeAt(&step.Cells[0])
	if err := errors.Join(err, unread); err != nil {
		return err
	}
	if !answer.Checked {
		before, after = "", "" // nobody knows so far
	}
	answer.Words = became(&step, before, after)
	return writeJSON(w, answer)
}

// skipping returns the cells of an edit by which rows are left out: the header of a new column is none.
func skipping(cells []fix.Change) []fix.Change {
	return slices.DeleteFunc(slices.Clone(cells), func(c fix.Change) bool { return c.After != schema.Skip.String() })
}

// became says what was made of cells; of a single one, by what was wrong with it before and is after.
func became(s *fix.Step, before, after string) string {
	cells := report.Count(len(s.Cells), "cell")
	switch {
	case s.Cells[0].OfRow():
		return report.Count(len(s.Cells), "row") + " " + s.Rule
	case s.Back > 0:
		return cells + " " + s.Rule
	case s.Rule == rules["in"]:
		return report.Count(len(s.Cells), "row") + " " + s.Rule
	case s.Rule == rules["skip"]:
		return report.Count(len(skipping(s.Cells)), "row") + " left out"
	case len(s.Cells) > 1:
		return cells + " changed"
	case after != "":
		return s.Cells[0].Cell + ": " + after
	case before != "":
		return s.Cells[0].Cell + " is right now"
	}
	return s.Cells[0].Cell + " is changed"
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
	asks := d.unchanged(&step, "Later changes of the same cells go back with it")
	for _, n := range with {
		if !slices.Contains(said.With, n) {
			asks.With = append(asks.With, n)
			asks.Words += []string{": ", "; "}[min(len(asks.With)-1, 1)] + e.text(n)
		}
	}
	e.mu.RUnlock()
	switch {
	case len(step.Cells) == 0:
		return refuse(http.StatusConflict, "there is nothing to be taken back")
	case len(asks.With) > 0:
		return writeJSON(w, asks)
	}
	return d.do(w, step)
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
			Unfit   string   `json:"unfit"` // the same in words; empty where there are none
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
		answer.Misfits = e.misfits(net, s.rows.cursor().rowOf)
		for i, m := range answer.Misfits {
			answer.Unfit += []string{"No longer fit: ", "; "}[min(i, 1)] + m.Name + ": " + m.Reason
		}
		return writeJSON(w, answer)
	})
}

// mended returns a copy of the file that has the edits, which it writes where it is not there; the file itself where
// there are none. The caller says how it is read.
func (d *reading) mended() (path string, err error) {
	e := d.Editing.Edits
	if e == nil || !e.Any() {
		return d.File, nil
	}
	copied := d.Editing.Copy
	_, err = os.Lstat(copied)
	if d.copyHas = e.wrote(copied); err == nil && d.copyHas == "" {
		return "", refuse(http.StatusConflict, filepath.Base(copied)+
			" is there, and not as this page wrote it: nothing was written; move it away first")
	}
	if d.copyHas == d.edited() {
		return copied, nil
	}
	edits, err := e.Written()
	if err == nil {
		err = d.Editing.Mend(d.ctx, edits, d.by) // whoever has asked for it may go away
	}
	if err != nil {
		return "", refuse(http.StatusInsufficientStorage, "the copy was not written: "+err.Error())
	}
	d.copyHas = d.edited()
	return copied, nil
}

// mend writes the copy of the file, over nothing but what the page wrote itself.
func (d *reading) mend(w http.ResponseWriter, r *http.Request) error {
	return d.done(w, r, func(context.Context) error {
		_, err := d.mended()
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
	var misfits []misfit
	var err error
	if answer.Changed = d.Editing.Edits.changed(r.Context()); answer.Changed {
		misfits, answer.Of, err = d.Editing.Edits.Fits(r.Context())
		answer.Fit = answer.Of - len(misfits)
	}
	if answer.Words = "The file has been saved since: read it again?"; err != nil {
		answer.Fit, answer.Words = 0, "The file is not as it was read: "+err.Error()
	} else if answer.Of > 0 {
		fit := printable.Pick(answer.Fit, " fits", " fit")
		answer.Words += " " + report.Number(answer.Fit) + " of " + report.Count(answer.Of, "edit") + fit
		if len(misfits) > 0 {
			cells := make([]string, len(misfits))
			for i := range misfits {
				cells[i] = misfits[i].Name
			}
			answer.Words += "; not " + report.Names(cells)
		}
		answer.Words += "."
	}
	return writeJSON(w, answer)
}

// readAnew reads the file as it was saved.
func (d *reading) readAnew(w http.ResponseWriter, r *http.Request) error {
	return d.done(w, r, func(ctx context.Context) error {
		d.Editing.Edits.Open(ctx)
		d.known = Mapped{}
		return d.readBy(d.by, true)
	})
}

// editedFields returns what says which cells of a row a person has changed on the page. The caller has d.reads.
func (d *reading) editedFields() func(sheet string, row int) []field {
	sheets, cells := d.current.State().Sheets, d.current.rows.cursor()
	return func(name string, number int) (fields []field) {
		row, found := cells.rowOf(name, number)
		if !found { // it is told without them
			return nil
		}
		columns, before, after := d.Editing.Edits.changedIn(name, &row)
		i := slices.IndexFunc(sheets, func(s Sheet) bool { return s.Name == name })
		for n, column := range columns {
			if i >= 0 && column < len(sheets[i].Header) {
				header := "You changed " + sheets[i].Header[column]
				fields = append(fields, field{Field: header, Before: &before[n], After: cmp.Or(after[n], "blank")})
			}
		}
		return fields
	}
}
