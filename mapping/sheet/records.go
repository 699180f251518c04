package sheet

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/gocarina/gocsv"
)

// WriteResults writes rows as they were read, each followed by the columns of a
// struct: first the given header with the struct's names, then for each row its own
// cells, unchanged and in order, with the struct's. An own column that is named
// like one of the struct's is left out: it is what an earlier run wrote. A row
// longer than the header is an error, for its cells would take the place of ours.
// The file begins with a byte-order mark.
func WriteResults[T any](w io.Writer, header []string, rows iter.Seq2[[]string, T]) error {
	out := &resultWriter{CSVWriter: NewCSVWriter(w), own: [][]string{header}, width: len(header)}
	marshal := gocsv.MarshalCSV
	var held []T
	flush := func() error {
		err := marshal(held, out)
		marshal, held, out.own = gocsv.MarshalCSVWithoutHeaders, held[:0], out.own[:0]
		return err
	}
	for own, result := range rows {
		held, out.own = append(held, result), append(out.own, own)
		if len(held) == recordsAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// recordsAtOnce is how many structs are turned into rows by one call.
const recordsAtOnce = 256

// resultWriter is where gocsv writes the struct's names, then the structs in order. It
// puts the cells before them that came with each.
type resultWriter struct {
	*CSVWriter
	own    [][]string // the header, then the cells of the structs at hand
	width  int
	keep   []int // columns that are not named like the struct's
	row    []string
	number int // of rows written
}

func (r *resultWriter) Write(ours []string) error {
	own := r.own[0]
	r.own = r.own[1:]
	if r.number++; r.number == 1 {
		for i, name := range own {
			if !slices.Contains(ours, name) {
				r.keep = append(r.keep, i)
			}
		}
	}
	if len(own) > r.width {
		return fmt.Errorf("writing results: row %d has %d cells under a header of %d", r.number, len(own), r.width)
	}
	r.row = r.row[:0]
	for _, i := range r.keep {
		cell := ""
		if i < len(own) {
			cell = own[i]
		}
		r.row = append(r.row, cell)
	}
	return r.CSVWriter.Write(append(r.row, ours...))
}
