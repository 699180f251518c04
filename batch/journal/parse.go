package journal

import (
	"encoding/json"
	"hash/crc32"
	"strconv"
	"unicode/utf8"
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
	v, err := strconv.ParseUint(string(s), 16, 32)
	return uint32(v), err == nil && hex8(uint32(v)) == string(s)
}

// scan reads the lines that are nearly all of a journal: members that are plain texts or
// numbers. It reports whether the line was one, in a tenth of the time of encoding/json.
func (e *encoded) scan(text []byte) bool {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	for rest := text[1 : len(text)-1]; ; rest = rest[1:] {
		name, after, ok := scanText(rest)
		if !ok || len(after) == 0 || after[0] != ':' {
			return false
		}
		if rest, ok = e.scanMember(name, after[1:]); !ok {
			return false
		}
		if len(rest) == 0 {
			return true
		}
		if rest[0] != ',' {
			return false
		}
	}
}

// scanMember reads the value of a member, and returns what follows.
func (e *encoded) scanMember(name, text []byte) (rest []byte, ok bool) {
	if len(text) > 0 && text[0] == '"' {
		value, rest, ok := scanText(text)
		if to := e.text(string(name)); ok && to != nil {
			*to = string(value)
			return rest, true
		}
		if ok && string(name) == "t" {
			e.T = Type(value)
			return rest, true
		}
		return nil, false
	}
	size := 0
	for size < len(text) && text[size]-'0' <= 9 {
		size++
	}
	if size == 0 || size > 18 || size > 1 && text[0] == '0' {
		return nil, false
	}
	n, err := strconv.ParseInt(string(text[:size]), 10, 64)
	if err != nil {
		return nil, false
	}
	switch string(name) {
	case "n":
		e.N = n
	case "d":
		e.D = n
	case "at":
		e.At = n
	case "op":
		e.Op = new(int(n))
	case "attempt":
		e.Attempt = int(n)
	case "status":
		e.Status = int(n)
	default:
		return nil, false
	}
	return text[size:], true
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

// scanText reads a JSON text that stands for itself, and returns what follows.
func scanText(text []byte) (value, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return nil, nil, false
	}
	for i, b := range text[1:] {
		switch {
		case b == '"':
			return text[1 : i+1], text[i+2:], true
		case b == '\\' || b < ' ' || b >= utf8.RuneSelf:
			return nil, nil, false
		}
	}
	return nil, nil, false
}
