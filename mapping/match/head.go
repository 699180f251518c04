package match

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// head is the header of one sheet.
type head struct {
	sheet  string
	row    int        // physical; 0 where no row is one
	title  string     // what stands above it
	above  *sheet.Row // the last row before it; nil where there is none
	header []string   // without blanks at the end
	top    []TopRow
	known  int  // words of it that are known
	starts bool // a column is named like the start of an event
}

// TopRow is one of the first rows of a sheet.
type TopRow struct {
	Row   int      `json:"row"`
	Cells []string `json:"cells"`
}

// topCells is how many cells of the first rows of a sheet are told.
const topCells = 20

// better reports whether a sheet looks more like one of events than another.
func (h *head) better(other *head) bool {
	if h.starts != other.starts {
		return h.starts
	}
	return h.known > other.known || h.row > 0 && other.row == 0
}

// bestHead returns the index of the head of the named sheet, or of the one whose rows are most likely meant.
func bestHead(heads []head, named string) int {
	best := max(slices.IndexFunc(heads, func(h head) bool { return h.sheet == named }), 0)
	for i := range heads {
		if named == "" && heads[i].better(&heads[best]) {
			best = i
		}
	}
	return best
}

// readHeads finds the header of the sheet that is named, and of each that is visible.
func readHeads(ctx context.Context, f *sheet.File, named string, headerRow int) ([]head, error) {
	var heads []head
	for _, s := range f.Sheets() {
		if !s.Hidden && !s.Own || s.Name == named {
			heads = append(heads, head{sheet: s.Name})
		}
	}
	if !slices.ContainsFunc(heads, func(h head) bool { return named == "" || h.sheet == named }) {
		heads = []head{{sheet: named}} // which to read tells why it is not there
	}
	for i := range heads {
		if err := heads[i].find(ctx, f, headerRow); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// find finds the header among the first rows of the sheet, or takes the row that it is said to be.
func (h *head) find(ctx context.Context, f *sheet.File, headerRow int) error {
	var rows []sheet.Row
	for row, err := range f.Rows(ctx, h.sheet) {
		if err != nil {
			return err
		}
		whole := h.first(&row, f.Date1904())
		switch {
		case headerRow == 0 || row.Number < headerRow:
			rows = append(rows, row)
		case row.Number == headerRow:
			rows, h.row = append(rows, row), headerRow
		}
		if whole && row.Number >= headerRow {
			break
		}
	}
	at, known := Header(rows)
	if headerRow > 0 {
		at = len(rows) - 1
	}
	if at < 0 || headerRow > 0 && h.row == 0 {
		return nil
	}
	h.row, h.known, h.header = rows[at].Number, known, HeaderTexts(&rows[at], f.Date1904())
	h.starts = NamesStart(h.header)
	for k := range rows[:at] {
		h.above = &rows[k]
		for _, cell := range rows[k].Cells {
			h.title = strings.TrimSpace(h.title + " " + cell.Text)
		}
	}
	return nil
}

// first keeps a row among the first of the sheet. It reports whether they are all that are looked at.
func (h *head) first(row *sheet.Row, date1904 bool) (whole bool) {
	if len(h.top) < sheet.HeaderRows {
		texts := HeaderTexts(row, date1904)
		texts = texts[:min(len(texts), topCells)]
		for i, text := range texts {
			if row.Cells[i].Kind == sheet.Date && text != "" {
				texts[i] = datetime.ShownSerial(row.Cells[i].Text, date1904)
			}
		}
		h.top = append(h.top, TopRow{row.Number, texts})
	}
	return len(h.top) == sheet.HeaderRows
}

// rows calls f with the rows below the header, until it reports false.
func (h *head) rows(ctx context.Context, file *sheet.File, f func(row *sheet.Row) bool) error {
	for row, err := range file.Rows(ctx, h.sheet) {
		if err != nil {
			return err
		}
		if row.Number > h.row && !f(&row) {
			return nil
		}
	}
	return nil
}

// order returns the places of the columns of a header in this one, -1 for those that it lacks; nil where the two
// are the same.
func (h *head) order(header []string) []int {
	if sameHeader(h.header, header) {
		return nil
	}
	places := make([]int, len(header))
	for i, name := range header {
		if places[i] = -1; name != "" {
			places[i] = sheet.FindColumn(h.header, name)
		}
	}
	return places
}

// ordered returns a row with its cells at other places.
func ordered(row *sheet.Row, places []int) *sheet.Row {
	if places == nil {
		return row
	}
	other := *row
	other.Cells = make([]sheet.Cell, len(places))
	for i, at := range places {
		if at >= 0 {
			other.Cells[i] = row.Cell(at)
		}
	}
	return &other
}
