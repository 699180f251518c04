package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"
)

// recordsAtOnce is how many structs are turned into rows by one call.
const recordsAtOnce = 256

// MarshalCSV writes a header and one row for each struct, by the "csv" tags of
// its fields. The file begins with a byte-order mark.
func MarshalCSV[T any](w io.Writer, records iter.Seq[T]) error {
	out := NewCSVWriter(w, CSVOptions{BOM: true})
	if err := eachRecord(unprefixed(records), func(_, row []string) error { return out.Write(row) }); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// WriteResults writes rows as they were read, each followed by the columns of a
// struct: first the given header with the struct's names, then for each row its own
// cells, unchanged and in order, with the struct's. An own column that is named
// like one of the struct's is left out: it is what an earlier run wrote. A row
// longer than the header is an error, for its cells would take the place of ours.
// The file begins with a byte-order mark.
func WriteResults[T any](w io.Writer, header []string, rows iter.Seq2[[]string, T]) error {
	out := NewCSVWriter(w, CSVOptions{BOM: true})
	if err := joinResults(header, rows, out.Write); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// WriteResultsXLSX writes the same rows as [WriteResults] into a workbook of
// one sheet.
func WriteResultsXLSX[T any](w io.Writer, name string, header []string, rows iter.Seq2[[]string, T]) error {
	book := newOutBook()
	defer book.close()
	out, err := book.sheet(name, nil)
	if err != nil {
		return err
	}
	if err := joinResults(header, rows, func(row []string) error { return out.write(Texts(row)) }); err != nil {
		return err
	}
	if err := out.flush(); err != nil {
		return err
	}
	return book.write(w)
}

// ReadCSV reads a file that [MarshalCSV] wrote. Its columns may stand in any
// order, but must be those of the struct, each once.
func ReadCSV[T any](r io.Reader) ([]T, error) {
	names, err := columnsOf[T]()
	if err != nil {
		return nil, err
	}
	in := csv.NewReader(newUTF8(r))
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading a CSV list: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("reading a CSV list: no header")
	}
	header := rows[0]
	header[0] = strings.TrimPrefix(header[0], utf8BOM)
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return nil, fmt.Errorf("reading a CSV list: two columns named %q", name)
		}
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("reading a CSV list: unknown column %q", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(header, name) {
			return nil, fmt.Errorf("reading a CSV list: no column %q", name)
		}
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			row[i] = Unguard(cell)
		}
	}
	var out []T
	if err := gocsv.UnmarshalCSV(readRows{rows}, &out); err != nil {
		return nil, fmt.Errorf("reading a CSV list: %w", err)
	}
	return out, nil
}

// readRows hands rows that are already read to gocsv.
type readRows struct{ rows [][]string }

func (r readRows) Read() ([]string, error)      { return nil, io.EOF }
func (r readRows) ReadAll() ([][]string, error) { return r.rows, nil }

// joinResults puts a row's own cells before those of its struct.
func joinResults[T any](header []string, rows iter.Seq2[[]string, T], write func([]string) error) error {
	names, err := columnsOf[T]()
	if err != nil {
		return err
	}
	keep := make([]int, 0, len(header))
	for i, name := range header {
		if !slices.Contains(names, name) {
			keep = append(keep, i)
		}
	}
	var joined []string
	number := 0
	return eachRecord(func(yield func([]string, T) bool) {
		for own, result := range rows {
			if !yield(own, result) {
				return
			}
		}
	}, func(own, result []string) error {
		if number == 0 {
			own = header
		}
		number++
		if len(own) > len(header) {
			return fmt.Errorf("writing results: row %d has %d cells under a header of %d", number, len(own), len(header))
		}
		joined = joined[:0]
		for _, i := range keep {
			if i < len(own) {
				joined = append(joined, own[i])
			} else {
				joined = append(joined, "")
			}
		}
		return write(append(joined, result...))
	})
}

// eachRecord turns structs into rows with gocsv and passes each on with what
// came with it. The first row is the header, with nothing.
func eachRecord[T any](records iter.Seq2[[]string, T], write func(own, row []string) error) error {
	out := &recordWriter{write: write}
	names, err := columnsOf[T]()
	if err != nil {
		return err
	}
	if err := write(nil, names); err != nil {
		return err
	}
	held := make([]T, 0, recordsAtOnce)
	flush := func() error {
		err := gocsv.MarshalCSVWithoutHeaders(held, out)
		held, out.own = held[:0], out.own[:0]
		return err
	}
	for own, record := range records {
		held, out.own = append(held, record), append(out.own, own)
		if len(held) == recordsAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func unprefixed[T any](records iter.Seq[T]) iter.Seq2[[]string, T] {
	return func(yield func([]string, T) bool) {
		for record := range records {
			if !yield(nil, record) {
				return
			}
		}
	}
}

// recordWriter is where gocsv writes the rows of one call. The rows come in the
// order of the structs, and so do the cells that came with them.
type recordWriter struct {
	own   [][]string
	write func(own, row []string) error
	next  int
}

func (r *recordWriter) Write(row []string) error {
	own := r.own[r.next]
	r.next++
	return r.write(own, row)
}

func (r *recordWriter) Flush()       { r.next = 0 }
func (r *recordWriter) Error() error { return nil }

// columnsOf is the names of a struct's columns.
func columnsOf[T any]() ([]string, error) {
	var names []string
	err := gocsv.MarshalCSV([]T{}, headerOnly{&names})
	if err == nil && len(names) == 0 {
		err = errors.New("no field has a csv tag")
	}
	if err != nil {
		var zero T
		return nil, fmt.Errorf("finding the columns of %T: %w", zero, err)
	}
	return names, nil
}

type headerOnly struct{ names *[]string }

func (h headerOnly) Write(row []string) error {
	*h.names = slices.Clone(row)
	return nil
}
func (headerOnly) Flush()       {}
func (headerOnly) Error() error { return nil }
