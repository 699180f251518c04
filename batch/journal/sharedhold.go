package journal

import (
	"bytes"
	"errors"
	"io"
	"iter"
)

// sharedHold is a run in a database, or a share of one, that this process has taken.
type sharedHold struct {
	*sharedRun

	held Held
	file *sharedFile
}

func (h *sharedHold) turn(least int) (int, error) {
	if least == 0 && h.part == nil {
		return 0, nil
	}
	turn, err := h.of.db.Turn(least)
	if err == nil && turn == 1 && h.part != nil {
		// Nobody has counted yet. The runs know how many attachments there were.
		var m Memory
		if m, err = h.of.Memory(h.header.Target.BaseURL); err == nil {
			turn, err = h.of.db.Turn(m.Turn())
			err = errors.Join(err, m.Close())
		}
	}
	if err != nil {
		return 0, h.of.unusable("taking run "+h.id, err)
	}
	return turn, nil
}

func (h *sharedHold) Unlock() error {
	err := h.held.Release()
	if h.part != nil {
		h.part.lease.busy.Store(false)
	}
	return err
}

func (h *sharedHold) begin(line []byte) error { return h.held.Append(line, 0, 1, 0) }

func (h *sharedHold) open(ext extent) (file, error) {
	h.file = &sharedFile{held: h.held, records: ext.lines}
	return h.file, nil
}

// mend refuses a tail: what a database has stored is not torn.
func (h *sharedHold) mend(_ file, ext extent) error {
	if ext.tail {
		return &DamagedError{
			Path: h.journalPath(), Line: int(ext.lines) + 1, Offset: ext.size, Reason: "it does not go on as it was written",
		}
	}
	return nil
}

// count opens nothing: the number of records is stored with them.
func (h *sharedHold) count(_ *evidence, lines int64, inDoubt int) (file, error) {
	h.file.counts = lines + int64(inDoubt) + 1
	return uncounted{}, nil
}

// sharedFile is a chain of the journal of a run in a database, as the writer wants it: what
// was written is stored.
type sharedFile struct {
	uncounted

	held    Held
	records int64
	counts  int64 // the first record from which on they are counted
}

// failMember is in the line of each [Fail], and in no other: within a text its quotation marks are escaped.
var failMember = []byte(`"t":"fail"`)

func (f *sharedFile) WriteAt(lines []byte, _ int64) (int, error) {
	records, counted := f.records+int64(bytes.Count(lines, []byte{'\n'})), int64(0)
	if records >= f.counts {
		counted = records
	}
	if err := f.held.Append(lines, f.records, counted, bytes.Count(lines, failMember)); err != nil {
		return 0, err
	}
	f.records = records
	return len(lines), nil
}

func (f *sharedFile) Sync() error { return nil }

// uncounted takes what it is told, and forgets it.
type uncounted struct{ file }

func (uncounted) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

func (uncounted) Close() error { return nil }

// chainPieces are the pieces of chains, one after another, each of which is read as one text.
type chainPieces struct {
	next  func() (StoredPiece, error, bool)
	piece StoredPiece // the next one of this chain, or the first of another
	err   error       // io.EOF behind the last piece
}

func (c *chainPieces) pull() {
	piece, err, more := c.next()
	switch {
	case err != nil:
		c.err = err
	case !more:
		c.err = io.EOF
	}
	c.piece = piece
}

// each hands on the chains.
func (c *chainPieces) each(do func(owner string, lines io.Reader) error) error {
	for c.pull(); c.err == nil; {
		chain := &chainReader{c, c.piece.Owner}
		if err := do(chain.owner, chain); err != nil {
			return err
		}
		for c.err == nil && c.piece.Owner == chain.owner {
			c.pull() // what was not read
		}
	}
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}

// chainReader reads one of them.
type chainReader struct {
	from  *chainPieces
	owner string
}

func (r *chainReader) Read(b []byte) (int, error) {
	c := r.from
	for c.err == nil && c.piece.Owner == r.owner && len(c.piece.Lines) == 0 {
		c.pull()
	}
	switch {
	case c.err != nil:
		return 0, c.err
	case c.piece.Owner != r.owner:
		return 0, io.EOF
	}
	n := copy(b, c.piece.Lines)
	c.piece.Lines = c.piece.Lines[n:]
	return n, nil
}

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
