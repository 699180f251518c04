package sheet

import (
	"slices"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// valueType is how a cell's value is written.
type valueType uint8

const (
	valueNumber  valueType = iota
	valueShared            // the number of a shared string
	valueBool              // 0 or 1
	valueError             // #N/A and its kin
	valueFormula           // the text that a formula gave
	valueInline            // text in elements of its own
	valueISODate           // ISO 8601
	valueUnknown
)

func parseType(v []byte) valueType {
	switch string(v) {
	case "n":
		return valueNumber
	case "s":
		return valueShared
	case "b":
		return valueBool
	case "e":
		return valueError
	case "str":
		return valueFormula
	case "inlineStr":
		return valueInline
	case "d":
		return valueISODate
	}
	return valueUnknown
}

// cellValue is what the elements of one cell hold.
type cellValue struct {
	text    []byte // of v or is, the escapes of text resolved
	formula []byte
	scratch []byte // memory for text

	given    bool // there is a v or an is
	inline   bool // there is an is
	computed bool // there is an f
}

// maxFill is how many blank cells may stand before others, in all rows of a sheet together.
const maxFill = 1 << 28

// cellReader reads the cells of a worksheet.
type cellReader struct {
	x      *ooxml.Scanner
	limits Limits
	shared *sharedStrings
	styles []cellStyle
	filled int // cells of the row at hand
	struck int // of them, that are struck through

	place schema.Place // of what is being read
	slab  *slab
	first int // of the current row's cells, in the slab
	fill  int // blank cells before others so far
	texts arena
	value cellValue
}

// cell reads one c element.
func (r *cellReader) cell() error {
	x := r.x
	if !x.Is("c") {
		if x.Is("extLst") {
			return r.pass()
		}
		return unexpected(x)
	}
	column, style, kind := r.place.Column+1, 0, valueNumber
	for i := range x.Attrs {
		a := &x.Attrs[i]
		if len(a.Name) != 1 {
			continue
		}
		ok := true
		switch a.Name[0] {
		case 'r':
			var row int
			if column, row, ok = ooxml.ParseRef(a.Value); !ok || row != r.place.Row {
				return ooxml.Flawf(schema.CodeBadCellReference, ooxml.HintResave, "%q is not a cell of row %d", a.Value, r.place.Row)
			}
		case 's':
			if style, ok = parseIndex(a.Value); !ok && len(a.Value) > 0 {
				return ooxml.Flawf(schema.CodeBadStyle, ooxml.HintResave, "the cell format %q is not a number", a.Value)
			}
		case 't':
			kind = parseType(a.Value)
		}
	}
	if column <= r.place.Column {
		return ooxml.Flawf(schema.CodeBadCellReference, ooxml.HintResave, "cell %s comes after cell %s",
			schema.ColumnName(column), schema.ColumnName(r.place.Column))
	}
	r.place.Column = column
	switch {
	case column >= r.limits.Columns:
		return ooxml.Flawf(schema.CodeTooManyColumns, ooxml.HintSmaller, "the row has more than %d columns", r.limits.Columns)
	case style >= len(r.styles) && style > 0:
		return ooxml.Flawf(
			schema.CodeBadStyle, ooxml.HintDamaged, "the cell format %d is not among the workbook's %d", style, len(r.styles),
		)
	case x.Closed():
		x.Next()
		return nil
	}
	v := &r.value
	v.given, v.inline, v.computed = false, false, false
	if err := x.Children(func() error { return r.cellPart(kind) }); err != nil {
		return err
	}
	return r.put(kind, r.styled(style))
}

// cellPart reads one element of a cell.
func (r *cellReader) cellPart(kind valueType) (err error) {
	x, v := r.x, &r.value
	switch {
	case x.Is("v") && !v.given:
		v.given = true
		if kind == valueFormula || kind == valueInline {
			v.scratch, err = stringContent(x, v.scratch[:0])
		} else {
			v.scratch, err = bareText(x, v.scratch[:0])
		}
		v.text = v.scratch
	case x.Is("is") && !v.inline && kind == valueInline: // a v before it says less
		v.given, v.inline = true, true
		v.scratch, err = richText(x, v.scratch[:0])
		v.text = v.scratch
	case x.Is("f") && !v.computed:
		v.computed = true
		v.formula, err = bareText(x, append(v.formula[:0], '='))
	case x.Is("extLst"):
		err = r.pass()
	default:
		err = unexpected(x)
	}
	return err
}

// styled returns the style of a number, which may be of none.
func (r *cellReader) styled(style int) cellStyle {
	if style >= len(r.styles) {
		return cellStyle{}
	}
	return r.styles[style]
}

// put adds the cell whose value was read to the row. A cell without content leaves no trace.
func (r *cellReader) put(kind valueType, style cellStyle) error {
	v := &r.value
	text := v.text
	if kind != valueFormula && kind != valueInline {
		text = ooxml.TrimSpace(text)
	}
	if !v.given || len(text) == 0 {
		if v.computed && (!v.given || kind != valueFormula) {
			return r.add(NoCache, r.texts.add(v.formula))
		}
		return nil
	}
	r.filled++
	if style.struck {
		r.struck++
	}
	switch kind {
	case valueShared:
		return r.putShared(text)
	case valueNumber:
		if !isNumber(text) {
			return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "%.40q is not a number, as the file says it is", text)
		}
		if !style.date {
			return r.add(Number, r.texts.add(text))
		}
		err := r.add(Date, r.texts.add(text))
		if err == nil && style.month {
			r.slab.cells[len(r.slab.cells)-1].Marks |= OfMonth
		}
		return err
	case valueBool:
		switch string(text) {
		case "1", "true":
			return r.add(Bool, "true")
		case "0", "false":
			return r.add(Bool, "false")
		}
		return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "%.40q is neither true nor false, as the file says it is", text)
	case valueUnknown:
		return ooxml.Flawf(schema.CodeUnsupportedFeature, ooxml.HintResave, "the cell is of a type that is not known")
	}
	if !fits(text) || len(text) > r.limits.CellBytes {
		return tooLong()
	}
	if kind == valueError {
		return r.add(Fault, r.texts.add(text))
	}
	return r.add(Text, r.texts.add(text))
}

