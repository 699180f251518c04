package fix

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// Step is what a person did to a file at once. A file of edits has one in each line.
type Step struct {
	Step  int       `json:"step"` // from 1
	At    time.Time `json:"at"`
	Rule  string    `json:"rule"`           // how it was done, in words
	Back  int       `json:"back,omitempty"` // the step that it takes back
	Cells []Change  `json:"cells"`
}

// Change is what a person has a cell hold. A text stands for what a person sees in the cell.
type Change struct {
	Sheet  string `json:"sheet"` // empty for a text format
	Cell   string `json:"cell"`  // B19; 19 of a row that is left out, whose text becomes blank
	Before string `json:"before"`
	After  string `json:"after"`
	Row    string `json:"row,omitempty"` // of a cell: what stands for its row as the file has it, see [RowText]
}

// OfRow reports whether it is a whole row that is left out, or taken in again.
func (c *Change) OfRow() bool {
	_, column, ok := c.Place()
	return ok && column < 0
}

// RowText returns what stood for the row of the change, empty where that is not known.
func (c *Change) RowText() string {
	if c.OfRow() {
		return cmp.Or(c.Before, c.After)
	}
	return c.Row
}

// Strays reports whether a blank cell was filled of another row than one with this text: a blank cell fits any. It is the row
// where the first cell is the same, its key or its name.
func (c *Change) Strays(row string) bool {
	first := func(text string) string { text, _, _ = strings.Cut(text, between); return text }
	return c.Before == "" && c.Row != "" && first(c.Row) != first(row)
}

// between parts the cells of what stands for a row.
const between = " · "

// RowText returns what stands for a row: its cells as a person sees them, the first of long ones.
func RowText(row *sheet.Row, date1904 bool) string {
	const most = 200
	var texts []string
	for i := range row.Cells {
		if text := strings.TrimSpace(Shown(&row.Cells[i], date1904)); text != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, between)
	return strings.ToValidUTF8(text[:min(most, len(text))], "")
}

// Place returns the row of the cell, from 1, and its column, from 0, -1 of a whole row; not ok where it names none.
func (c *Change) Place() (row, column int, ok bool) {
	digits := strings.IndexFunc(c.Cell, func(r rune) bool { return '0' <= r && r <= '9' })
	switch {
	case digits < 0:
		return 0, 0, false
	case digits == 0:
		column, ok = -1, true
	default:
		column, ok = schema.ColumnIndex(c.Cell[:digits])
	}
	row, err := strconv.Atoi(c.Cell[digits:])
	return row, column, ok && err == nil && row > 0
}

// ReadSteps reads a file of edits. A last line that is not whole is none: the writing of it was interrupted. size is how
// long the others are.
func ReadSteps(r io.Reader) (steps []Step, size int64, err error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return steps, size, nil
		}
		if err != nil {
			return nil, 0, err
		}
		var s Step
		err = json.Unmarshal(line, &s)
		if err == nil && (s.Step != len(steps)+1 || s.Back < 0 || s.Back >= s.Step) {
			err = errors.New("the steps are not counted one after the other")
		}
		if err == nil && len(s.Cells) == 0 {
			err = errors.New("the step changes no cell")
		}
		for i := range s.Cells {
			if _, _, ok := s.Cells[i].Place(); err == nil && !ok {
				err = fmt.Errorf("%.20q is not a cell", s.Cells[i].Cell)
			}
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", len(steps)+1, err)
		}
		steps, size = append(steps, s), size+int64(len(line))
	}
}

// Net returns what the steps come to, in the order of the cells: each has the text that the first step found in it, and
// the one that the last has left there. A cell that holds again what it did is not among them.
func Net(steps []Step) []Change {
	type at struct {
		sheet       string
		row, column int
	}
	net := map[at]*Change{}
	var order []at
	for i := range steps {
		for _, c := range steps[i].Cells {
			row, column, _ := c.Place()
			k := at{c.Sheet, row, column}
			switch known := net[k]; {
			case known == nil:
				order = append(order, k)
				net[k] = &c
			case known.After == c.Before:
				known.After = c.After
			default: // the file has another cell there since
				net[k] = &c
			}
		}
	}
	slices.SortFunc(order, func(a, b at) int {
		return cmp.Or(cmp.Compare(a.sheet, b.sheet), cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column))
	})
	var list []Change
	for _, k := range order {
		if c := net[k]; c.Before != c.After {
			list = append(list, *c)
		}
	}
	return list
}

// Shown returns a cell as a person sees it.
func Shown(c *sheet.Cell, date1904 bool) string {
	if c.Kind == sheet.Date {
		return datetime.ShownSerial(c.Text, date1904)
	}
	return c.Text
}

// Becomes returns what is written into a cell of a file: a number or a date of a workbook stays one where the text is one,
// and all else is text. It returns why where nothing is.
func (c *Change) Becomes(old *sheet.Cell, date1904 bool) (out sheet.Out, why string) {
	switch {
	case old.Marks.Has(sheet.ByFormula) || old.Kind == sheet.NoCache:
		return out, "the cell holds a formula: change what it is computed of"
	case Shown(old, date1904) != c.Before:
		return out, fmt.Sprintf("the cell holds %.60q now", Shown(old, date1904))
	}
	switch old.Kind {
	case sheet.Number:
		if digits, fault := value.ParseNumber(c.After); fault == nil && !value.LostDigits(digits) {
			return sheet.Out{Kind: sheet.Number, Text: digits}, ""
		}
	case sheet.Date:
		var at datetime.Moment
		if at.Scan(c.After, datetime.Unknown) == datetime.OK && !at.HasOffset && (!at.HasDate || at.Year > 1904) {
			return realDate(&at), ""
		}
	}
	return sheet.TextOut(c.After), ""
}
