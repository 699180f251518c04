package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/own"
)

// idLayout is the part of a run's id that sorts: when it was made, in UTC.
const idLayout = "20060102-150405"

// Draft is a new run while its ops are decided. They go to disk as they come, by a
// goroutine of its own; the run appears when the draft is sealed.
type draft struct {
	run    *run
	to     drafting
	folder string          // of its spools
	added  []*plan.Op      // since some were handed over
	ops    int             // so far
	queue  chan []*plan.Op // handed over; nil once it is closed
	done   chan error      // what became of them, once the queue is closed

	// The rest is of the goroutine until then.
	lines, rows *spool
	counts      plan.Counts
	row         *plan.Op // the one that was put last, with its ops so far
	sends       int
	agreed      int // ops that agree and send nothing
	passed      int
	passedOf    map[string]int // by resource, but for events
	offsets     []int64        // of the lines
	seal        planSeal
}

// handed is how many ops are handed over at a time.
const handed = 256

// Change is what becomes of an op after all, once the rows behind it are known.
type Change struct {
	Action  plan.Action
	Reason  string
	EventID string
}

// drafting is what makes a run of a draft.
type drafting interface {
	// home says where the run will lie.
	home() (plan.Home, error)
	// appear makes the run appear: its header, as a line too, and the lines of both spools.
	appear(d *draft, h *plan.Header, line []byte) error
	// discard removes whatever there is of it, and its spools.
	discard() error
}

// draft begins a run, planned at that time or now.
func (s *runs) draft(created time.Time) (*run, error) {
	all, err := s.loadAll()
	if err != nil {
		return nil, err
	}
	if created.IsZero() {
		created = s.now()
	}
	id := created.UTC().Format(idLayout) + "-" + strings.ToLower(rand.Text()[:6])
	r := &run{now: s.now, header: plan.Header{Version: planVersion, Run: id, Number: 1, Created: created}}
	for _, l := range all {
		if l.err == nil || l.numbered > 0 {
			r.header.Number = max(r.header.Number, l.number()+1)
		}
	}
	return r, nil
}

// newDraft returns the draft of a run, whose spools are in a folder.
func newDraft(r *run, folder string, to drafting) (*draft, error) {
	d := &draft{run: r, to: to, folder: folder, counts: plan.Counts{}, queue: make(chan []*plan.Op, 4), done: make(chan error, 1)}
	var err error
	if d.lines, err = newSpool(d.spool(planName, "ops")); err == nil {
		d.rows, err = newSpool(d.spool(rowsName, "tmp"))
	}
	go d.write(d.queue)
	if err != nil {
		return nil, errors.Join(unusable("creating run", err), d.Discard())
	}
	return d, nil
}

func (d *draft) spool(name, ending string) string { return filepath.Join(d.folder, name+"."+ending) }

