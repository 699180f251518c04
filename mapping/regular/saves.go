package regular

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"time"
)

// lookEvery is how often files are looked at. Looking works wherever they lie, on a network's
// disk too, where a program is not told that they change.
const lookEvery = 500 * time.Millisecond

// Saves tells when files are saved, in place or by putting another in their place.
type Saves struct {
	Paths []string
	seen  []fs.FileInfo // when they were looked at last; nil for a file that is not there
}

// Look notes how the files are. What changes from then on is a save.
func (s *Saves) Look(paths []string) { s.Paths, s.seen = paths, stamps(paths) }

// Wait waits until a file was saved. A file is still being written while it changes from one
// look to the next, and one of those that were there is waited for while it is gone. The error
// is why the context has ended.
func (s *Saves) Wait(ctx context.Context) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for last := s.seen; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		now := stamps(s.Paths)
		if alike(now, last) && !alike(now, s.seen) && !s.gone(now) {
			return nil
		}
		last = now
	}
}

// gone reports whether a file that was there is not there now.
func (s *Saves) gone(now []fs.FileInfo) bool {
	for i := range now {
		if now[i] == nil && s.seen[i] != nil {
			return true
		}
	}
	return false
}

func stamps(paths []string) []fs.FileInfo {
	all := make([]fs.FileInfo, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			all[i] = info
		}
	}
	return all
}

func alike(a, b []fs.FileInfo) bool {
	return slices.EqualFunc(a, b, func(a, b fs.FileInfo) bool {
		if a == nil || b == nil {
			return a == nil && b == nil
		}
		return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
	})
}
