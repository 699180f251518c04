package ooxml

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// What a byte is to the scanner. A byte that stops a run is looked at by itself.
const (
	inName = 1 << iota
	space
	stopsText
	stopsValue
)

var class = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			t[c] = space
		case c == '\r':
			t[c] = space | stopsText | stopsValue
		case c < ' ' || c >= 0x80 || c == '<' || c == '&':
			t[c] = stopsText | stopsValue
		case c == '"' || c == '\'':
			t[c] = stopsValue
		case c == '>':
			t[c] = stopsText
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_:-.", byte(c)) >= 0:
			t[c] = inName
		}
	}
	return t
}()

// startsName reports whether a run of name bytes is a name.
func startsName(name []byte) bool {
	if len(name) == 0 {
		return false
	}
	c := name[0]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// readText reads the text up to the next tag.
func (x *Scanner) readText() Token {
	x.decoded = x.decoded[:0]
retry:
	b, i, odd := x.buf, x.pos, false
	for ; ; i++ {
		for i < len(b) && class[b[i]]&stopsText == 0 {
			i++
		}
		if i == len(b) {
			if x.more() {
				goto retry
			}
			if x.err != nil || len(x.marks) > 0 {
				return x.cut()
			}
			break // white space after the root; the caller looks
		}
		c := b[i]
		if c == '<' {
			break
		}
		switch {
		case c == '&', c == '\r', c >= 0x80:
			odd = true
		case c != '>':
			return x.bad("a character that XML forbids")
		case i >= x.pos+2 && b[i-1] == ']' && b[i-2] == ']':
			return x.bad("]]> outside a CDATA section")
		}
	}
	x.Text = b[x.pos:i]
	if odd {
		x.Text = x.decode(x.Text)
	}
	x.pos = i
	if x.err != nil {
		return TokenError
	}
	return TokenText
}

// decode resolves entities and line ends, and sets err at what cannot be text.
// It gives raw itself where there is nothing to do. Control characters have
// been looked for before.
func (x *Scanner) decode(raw []byte) []byte {
	if !validUTF8(raw) {
		x.bad("bytes that are not UTF-8 text")
		return nil
	}
	i := toDecode(raw)
	if i < 0 {
		return raw
	}
	start := len(x.decoded)
	for i >= 0 {
		x.decoded = append(x.decoded, raw[:i]...)
		if raw[i] == '\r' {
			x.decoded = append(x.decoded, '\n')
			if raw = raw[i+1:]; len(raw) > 0 && raw[0] == '\n' {
				raw = raw[1:]
			}
		} else {
			r, n := entity(raw[i:])
			if n == 0 {
				x.bad("an entity that is not known")
				return nil
			}
			x.decoded, raw = utf8.AppendRune(x.decoded, r), raw[i+n:]
		}
		i = toDecode(raw)
	}
	x.decoded = append(x.decoded, raw...)
	return x.decoded[start:len(x.decoded):len(x.decoded)]
}

// toDecode finds the first byte that does not stand for itself.
func toDecode(b []byte) int {
	for i, c := range b {
		if c == '&' || c == '\r' {
			return i
		}
	}
	return -1
}

// entity reads the reference that b begins with, and its length: 0 for none.
func entity(b []byte) (rune, int) {
	end := bytes.IndexByte(b[:min(len(b), 32)], ';')
	if end < 3 {
		return 0, 0
	}
	switch name := b[1:end]; string(name) {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "apos":
		return '\'', end + 1
	case "quot":
		return '"', end + 1
	default:
		if r, ok := charReference(name); ok {
			return r, end + 1
		}
		return 0, 0
	}
}

// charReference reads #65 or #x41.
func charReference(name []byte) (rune, bool) {
	base := rune(10)
	if name[0] != '#' {
		return 0, false
	}
	if name = name[1:]; name[0] == 'x' {
		base, name = 16, name[1:]
	}
	r := rune(0)
	for _, c := range name {
		d := rune(unhex(c))
		if d < 0 || d >= base {
			return 0, false
		}
		if r = r*base + d; r > utf8.MaxRune {
			return 0, false
		}
	}
	legal := r >= ' ' && utf8.ValidRune(r) && r != 0xFFFE && r != 0xFFFF
	return r, len(name) > 0 && (legal || r == '\t' || r == '\n' || r == '\r')
}

// unhex gives the value of a hexadecimal digit, -1 for another byte.
func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// validChars reports whether b is UTF-8 of characters that XML allows.
func validChars(b []byte) bool {
	for _, c := range b {
		if c < ' ' && class[c]&space == 0 {
			return false
		}
	}
	return validUTF8(b)
}

func validUTF8(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	i := bytes.IndexByte(b, 0xEF) // the first byte of the two characters that XML forbids
	return i < 0 || !bytes.Contains(b[i:], []byte("\uFFFE")) && !bytes.Contains(b[i:], []byte("\uFFFF"))
}

// declaration reads what begins with "<!": it gives TokenEnd for a comment.
func (x *Scanner) declaration() Token {
	const cdata = "<![CDATA["
	switch {
	case x.need(4) && string(x.buf[x.pos:x.pos+4]) == "<!--":
		return x.comment()
	case len(x.marks) > 0 && x.need(len(cdata)) && string(x.buf[x.pos:x.pos+len(cdata)]) == cdata:
		end := x.find(len(cdata), "]]>")
		if end < 0 {
			return x.cut()
		}
		x.Text, x.decoded = x.buf[x.pos+len(cdata):end], x.decoded[:0]
		if !validChars(x.Text) {
			return x.bad("bytes that are not UTF-8 text")
		}
		if bytes.IndexByte(x.Text, '\r') >= 0 {
			x.decoded = append(x.decoded, bytes.ReplaceAll(x.Text, []byte("\r\n"), []byte("\n"))...)
			for i, c := range x.decoded {
				if c == '\r' {
					x.decoded[i] = '\n'
				}
			}
			x.Text = x.decoded
		}
		x.pos = end + 3
		return TokenText
	case x.err != nil:
		return TokenError
	case x.need(3) && class[x.buf[x.pos+2]]&inName != 0:
		x.err = &Flaw{Code: schema.CodeDoctype, Message: "the XML declares a document type, which no workbook needs", Hint: HintResave}
		return TokenError
	}
	return x.bad("a malformed declaration")
}

func (x *Scanner) comment() Token {
	end := x.find(4, "--")
	if end < 0 || !x.need(end+3-x.pos) {
		return x.cut()
	}
	end = x.find(4, "--") // need may have moved it
	if x.buf[end+2] != '>' || !validChars(x.buf[x.pos:end]) {
		return x.bad("a malformed comment")
	}
	x.pos = end + 3
	return TokenEnd
}

// instruction passes over <?…?>.
func (x *Scanner) instruction() bool {
	end := x.find(2, "?>")
	if end < 0 {
		x.cut()
		return false
	}
	content := x.buf[x.pos+2 : end]
	n := 0
	for n < len(content) && class[content[n]]&inName != 0 {
		n++
	}
	if name := content[:n]; !startsName(name) || bytes.EqualFold(name, []byte("xml")) || !validChars(content) ||
		n < len(content) && class[content[n]]&space == 0 {
		x.bad("a malformed processing instruction")
		return false
	}
	x.pos = end + 2
	return true
}

// xmlDeclaration reads <?xml version="1.0" encoding="UTF-8"?>.
func (x *Scanner) xmlDeclaration() {
	end := x.find(2, "?>")
	if end < 0 {
		x.cut()
		return
	}
	for i := x.pos + 5; ; {
		for i < end && class[x.buf[i]]&space != 0 {
			i++
		}
		if i == end {
			break
		}
		a, after := x.readAttr(i)
		if after == 0 || after > end {
			x.bad("a malformed declaration")
			return
		}
		switch string(a.Name) {
		case "version":
			if string(a.Value) != "1.0" {
				x.bad("a version other than 1.0")
				return
			}
		case "encoding":
			if !bytes.EqualFold(a.Value, []byte("utf-8")) {
				x.err = &Flaw{Code: schema.CodeBadEncoding, Message: "the XML is in an encoding other than UTF-8", Hint: HintResave}
				return
			}
		}
		i = after
	}
	x.pos = end + 2
}

// TrimSpace cuts off what is white space to XML.
func TrimSpace(b []byte) []byte { return TrimSpaceRight(TrimSpaceLeft(b)) }

// TrimSpaceLeft cuts off white space at the start.
func TrimSpaceLeft(b []byte) []byte {
	for len(b) > 0 && class[b[0]]&space != 0 {
		b = b[1:]
	}
	return b
}

// TrimSpaceRight cuts off white space at the end.
func TrimSpaceRight(b []byte) []byte {
	for len(b) > 0 && class[b[len(b)-1]]&space != 0 {
		b = b[:len(b)-1]
	}
	return b
}
