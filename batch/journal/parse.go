package journal

import (
	"encoding/json"
	"hash/crc32"
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
	if !e.scan(line[9:]) {
		e.encoded = encoded{}
		if err := json.Unmarshal(line[9:], &e.encoded); err != nil {
			return false
		}
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

// scan reads the lines that are nearly all of a journal: members that are plain texts or
// numbers. It reports whether the line was one.
func (e *encoded) scan(text []byte) bool {
	s := scanner{rest: text}
	s.members(func(name []byte) {
		if to := e.text(string(name)); to != nil {
			*to = s.text()
			return
		}
		switch string(name) {
		case "t":
			e.T = Type(s.text())
		case "n":
			e.N = s.number()
		case "d":
			e.D = s.number()
		case "at":
			e.At = s.number()
		case "op":
			e.Op = new(int(s.number()))
		case "attempt":
			e.Attempt = int(s.number())
		case "status":
			e.Status = int(s.number())
		default:
			s.fail()
		}
	})
	return s.done()
}

// text returns the member of that name, nil where it is no text.
func (e *encoded) text(name string) *string {
	switch name {
	case "p":
		return &e.P
	case "operation":
		return &e.Operation
	case "kind":
		return &e.Kind
	case "event":
		return &e.Event
	case "key":
		return &e.Key
	case "hash":
		return &e.Hash
	case "code":
		return &e.Code
	}
	return nil
}
