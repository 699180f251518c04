package annotate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// row writes one row with its verdict, and gives its number. before is that of
// the row before it.
func (c *sheetCopy) row(before int) int {
	m, prefix := c.m, c.facts.prefix
	number := rowNumber(m.Raw, before)
	verdict, has := c.verdicts[number]
	tag, empty := bytes.Clone(m.Raw), m.Kind == ooxml.PieceEmpty
	if !has && empty {
		c.put(tag)
		return number
	}
	if has {
		tag = c.spans(tag)
	}
	style := ""
	if number == c.marked.HeaderRow {
		style = c.facts.style
	}
	own := ooxml.Prefixed(inlineCell(ooxml.CellRef(number, c.column), style, verdict), prefix)
	if empty {
		c.put([]byte(strings.TrimSuffix(string(tag), "/>") + ">" + own + "</" + ooxml.TagName(tag) + ">"))
		return number
	}
	c.put(tag)
	done := !has
	for column, depth := -1, m.Depth; m.Next() && c.err == nil; {
		ends := m.Kind == ooxml.PieceClose && m.Depth == depth
		if m.Depth == depth+1 && m.Begins(prefix, "c") {
			if column = cellColumn(m.Raw, column); column == c.column {
				old := bytes.Clone(m.Raw)
				m.Whole() // what stood there is ours
				c.put(c.replaced(old, number, verdict))
				done = true
				continue
			}
		}
		if !done && (ends || column > c.column) {
			c.put([]byte(own))
			done = true
		}
		c.put(m.Raw)
		if ends {
			break
		}
	}
	return number
}

// replaced writes our cell in the place of an earlier one, whose format it keeps.
// A blank one is left where there is no verdict, as cells behind it may go by
// their place alone.
func (c *sheetCopy) replaced(tag []byte, row int, verdict string) []byte {
	return []byte(ooxml.Prefixed(inlineCell(ooxml.CellRef(row, c.column), ooxml.AttrOf(tag, "s"), verdict), c.facts.prefix))
}

// inlineCell writes a cell that holds its own text.
func inlineCell(ref, style, text string) string {
	if style != "" && style != "0" {
		style = ` s="` + style + `"`
	} else {
		style = ""
	}
	if text == "" {
		return `<c r="` + ref + `"` + style + `/>`
	}
	return `<c r="` + ref + `"` + style + ` t="inlineStr"><is><t xml:space="preserve">` + ooxml.EscapeText(
		ooxml.CutText(sheet.Guard(text)),
	) + `</t></is></c>`
}

// spans makes a row's range of columns include ours.
func (c *sheetCopy) spans(tag []byte) []byte {
	value := ooxml.AttrOf(tag, "spans")
	first, last, ok := strings.Cut(value, ":")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	own := c.column + 1
	if !ok || err != nil || err2 != nil || from <= own && own <= to {
		return tag
	}
	return ooxml.WithAttr(tag, "spans", fmt.Sprintf("%d:%d", min(from, own), max(to, own)))
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
		if c.column >= 0 && c.verdicts[m.Row] != "" && m.Row != c.marked.HeaderRow {
			note(c.column, m.Row, m.Severity)
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
