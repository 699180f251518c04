package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"eventbatch/batch/plan"
)

// planVersion is the form of the plan that this package writes. In version 1 a line of
// the plan held its op's payload too, and there was no rows.jsonl.
const planVersion = 2

// Seal vouches for a plan. Its first member has a fixed width.
type Seal struct {
	Seal  string  `json:"seal"`          // CRC-32C of the rest of the line, in eight hex digits
	Ops   int     `json:"ops"`           // number of ops
	Lines Measure `json:"lines"`         // the lines of the ops
	Rows  Measure `json:"rows,omitzero"` // those of rows.jsonl
	// Body and Bytes are those of the lines in version 1.
	Body  string `json:"body,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
}

// Head is the header of a plan as it was written.
type Head struct {
	Seal

	Header plan.Header
	Line   []byte // with its newline
}

// Version is the form of the plan.
func (h *Head) Version() int { return h.Header.Version }

// Measure is how many bytes were written, and their CRC-32C.
type Measure struct {
	Bytes int64  `json:"bytes"`
	CRC   string `json:"crc"`
}

// sealedFrom is where the part begins that the seal covers: after `{"seal":"12345678"`.
const sealedFrom = len(`{"seal":"12345678"`)

// sealedHeader is the first line.
type sealedHeader struct {
	Seal
	plan.Header
}

// newHead returns the head of a plan, once it is sealed.
func newHead(h *plan.Header, s Seal) (*Head, error) {
	s.Seal = hex8(0)
	line, err := json.Marshal(sealedHeader{s, *h})
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	s.Seal = hex8(Sum(line[sealedFrom:]))
	copy(line[len(`{"seal":"`):], s.Seal)
	return &Head{s, *h, line}, nil
}

// Sum is the CRC-32C of a text, whose table is made with the first one and not by commands that need none.
func Sum(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

func hex8(v uint32) string { return fmt.Sprintf("%08x", v) }

// Summer counts and sums what is written through it.
type Summer struct {
	W   io.Writer
	N   int64
	CRC uint32
}

func (s *Summer) Write(p []byte) (int, error) {
	n, err := s.W.Write(p)
	s.N += int64(n)
	s.CRC = crc32.Update(s.CRC, crc32.MakeTable(crc32.Castagnoli), p[:n])
	return n, err
}

// Measure returns what was written so far.
func (s *Summer) Measure() Measure { return Measure{s.N, hex8(s.CRC)} }

// ParseHead reads the line of a header, which errors call by a path.
func ParseHead(path string, line []byte) (*Head, error) {
	damage := &DamagedError{Path: path, Line: 1}
	var h sealedHeader
	if err := json.Unmarshal(line, &h); err != nil || len(line) < sealedFrom {
		damage.Reason = "its header is not JSON"
		return nil, damage
	}
	if h.Version < 1 || h.Version > planVersion {
		return nil, UnknownVersion(path, h.Version, planVersion)
	}
	if h.Seal.Seal != hex8(Sum(line[sealedFrom:])) {
		damage.Reason = "its header is not what was written"
		return nil, damage
	}
	return &Head{h.Seal, h.Header, line}, nil
}
