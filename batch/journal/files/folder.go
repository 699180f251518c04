package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/own"
)

// headerBuffer is what is read of a plan at a time for its header alone.
const headerBuffer = 8 << 10

// run is a run that lies in a folder.
type run struct {
	*journal.Run

	in     *Workspace
	folder string
	first  int64 // where the first op's line begins

	written  bool // by this process
	indexing sync.Mutex
	offsets  []int64 // see index
}

// files are those of the run's folder. The journal is there once the run has been taken up.
func (r *run) files() journal.Files {
	return journal.Files{Folder: r.folder, Plan: r.planPath(), Journal: r.journalPath(), Results: r.resultsPath()}
}

func (r *run) planPath() string { return filepath.Join(r.folder, planName) }

// rowsPath is where the payloads of the plan's ops are.
func (r *run) rowsPath() string { return filepath.Join(r.folder, rowsName) }

func (r *run) journalPath() string { return filepath.Join(r.folder, journalName) }

func (r *run) resultsPath() string { return filepath.Join(r.folder, resultsName) }

// openPlan opens the plan and reads its header into r, leaving the reader at
// the first op. That the file is as long as the header says is checked here.
func (r *run) openPlan(buffer int) (*os.File, *bufio.Reader, error) {
	f, err := own.Open(r.planPath())
	if err != nil {
		return nil, nil, journal.Unusable("opening plan", err)
	}
	in := bufio.NewReaderSize(f, buffer)
	if err := r.readHeader(f, in); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, in, nil
}

// Texts reads the ops as they were written.
func (r *run) Texts(payloads bool) iter.Seq2[journal.Text, error] {
	return func(yield func(journal.Text, error) bool) {
		err := r.texts(payloads, func(text journal.Text) error {
			if !yield(text, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(journal.Text{}, err)
		}
	}
}

// errEnough ends the reading of texts early.
var errEnough = errors.New("enough")

// texts hands on the ops as they were written.
func (r *run) texts(payloads bool, each func(journal.Text) error) error {
	again := run{in: r.in, folder: r.folder}
	f, in, err := again.openPlan(opsBuffer)
	if err != nil {
		return err
	}
	defer f.Close()
	if again.Head().Seal != r.Head().Seal {
		return &journal.DamagedError{Path: r.planPath(), Line: 1, Reason: "its header has changed"}
	}
	var rows *bufio.Reader
	if payloads {
		f, err := r.openRows()
		if err != nil {
			return err
		}
		defer f.Close()
		rows = bufio.NewReaderSize(f, opsBuffer)
	}
	lines, sums := &journal.Summer{W: io.Discard}, &journal.Summer{W: io.Discard}
	for range r.Len() {
		var text journal.Text
		if text.Line, err = journal.ReadLine(in); err == nil || errors.Is(err, io.EOF) {
			_, _ = lines.Write(text.Line) // that it is cut short shows in what is there
			err = nil
			if rows != nil {
				text.Payload, err = journal.ReadLine(rows)
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return journal.Unusable("reading plan", err)
		}
		_, _ = sums.Write(text.Payload)
		if err := each(text); err != nil {
			return err
		}
	}
	switch seal := &r.Head().Seal; {
	case lines.Measure().CRC != seal.Lines.CRC:
		return &journal.DamagedError{Path: r.planPath(), Reason: "its ops are not what was written"}
	case rows != nil && sums.Measure().CRC != seal.Rows.CRC:
		return &journal.DamagedError{Path: r.rowsPath(), Reason: "it is not what was written"}
	}
	return nil
}

// reader reads single ops, and keeps the files that it needs open.
type reader struct {
	run  *run
	plan func() (*os.File, error)
	rows func() (*os.File, error)
	mu   sync.Mutex
	open []*os.File
}

// Reader opens the ops to be read in any order.
func (r *run) Reader() (journal.OpReader, error) {
	if at := r.dropped(); !at.IsZero() {
		return nil, r.Missing(at)
	}
	d := &reader{run: r}
	keep := func(open func() (*os.File, error)) func() (*os.File, error) {
		return sync.OnceValues(func() (*os.File, error) {
			f, err := open()
			if err == nil {
				d.mu.Lock()
				d.open = append(d.open, f)
				d.mu.Unlock()
			}
			return f, err
		})
	}
	d.plan = keep(func() (*os.File, error) { return own.Open(r.planPath()) })
	d.rows = keep(r.openRows)
	return d, nil
}

// Op reads an op.
func (d *reader) Op(n int) (*plan.Op, error) {
	offsets, err := d.run.index()
	if err != nil {
		return nil, err
	}
	f, err := d.plan()
	if err != nil {
		return nil, journal.Unusable("opening plan", err)
	}
	line, err := readPart(f, offsets[n], int(offsets[n+1]-offsets[n]))
	if err != nil {
		return nil, err
	}
	op, err := d.run.Decode(n, line)
	if err != nil || d.run.Head().Version() == 1 {
		return op, err
	}
	if f, err = d.rows(); err != nil {
		return nil, err
	}
	payload, err := readPart(f, op.At, op.Size)
	if err != nil {
		return nil, err
	}
	return op, d.run.Fill(op, payload)
}

// Close closes the files.
func (d *reader) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for _, f := range d.open {
		err = errors.Join(err, f.Close())
	}
	d.open = nil
	return err
}

// readPart reads so many bytes of a file from an offset on.
func readPart(f *os.File, at int64, size int) ([]byte, error) {
	part := make([]byte, size)
	if _, err := f.ReadAt(part, at); err != nil {
		return nil, journal.Unusable("reading plan", err)
	}
	return part, nil
}

func (r *run) readHeader(f *os.File, in *bufio.Reader) error {
	damage := &journal.DamagedError{Path: r.planPath(), Line: 1}
	line, err := in.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF):
		damage.Reason = "its header is cut short"
		return damage
	case err != nil:
		return journal.Unusable("reading plan", err)
	}
	head, err := journal.ParseHead(r.planPath(), line)
	if err != nil {
		return err
	}
	if head.Version() == 1 {
		head.Lines = journal.Measure{Bytes: head.Bytes, CRC: head.Body}
	}
	info, err := f.Stat()
	if err != nil {
		return journal.Unusable("reading plan", err)
	}
	if want := int64(len(line)) + head.Lines.Bytes; info.Size() != want {
		return &journal.DamagedError{Path: r.planPath(), Reason: fmt.Sprintf("it has %d bytes of %d", info.Size(), want)}
	}
	r.Run, r.first = journal.NewRun(head, r.files(), r), int64(len(line))
	return nil
}

