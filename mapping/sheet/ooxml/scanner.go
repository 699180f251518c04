package ooxml

import (
	"bytes"
)

// The scanner's bounds.
const (
	maxDepth = 128
	maxAttrs = 128
)

// Attr is an attribute of the current start tag: its name as written, its value decoded.
type Attr struct {
	Name, Value []byte
}

// Scanner reads the tokens of one XML document that comes in blocks. It takes
// namespace-well-formed UTF-8 without a document type and refuses everything
// else; names must be ASCII. Its slices are good until the next token is read.
type Scanner struct {
	Space Namespace // of the current start tag
	Local []byte    // its name, without a prefix
	Attrs []Attr
	Text  []byte // of the current text

	document
	elements
	opened  bool   // the document's first bytes have been looked at
	rooted  bool   // the root element has begun
	empty   bool   // the current start tag closes itself
	decoded []byte // of the current token, where it differs from the file
}

// NewScanner makes a scanner of the next document that a source gives.
func NewScanner(src Source) *Scanner { return &Scanner{document: document{src: src}} }

// Err tells what ended the scanning: a [*Flaw], or what the source gave. It is nil
// while nothing has, and at the end of the document.
func (x *Scanner) Err() error { return x.err }

// Depth is how many elements are open.
func (x *Scanner) Depth() int { return len(x.marks) }

// Closed reports whether the start tag just read closes its element too, as <a/> does.
func (x *Scanner) Closed() bool { return x.empty }

// Next reads a token. Comments and processing instructions are passed over.
func (x *Scanner) Next() Token {
	if x.empty {
		x.empty = false
		x.pop()
		return TokenEnd
	}
	if x.err != nil || !x.opened && !x.open() {
		return TokenError
	}
	for {
		if x.pos == len(x.buf) && !x.more() {
			return x.end()
		}
		if x.buf[x.pos] != '<' {
			if t := x.readText(); t != TokenText || len(x.marks) > 0 {
				return t
			}
			if !isBlank(x.Text) {
				return x.bad("text outside the root element")
			}
			continue
		}
		if !x.need(2) {
			return x.cut()
		}
		switch x.buf[x.pos+1] {
		case '/':
			return x.endTag()
		case '?':
			if !x.instruction() {
				return TokenError
			}
		case '!':
			if t := x.declaration(); t != TokenEnd {
				return t
			}
		default:
			return x.startTag()
		}
	}
}

// Skip passes over the rest of the element whose start tag was just read.
func (x *Scanner) Skip() error {
	for depth := len(x.marks); len(x.marks) >= depth; {
		if x.Next() == TokenError {
			return x.err
		}
	}
	return nil
}

// Attr gives the value of an attribute without a prefix, or written just so.
func (x *Scanner) Attr(name string) ([]byte, bool) {
	for i := range x.Attrs {
		if string(x.Attrs[i].Name) == name {
			return x.Attrs[i].Value, true
		}
	}
	return nil, false
}

func (x *Scanner) startTag() Token {
	if len(x.marks) == 0 && x.rooted {
		return x.bad("a second root element")
	}
retry:
	b, i := x.buf, x.pos+1
	for i < len(b) && class[b[i]]&inName != 0 {
		i++
	}
	name, declares := b[x.pos+1:i], false
	x.Attrs, x.decoded = x.Attrs[:0], x.decoded[:0]
	for {
		gap := i
		for i < len(b) && class[b[i]]&space != 0 {
			i++
		}
		if i+1 >= len(b) && (i == len(b) || b[i] != '>') {
			if x.more() {
				goto retry
			}
			return x.cut()
		}
		if b[i] == '>' {
			i++
			break
		}
		if b[i] == '/' && b[i+1] == '>' {
			i += 2
			x.empty = true
			break
		}
		if gap == i || len(x.Attrs) == maxAttrs {
			return x.bad("a malformed tag")
		}
		a, after := x.readAttr(i)
		if after == 0 {
			if x.err == nil && x.more() {
				goto retry
			}
			return x.cut()
		}
		x.Attrs = append(x.Attrs, a)
		declares = declares || len(a.Name) >= 5 && a.Name[0] == 'x' && string(a.Name[:3]) == "xml"
		i = after
	}
	if !startsName(name) || x.repeats() || len(x.marks) == maxDepth {
		x.empty = false
		return x.bad("a malformed tag")
	}
	x.pos, x.rooted = i, true
	x.marks = append(x.marks, len(x.names))
	x.names = append(x.names, name...)
	bound := !declares || x.bind(x.Attrs)
	var ok bool
	if x.Space, x.Local, ok = x.resolve(name); !bound || !ok {
		x.empty = false
		return x.bad("a malformed name")
	}
	return TokenStart
}

