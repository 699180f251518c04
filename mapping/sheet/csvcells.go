package sheet

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"eventbatch/mapping/schema"
)

// csvCells cuts a record into its cells. Between two quotes, or two line ends where
// there is no quote, text is cut at its delimiters eight bytes at a time.
type csvCells struct {
	*window
	remarks
	sought
	sep    string
	comma  uint64     // sep eight times, 0 where it is longer than a byte
	rows   int        // of the file before pos, blank ones too
	open   openRecord // what the end of the text has cut
	inside int        // number of the first row with a quote as text, 0 for none
	first  int        // index of the record's first cell
	lines  int        // of the record that end before the cell at hand
	fault  *schema.Problem
}

// sought is where characters were found that are rare.
type sought struct {
	quote int // the first quote at or after pos, or len(text); less than pos where unknown
	cr    int // the first carriage return, likewise
	tick  int // the first apostrophe, likewise
}

// forget has them be sought anew: pos stands in another text.
func (s *sought) forget() { *s = sought{-1, -1, -1} }

// openRecord is what cells has in hand where the text ends before the record.
type openRecord struct {
	column int
	start  int // of the cell
	line   int // of the cell, from the record's first
	quoted bool
}

// cells scans the record at pos, whose first physical line ends at lineEnd. It
// appends the cells and returns where the next record begins and how many physical
// lines this one takes; next is -1 where the text ends first, and s.open tells
// what it has cut. What makes the record one that is not to be relied on is in s.fault.
func (s *csvCells) cells(cells []Cell, lineEnd int) (_ []Cell, next, lines int, err error) {
	text, pos := s.text, s.pos
	s.fault, s.first, s.lines = nil, len(cells), 0
	for {
		var q quotedCell
		if pos < len(text) && text[pos] == '"' {
			shut := s.shut(pos + 1)
			if shut+1 < lineEnd && text[shut+1] == byte(s.comma) && s.comma != 0 || shut+1 == lineEnd && lineEnd < len(text) {
				cells = append(cells, s.onLine(text[pos+1:shut]))
				if pos = shut + 2; shut+1 == lineEnd {
					return cells, pos, s.lines + 1, nil
				}
				continue
			}
			if q = s.quoted(pos+1, shut, lineEnd); q.end == stray && q.lines == 0 {
				q = s.misquoted(pos, pos, lineEnd, s.place(s.lines, len(cells)-s.first))
			}
			if q.end >= stray {
				s.open = openRecord{column: len(cells) - s.first, start: pos, line: s.lines, quoted: true}
				return cells, -1, 0, s.badQuote(q)
			}
		} else {
			if s.quote < pos {
				s.quote = indexFrom(s.buf[:len(text)], pos, '"')
			}
			if lineEnd == len(text) && !s.atEnd() {
				s.cutShort(pos, len(cells)-s.first)
				return cells, -1, 0, nil
			}
			begin := s.nextQuoted(pos, lineEnd)
			if begin != pos {
				if cells, err = s.plain(cells, pos, begin, lineEnd); err != nil {
					return cells, 0, 0, err
				}
				if begin < 0 {
					return cells, min(lineEnd+1, len(text)), s.lines + 1, nil
				}
				pos = begin
				continue
			}
			place := s.place(s.lines, len(cells)-s.first)
			if q = s.misquoted(pos, s.quote, lineEnd, place); q.end >= stray {
				return cells, 0, 0, refuse(schema.CodeStrayQuote, place, hintBlank,
					"a blank before the quote that opens the cell, which is not closed on its line")
			}
		}
		cells = append(cells, s.onLine(q.text))
		pos = q.next
		if q.lines > 0 {
			s.swallowed(cells[len(cells)-1], len(cells)-s.first-1)
			s.lines += q.lines
		}
		if q.end == byLine {
			return cells, pos, s.lines + 1, nil
		}
		if lineEnd < pos {
			lineEnd = indexFrom(s.buf[:len(text)], pos, '\n')
		}
	}
}

// onLine returns a cell that begins on the line at hand.
func (s *csvCells) onLine(text string) Cell {
	cell := textCell(text)
	cell.Line = int32(s.lines)
	return cell
}

// cutShort notes what the end of the text has cut of the cells from pos on, none of which has begun with a quote.
func (s *csvCells) cutShort(pos, column int) {
	unquoted := s.text[pos:]
	s.open = openRecord{column: column + strings.Count(unquoted, s.sep), start: pos, line: s.lines}
	if i := strings.LastIndex(unquoted, s.sep); i >= 0 {
		s.open.start += i + len(s.sep)
	}
}

