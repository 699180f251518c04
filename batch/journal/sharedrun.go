package journal

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"eventbatch/batch/plan"
)

// sharedRun is a run that lies in a database.
type sharedRun struct {
	*run

	of      *Shared
	id      string
	line    []byte // the header's
	bytes   int64  // of its journal, when it was found
	dropped time.Time
	spools  string // folder of the draft's; empty once it is sealed
}

// Files are those that this machine has of the run.
func (r *sharedRun) Files() Files {
	folder := r.of.folderOf(r.id)
	return Files{Folder: folder, Results: filepath.Join(folder, resultsName)}
}

func (r *sharedRun) in(part string) string { return r.of.in(part, r.id) }

// in names a part of a run.
func (s *Shared) in(part, run string) string {
	return "the " + part + " of run " + run + " in " + s.Name()
}

func (r *sharedRun) planPath() string    { return r.in("plan") }
func (r *sharedRun) rowsPath() string    { return r.in("rows") }
func (r *sharedRun) journalPath() string { return r.pathOf(r.part.owner()) }

func (r *sharedRun) pathOf(owner string) string {
	if owner == "" {
		return r.in("journal")
	}
	return r.in("journal of " + owner)
}

// summed returns a line with its CRC before it, and unsummed the line of such a text.
func summed(line []byte) []byte {
	text := append(appendHex(make([]byte, 0, len(line)+9), crc32.Checksum(line, castagnoli())), ' ')
	return append(text, line...)
}

func unsummed(text []byte) (line []byte, ok bool) {
	if len(text) < 9 {
		return nil, false
	}
	crc, ok := parseHex(text[:8])
	return text[9:], ok && crc == crc32.Checksum(text[9:], castagnoli())
}

// each hands on lines of the ops once they are found to be what was written, and all of them.
func (r *sharedRun) each(path string, texts iter.Seq2[[]byte, error], each func(line []byte) error) error {
	n := 0
	for text, err := range texts {
		if err != nil {
			return r.of.unusable("reading "+path, err)
		}
		line, ok := unsummed(text)
		if n++; !ok {
			return &DamagedError{Path: path, Line: n, Reason: "it is not what was written"}
		}
		if err := each(line); err != nil {
			return err
		}
	}
	if n != r.seal.Ops && r.part == nil {
		return &DamagedError{Path: path, Reason: fmt.Sprintf("it has %d lines of %d", n, r.seal.Ops)}
	}
	return nil
}

func (r *sharedRun) lines(each func(line []byte) error) error {
	return r.each(r.planPath(), r.of.db.Lines(r.id, r.part.of()), each)
}

func (r *sharedRun) openRows() (io.ReadCloser, error) {
	if r.droppedAt() != "" {
		return nil, r.missing()
	}
	return newPulled(func(yield func([]byte, error) bool) {
		err := r.each(r.rowsPath(), r.of.db.Rows(r.id, r.part.of()), func(line []byte) error {
			if !yield(line, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}), nil
}

// Nothing is kept open to pick single ops.
func (r *sharedRun) picker() (picker, error) {
	if r.droppedAt() != "" {
		return nil, r.missing()
	}
	return sharedPicker{r}, nil
}

type sharedPicker struct{ *sharedRun }

func (sharedPicker) Close() error { return nil }

func (p sharedPicker) line(n int) (line, row []byte, err error) {
	if line, row, err = p.of.db.Op(p.id, n); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, p.of.unusable("reading "+p.planPath(), err)
	}
	if line, err = p.trusted(p.planPath(), n, line); err != nil {
		return nil, nil, err
	}
	row, err = p.trusted(p.rowsPath(), n, row)
	return line, row, err
}

func (r *sharedRun) row(op *plan.Op) ([]byte, error) {
	if r.droppedAt() != "" {
		return nil, r.missing()
	}
	_, row, err := r.of.db.Op(r.id, op.N)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, r.of.unusable("reading "+r.rowsPath(), err)
	}
	return r.trusted(r.rowsPath(), op.N, row)
}

// trusted returns the line of such a text once it is found to be what was written.
func (r *sharedRun) trusted(path string, n int, text []byte) ([]byte, error) {
	line, ok := unsummed(text)
	if !ok {
		return nil, &DamagedError{Path: path, Line: n + 1, Reason: "it is not what was written"}
	}
	return line, nil
}

// verify has nothing to do: each line that is read has its own CRC.
func (r *sharedRun) verify() error { return nil }

// Checksum returns the first twenty hex digits of the SHA-256 of the plan.
func (r *sharedRun) Checksum() (string, error) {
	sum := sha256.New()
	sum.Write(r.line)
	err := r.lines(func(line []byte) error {
		sum.Write(line)
		return nil
	})
	if err != nil {
		return "", err
	}
	rows, err := r.openRows()
	if err != nil {
		return "", err
	}
	_, err = io.Copy(sum, rows)
	return hex.EncodeToString(sum.Sum(nil)[:10]), errors.Join(err, rows.Close())
}

func (r *sharedRun) head() (line []byte, dropped time.Time, err error) { return r.line, r.dropped, nil }

func (r *sharedRun) droppedAt() string {
	if r.dropped.IsZero() {
		return ""
	}
	return onDay(r.dropped)
}

func (r *sharedRun) drop(at time.Time, try bool) (bytes int64, there bool, err error) {
	if !r.dropped.IsZero() {
		return 0, false, nil
	}
	if !try {
		if err := r.of.db.DropRows(r.id, at); err != nil {
			return 0, true, r.of.unusable("dropping what the rows of run "+r.id+" held", err)
		}
		r.dropped = at
		if err := os.Remove(r.Files().Results); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, true, unusable("dropping the results of run "+r.id, err)
		}
	}
	return r.seal.Rows.Bytes, true, nil
}

