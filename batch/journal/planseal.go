package journal

import (
	"encoding/json"
	"hash/crc32"
	"io"

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
	copy(line[len(`{"seal":"`):], hex8(crc32.Checksum(line[sealedFrom:], castagnoli())))
	return line, nil
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
	s.crc = crc32.Update(s.crc, castagnoli(), p[:n])
	return n, err
}

func (s *summer) measure() measure { return measure{s.n, hex8(s.crc)} }

// parseHeader reads the header's line.
func parseHeader(path string, line []byte) (*sealedHeader, error) {
	damage := &DamagedError{Path: path, Line: 1}
	var h sealedHeader
	if err := json.Unmarshal(line, &h); err != nil || len(line) < sealedFrom {
		damage.Reason = "its header is not JSON"
		return nil, damage
	}
	if h.Version < 1 || h.Version > planVersion {
		return nil, unknownVersion(path, h.Version, planVersion)
	}
	if h.Seal != hex8(crc32.Checksum(line[sealedFrom:], castagnoli())) {
		damage.Reason = "its header is not what was written"
		return nil, damage
	}
	return &h, nil
}
