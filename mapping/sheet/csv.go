package sheet

import (
	"context"
	"fmt"
	"io"
	"iter"

	"eventbatch/mapping/schema"
)

// maxBatchRows keeps batches even where rows are short.
const maxBatchRows = 1024

// csvSource reads CSV and TSV.
type csvSource struct {
	in     *input
	chars  charset
	layout layout
	limits Limits
	seen   []schema.Problem
}

func openCSV(in *input, f format, o Options) (*csvSource, error) {
	chars, err := findCharset(in, o.Encoding)
	if err != nil {
		return nil, err
	}
	forced := o.Delimiter
	if f == formatTSV && forced == 0 {
		forced = '\t'
	}
	lay, err := findLayout(in, chars, forced)
	if err != nil {
		return nil, err
	}
	return &csvSource{in: in, chars: chars, layout: lay, limits: o.Limits}, nil
}

func (s *csvSource) sheets() []Info          { return []Info{{}} }
func (s *csvSource) notes() []schema.Problem { return s.seen }
func (s *csvSource) date1904() bool          { return false }
func (s *csvSource) close() error            { return nil }

func (s *csvSource) batches(ctx context.Context, _ string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s.seen = nil
		if s.chars.note != nil {
			s.seen = append(s.seen, *s.chars.note)
		}
		text, end, err := s.in.text(s.chars)
		if err != nil {
			yield(nil, err)
			return
		}
		defer end()
		scan := newCSVScan(newWindow(s.in.name, text, s.limits), s.layout)
		for {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			slab := takeSlab()
			err := scan.next(slab)
			if len(slab.rows) > 0 {
				if !yield(slab.lend(), nil) {
					return
				}
			} else {
				slabs.Put(slab)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		s.seen = append(s.seen, scan.notes()...)
	}
}

// text begins a pass over the input's decoded text, which ends with end.
func (in *input) text(chars charset) (text io.Reader, end func(), err error) {
	p := in.pass()
	if text, err = chars.open(p); err != nil {
		p.end()
		if err == io.EOF {
			err = in.refuse(schema.CodeUnreadableFile, "", "the file became shorter while it was being read")
		}
		return nil, nil, err
	}
	return text, p.end, nil
}

// remarks counts what a scan sees that is no error.
type remarks struct {
	file         string
	width        int // columns up to the last header, 0 while unknown
	looked       int // rows in which the header was looked for
	ragged       int
	firstRagged  schema.Place
	swallow      int
	firstSwallow schema.Place
}

// HeaderRows is how many rows with content are looked at to find the header.
const HeaderRows = 20

// row looks at one row that holds something. Titles above the header have one
// cell, so the header is the first row with more of them.
func (n *remarks) row(row *Row) {
	if n.looked < HeaderRows && n.width <= 1 {
		n.looked++
		n.width = max(n.width, filled(row.Cells))
		return
	}
	if len(row.Cells) > n.width {
		if last := filled(row.Cells); last > n.width {
			if n.ragged++; n.ragged == 1 {
				n.firstRagged = schema.Place{File: n.file, Row: row.Number, Line: row.Line + int(row.Cells[last-1].Line), Column: last - 1}
			}
		}
	}
}

// filled is the number of cells up to the last that holds anything.
func filled(cells []Cell) int {
	n := len(cells)
	for n > 0 && cells[n-1].Kind == Blank {
		n--
	}
	return n
}

func (n *remarks) notes() []schema.Problem {
	var out []schema.Problem
	if n.ragged > 0 {
		out = append(out, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeRaggedRow, Place: n.firstRagged,
			Message: count(n.ragged, "row has", "rows have") + fmt.Sprintf(
				" cells beyond the %d columns of the header, this one first", n.width,
			),
			Hint: "a cell that holds the delimiter needs quotes around it",
		})
	}
	if n.swallow > 0 {
		out = append(out, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeUnclosedQuote, Place: n.firstSwallow,
			Message: count(n.swallow, "cell holds", "cells hold") + " lines that look like rows, this one first",
			Hint:    "if they are rows, a quote before them is not closed",
		})
	}
	return out
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
