package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"eventbatch/batch/plan"
)

// What is read of a plan at a time: for its header alone, and for its ops.
const (
	headerBuffer = 8 << 10
	opsBuffer    = 256 << 10
)

// load reads a run's header. The error is fs.ErrNotExist where there is no plan.
func (w *Workspace) load(id string) (*runFolder, error) {
	r := &runFolder{folder: filepath.Join(w.dir, runsName, id), host: w.host, disk: w.disk, now: w.now}
	f, _, err := r.openPlan(headerBuffer)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r.header.Run != id {
		return nil, &DamagedError{Path: r.planPath(), Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", r.header.Run)}
	}
	return r, nil
}

// openPlan opens the plan and reads its header into r, leaving the reader at
// the first op. That the file is as long as the header says is checked here.
func (r *runFolder) openPlan(buffer int) (*os.File, *bufio.Reader, error) {
	f, err := os.Open(r.planPath())
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
	again := runFolder{folder: r.folder}
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

// errEnough ends the reading of lines early.
var errEnough = errors.New("enough")

// Lines reads the ops in order without their payloads. The last thing that it gives may
// be a [DamagedError]; [Run.Attach] has found that out before anything is sent.
func (r *runFolder) Lines() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		crc, n, words := uint32(0), 0, map[string]string{}
		err := r.lines(func(line []byte) error {
			crc = crc32.Update(crc, castagnoli, line)
			op := new(plan.Op)
			if err := r.decode(line, op, words); err != nil || op.N != n {
				return &DamagedError{Path: r.planPath(), Line: n + 2, Reason: "it is not the op that was written"}
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
			yield(nil, &DamagedError{Path: r.planPath(), Reason: "its ops are not what was written"})
		}
	}
}

// decode reads the line of an op. Texts that many ops have are shared by way of words,
// which may be nil.
func (r *runFolder) decode(line []byte, op *plan.Op, words map[string]string) error {
	if r.header.Version > 1 {
		if quick := (scanner{rest: trim(line), shared: words}); quick.op(op) {
			return nil
		}
		*op = plan.Op{}
	}
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
		scan := scanner{shared: map[string]string{}}
		for op, err := range r.Lines() {
			var line []byte
			if err == nil {
				line, err = readLine(in)
				crc = crc32.Update(crc, castagnoli, line)
			}
			switch {
			case err == nil, errors.Is(err, io.EOF): // that it is cut short shows in what is there
				err = r.fill(op, line, &scan)
			case op != nil:
				err = unusable("reading plan", err)
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

// opReader keeps the files of a plan open.
type opReader struct {
	*runFolder

	offsets    []int64
	plan, rows *os.File
}

// Reader opens the files of the plan, to read ops whole in any order.
func (r *runFolder) Reader() (OpReader, error) {
	o := &opReader{runFolder: r}
	var err error
	if o.offsets, err = r.index(); err != nil {
		return nil, err
	}
	if o.plan, err = os.Open(r.planPath()); err != nil {
		return nil, unusable("opening plan", err)
	}
	if r.header.Version == 1 {
		return o, nil
	}
	if o.rows, err = r.openRows(); err != nil {
		return nil, errors.Join(err, o.plan.Close())
	}
	return o, nil
}

// Op reads one op whole.
func (o *opReader) Op(n int) (*plan.Op, error) {
	line, err := readPart(o.plan, o.offsets[n], int(o.offsets[n+1]-o.offsets[n]))
	if err != nil {
		return nil, err
	}
	op := new(plan.Op)
	if err := o.decode(line, op, nil); err != nil || op.N != n {
		return nil, &DamagedError{Path: o.planPath(), Line: n + 2, Reason: "it is not the op that was written"}
	}
	if o.rows == nil {
		return op, nil
	}
	if line, err = readPart(o.rows, op.At, op.Size); err != nil {
		return nil, err
	}
	return op, o.fill(op, line, &scanner{})
}

// Close closes the files.
func (o *opReader) Close() error {
	if o.rows == nil {
		return o.plan.Close()
	}
	return errors.Join(o.plan.Close(), o.rows.Close())
}

// Load reads the payload of an op that [Run.Lines] or [Run.Sends] gave.
func (r *runFolder) Load(op *plan.Op) error {
	if r.header.Version == 1 {
		return nil
	}
	rows, err := r.openRows()
	if err != nil {
		return err
	}
	defer rows.Close()
	line, err := readPart(rows, op.At, op.Size)
	if err != nil {
		return err
	}
	return r.fill(op, line, &scanner{})
}

// payloadLine is a line of rows.jsonl.
type payloadLine struct {
	N int `json:"n"`
	plan.Payload
}

// fill gives the op the payload in a line of rows.jsonl.
func (r *runFolder) fill(op *plan.Op, line []byte, quick *scanner) error {
	p := payloadLine{N: -1}
	quick.rest, quick.failed = trim(line), false
	if !quick.payload(&p.N, &p.Payload) {
		p = payloadLine{N: -1}
		if json.Unmarshal(line, &p) != nil {
			p.N = -1
		}
	}
	if p.N != op.N {
		return &DamagedError{Path: r.rowsPath(), Line: op.N + 1, Offset: op.At, Reason: "it is not the row that was written"}
	}
	op.Payload = p.Payload
	return nil
}

func trim(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\n'}) }

// readPart reads so many bytes of a file from an offset on.
func readPart(f *os.File, at int64, size int) ([]byte, error) {
	part := make([]byte, size)
	if _, err := f.ReadAt(part, at); err != nil {
		return nil, unusable("reading plan", err)
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
