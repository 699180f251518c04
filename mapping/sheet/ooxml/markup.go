package ooxml

import (
	"bytes"
	"io"
)

// Piece is what a [Markup] has just read.
type Piece uint8

const (
	PieceOther Piece = iota // text, comments, instructions
	PieceOpen               // a start tag
	PieceClose              // an end tag
	PieceEmpty              // a tag that closes itself
)

// Markup cuts an XML part into pieces, each as the file has it, so that what is
// not touched can be written as it was. It takes for granted what a [Scanner] has
// made sure of: that the part is well-formed.
type Markup struct {
	Kind  Piece
	Raw   []byte // the piece; good until the next call
	Depth int    // of elements around it; of a tag, around its element
	At    int    // where it begins in the part

	in    io.Reader
	buf   []byte
	pos   int // of the current piece
	end   int // of what is held
	err   error
	inner int // of elements around what follows
}

// MarkupOf cuts a part that is held in memory.
func MarkupOf(content []byte) *Markup {
	return &Markup{buf: content, end: len(content), err: io.EOF}
}

// NewMarkup cuts a part that comes as a stream.
func NewMarkup(in io.Reader) *Markup {
	return &Markup{in: in, buf: make([]byte, 64<<10)}
}

// Next reads a piece; false at the end of the part and at an error, which Err tells.
func (m *Markup) Next() bool {
	m.pos, m.At = m.pos+len(m.Raw), m.At+len(m.Raw)
	m.Raw, m.Kind, m.Depth = nil, PieceOther, m.inner
	if !m.hold(1) {
		return false
	}
	n := 0
	if m.buf[m.pos] != '<' {
		if n = m.find("<", 1); n < 0 {
			n = m.end - m.pos // white space at the end of the part
		}
		m.Raw = m.buf[m.pos : m.pos+n]
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
		n, m.Kind = m.after(">", 2), PieceClose
		m.inner--
		m.Depth = m.inner
	default:
		n, m.Kind = m.tag(), PieceOpen
		if n > 1 && m.buf[m.pos+n-2] == '/' {
			m.Kind = PieceEmpty
		} else {
			m.inner++
		}
	}
	if n <= 0 {
		m.Kind = PieceOther
		if m.err == nil || m.err == io.EOF {
			m.err = cutXML()
		}
		return false
	}
	m.Raw = m.buf[m.pos : m.pos+n]
	return true
}

// Err tells what ended the reading before the part's end; nil for nothing.
func (m *Markup) Err() error {
	if m.err == io.EOF {
		return nil
	}
	return m.err
}

// tag gives the length of the tag at hand: a > in quotes does not end it.
func (m *Markup) tag() int {
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
func (m *Markup) after(text string, from int) int {
	n := m.find(text, from)
	if n < 0 {
		return 0
	}
	return n + len(text)
}

func (m *Markup) find(text string, from int) int {
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
func (m *Markup) hold(n int) bool {
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

// Is reports whether the piece is a tag of an element of that name with that prefix,
// which is empty for none.
func (m *Markup) Is(prefix, local string) bool {
	return m.Kind != PieceOther && LocalName(m.Raw, prefix) == local
}

// Begins reports whether the piece begins such an element.
func (m *Markup) Begins(prefix, local string) bool {
	return m.Kind != PieceClose && m.Is(prefix, local)
}

// Whole reads the element that the current piece begins to its end, and gives it.
func (m *Markup) Whole() []byte {
	all := bytes.Clone(m.Raw)
	if m.Kind == PieceEmpty {
		return all
	}
	for depth := m.Depth; m.Next(); {
		all = append(all, m.Raw...)
		if m.Kind == PieceClose && m.Depth == depth {
			break
		}
	}
	return all
}
