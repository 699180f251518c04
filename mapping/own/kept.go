package own

import (
	"io/fs"
	"os"
)

// Kept is a file that stays open from one use to the next, as long as its name is its own: one that was removed, moved or
// replaced is opened anew. It belongs to one goroutine at a time.
type Kept struct {
	Path string

	file *os.File
	info fs.FileInfo // of the file, as it was opened
}

// Open returns the file that has the name, and its size.
func (k *Kept) Open(flag int) (*os.File, int64, error) {
	if k.file != nil {
		if now, err := os.Lstat(k.Path); err == nil && os.SameFile(now, k.info) {
			return k.file, now.Size(), nil
		}
		_ = k.Close() // what is written there is nobody's any more
	}
	file, err := OpenFile(k.Path, flag)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, 0, err
	}
	k.file, k.info = file, info
	return file, info.Size(), nil
}

// Close closes the file until the next use.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	file := k.file
	k.file = nil
	return file.Close()
}
