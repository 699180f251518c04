package journal

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/mapping/durable"
)

// idLayout is the part of a run's id that sorts: when it was made, in UTC.
const idLayout = "20060102-150405"

// Draft is a new run while its ops are decided. They go to disk as they come, by a
// goroutine of its own; the run appears when the draft is sealed.
type draft struct {
	run   *runFolder
	added []*plan.Op      // since some were handed over
	ops   int             // so far
	queue chan []*plan.Op // handed over; nil once it is closed
	done  chan error      // what became of them, once the queue is closed

	// The rest is of the goroutine until then.
	lines, rows *spool
	counts      plan.Counts
	agreed      int // ops that agree and send nothing
	passed      int
	passedOf    map[string]int // by resource, but for events
	line        []byte
}

// handed is how many ops are handed over at a time.
const handed = 256

// Change is what becomes of an op after all, once the rows behind it are known.
type Change struct {
	Action  plan.Action
	Reason  string
	EventID string
}

// Draft begins a run, planned at that time or now. For it to be the only one of its
// number, hold [Workspace.Lock] until it is sealed or discarded.
func (w *Workspace) Draft(created time.Time) (Draft, error) {
	if err := makeFolder(filepath.Join(w.dir, runsName)); err != nil {
		return nil, unusable("creating run", err)
	}
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	if created.IsZero() {
		created = w.now()
	}
	id := created.UTC().Format(idLayout) + "-" + strings.ToLower(rand.Text()[:6])
	run := &runFolder{folder: filepath.Join(w.dir, runsName, id), host: w.host, disk: w.disk, now: w.now, written: true}
	run.header = plan.Header{Version: planVersion, Run: id, Number: 1, Created: created}
	for _, l := range runs {
		if l.err == nil {
			run.header.Number = max(run.header.Number, l.number()+1)
		}
	}
	if err := os.Mkdir(run.folder, folderMode); err != nil {
		return nil, unusable("creating run", err)
	}
	d := &draft{run: run, counts: plan.Counts{}, queue: make(chan []*plan.Op, 4), done: make(chan error, 1)}
	if d.lines, err = newSpool(run.planPath() + ".ops"); err == nil {
		d.rows, err = newSpool(run.rowsPath() + ".tmp")
	}
	go d.write(d.queue)
	if err != nil {
		return nil, errors.Join(unusable("creating run", err), d.Discard())
	}
	return d, nil
}

// Add takes the next op over.
func (d *draft) Add(op *plan.Op) error {
	if op.N != d.ops {
		return fmt.Errorf("op %d stands at place %d", op.N, d.ops)
	}
	d.ops++
	if d.added = append(d.added, op); len(d.added) == handed {
		d.queue <- d.added
		d.added = make([]*plan.Op, 0, handed)
	}
	return nil
}

// Pass counts an unchanged row of a resource, empty for events, of which nothing is stored.
func (d *draft) Pass(resource string) {
	d.passed++
	if resource == "" {
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
	var err error
	if d.line, err = appendPayload(d.line[:0], op.N, &op.Payload); err == nil {
		err = d.rows.put(d.line)
	}
	if err != nil {
		return err
	}
	op.Size = len(d.line)
	return d.putLine(op)
}

func (d *draft) putLine(op *plan.Op) error {
	d.run.offsets = append(d.run.offsets, d.lines.size)
	var err error
	if d.line, err = appendOp(d.line[:0], op); err == nil {
		err = d.lines.put(d.line)
	}
	d.counts[op.Action]++
	if op.Missing {
		d.counts[plan.Missing]++
	}
	if op.Agrees != "" && !op.Action.Sends() {
		d.agreed++
	}
	return err
}

// Seal ends the draft and returns the run. The id, number, version, time and counts of h
// are filled in. The ops that changes names by their index have become something else.
func (d *draft) Seal(h plan.Header, changes map[int]Change) (Run, error) {
	err := d.written()
	if err == nil {
		err = d.change(changes)
	}
	if err == nil {
		err = d.seal(h)
	}
	if err != nil {
		return nil, errors.Join(unusable("creating run", err), d.Discard())
	}
	return d.run, nil
}

func (d *draft) seal(h plan.Header) error {
	r := d.run
	own := r.header
	h.Version, h.Run, h.Number, h.Created, h.Counts = own.Version, own.Run, own.Number, own.Created, d.counts
	h.Agreed, h.Passed, h.PassedOf = d.agreed, d.passed, d.passedOf
	if d.passed > 0 {
		h.Counts[plan.Unchanged] += d.passed
	}
	info, err := os.Stat(r.folder)
	if err != nil {
		return err
	}
	h.Home = plan.Home{Host: r.host, Folder: r.folder, Inode: inode(info)}
	if err := errors.Join(d.lines.out.Flush(), d.rows.out.Flush()); err != nil {
		return err
	}
	seal := planSeal{Ops: len(r.offsets), Lines: d.lines.sum.measure(), Rows: d.rows.sum.measure()}
	line, err := headerLine(&h, seal)
	if err != nil {
		return err
	}
	if err := d.rows.file.Sync(); err != nil {
		return err
	}
	if err := errors.Join(d.rows.file.Close(), os.Rename(d.rows.file.Name(), r.rowsPath())); err != nil {
		return err
	}
	err = durable.Replace(r.planPath(), fileMode, func(w io.Writer) error {
		_, err := w.Write(line)
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
	for i := range r.offsets {
		r.offsets[i] += int64(len(line))
	}
	r.offsets = append(r.offsets, int64(len(line))+seal.Lines.Bytes)
	r.header, r.seal, r.first = h, seal, int64(len(line))
	r.seal.Seal = hex8(crc32.Checksum(line[sealedFrom:], castagnoli))
	return err
}

// change writes the lines of the ops once more, those that have become something else
// as they are now.
func (d *draft) change(changes map[int]Change) error {
	if len(changes) == 0 {
		return nil
	}
	before, offsets := d.lines, d.run.offsets
	if err := before.out.Flush(); err != nil {
		return err
	}
	var err error
	if d.lines, err = newSpool(d.run.planPath() + ".changed"); err != nil {
		d.lines = before
		return err
	}
	d.run.offsets, d.counts, d.agreed = offsets[:0], plan.Counts{}, 0
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
		if err := d.run.decode(line, &op, nil); err != nil {
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
	err := os.RemoveAll(d.run.folder)
	_ = os.Remove(filepath.Dir(d.run.folder)) // which works where it is the first run
	return err
}

// spool is a file of lines that grows.
type spool struct {
	file *os.File
	sum  *summer
	out  *bufio.Writer
	size int64
}

func newSpool(path string) (*spool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
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

// close ends a spool whose lines have gone elsewhere.
func (s *spool) close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
