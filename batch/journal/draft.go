package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/own"
)

// idLayout is the part of a run's id that sorts: when it was made, in UTC.
const idLayout = "20060102-150405"

// Draft is a new run while its ops are decided. They go to temporary files as they come, by a
// goroutine of its own; the run appears when the draft is sealed.
type Draft struct {
	header plan.Header
	to     Sink
	folder string          // of its spools
	added  []*plan.Op      // since some were handed over
	ops    int             // so far
	queue  chan []*plan.Op // handed over; nil once it is closed
	done   chan error      // what became of them, once the queue is closed

	passed passed

	// The rest is of the goroutine until then.
	lines, rows *spool
	tally
	offsets []int64 // of the lines
}

// passed counts unchanged rows of which nothing is stored.
type passed struct {
	rows int
	of   map[string]int // by resource, but for events
}

// tally counts what was put down.
type tally struct {
	counts plan.Counts
	row    *plan.Op // the one that was put last, with its ops so far
	sends  int
	agreed int // ops that agree and send nothing
}

// Sink is what makes a run of a draft.
type Sink interface {
	// Appear makes the run appear, whole or not at all, once it was given the next number: see [Drafted.Head].
	Appear(d *Drafted) (*Run, error)
	// Discard removes whatever there is of it, and the temporary files.
	Discard() error
}

// Drafted is a draft that is about to appear. Its files are open, and lie in the folder of the draft.
type Drafted struct {
	Lines, Rows *os.File // of the ops and of their payloads, as they were written
	Offsets     []int64  // of the lines

	header plan.Header
	seal   Seal
}

// Head returns the head of the run, which has a number.
func (d *Drafted) Head(number int) (*Head, error) {
	d.header.Number = number
	return newHead(&d.header, d.seal)
}

// Texts reads the ops.
func (d *Drafted) Texts() iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		_, err := d.Lines.Seek(0, io.SeekStart)
		if err == nil {
			_, err = d.Rows.Seek(0, io.SeekStart)
		}
		lines, rows := bufio.NewReaderSize(d.Lines, opsBuffer), bufio.NewReaderSize(d.Rows, opsBuffer)
		for n := 0; err == nil && n < len(d.Offsets); n++ {
			var text Text
			if text.Line, err = ReadLine(lines); err == nil {
				text.Payload, err = ReadLine(rows)
			}
			if err == nil && !yield(text, nil) {
				return
			}
		}
		if err != nil {
			yield(Text{}, err)
		}
	}
}

// opsBuffer is how much is read of ops at a time.
const opsBuffer = 256 << 10

// ReadLine returns a line with its newline, valid until the next call: in is
// copied only where a line does not fit into its buffer.
func ReadLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	line = slices.Clone(line)
	rest, err := in.ReadBytes('\n')
	return append(line, rest...), err
}

// handed is how many ops are handed over at a time.
const handed = 256

// Change is what becomes of an op after all, once the rows behind it are known.
type Change struct {
	Action  plan.Action
	Reason  string
	Asks    []string
	EventID string
}

// NewID returns the id of a run that is planned at a time.
func NewID(created time.Time) string {
	return created.UTC().Format(idLayout) + "-" + strings.ToLower(rand.Text()[:6])
}

// NewDraft returns the draft of a run, given what a header says of where and when it was planned. Its temporary files
// are in a folder.
func NewDraft(h plan.Header, folder string, to Sink) (*Draft, error) {
	h.Version = planVersion
	d := &Draft{
		header: h, to: to, folder: folder,
		tally: newTally(), queue: make(chan []*plan.Op, 4), done: make(chan error, 1),
	}
	var err error
	if d.lines, err = newSpool(d.spool("plan.jsonl.ops")); err == nil {
		d.rows, err = newSpool(d.spool("rows.jsonl.tmp"))
	}
	go d.write(d.queue)
	if err != nil {
		return nil, errors.Join(Unusable("creating run", err), d.Discard())
	}
	return d, nil
}

func (d *Draft) spool(name string) string { return filepath.Join(d.folder, name) }

// Add takes the ops of the next row over.
func (d *Draft) Add(op *plan.Op) error {
	for op := range op.All() {
		if op.N != d.ops {
			return fmt.Errorf("op %d stands at place %d", op.N, d.ops)
		}
		d.ops++
		if d.added = append(d.added, op); len(d.added) == handed {
			d.queue <- d.added
			d.added = make([]*plan.Op, 0, handed)
		}
	}
	return nil
}

// Pass counts an unchanged row of a resource, empty for events, of which nothing is stored.
func (d *Draft) Pass(resource string) {
	d.passed.rows++
	if catalog.RecordsOf(resource).Keyed() {
		return
	}
	if d.passed.of == nil {
		d.passed.of = map[string]int{}
	}
	d.passed.of[resource]++
}

// write writes down what is handed over, up to the first error.
func (d *Draft) write(queue <-chan []*plan.Op) {
	var err error
	for ops := range queue {
		for _, op := range ops {
			if err == nil {
				err = d.put(op)
			}
		}
	}
	d.done <- err
}

