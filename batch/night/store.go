package night

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/own"
)

// Store is where syncs keep their texts, each under the name of a file. Several processes use
// it at once, but only who holds a sync replaces or removes.
type Store interface {
	// Syncs returns the names of all syncs that have something, and Names what one has.
	Syncs() ([]string, error)
	Names(sync string) ([]string, error)
	// Read returns a text; the error is [fs.ErrNotExist] where there is none.
	Read(sync, name string) ([]byte, error)
	Replace(sync, name string, text []byte) error
	// Append adds a line to a text, which no other one comes between, and reports whether it
	// is the first. A torn line before it is left to itself.
	Append(sync, name string, line []byte) (first bool, err error)
	Remove(sync, name string) error
	// Place names a text for people.
	Place(sync, name string) string
}

// ToldName is the name of what package notify knows of a sync.
const ToldName = "told.json"

const memoryName = "memory.json"

// monthName is the name of a month's text.
const monthName = "nights-2006-01.jsonl"

// Copy brings what syncs remember from one store to another, where it is not there yet.
func Copy(from, to Store) error {
	syncs, err := from.Syncs()
	if err != nil {
		return err
	}
	for _, sync := range syncs {
		names, err := from.Names(sync)
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, other := time.Parse(monthName, name); other != nil && name != memoryName && name != ToldName {
				continue // a lock, or what is left of a feed
			}
			if _, err := to.Read(sync, name); err == nil {
				continue
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			text, err := from.Read(sync, name)
			if err == nil {
				err = to.Replace(sync, name, text)
			}
			if err != nil {
				return fmt.Errorf("copying %s: %w", from.Place(sync, name), err)
			}
		}
	}
	return nil
}

// Folders is the store of a workspace: a folder for each sync.
type Folders struct{ Workspace string }

var _ Store = Folders{}

func (f Folders) folder() string { return filepath.Join(f.Workspace, "syncs") }

// Of returns the folder of a sync.
func (f Folders) Of(sync string) string { return filepath.Join(f.folder(), sync) }

// Place is the path of a text.
func (f Folders) Place(sync, name string) string { return filepath.Join(f.Of(sync), name) }

// Syncs returns the names of the folders.
func (f Folders) Syncs() ([]string, error) { return entries(f.folder()) }

// Names returns the names of a sync's files.
func (f Folders) Names(sync string) ([]string, error) { return entries(f.Of(sync)) }

func entries(folder string) (names []string, err error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names, err
}

// Read reads a file.
func (f Folders) Read(sync, name string) ([]byte, error) { return own.Read(f.Place(sync, name)) }

// Replace replaces a file whole.
func (f Folders) Replace(sync, name string, text []byte) error {
	if err := os.MkdirAll(f.Of(sync), 0o700); err != nil {
		return err
	}
	return own.ReplaceText(f.Place(sync, name), text)
}

// Append adds a line in one write.
func (f Folders) Append(sync, name string, line []byte) (first bool, err error) {
	file, err := own.OpenFile(f.Place(sync, name), os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	last := [1]byte{'\n'}
	if size := info.Size(); size > 0 {
		if _, err := file.ReadAt(last[:], size-1); err != nil {
			return false, err
		}
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := file.Write(line); err != nil {
		return false, err
	}
	return info.Size() == 0, file.Sync()
}

// Remove removes a file.
func (f Folders) Remove(sync, name string) error { return os.Remove(f.Place(sync, name)) }

// Texts is a database, as far as it keeps texts under names of a kind.
type Texts interface {
	Name() string
	Kept(kind, name string) ([]byte, error)
	Keep(kind, name string, text []byte) error
	// Change puts what change makes of a text in its place, while no other process does; nil
	// removes it.
	Change(kind, name string, change func(text []byte) []byte) error
	Names(kind string) ([]string, error)
}

// textKind is the kind of a store's texts. A sync's name has no slash.
const textKind = "nights"

// InDatabase returns the store in a database, which the machines share.
func InDatabase(texts Texts) Store { return database{texts} }

type database struct{ texts Texts }

func (d database) Syncs() (syncs []string, err error) {
	paths, err := d.texts.Names(textKind)
	for _, path := range paths {
		sync, _, _ := strings.Cut(path, "/")
		syncs = append(syncs, sync)
	}
	slices.Sort(syncs)
	return slices.Compact(syncs), err
}

func (d database) Names(sync string) (names []string, err error) {
	paths, err := d.texts.Names(textKind)
	for _, path := range paths {
		if name, of := strings.CutPrefix(path, sync+"/"); of {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

func (d database) Read(sync, name string) ([]byte, error) {
	return d.texts.Kept(textKind, sync+"/"+name)
}

func (d database) Replace(sync, name string, text []byte) error {
	return d.texts.Keep(textKind, sync+"/"+name, text)
}

func (d database) Append(sync, name string, line []byte) (first bool, err error) {
	err = Change(d.texts, sync, name, func(text []byte) []byte {
		first = len(text) == 0
		return append(text, line...)
	})
	return first, err
}

func (d database) Remove(sync, name string) error {
	return Change(d.texts, sync, name, func([]byte) []byte { return nil })
}

// Change puts what change makes of a text of a sync in its place, while no other process does.
func Change(texts Texts, sync, name string, change func(text []byte) []byte) error {
	return texts.Change(textKind, sync+"/"+name, change)
}

func (d database) Place(sync, name string) string {
	return "the row " + textKind + " " + sync + "/" + name + " of the table kept in " + d.texts.Name()
}
