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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/own"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/sheet"
)

// Edits are what a person has changed in a file, in steps. They are kept below a workspace, by the sum of the file, and are
// laid over its rows: the file itself stays as it is.
type Edits struct {
	folder  string // of a workspace, for the edits of all files
	path    string // of the file
	options sheet.Options

	mu    sync.RWMutex
	sum   string // of the file as it is read
	why   error  // nothing is edited
	size  int64  // of the steps in the file of edits; 0: none of them is in it
	kept  int64  // how long that file was when it was looked at
	lock  io.Closer
	stamp fs.FileInfo // of the file as it is read
	overlay
}

// NewEdits returns the edits of a file, which are kept below a folder. They are there once the file was opened.
func NewEdits(folder, path string, options sheet.Options) *Edits {
	return &Edits{folder: folder, path: path, options: options, why: errUnread, overlay: newOverlay()}
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
	e.stamp, _ = os.Stat(e.path)
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
		e.release()
		_, e.kept, e.why = readSteps(e.name())
		if e.size = 0; errors.Is(e.why, fs.ErrNotExist) {
			e.why = nil
		}
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
	if info, err := os.Stat(e.path); err == nil && info.Mode()&streams != 0 {
		return nil, &fs.PathError{Op: "open", Path: e.path, Err: regular.ErrNotRegular}
	}
	return sheet.Open(ctx, e.path, e.options)
}

// changed reports whether the file is another one than was read, or gone: it is looked into where its size or time are others.
func (e *Edits) changed(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now, err := os.Stat(e.path)
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

// name returns where the edits of the file are kept.
func (e *Edits) name() string { return filepath.Join(e.folder, e.sum, "edits.ndjson") }

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
	e.size, e.kept = size, size
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
	if err := e.write(s); err != nil {
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
			err = e.write()
		}
	}
	return e.name(), err
}

// write adds steps to the file of edits, and before them those of an earlier version of the file.
func (e *Edits) write(steps ...fix.Step) error {
	if e.size == 0 {
		steps = append(slices.Clone(e.steps), steps...)
	}
	var text []byte
	for i := range steps {
		line, err := json.Marshal(&steps[i])
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	f, err := own.OpenFile(e.name(), os.O_WRONLY|os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, where edits are kept, is gone: end this page, and open the file again", e.folder)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, e.size)
	if err == nil {
		err = f.Truncate(e.size + int64(len(text))) // behind it is what was not whole
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil && e.size == 0 {
		err = durable.SyncFolder(filepath.Dir(e.name()))
	}
	if err != nil {
		return err
	}
	e.size += int64(len(text))
	e.kept = e.size
	return nil
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