// written returns once all ops are written.
func (d *Draft) written() error {
	if d.queue == nil {
		return nil
	}
	d.queue <- d.added
	close(d.queue)
	d.queue = nil
	return <-d.done
}

func (d *Draft) put(op *plan.Op) error {
	op.At = d.rows.size
	if err := d.rows.write(&payloadLine{op.N, op.Payload}); err != nil {
		return err
	}
	op.Size = int(d.rows.size - op.At)
	return d.putLine(op)
}

func (d *Draft) putLine(op *plan.Op) error {
	d.offsets = append(d.offsets, d.lines.size)
	d.count(op)
	return d.lines.write(op)
}

func newTally() tally { return tally{counts: plan.Counts{}} }

// count counts an op, and its row by what the ops of that so far come to.
func (t *tally) count(op *plan.Op) {
	if op.Action.Sends() {
		t.sends++
	}
	if op.Part == 0 {
		t.row = &plan.Op{Action: op.Action, Resource: op.Resource}
	} else {
		t.counts[t.row.RowAction()]--
		t.row.Parts = append(t.row.Parts, &plan.Op{Action: op.Action})
	}
	t.counts[t.row.RowAction()]++
	if op.Missing {
		t.counts[plan.Missing]++
	}
	if op.Agrees != "" && !op.Action.Sends() {
		t.agreed++
	}
}

// Seal ends the draft and returns the run. For it to be the only one of its number and identity, hold [Store.Lock]. The
// id, number, version, time and counts of h are filled in. The ops that changes names by their index have become
// something else.
func (d *Draft) Seal(h plan.Header, changes map[int]Change) (*Run, error) {
	err := d.written()
	if err == nil {
		err = d.change(changes)
	}
	var run *Run
	if err == nil {
		run, err = d.finish(h)
	}
	if err != nil {
		return nil, errors.Join(Unusable("creating run", err), d.Discard())
	}
	return run, nil
}

func (d *Draft) finish(h plan.Header) (*Run, error) {
	own := d.header
	h.Version, h.Run, h.Created, h.Home, h.Counts = own.Version, own.Run, own.Created, own.Home, d.counts
	h.Further = d.sends - d.counts.Sends()
	h.Agreed, h.Passed, h.PassedOf = d.agreed, d.passed.rows, d.passed.of
	if d.passed.rows > 0 {
		h.Counts[plan.Unchanged] += d.passed.rows
	}
	if err := errors.Join(d.lines.out.Flush(), d.rows.out.Flush()); err != nil {
		return nil, err
	}
	seal := Seal{Ops: len(d.offsets), Lines: d.lines.sum.Measure(), Rows: d.rows.sum.Measure()}
	return d.to.Appear(&Drafted{d.lines.file, d.rows.file, d.offsets, h, seal})
}

// change writes the lines of the ops once more, those that have become something else
// as they are now.
func (d *Draft) change(changes map[int]Change) error {
	if len(changes) == 0 {
		return nil
	}
	before, offsets := d.lines, d.offsets
	if err := before.out.Flush(); err != nil {
		return err
	}
	var err error
	if d.lines, err = newSpool(d.spool("plan.jsonl.changed")); err != nil {
		d.lines = before
		return err
	}
	d.offsets, d.tally = offsets[:0], newTally()
	if _, err = before.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(before.file, opsBuffer)
	for n := range len(offsets) {
		line, err := ReadLine(in)
		if err != nil {
			return err
		}
		var op plan.Op
		if err := DecodeOp(planVersion, line, &op); err != nil {
			return err
		}
		if c, changed := changes[n]; changed {
			op.Action, op.Reason, op.Asks, op.Event.ID = c.Action, c.Reason, c.Asks, c.EventID
		}
		if err := d.putLine(&op); err != nil {
			return err
		}
	}
	return before.close()
}

// Len is the number of ops so far.
func (d *Draft) Len() int { return d.ops }

// Discard removes what was written of a run that is not to be.
func (d *Draft) Discard() error {
	_ = d.written() // it goes
	for _, s := range []*spool{d.lines, d.rows} {
		if s != nil {
			_ = s.file.Close()
		}
	}
	return d.to.Discard()
}

// spool is a file of lines that grows.
type spool struct {
	file *os.File
	sum  *Summer
	out  *bufio.Writer
	line bytes.Buffer
	size int64
}

func newSpool(path string) (*spool, error) {
	f, err := own.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	s := &spool{file: f, sum: &Summer{W: f}}
	s.out = bufio.NewWriterSize(s.sum, opsBuffer)
	return s, nil
}

// put writes a line.
func (s *spool) put(line []byte) error {
	s.size += int64(len(line))
	_, err := s.out.Write(line)
	return err
}

// write writes the line of an op or of a payload.
func (s *spool) write(value any) error {
	s.line.Reset()
	if err := json.MarshalWrite(&s.line, value, writes); err != nil {
		return err
	}
	s.line.WriteByte('\n')
	return s.put(s.line.Bytes())
}

// close ends a spool whose lines have gone elsewhere.
func (s *spool) close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
