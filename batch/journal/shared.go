package journal

import (
	"bufio"
	"bytes"
	"context"
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
	"eventbatch/mapping/failure"
)

// Shared is a store whose runs lie in a database, for the processes of many machines. What
// is no part of a run lies in the workspace of this machine: results, and what is read for
// exports. Each line of an op has its CRC before it, so that it can be trusted by itself.
type Shared struct {
	runs

	db    Database
	local *Workspace
}

var _ Store = (*Shared)(nil)

// OpenShared returns the store in a database, with the workspace of this machine.
func OpenShared(db Database, local *Workspace) *Shared {
	s := &Shared{db: db, local: local}
	s.runs = newRuns(s)
	return s
}

// Close gives up the database.
func (s *Shared) Close() error { return s.db.Close() }

// Folder is the workspace of this machine.
func (s *Shared) Folder() string { return s.local.dir }

func (s *Shared) name() string { return s.db.Name() }

func (s *Shared) exists() bool { return true }

func (s *Shared) folderOf(run string) string { return s.local.folderOf(run) }

// Lock keeps every other process from planning until unlock is called.
func (s *Shared) Lock(ctx context.Context) (unlock func() error, err error) {
	unlock, err = s.db.Lock(ctx)
	if err != nil {
		return nil, s.unusable("locking", err)
	}
	return unlock, nil
}

// unusable returns the error that the database cannot be read or written.
func (s *Shared) unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err), "eventbatch store check tries "+s.name())
}

// Kept returns what was kept under a name of some kind.
func (s *Shared) Kept(kind, name string) ([]byte, error) {
	text, err := s.db.Kept(kind, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = s.unusable("reading "+kind, err)
	}
	return text, err
}

// Keep stores a text under a name of some kind, in the place of what was kept there before.
func (s *Shared) Keep(kind, name string, text []byte) error {
	if err := s.db.Keep(kind, name, text); err != nil {
		return s.unusable("writing "+kind, err)
	}
	return nil
}

// The kinds under which the memory of keys is kept.
const (
	keysKind   = "keys"
	prunedKind = "keys-pruned"
)

func (s *Shared) snapshotPath(baseURL string) string {
	return "the memory of keys of " + baseURL + " in " + s.name()
}

func (s *Shared) markerPath(baseURL string) string {
	return s.snapshotPath(baseURL) + ", with its mark"
}

func (s *Shared) loadMark(baseURL string) ([]byte, error) { return s.db.Kept(prunedKind, baseURL) }

func (s *Shared) storeMark(baseURL string, text []byte) error {
	return s.db.Keep(prunedKind, baseURL, text)
}

// openKeys brings the memory of keys onto this machine, where it is searched.
func (s *Shared) openKeys(baseURL string) (f *os.File, temporary bool, err error) {
	text, err := s.db.Kept(keysKind, baseURL)
	if err != nil {
		return nil, false, err
	}
	if f, err = s.spareKeys(); err != nil {
		return nil, false, err
	}
	if _, err := f.Write(text); err != nil {
		return nil, false, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, true, nil
}

func (s *Shared) spareKeys() (*os.File, error) { return os.CreateTemp("", "eventbatch-keys-*") }

func (s *Shared) storeKeys(baseURL string, f *os.File) (moved bool, err error) {
	text, err := os.ReadFile(f.Name())
	if err == nil {
		err = s.db.Keep(keysKind, baseURL, text)
	}
	return false, err
}

// load returns a run with its header.
func (s *Shared) load(id string) (*run, error) {
	stored, err := s.db.Run(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, s.unusable("reading run "+id, err)
	}
	return s.open(stored)
}

func (s *Shared) open(stored *Stored) (*run, error) {
	r := &sharedRun{run: &run{now: s.now}, of: s, id: stored.ID, dropped: stored.Dropped}
	r.place = r
	h, err := parseHeader(r.planPath(), stored.Header)
	if err == nil && (h.Run != stored.ID || h.Ops != stored.Ops) {
		err = &DamagedError{Path: r.planPath(), Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", h.Run)}
	}
	if err != nil {
		return nil, err
	}
	r.header, r.seal, r.line = h.Header, h.planSeal, stored.Header
	return r.run, nil
}

func (s *Shared) headers() ([]loaded, error) {
	all, err := s.db.Runs()
	if err != nil {
		return nil, s.unusable("listing runs", err)
	}
	var list []loaded
	for i := range all {
		r, err := s.open(&all[i])
		list = append(list, loaded{id: all[i].ID, run: r, err: err, numbered: all[i].Number})
	}
	return list, nil
}

// Draft begins a run, planned at that time or now. For it to be the only one of its
// number, hold [Shared.Lock] until it is sealed or discarded.
func (s *Shared) Draft(created time.Time) (Draft, error) {
	begun, err := s.draft(created)
	if err != nil {
		return nil, err
	}
	r := &sharedRun{run: begun, of: s, id: begun.header.Run}
	r.place = r
	if r.spools, err = os.MkdirTemp("", "eventbatch-plan-*"); err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("creating run: %w", err), "see to it that the folder for temporary files can be written")
	}
	return newDraft(begun, r.spools, r)
}

// remove removes runs, with what this machine has of them.
func (s *Shared) remove(runs []*run, stop func() error) error {
	var ids []string
	for _, r := range runs {
		if err := stop(); err != nil {
			return err
		}
		if held, err := r.held(); held || err != nil {
			return errors.Join(err, &LockedError{What: "run " + r.ID()})
		}
		ids = append(ids, r.ID())
	}
	if err := s.db.Delete(ids); err != nil {
		return s.unusable("removing runs", err)
	}
	for _, id := range ids {
		if err := os.RemoveAll(s.folderOf(id)); err != nil {
			return unusable("removing the results of run "+id, err)
		}
	}
	return nil
}

