package mapping

import (
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// findHeaderRow takes the row that --header-row names, else the one of the first
// rows that names the most fields. One that is not the first has to name two:
// above a header there are titles, and a cell of data may happen to be a field's name.
func findHeaderRow(held []*sheet.Batch, o *options, date1904 bool) (header *sheet.Row, above, problem *schema.Problem) {
	best, seen, first := 0, 0, (*sheet.Row)(nil)
	for _, batch := range held {
		for i := range batch.Rows {
			row := &batch.Rows[i]
			if o.HeaderRow > 0 {
				if row.Number == o.HeaderRow {
					return row, nil, row.Problem
				}
				continue
			}
			if seen++; seen > sheet.HeaderRows {
				break
			}
			if first == nil {
				first = row
			}
			if n := recognized(match.HeaderTexts(row, date1904), o.Resource, o.mapping); n > best && (row == first || n > 1) {
				header, best = row, n
			}
		}
	}
	switch {
	case header == nil:
		return nil, nil, noHeader(first, o, date1904)
	case header.Problem != nil:
		return nil, nil, header.Problem
	}
	if header != first {
		above = &schema.Problem{
			Severity: schema.Warning, Code: schema.CodeRowsAboveHeader, Place: schema.Place{
				Row: header.Number, Line: header.Line, Column: -1,
			},
			Message: "row " + strconv.Itoa(header.Number) + " is taken for the header, and what stands above it is not read",
			Hint:    "say --header-row if it is another",
		}
	}
	return header, above, nil
}

func noHeader(first *sheet.Row, o *options, date1904 bool) *schema.Problem {
	p := &schema.Problem{Code: schema.CodeNoHeader, Place: schema.Place{Column: -1}}
	switch {
	case o.HeaderRow > 0:
		p.Place.Row = o.HeaderRow
		p.Message, p.Hint = "row "+strconv.Itoa(o.HeaderRow)+" is blank, and was said to be the header", "correct --header-row"
	case first == nil:
		p.Message, p.Hint = match.Empty()
	default:
		p.Place.Row, p.Place.Line = first.Number, first.Line
		p.Message = "no row names a field, so there is no telling what the columns are"
		p.Hint = "name the columns after fields (" + catalog.Listing(o.Resource) + " lists them), or have eventbatch map propose a mapping"
		header := match.HeaderTexts(first, date1904)
		if other := notEvents(o, header, func(int) bool { return false }); other != nil && o.Resource.Keyed() && o.mapping == nil {
			other.Place.Row, other.Place.Line = first.Number, first.Line
			other.Place.Header = header[other.Place.Column]
			other.Value = other.Place.Header
			return other
		}
		for i := range first.Cells {
			text := first.Cells[i].Text
			if o.Resource.Keyed() && match.Knows(text) != "" {
				continue // Thema is a name, and no mistake for theme
			}
			if near := spelling.Nearest(text, mapfile.Targets(o.Resource)); near != "" {
				p.Hint = quoted(text) + ": did you mean " + near + "?"
				break
			}
		}
	}
	return p
}

// recognized counts the cells of a row that name a field or a column of the
// mapping: the row that has the most is the header.
func recognized(cells []string, r *schema.Resource, f *mapfile.File) int {
	n := 0
	var wanted map[string]bool
	if f != nil {
		wanted = f.Headers()
	}
	for _, cell := range cells {
		if cell == "" {
			continue
		}
		if _, ok := match.Field(r, cell); ok || wanted[sheet.NormalHeader(cell)] || sheet.OwnColumn(cell) {
			n++
		}
	}
	return n
}
