package annotate

import (
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/proposal"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Our columns in a sheet.
const (
	verdicts = iota
	proposals
)

var ownColumns = [2]struct {
	header string
	width  int
}{
	verdicts:  {sheet.AnnotationColumn, 60},
	proposals: {sheet.ProposalColumn, 44},
}

// linesOf returns how many lines a text takes in one of them: not every program finds the
// height of a row by itself.
func linesOf(column int, text string) int {
	lines, length := 1, 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+n > ownColumns[column].width {
			lines, length = lines+1, 0
		}
		length += n + 1
	}
	return lines
}

// ownColumn is one of them, with what it says.
type ownColumn struct {
	at    int            // -1 for none
	texts map[int]string // by physical row
}

var noColumns = [2]ownColumn{{at: -1}, {at: -1}}

// proposals returns by row what is proposed for the cells of the sheet, each told by its
// header: none for a cell whose header is blank, or that of another column too.
func (m *Sheet) proposals(problems []schema.Problem) map[int]string {
	all := map[int][]proposal.Change{}
	for i := range problems {
		p := &problems[i]
		row, column := p.Place.Row, p.Place.Column
		if p.Proposal == "" || p.Place.Sheet != m.Name || row <= 0 || column < 0 || column >= len(m.Header) ||
			sheet.OnlyColumn(m.Header, m.Header[column]) < 0 {
			continue
		}
		all[row] = append(all[row], proposal.Change{Header: m.Header[column], Before: p.Value, After: p.Proposal})
	}
	lines := make(map[int]string, len(all))
	for row, changes := range all {
		lines[row] = proposal.Line(changes)
	}
	return lines
}
