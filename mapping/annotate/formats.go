package annotate

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// areasPerFormat is how many ranges of cells one conditional format is given:
// spreadsheet programs refuse many thousands.
const areasPerFormat = 1_000

// formats makes the conditional formats that colour the marked cells, with the
// highest priorities.
func (s *sheetEdit) formats() []string {
	worst := map[[2]int]schema.Severity{} // by column and row
	note := func(column, row int, severity schema.Severity) {
		at := [2]int{column, row}
		if before, known := worst[at]; !known || severity < before {
			worst[at] = severity
		}
	}
	for _, m := range s.sorted(s.marked.Marks) {
		note(m.Column, m.Row, m.Severity)
		if own := s.columns[verdicts]; own.at >= 0 && own.texts[m.Row] != "" && m.Row != s.marked.HeaderRow {
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
				strconv.Itoa(s.looks.colors[severity])+`" priority="`+strconv.Itoa(len(all)+1)+`"><formula>`+
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
// down by so much. It gives nothing where no rule is left.
func formatting(raw []byte, shift int) []byte {
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
			raw = ooxml.Splice(raw, n.From, n.Open, string(shifted(n.Tag(raw), shift)))
		}
		left++
	}
	if left == 0 && len(rules) > 0 {
		return nil
	}
	return raw
}

// shifted gives a rule's tag with its priority below ours.
func shifted(tag []byte, shift int) []byte {
	n, err := strconv.Atoi(ooxml.AttrOf(tag, "priority"))
	if err != nil || shift == 0 {
		return tag
	}
	return ooxml.WithAttr(tag, "priority", strconv.Itoa(n+shift))
}
