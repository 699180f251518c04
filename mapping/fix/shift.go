package fix

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// shiftForm is what --shift takes.
var shiftForm = pattern.New(`^([+-]?)(\d{1,5})([dwy])$`)

// ParseShift reads 52w, 1y or -3d as days. Years are as many whole weeks as are nearest to them, so that
// the days of the week stay. The error is of the kind [failure.Usage].
func ParseShift(text string) (days int, err error) {
	const most = 100 * 366
	if m := shiftForm().FindStringSubmatch(text); m != nil {
		days, _ = strconv.Atoi(m[2]) // five digits
		switch m[3] {
		case "w":
			days *= 7
		case "y":
			days = 7 * int(math.Round(float64(days)*365.2425/7))
		}
		if m[1] == "-" {
			days = -days
		}
	}
	if days == 0 || days > most || days < -most {
		return 0, failure.New(failure.Usage, fmt.Errorf("--shift: %q is no time to move by", text), "write it like 52w, 1y or -3d")
	}
	return days, nil
}

// dateShifter moves the dates of rows. How the numbers of a column are written is known behind all of them.
type dateShifter struct {
	by      int
	rows    []shiftRow
	columns map[shiftColumn]padding
	left    []Left
}

type shiftColumn struct {
	sheet  string
	column int
}

// padding is whether a column has numbers below ten with a zero before them, and whether without.
type padding struct{ padded, bare bool }

// shiftRow is the dates of a row.
type shiftRow struct {
	place schema.Place
	cells []shiftCell
	zone  string
}

type shiftCell struct {
	header, field string
	column        int
	kind          sheet.CellKind
	text, shown   string
	order         datetime.Order
	date1904      bool
	clock         bool // it stands beside the date, and may say a time of day in any form
	worked        bool
}

// row notes the dates of a row.
func (s *dateShifter) row(r *rowFixer) {
	row := shiftRow{place: r.Draft.Place, zone: r.Draft.Text(catalog.FieldTimezone)}
	if row.zone == "" {
		row.zone = r.Zone
	}
	for i := range r.Columns {
		f := &r.Columns[i]
		for k, column := range f.At {
			seen := slices.ContainsFunc(row.cells, func(c shiftCell) bool { return c.column == column })
			if f.Field.Kind != schema.Timestamp || seen || column >= len(r.Cells) || r.blank(column) {
				continue
			}
			cell := r.cell(column)
			c := shiftCell{
				header: r.Header[column], field: f.Field.Path, column: column, kind: cell.Kind, text: strings.Clone(cell.Text),
				order: r.Order(column, cell.Text), date1904: r.Date1904, clock: k > 0, worked: f.Worked,
			}
			if column < len(r.Shown) {
				c.shown = strings.Clone(r.Shown[column])
			}
			row.cells = append(row.cells, c)
			padded, bare := datetime.Padding(c.text)
			at := shiftColumn{row.place.Sheet, column}
			seenSoFar := s.columns[at]
			s.columns[at] = padding{seenSoFar.padded || padded, seenSoFar.bare || bare}
		}
	}
	if len(row.cells) > 0 {
		s.rows = append(s.rows, row)
	}
}

// edits moves all dates of a row, or none: where one of them cannot be moved, it is named.
func (s *dateShifter) edits() (all []Edit) {
	s.left = nil
	for i := range s.rows {
		row := &s.rows[i]
		edits, wrong := make([]Edit, 0, len(row.cells)), false
		for k := range row.cells {
			c := &row.cells[k]
			place := row.place
			place.Column, place.Header = c.column, c.header
			cell, err := s.moved(row, c)
			switch {
			case err != nil:
				wrong = true
				s.left = append(s.left, Left{place, err.Error()})
			case cell.Text != c.text:
				after := cell.Text
				if cell.Kind == sheet.Number {
					after = datetime.ShownSerial(cell.Text, c.date1904)
				}
				edits = append(edits, Edit{Place: place, Field: c.field, Rule: ruleShift, Before: c.shown, After: after, Cell: cell})
			}
		}
		if !wrong {
			slices.SortFunc(edits, func(a, b Edit) int { return a.Place.Column - b.Place.Column })
			all = append(all, edits...)
		}
	}
	return all
}

// moved returns what a cell becomes.
func (s *dateShifter) moved(row *shiftRow, c *shiftCell) (sheet.Out, error) {
	if c.kind == sheet.Date {
		moved, ok := datetime.MoveSerial(c.text, c.date1904, s.by)
		m, _ := datetime.Serial(c.text, c.date1904)
		switch {
		case !ok:
			return sheet.Out{}, errors.New("the day that it would be moved to is none of a workbook")
		case c.worked && m.HasDate:
			return sheet.Out{}, errWorked
		}
		return sheet.Out{Kind: sheet.Number, Text: moved}, nil
	}
	word := trimmed(c.text)
	m, fault := datetime.Scan(word, c.order)
	switch {
	case strings.HasPrefix(word, "<"), fault == datetime.OK && !m.HasDate, fault != datetime.OK && c.clock && c.kind == sheet.Text:
		return sheet.Out{Kind: c.kind, Text: c.text}, nil // a time of day
	case c.worked:
		return sheet.Out{}, errWorked
	case c.kind != sheet.Text:
		return sheet.Out{}, errors.New("it is no date: make it one of the workbook first, by --coerce-dates=cells")
	}
	style := s.columns[shiftColumn{row.place.Sheet, c.column}]
	moved, ok := datetime.MoveDays(word, c.order, s.by, style.padded || !style.bare)
	if !ok {
		return sheet.Out{}, errors.New("the day cannot be moved in the form of the text: write it like 2027-05-01, with its year")
	}
	to, _ := datetime.Scan(moved, c.order)
	if m.HasOffset && !sameOffset(row.zone, m.Instant(), to.Instant()) {
		return sheet.Out{}, errors.New("its offset is another one on the new day in " + row.zone + ": write the time without it")
	}
	return sheet.TextOut(strings.Replace(c.text, word, moved, 1)), nil
}

var errWorked = errors.New("the mapping makes the date of several cells or words: change it by hand")

// sameOffset reports whether a zone is as far from UTC at both instants.
func sameOffset(name string, a, b int64) bool {
	zone, err := value.LoadZone(name)
	if name == "" || err != nil {
		return true
	}
	_, one := time.UnixMilli(a).In(zone).Zone()
	_, other := time.UnixMilli(b).In(zone).Zone()
	return one == other
}
