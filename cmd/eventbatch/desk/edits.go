package desk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/own"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/sheet"
)

// Edits are what a person has changed in a file, in steps. They are kept below a workspace, by the sum of the file, and are
// laid over its rows: the file itself stays as it is.
type Edits struct {
	options sheet.Options

	mu    sync.RWMutex
	why   error       // nothing is edited
	stamp fs.FileInfo // of the file as it is read
	stepFile
	overlay
}

// NewEdits returns the edits of a file, which are kept below a folder. They are there once the file was opened.
func NewEdits(folder, path string, options sheet.Options) *Edits {
	return &Edits{stepFile: stepFile{folder: folder, of: path}, options: options, why: errUnread, overlay: newOverlay()}
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
	f, err := e.file(ctx)
	if err != nil {
		e.why = err
		return
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	if e.sum, e.why = f.Sum(ctx); e.why != nil {
		return
	}
	e.stamp, _ = os.Stat(e.of)
	if e.why = f.Editable(); e.why != nil {
		return
	}
	e.book, e.date1904 = f.Book() != nil, f.Date1904()
	defer func() { e.why = cmp.Or(e.why, e.compare(ctx, f)) }()
	switch before {
	case "":
		e.why = e.load(ctx, f)
	case e.sum:
	default: // they go with the file that a person saves
		e.why = e.reset()
		if steps, err := e.follow(ctx, f, e.steps); err != nil {
			e.why = cmp.Or(e.why, err)
		} else {
			e.retake(steps)
		}
	}
}

// file opens the file. A pipe in its place is not waited for: nothing of it could be edited.
func (e *Edits) file(ctx context.Context) (*sheet.File, error) {
	const streams = fs.ModeNamedPipe | fs.ModeSocket | fs.ModeDevice
	if info, err := os.Stat(e.of); err == nil && info.Mode()&streams != 0 {
		return nil, &fs.PathError{Op: "open", Path: e.of, Err: regular.ErrNotRegular}
	}
	return sheet.Open(ctx, e.of, e.options)
}

// changed reports whether the file is another one than was read, or gone: it is looked into where its size or time are others.
func (e *Edits) changed(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, err := os.Stat(e.of)
	if e.stamp == nil || err == nil && now.Size() == e.stamp.Size() && now.ModTime().Equal(e.stamp.ModTime()) {
		return false
	}
	f, err := e.file(ctx)
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

// load reads the edits that are kept.
func (e *Edits) load(ctx context.Context, f *sheet.File) error {
	steps, size, err := readSteps(e.name())
	if errors.Is(err, fs.ErrNotExist) {
		if steps, err = e.earlier(); err == nil {
			steps, err = e.follow(ctx, f, steps)
		}
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
	e.size, e.seen = size, size
	for i := range steps {
		e.take(&steps[i])
	}
	return nil
}

// compare finds the rows that were left out and are not what they were then.
func (e *Edits) compare(ctx context.Context, f *sheet.File) error {
	e.strange = map[rowName]bool{}
	if e.rows == 0 {
		return nil
	}
	rows := slices.DeleteFunc(fix.Net(e.steps), func(c fix.Change) bool { return !c.OfRow() })
	row, err := rowsOf(ctx, f, rows)
	if err != nil {
		return err
	}
	for _, m := range e.misfits(rows, row) {
		number, _, _ := (&fix.Change{Cell: m.Cell}).Place()
		e.strange[rowName{m.Sheet, number}] = true
	}
	return nil
}

// holds reports whether the file is edited. The edits may be nil.
func (e *Edits) holds() bool {
	if e == nil {
		return false
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.why == nil
}

// rowHolds returns what stands for a row as the file has it: nothing, where the row is left out.
func (e *Edits) rowHolds(name string, row *sheet.Row) string {
	if e.leaves(name, row.Number) {
		return ""
	}
	return fix.RowText(row, e.date1904)
}

// leaves reports whether a row is left out. The edits may be nil.
func (e *Edits) leaves(name string, number int) bool {
	if e == nil {
		return false
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.isOut(name, number)
}

// leftOut returns the rows that are left out, in their order.
func (e *Edits) leftOut() []rowName {
	if e == nil {
		return nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.out()
}

// changedIn returns the columns of a row, as the file has it, whose cells hold something else now, in their order, with what each
// held and holds. The edits may be nil.
func (e *Edits) changedIn(name string, row *sheet.Row) (columns []int, before, after []string) {
	if e == nil {
		return nil, nil, nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	of := e.cells[name][row.Number]
	for _, column := range slices.Sorted(maps.Keys(of)) {
		if column < 0 || !of[column].differs() {
			continue
		}
		c, old := of[column].change(), row.Cell(column)
		if _, why := c.Becomes(&old, e.date1904); why == "" {
			columns, before, after = append(columns, column), append(before, c.Before), append(after, c.After)
		}
	}
	return columns, before, after
}

// rowsOf reads the rows of a file in which cells are changed.
func rowsOf(ctx context.Context, f *sheet.File, changes []fix.Change) (func(name string, number int) (sheet.Row, bool), error) {
	rows, wanted := map[rowName]sheet.Row{}, map[rowName]bool{}
	for i := range changes {
		number, _, _ := changes[i].Place()
		wanted[rowName{changes[i].Sheet, number}] = true
	}
	for _, info := range f.Sheets() {
		if !slices.ContainsFunc(changes, func(c fix.Change) bool { return c.Sheet == info.Name }) {
			continue
		}
		for row, err := range f.Rows(ctx, info.Name) {
			if err != nil {
				return nil, err
			}
			if k := (rowName{info.Name, row.Number}); wanted[k] {
				rows[k] = row
			}
		}
	}
	return func(name string, number int) (sheet.Row, bool) {
		row, ok := rows[rowName{name, number}]
		return row, ok
	}, nil
}

// Fits reads the file as it is now, and returns which of the edits do not fit it, of how many.
func (e *Edits) Fits(ctx context.Context) (misfits []misfit, of int, err error) {
	f, err := e.file(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	e.mu.RLock()
	defer e.mu.RUnlock()
	steps, err := e.follow(ctx, f, e.steps)
	if err != nil {
		return nil, 0, err
	}
	net := fix.Net(steps)
	row, err := rowsOf(ctx, f, net)
	if err != nil {
		return nil, 0, err
	}
	return e.misfits(net, row), len(net), nil
}

// Close lets others edit the file.
func (e *Edits) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release()
}

// Lay lays the edits over a row as the file has it.
func (e *Edits) Lay(name string, row *sheet.Row) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	e.lay(name, row)
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
	steps := []fix.Step{s}
	if e.size == 0 {
		steps = append(slices.Clone(e.steps), s) // those of an earlier version of the file before it
	}
	if err := e.add(steps...); err != nil {
		return 0, err
	}
	e.take(&s)
	return s.Step, nil
}

// Written returns the file of edits, which has those too that were taken over from an earlier version of the file.
func (e *Edits) Written() (path string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.size == 0 && len(e.steps) > 0 {
		if err = e.hold(); err == nil {
			err = e.add(e.steps...)
		}
	}
	return e.name(), err
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

// version names the file with its edits: so many steps over what has this sum. The caller has e.mu.
func (e *Edits) version() string { return fmt.Sprintf("%s %d", e.sum, len(e.steps)) }

// wrote returns which version of the file the page wrote as this copy; empty where it did not write it.
func (e *Edits) wrote(copied string) string {
	sum, err := sumOf(copied)
	if err != nil {
		return ""
	}
	folders, _ := os.ReadDir(e.folder) // where there are none, nothing was written
	for _, folder := range folders {
		if steps := stepsOf(filepath.Join(e.folder, folder.Name()), sum); steps != "" {
			return folder.Name() + " " + steps
		}
	}
	return ""
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
