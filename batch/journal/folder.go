package journal

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/own"
)

// runFolder is a run that lies in a folder.
type runFolder struct {
	*run

	folder string
	host   string
	disk   disk
	first  int64 // where the first op's line begins

	written  bool // by this process
	indexing sync.Mutex
	offsets  []int64 // see index
}

// folder returns the run of that id, of which nothing has been read.
func (w *Workspace) folder(id string) *runFolder {
	r := &runFolder{run: &run{now: w.now}, folder: filepath.Join(w.dir, runsName, id), host: w.host, disk: w.disk}
	r.place = r
	return r
}

// Files are those of the run's folder. The journal is there once the run has been taken up.
func (r *runFolder) Files() Files {
	return Files{Folder: r.folder, Plan: r.planPath(), Journal: r.journalPath(), Results: r.resultsPath()}
}

func (r *runFolder) planPath() string { return filepath.Join(r.folder, planName) }

// rowsPath is where the payloads of the plan's ops are.
func (r *runFolder) rowsPath() string { return filepath.Join(r.folder, rowsName) }

func (r *runFolder) journalPath() string { return filepath.Join(r.folder, journalName) }

func (r *runFolder) resultsPath() string { return filepath.Join(r.folder, resultsName) }

// load reads a run's header. The error is fs.ErrNotExist where there is no plan.
func (w *Workspace) load(id string) (*run, error) {
	r := w.folder(id)
	if err := own.NoLink(r.folder); err != nil {
		return nil, unusable("opening run "+id, err)
	}
	f, _, err := r.openPlan(headerBuffer)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r.header.Run != id {
		return nil, &DamagedError{Path: r.planPath(), Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", r.header.Run)}
	}
	return r.run, nil
}

// openPlan opens the plan and reads its header into r, leaving the reader at
// the first op. That the file is as long as the header says is checked here.
func (r *runFolder) openPlan(buffer int) (*os.File, *bufio.Reader, error) {
	f, err := own.Open(r.planPath())
	if err != nil {
		return nil, nil, unusable("opening plan", err)
	}
	in := bufio.NewReaderSize(f, buffer)
	if err := r.readHeader(f, in); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, in, nil
}

// lines hands on the line of each op with its newline, valid until each returns.
func (r *runFolder) lines(each func(line []byte) error) error {
	again := runFolder{run: &run{}, folder: r.folder}
	f, in, err := again.openPlan(opsBuffer)
	if err != nil {
		return err
	}
	defer f.Close()
	if again.seal != r.seal {
		return &DamagedError{Path: r.planPath(), Line: 1, Reason: "its header has changed"}
	}
	for range r.seal.Ops {
		line, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return unusable("reading plan", err)
		}
		if err := each(line); err != nil {
			return err
		}
	}
	return nil
}

// folderPicker keeps the files of a plan open.
type folderPicker struct {
	offsets    []int64
	plan, rows *os.File
}

func (r *runFolder) picker() (picker, error) {
	p := &folderPicker{}
	var err error
	if p.offsets, err = r.index(); err != nil {
		return nil, err
	}
	if p.plan, err = own.Open(r.planPath()); err != nil {
		return nil, unusable("opening plan", err)
	}
	if r.header.Version == 1 {
		return p, nil
	}
	if p.rows, err = r.openRowsFile(); err != nil {
		return nil, errors.Join(err, p.plan.Close())
	}
	return p, nil
}

func (p *folderPicker) line(n int) (line, row []byte, err error) {
	line, err = readPart(p.plan, p.offsets[n], int(p.offsets[n+1]-p.offsets[n]))
	return line, nil, err
}

func (p *folderPicker) row(op *plan.Op) ([]byte, error) { return readPart(p.rows, op.At, op.Size) }

// Close closes the files.
func (p *folderPicker) Close() error {
	if p.rows == nil {
		return p.plan.Close()
	}
	return errors.Join(p.plan.Close(), p.rows.Close())
}

// row reads the line of one op's payload.
func (r *runFolder) row(op *plan.Op) ([]byte, error) {
	rows, err := r.openRowsFile()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return readPart(rows, op.At, op.Size)
}

// readPart reads so many bytes of a file from an offset on.
func readPart(f *os.File, at int64, size int) ([]byte, error) {
	part := make([]byte, size)
	if _, err := f.ReadAt(part, at); err != nil {
		return nil, unusable("reading plan", err)
	}
	return part, nil
}

func (r *runFolder) readHeader(f *os.File, in *bufio.Reader) error {
	damage := &DamagedError{Path: r.planPath(), Line: 1}
	line, err := in.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF):
		damage.Reason = "its header is cut short"
		return damage
	case err != nil:
		return unusable("reading plan", err)
	}
	h, err := parseHeader(r.planPath(), line)
	if err != nil {
		return err
	}
	if h.Version == 1 {
		h.Lines = measure{Bytes: h.Bytes, CRC: h.Body}
	}
	info, err := f.Stat()
	if err != nil {
		return unusable("reading plan", err)
	}
	if want := int64(len(line)) + h.Lines.Bytes; info.Size() != want {
		return &DamagedError{Path: r.planPath(), Reason: fmt.Sprintf("it has %d bytes of %d", info.Size(), want)}
	}
	r.header, r.seal, r.first = h.Header, h.planSeal, int64(len(line))
	return nil
}

