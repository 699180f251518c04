package annotate

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// row writes one row with what is said of it, and returns its number. before is that of
// the row before it. A cell of an earlier call keeps its format, and is left blank where
// nothing is said, as cells behind it may go by their place alone.
func (c *sheetCopy) row(before int) int {
	number := ooxml.RowOf(c.m.Raw, before)
	var cells []ooxml.NewCell
	for i, column := range c.columns {
		if column.at < 0 {
			continue
		}
		words, has := column.texts[number]
		own := ooxml.NewCell{Column: column.at, Replace: !has, Lines: linesOf(i, words)}
		own.XML = func(old []byte, format string) (string, error) {
			switch {
			case old != nil:
			case number == c.marked.HeaderRow:
				format = c.facts.style
			default:
				format = c.wrapped
			}
			return inlineCell(ooxml.CellRef(number, column.at), format, words), nil
		}
		cells = append(cells, own)
	}
	c.err = ooxml.CopyRow(c.out, c.m, c.facts.prefix, cells)
	return number
}

// inlineCell writes a cell with as much of a text as it can hold.
func inlineCell(ref, format, text string) string {
	return ooxml.TextCell(ref, format, ooxml.CutText(sheet.Guard(text)))
}

// areasPerFormat is how many ranges of cells one conditional format is given:
// spreadsheet programs refuse many thousands.
const areasPerFormat = 1_000

// formats makes the conditional formats that colour the marked cells, with the
// highest priorities.
func (c *sheetCopy) formats() []string {
	worst := map[[2]int]schema.Severity{} // by column and row
	note := func(column, row int, severity schema.Severity) {
		at := [2]int{column, row}
		if before, known := worst[at]; !known || severity < before {
			worst[at] = severity
		}
	}
	for _, m := range c.sorted(c.marked.Marks) {
		note(m.Column, m.Row, m.Severity)
		if own := c.columns[verdicts]; own.at >= 0 && own.texts[m.Row] != "" && m.Row != c.marked.HeaderRow {
			note(own.at, m.Row, m.Severity)
		}
	}
	var cells [2][][2]int
	for at, severity := range worst {
		cells[severity] = append(cells[severity], at)
	}
	var all []string
	for severity, at := range cells {
		for areas := range slices.Chunk(ranges(at), areasPerFormat) {
			all = append(all, `<conditionalFormatting sqref="`+strings.Join(areas, " ")+`"><cfRule type="expression" dxfId="`+
				strconv.Itoa(c.colors[severity])+`" priority="`+strconv.Itoa(len(all)+1)+`"><formula>`+
				ooxml.EscapeText(markFormulas[severity])+`</formula></cfRule></conditionalFormatting>`)
		}
	}
	return all
}

// ranges names cells, given by column and row, those below one another as one range.
func ranges(cells [][2]int) []string {
	slices.SortFunc(cells, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	var all []string
	for i := 0; i < len(cells); {
		j := i + 1
		for j < len(cells) && cells[j][0] == cells[i][0] && cells[j][1] == cells[j-1][1]+1 {
			j++
		}
		ref := ooxml.CellRef(cells[i][1], cells[i][0])
		if j > i+1 {
			ref += ":" + ooxml.CellRef(cells[j-1][1], cells[i][0])
		}
		all = append(all, ref)
		i = j
	}
	return all
}

// formatting takes our rules out of a conditional format and moves the user's
// down. It gives nothing where no rule is left.
func (c *sheetCopy) formatting(raw []byte) []byte {
	root, prefix := ooxml.RootOf(raw)
	rules := ooxml.Within(raw, root, prefix)
	left := 0
	for _, n := range slices.Backward(rules) {
		switch {
		case n.Local != "cfRule":
		case ours([]byte(ooxml.Resolved(raw[n.From:n.To]))):
			raw = ooxml.Without(raw, n)
			continue
		default:
			raw = ooxml.Splice(raw, n.From, n.Open, string(c.shifted(n.Tag(raw))))
		}
		left++
	}
	if left == 0 && len(rules) > 0 {
		return nil
	}
	return raw
}

// shifted gives a rule's tag with its priority below ours.
func (c *sheetCopy) shifted(tag []byte) []byte {
	n, err := strconv.Atoi(ooxml.AttrOf(tag, "priority"))
	if err != nil || c.shift == 0 {
		return tag
	}
	return ooxml.WithAttr(tag, "priority", strconv.Itoa(n+c.shift))
}
