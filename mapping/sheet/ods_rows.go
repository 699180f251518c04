package sheet

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// odsReader reads the rows of one sheet.
type odsReader struct {
	sheetReader
	styles  map[string]odsStyle
	columns []odsColumns
	text    []byte // of the cell at hand
	copied  int    // cells of rows that stand for several
}

// maxCopied is how many cells the rows of a sheet may have that are written once and stand for several.
const maxCopied = 1 << 24

// odsColumns is a run of columns with one style, up to the column behind the last.
type odsColumns struct {
	end    int
	struck bool
}

// part reads an element of a sheet: a row, columns, or a group of either.
func (r *odsReader) part() error {
	x := r.x
	if x.Space != ooxml.TableSpace {
		return x.Skip()
	}
	switch string(x.Local) {
	case "table-row":
		return r.row()
	case "table-column":
		return r.column()
	case "table-rows", "table-header-rows", "table-row-group", "table-columns", "table-header-columns", "table-column-group":
		return x.Children(r.part)
	}
	return x.Skip()
}

// repeated returns how often an element stands for itself.
func (r *odsReader) repeated(attr string) (int, error) {
	v, said := r.x.AttrIn(ooxml.TableSpace, attr)
	if !said {
		return 1, nil
	}
	n, ok := parseIndex(v)
	if !ok || n < 1 {
		return 0, ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "%.40q is no number of rows or columns", v)
	}
	return n, nil
}

func (r *odsReader) hiddenElement() bool {
	v, _ := r.x.AttrIn(ooxml.TableSpace, "visibility")
	return string(v) == "collapse" || string(v) == "filter"
}

func (r *odsReader) column() error {
	n, err := r.repeated("number-columns-repeated")
	if err != nil {
		return err
	}
	first := 0
	if last := len(r.columns) - 1; last >= 0 {
		first = r.columns[last].end
	}
	style, _ := r.x.AttrIn(ooxml.TableSpace, "default-cell-style-name")
	if len(r.columns) < ooxml.ColumnsPerSheet {
		r.columns = append(r.columns, odsColumns{first + n, r.styles[string(style)].struck})
		if r.hiddenElement() {
			r.unseen = append(r.unseen, Merge{Left: first, Right: first + n - 1})
		}
	}
	return r.x.Skip()
}

// row reads a row, and yields it as often as it stands for itself where it holds anything.
func (r *odsReader) row() error {
	n, err := r.repeated("number-rows-repeated")
	if err != nil {
		return err
	}
	hidden := r.hiddenElement()
	r.place.Row, r.place.Column = r.place.Row+1, -1
	r.first, r.filled, r.struck = len(r.slab.cells), 0, 0
	if err := r.x.Children(r.cell); err != nil {
		return err
	}
	last := r.place.Row + n - 1
	if r.place.Column = -1; len(r.slab.cells) == r.first {
		r.place.Row = last
		return nil
	}
	cells := r.slab.cells[r.first:len(r.slab.cells):len(r.slab.cells)]
	if n > 1 {
		cells = slices.Clone(cells) // the slab is given away before the last
	}
	r.width = max(r.width, len(cells))
	for ; ; r.place.Row++ {
		if r.place.Row > r.limits.Rows {
			return ooxml.Flawf(schema.CodeTooManyRows, ooxml.HintSmaller, "the sheet has more than %d rows", r.limits.Rows)
		}
		struck := r.sightings.row(r.place.Row, hidden, r.filled, r.struck)
		s := r.slab
		s.rows = append(s.rows, Row{Number: r.place.Row, Hidden: hidden, Struck: struck, Cells: cells})
		if len(s.rows) >= batchRows || len(s.cells) >= batchCells {
			if err := r.flush(); err != nil {
				return err
			}
		}
		if r.last = r.place.Row; r.last == last {
			return nil
		}
		if r.copied += len(cells); r.copied > maxCopied {
			return ooxml.Flawf(schema.CodeTooManyRows, ooxml.HintSmaller, "rows are repeated too often")
		}
		from := len(r.slab.cells) // whoever has the batch may write in it
		r.slab.cells = append(r.slab.cells, cells...)
		cells = r.slab.cells[from:len(r.slab.cells):len(r.slab.cells)]
	}
}