// Add takes the ops of the next row over.
func (d *draft) Add(op *plan.Op) error {
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
func (d *draft) Pass(resource string) {
	d.passed++
	if catalog.RecordsOf(resource).Keyed() {
		return
	}
	if d.passedOf == nil {
		d.passedOf = map[string]int{}
	}
	d.passedOf[resource]++
}

// write writes down what is handed over, up to the first error.
func (d *draft) write(queue <-chan []*plan.Op) {
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
func (d *draft) written() error {
	if d.queue == nil {
		return nil
	}
	d.queue <- d.added
	close(d.queue)
	d.queue = nil
	return <-d.done
}

func (d *draft) put(op *plan.Op) error {
	op.At = d.rows.size
	if err := d.rows.write(&payloadLine{op.N, op.Payload}); err != nil {
		return err
	}
	op.Size = int(d.rows.size - op.At)
	return d.putLine(op)
}

func (d *draft) putLine(op *plan.Op) error {
	d.offsets = append(d.offsets, d.lines.size)
	err := d.lines.write(op)
	d.count(op)
	if op.Missing {
		d.counts[plan.Missing]++
	}
	if op.Agrees != "" && !op.Action.Sends() {
		d.agreed++
	}
	return err
}

// count counts the row of an op by what its ops so far come to.
func (d *draft) count(op *plan.Op) {
	if op.Action.Sends() {
		d.sends++
	}
	if op.Part == 0 {
		d.row = &plan.Op{Action: op.Action, Resource: op.Resource}
	} else {
		d.counts[d.row.RowAction()]--
		d.row.Parts = append(d.row.Parts, &plan.Op{Action: op.Action})
	}
	d.counts[d.row.RowAction()]++
}

// Seal ends the draft and returns the run. The id, number, version, time and counts of h
// are filled in. The ops that changes names by their index have become something else.
func (d *draft) Seal(h plan.Header, changes map[int]Change) (Run, error) {
	err := d.written()
	if err == nil {
		err = d.change(changes)
	}
	if err == nil {
		err = d.finish(h)
	}
	if err != nil {
		return nil, errors.Join(unusable("creating run", err), d.Discard())
	}
	return d.run, nil
}

func (d *draft) finish(h plan.Header) error {
	r := d.run
	own := r.header
	h.Version, h.Run, h.Number, h.Created, h.Counts = own.Version, own.Run, own.Number, own.Created, d.counts
	h.Further = d.sends - d.counts.Sends()
	h.Agreed, h.Passed, h.PassedOf = d.agreed, d.passed, d.passedOf
	if d.passed > 0 {
		h.Counts[plan.Unchanged] += d.passed
	}
	var err error
	if h.Home, err = d.to.home(); err != nil {
		return err
	}
	if err := errors.Join(d.lines.out.Flush(), d.rows.out.Flush()); err != nil {
		return err
	}
	d.seal = planSeal{Ops: len(d.offsets), Lines: d.lines.sum.measure(), Rows: d.rows.sum.measure()}
	line, err := headerLine(&h, d.seal)
	if err != nil {
		return err
	}
	d.seal.Seal = hex8(crc32.Checksum(line[sealedFrom:], castagnoli()))
	if err := d.to.appear(d, &h, line); err != nil {
		return err
	}
	r.header, r.seal = h, d.seal
	return nil
}

// change writes the lines of the ops once more, those that have become something else
// as they are now.
func (d *draft) change(changes map[int]Change) error {
	if len(changes) == 0 {
		return nil
	}
	before, offsets := d.lines, d.offsets
	if err := before.out.Flush(); err != nil {
		return err
	}
	var err error
	if d.lines, err = newSpool(d.spool(planName, "changed")); err != nil {
		d.lines = before
		return err
	}
	d.offsets, d.counts, d.sends, d.agreed = offsets[:0], plan.Counts{}, 0, 0
	if _, err = before.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(before.file, opsBuffer)
	for n := range len(offsets) {
		line, err := readLine(in)
		if err != nil {
			return err
		}
		var op plan.Op
		if err := d.run.decode(line, &op); err != nil {
			return err
		}
		if c, changed := changes[n]; changed {
			op.Action, op.Reason, op.Event.ID = c.Action, c.Reason, c.EventID
		}
		if err := d.putLine(&op); err != nil {
			return err
		}
	}
	return before.close()
}

// Len is the number of ops so far.
func (d *draft) Len() int { return d.ops }

// Discard removes what was written of a run that is not to be.
func (d *draft) Discard() error {
	_ = d.written() // it goes
	for _, s := range []*spool{d.lines, d.rows} {
		if s != nil {
			_ = s.file.Close()
		}
	}
	return d.to.discard()
}

// spool is a file of lines that grows.
type spool struct {
	file *os.File
	sum  *summer
	out  *bufio.Writer
	line bytes.Buffer
	size int64
}

func newSpool(path string) (*spool, error) {
	f, err := own.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	s := &spool{file: f, sum: &summer{w: f}}
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
