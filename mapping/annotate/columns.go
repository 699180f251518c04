package annotate

import (
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/proposal"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
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

// placeColumns finds where they stand: in those of an earlier call, else in the first behind
// the header that hold nothing. There is none for proposals where there are none.
func (s *sheetEdit) placeColumns() {
	f := &s.facts
	if s.marked.Verdicts == nil || s.marked.HeaderRow <= 0 {
		return
	}
	free := f.headerEnd + 1
	for i := range s.columns {
		column := &s.columns[i]
		if i == proposals && len(s.proposals) == 0 && f.own[i] < 0 {
			continue
		}
		if column.at = f.own[i]; column.at < 0 {
			for free < len(f.used) && f.used[free] {
				free++
			}
			column.at = free
			free++
		}
		if column.at >= ooxml.ColumnsPerSheet {
			column.at = -1
			continue
		}
		column.texts = map[int]string{s.marked.HeaderRow: ownColumns[i].header}
	}
	for row, verdict := range s.marked.Verdicts {
		s.say(verdicts, row, verdict)
	}
	for row, words := range s.proposals {
		s.say(proposals, row, words)
	}
}

func (s *sheetEdit) say(column, row int, words string) {
	if row > 0 && row != s.marked.HeaderRow && s.columns[column].at >= 0 {
		s.columns[column].texts[row] = strings.Join(strings.Fields(words), " ")
	}
}

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
