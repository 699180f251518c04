package journal

import (
	"bufio"
	"errors"
	"hash/crc32"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"

	"eventbatch/batch/plan"
)

// What is read of a plan at a time: for its header alone, and for its ops.
const (
	headerBuffer = 8 << 10
	opsBuffer    = 256 << 10
)

// errEnough ends the reading of lines early.
var errEnough = errors.New("enough")

// Lines reads the ops in order without their payloads. The last thing that it gives may
// be a [DamagedError]; [Run.Attach] has found that out before anything is sent.
func (r *run) Lines() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		crc, n := uint32(0), 0
		err := r.lines(func(line []byte) error {
			crc = crc32.Update(crc, castagnoli(), line)
			op := new(plan.Op)
			err := r.decode(line, op)
			fits := op.N == n
			if r.part != nil {
				fits = op.N >= n && slices.Contains(r.part.calendars, op.Event.Calendar)
			}
			if err != nil || !fits {
				return &DamagedError{Path: r.planPath(), Line: n + 2, Reason: "it is not the op that was written"}
			}
			n = op.N + 1
			if !yield(op, nil) {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			yield(nil, err)
		case r.part == nil && hex8(crc) != r.seal.Lines.CRC:
			yield(nil, &DamagedError{Path: r.planPath(), Reason: "its ops are not what was written"})
		}
	}
}

// decode reads the line of an op.
func (r *run) decode(line []byte, op *plan.Op) error {
	if err := json.Unmarshal(line, op, reads); err != nil || r.header.Version > 1 {
		return err
	}
	var old struct {
		plan.Payload

		Row struct{ Cells []string }
	}
	if err := json.Unmarshal(line, &old, reads); err != nil {
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
func (r *run) Sends() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range r.Lines() {
			if (err != nil || op.Action.Sends()) && !yield(op, err) {
				return
			}
		}
	}
}

// Ops reads the ops in order, each whole. See [Run.Lines].
func (r *run) Ops() iter.Seq2[*plan.Op, error] {
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
		for op, err := range r.Lines() {
			var line []byte
			if err == nil {
				line, err = readLine(in)
				crc = crc32.Update(crc, castagnoli(), line)
			}
			switch {
			case err == nil, errors.Is(err, io.EOF): // that it is cut short shows in what is there
				err = r.fill(op, line)
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
		if r.part == nil && hex8(crc) != r.seal.Rows.CRC {
			yield(nil, &DamagedError{Path: r.rowsPath(), Reason: "it is not what was written"})
		}
	}
}

// opReader reads single ops.
type opReader struct {
	run *run
	picker
}

// Reader reads ops whole in any order.
func (r *run) Reader() (OpReader, error) {
	p, err := r.picker()
	if err != nil {
		return nil, err
	}
	return &opReader{r, p}, nil
}

// Op reads one op whole.
func (o *opReader) Op(n int) (*plan.Op, error) {
	line, row, err := o.line(n)
	if err != nil {
		return nil, err
	}
	op := new(plan.Op)
	if err := o.run.decode(line, op); err != nil || op.N != n {
		return nil, &DamagedError{Path: o.run.planPath(), Line: n + 2, Reason: "it is not the op that was written"}
	}
	if o.run.header.Version == 1 {
		return op, nil
	}
	if row == nil {
		if row, err = o.row(op); err != nil {
			return nil, err
		}
	}
	return op, o.run.fill(op, row)
}

// Load reads the payload of an op that [Run.Lines] or [Run.Sends] gave.
func (r *run) Load(op *plan.Op) error {
	if r.header.Version == 1 {
		return nil
	}
	line, err := r.row(op)
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
func (r *run) fill(op *plan.Op, line []byte) error {
	p := payloadLine{N: -1}
	if err := json.Unmarshal(line, &p, reads); err != nil || p.N != op.N {
		return &DamagedError{Path: r.rowsPath(), Line: op.N + 1, Offset: op.At, Reason: "it is not the row that was written"}
	}
	op.Payload = p.Payload
	return nil
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
