package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/sourcegraph/conc"

	"eventbatch/batch/plan"
)

// planVersion is the form of the plan that this package writes. In version 1 a line of
// the plan held its op's payload too, and there was no rows.jsonl.
const planVersion = 2

// What is read of a plan at a time: for its header alone, and for its ops.
const (
	headerBuffer = 8 << 10
	opsBuffer    = 256 << 10
)

// planSeal vouches for a plan. Its first member has a fixed width.
type planSeal struct {
	Seal  string  `json:"seal"`          // CRC-32C of the rest of the line, in eight hex digits
	Ops   int     `json:"ops"`           // number of ops
	Lines measure `json:"lines"`         // the lines of the ops
	Rows  measure `json:"rows,omitzero"` // those of rows.jsonl
	// Body and Bytes are those of the lines in version 1.
	Body  string `json:"body,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
}

// measure is how many bytes were written, and their CRC-32C.
type measure struct {
	Bytes int64  `json:"bytes"`
	CRC   string `json:"crc"`
}

// sealedFrom is where the part begins that the seal covers: after `{"seal":"12345678"`.
const sealedFrom = len(`{"seal":"12345678"`)

// sealedHeader is the first line.
type sealedHeader struct {
	planSeal
	plan.Header
}

// headerLine returns the header's line.
func headerLine(h *plan.Header, s planSeal) ([]byte, error) {
	s.Seal = hex8(0)
	line, err := json.Marshal(sealedHeader{s, *h})
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	copy(line[len(`{"seal":"`):], hex8(crc32.Checksum(line[sealedFrom:], castagnoli)))
	return line, nil
}

// load reads a run's header. The error is fs.ErrNotExist where there is no plan.
func (w *Workspace) load(id string) (*runFolder, error) {
	r := &runFolder{folder: filepath.Join(w.dir, runsName, id), host: w.host, disk: w.disk, now: w.now}
	f, _, err := r.openPlan(headerBuffer)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r.header.Run != id {
		return nil, &DamagedError{Path: r.PlanPath(), Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", r.header.Run)}
	}
	return r, nil
}

// openPlan opens the plan and reads its header into r, leaving the reader at
// the first op. That the file is as long as the header says is checked here.
func (r *runFolder) openPlan(buffer int) (*os.File, *bufio.Reader, error) {
	f, err := os.Open(r.PlanPath())
	if err != nil {
		return nil, nil, &FolderError{"opening plan", err}
	}
	in := bufio.NewReaderSize(f, buffer)
	if err := r.readHeader(f, in); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, in, nil
}

func (r *runFolder) readHeader(f *os.File, in *bufio.Reader) error {
	damage := &DamagedError{Path: r.PlanPath(), Line: 1}
	line, err := in.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF):
		damage.Reason = "its header is cut short"
		return damage
	case err != nil:
		return &FolderError{"reading plan", err}
	}
	var h sealedHeader
	if err := json.Unmarshal(line, &h); err != nil || len(line) < sealedFrom {
		damage.Reason = "its header is not JSON"
		return damage
	}
	if h.Version < 1 || h.Version > planVersion {
		return unknownVersion(r.PlanPath(), h.Version, planVersion)
	}
	if h.Seal != hex8(crc32.Checksum(line[sealedFrom:], castagnoli)) {
		damage.Reason = "its header is not what was written"
		return damage
	}
	if h.Version == 1 {
		h.Lines = measure{Bytes: h.Bytes, CRC: h.Body}
	}
	info, err := f.Stat()
	if err != nil {
		return &FolderError{"reading plan", err}
	}
	if want := int64(len(line)) + h.Lines.Bytes; info.Size() != want {
		return &DamagedError{Path: r.PlanPath(), Reason: fmt.Sprintf("it has %d bytes of %d", info.Size(), want)}
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
		return &FolderError{"reading plan", err}
	}
	if sum.measure() != r.seal.Rows {
		return &DamagedError{Path: r.rowsPath(), Reason: "it is not what was written"}
	}
	return nil
}

// openRows opens rows.jsonl, which is as long as the header says.
func (r *runFolder) openRows() (*os.File, error) {
	f, err := os.Open(r.rowsPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, &DamagedError{Path: r.rowsPath(), Reason: "it is missing"}
	}
	if err != nil {
		return nil, &FolderError{"opening plan", err}
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
		err = &DamagedError{Path: r.PlanPath(), Reason: "its ops are not what was written"}
	}
	if err != nil {
		return nil, err
	}
	r.offsets = offsets
	return offsets, nil
}

// lines hands on the line of each op with its newline, valid until each returns.
func (r *runFolder) lines(each func(line []byte) error) error {
	again := runFolder{folder: r.folder}
	f, in, err := again.openPlan(opsBuffer)
	if err != nil {
		return err
	}
	defer f.Close()
	if again.seal != r.seal {
		return &DamagedError{Path: r.PlanPath(), Line: 1, Reason: "its header has changed"}
	}
	for range r.seal.Ops {
		line, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return &FolderError{"reading plan", err}
		}
		if err := each(line); err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends the reading of lines early.
var errEnough = errors.New("enough")

// Lines reads the ops in order without their payloads. The last thing that it gives may
// be a [DamagedError]; [Run.Attach] has found that out before anything is sent.
func (r *runFolder) Lines() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		crc, n := uint32(0), 0
		err := r.lines(func(line []byte) error {
			crc = crc32.Update(crc, castagnoli, line)
			op := new(plan.Op)
			if err := r.decode(line, op); err != nil || op.N != n {
				return &DamagedError{Path: r.PlanPath(), Line: n + 2, Reason: "it is not the op that was written"}
			}
			n++
			if !yield(op, nil) {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			yield(nil, err)
		case hex8(crc) != r.seal.Lines.CRC:
			yield(nil, &DamagedError{Path: r.PlanPath(), Reason: "its ops are not what was written"})
		}
	}
}

// decode reads the line of an op.
func (r *runFolder) decode(line []byte, op *plan.Op) error {
	if err := json.Unmarshal(line, op); err != nil || r.header.Version > 1 {
		return err
	}
	var old struct {
		plan.Payload

		Row struct{ Cells []string }
	}
	if err := json.Unmarshal(line, &old); err != nil {
		return err
	}
	op.Payload = old.Payload
	op.Cells = old.Row.Cells
	if op.Action.Sends() {
		op.Operation = operationOf(string(op.Action))
		op.Estimate()
	}
	return nil
}

// Sends reads the ops that send, in order, without their payloads.
func (r *runFolder) Sends() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range r.Lines() {
			if (err != nil || op.Action.Sends()) && !yield(op, err) {
				return
			}
		}
	}
}

// Ops reads the ops in order, each whole. See [Run.Lines].
func (r *runFolder) Ops() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		if r.header.Version == 1 {
			r.Lines()(yield)
			return
		}
		f, err := r.openRows()
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		in, crc := bufio.NewReaderSize(f, opsBuffer), uint32(0)
		for op, err := range r.ahead() {
			var line []byte
			if err == nil {
				line, err = readLine(in)
				crc = crc32.Update(crc, castagnoli, line)
			}
			switch {
			case err == nil, errors.Is(err, io.EOF): // that it is cut short shows in what is there
				err = r.fill(op, line)
			case op != nil:
				err = &FolderError{"reading plan", err}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(op, nil) {
				return
			}
		}
		if hex8(crc) != r.seal.Rows.CRC {
			yield(nil, &DamagedError{Path: r.rowsPath(), Reason: "it is not what was written"})
		}
	}
}

