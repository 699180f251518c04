package sheet

import (
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// arena turns many short texts into strings that share a few allocations.
type arena struct {
	chunk strings.Builder
	size  int   // of a chunk
	held  int64 // bytes in all chunks so far
}

func (a *arena) add(text []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(text) {
		size := max(a.size, len(text))
		a.chunk.Reset()
		a.chunk.Grow(size)
		a.held += int64(size)
	}
	from := a.chunk.Len()
	a.chunk.Write(text)
	return a.chunk.String()[from:]
}

// sharedStrings holds the texts that the cells of a workbook refer to by number,
// in tables of one size.
type sharedStrings struct {
	tables [][]string
	texts  arena
	count  int
}

const (
	tableSize  = 1 << 15
	stringSize = 16 // what a table takes for one
)

// readStrings reads the shared strings to their end.
func readStrings(src ooxml.Source, l Limits) (*sharedStrings, error) {
	s := &sharedStrings{texts: arena{size: 256 << 10}}
	x := ooxml.NewScanner(src)
	err := x.Root(ooxml.MainSpace, "sst")
	if err == nil {
		err = s.read(x, l)
	}
	if err == nil {
		err = x.Finish()
	}
	if err != nil {
		return nil, ooxml.InPart(fmt.Sprintf("shared string %d", s.count), err)
	}
	return s, nil
}

func (s *sharedStrings) read(x *ooxml.Scanner, l Limits) error {
	const open = "<si>"
	var scratch []byte
	plain := func() (bool, error) {
		b := x.Ahead()
		if x.DefaultSpace() != ooxml.MainSpace || len(b) < len(open) || string(b[:len(open)]) != open {
			return false, nil
		}
		text, n := plainString(x, b[len(open):], "</t></si>")
		if n == 0 {
			return false, nil
		}
		x.Advance(len(open) + n)
		return true, s.add(text, l)
	}
	return x.PlainChildren(plain, func() (err error) {
		if !x.Is("si") {
			return x.Skip()
		}
		if scratch, err = richText(x, scratch[:0]); err != nil {
			return err
		}
		return s.add(scratch, l)
	})
}

func (s *sharedStrings) add(text []byte, l Limits) error {
	if !fits(text) || len(text) > l.CellBytes {
		return tooLong()
	}
	if s.count%tableSize == 0 {
		room := 0
		if s.count > 0 {
			room = tableSize
		}
		s.tables = append(s.tables, make([]string, 0, room))
	}
	last := &s.tables[len(s.tables)-1]
	*last = append(*last, s.texts.add(text))
	if s.count++; s.texts.held+int64(s.count)*stringSize > l.StringBytes {
		return tooManyTexts(l)
	}
	return nil
}

func tooManyTexts(l Limits) error {
	return ooxml.Flawf(
		schema.CodeZipBomb, ooxml.HintSmaller, "the texts of the workbook take more than %d MiB of memory", l.StringBytes>>20,
	)
}

// at gives a string by its number.
func (s *sharedStrings) at(i int) (string, bool) {
	if s == nil || i >= s.count {
		return "", false
	}
	return s.tables[i/tableSize][i%tableSize], true
}

func (s *sharedStrings) len() int {
	if s == nil {
		return 0
	}
	return s.count
}