// readAttr reads the attribute at i and tells where it ends: 0 for one that is
// malformed (then err is set) or not held whole.
func (x *Scanner) readAttr(i int) (Attr, int) {
	b, from := x.buf, i
	for i < len(b) && class[b[i]]&inName != 0 {
		i++
	}
	name := b[from:i]
	for i < len(b) && class[b[i]]&space != 0 {
		i++
	}
	if i < len(b) && (b[i] != '=' || !startsName(name) || len(name) > 1 && !isQualified(name)) {
		x.bad("a malformed attribute")
		return Attr{}, 0
	}
	for i++; i < len(b) && class[b[i]]&space != 0; {
		i++
	}
	if i >= len(b) {
		return Attr{}, 0
	}
	quote := b[i]
	if quote != '"' && quote != '\'' {
		x.bad("an attribute without quotes")
		return Attr{}, 0
	}
	i++
	from, odd := i, false
	for ; ; i++ {
		for i < len(b) && class[b[i]]&stopsValue == 0 {
			i++
		}
		if i == len(b) {
			return Attr{}, 0
		}
		switch c := b[i]; {
		case c == quote:
			value := b[from:i]
			if odd {
				value = x.decode(value)
			}
			return Attr{name, value}, i + 1
		case c == '&', c == '\r', c >= 0x80:
			odd = true
		case c != '"' && c != '\'':
			x.bad("a character that XML forbids in an attribute")
			return Attr{}, 0
		}
	}
}

// isQualified reports whether a name has no colon, or one with something behind it.
func isQualified(name []byte) bool {
	colon := bytes.IndexByte(name, ':')
	return colon < 0 || startsName(name[colon+1:]) && bytes.IndexByte(name[colon+1:], ':') < 0
}

// repeats reports whether the current tag names an attribute twice.
func (x *Scanner) repeats() bool {
	for i := 1; i < len(x.Attrs); i++ {
		name := x.Attrs[i].Name
		for j := range i {
			if other := x.Attrs[j].Name; len(other) == len(name) && other[0] == name[0] && string(other) == string(name) {
				return true
			}
		}
	}
	return false
}

func (x *Scanner) endTag() Token {
	if len(x.marks) == 0 {
		return x.bad("an end tag without its start")
	}
	name := x.names[x.marks[len(x.marks)-1]:]
retry:
	i := x.pos + 2 + len(name)
	for i < len(x.buf) && class[x.buf[i]]&space != 0 {
		i++
	}
	if i >= len(x.buf) {
		if x.more() {
			goto retry
		}
		return x.cut()
	}
	if from := x.pos + 2; string(x.buf[from:from+len(name)]) != string(name) || x.buf[i] != '>' {
		return x.bad("an end tag that does not fit its start")
	}
	x.pos = i + 1
	x.pop()
	return TokenEnd
}

// end is reached where the document has no more bytes.
func (x *Scanner) end() Token {
	if x.err == nil && x.rooted && len(x.marks) == 0 {
		return TokenEOF
	}
	return x.cut()
}

// isBlank reports whether text is XML white space only.
func isBlank(text []byte) bool {
	for _, c := range text {
		if class[c]&space == 0 {
			return false
		}
	}
	return true
}

// open looks at the document's first bytes: the encoding must be UTF-8.
func (x *Scanner) open() bool {
	x.opened = true
	if x.need(3) && string(x.buf[x.pos:x.pos+3]) == "\xEF\xBB\xBF" {
		x.pos += 3
	}
	if x.need(6) && string(x.buf[x.pos:x.pos+5]) == "<?xml" && class[x.buf[x.pos+5]]&space != 0 {
		x.xmlDeclaration()
	}
	return x.err == nil
}

// AttrIn gives the value of an attribute by its namespace, whatever its prefix.
func (x *Scanner) AttrIn(space Namespace, local string) ([]byte, bool) {
	for i := range x.Attrs {
		prefix, name, found := bytes.Cut(x.Attrs[i].Name, []byte(":"))
		if !found || string(name) != local {
			continue
		}
		if s, ok := x.bound(prefix); ok && s == space {
			return x.Attrs[i].Value, true
		}
	}
	return nil, false
}
