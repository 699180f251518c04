package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"eventbatch/mapping/durable"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/own"
)

// stepFile keeps the steps by which a file was edited: one file for each content of it, below the sum of that.
type stepFile struct {
	folder string // of a workspace, for the edits of all files
	of     string // the path of the edited file
	sum    string // of that

	size int64 // of the steps in it; 0: none of them is in it
	seen int64 // how long it was when it was looked at
	lock io.Closer
}

// ofFile is the file that says which file the edits beside it are of.
const ofFile = "file"

// stepsFile is the file of steps.
const stepsFile = "edits.ndjson"

func (f *stepFile) name() string { return filepath.Join(f.folder, f.sum, stepsFile) }

func (f *stepFile) absolute() string {
	path, err := filepath.Abs(f.of)
	if err != nil {
		return f.of
	}
	return path
}

// relative returns where the file lies from the workspace, with which it may be moved.
func (f *stepFile) relative() string {
	folder, err := filepath.Abs(f.folder)
	if err == nil {
		folder, err = filepath.Rel(folder, f.absolute())
	}
	if err != nil { // on another volume
		return f.absolute()
	}
	return folder
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
func (f *stepFile) earlier() (steps []fix.Step, err error) {
	folders, err := os.ReadDir(f.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var last time.Time
	for _, folder := range folders {
		of, unread := own.Read(filepath.Join(f.folder, folder.Name(), ofFile))
		path := filepath.Join(f.folder, folder.Name(), stepsFile)
		info, gone := os.Lstat(path)
		ours := string(of) == f.absolute() || string(of) == f.relative()
		if unread != nil || gone != nil || !ours || info.ModTime().Before(last) {
			continue
		}
		last = info.ModTime()
		if steps, _, err = readSteps(path); err != nil {
			return nil, err
		}
	}
	return steps, err
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
func (f *stepFile) hold() error {
	if f.lock != nil {
		return nil
	}
	folder, err := MakeFolder(f.folder, f.sum)
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
	_, size, err := readSteps(f.name())
	if errors.Is(err, fs.ErrNotExist) {
		err = own.ReplaceText(filepath.Join(folder, ofFile), []byte(f.relative()))
	}
	if err == nil && size != f.seen {
		err = errors.New("the file was edited in another page since: end this one, and open it again")
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	f.lock = lock
	return nil
}

// release lets others edit the file.
func (f *stepFile) release() {
	if f.lock != nil {
		_ = f.lock.Close() // it ends with the process at the latest
		f.lock = nil
	}
}

// reset begins with another version of the file, whose steps are all still to be written.
func (f *stepFile) reset() (err error) {
	f.release()
	f.size = 0
	if _, f.seen, err = readSteps(f.name()); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// add writes steps behind those that are there.
func (f *stepFile) add(steps ...fix.Step) error {
	var text []byte
	for i := range steps {
		line, err := json.Marshal(&steps[i])
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	out, err := own.OpenFile(f.name(), os.O_WRONLY|os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, where edits are kept, is gone: end this page, and open the file again", f.folder)
	}
	if err != nil {
		return err
	}
	_, err = out.WriteAt(text, f.size)
	if err == nil {
		err = out.Truncate(f.size + int64(len(text))) // behind it is what was not whole
	}
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil && f.size == 0 {
		err = durable.SyncFolder(filepath.Dir(f.name()))
	}
	if err != nil {
		return err
	}
	f.size += int64(len(text))
	f.seen = f.size
	return nil
}
