package sheet

import (
	"io"
	"strings"

	"eventbatch/mapping/schema"
)

// token is what an xmlScanner has just read.
type token uint8

const (
	tokenError token = iota // err says why
	tokenStart              // space, local and attrs hold the tag; its end follows, also for <a/>
	tokenEnd                // of the innermost open element
	tokenText               // text holds it, decoded; text may come in pieces
	tokenEOF                // the root is closed and the part is at its end
)

// The scanner's bounds. A token must fit in memory whole.
const (
	maxToken = 2 << 20
	maxDepth = 128
	maxAttrs = 128
)

// attr is an attribute of the current start tag, its value decoded.
type attr struct {
	name, value []byte
}

// xmlScanner reads the tokens of one XML document that comes in blocks. It takes
// namespace-well-formed UTF-8 without a document type and refuses everything
// else; names must be ASCII. Its slices are good until the next call.
type xmlScanner struct {
	src   blockSource
	block block  // what buf lies in
	buf   []byte // what is held of the document; from pos on not yet read
	pos   int
	eof   bool
	err   error

	space namespace // of the current start tag
	local []byte
	attrs []attr
	text  []byte

	opened bool // the document's first bytes have been looked at
	rooted bool // the root element has begun
	empty  bool // the current start tag closes itself

	names    []byte // of the open elements, one after another
	marks    []int  // where each begins
	bindings []binding
	unbound  namespace // of names without a prefix
	decoded  []byte    // of the current token, where it differs from the file
}

// next reads one token. Comments and processing instructions are passed over.
func (x *xmlScanner) next() token {
	if x.empty {
		x.empty = false
		x.pop()
		return tokenEnd
	}
	if x.err != nil || !x.opened && !x.open() {
		return tokenError
	}
	for {
		if x.pos == len(x.buf) && !x.more() {
			return x.end()
		}
		if x.buf[x.pos] != '<' {
			if t := x.readText(); t != tokenText || len(x.marks) > 0 {
				return t
			}
			if !isBlank(x.text) {
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
				return tokenError
			}
		case '!':
			if t := x.declaration(); t != tokenEnd {
				return t
			}
		default:
			return x.startTag()
		}
	}
}

// skip passes over the rest of the element whose start tag was just read.
func (x *xmlScanner) skip() error {
	for depth := len(x.marks); len(x.marks) >= depth; {
		if x.next() == tokenError {
			return x.err
		}
	}
	return nil
}

// attr gives the value of an attribute without a prefix, or written just so.
func (x *xmlScanner) attr(name string) ([]byte, bool) {
	for i := range x.attrs {
		if string(x.attrs[i].name) == name {
			return x.attrs[i].value, true
		}
	}
	return nil, false
}

func (x *xmlScanner) startTag() token {
	if len(x.marks) == 0 && x.rooted {
		return x.bad("a second root element")
	}
retry:
	b, i := x.buf, x.pos+1
	for i < len(b) && class[b[i]]&inName != 0 {
		i++
	}
	name, declares := b[x.pos+1:i], false
	x.attrs, x.decoded = x.attrs[:0], x.decoded[:0]
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
		if gap == i || len(x.attrs) == maxAttrs {
			return x.bad("a malformed tag")
		}
		a, after := x.readAttr(i)
		if after == 0 {
			if x.err == nil && x.more() {
				goto retry
			}
			return x.cut()
		}
		x.attrs = append(x.attrs, a)
		declares = declares || len(a.name) >= 5 && a.name[0] == 'x' && string(a.name[:5]) == "xmlns"
		i = after
	}
	if !startsName(name) || x.repeats() || len(x.marks) == maxDepth {
		x.empty = false
		return x.bad("a malformed tag")
	}
	x.pos, x.rooted = i, true
	x.marks = append(x.marks, len(x.names))
	x.names = append(x.names, name...)
	if declares && !x.bind() || !x.resolve(name) {
		x.empty = false
		return x.bad("a malformed name")
	}
	return tokenStart
}

