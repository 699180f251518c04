package desk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/report"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/own"
	"eventbatch/mapping/sheet"
)

// Edits are what a person has changed in a file, in steps. They are kept below a workspace, by the sum of the file, and are
// laid over its rows: the file itself stays as it is.
//
// Any step can be taken back, also out of turn. Its cells hold again what they did before it, and what later steps have
// made of the same cells goes with it; taking that back in turn brings all of it back. So each cell has a chain of links, one
// for each step that changed it.
type Edits struct {
	folder  string // of a workspace, for the edits of all files
	path    string // of the file
	options sheet.Options

	mu       sync.RWMutex
	sum      string // of the file as it is read
	why      error  // nothing is edited
	book     bool   // the file is a workbook
	date1904 bool
	size     int64 // of the steps in the file of edits; 0: none of them is in it
	kept     int64 // how long that file was when it was looked at
	lock     io.Closer
	stamp    fs.FileInfo // of the file as it is read
	steps    []fix.Step
	differ   int                              // cells that hold something else than the file has
	cells    map[string]map[int]map[int]*cell // by sheet, row and column
}

// cell is a cell that was changed.
type cell struct {
	first string // that the file has there
	last  *link
}

// link is what a step made of a cell.
type link struct {
	step   int
	value  string
	before *link // that the step found; nil: what the file has
	below  *link // that is good beneath it: the one before, unless the step took others back
}

// value returns what the cell holds after some link of its own.
func (c *cell) value(l *link) string {
	if l == nil {
		return c.first
	}
	return l.value
}

// differs reports whether the cell holds something else than the file has.
func (c *cell) differs() bool { return c.value(c.last) != c.first }

// NewEdits returns the edits of a file, which are kept below a folder. They are there once the file was opened.
func NewEdits(folder, path string, options sheet.Options) *Edits {
	return &Edits{folder: folder, path: path, options: options, why: errUnread, cells: map[string]map[int]map[int]*cell{}}
}

// errUnread says that the file was not read so far.
var errUnread = errors.New("the file is not read yet")

// Sum returns the sum of the file that is read, which is opened for that once; empty where it cannot be.
func (e *Edits) Sum(ctx context.Context) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if errors.Is(e.why, errUnread) {
		e.open(ctx)
	}
	return e.sum
}

// Open opens the file as it is now.
func (e *Edits) Open(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open(ctx)
}