// putShared adds a cell with a shared string, which is told by its index.
func (r *cellReader) putShared(index []byte) error {
	i, ok := parseIndex(index)
	s, known := "", false
	if ok {
		s, known = r.shared.at(i)
	}
	switch {
	case !known:
		return ooxml.Flawf(
			schema.CodeBadSharedString, ooxml.HintDamaged, "the shared string %q is not among the workbook's %d", index, r.shared.len(),
		)
	case s == "":
		return nil
	}
	return r.add(Text, s)
}

// add puts a cell into its column of the current row.
func (r *cellReader) add(kind CellKind, text string) error {
	s := r.slab
	if gap := r.place.Column - (len(s.cells) - r.first); gap > 0 {
		if r.fill += gap; r.fill > maxFill {
			return ooxml.Flawf(schema.CodeTooManyColumns, ooxml.HintSmaller, "the rows are too wide for what they hold")
		}
		n := len(s.cells)
		s.cells = slices.Grow(s.cells, gap+1)[:n+gap]
		clear(s.cells[n:])
	}
	cell := Cell{Text: text, Kind: kind}
	if r.value.computed && kind != NoCache {
		cell.Marks = ByFormula
	}
	s.cells = append(s.cells, cell)
	return nil
}

// pass skips an element that holds no rows, and makes sure of that.
func (r *cellReader) pass() error {
	x := r.x
	for depth := x.Depth(); x.Depth() >= depth; {
		switch x.Next() {
		case ooxml.TokenError:
			return x.Err()
		case ooxml.TokenStart:
			if x.Is("sheetData") || x.Is("row") || x.Is("c") {
				return ooxml.Flawf(schema.CodeBadXML, ooxml.HintResave, "the sheet holds rows where they do not belong")
			}
		}
	}
	return nil
}
