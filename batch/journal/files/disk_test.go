package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"eventbatch/batch/internal/storetest"
)

// memDisk is a disk that forgets, at a crash, what was not synced, and that
// fails when told to.
type memDisk struct {
	mu    sync.Mutex
	files map[string]*memFile
	boot  int // handles of an earlier boot are dead

	writeFault error         // of the next write, after writing half of it
	syncFault  error         // of the next sync, which loses what it was to write
	syncTakes  time.Duration // how long a sync takes
	faulted    int           // faults that have come to pass

	writes, syncs int
}

// memFile is what programs see, what would be there after a crash, and the
// changes between the two.
type memFile struct {
	seen []byte
	storetest.TornFile
}

func newMemDisk() *memDisk { return &memDisk{files: map[string]*memFile{}} }

func (d *memDisk) Create(path string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[path] = &memFile{slices.Clone(data), storetest.TornFile{Stable: slices.Clone(data)}}
	return nil
}

func (d *memDisk) Open(path string) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[path]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return &memHandle{disk: d, file: f, boot: d.boot}, nil
}

func (d *memDisk) Read(path string) (io.ReadCloser, error) { return d.Open(path) }

// content gives what programs see of a file.
func (d *memDisk) content(path string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[path]; f != nil {
		return slices.Clone(f.seen)
	}
	return nil
}

func (d *memDisk) counts() (writes, syncs int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes, d.syncs
}

// fault makes the next write or sync fail.
func (d *memDisk) fault(write, sync error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writeFault, d.syncFault = write, sync
}

// kill ends all programs: their handles do nothing any more.
func (d *memDisk) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.boot++
}

// crash takes the power away: of each change since the last sync all, a part,
// or nothing survives, whatever became of the one before.
func (d *memDisk) crash(random *rand.Rand) {
	d.kill()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		f.Crash(random)
		f.seen = slices.Clone(f.Stable)
	}
}

// memHandle is an open memFile.
type memHandle struct {
	disk *memDisk
	file *memFile
	boot int
	pos  int
}

var errDead = errors.New("the program is dead")

func (h *memHandle) Read(p []byte) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.pos >= len(h.file.seen) {
		return 0, io.EOF
	}
	n := copy(p, h.file.seen[h.pos:])
	h.pos += n
	return n, nil
}

func (h *memHandle) ReadAt(p []byte, at int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	return bytes.NewReader(h.file.seen).ReadAt(p, at)
}

func (h *memHandle) WriteAt(p []byte, at int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.boot != h.disk.boot {
		return 0, errDead
	}
	h.disk.writes++
	fault := h.disk.writeFault
	h.disk.writeFault = nil
	if fault != nil {
		h.disk.faulted++
		p = p[:len(p)/2]
	}
	h.change(storetest.Change{At: at, Data: append([]byte{}, p...)})
	if errors.Is(fault, errShort) {
		fault = nil
	}
	return len(p), fault
}

// errShort makes a write come out short without an error of its own.
var errShort = errors.New("short write")

func (h *memHandle) Truncate(size int64) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.boot != h.disk.boot {
		return errDead
	}
	h.change(storetest.Change{At: size})
	return nil
}

func (h *memHandle) change(c storetest.Change) {
	h.file.seen = c.Apply(h.file.seen)
	h.file.Changes = append(h.file.Changes, c)
}

func (h *memHandle) Sync() error {
	if h.disk.syncTakes > 0 {
		time.Sleep(h.disk.syncTakes)
	}
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.boot != h.disk.boot {
		return errDead
	}
	h.disk.syncs++
	if fault := h.disk.syncFault; fault != nil {
		// As kernels do: what could not be written is still seen, and forgotten.
		h.disk.syncFault = nil
		h.disk.faulted++
		h.file.Changes = nil
		return fault
	}
	h.file.TornFile.Sync()
	return nil
}

func (h *memHandle) Close() error { return nil }

// The faults of real disks.
var (
	noSpace = syscall.ENOSPC
	badDisk = syscall.EIO
)
