package journal

import (
	"bytes"
	"errors"
	"io"
	"iter"
)

// sharedHold is a run in a database that this process has taken.
type sharedHold struct {
	*sharedRun

	held Held
	file *sharedFile
}

func (h *sharedHold) Unlock() error { return h.held.Release() }

func (h *sharedHold) begin(line []byte) error { return h.held.Append(line, 0, 1) }

func (h *sharedHold) open() (file, error) {
	in, err := h.openJournal()
	if err != nil {
		return nil, err
	}
	h.file = &sharedFile{ReadCloser: in, held: h.held}
	return h.file, nil
}

// mend refuses a tail: what a database has stored is not torn.
func (h *sharedHold) mend(_ file, ext extent) error {
	if ext.tail {
		return &DamagedError{
			Path: h.journalPath(), Line: int(ext.lines) + 1, Offset: ext.size, Reason: "it does not go on as it was written",
		}
	}
	h.file.records = ext.lines
	return nil
}

// count opens nothing: the number of records is stored with them.
func (h *sharedHold) count(_ *evidence, lines int64, inDoubt int) (file, error) {
	h.file.counts = lines + int64(inDoubt) + 1
	return uncounted{}, nil
}

// sharedFile is the journal of a run in a database, as the writer wants it: what was
// written is stored.
type sharedFile struct {
	io.ReadCloser

	held    Held
	records int64
	counts  int64 // the first record from which on they are counted
}

func (f *sharedFile) WriteAt(lines []byte, _ int64) (int, error) {
	records, counted := f.records+int64(bytes.Count(lines, []byte{'\n'})), int64(0)
	if records >= f.counts {
		counted = records
	}
	if err := f.held.Append(lines, f.records, counted); err != nil {
		return 0, err
	}
	f.records = records
	return len(lines), nil
}

func (f *sharedFile) Sync() error { return nil }

func (f *sharedFile) ReadAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }

func (f *sharedFile) Truncate(int64) error { return errors.ErrUnsupported }

// uncounted takes what it is told, and forgets it.
type uncounted struct{ file }

func (uncounted) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

func (uncounted) Close() error { return nil }

// pulled reads pieces as one text.
type pulled struct {
	next func() ([]byte, error, bool)
	stop func()
	rest []byte
}

func newPulled(pieces iter.Seq2[[]byte, error]) *pulled {
	next, stop := iter.Pull2(pieces)
	return &pulled{next: next, stop: stop}
}

// fill sees to it that there is something to read.
func (p *pulled) fill() error {
	for len(p.rest) == 0 {
		piece, err, ok := p.next()
		switch {
		case !ok:
			return io.EOF
		case err != nil:
			return err
		}
		p.rest = piece
	}
	return nil
}

func (p *pulled) Read(b []byte) (int, error) {
	if err := p.fill(); err != nil {
		return 0, err
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pulled) Close() error {
	p.stop()
	return nil
}
