package journal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/plan"
)

// A plan file is one line for the header, then one line an op. The header's
// line begins with planSeal and is padded with spaces to the width reserved for
// it, because the counts are only known when the ops have been written.

// planVersion is the form of the plan file that this package writes.
const planVersion = 1

// What is read of a plan at a time: for its header alone, and for its ops.
const (
	headerBuffer = 8 << 10
	opsBuffer    = 256 << 10
)

// planSeal vouches for a plan file. Its first member has a fixed width.
type planSeal struct {
	Seal  string `json:"seal"`  // CRC-32C of the rest of the line, in eight hex digits
	Body  string `json:"body"`  // CRC-32C of the lines of the ops
	Bytes int64  `json:"bytes"` // of the lines of the ops
	Ops   int    `json:"ops"`
}

// sealedFrom is where the part begins that the seal covers: after `{"seal":"12345678"`.
const sealedFrom = len(`{"seal":"12345678"`)

// sealedHeader is the first line.
type sealedHeader struct {
	planSeal
	plan.Header
}

// idLayout is the part of a run's id that sorts: when it was made, in UTC.
const idLayout = "20060102-150405"

// Create writes a new run whose plan is h and ops. The id, number, version, time
// and counts of h are filled in; rows of sources are read when ops is exhausted, so they may
// be counted while it runs. An error of ops leaves no run behind. For the run to be
// the only one of its number, hold [Workspace.Lock].
func (w *Workspace) Create(h plan.Header, ops iter.Seq2[*plan.Op, error]) (*Run, error) {
	if err := makeFolder(filepath.Join(w.dir, runsName)); err != nil {
		return nil, &FolderError{"creating run", err}
	}
	runs, err := w.loadAll()
	if err != nil {
		return nil, err
	}
	h.Number = 1
	for _, l := range runs {
		if l.err == nil {
			h.Number = max(h.Number, l.number()+1)
		}
	}
	if h.Created.IsZero() {
		h.Created = w.now()
	}
	h.Version = planVersion
	h.Run = h.Created.UTC().Format(idLayout) + "-" + strings.ToLower(rand.Text()[:6])
	folder := filepath.Join(w.dir, runsName, h.Run)
	if err := os.Mkdir(folder, folderMode); err != nil {
		return nil, &FolderError{"creating run", err}
	}
	info, err := os.Stat(folder)
	if err != nil {
		return nil, errors.Join(&FolderError{"creating run", err}, os.RemoveAll(folder))
	}
	h.Home = plan.Home{Host: w.host, Folder: folder, Inode: inode(info)}
	err = replace(filepath.Join(folder, planName), func(f *os.File) error { return writePlan(f, &h, ops) })
	if err == nil {
		err = syncFolder(filepath.Dir(folder))
	}
	if err != nil {
		return nil, errors.Join(&FolderError{"creating run", err}, os.RemoveAll(folder))
	}
	return w.load(h.Run)
}

// writePlan writes the ops behind room for the header, then the header.
func writePlan(f *os.File, h *plan.Header, ops iter.Seq2[*plan.Op, error]) error {
	room, err := headerRoom(h)
	if err != nil {
		return err
	}
	if _, err := f.Seek(int64(room), io.SeekStart); err != nil {
		return err
	}
	sum := &summer{w: f}
	out := bufio.NewWriterSize(sum, opsBuffer)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	h.Counts = plan.Counts{}
	read := 0
	for op, err := range ops {
		if err != nil {
			return err
		}
		if op.N != read {
			return fmt.Errorf("op %d stands at place %d", op.N, read)
		}
		if err := lines.Encode(op); err != nil {
			return fmt.Errorf("op %d: %w", op.N, err)
		}
		h.Counts[op.Action]++
		read++
	}
	if err := out.Flush(); err != nil {
		return err
	}
	line, err := headerLine(h, planSeal{Body: hex8(sum.crc), Bytes: sum.n, Ops: read}, room)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(line, 0)
	return err
}

// headerRoom is the width of a header line with every count at its widest.
func headerRoom(h *plan.Header) (int, error) {
	wide := *h
	const most = math.MaxInt
	wide.Counts = plan.Counts{}
	for _, action := range plan.Actions {
		wide.Counts[action] = most / len(plan.Actions)
	}
	wide.Sources = slices.Clone(h.Sources)
	for i := range wide.Sources {
		wide.Sources[i].Rows = most
	}
	line, err := headerLine(&wide, planSeal{Body: hex8(0), Bytes: math.MaxInt64, Ops: most}, 0)
	return len(line), err
}

