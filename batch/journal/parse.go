package journal

import (
	"hash/crc32"

	"github.com/go-json-experiment/json"
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
	if !ok || crc != crc32.Checksum(line[9:], castagnoli()) {
		return false
	}
	*e = entry{crc: crc}
	if err := json.Unmarshal(line[9:], &e.encoded, reads); err != nil {
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
	var v uint32
	for _, c := range s {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | uint32(c-'0')
		case 'a' <= c && c <= 'f':
			v = v<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return v, len(s) == 8
}
