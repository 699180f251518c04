package desk

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/own"
	"eventbatch/mapping/sheet"
)

// spool keeps rows as the strict reader gave them, with what was said of each, in a file without a name. In memory there
// are twenty bytes of a row: where its cells and its findings stand, its number and its verdict.
type spool struct {
	mu     sync.Mutex
	file   *own.Temp
	out    *bufio.Writer
	size   int64
	sheets map[string]*index
	record []byte // of the row that is kept, before it is written
	fail   error
}

// index is where the rows of one sheet are, in physical order.
type index struct {
	cells []int64
	told  []int64  // of the last thing that was said; 0 where nothing was
	last  int      // of the rows of which something was said, one more than its place
	marks []uint32 // number<<2 | verdict
}

// verdict is what a check says of a row.
type verdict uint32

const (
	untold verdict = iota // no event: above the header, a heading, a total, or not admitted
	good
	skipped
	wrong
)

// newSpool returns an empty one.
func newSpool() (*spool, error) {
	file, err := own.NewTemp("rows")
	if err != nil {
		return nil, err
	}
	return &spool{file: file, out: bufio.NewWriterSize(file, 256<<10), size: 1, sheets: map[string]*index{}}, nil
}

func (s *spool) close() error { return s.file.Close() }

// recordHead is the length of what stands before a record: how long it is.
const recordHead = 4

// begin returns room for a record behind its head.
func (s *spool) begin() []byte { return append(s.record[:0], make([]byte, recordHead)...) }

// put writes a record that was begun, and returns where it stands.
func (s *spool) put(record []byte) (at int64) {
	at = s.size
	if at == 1 { // so that no record stands at 0
		_, s.fail = s.out.Write([]byte{0})
	}
	binary.LittleEndian.PutUint32(record, uint32(len(record)-recordHead))
	n, err := s.out.Write(record)
	if s.size += int64(n); err != nil && s.fail == nil {
		s.fail = err
	}
	s.record = record
	return at
}

// take keeps a row. Where a sheet is read more than once, whoever comes first to a row brings it.
func (s *spool) take(name string, row *sheet.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sheets[name]
	if x == nil {
		x = &index{}
		s.sheets[name] = x
	}
	if n := len(x.marks); n > 0 && int(x.marks[n-1]>>2) >= row.Number {
		return
	}
	record := binary.AppendUvarint(s.begin(), uint64(row.Number))
	record = binary.AppendUvarint(record, uint64(len(row.Cells)))
	for i := range row.Cells {
		c := &row.Cells[i]
		record = binary.AppendUvarint(append(record, byte(c.Kind)<<2|byte(c.Marks)), uint64(len(c.Text)))
		record = append(record, c.Text...)
	}
	x.cells, x.told = append(x.cells, s.put(record)), append(x.told, 0)
	x.marks = append(x.marks, uint32(row.Number)<<2|uint32(untold))
}

// tell keeps what is said of a row. The worst verdict on the events of a row is that of the row.
func (s *spool) tell(name string, number int, v verdict, what *told) (row int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sheets[name]
	if x == nil {
		return 0, fmt.Errorf("a row of the sheet %q that was not read", name)
	}
	i := x.last // they are told in order, but for some
	if i >= len(x.marks) || int(x.marks[i]>>2) != number {
		var found bool
		if i, found = x.find(number); !found {
			return 0, fmt.Errorf("row %d was not read", number)
		}
	}
	x.told[i], x.last = s.put(what.append(s.begin(), x.told[i])), max(x.last, i+1)
	x.marks[i] = x.marks[i]&^3 | max(x.marks[i]&3, uint32(v))
	return i, s.fail
}

// retell takes back what was said of a row: what is said next is all that there is.
func (s *spool) retell(x *index, i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.told[i], x.marks[i] = 0, x.marks[i]&^3
}

// find returns the place of a row in the index.
func (x *index) find(number int) (int, bool) {
	return slices.BinarySearchFunc(x.marks, number, func(mark uint32, number int) int { return int(mark>>2) - number })
}

func (x *index) verdict(i int) verdict { return verdict(x.marks[i] & 3) }

// flush makes what was kept readable.
func (s *spool) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.out.Flush(); s.fail == nil {
		s.fail = err
	}
	return s.fail
}

