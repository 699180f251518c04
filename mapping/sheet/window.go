package sheet

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"eventbatch/mapping/schema"
)

// window is the part of a text file that is being scanned. The text of a block
// is copied once and cells are cut from the copy, so that they may be kept.
type window struct {
	file   string
	from   io.Reader
	limits Limits

	buf  []byte
	text string // the same bytes as buf[:len(text)]
	pos  int    // of what is scanned next
	line int    // physical line of pos, from 1
	err  error  // what comes after text: nil means that there is more
}

// newWindow begins with room for all of a small file, whatever its charset.
func newWindow(in *input, from io.Reader, l Limits) *window {
	return &window{file: in.name, from: from, limits: l, buf: make([]byte, min(blockBytes, 3*in.size+16)), line: 1}
}

// atEnd reports whether the text reaches to the end of the file.
func (w *window) atEnd() bool { return w.err == io.EOF }

// fill drops what was scanned and reads on. It may be called while w.err is nil.
func (w *window) fill() {
	rest := copy(w.buf, w.text[w.pos:])
	if rest > len(w.buf)/2 {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	n := rest
	for n < len(w.buf)-4 && w.err == nil { // a decoder wants room for a whole rune
		var m int
		m, w.err = w.from.Read(w.buf[n:])
		n += m
	}
	w.text, w.pos = string(w.buf[:n]), 0
}

// failure says where and why the reading ends before the end of the file. The bytes
// that are left begin at w.line.
func (w *window) failure(row int) error {
	bad, ok := errors.AsType[*badText](w.err)
	if !ok {
		return w.err
	}
	left := w.text[w.pos:]
	at := left[strings.LastIndexByte(left, '\n')+1:]
	place := schema.Place{File: w.file, Row: row, Line: w.line + strings.Count(left, "\n"), Column: -1}
	return refuse(bad.code, place, bad.hint, "%s, at byte %d of line %d", bad.message, len(at)+1, place.Line)
}

// indexFrom is bytes.IndexByte from a position, and len(b) where c is not found.
func indexFrom(b []byte, pos int, c byte) int {
	if i := bytes.IndexByte(b[pos:], c); i >= 0 {
		return pos + i
	}
	return len(b)
}