func (s *Shared) sweep(p *pruner) error { return s.local.sweepExports(p) }

// sharedRun is a run that lies in a database.
type sharedRun struct {
	*run

	of      *Shared
	id      string
	line    []byte // the header's
	dropped time.Time
	spools  string // folder of the draft's; empty once it is sealed
}

// Files are those that this machine has of the run.
func (r *sharedRun) Files() Files {
	folder := r.of.folderOf(r.id)
	return Files{Folder: folder, Results: filepath.Join(folder, resultsName)}
}

func (r *sharedRun) in(part string) string {
	return "the " + part + " of run " + r.id + " in " + r.of.name()
}

func (r *sharedRun) planPath() string    { return r.in("plan") }
func (r *sharedRun) rowsPath() string    { return r.in("rows") }
func (r *sharedRun) journalPath() string { return r.in("journal") }

// summed returns a line with its CRC before it, and unsummed the line of such a text.
func summed(line []byte) []byte {
	text := append(appendHex(make([]byte, 0, len(line)+9), crc32.Checksum(line, castagnoli)), ' ')
	return append(text, line...)
}

func unsummed(text []byte) (line []byte, ok bool) {
	if len(text) < 9 {
		return nil, false
	}
	crc, ok := parseHex(text[:8])
	return text[9:], ok && crc == crc32.Checksum(text[9:], castagnoli)
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
	if n != r.seal.Ops {
		return &DamagedError{Path: path, Reason: fmt.Sprintf("it has %d lines of %d", n, r.seal.Ops)}
	}
	return nil
}

func (r *sharedRun) lines(each func(line []byte) error) error {
	return r.each(r.planPath(), r.of.db.Lines(r.id), each)
}

func (r *sharedRun) openRows() (io.ReadCloser, error) {
	if r.droppedAt() != "" {
		return nil, r.missing()
	}
	return newPulled(func(yield func([]byte, error) bool) {
		err := r.each(r.rowsPath(), r.of.db.Rows(r.id), func(line []byte) error {
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

func (p sharedPicker) line(n int) ([]byte, error) { return p.one(p.planPath(), n, p.of.db.Line) }

func (r *sharedRun) row(op *plan.Op) ([]byte, error) {
	if r.droppedAt() != "" {
		return nil, r.missing()
	}
	return r.one(r.rowsPath(), op.N, r.of.db.Row)
}

// one reads one line.
func (r *sharedRun) one(path string, n int, read func(run string, n int) ([]byte, error)) ([]byte, error) {
	text, err := read(r.id, n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, r.of.unusable("reading "+path, err)
	}
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

func (r *sharedRun) stored() (*Stored, error) {
	stored, err := r.of.db.Run(r.id)
	if err != nil {
		return nil, r.of.unusable("reading run "+r.id, err)
	}
	return stored, nil
}

func (r *sharedRun) journalSize() (int64, error) {
	stored, err := r.stored()
	if err != nil {
		return 0, err
	}
	return stored.Bytes, nil
}

// openJournal returns the pieces of the journal as one text.
func (r *sharedRun) openJournal() (io.ReadCloser, error) {
	p := newPulled(r.of.db.Journal(r.id))
	err := p.fill()
	if err == io.EOF {
		err = fs.ErrNotExist
	}
	if err != nil {
		p.stop()
		if !errors.Is(err, fs.ErrNotExist) {
			err = r.of.unusable("reading journal", err)
		}
		return nil, err
	}
	return p, nil
}

// evidence is how many records the database has counted, and which database it is.
func (r *sharedRun) evidence() (evidence, error) {
	stored, err := r.stored()
	if err != nil {
		return evidence{}, err
	}
	here, err := r.home()
	return evidence{here: here, synced: stored.Records}, err
}

func (r *sharedRun) home() (plan.Home, error) {
	name, number := r.of.db.Copy()
	return plan.Home{Host: name, Folder: r.of.name(), Inode: number}, nil
}

// original returns nothing: of two copies of a database neither can see the other.
func (r *sharedRun) original(plan.Home) string { return "" }

func (r *sharedRun) held() (bool, error) {
	held, err := r.of.db.Held(r.id)
	if err != nil {
		return false, r.of.unusable("looking at run "+r.id, err)
	}
	return held, nil
}

func (r *sharedRun) hold() (holding, Holder, error) {
	held, holder, err := r.of.db.Hold(r.id)
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
	}, d.stored())
	if err != nil {
		return err
	}
	r.line = line
	return errors.Join(d.lines.close(), d.rows.close(), r.discard())
}

// discard removes the spools: nothing else was stored.
func (r *sharedRun) discard() error { return os.RemoveAll(r.spools) }

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
		return &DamagedError{Path: h.journalPath(), Line: int(ext.lines) + 1, Offset: ext.size, Reason: "it does not go on as it was written"}
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

// ops returns the lines of the spools, each with its CRC.
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
			op, one := new(plan.Op), StoredOp{Line: summed(line)}
			if err = d.run.decode(line, op, nil); err != nil {
				break
			}
			if row, err = readLine(rows); err != nil {
				break
			}
			one.Calendar, one.Row = op.Event.Calendar, summed(row)
			if !yield(one, nil) {
				return
			}
		}
		if err != nil {
			yield(StoredOp{}, err)
		}
	}
}
