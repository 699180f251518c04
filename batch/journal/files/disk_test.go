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
	seen, stable []byte
	changes      []change
}

// change is a write, or a truncation where data is nil.
type change struct {
	at   int64
	data []byte
}

func newMemDisk() *memDisk { return &memDisk{files: map[string]*memFile{}} }

func (d *memDisk) create(path string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[path] = &memFile{seen: slices.Clone(data), stable: slices.Clone(data)}
	return nil
}

func (d *memDisk) open(path string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[path]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return &memHandle{disk: d, file: f, boot: d.boot}, nil
}

func (d *memDisk) read(path string) (io.ReadCloser, error) { return d.open(path) }

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
		for _, c := range f.changes {
			switch random.IntN(3) {
			case 0:
			case 1:
				f.stable = c.apply(f.stable)
			case 2:
				if c.data != nil {
					c.data = c.data[:random.IntN(len(c.data)+1)]
				}
				f.stable = c.apply(f.stable)
			}
		}
		f.changes, f.seen = nil, slices.Clone(f.stable)
	}
}

func (c change) apply(b []byte) []byte {
	if c.data == nil {
		return b[:min(c.at, int64(len(b)))]
	}
	if len(c.data) == 0 {
		return b
	}
	if end := c.at + int64(len(c.data)); end > int64(len(b)) {
		b = append(b, bytes.Repeat([]byte{0}, int(end)-len(b))...)
	}
	copy(b[c.at:], c.data)
	return b
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
	h.change(change{at: at, data: append([]byte{}, p...)})
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
	h.change(change{at: size})
	return nil
}

func (h *memHandle) change(c change) {
	h.file.seen = c.apply(h.file.seen)
	h.file.changes = append(h.file.changes, c)
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
		h.file.changes = nil
		return fault
	}
	for _, c := range h.file.changes {
		h.file.stable = c.apply(h.file.stable)
	}
	h.file.changes = nil
	return nil
}

func (h *memHandle) Close() error { return nil }

// The faults of real disks.
var (
	noSpace = syscall.ENOSPC
	badDisk = syscall.EIO
)