// readAttr reads the attribute at i and tells where it ends: 0 for one that is
// malformed (then err is set) or not held whole.
func (x *xmlScanner) readAttr(i int) (attr, int) {
	b, from := x.buf, i
	for i < len(b) && class[b[i]]&inName != 0 {
		i++
	}
	name := b[from:i]
	for i < len(b) && class[b[i]]&space != 0 {
		i++
	}
	if i < len(b) && (b[i] != '=' || !startsName(name)) {
		x.bad("a malformed attribute")
		return attr{}, 0
	}
	for i++; i < len(b) && class[b[i]]&space != 0; {
		i++
	}
	if i >= len(b) {
		return attr{}, 0
	}
	quote := b[i]
	if quote != '"' && quote != '\'' {
		x.bad("an attribute without quotes")
		return attr{}, 0
	}
	i++
	from, odd := i, false
	for ; ; i++ {
		for i < len(b) && class[b[i]]&stopsValue == 0 {
			i++
		}
		if i == len(b) {
			return attr{}, 0
		}
		switch c := b[i]; {
		case c == quote:
			value := b[from:i]
			if odd {
				value = x.decode(value)
			}
			return attr{name, value}, i + 1
		case c == '&', c == '\r', c >= 0x80:
			odd = true
		case c != '"' && c != '\'':
			x.bad("a character that XML forbids in an attribute")
			return attr{}, 0
		}
	}
}

// repeats tells whether the current tag names an attribute twice.
func (x *xmlScanner) repeats() bool {
	for i := 1; i < len(x.attrs); i++ {
		name := x.attrs[i].name
		for j := range i {
			if other := x.attrs[j].name; len(other) == len(name) && other[0] == name[0] && string(other) == string(name) {
				return true
			}
		}
	}
	return false
}

func (x *xmlScanner) endTag() token {
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
	return tokenEnd
}

// pop closes the innermost element.
func (x *xmlScanner) pop() {
	last := len(x.marks) - 1
	x.names, x.marks = x.names[:x.marks[last]], x.marks[:last]
	for n := len(x.bindings); n > 0 && x.bindings[n-1].depth > last; n-- {
		x.unbind()
	}
}

// end is reached where the document has no more bytes.
func (x *xmlScanner) end() token {
	if x.err == nil && x.rooted && len(x.marks) == 0 {
		return tokenEOF
	}
	return x.cut()
}

// cut ends the scanning where bytes are missing.
func (x *xmlScanner) cut() token {
	if x.err == nil {
		x.err = &flaw{schema.CodeCutXML, "the XML ends too early", hintDamaged, io.ErrUnexpectedEOF}
	}
	return tokenError
}

// bad ends the scanning at something that is not XML as it is read here.
func (x *xmlScanner) bad(what string) token {
	if x.err == nil {
		x.err = &flaw{code: schema.CodeBadXML, message: "the XML has " + what, hint: hintDamaged}
	}
	return tokenError
}

// need makes sure that n bytes are held, and tells whether they are.
func (x *xmlScanner) need(n int) bool {
	for len(x.buf)-x.pos < n {
		if !x.more() {
			return false
		}
	}
	return true
}

// more takes in the next block, right behind the bytes that are not yet read,
// which then begin at 0. It fails at the document's end.
func (x *xmlScanner) more() bool {
	if x.eof || x.err != nil {
		return false
	}
	rest := x.buf[x.pos:]
	if len(rest) > maxToken {
		x.bad("a tag or text that is too long")
		return false
	}
	next, err := x.src.next()
	if err != nil {
		x.eof = true
		if err != io.EOF {
			x.err = err
		}
		return false
	}
	if start := next.from - len(rest); start >= 0 {
		copy(next.mem[start:], rest)
		x.src.recycle(x.block)
		x.block, x.buf = next, next.mem[start:next.to]
	} else {
		whole := make([]byte, 0, len(rest)+next.to-next.from)
		whole = append(append(whole, rest...), next.mem[next.from:next.to]...)
		x.src.recycle(x.block)
		x.src.recycle(next)
		x.block, x.buf = block{}, whole
	}
	x.pos = 0
	return true
}

// isBlank tells whether text is XML white space only.
func isBlank(text []byte) bool {
	for _, c := range text {
		if class[c]&space == 0 {
			return false
		}
	}
	return true
}

// open looks at the document's first bytes: the encoding must be UTF-8.
func (x *xmlScanner) open() bool {
	x.opened = true
	if x.need(3) && string(x.buf[x.pos:x.pos+3]) == utf8BOM {
		x.pos += 3
	}
	if head := string(x.buf[x.pos:min(x.pos+2, len(x.buf))]); head == "\xFF\xFE" || head == "\xFE\xFF" || strings.Contains(head, "\x00") {
		x.err = &flaw{code: schema.CodeBadEncoding, message: "the XML is UTF-16, only UTF-8 is read", hint: hintResave}
	} else if x.need(6) && string(x.buf[x.pos:x.pos+5]) == "<?xml" && class[x.buf[x.pos+5]]&space != 0 {
		x.xmlDeclaration()
	}
	return x.err == nil
}
