package journal

import (
	"encoding/json"
	"hash/crc32"
	"strconv"
)

// entry is a parsed line.
type entry struct {
	chain
	encoded

	crc uint32
}

// parseLine parses a line without its newline. ok is false where the CRC does
// not fit or the text is not a record.
func parseLine(line []byte, e *entry) (ok bool) {
	if len(line) < 10 || line[8] != ' ' {
		return false
	}
	crc, ok := parseHex(line[:8])
	if !ok || crc != crc32.Checksum(line[9:], castagnoli) {
		return false
	}
	*e = entry{crc: crc}
	if err := json.Unmarshal(line[9:], &e.encoded); err != nil {
		return false
	}
	e.chain.n, e.chain.d = e.N, e.D
	e.chain.p, ok = parseHex([]byte(e.P))
	if e.Operation == "" && e.Kind != "" {
		e.Operation = operationOf(e.Kind)
	}
	return ok
}

// parseHex parses eight lower-case hex digits.
func parseHex(s []byte) (uint32, bool) {
	v, err := strconv.ParseUint(string(s), 16, 32)
	return uint32(v), err == nil && hex8(uint32(v)) == string(s)
}
