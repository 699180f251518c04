package sheet

import (
	"bytes"
	"io"
	"strings"
)

// piece is what a markup has just read.
type piece uint8

const (
	pieceOther piece = iota // text, comments, instructions
	pieceOpen               // a start tag
	pieceClose              // an end tag
	pieceEmpty              // a tag that closes itself
)

// markup cuts an XML part into pieces, each as the file has it, so that what is
// not touched can be written as it was. It takes for granted what an xmlScanner
// has made sure of: that the part is well-formed.
type markup struct {
	in  io.Reader
	buf []byte
	pos int // of the current piece
	end int // of what is held
	err error

	kind  piece
	raw   []byte // the piece; good until the next call
	at    int    // where it begins in the part
	depth int    // of elements around it; of a tag, around its element
	inner int    // around what follows
}

func markupOf(content []byte) *markup {
	return &markup{buf: content, end: len(content), err: io.EOF}
}

func newMarkup(in io.Reader) *markup {
	return &markup{in: in, buf: make([]byte, 64<<10)}
}

// next reads a piece; false at the end of the part and at an error, which failed tells.
func (m *markup) next() bool {
	m.pos, m.at = m.pos+len(m.raw), m.at+len(m.raw)
	m.raw, m.kind, m.depth = nil, pieceOther, m.inner
	if !m.hold(1) {
		return false
	}
	n := 0
	if m.buf[m.pos] != '<' {
		if n = m.find("<", 1); n < 0 {
			n = m.end - m.pos // white space at the end of the part
		}
		m.raw = m.buf[m.pos : m.pos+n]
		return n > 0
	}
	m.hold(9)
	switch head := m.buf[m.pos:min(m.pos+9, m.end)]; {
	case bytes.HasPrefix(head, []byte("<!--")):
		n = m.after("-->", 4)
	case bytes.HasPrefix(head, []byte("<![CDATA[")):
		n = m.after("]]>", 9)
	case bytes.HasPrefix(head, []byte("<?")):
		n = m.after("?>", 2)
	case bytes.HasPrefix(head, []byte("</")):
		n, m.kind = m.after(">", 2), pieceClose
		m.inner--
		m.depth = m.inner
	default:
		n, m.kind = m.tag(), pieceOpen
		if n > 1 && m.buf[m.pos+n-2] == '/' {
			m.kind = pieceEmpty
		} else {
			m.inner++
		}
	}
	if n <= 0 {
		m.kind = pieceOther
		if m.err == nil || m.err == io.EOF {
			m.err = io.ErrUnexpectedEOF
		}
		return false
	}
	m.raw = m.buf[m.pos : m.pos+n]
	return true
}

// failed tells what ended the reading before the part's end, if anything did.
func (m *markup) failed() error {
	if m.err == io.EOF {
		return nil
	}
	return m.err
}

