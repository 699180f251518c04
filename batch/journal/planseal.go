package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"eventbatch/batch/plan"
)

// planVersion is the form of the plan that this package writes. In version 1 a line of
// the plan held its op's payload too, and there was no rows.jsonl.
const planVersion = 2

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
	var h sealedHeader
	if err := json.Unmarshal(line, &h); err != nil || len(line) < sealedFrom {
		damage.Reason = "its header is not JSON"
		return damage
	}
	if h.Version < 1 || h.Version > planVersion {
		return unknownVersion(r.planPath(), h.Version, planVersion)
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

// openRows opens rows.jsonl, which is as long as the header says.
func (r *runFolder) openRows() (*os.File, error) {
	f, err := os.Open(r.rowsPath())
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
