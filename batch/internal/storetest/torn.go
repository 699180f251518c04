package storetest

import (
	"bytes"
	"math/rand/v2"
)

// TornFile is what a disk has of a file: what was synced, and the changes since, of which a crash leaves some.
type TornFile struct {
	Stable  []byte
	Changes []Change
}

// Change is a write, or a truncation where Data is nil.
type Change struct {
	At   int64
	Data []byte
}

// Apply returns a file's content after the change.
func (c Change) Apply(b []byte) []byte {
	if c.Data == nil {
		return b[:min(c.At, int64(len(b)))]
	}
	if len(c.Data) == 0 {
		return b
	}
	if end := c.At + int64(len(c.Data)); end > int64(len(b)) {
		b = append(b, bytes.Repeat([]byte{0}, int(end)-len(b))...)
	}
	copy(b[c.At:], c.Data)
	return b
}

// Sync makes all changes stable.
func (f *TornFile) Sync() {
	for _, c := range f.Changes {
		f.Stable = c.Apply(f.Stable)
	}
	f.Changes = nil
}

// Crash makes of each change since the last sync all, a part or nothing stable, whatever became of the one before.
func (f *TornFile) Crash(random *rand.Rand) {
	for _, c := range f.Changes {
		switch random.IntN(3) {
		case 0:
		case 1:
			f.Stable = c.Apply(f.Stable)
		case 2:
			if c.Data != nil {
				c.Data = Torn(c.Data, random.IntN)
			}
			f.Stable = c.Apply(f.Stable)
		}
	}
	f.Changes = nil
}

// Torn returns the beginning of a write that is cut short; often only its last byte is missing, which ends a line.
func Torn(data []byte, draw func(int) int) []byte {
	if len(data) > 0 && draw(4) == 0 {
		return data[:len(data)-1]
	}
	return data[:draw(len(data)+1)]
}