// plain appends the cells from pos on that have no quotes: up to the one at begin, which opens with one, or to the end
// of the line where that is -1.
func (s *csvCells) plain(cells []Cell, pos, begin, lineEnd int) ([]Cell, error) {
	end, last := lineEnd, begin < 0
	if !last {
		end = begin - len(s.sep)
	}
	if s.cr < pos {
		s.cr = indexFrom(s.buf[:len(s.text)], pos, '\r')
	}
	if s.cr < end {
		if !last || s.cr < end-1 {
			return cells, s.loneCR(s.lines, len(cells)-s.first+strings.Count(s.text[pos:s.cr], s.sep))
		}
		end--
	}
	before := len(cells)
	cells = s.split(cells, pos, end)
	if s.lines > 0 {
		for i := range cells[before:] {
			cells[before+i].Line = int32(s.lines)
		}
	}
	return cells, nil
}

// nextQuoted is where the first cell of a line begins that opens with a quote, or with
// blanks before one; -1 where none does before the line's end. s.quote is then that
// quote. Any other quote inside of a cell is text.
func (s *csvCells) nextQuoted(pos, lineEnd int) int {
	for s.quote < lineEnd {
		begin, rest := pos, lineEnd
		if i := strings.LastIndex(s.text[pos:s.quote], s.sep); i >= 0 {
			begin += i + len(s.sep)
		}
		if strings.TrimSpace(s.text[begin:s.quote]) == "" {
			return begin
		}
		if s.inside == 0 {
			s.inside = s.rows + 1
		}
		if i := strings.Index(s.text[s.quote:lineEnd], s.sep); i >= 0 {
			pos = s.quote + i + len(s.sep)
			rest = pos
		}
		s.quote = indexFrom(s.buf[:len(s.text)], rest, '"')
	}
	return -1
}

// misquoted scans a cell that has blanks before the quote that opens it, or a quote
// inside that is not doubled. It ends with the first quote behind which, blanks aside,
// a delimiter or the end of the line stands: what follows is then plain again, and the
// fault is the record's alone.
func (s *csvCells) misquoted(start, open, lineEnd int, place schema.Place) quotedCell {
	text := s.text
	if lineEnd == len(text) && !s.atEnd() {
		return quotedCell{end: cut}
	}
	for i := open + 1; i < lineEnd; i++ {
		if text[i] != '"' {
			continue
		}
		if i+1 < lineEnd && text[i+1] == '"' {
			i++
			continue
		}
		behind := i + 1
		for behind < lineEnd && (text[behind] == ' ' || text[behind] == '\t') && !strings.HasPrefix(text[behind:], s.sep) {
			behind++
		}
		next, end := s.ending(behind)
		if end >= stray {
			continue
		}
		if s.fault == nil {
			message, hint := "a quote inside of the cell is not written twice", hintQuote
			switch single := strings.ReplaceAll(text[open+1:i], `""`, ""); {
			case start < open:
				message, hint = "a blank before the quote that opens the cell", hintBlank
			case !strings.Contains(single, `"`):
				message, hint = "a blank behind the quote that closes the cell", hintBlank
			}
			s.fault = &schema.Problem{
				Code: schema.CodeStrayQuote, Place: place, Value: strings.Clone(text[start:behind]), Message: message, Hint: hint,
			}
		}
		return quotedCell{text: strings.ReplaceAll(text[open+1:i], `""`, `"`), next: next, end: end}
	}
	return quotedCell{end: stray}
}

// badQuote is the error of a cell in quotes that does not end well, or nil where
// more text may complete it. s.open is that cell.
func (s *csvCells) badQuote(q quotedCell) error {
	place := s.place(s.open.line, s.open.column)
	switch {
	case q.end == stray:
		return refuse(schema.CodeStrayQuote, place, hintQuote,
			"the cell opened by this quote ends on line %d with a quote that no delimiter follows", place.Line+q.lines)
	case s.atEnd():
		return refuse(schema.CodeUnclosedQuote, place, hintQuote, "the quote opened here is not closed before the end of the file")
	}
	return nil
}

// ending is what follows the closing quote of a cell.
type ending uint8

const (
	byDelimiter ending = iota
	byLine             // also by the end of the file
	stray              // something else
	cut                // the text ends before that is known
)

// quotedCell is a cell in quotes.
type quotedCell struct {
	text  string
	lines int // line feeds inside
	next  int // what comes after its delimiter or line end
	end   ending
}

// shut is the first quote at or after pos, or len(text). Most cells are short, so
// that the first words are looked at here.
func (s *csvCells) shut(pos int) int {
	const low7, quotes = 0x7f7f7f7f7f7f7f7f, '"' * 0x0101010101010101
	buf := s.buf[:len(s.text)]
	for range 3 {
		if pos+8 > len(buf) {
			break
		}
		word := binary.LittleEndian.Uint64(buf[pos:]) ^ quotes
		if hits := ^((word&low7 + low7) | word | low7); hits != 0 {
			return pos + bits.TrailingZeros64(hits)>>3
		}
		pos += 8
	}
	return indexFrom(buf, pos, '"')
}