// ahead reads the lines of the ops while those before are being dealt with.
func (r *runFolder) ahead() iter.Seq2[*plan.Op, error] {
	type batch struct {
		ops []*plan.Op
		err error
	}
	const many = 256
	return func(yield func(*plan.Op, error) bool) {
		batches, enough := make(chan batch, 4), make(chan struct{})
		var reading conc.WaitGroup
		defer reading.Wait()
		defer close(enough)
		reading.Go(func() {
			defer close(batches)
			var b batch
			hand := func() bool {
				select {
				case batches <- b:
					b = batch{}
					return true
				case <-enough:
					return false
				}
			}
			for op, err := range r.Lines() {
				if b.err = err; err == nil {
					b.ops = append(b.ops, op)
				}
				if (err != nil || len(b.ops) == many) && !hand() {
					return
				}
			}
			hand()
		})
		for b := range batches {
			for _, op := range b.ops {
				if !yield(op, nil) {
					return
				}
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
		}
	}
}

// Op reads one op whole.
func (r *runFolder) Op(n int) (*plan.Op, error) {
	offsets, err := r.index()
	if err != nil {
		return nil, err
	}
	line, err := readPart(r.PlanPath(), offsets[n], int(offsets[n+1]-offsets[n]))
	if err != nil {
		return nil, err
	}
	op := new(plan.Op)
	if err := r.decode(line, op); err != nil || op.N != n {
		return nil, &DamagedError{Path: r.PlanPath(), Line: n + 2, Reason: "it is not the op that was written"}
	}
	return op, r.Load(op)
}

// Load reads the payload of an op that [Run.Lines] or [Run.Sends] gave.
func (r *runFolder) Load(op *plan.Op) error {
	if r.header.Version == 1 {
		return nil
	}
	line, err := readPart(r.rowsPath(), op.At, op.Size)
	if err != nil {
		return err
	}
	return r.fill(op, line)
}

// payloadLine is a line of rows.jsonl.
type payloadLine struct {
	N int `json:"n"`
	plan.Payload
}

// fill gives the op the payload in a line of rows.jsonl.
func (r *runFolder) fill(op *plan.Op, line []byte) error {
	p := payloadLine{N: -1}
	if err := json.Unmarshal(line, &p); err != nil || p.N != op.N {
		return &DamagedError{Path: r.rowsPath(), Line: op.N + 1, Offset: op.At, Reason: "it is not the row that was written"}
	}
	op.Payload = p.Payload
	return nil
}

// readPart reads so many bytes of a file from an offset on.
func readPart(path string, at int64, size int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &FolderError{"reading plan", err}
	}
	defer f.Close()
	part := make([]byte, size)
	if _, err := f.ReadAt(part, at); err != nil {
		return nil, &FolderError{"reading plan", err}
	}
	return part, nil
}

// readLine returns a line with its newline, valid until the next call: in is
// copied only where a line does not fit into its buffer.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	line = slices.Clone(line)
	rest, err := in.ReadBytes('\n')
	return append(line, rest...), err
}

// summer counts and sums what is written through it.
type summer struct {
	w   io.Writer
	n   int64
	crc uint32
}

func (s *summer) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.n += int64(n)
	s.crc = crc32.Update(s.crc, castagnoli, p[:n])
	return n, err
}

func (s *summer) measure() measure { return measure{s.n, hex8(s.crc)} }
