package sim

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"eventbatch/batch/internal/storetest"
	"eventbatch/batch/journal/files"
)

// machine is a folder with the workspace of somebody, and a disk that forgets what was not synced when its power goes.
type machine struct {
	home   string // the first of its folders
	folder string // of the workspace
	moved  int
	forgot bool   // the disk has lost something
	table  *table // the file that is imported there

	planned []time.Time // when rows were

	mu        sync.Mutex
	stored    map[string]*storetest.TornFile // by path
	processes []*process                     // that run
}

// crash has the disk lose what was not synced: of each change since the last sync all, a part or nothing is there afterwards,
// whatever became of the one before.
func (m *machine) crash(source *rand.Rand) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for path, s := range m.stored {
		lost := s.Changes != nil
		s.Crash(source)
		if !lost {
			continue
		}
		m.forgot = true
		if err := os.WriteFile(path, s.Stable, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) { // it was pruned
			return err
		}
	}
	return nil
}

// disk is that of a machine as one process sees it.
type disk struct{ by *process }

func (d disk) Create(path string, data []byte) error {
	fate := d.by.pass()
	defer d.by.dies(fate)
	if fate != alive && fate != after { // a file appears whole or not at all
		return errDead
	}
	m := d.by.on
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stored[path] = &storetest.TornFile{Stable: slices.Clone(data)}
	return files.OSDisk{}.Create(path, data)
}

func (d disk) Open(path string) (files.File, error) {
	f, err := files.OSDisk{}.Open(path)
	if err != nil {
		return nil, err
	}
	m := d.by.on
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored[path] == nil {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		m.stored[path] = &storetest.TornFile{Stable: text}
	}
	return &file{f, d.by, m.stored[path]}, nil
}

func (d disk) Read(path string) (io.ReadCloser, error) { return files.OSDisk{}.Read(path) }

// file is an open one of a process.
type file struct {
	files.File

	by     *process
	stored *storetest.TornFile
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	fate := f.by.pass()
	defer f.by.dies(fate)
	switch fate {
	case gone, before:
		return 0, errDead
	case midway:
		p = storetest.Torn(p, f.by.draw)
	}
	n, err := f.write(p, at)
	if err == nil && fate != alive {
		err = errDead
	}
	return n, err
}

func (f *file) write(p []byte, at int64) (int, error) {
	f.by.on.mu.Lock()
	defer f.by.on.mu.Unlock()
	n, err := f.File.WriteAt(p, at)
	f.stored.Changes = append(f.stored.Changes, storetest.Change{At: at, Data: append([]byte{}, p[:n]...)})
	return n, err
}

func (f *file) Truncate(size int64) error {
	fate := f.by.pass()
	defer f.by.dies(fate)
	if fate != alive && fate != after {
		return errDead
	}
	f.by.on.mu.Lock()
	defer f.by.on.mu.Unlock()
	f.stored.Changes = append(f.stored.Changes, storetest.Change{At: size})
	return f.File.Truncate(size)
}

func (f *file) Sync() error {
	fate := f.by.pass()
	defer f.by.dies(fate)
	if fate != alive && fate != after {
		return errDead
	}
	f.by.on.mu.Lock()
	defer f.by.on.mu.Unlock()
	f.stored.Sync()
	if fate == after {
		return errDead
	}
	return nil
}

// moves goes on in another folder: with a copy of the one before, which is removed, or with nothing.
func (m *machine) moves(copied bool) error {
	from := m.folder
	m.moved++
	m.folder = fmt.Sprint(m.home, "-", m.moved)
	m.stored = map[string]*storetest.TornFile{}
	var err error
	if copied {
		err = os.CopyFS(m.folder, os.DirFS(from))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) { // nothing was planned in it
		return err
	}
	return os.RemoveAll(from)
}

// ledgers is the folder of the quotas of whoever has the same key.
func (w *world) ledgers() string { return filepath.Join(w.dir, "ledgers") }
