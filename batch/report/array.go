package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"eventbatch/mapping/own"
)

// Array is the items of an array in a document, in a temporary file since they may be
// many. The zero value has none.
type Array struct {
	Name string // of the member of the document
	file *own.Temp
	out  *bufio.Writer
	err  error
}

// Add adds an item.
func (a *Array) Add(item any) {
	before := ",\n    "
	if a.file == nil && a.err == nil {
		before = before[1:]
		a.file, a.err = own.NewTemp("document")
		a.out = bufio.NewWriter(a.file)
	}
	if a.err != nil {
		return // WriteJSON tells
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	a.err = enc.Encode(item)
	_, _ = a.out.WriteString(before)
	_, _ = a.out.Write(bytes.TrimSuffix(text.Bytes(), []byte{'\n'})) // Flush tells
}

// Any reports whether the array has an item.
func (a *Array) Any() bool { return a.file != nil }

// Close removes the temporary file.
func (a *Array) Close() {
	if a.file != nil {
		_ = a.file.Close() // what was in it has been written, or is not wanted
	}
}

// writeTo writes the document up to where the array ends, and returns the rest. The
// document has an item in the array's place.
func (a *Array) writeTo(w io.Writer, document []byte) (rest []byte, err error) {
	if a.file == nil || a.err != nil {
		return document, a.err
	}
	begin, end := []byte("\n  \""+a.Name+"\": ["), []byte("\n  ]")
	before, rest, _ := bytes.Cut(document, begin)
	_, rest, _ = bytes.Cut(rest, end)
	if err := a.out.Flush(); err != nil {
		return nil, err
	}
	_, err = a.file.Seek(0, io.SeekStart)
	if err == nil {
		_, err = w.Write(append(before, begin...))
	}
	if err == nil {
		_, err = io.Copy(w, a.file)
	}
	_, failed := w.Write(end)
	return rest, errors.Join(err, failed)
}
