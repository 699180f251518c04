package ooxml

import (
	"bytes"
	"io"

	"eventbatch/mapping/schema"
)

// Token is what a [Scanner] has just read.
type Token uint8

const (
	TokenError Token = iota // Err says why
	TokenStart              // Space, Local and Attrs hold the tag; its end follows, also for <a/>
	TokenEnd                // of the innermost open element
	TokenText               // Text holds it, decoded; a text may come in pieces
	TokenEOF                // the root is closed and the part is at its end
)

// maxToken is the longest token: one must fit in memory whole.
const maxToken = 2 << 20

// Block is a piece of a document: Mem[From:To], with free room before it.
type Block struct {
	Mem      []byte
	From, To int
}

// Source gives a document block by block, with io.EOF behind its last one.
type Source interface {
	Next() (Block, error)
	Recycle(b Block) // takes back one that is no longer looked at
}

// document is as much of an XML document as has come and is still needed.
type document struct {
	src   Source
	block Block  // what buf lies in
	buf   []byte // what is held of the document; from pos on not yet read
	pos   int
	eof   bool
	err   error
}

// need makes sure that n bytes are held, and reports whether they are.
func (d *document) need(n int) bool {
	for len(d.buf)-d.pos < n {
		if !d.more() {
			return false
		}
	}
	return true
}

// more takes in the next block, right behind the bytes that are not yet read,
// which then begin at 0. It fails at the document's end.
func (d *document) more() bool {
	if d.eof || d.err != nil {
		return false
	}
	rest := d.buf[d.pos:]
	if len(rest) > maxToken {
		d.bad("a tag or text that is too long")
		return false
	}
	next, err := d.src.Next()
	if err != nil {
		d.eof = true
		if err != io.EOF {
			d.err = err
		}
		return false
	}
	if start := next.From - len(rest); start >= 0 {
		copy(next.Mem[start:], rest)
		d.src.Recycle(d.block)
		d.block, d.buf = next, next.Mem[start:next.To]
	} else {
		whole := make([]byte, 0, len(rest)+next.To-next.From)
		whole = append(append(whole, rest...), next.Mem[next.From:next.To]...)
		d.src.Recycle(d.block)
		d.src.Recycle(next)
		d.block, d.buf = Block{}, whole
	}
	d.pos = 0
	return true
}

// find looks for a mark behind the first skip bytes of what is not yet read.
func (d *document) find(skip int, mark string) int {
	for {
		if from := d.pos + skip; from <= len(d.buf) {
			if i := bytes.Index(d.buf[from:], []byte(mark)); i >= 0 {
				return from + i
			}
		}
		if !d.more() {
			return -1
		}
	}
}

// cut ends the scanning where bytes are missing.
func (d *document) cut() Token {
	if d.err == nil {
		d.err = cutXML()
	}
	return TokenError
}

func cutXML() *Flaw {
	return &Flaw{schema.CodeCutXML, "the XML ends too early", HintDamaged, io.ErrUnexpectedEOF}
}

// bad ends the scanning at something that is not XML as it is read here.
func (d *document) bad(what string) Token {
	if d.err == nil {
		d.err = &Flaw{Code: schema.CodeBadXML, Message: "the XML has " + what, Hint: HintDamaged}
	}
	return TokenError
}
