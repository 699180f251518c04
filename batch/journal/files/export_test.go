package files

import "sync/atomic"

// Faulty opens a workspace whose journals can be broken: what is written to one fails once
// its path is broken.
func Faulty(dir string, broken map[string]*atomic.Bool) (*Workspace, error) {
	w, err := OpenWorkspace(dir)
	if err == nil {
		w.disk = &faultyDisk{w.disk, broken}
	}
	return w, err
}

type faultyDisk struct {
	Disk

	broken map[string]*atomic.Bool
}

func (d *faultyDisk) Open(path string) (File, error) {
	f, err := d.Disk.Open(path)
	broken := &atomic.Bool{}
	d.broken[path] = broken
	return &faultyFile{f, broken}, err
}

type faultyFile struct {
	File

	broken *atomic.Bool
}

func (f *faultyFile) WriteAt(p []byte, at int64) (int, error) {
	if f.broken.Load() {
		return 0, noSpace
	}
	return f.File.WriteAt(p, at)
}

func (f *faultyFile) Sync() error {
	if f.broken.Load() {
		return badDisk
	}
	return f.File.Sync()
}