// cell reads a cell, which may stand for several, or be covered by another.
func (r *odsReader) cell() error {
	x := r.x
	if !x.In(ooxml.TableSpace, "table-cell") && !x.In(ooxml.TableSpace, "covered-table-cell") {
		return unexpected(x)
	}
	n, err := r.repeated("number-columns-repeated")
	if err != nil {
		return err
	}
	right, err := r.repeated("number-columns-spanned")
	if err != nil {
		return err
	}
	down, err := r.repeated("number-rows-spanned")
	if err != nil {
		return err
	}
	r.place.Column++
	if right > 1 || down > 1 {
		r.merge(Merge{r.place.Column, r.place.Row, r.place.Column + right - 1, r.place.Row + down - 1})
	}
	struck := r.isStruck()
	value := r.value()
	if value.err != nil {
		return value.err
	}
	r.text = r.text[:0]
	if err := x.Children(r.content); err != nil {
		return err
	}
	kind, text, err := value.cell(r.text)
	if err != nil {
		return err
	}
	if kind == Blank {
		r.place.Column += n - 1
		return nil
	}
	if !fits(text) || len(text) > r.limits.CellBytes {
		return tooLong()
	}
	held := r.texts.add(text)
	for ; ; r.place.Column++ {
		if r.place.Column >= r.limits.Columns {
			return ooxml.Flawf(schema.CodeTooManyColumns, ooxml.HintSmaller, "the row has more than %d columns", r.limits.Columns)
		}
		if r.filled++; struck {
			r.struck++
		}
		if err := r.add(kind, held); err != nil {
			return err
		}
		if n--; n == 0 {
			return nil
		}
	}
}

// isStruck reports whether the cell at hand is struck through: by its own style, else by its
// column's.
func (r *odsReader) isStruck() bool {
	if style, said := r.x.AttrIn(ooxml.TableSpace, "style-name"); said {
		return r.styles[string(style)].struck
	}
	i, _ := slices.BinarySearchFunc(r.columns, r.place.Column+1, func(c odsColumns, end int) int { return c.end - end })
	return i < len(r.columns) && r.columns[i].struck
}

// content reads an element of a cell: a paragraph of its text. Comments and pictures are none.
func (r *odsReader) content() error {
	if !r.x.In(ooxml.TextSpace, "p") {
		if r.x.In(ooxml.TableSpace, "table") {
			return unexpected(r.x)
		}
		return r.x.Skip()
	}
	if len(r.text) > 0 {
		r.text = append(r.text, '\n')
	}
	return r.paragraph()
}

// paragraph appends the text of the current element and of those in it.
func (r *odsReader) paragraph() error {
	x := r.x
	for {
		switch x.Next() {
		case ooxml.TokenText:
			r.text = append(r.text, oneLine(x.Text)...)
		case ooxml.TokenEnd:
			return nil
		case ooxml.TokenStart:
			if err := r.inline(); err != nil {
				return err
			}
		default:
			return x.Err()
		}
		if len(r.text) > maxCellXML {
			return tooLong()
		}
	}
}

// inline reads an element in a paragraph.
func (r *odsReader) inline() error {
	x := r.x
	switch {
	case x.In(ooxml.TextSpace, "s"):
		n := 1
		if v, said := x.AttrIn(ooxml.TextSpace, "c"); said {
			var ok bool
			if n, ok = parseIndex(v); !ok || n > maxCellUnits {
				return tooLong()
			}
		}
		r.text = append(r.text, bytes.Repeat([]byte{' '}, n)...)
	case x.In(ooxml.TextSpace, "tab"):
		r.text = append(r.text, '\t')
	case x.In(ooxml.TextSpace, "line-break"):
		r.text = append(r.text, '\n')
	case x.In(ooxml.TextSpace, "note"), x.In(ooxml.TextSpace, "ruby-text"), x.Space != ooxml.TextSpace:
	default: // a span, a link, a field
		return r.paragraph()
	}
	return x.Skip()
}