// verify reads the whole plan against its seal, unless this process has just written it.
func (r *run) verify() error {
	if r.written {
		return nil
	}
	if _, err := r.index(); err != nil || r.Head().Version() == 1 {
		return err
	}
	f, err := r.openRows()
	if err != nil {
		return err
	}
	defer f.Close()
	sum := &journal.Summer{W: io.Discard}
	if _, err := io.Copy(sum, f); err != nil {
		return journal.Unusable("reading plan", err)
	}
	if sum.Measure() != r.Head().Rows {
		return &journal.DamagedError{Path: r.rowsPath(), Reason: "it is not what was written"}
	}
	return nil
}

// openRows opens rows.jsonl, which is as long as the header says.
func (r *run) openRows() (*os.File, error) {
	f, err := own.Open(r.rowsPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, r.Missing(r.dropped())
	}
	if err != nil {
		return nil, journal.Unusable("opening plan", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() != r.Head().Rows.Bytes {
		err = &journal.DamagedError{Path: r.rowsPath(), Reason: fmt.Sprintf("it has %d bytes of %d", info.Size(), r.Head().Rows.Bytes)}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// index returns where each line of an op begins, with the end of the last, once the
// lines have been read against their seal.
func (r *run) index() ([]int64, error) {
	r.indexing.Lock()
	defer r.indexing.Unlock()
	if r.offsets != nil {
		return r.offsets, nil
	}
	offsets := append(make([]int64, 0, r.Len()+1), r.first)
	err := r.texts(false, func(text journal.Text) error {
		offsets = append(offsets, offsets[len(offsets)-1]+int64(len(text.Line)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.offsets = offsets
	return offsets, nil
}

// home returns where the run lies.
func (r *run) home() (plan.Home, error) {
	info, err := os.Stat(r.folder)
	if err != nil {
		return plan.Home{}, err
	}
	return plan.Home{Host: r.in.host, Folder: r.folder, Inode: inode(info)}, nil
}

// Appear makes files of a draft: the plan is there with its name, or not at all.
func (r *run) Appear(d *journal.Drafted) (*journal.Run, error) {
	all, err := r.in.loadAll()
	if err != nil {
		return nil, err
	}
	number := 1
	for _, l := range all {
		if l.err == nil {
			number = max(number, l.number()+1)
		}
	}
	head, err := d.Head(number)
	if err != nil {
		return nil, err
	}
	if err := d.Rows.Sync(); err != nil {
		return nil, err
	}
	if err := errors.Join(d.Rows.Close(), os.Rename(d.Rows.Name(), r.rowsPath())); err != nil {
		return nil, err
	}
	err = own.Replace(r.planPath(), func(w io.Writer) error {
		_, err := w.Write(head.Line)
		if err == nil {
			_, err = d.Lines.Seek(0, io.SeekStart)
		}
		if err == nil {
			_, err = io.Copy(w, d.Lines)
		}
		return err
	})
	if err == nil {
		err = errors.Join(d.Lines.Close(), os.Remove(d.Lines.Name()), durable.SyncFolder(filepath.Dir(r.folder)))
	}
	if err != nil {
		return nil, err
	}
	r.Run, r.first, r.offsets, r.written = journal.NewRun(head, r.files(), r), int64(len(head.Line)), d.Offsets, true
	for i := range r.offsets {
		r.offsets[i] += r.first
	}
	r.offsets = append(r.offsets, r.first+head.Lines.Bytes)
	return r.Run, nil
}

// Discard removes what was written of a run that is not to be.
func (r *run) Discard() error {
	err := os.RemoveAll(r.folder)
	_ = os.Remove(filepath.Dir(r.folder)) // which works where it is the first run
	return err
}
