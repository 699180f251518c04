package desk

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"eventbatch/mapping/own"
	"eventbatch/mapping/regular"
)

// mappingFile is the file that the answers are saved to.
type mappingFile struct {
	name string
	same func(a, b string) bool // as that of [Mapping]
	text string                 // what the page read from it, or wrote to it, but for comments; empty where it did neither
	as   string                 // the file as it was then
}

func newMappingFile(m *Mapping) mappingFile {
	text := m.Kept + m.Unfinished
	return mappingFile{name: m.Save, same: m.Same, text: text, as: text}
}

// read returns what the file has. A link is none: what it leads to is not written to, whatever that has.
func (f *mappingFile) read() (string, error) {
	info, err := os.Lstat(f.name)
	if err == nil && !info.Mode().IsRegular() {
		err = regular.ErrNotRegular
	}
	if err != nil {
		return "", err
	}
	text, err := regular.Read(f.name, regular.MiB)
	return string(text), err
}

// says reports whether the file says the same as a text, and whether the page had not known that.
func (f *mappingFile) says(text string) (same, anew bool) {
	if text == "" {
		return false, false
	}
	found, err := f.read()
	if err != nil || !f.same(found, text) {
		return false, false
	}
	if anew = f.text != text; anew {
		f.text, f.as = text, found
	}
	return true, anew
}

// write writes a text: over nothing but what the page read there, or wrote itself.
func (f *mappingFile) write(text string) error {
	name := filepath.Base(f.name)
	if found, err := f.read(); !errors.Is(err, fs.ErrNotExist) && (err != nil || found != f.as) {
		return refuse(http.StatusConflict,
			name+" is there, and not as this page read or wrote it: nothing was written; move it away, "+
				"or open the file with --mapping "+name)
	}
	if err := own.ReplaceText(f.name, []byte(text)); err != nil {
		return refuse(http.StatusInsufficientStorage, "writing the answers: "+err.Error())
	}
	f.text, f.as = text, text
	return nil
}

// isSaved reports whether the mapping's file says the same as a text, and keeps the answers of one that says so anew.
func (d *reading) isSaved(text string) bool {
	same, anew := d.saved.says(text)
	if anew {
		d.remember(d.saved.as)
	}
	return same
}

// Unkept returns how many answers were given that no file has, and the command line that writes them to one.
func (d *reading) Unkept() (answers int, line string) {
	d.answering.Lock()
	defer d.answering.Unlock()
	text := cmp.Or(d.known.Text, d.by) // empty: the answers are those that were found, and nobody has looked at them
	if len(d.answers) == 0 || text == "" || d.kept || d.Mapping.Save == "" || d.isSaved(text) {
		return 0, ""
	}
	_, making, _ := d.lines(d.stateEdits())
	return len(d.answers), making
}

// saveText has the mapping's file say a text.
func (d *reading) saveText(text string) error {
	if text == "" {
		return refuse(http.StatusConflict, "there are no answers to be saved")
	}
	if d.isSaved(text) {
		return nil
	}
	if err := d.saved.write(text); err != nil {
		return err
	}
	d.remember(text)
	return nil
}