// quoted scans a cell that begins at start, behind its quote, and whose next
// quote is known. Its line ends at lineEnd, unless the cell goes on behind.
func (s *csvCells) quoted(start, shut, lineEnd int) quotedCell {
	text, doubled := s.text, false
	for ; shut < len(text); shut = s.shut(shut + 2) {
		if shut+1 < len(text) && text[shut+1] == '"' {
			doubled = true
			continue
		}
		q := quotedCell{text: text[start:shut]}
		if q.next, q.end = s.ending(shut + 1); q.end == cut {
			return q
		}
		if shut > lineEnd {
			q.lines = strings.Count(q.text, "\n")
			q.text = unixLines(q.text)
		}
		if doubled {
			q.text = single(q.text)
		}
		return q
	}
	return quotedCell{end: cut}
}

// single undoubles quotes.
func single(text string) string {
	var b strings.Builder
	b.Grow(len(text) - 1)
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i+1])
		text = text[i+2:]
	}
}

// ending looks at what follows a closing quote, at pos.
func (s *csvCells) ending(pos int) (next int, _ ending) {
	if pos < len(s.text) && s.text[pos] == byte(s.comma) && s.comma != 0 {
		return pos + 1, byDelimiter
	}
	rest := s.text[pos:]
	switch {
	case strings.HasPrefix(rest, s.sep):
		return pos + len(s.sep), byDelimiter
	case strings.HasPrefix(rest, "\n"):
		return pos + 1, byLine
	case strings.HasPrefix(rest, "\r\n"):
		return pos + 2, byLine
	case s.atEnd() && (rest == "" || rest == "\r"):
		return len(s.text), byLine
	case !s.atEnd() && (rest == "\r" || strings.HasPrefix(s.sep, rest)):
		return 0, cut
	}
	return 0, stray
}

// swallowed remarks on a cell of several lines where those that it holds whole
// have as many delimiters as rows have, as they do behind an unclosed quote
// that an odd quote further down closes.
func (s *csvCells) swallowed(cell Cell, column int) {
	const fewest = 4 // columns, below which prose looks like rows
	lines := strings.Split(cell.Text, "\n")
	if s.width < fewest || len(lines) < 3 {
		return
	}
	for _, line := range lines[1 : len(lines)-1] {
		if strings.Count(line, s.sep) != s.width-1 {
			return
		}
	}
	if s.swallow++; s.swallow == 1 {
		s.firstSwallow = s.place(int(cell.Line), column)
	}
}

// split cuts text without quotes at each delimiter, eight bytes at a time.
func (s *csvCells) split(cells []Cell, start, end int) []Cell {
	if len(s.sep) != 1 {
		for cell := range strings.SplitSeq(s.text[start:end], s.sep) {
			cells = append(cells, textCell(cell))
		}
		return cells
	}
	const low7 = 0x7f7f7f7f7f7f7f7f
	buf, text := s.buf[:end], s.text
	i := start
	for ; i+8 <= end; i += 8 {
		word := binary.LittleEndian.Uint64(buf[i:]) ^ s.comma
		// The high bit of each byte that was the delimiter, and of no other.
		hits := ^((word&low7 + low7) | word | low7)
		for ; hits != 0; hits &= hits - 1 {
			at := i + bits.TrailingZeros64(hits)>>3
			cells = append(cells, textCell(text[start:at]))
			start = at + 1
		}
	}
	for ; i < end; i++ {
		if buf[i] == byte(s.comma) {
			cells = append(cells, textCell(text[start:i]))
			start = i + 1
		}
	}
	return append(cells, textCell(text[start:end]))
}

// textCell is small, so that it is inlined where cells are cut.
func textCell(text string) Cell {
	cell := Cell{Text: text}
	if text != "" {
		cell.Kind = Text
	}
	return cell
}

const (
	hintQuote = `close the quote; a quote inside a quoted cell is written twice: ""`
	hintBlank = "take the blank away"
	hintLines = "make sure that the file is a table as text, and where its lines end"
)

func (s *csvCells) place(line, column int) schema.Place {
	return schema.Place{File: s.window.file, Row: s.rows + 1, Line: s.line + line, Column: column}
}

func (s *csvCells) loneCR(line, column int) error {
	return refuse(schema.CodeLoneCR, s.place(line, column), "save the file again with the line ends of Windows or Unix",
		"a carriage return that ends no line")
}
