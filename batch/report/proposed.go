package report

import (
	"cmp"
	"io"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/match"
)

// longestExample is how many letters of a cell stand in the document of map.
const longestExample = 60

// Proposed is the document of map.
type Proposed struct {
	File      string            `json:"file"`
	Sheet     string            `json:"sheet"`
	HeaderRow int               `json:"header_row"`
	Rows      int               `json:"rows"`
	Source    string            `json:"source"` // preset that the file is made for; empty where none
	Near      string            `json:"near"`   // preset that it is nearly made for
	Needless  bool              `json:"needless"`
	Mapping   string            `json:"mapping"`
	Written   string            `json:"written"`         // path; empty where none was asked for
	Given     string            `json:"given,omitempty"` // mapping whose reading this is; empty where one is proposed
	Sheets    []match.Sheet     `json:"sheets"`          // of a workbook, but those that are hidden
	Top       []match.TopRow    `json:"top"`             // the first rows of the sheet, of which one is the header
	Columns   []match.Column    `json:"columns"`
	Fields    []match.Choice    `json:"fields"` // that a column may feed
	Lines     []match.Line      `json:"lines"`
	Shapes    []match.Shape     `json:"shapes"`
	Questions []match.Following `json:"questions"`
	Settled   []match.Following `json:"settled"` // that need no answer, and take another
	Ignored   []match.Ignored   `json:"ignored"`
}

// ProposedOf returns the document of what is proposed for a file.
func ProposedOf(t *match.Table, p *match.Proposal, following []match.Following) *Proposed {
	doc := &Proposed{
		File: t.File, Sheet: t.Sheet, HeaderRow: t.HeaderRow, Rows: t.Rows(), Source: p.Source, Near: p.Near,
		Needless: p.Needless(),
		Sheets:   t.Sheets(p), Top: []match.TopRow{}, Columns: p.Columns(t), Fields: []match.Choice{}, Lines: []match.Line{},
		Shapes: append([]match.Shape{}, p.Shapes...), Questions: []match.Following{}, Settled: []match.Following{},
		Ignored: append([]match.Ignored{}, p.Ignored...),
	}
	for _, r := range t.Top {
		doc.Top = append(doc.Top, match.TopRow{Row: r.Row, Cells: briefs(r.Cells)})
	}
	for i := range doc.Columns {
		c := &doc.Columns[i]
		if c.Examples = briefs(c.Examples); c.Question != "" && len(doc.Fields) == 0 {
			r, _ := catalog.ResourceNamed(p.File.Resource)
			doc.Fields = match.Feedable(r)
		}
	}
	for i := range p.Settled {
		if q := &p.Settled[i]; !q.OfColumn() {
			doc.Settled = append(doc.Settled, proposedQuestion(q, nil))
		}
	}
	for _, l := range p.Lines {
		l.Columns = append([]string{}, l.Columns...)
		doc.Lines = append(doc.Lines, l)
	}
	for i := range p.Questions {
		doc.Questions = append(doc.Questions, proposedQuestion(&p.Questions[i], nil))
	}
	for i := range following {
		doc.Questions = append(doc.Questions, proposedQuestion(&following[i].Question, following[i].After))
	}
	return doc
}

// briefs returns texts of cells as the document shows them.
func briefs(texts []string) []string {
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = printable.Brief(text, longestExample)
	}
	return short
}

// proposedQuestion returns a question as the document has it. One that no answer settles asks for none, and says what to do.
func proposedQuestion(q *match.Question, after []string) match.Following {
	f := match.Following{Question: *q, After: after}
	f.Columns, f.Choices = append([]string{}, q.Columns...), append([]match.Choice{}, q.Choices...)
	if q.Refused {
		f.Why, f.Free = q.Why+": "+q.Free, ""
	}
	return f
}

// ColumnsTable prints what feeds what as a table.
func ColumnsTable(w io.Writer, columns []match.Column) error {
	header := []string{"COLUMN", "FILLED", "FEEDS", "EXAMPLES"}
	return TableOf(w, header, columns, func(column match.Column) []string {
		return []string{
			printable.Brief(column.Header, 30), Number(column.Filled), cmp.Or(strings.Join(column.Feeds, ", "), "left behind"),
			printable.Brief(strings.Join(column.Examples, " · "), 60),
		}
	})
}