// tag gives the length of the tag at hand: a > in quotes does not end it.
func (m *markup) tag() int {
	quote := byte(0)
	for i := 1; m.hold(i + 1); i++ {
		switch c := m.buf[m.pos+i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return 0
}

// after gives the length up to the end of a text, 0 where it does not come.
func (m *markup) after(text string, from int) int {
	n := m.find(text, from)
	if n < 0 {
		return 0
	}
	return n + len(text)
}

func (m *markup) find(text string, from int) int {
	for {
		held := m.buf[m.pos:m.end]
		if from < len(held) {
			if i := bytes.Index(held[from:], []byte(text)); i >= 0 {
				return from + i
			}
			from = max(from, len(held)-len(text)+1)
		}
		if !m.hold(len(held) + 1) {
			return -1
		}
	}
}

// hold makes sure that n bytes from the current piece on are held.
func (m *markup) hold(n int) bool {
	for m.end-m.pos < n {
		if m.err != nil {
			return false
		}
		if m.pos > 0 {
			copy(m.buf, m.buf[m.pos:m.end])
			m.end, m.pos = m.end-m.pos, 0
		}
		if m.end == len(m.buf) {
			m.buf = append(m.buf, make([]byte, len(m.buf))...)
		}
		var read int
		read, m.err = m.in.Read(m.buf[m.end:])
		m.end += read
	}
	return true
}

// is tells whether the piece is a tag of an element of that name.
func (m *markup) is(prefix, local string) bool {
	return m.kind != pieceOther && localName(m.raw, prefix) == local
}

// begins tells whether the piece begins an element of that name.
func (m *markup) begins(prefix, local string) bool {
	return m.kind != pieceClose && m.is(prefix, local)
}

// whole reads the element that the current piece begins to its end, and gives it.
func (m *markup) whole() []byte {
	all := bytes.Clone(m.raw)
	if m.kind == pieceEmpty {
		return all
	}
	for depth := m.depth; m.next(); {
		all = append(all, m.raw...)
		if m.kind == pieceClose && m.depth == depth {
			break
		}
	}
	return all
}

// tagName gives the name in a tag, as written.
func tagName(tag []byte) string {
	from := 1
	if len(tag) > 1 && tag[1] == '/' {
		from = 2
	}
	to := from
	for to < len(tag) && class[tag[to]]&inName != 0 {
		to++
	}
	return string(tag[from:to])
}

// localName gives the name without that prefix; empty for one with another prefix.
func localName(tag []byte, prefix string) string {
	before, after, found := strings.Cut(tagName(tag), ":")
	if !found {
		before, after = "", before
	}
	if before != prefix {
		return ""
	}
	return after
}

// attrSpan finds the value of an attribute, written with exactly that name.
func attrSpan(tag []byte, name string) (from, to int, ok bool) {
	for i := len(tagName(tag)) + 1; i < len(tag); {
		for i < len(tag) && class[tag[i]]&space != 0 {
			i++
		}
		begin := i
		for i < len(tag) && class[tag[i]]&inName != 0 {
			i++
		}
		if i == begin {
			return 0, 0, false
		}
		key := string(tag[begin:i])
		for i < len(tag) && tag[i] != '"' && tag[i] != '\'' {
			i++
		}
		if i == len(tag) {
			return 0, 0, false
		}
		end := bytes.IndexByte(tag[i+1:], tag[i])
		if end < 0 {
			return 0, 0, false
		}
		if key == name {
			return i + 1, i + 1 + end, true
		}
		i += end + 2
	}
	return 0, 0, false
}

// attrOf gives an attribute's value, its references resolved.
func attrOf(tag []byte, name string) string {
	from, to, ok := attrSpan(tag, name)
	if !ok {
		return ""
	}
	return resolved(tag[from:to])
}

// withAttr gives the tag with that value of an attribute.
func withAttr(tag []byte, name, value string) []byte {
	if from, to, ok := attrSpan(tag, name); ok {
		return splice(tag, from, to, escapeAttr(value))
	}
	at := len(tag) - 1
	if at > 0 && tag[at-1] == '/' {
		at--
	}
	return splice(tag, at, at, " "+name+`="`+escapeAttr(value)+`"`)
}

func splice(content []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(content)-(to-from)+len(text))
	out = append(out, content[:from]...)
	out = append(out, text...)
	return append(out, content[to:]...)
}

// resolved gives a well-formed text with its references resolved.
func resolved(text []byte) string {
	if bytes.IndexByte(text, '&') < 0 {
		return string(text)
	}
	x := &xmlScanner{}
	return string(x.decode(text))
}

// prefixed gives the names in a text of elements a prefix. The text has no < but
// those of its tags.
func prefixed(xml, prefix string) string {
	if prefix == "" {
		return xml
	}
	xml = strings.ReplaceAll(xml, "<", "<"+prefix+":")
	return strings.ReplaceAll(xml, "<"+prefix+":/", "</"+prefix+":")
}
