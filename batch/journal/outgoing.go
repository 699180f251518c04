package journal

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"eventbatch/mapping/failure"
)

// outgoing is a run that is copied.
type outgoing struct {
	*run

	line    []byte             // the header's
	dropped time.Time          // when its payloads were
	chains  []StoredChain      // of its journal, with the records that are on disk at least; 0 where nothing says so
	extents map[string]*extent // of the chains, without a tail
	turn    int                // of the last attachment
}

// outgoingOf reads the parts of a run that are not its ops.
func outgoingOf(r *run) (*outgoing, error) {
	o := &outgoing{run: r, extents: map[string]*extent{}}
	found, err := r.evidence()
	if err != nil {
		return nil, err
	}
	if o.line, o.dropped, err = r.head(); err != nil {
		return nil, err
	}
	state := newState(&r.header, r.seal.Ops)
	err = r.journals(func(owner, path string, lines io.Reader) error {
		ext, err := replay(path, lines, r.fold(state, owner))
		o.extents[owner] = &ext
		return err
	})
	o.turn = int(state.turn)
	found.synced[""] += 0 // where it does not say
	for owner, synced := range found.synced {
		chain := StoredChain{Owner: owner, Records: synced}
		if ext := o.extents[owner]; ext != nil {
			chain.Bytes = ext.size
		}
		if chain.Records > 0 || chain.Bytes > 0 {
			o.chains = append(o.chains, chain)
		}
		if owner != "" && err == nil {
			err = failure.New(failure.Usage, fmt.Errorf("run %s was carried in shares, and cannot be copied", r.ID()),
				"pg_dump copies the whole schema; eventbatch report writes the results of a run")
		}
	}
	return o, err
}

// journal hands on the lines of the journal in pieces.
func (o *outgoing) journal(each func(piece StoredPiece) error) error {
	return o.journals(func(owner, _ string, lines io.Reader) error {
		ext := o.extents[owner]
		if ext == nil {
			return nil
		}
		in, piece := bufio.NewReaderSize(io.LimitReader(lines, ext.size), opsBuffer), StoredPiece{Owner: owner}
		for n := range ext.lines {
			line, err := readLine(in)
			if err != nil {
				return unusable("reading journal", err)
			}
			piece.Lines = append(piece.Lines, line...)
			if len(piece.Lines) < opsBuffer && n+1 < ext.lines {
				continue
			}
			if err := each(piece); err != nil {
				return err
			}
			piece = StoredPiece{Owner: owner, After: n + 1}
		}
		return nil
	})
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

// stored returns the ops as a database has them, and pieces the journal.
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
		_, err := journal.Write(append([]byte(piece.Owner), piece.Lines...))
		return err
	})
	all := sha256.New()
	for _, part := range []hash.Hash{header, lines.w.(hash.Hash), rows.w.(hash.Hash), journal} {
		all.Write(part.Sum(nil))
	}
	return [sha256.Size]byte(all.Sum(nil)), err
}