// cursor reads records that mostly stand behind each other.
type cursor struct {
	spool  *spool
	reader *bufio.Reader
	at     int64
	size   int64
}

// readAhead is how much is read at once, and gone over to the next record.
const readAhead = 64 << 10

func (s *spool) cursor() *cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &cursor{s, bufio.NewReaderSize(nil, readAhead), -1, s.size}
}

// kept is where a row and what was said of it are.
type kept struct {
	cells, told int64
	verdict     verdict
}

// part makes what was kept so far readable. It returns so many of the rows of a sheet below its header, from one of them, and
// how many there are of which something was said.
func (s *spool) part(name string, headerRow, from, n int) (rows []kept, total int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.out.Flush(); err != nil {
		return nil, 0, err
	}
	x := s.sheets[name]
	if x == nil {
		return nil, 0, nil
	}
	first := x.below(headerRow)
	total = max(0, x.last-first)
	for i := first + min(from, total); i < first+min(from+n, total); i++ {
		rows = append(rows, x.kept(i))
	}
	return rows, total, nil
}

// below returns the place of the first row below a header.
func (x *index) below(headerRow int) int {
	first, found := x.find(headerRow)
	if found {
		first++
	}
	return first
}

func (x *index) kept(i int) kept { return kept{x.cells[i], x.told[i], x.verdict(i)} }

// record reads a record.
func (c *cursor) record(at int64) ([]byte, error) {
	if gap := at - c.at; c.at < 0 || gap < 0 || gap > readAhead {
		c.reader.Reset(io.NewSectionReader(c.spool.file, at, c.size-at))
	} else if _, err := c.reader.Discard(int(gap)); err != nil {
		return nil, err
	}
	c.at = -1 // until it is whole
	var head [recordHead]byte
	if _, err := io.ReadFull(c.reader, head[:]); err != nil {
		return nil, err
	}
	record := make([]byte, binary.LittleEndian.Uint32(head[:]))
	if _, err := io.ReadFull(c.reader, record); err != nil {
		return nil, err
	}
	c.at = at + int64(len(head)+len(record))
	return record, nil
}

// row reads a row back.
func (c *cursor) row(at int64) (sheet.Row, error) {
	record, err := c.record(at)
	if err != nil {
		return sheet.Row{}, err
	}
	return decode(record)
}

// rowOf reads the row of a number back; not found where the sheet has none.
func (c *cursor) rowOf(name string, number int) (row sheet.Row, found bool) {
	x := c.spool.sheets[name]
	if x == nil {
		return row, false
	}
	i, found := x.find(number)
	if !found {
		return row, false
	}
	row, err := c.row(x.cells[i])
	return row, err == nil
}

func decode(record []byte) (row sheet.Row, err error) {
	number := func() int {
		n, width := binary.Uvarint(record)
		if width <= 0 {
			err = io.ErrUnexpectedEOF
			return 0
		}
		record = record[width:]
		return int(n)
	}
	row.Number = number()
	n := number()
	for range n {
		if len(record) == 0 || err != nil {
			return row, io.ErrUnexpectedEOF
		}
		cell := sheet.Cell{Kind: sheet.CellKind(record[0] >> 2), Marks: sheet.Marks(record[0] & 3)}
		record = record[1:]
		size := number()
		if size > len(record) {
			return row, io.ErrUnexpectedEOF
		}
		cell.Text, record = string(record[:size]), record[size:]
		row.Cells = append(row.Cells, cell)
	}
	return row, err
}

// said reads what was said of a row, in order.
func (c *cursor) said(at int64) (list []told, err error) {
	for at > 0 {
		record, err := c.record(at)
		if err != nil {
			return nil, err
		}
		what, err := decodeTold(record)
		if err != nil {
			return nil, err
		}
		list, at = append(list, what), what.before
	}
	slices.Reverse(list)
	return list, nil
}

// shown returns the cells as a person sees them.
func shown(row *sheet.Row, date1904 bool) []string {
	cells := make([]string, len(row.Cells))
	for i := range row.Cells {
		cells[i] = fix.Shown(&row.Cells[i], date1904)
	}
	return cells
}
