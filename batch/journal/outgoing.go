package journal

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"time"
)

// outgoing is a run that is copied, with one chain of its journal: those of shares are merged.
type outgoing struct {
	*run

	line    []byte    // the header's
	dropped time.Time // when its payloads were
	turn    int       // of the last attachment
	extent  extent    // of the journal, without a tail
	synced  int64     // records that it has at least; 0 where nothing says so
	merger  *merger   // nil where nobody has carried a share
}

// outgoingOf reads the parts of a run that are not its ops.
func outgoingOf(r *run) (*outgoing, error) {
	o := &outgoing{run: r}
	found, err := r.evidence()
	if err != nil {
		return nil, err
	}
	if o.line, o.dropped, err = r.head(); err != nil {
		return nil, err
	}
	o.synced = found.synced[""]
	if len(found.synced) > 1 {
		o.merger, err = newMerger()
	}
	if err == nil {
		err = o.read(&found)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// read reads the journal.
func (o *outgoing) read(found *evidence) error {
	state := newState(&o.header, o.seal.Ops)
	missing := maps.Clone(found.synced)
	err := o.journals(func(owner, path string, lines io.Reader) error {
		fold := o.fold(state, owner)
		ext, err := replay(path, lines, func(e *entry) error {
			err := fold(e)
			if err == nil && o.merger != nil {
				err = o.merger.add(state.chain, e)
			}
			return err
		})
		o.extent, missing[owner] = ext, max(0, found.synced[owner]-ext.lines)
		return err
	})
	o.turn = int(state.turn)
	if o.merger == nil || o.extent.lines == 0 || err != nil {
		return err
	}
	state.conclude(&o.header, found.here)
	o.extent, err = o.merger.merge(o.run, state)
	o.synced = o.extent.lines
	for _, lost := range missing {
		o.synced += lost
	}
	return err
}

// Close removes what was made of the run for the copy.
func (o *outgoing) Close() error {
	if o.merger == nil {
		return nil
	}
	return o.merger.Close()
}

// journal hands on the lines of the journal in pieces.
func (o *outgoing) journal(each func(piece StoredPiece) error) error {
	if o.extent.lines == 0 {
		return nil
	}
	if o.merger != nil {
		return o.inPieces(o.merger.text(), each)
	}
	return o.journals(func(_, _ string, lines io.Reader) error { return o.inPieces(lines, each) })
}

func (o *outgoing) inPieces(lines io.Reader, each func(piece StoredPiece) error) error {
	in, piece := bufio.NewReaderSize(io.LimitReader(lines, o.extent.size), opsBuffer), StoredPiece{}
	for n := range o.extent.lines {
		line, err := readLine(in)
		if err != nil {
			return unusable("reading journal", err)
		}
		piece.Lines = append(piece.Lines, line...)
		if len(piece.Lines) < opsBuffer && n+1 < o.extent.lines {
			continue
		}
		if err := each(piece); err != nil {
			return err
		}
		piece = StoredPiece{After: n + 1}
	}
	return nil
}

// ops hands on the lines of the ops, and those of their payloads where they are there.
func (o *outgoing) ops(each func(line, row []byte) error) error {
	var rows *bufio.Reader
	if o.dropped.IsZero() {
		f, err := o.openRows()
		if err != nil {
			return err
		}
		defer f.Close()
		rows = bufio.NewReaderSize(f, opsBuffer)
	}
	return o.lines(func(line []byte) (err error) {
		var row []byte
		if rows != nil {
			if row, err = readLine(rows); err != nil {
				return unusable("reading plan", err)
			}
		}
		return each(line, row)
	})
}

// stored returns the ops as a database has them, and chains and pieces the journal.
func (o *outgoing) stored() iter.Seq2[StoredOp, error] {
	return pulling(func(yield func(StoredOp) error) error {
		return o.ops(func(line, row []byte) error {
			one, err := o.storedOp(line, row)
			if err != nil {
				return err
			}
			return yield(one)
		})
	})
}

func (o *outgoing) chains() []StoredChain {
	if o.synced == 0 && o.extent.lines == 0 {
		return nil
	}
	return []StoredChain{{Records: o.synced, Bytes: o.extent.size}}
}

func (o *outgoing) pieces() iter.Seq2[StoredPiece, error] { return pulling(o.journal) }

// pulling returns what each hands on as a sequence, whose last thing may be an error.
func pulling[T any](each func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := each(func(one T) error {
			if !yield(one, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			var none T
			yield(none, err)
		}
	}
}

// sum reads the whole run against its seal, and returns a sum of all its bytes.
func (o *outgoing) sum() (sum [sha256.Size]byte, err error) {
	header, lines, rows, journal := sha256.New(), &summer{w: sha256.New()}, &summer{w: sha256.New()}, sha256.New()
	_, _ = fmt.Fprintf(header, "%s%t", o.line, o.dropped.IsZero())
	err = o.ops(func(line, row []byte) error {
		_, err := lines.Write(line)
		if err == nil {
			_, err = rows.Write(row)
		}
		return err
	})
	if err != nil {
		return sum, err
	}
	if lines.measure() != o.seal.Lines {
		return sum, &DamagedError{Path: o.planPath(), Reason: "its ops are not what was written"}
	}
	if o.dropped.IsZero() && rows.measure() != o.seal.Rows {
		return sum, &DamagedError{Path: o.rowsPath(), Reason: "it is not what was written"}
	}
	err = o.journal(func(piece StoredPiece) error {
		_, err := journal.Write(piece.Lines)
		return err
	})
	all := sha256.New()
	for _, part := range []hash.Hash{header, lines.w.(hash.Hash), rows.w.(hash.Hash), journal} {
		all.Write(part.Sum(nil))
	}
	return [sha256.Size]byte(all.Sum(nil)), err
}
