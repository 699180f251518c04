package quota

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxOpen is how many ledgers stay open between operations.
const maxOpen = 32

// openFiles are the ledgers of a process that are open, the one opened first in
// front. Guarded by Scheduler.mu.
type openFiles struct{ list []*disk }

// add notes a file that was opened, and closes another where there are too many:
// it is not locked, since its operation is over.
func (o *openFiles) add(d *disk) error {
	var err error
	if len(o.list) == maxOpen {
		err = o.list[0].close()
	}
	o.list = append(o.list, d)
	return err
}

func (o *openFiles) remove(d *disk) {
	o.list = slices.DeleteFunc(o.list, func(other *disk) bool { return other == d })
}

// disk is the file of a ledger. It stays open between operations, as long as few
// are, locked only during them.
type disk struct {
	path  string
	file  *os.File // nil until opened, or where there is none
	guard guard
	files *openFiles // nil where nobody counts them
}

// lock opens the file where that is needed, and locks it. Where there is none,
// and none is to be made, it locks nothing.
func (d *disk) lock(create bool) error {
	for {
		if d.file == nil {
			if err := d.open(create); err != nil || d.file == nil {
				return err
			}
		}
		gone, err := d.guard.lock(d.file)
		if err != nil {
			return &fs.PathError{Op: "lock", Path: d.path, Err: err}
		}
		if !gone {
			return nil
		}
		// Somebody removed the file: what is written here, nobody would read.
		if err := d.close(); err != nil {
			return err
		}
	}
}

func (d *disk) unlock() {
	if d.file != nil {
		d.guard.unlock(d.file)
	}
}

func (d *disk) open(create bool) error {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
		if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(d.path, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil
	}
	if err != nil {
		return err
	}
	d.file = f
	if d.files != nil {
		return d.files.add(d)
	}
	return nil
}

func (d *disk) exists() bool { return d.file != nil }

// readAt fills p as far as the file goes.
func (d *disk) readAt(p []byte, at int64) (int, error) {
	n, err := d.file.ReadAt(p, at)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// body reads the records into buf, grown as needed. Whole means that it is a
// number of whole records, and not too many.
func (d *disk) body(buf []byte) (body []byte, whole bool, err error) {
	info, err := d.file.Stat()
	if err != nil {
		return nil, false, err
	}
	size := max(0, info.Size()-recordSize)
	n := min(size/recordSize, maxRecords) * recordSize
	buf = slices.Grow(buf[:0], int(n))[:n]
	read, err := d.readAt(buf, recordSize)
	if err != nil {
		return nil, false, err
	}
	return buf, size == n && read == len(buf), nil
}

func (d *disk) writeAt(p []byte, at int64) error {
	_, err := d.file.WriteAt(p, at)
	return err
}

// replaceBody makes p all that follows the header.
func (d *disk) replaceBody(p []byte) error {
	if err := d.writeAt(p, recordSize); err != nil {
		return err
	}
	return d.file.Truncate(recordSize + int64(len(p)))
}

func (d *disk) close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	if d.files != nil {
		d.files.remove(d)
	}
	return err
}
