package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"unicode/utf8"

	"eventbatch/batch/plan"
)

// entry is a parsed line. Its texts lie in the line's buffer: whoever keeps one
// copies it.
type entry struct {
	chain
	crc      uint32
	typ      Type
	at       int64 // Unix milliseconds
	op       int
	kind     plan.Action
	attempt  int
	event    []byte
	key      []byte
	hash     []byte
	code     []byte
	status   int
	error    []byte
	fields   []FieldError
	requests Requests
	rest     *wire // of a line that encoding/json read
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
	if !parseQuick(line[9:], e) {
		if err := parseSlow(line[9:], e); err != nil {
			return false
		}
	}
	e.crc = crc
	return true
}

// parseSlow parses any JSON object of the form.
func parseSlow(text []byte, e *entry) error {
	var w wire
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	p, ok := parseHex([]byte(w.P))
	if !ok {
		return fmt.Errorf("parsing CRC %q", w.P)
	}
	*e = entry{
		chain: chain{n: w.N, p: p, d: w.D}, typ: w.T, at: w.At, op: w.Op, kind: plan.Action(w.Kind), attempt: w.Attempt,
		event: []byte(w.Event), key: []byte(w.Key), hash: []byte(w.Hash), code: []byte(w.Code),
		status: w.Status, error: []byte(w.Error), fields: w.Fields,
		requests: Requests{Sent: w.Sent, Reads: w.Reads, Throttled: w.Throttled}, rest: &w,
	}
	return nil
}

// parseQuick parses what appendRecord writes: the fields in its order, numbers
// without sign or exponent, texts without escapes. It gives up, having written
// to e or not, at anything else.
func parseQuick(text []byte, e *entry) bool {
	*e = entry{}
	c := cursor{text: text}
	if !c.try(`{"n":`) {
		return false
	}
	e.n = c.number()
	if !c.try(`,"p":"`) || len(c.text)-c.at < 8 {
		return false
	}
	p, ok := parseHex(c.text[c.at : c.at+8])
	if !ok {
		return false
	}
	e.p = p
	c.at += 8
	if !c.try(`","d":`) {
		return false
	}
	e.d = c.number()
	if !c.try(`,"t":`) {
		return false
	}
	if e.typ = knownType(c.str()); e.typ == "" {
		return false
	}
	if c.try(`,"at":`) {
		e.at = c.number()
	}
	if c.try(`,"op":`) {
		e.op = int(c.number())
	}
	if c.try(`,"kind":`) {
		if e.kind = knownKind(c.str()); e.kind == "" {
			return false
		}
	}
	if c.try(`,"attempt":`) {
		e.attempt = int(c.number())
	}
	if c.try(`,"event":`) {
		e.event = c.str()
	}
	if c.try(`,"key":`) {
		e.key = c.str()
	}
	if c.try(`,"hash":`) {
		e.hash = c.str()
	}
	if c.try(`,"code":`) {
		e.code = c.str()
	}
	if c.try(`,"status":`) {
		e.status = int(c.number())
	}
	if c.try(`,"error":`) {
		e.error = c.str()
	}
	if c.try(`,"fields":[`) {
		e.fields = c.fieldErrors()
	}
	if c.try(`,"sent":`) {
		e.requests.Sent = int(c.number())
	}
	if c.try(`,"reads":`) {
		e.requests.Reads = int(c.number())
	}
	if c.try(`,"throttled":`) {
		e.requests.Throttled = int(c.number())
	}
	return c.try(`}`) && !c.bad && c.at == len(text)
}

// cursor walks over a line. Once bad it stays so.
type cursor struct {
	text []byte
	at   int
	bad  bool
}

// try steps over s where it is next.
func (c *cursor) try(s string) bool {
	if len(c.text)-c.at < len(s) || string(c.text[c.at:c.at+len(s)]) != s {
		return false
	}
	c.at += len(s)
	return true
}

// number steps over digits: no sign, no leading zero, at most 18, so that no
// sum overflows.
func (c *cursor) number() (v int64) {
	start := c.at
	for c.at < len(c.text) && c.text[c.at]-'0' <= 9 {
		v = v*10 + int64(c.text[c.at]-'0')
		c.at++
	}
	if n := c.at - start; n == 0 || n > 18 || n > 1 && c.text[start] == '0' {
		c.bad = true
		return 0
	}
	if int64(int(v)) != v {
		c.bad = true
	}
	return v
}

// str steps over a JSON string that stands for itself.
func (c *cursor) str() []byte {
	if !c.try(`"`) {
		c.bad = true
		return nil
	}
	start, wide := c.at, false
	for ; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			s := c.text[start:c.at]
			c.at++
			c.bad = c.bad || wide && !utf8.Valid(s)
			return s
		case b == '\\' || b < ' ':
			c.bad = true
			return nil
		case b >= utf8.RuneSelf:
			wide = true
		}
	}
	c.bad = true
	return nil
}

// fieldErrors steps over the rest of an array of them.
func (c *cursor) fieldErrors() (fields []FieldError) {
	for !c.bad {
		var f FieldError
		if !c.try(`{"path":`) {
			break
		}
		f.Path = string(c.str())
		if !c.try(`,"reason":`) {
			break
		}
		f.Reason = string(c.str())
		if !c.try(`}`) {
			break
		}
		fields = append(fields, f)
		if c.try(`]`) {
			return fields
		}
		if !c.try(`,`) {
			break
		}
	}
	c.bad = true
	return nil
}

// parseHex parses eight lower-case hex digits.
func parseHex(s []byte) (v uint32, ok bool) {
	if len(s) != 8 {
		return 0, false
	}
	for _, b := range s {
		switch {
		case b-'0' <= 9:
			v = v<<4 | uint32(b-'0')
		case b-'a' <= 5:
			v = v<<4 | uint32(b-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// knownType gives the type without allocating, empty where there is none.
func knownType(s []byte) Type {
	for _, t := range [...]Type{Intent, OK, No, Fail, Doubt, Resolved, Skip, End, Attach, Open} {
		if string(s) == string(t) {
			return t
		}
	}
	return ""
}

// knownKind does the same for the kind of an op.
func knownKind(s []byte) plan.Action {
	for _, k := range kinds {
		if string(s) == string(k) {
			return k
		}
	}
	return ""
}

// kinds are the ops that send, by the number that stands for them in [OpState].
var kinds = [...]plan.Action{"", plan.Create, plan.Update, plan.Cancel}

func kindNumber(k plan.Action) (uint8, error) {
	for i, known := range kinds {
		if k == known {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("a record of kind %s", strconv.Quote(string(k)))
}