// oneLine makes a blank of each run of white space with a line end in it, which XML may have
// anywhere; line ends that count are elements.
func oneLine(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 {
		return text
	}
	var out []byte
	for len(text) > 0 {
		rest := ooxml.TrimSpaceLeft(text)
		switch blank := text[:len(text)-len(rest)]; {
		case len(blank) == 0:
			out, text = append(out, text[0]), text[1:]
			continue
		case bytes.IndexByte(blank, '\n') >= 0:
			out = append(out, ' ')
		default:
			out = append(out, blank...)
		}
		text = rest
	}
	return out
}

// odsValue is what the attributes of a cell say of its value.
type odsValue struct {
	kind    string
	value   string
	given   bool
	formula string
	err     error
}

// value reads the attributes of a cell.
func (r *odsReader) value() (v odsValue) {
	x := r.x
	attr := func(name string) string {
		b, ok := x.AttrIn(ooxml.OfficeSpace, name)
		v.given = v.given || ok
		return string(b)
	}
	if f, ok := x.AttrIn(ooxml.TableSpace, "formula"); ok {
		v.formula = string(f)
	}
	switch v.kind = attr("value-type"); v.kind {
	case "":
	case "float", "percentage", "currency":
		v.value = attr("value")
	case "date", "time":
		v.value = attr(v.kind + "-value")
	case "boolean":
		v.value = attr("boolean-value")
	case "string":
		if error, _ := x.AttrIn(ooxml.CalcSpace, "value-type"); string(error) == "error" {
			v.kind = "error"
		} else if b, ok := x.AttrIn(ooxml.OfficeSpace, "string-value"); ok {
			v.value = string(b)
		}
	default:
		v.err = ooxml.Flawf(schema.CodeUnsupportedFeature, ooxml.HintResave, "the cell is of a type that is not known")
	}
	return v
}

// cell returns the cell that the value and the text that is shown make.
func (v *odsValue) cell(shown []byte) (CellKind, []byte, error) {
	wrong := func(what string) error {
		return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "%.40q is not %s, as the file says it is", v.value, what)
	}
	switch v.kind {
	case "":
		switch {
		case len(shown) > 0:
			return Text, shown, nil
		case v.formula != "":
			return NoCache, []byte(v.formula), nil
		}
		return Blank, nil, nil
	case "error":
		return Fault, shown, nil
	case "boolean":
		if v.value != "true" && v.value != "false" {
			return Blank, nil, wrong("true or false")
		}
		return Bool, []byte(v.value), nil
	case "date":
		day, err := parseODSDate(v.value)
		if err != nil {
			return Blank, nil, wrong("a date")
		}
		if number, err := serial(&Out{Time: day}, false); err == nil {
			return Date, []byte(number), nil
		}
		return Text, []byte(v.value), nil
	case "time":
		days, ok := parseODSTime(v.value)
		if !ok {
			return Blank, nil, wrong("a time")
		}
		return Date, strconv.AppendFloat(nil, days, 'f', -1, 64), nil
	case "string":
		if v.value != "" && len(shown) == 0 {
			shown = []byte(v.value)
		}
		if len(shown) == 0 {
			return Blank, nil, nil
		}
		return Text, shown, nil
	}
	if !isNumber(v.value) {
		return Blank, nil, wrong("a number")
	}
	return Number, []byte(v.value), nil
}

func parseODSDate(v string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, v); err == nil {
		return day, nil
	}
	return time.Parse("2006-01-02T15:04:05", v) // and a fraction
}

// parseODSTime reads PT18H30M00S as a part of a day; of more than a day too.
func parseODSTime(v string) (days float64, ok bool) {
	rest, isTime, seconds := v, false, 0.0
	if len(rest) < 3 || rest[0] != 'P' {
		return 0, false
	}
	for rest = rest[1:]; rest != ""; {
		if rest[0] == 'T' && !isTime {
			rest, isTime = rest[1:], true
			continue
		}
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.') {
			n++
		}
		number, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil || n == len(rest) || n > 20 {
			return 0, false
		}
		switch unit := rest[n]; {
		case unit == 'D' && !isTime:
			seconds += number * 86400
		case unit == 'H' && isTime:
			seconds += number * 3600
		case unit == 'M' && isTime:
			seconds += number * 60
		case unit == 'S' && isTime:
			seconds += number
		default:
			return 0, false
		}
		rest, ok = rest[n+1:], true
	}
	return seconds / 86400, ok
}