// open finds the edits of the file. Those of an earlier version of it are taken over, where any fits; they need not all.
func (e *Edits) open(ctx context.Context) {
	before := e.sum
	f, err := sheet.Open(ctx, e.path, e.options)
	if err != nil {
		e.why = err
		return
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	if e.sum, e.why = f.Sum(ctx); e.why != nil {
		return
	}
	e.stamp, _ = os.Stat(e.path)
	if e.why = f.Editable(); e.why != nil {
		return
	}
	e.book, e.date1904 = f.Book() != nil, f.Date1904()
	switch before {
	case "":
		e.why = e.load(ctx, f)
	case e.sum:
	default: // they go with the file that a person saves
		e.release()
		_, e.kept, e.why = readSteps(e.name())
		if e.size = 0; errors.Is(e.why, fs.ErrNotExist) {
			e.why = nil
		}
	}
}

// changed reports whether the file is another one than was read: it is looked into where its size or time are others.
func (e *Edits) changed(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, err := os.Stat(e.path)
	if err != nil || e.stamp == nil || now.Size() == e.stamp.Size() && now.ModTime().Equal(e.stamp.ModTime()) {
		return false
	}
	f, err := sheet.Open(ctx, e.path, e.options)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	sum, err := f.Sum(ctx)
	if err == nil && sum == e.sum {
		e.stamp = now
		return false
	}
	return true
}

// name returns where the edits of the file are kept.
func (e *Edits) name() string { return filepath.Join(e.folder, e.sum, "edits.ndjson") }

// load reads the edits that are kept.
func (e *Edits) load(ctx context.Context, f *sheet.File) error {
	steps, size, err := readSteps(e.name())
	if errors.Is(err, fs.ErrNotExist) {
		steps, err = e.earlier()
		if net := fix.Net(steps); err == nil && len(net) > 0 {
			var row func(string, int) (sheet.Row, bool)
			if row, err = rowsOf(ctx, f, net); len(e.misfits(net, row)) == len(net) {
				steps = nil // it is another file by the same name
			}
		}
	}
	if err != nil {
		return fmt.Errorf("reading the edits of the file: %w", err)
	}
	e.size, e.kept = size, size
	for i := range steps {
		e.take(&steps[i])
	}
	return nil
}

// rowsOf reads the rows of a file in which cells are changed.
func rowsOf(ctx context.Context, f *sheet.File, changes []fix.Change) (func(name string, number int) (sheet.Row, bool), error) {
	type at struct {
		sheet string
		row   int
	}
	rows, wanted := map[at]sheet.Row{}, map[at]bool{}
	for i := range changes {
		number, _, _ := changes[i].Place()
		wanted[at{changes[i].Sheet, number}] = true
	}
	for _, info := range f.Sheets() {
		if !slices.ContainsFunc(changes, func(c fix.Change) bool { return c.Sheet == info.Name }) {
			continue
		}
		for row, err := range f.Rows(ctx, info.Name) {
			if err != nil {
				return nil, err
			}
			if k := (at{info.Name, row.Number}); wanted[k] {
				rows[k] = row
			}
		}
	}
	return func(name string, number int) (sheet.Row, bool) {
		row, ok := rows[at{name, number}]
		return row, ok
	}, nil
}

// Fits reads the file as it is now, and returns how many of the edits fit it, of how many.
func (e *Edits) Fits(ctx context.Context) (fit, of int, err error) {
	f, err := sheet.Open(ctx, e.path, e.options)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	net := e.net()
	row, err := rowsOf(ctx, f, net)
	if err != nil {
		return 0, 0, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return len(net) - len(e.misfits(net, row)), len(net), nil
}

func readSteps(path string) ([]fix.Step, int64, error) {
	f, err := own.Open(path)
	if err != nil {
		return nil, 0, err
	}
	steps, size, err := fix.ReadSteps(f)
	return steps, size, errors.Join(err, f.Close())
}

// earlier returns the edits of the last version of the file that had any.
func (e *Edits) earlier() (steps []fix.Step, err error) {
	folders, err := os.ReadDir(e.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var last time.Time
	for _, folder := range folders {
		of, unread := own.Read(filepath.Join(e.folder, folder.Name(), ofFile))
		path := filepath.Join(e.folder, folder.Name(), "edits.ndjson")
		info, gone := os.Lstat(path)
		if unread != nil || gone != nil || string(of) != e.absolute() || info.ModTime().Before(last) {
			continue
		}
		last = info.ModTime()
		if steps, _, err = readSteps(path); err != nil {
			return nil, err
		}
	}
	return steps, err
}

// ofFile is the file that says which file the edits beside it are of.
const ofFile = "file"

func (e *Edits) absolute() string {
	path, err := filepath.Abs(e.path)
	if err != nil {
		return e.path
	}
	return path
}

// Close lets others edit the file.
func (e *Edits) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release()
}

func (e *Edits) release() {
	if e.lock != nil {
		_ = e.lock.Close() // it ends with the process at the latest
		e.lock = nil
	}
}

// at returns a cell that was changed; nil for another.
func (e *Edits) at(name string, row, column int) *cell { return e.cells[name][row][column] }

// take has a step be done.
func (e *Edits) take(s *fix.Step) {
	for i := range s.Cells {
		c := &s.Cells[i]
		row, column, _ := c.Place()
		known := e.at(c.Sheet, row, column)
		if known != nil && known.differs() {
			e.differ--
		}
		if known == nil || known.value(known.last) != c.Before { // the file has another cell there since
			known = &cell{first: c.Before}
			rows := e.cells[c.Sheet]
			if rows == nil {
				rows = map[int]map[int]*cell{}
				e.cells[c.Sheet] = rows
			}
			if rows[row] == nil {
				rows[row] = map[int]*cell{}
			}
			rows[row][column] = known
		}
		l := &link{step: s.Step, value: c.After, before: known.last, below: known.last}
		if s.Back > 0 {
			if back, _ := known.find(s.Back); back != nil {
				l.below = back.before
			}
		}
		if known.last = l; known.differs() {
			e.differ++
		}
	}
	e.steps = append(e.steps, *s)
}

// find returns what a step made of the cell, if that is still good, and the steps that have changed the cell since.
func (c *cell) find(step int) (found *link, later []int) {
	for l := c.last; l != nil; l = l.below {
		if l.step == step {
			return l, later
		}
		later = append(later, l.step)
	}
	return nil, nil
}

// back returns the step that takes another one back, and the numbers of the later ones that go with it in part.
func (e *Edits) back(step int) (s fix.Step, with []int) {
	s = fix.Step{Back: step, Rule: "taken back"}
	if step < 1 || step > len(e.steps) {
		return s, nil
	}
	if e.kind(step) == undone {
		s.Rule = "done again"
	}
	for _, c := range e.steps[step-1].Cells {
		row, column, _ := c.Place()
		known := e.at(c.Sheet, row, column)
		l, later := known.find(step)
		if l == nil {
			continue
		}
		for _, n := range later {
			if e.steps[n-1].Back == 0 && !slices.Contains(with, n) {
				with = append(with, n)
			}
		}
		s.Cells = append(s.Cells, fix.Change{
			Sheet: c.Sheet, Cell: c.Cell, Before: known.value(known.last), After: known.value(l.before),
		})
	}
	slices.Sort(with)
	return s, with
}

// good returns of how many cells each step is still good, by its number.
func (e *Edits) good() map[int]int {
	good := map[int]int{}
	for _, rows := range e.cells {
		for _, columns := range rows {
			for _, c := range columns {
				for l := c.last; l != nil; l = l.below {
					good[l.step]++
				}
			}
		}
	}
	return good
}

// Lay lays the edits over a row as the file has it.
func (e *Edits) Lay(name string, row *sheet.Row) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	e.lay(name, row)
}

func (e *Edits) lay(name string, row *sheet.Row) {
	for column, c := range e.cells[name][row.Number] {
		if !c.differs() {
			continue
		}
		change := fix.Change{Before: c.first, After: c.value(c.last)}
		old := row.Cell(column)
		out, why := change.Becomes(&old, e.date1904)
		if why != "" {
			continue // it is listed
		}
		if laid, err := out.Reread(e.book, e.date1904); err == nil {
			row.Lay(column, laid)
		}
	}
}

// append keeps a step, and then has it be done.
func (e *Edits) append(s fix.Step) (int, error) {
	if e.why != nil {
		return 0, e.why
	}
	if err := e.hold(); err != nil {
		return 0, err
	}
	s.Step, s.At = len(e.steps)+1, time.Now().UTC().Truncate(time.Second)
	keep := []fix.Step{s}
	if e.size == 0 { // those of an earlier version of the file with it
		keep = append(slices.Clone(e.steps), s)
	}
	var text []byte
	for i := range keep {
		line, err := json.Marshal(&keep[i])
		if err != nil {
			return 0, err
		}
		text = append(append(text, line...), '\n')
	}
	f, err := own.OpenFile(e.name(), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return 0, err
	}
	_, err = f.WriteAt(text, e.size)
	if err == nil {
		err = f.Truncate(e.size + int64(len(text))) // behind it is what was not whole
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil && e.size == 0 {
		err = durable.SyncFolder(filepath.Dir(e.name()))
	}
	if err != nil {
		return 0, err
	}
	e.size += int64(len(text))
	e.kept = e.size
	e.take(&s)
	return s.Step, nil
}

// MakeFolder makes the folder in which the page keeps what was done to a file with this sum, below that for all files.
func MakeFolder(all, sum string) (string, error) {
	folder := filepath.Join(all, sum)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	return folder, errors.Join(own.NoLink(all), own.NoLink(folder))
}

// hold makes sure that nobody else edits the file.
func (e *Edits) hold() error {
	if e.lock != nil {
		return nil
	}
	folder, err := MakeFolder(e.folder, e.sum)
	if err != nil {
		return err
	}
	lock := own.Lock(filepath.Join(folder, "lock"))
	switch got, err := lock.TryLock(); {
	case err != nil:
		return err
	case !got:
		return errors.New("the file is being edited in another page: end that one first")
	}
	_, size, err := readSteps(e.name())
	if errors.Is(err, fs.ErrNotExist) {
		err = own.ReplaceText(filepath.Join(folder, ofFile), []byte(e.absolute()))
	}
	if err == nil && size != e.kept {
		err = errors.New("the file was edited in another page since: end this one, and open it again")
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	e.lock = lock
	return nil
}

// net returns what the edits come to.
func (e *Edits) net() []fix.Change {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return fix.Net(e.steps)
}

// Any reports whether a cell holds something else than the file has.
func (e *Edits) Any() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.differ > 0
}

// wrote notes what the page has written as the copy of the file, so that it may write over that later.
func (e *Edits) wrote(copied string) error {
	sum, err := sumOf(copied)
	if err != nil {
		return err
	}
	return own.ReplaceText(filepath.Join(filepath.Dir(e.name()), "copy"), []byte(sum))
}

// isOurs reports whether a copy is as the page wrote it for some version of the file.
func (e *Edits) isOurs(copied string) bool {
	sum, err := sumOf(copied)
	if err != nil {
		return false
	}
	folders, _ := os.ReadDir(e.folder) // where there are none, nothing was written
	return slices.ContainsFunc(folders, func(folder fs.DirEntry) bool {
		text, err := own.Read(filepath.Join(e.folder, folder.Name(), "copy"))
		return err == nil && string(text) == sum
	})
}

func sumOf(path string) (string, error) {
	f, err := own.Open(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, f.Close())
}

// misfit is an edit that no longer fits.
type misfit struct {
	Sheet  string `json:"sheet"`
	Cell   string `json:"cell"`
	After  string `json:"after"`
	Reason string `json:"reason"`
}

// misfits tells which changes do not fit the rows of a file.
func (e *Edits) misfits(changes []fix.Change, row func(name string, number int) (sheet.Row, bool)) []misfit {
	list := []misfit{}
	for i := range changes {
		c := &changes[i]
		number, column, _ := c.Place()
		why := "there is no such row"
		if r, ok := row(c.Sheet, number); ok {
			old := r.Cell(column)
			if _, why = c.Becomes(&old, e.date1904); fix.Shown(&old, e.date1904) == c.After {
				why = ""
			}
		}
		if why != "" {
			list = append(list, misfit{c.Sheet, c.Cell, c.After, why})
		}
	}
	return list
}

// kind is what a step is: it changes cells, takes such a one back, or does it again.
type kind int

const (
	edited kind = iota
	undone
	redone
)

func (e *Edits) kind(step int) kind {
	switch back := e.steps[step-1].Back; {
	case back == 0:
		return edited
	case e.kind(back) == undone:
		return redone
	}
	return undone
}

// lastOf returns the last step that is to be taken back, or done again; 0 where there is none.
func (e *Edits) lastOf(forth bool) int {
	good := e.good()
	for n := len(e.steps); n > 0; n-- {
		switch k := e.kind(n); {
		case good[n] == 0:
		case !forth && k == edited, forth && k == undone:
			return n
		case forth && k == edited:
			return 0
		}
	}
	return 0
}

// text says what a step has done: 29 cells · unbegrenzt → no limit.
func (e *Edits) text(step int) string {
	s := &e.steps[step-1]
	switch e.kind(step) {
	case undone:
		return "taken back: " + e.text(s.Back)
	case redone:
		return "done again: " + e.text(e.steps[s.Back-1].Back)
	}
	alike := func(of func(*fix.Change) string) string {
		text := of(&s.Cells[0])
		for i := range s.Cells {
			if of(&s.Cells[i]) != text {
				return "…"
			}
		}
		return cmp.Or(text, "blank")
	}
	what := s.Cells[0].Cell
	if len(s.Cells) > 1 {
		what = report.Count(len(s.Cells), "cell")
	}
	before, after := func(c *fix.Change) string { return c.Before }, func(c *fix.Change) string { return c.After }
	return what + " · " + alike(before) + " → " + alike(after)
}