// verify reads the whole plan against its seal, unless this process has just written it.
func (r *runFolder) verify() error {
	if r.written {
		return nil
	}
	if _, err := r.index(); err != nil || r.header.Version == 1 {
		return err
	}
	f, err := r.openRows()
	if err != nil {
		return err
	}
	defer f.Close()
	sum := &summer{w: io.Discard}
	if _, err := io.Copy(sum, f); err != nil {
		return unusable("reading plan", err)
	}
	if sum.measure() != r.seal.Rows {
		return &DamagedError{Path: r.rowsPath(), Reason: "it is not what was written"}
	}
	return nil
}

func (r *runFolder) openRows() (io.ReadCloser, error) { return r.openRowsFile() }

// openRowsFile opens rows.jsonl, which is as long as the header says.
func (r *runFolder) openRowsFile() (*os.File, error) {
	f, err := own.Open(r.rowsPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, r.missing()
	}
	if err != nil {
		return nil, unusable("opening plan", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() != r.seal.Rows.Bytes {
		err = &DamagedError{Path: r.rowsPath(), Reason: fmt.Sprintf("it has %d bytes of %d", info.Size(), r.seal.Rows.Bytes)}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// index returns where each line of an op begins, with the end of the last, once the
// lines have been read against their seal.
func (r *runFolder) index() ([]int64, error) {
	r.indexing.Lock()
	defer r.indexing.Unlock()
	if r.offsets != nil {
		return r.offsets, nil
	}
	offsets, sum := make([]int64, 1, r.seal.Ops+1), &summer{w: io.Discard}
	offsets[0] = r.first
	err := r.lines(func(line []byte) error {
		_, err := sum.Write(line)
		offsets = append(offsets, r.first+sum.n)
		return err
	})
	if err == nil && sum.measure() != r.seal.Lines {
		err = &DamagedError{Path: r.planPath(), Reason: "its ops are not what was written"}
	}
	if err != nil {
		return nil, err
	}
	r.offsets = offsets
	return offsets, nil
}

// Checksum returns the first twenty hex digits of the SHA-256 of the plan's files.
func (r *runFolder) Checksum() (string, error) {
	sum := sha256.New()
	for _, path := range []string{r.planPath(), r.rowsPath()} {
		f, err := own.Open(path)
		if errors.Is(err, fs.ErrNotExist) && r.header.Version == 1 {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) && path == r.rowsPath() {
			return "", r.missing()
		}
		if err != nil {
			return "", unusable("reading plan", err)
		}
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", unusable("reading plan", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:10]), nil
}

func (r *runFolder) size() (int64, error) { return sizeOf(r.folder) }

func (r *runFolder) head() (line []byte, at time.Time, err error) {
	f, _, err := r.openPlan(headerBuffer)
	if err != nil {
		return nil, at, err
	}
	defer f.Close()
	if line, err = readPart(f, 0, int(r.first)); err != nil {
		return nil, at, err
	}
	var d dropped
	text, err := own.Read(r.droppedPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return line, at, nil
	case err != nil:
		return nil, at, unusable("looking at run "+r.ID(), err)
	}
	_ = json.Unmarshal(text, &d) // what says nothing else says that they were
	if d.At.IsZero() {
		d.At = r.header.Created
	}
	return line, d.At, nil
}

// Draft begins a run, planned at that time or now. For it to be the only one of its
// number, hold [Workspace.Lock] until it is sealed or discarded.
func (w *Workspace) Draft(created time.Time) (Draft, error) {
	if err := makeFolder(filepath.Join(w.dir, runsName)); err != nil {
		return nil, unusable("creating run", err)
	}
	begun, err := w.runs.draft(created)
	if err != nil {
		return nil, err
	}
	r := w.folder(begun.header.Run)
	r.header, r.written = begun.header, true
	if err := os.Mkdir(r.folder, folderMode); err != nil {
		return nil, unusable("creating run", err)
	}
	return newDraft(r.run, r.folder, r)
}

func (r *runFolder) home() (plan.Home, error) {
	info, err := os.Stat(r.folder)
	if err != nil {
		return plan.Home{}, err
	}
	return plan.Home{Host: r.host, Folder: r.folder, Inode: inode(info)}, nil
}

// appear makes files of the spools: the plan is there with its name, or not at all.
func (r *runFolder) appear(d *draft, _ *plan.Header, header []byte) error {
	if err := d.rows.file.Sync(); err != nil {
		return err
	}
	if err := errors.Join(d.rows.file.Close(), os.Rename(d.rows.file.Name(), r.rowsPath())); err != nil {
		return err
	}
	err := own.Replace(r.planPath(), func(w io.Writer) error {
		_, err := w.Write(header)
		if err == nil {
			_, err = d.lines.file.Seek(0, io.SeekStart)
		}
		if err == nil {
			_, err = io.Copy(w, d.lines.file)
		}
		return err
	})
	if err == nil {
		err = errors.Join(d.lines.close(), durable.SyncFolder(filepath.Dir(r.folder)))
	}
	r.first, r.offsets = int64(len(header)), d.offsets
	for i := range r.offsets {
		r.offsets[i] += r.first
	}
	r.offsets = append(r.offsets, r.first+d.seal.Lines.Bytes)
	return err
}

func (r *runFolder) discard() error {
	err := os.RemoveAll(r.folder)
	_ = os.Remove(filepath.Dir(r.folder)) // which works where it is the first run
	return err
}
