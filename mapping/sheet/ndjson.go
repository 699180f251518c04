package sheet

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strings"

	"eventbatch/mapping/schema"
)

// ndjsonSource reads one JSON object a line. Its header row is the objects' keys in
// the order in which they first come up, for which the file is read once before.
type ndjsonSource struct {
	in     *input
	chars  charset
	limits Limits
	seen   []schema.Problem
	lines  []byte // of a document that has been taken apart; nil: those of the file

	header  []string
	columns map[string]int
}

func openNDJSON(_ context.Context, in *input, o Options) (source, error) {
	chars, err := findCharset(in, o.Encoding, proven)
	if err != nil {
		return nil, err
	}
	return &ndjsonSource{in: in, chars: chars, limits: o.Limits}, nil
}

func (s *ndjsonSource) sheets() []Info          { return []Info{{}} }
func (s *ndjsonSource) notes() []schema.Problem { return s.seen }
func (s *ndjsonSource) date1904() bool          { return false }

func (s *ndjsonSource) batches(ctx context.Context, _ string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s.seen = nil
		if s.chars.note != nil {
			s.seen = append(s.seen, *s.chars.note)
		}
		if err := s.read(ctx, yield); err != nil {
			yield(nil, err)
		}
	}
}

// read yields the header and the objects. It returns nil also where yield
// wants no more.
func (s *ndjsonSource) read(ctx context.Context, yield func(*Batch, error) bool) error {
	if s.columns == nil {
		if err := s.findKeys(ctx); err != nil {
			return err
		}
	}
	scan, end, err := s.scan()
	if err != nil {
		return err
	}
	defer end()
	scan.header, scan.columns, scan.closed = s.header, s.columns, true
	if len(scan.header) > 0 && !yield(headerBatch(scan.header), nil) {
		return nil
	}
	for {
		next := takeSlab()
		err := scan.next(ctx, next)
		if len(next.rows) > 0 && !yield(next.lend(), nil) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// findKeys reads the whole file for its keys.
func (s *ndjsonSource) findKeys(ctx context.Context) error {
	scan, end, err := s.scan()
	if err != nil {
		return err
	}
	defer end()
	for err == nil {
		slab := takeSlab()
		err = scan.next(ctx, slab)
		slabs.Put(slab)
	}
	if err != io.EOF {
		return err
	}
	s.header, s.columns = scan.header, scan.columns
	return nil
}

// scan begins a pass over the file, which ends with end.
func (s *ndjsonSource) scan() (_ *ndjsonScan, end func(), _ error) {
	if s.lines != nil {
		return &ndjsonScan{window: newWindow(s.in, bytes.NewReader(s.lines), s.limits), columns: map[string]int{}}, func() {}, nil
	}
	text, end, err := s.in.text(s.chars)
	if err != nil {
		return nil, nil, err
	}
	return &ndjsonScan{window: newWindow(s.in, text, s.limits), columns: map[string]int{}}, end, nil
}

func headerBatch(header []string) *Batch {
	row := Row{Number: 1, Line: 1, Cells: make([]Cell, len(header))}
	for i, key := range header {
		row.Cells[i] = Cell{Text: key, Kind: Text}
	}
	return &Batch{Rows: []Row{row}}
}

// ndjsonScan turns lines into rows.
type ndjsonScan struct {
	*window
	header  []string
	columns map[string]int
	met     []int // by column, the last line that had the key
	closed  bool  // the keys are known: there are no more
}

// next scans the rows of one block into the slab. It returns io.EOF with or
// after the last of them.
func (s *ndjsonScan) next(ctx context.Context, slab *slab) error {
	for {
		for s.pos < len(s.text) && len(slab.rows) < maxBatchRows {
			end := indexFrom(s.buf[:len(s.text)], s.pos, '\n')
			if end == len(s.text) && !s.atEnd() {
				break
			}
			if err := s.object(slab, strings.Trim(s.text[s.pos:end], " \t\r")); err != nil {
				return err
			}
			s.pos, s.line = min(end+1, len(s.text)), s.line+1
		}
		switch {
		case len(slab.rows) > 0 && s.err == nil, len(slab.rows) == maxBatchRows:
			return nil
		case s.atEnd():
			return io.EOF
		case s.err != nil:
			return s.failure(s.line + 1)
		case len(s.text)-s.pos > s.limits.RowBytes:
			return refuse(schema.CodeTooLongRow, s.place(-1), "", "a line of more than %d bytes", s.limits.RowBytes)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.fill()
	}
}

// place is that of the line at pos: the header is row 1, so line n is row n+1.
func (s *ndjsonScan) place(column int) schema.Place {
	p := schema.Place{File: s.file, Row: s.line + 1, Line: s.line, Column: column}
	if column >= 0 {
		p.Header = s.header[column]
	}
	return p
}

// object turns one line into a row.
func (s *ndjsonScan) object(slab *slab, line string) error {
	if line == "" {
		return nil
	}
	if s.limits.Rows > 0 && s.line+1 > s.limits.Rows {
		return refuse(schema.CodeTooManyRows, s.place(-1), "", "more than %d rows", s.limits.Rows)
	}
	first := len(slab.cells)
	filled := false
	for m, err := range membersOf(line) {
		if err != nil {
			return refuse(schema.CodeBadRecord, s.place(-1), "write one whole object a line: jq -c .", "%w", err)
		}
		column, known := s.columns[m.key]
		switch {
		case !known && s.closed:
			return refuse(schema.CodeUnreadableFile, s.place(-1), changedHint, changed)
		case !known && len(s.header) >= s.limits.Columns:
			return refuse(schema.CodeTooManyColumns, s.place(-1), "", "more than %d keys", s.limits.Columns)
		case !known:
			column = len(s.header)
			s.header = append(s.header, m.key)
			s.columns[m.key] = column
		}
		for len(s.met) <= column {
			s.met = append(s.met, 0)
		}
		if s.met[column] == s.line {
			return refuse(schema.CodeBadRecord, s.place(column), "", "the key %q stands twice in one object", m.key)
		}
		s.met[column] = s.line
		cell, err := m.cell()
		if err != nil {
			return refuse(schema.CodeBadRecord, s.place(column), "", "%w", err)
		}
		if len(cell.Text) > s.limits.CellBytes {
			return refuse(schema.CodeTooLongCell, s.place(column), "", "a value of more than %d bytes", s.limits.CellBytes)
		}
		for len(slab.cells) <= first+column {
			slab.cells = append(slab.cells, Cell{})
		}
		slab.cells[first+column] = cell
		filled = filled || cell.Text != ""
	}
	cells := slab.cells[first:len(slab.cells):len(slab.cells)]
	if !filled {
		slab.cells = slab.cells[:first]
		return nil
	}
	slab.rows = append(slab.rows, Row{Number: s.line + 1, Line: s.line, Cells: cells})
	return nil
}