func (r *sharedRun) size() (int64, error) {
	journal, err := r.journalSize()
	return int64(len(r.line)) + r.seal.Lines.Bytes + r.seal.Rows.Bytes + journal, err
}

func (r *sharedRun) chains() ([]StoredChain, error) {
	chains, err := r.of.db.Chains(r.id, r.part.of())
	if err != nil {
		return nil, r.of.unusable("reading run "+r.id, err)
	}
	return chains, nil
}

// journalSize is that of the whole journal.
func (r *sharedRun) journalSize() (int64, error) { return r.bytes, nil }

// journals reads the chains: of a share, those that can say something of it.
func (r *sharedRun) journals(each func(owner, path string, lines io.Reader) error) error {
	var owners []string
	if r.part != nil {
		chains, err := r.chains()
		if err != nil {
			return err
		}
		owners = []string{}
		for _, c := range chains {
			owners = append(owners, c.Owner)
		}
	}
	next, stop := iter.Pull2(r.of.db.Journal(r.id, owners))
	defer stop()
	own := false // the error is not the database's
	pieces := &chainPieces{next: next}
	err := pieces.each(func(owner string, lines io.Reader) error {
		err := each(owner, r.pathOf(owner), lines)
		own = err != nil && pieces.err == nil
		return err
	})
	if err != nil && !own {
		err = r.of.unusable("reading "+r.journalPath(), err)
	}
	return err
}

// evidence is how many records the database has counted, and which database it is.
func (r *sharedRun) evidence() (evidence, error) {
	chains, err := r.chains()
	if err != nil {
		return evidence{}, err
	}
	e := evidence{synced: map[string]int64{"": 0}}
	for _, c := range chains {
		e.synced[c.Owner] = c.Records
	}
	e.here, err = r.home()
	return e, err
}

func (r *sharedRun) home() (plan.Home, error) {
	name, number, err := r.of.db.Copy()
	if err != nil {
		return plan.Home{}, r.of.unusable("reading run "+r.id, err)
	}
	return plan.Home{Host: name, Folder: r.of.Name(), Inode: number}, nil
}

// original returns nothing: of two copies of a database neither can see the other.
func (r *sharedRun) original(plan.Home) string { return "" }

func (r *sharedRun) held() (bool, error) {
	look := r.of.db.Held
	if r.part != nil {
		look = r.part.lease.held.Whole // this process has the owner of the share
	}
	held, err := look(r.id)
	if err != nil {
		return false, r.of.unusable("looking at run "+r.id, err)
	}
	return held, nil
}

func (r *sharedRun) hold() (holding, Holder, error) {
	held, holder, err := r.part.hold(r)
	if held == nil || err != nil {
		if err != nil {
			err = r.of.unusable("taking run "+r.id, err)
		}
		return nil, holder, err
	}
	return &sharedHold{sharedRun: r, held: held}, holder, nil
}

// appear stores what was drafted.
func (r *sharedRun) appear(d *draft, h *plan.Header, line []byte) error {
	err := r.of.db.Insert(&Stored{
		ID: r.id, Number: h.Number, Created: h.Created, Identity: h.Identity, Source: h.Source, BaseURL: h.Target.BaseURL,
		Header: line, Ops: d.seal.Ops,
	}, d.stored(), nil, nil)
	if err != nil {
		return err
	}
	r.line = line
	return errors.Join(d.lines.close(), d.rows.close(), r.discard())
}

// discard removes the spools: nothing else was stored.
func (r *sharedRun) discard() error { return os.RemoveAll(r.spools) }

// storedOp returns an op as a database has it, by its lines: that of its payload is nil where it was
// dropped.
func (r *run) storedOp(line, row []byte) (StoredOp, error) {
	op, one := new(plan.Op), StoredOp{Line: summed(line)}
	if row != nil {
		one.Row = summed(row)
	}
	err := r.decode(line, op)
	one.Calendar = op.Event.Calendar
	return one, err
}

// stored returns the lines of the spools, each with its CRC.
func (d *draft) stored() iter.Seq2[StoredOp, error] {
	return func(yield func(StoredOp, error) bool) {
		_, err := d.lines.file.Seek(0, io.SeekStart)
		if err == nil {
			_, err = d.rows.file.Seek(0, io.SeekStart)
		}
		lines, rows := bufio.NewReaderSize(d.lines.file, opsBuffer), bufio.NewReaderSize(d.rows.file, opsBuffer)
		for n := 0; err == nil && n < d.seal.Ops; n++ {
			var line, row []byte
			if line, err = readLine(lines); err != nil {
				break
			}
			if row, err = readLine(rows); err != nil {
				break
			}
			var one StoredOp
			if one, err = d.run.storedOp(line, row); err != nil {
				break
			}
			if !yield(one, nil) {
				return
			}
		}
		if err != nil {
			yield(StoredOp{}, err)
		}
	}
}