// headerLine gives the header's line, at least room bytes long with its newline.
func headerLine(h *plan.Header, s planSeal, room int) ([]byte, error) {
	s.Seal = hex8(0)
	line, err := json.Marshal(sealedHeader{s, *h})
	if err != nil {
		return nil, err
	}
	if room > 0 && len(line)+1 > room {
		return nil, fmt.Errorf("the header grew while the ops were written")
	}
	line = append(line, bytes.Repeat([]byte{' '}, max(room-len(line)-1, 0))...)
	line = append(line, '\n')
	copy(line[len(`{"seal":"`):], hex8(crc32.Checksum(line[sealedFrom:], castagnoli)))
	return line, nil
}

// load reads a run's header. The error is fs.ErrNotExist where there is no plan.
func (w *Workspace) load(id string) (*Run, error) {
	r := &Run{folder: filepath.Join(w.dir, runsName, id), host: w.host, disk: w.disk, now: w.now}
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
func (r *Run) openPlan(buffer int) (*os.File, *bufio.Reader, error) {
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

func (r *Run) readHeader(f *os.File, in *bufio.Reader) error {
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
	if h.Version != planVersion {
		return &VersionError{Path: r.PlanPath(), Have: h.Version, Know: planVersion}
	}
	if h.Seal != hex8(crc32.Checksum(line[sealedFrom:], castagnoli)) {
		damage.Reason = "its header is not what was written"
		return damage
	}
	info, err := f.Stat()
	if err != nil {
		return &FolderError{"reading plan", err}
	}
	if want := int64(len(line)) + h.Bytes; info.Size() != want {
		return &DamagedError{Path: r.PlanPath(), Reason: fmt.Sprintf("it has %d bytes of %d", info.Size(), want)}
	}
	r.header, r.seal = h.Header, h.planSeal
	return nil
}

// verify reads the whole plan against its seal.
func (r *Run) verify() error {
	again := Run{folder: r.folder}
	f, in, err := again.openPlan(opsBuffer)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := &summer{w: io.Discard}
	if _, err := io.Copy(sum, in); err != nil {
		return &FolderError{"reading plan", err}
	}
	if again.seal != r.seal || hex8(sum.crc) != r.seal.Body {
		return &DamagedError{Path: r.PlanPath(), Reason: "its ops are not what was written"}
	}
	return nil
}

// Ops reads the ops in order. The last thing that it gives may be a
// [DamagedError]; [Run.Attach] has found that out before anything is sent.
func (r *Run) Ops() iter.Seq2[*plan.Op, error] { return r.ops(false) }

// Sends reads the ops that send, in order, with what sending them needs: without
// the user's cells, the problems, and the columns that the fields came from.
func (r *Run) Sends() iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		for op, err := range r.ops(true) {
			if (err != nil || op.Action.Sends()) && !yield(op, err) {
				return
			}
		}
	}
}

func (r *Run) ops(brief bool) iter.Seq2[*plan.Op, error] {
	return func(yield func(*plan.Op, error) bool) {
		again := Run{folder: r.folder}
		f, in, err := again.openPlan(opsBuffer)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		if again.seal != r.seal {
			yield(nil, &DamagedError{Path: r.PlanPath(), Line: 1, Reason: "its header has changed"})
			return
		}
		crc := uint32(0)
		for n := range r.seal.Ops {
			line, err := readLine(in)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, &FolderError{"reading plan", err})
				return
			}
			crc = crc32.Update(crc, castagnoli, line)
			op := new(plan.Op)
			if err := decodeOp(line, op, brief); err != nil || op.N != n {
				yield(nil, &DamagedError{Path: r.PlanPath(), Line: n + 2, Reason: "it is not the op that was written"})
				return
			}
			if !yield(op, nil) {
				return
			}
		}
		if hex8(crc) != r.seal.Body {
			yield(nil, &DamagedError{Path: r.PlanPath(), Reason: "its ops are not what was written"})
		}
	}
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

func hex8(v uint32) string { return string(appendHex(nil, v)) }
