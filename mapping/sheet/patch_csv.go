package sheet

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// patchText copies a text file with new cells, through its encoding.
func patchText(ctx context.Context, source *csvSource, cells []NewCell, w io.Writer) error {
	chars := source.settled()
	if _, err := w.Write(source.in.head[:chars.mark]); err != nil {
		return err
	}
	out, err := chars.encode(w)
	if err != nil {
		return err
	}
	if err := patchCSV(ctx, source, cells, out); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("writing in the file's encoding: %w", err)
	}
	return nil
}

// patchCSV copies the records of a CSV file, each as it stands or with new cells.
func patchCSV(ctx context.Context, source *csvSource, cells []NewCell, w io.Writer) error {
	text, end, err := source.in.text(source.chars)
	if err != nil {
		return err
	}
	defer end()
	scan := newCSVScan(newWindow(source.in, text, source.limits), source.layout)
	rows, slab := byRow(cells), new(slab)
	old, width := 0, 0 // of the header, where it gets new columns
	scan.forget()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, number, err := scan.raw(slab)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if cells := rows[number]; number > 0 && (cells != nil || width > 0) {
			delete(rows, number)
			r := cutRecord(raw, source.layout.sep)
			before := len(r.cells)
			r.write(cells)
			if width == 0 && len(r.cells) > before {
				old, width = before, len(r.cells)
			}
			// A row that was as wide as the header stays so.
			for before == old && raw != r.end && len(r.cells) < width {
				r.cells = append(r.cells, "")
			}
			raw = r.String()
		}
		if _, err := io.WriteString(w, raw); err != nil {
			return err
		}
	}
	return missing(source.in.name, rows)
}

// raw gives the next record as the file has it, line end and all, with the number
// of its row: 0 for a first line that says the delimiter.
func (s *csvScan) raw(slab *slab) (text string, number int, err error) {
	for {
		slab.rows, slab.cells = slab.rows[:0], slab.cells[:0]
		if s.pos < len(s.text) {
			start := s.pos
			if s.skip {
				s.skip = false
				end := len(s.text)
				if i := strings.IndexByte(s.text, '\n'); i >= 0 {
					end = i + 1
				}
				s.pos, s.line = end, s.line+1
				return s.text[start:end], 0, nil
			}
			done, err := s.record(slab)
			if err != nil {
				return "", 0, err
			}
			if done {
				return s.text[start:s.pos], s.rows, nil
			}
		}
		if s.err != nil {
			if s.pos == len(s.text) && s.atEnd() {
				return "", 0, io.EOF
			}
			return "", 0, s.failure(s.rows + 1)
		}
		s.fill()
		s.forget()
	}
}

// csvRecord is a row of a CSV file as it is written.
type csvRecord struct {
	cells    []string // with their quotes
	sep, end string
}

func cutRecord(raw, sep string) *csvRecord {
	r := &csvRecord{sep: sep}
	for _, r.end = range []string{"\r\n", "\n", "\r", ""} {
		if body, ok := strings.CutSuffix(raw, r.end); ok {
			r.cells = rawCells(body, sep)
			break
		}
	}
	return r
}

// write puts new cells into the record. The others keep their bytes.
func (r *csvRecord) write(cells map[int]Out) {
	style := styleOf(r.cells, r.sep, r.end)
	for column, cell := range cells {
		for len(r.cells) <= column {
			r.cells = append(r.cells, "")
		}
		r.cells[column] = style.cell(r.cells[column], cell.plain())
	}
}

func (r *csvRecord) String() string { return strings.Join(r.cells, r.sep) + r.end }

// rawCells parts a record, which has been found to be well formed, into its cells
// with their quotes.
func rawCells(body, sep string) []string {
	var parts []string
	for {
		end := 0
		if strings.HasPrefix(body, `"`) {
			for end = 1; end < len(body); end++ {
				if body[end] != '"' {
					continue
				}
				if end++; end >= len(body) || body[end] != '"' {
					break
				}
			}
		}
		i := strings.Index(body[min(end, len(body)):], sep)
		if i < 0 {
			return append(parts, body)
		}
		parts = append(parts, body[:end+i])
		body = body[end+i+len(sep):]
	}
}

// csvStyle is how a record writes its cells.
type csvStyle struct {
	sep    string
	quoted bool // all cells that hold anything stand between quotes
	crlf   bool // lines inside of cells end as those of the record
}

func styleOf(parts []string, sep, end string) csvStyle {
	style := csvStyle{sep: sep, crlf: end == "\r\n"}
	filled := 0
	for _, part := range parts {
		if part == "" {
			continue
		}
		if !strings.HasPrefix(part, `"`) {
			return style
		}
		filled++
	}
	style.quoted = filled > 0
	return style
}

// cell writes a text in the place of a cell: between quotes where the cell was,
// and where the text needs them.
func (s csvStyle) cell(before, text string) string {
	quoted := strings.HasPrefix(before, `"`) || before == "" && s.quoted && text != ""
	if !quoted && text != "" {
		quoted = strings.Contains(text, s.sep) || strings.ContainsAny(text, "\"\r\n") || text[0] == ' ' || text[len(text)-1] == ' '
	}
	if !quoted {
		return text
	}
	if text = strings.ReplaceAll(text, `"`, `""`); s.crlf && (strings.Contains(before, "\r\n") || before == "") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return `"` + text + `"`
}

// plain is the cell as a text file holds it.
func (o Out) plain() string {
	switch {
	case o.Kind == Blank:
		return ""
	case o.Kind != Date:
		return Guard(o.Text)
	case o.Clock:
		return o.Time.Format("15:04:05")
	case o.Layout == dayLayout:
		return o.Time.Format("2006-01-02")
	}
	return o.Time.Format("2006-01-02 15:04:05")
}

// dayLayout shows a date without a time of day.
const dayLayout = "yyyy-mm-dd"

// byRow gathers the new cells of a text file by row, then by column.
func byRow(cells []NewCell) map[int]map[int]Out {
	rows := map[int]map[int]Out{}
	for _, c := range cells {
		if rows[c.Row] == nil {
			rows[c.Row] = map[int]Out{}
		}
		rows[c.Row][c.Column] = c.Cell
	}
	return rows
}
