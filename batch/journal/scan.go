package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// scanner reads JSON as this package writes it, in a tenth of the time of encoding/json,
// which has to read what the scanner fails at.
type scanner struct {
	rest   []byte
	failed bool
	shared map[string]string // texts that many lines have; nil where none are
	width  int               // cells of the line before
}

// maxShared bounds the texts that are shared.
const maxShared = 1 << 10

func (s *scanner) fail() { s.failed, s.rest = true, nil }

// done reports whether everything was read.
func (s *scanner) done() bool { return !s.failed && len(s.rest) == 0 }

// take reports whether a byte comes next, and reads it.
func (s *scanner) take(b byte) bool {
	if len(s.rest) == 0 || s.rest[0] != b {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// members reads an object. member has to read the value of each.
func (s *scanner) members(member func(name []byte)) {
	if !s.take('{') {
		s.fail()
	}
	if s.take('}') {
		return
	}
	for !s.failed {
		name, plain := s.literal()
		if !plain || !s.take(':') {
			s.fail()
			return
		}
		if member(name[1 : len(name)-1]); s.take('}') {
			return
		}
		if !s.take(',') {
			s.fail()
		}
	}
}

// items reads an array. item has to read each.
func (s *scanner) items(item func()) {
	if !s.take('[') {
		s.fail()
	}
	if s.take(']') {
		return
	}
	for !s.failed {
		if item(); s.take(']') {
			return
		}
		if !s.take(',') {
			s.fail()
		}
	}
}

// literal reads a text with its quotation marks. plain means that it stands for itself.
func (s *scanner) literal() (text []byte, plain bool) {
	if len(s.rest) == 0 || s.rest[0] != '"' {
		s.fail()
		return nil, false
	}
	plain = true
	ascii := true
	for i := 1; i < len(s.rest); i++ {
		switch b := s.rest[i]; {
		case b == '"':
			text, s.rest = s.rest[:i+1], s.rest[i+1:]
			return text, plain && (ascii || utf8.Valid(text))
		case b == '\\':
			plain = false
			i++
		case b < ' ':
			plain = false
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.fail()
	return nil, false
}

// text reads a text.
func (s *scanner) text() string {
	text, plain := s.literal()
	if plain {
		return string(text[1 : len(text)-1])
	}
	var value string
	if json.Unmarshal(text, &value) != nil {
		s.fail()
	}
	return value
}

// word reads a text that many lines have.
func (s *scanner) word() string {
	before := s.rest
	text, plain := s.literal()
	if !plain {
		s.rest = before
		return s.text()
	}
	return s.share(text[1 : len(text)-1])
}

// share returns the one string that there is of a text.
func (s *scanner) share(text []byte) string {
	word, known := s.shared[string(text)]
	if !known {
		word = string(text)
		if s.shared != nil && len(s.shared) < maxShared {
			s.shared[word] = word
		}
	}
	return word
}

// number reads an integer of up to eighteen digits.
func (s *scanner) number() (n int64) {
	negative := s.take('-')
	size := 0
	for ; size < len(s.rest) && s.rest[size]-'0' <= 9; size++ {
		n = n*10 + int64(s.rest[size]-'0')
	}
	if size == 0 || size > 18 || size > 1 && s.rest[0] == '0' {
		s.fail()
		return 0
	}
	s.rest = s.rest[size:]
	if negative {
		return -n
	}
	return n
}

// yes reads true, the only truth value that is written.
func (s *scanner) yes() bool {
	rest, ok := bytes.CutPrefix(s.rest, []byte("true"))
	if s.rest = rest; !ok {
		s.fail()
	}
	return ok
}

// object reads an object as it stands.
func (s *scanner) object() []byte {
	whole, depth := s.rest, 0
	if len(whole) == 0 || whole[0] != '{' {
		s.fail()
	}
	for len(s.rest) > 0 {
		switch s.rest[0] {
		case '"':
			s.literal()
		case '{', '[':
			depth++
			s.rest = s.rest[1:]
		case '}', ']':
			depth--
			s.rest = s.rest[1:]
		default:
			s.rest = s.rest[1:]
			continue // a comma, a colon, or a part of a number or word
		}
		if depth <= 0 {
			break
		}
	}
	if s.failed || depth != 0 {
		s.fail()
		return nil
	}
	return whole[:len(whole)-len(s.rest)]
}

// liner appends an object, leaving out what is zero.
type liner struct{ line []byte }

func (l *liner) begin(name string) {
	if n := len(l.line); n > 0 && l.line[n-1] != '{' && l.line[n-1] != '[' {
		l.line = append(l.line, ',')
	}
	l.line = append(append(append(l.line, '"'), name...), '"', ':')
}

func (l *liner) number(name string, n int64) {
	if n != 0 {
		l.index(name, int(n))
	}
}

// index appends a number, zero too.
func (l *liner) index(name string, n int) {
	l.begin(name)
	l.line = strconv.AppendInt(l.line, int64(n), 10)
}

func (l *liner) yes(name string, so bool) {
	if so {
		l.begin(name)
		l.line = append(l.line, "true"...)
	}
}

func (l *liner) text(name, text string) {
	if text != "" {
		l.begin(name)
		l.line = appendText(l.line, text)
	}
}

// value appends a value that is JSON already.
func (l *liner) value(name string, value []byte) {
	if len(value) > 0 {
		l.begin(name)
		l.line = append(l.line, value...)
	}
}

// appendText appends a text in JSON.
func appendText(dst []byte, text string) []byte {
	plain := utf8.ValidString(text)
	for i := range len(text) {
		plain = plain && text[i] != '"' && text[i] != '\\' && text[i] >= ' '
	}
	if !plain {
		quoted, _ := json.Marshal(text) // which takes any text
		return append(dst, quoted...)
	}
	return append(append(append(dst, '"'), text...), '"')
}
