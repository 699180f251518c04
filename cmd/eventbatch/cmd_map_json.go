package main

import (
	"eventbatch/batch/printable"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// longestExample is how many letters of a cell stand in the document of map.
const longestExample = 60

// mapDoc is the JSON of map.
type mapDoc struct {
	Command   string          `json:"command"`
	File      string          `json:"file"`
	Sheet     string          `json:"sheet"`
	HeaderRow int             `json:"header_row"`
	Rows      int             `json:"rows"`
	Source    string          `json:"source"` // preset that the file is made for; empty where none
	Near      string          `json:"near"`   // preset that it is nearly made for
	Needless  bool            `json:"needless"`
	Mapping   string          `json:"mapping"`
	Written   string          `json:"written"`         // path; empty where none was asked for
	Given     string          `json:"given,omitempty"` // mapping whose reading this is; empty where one is proposed
	Sheets    []mapDocSheet   `json:"sheets"`          // of a workbook, but those that are hidden
	Top       []mapDocTop     `json:"top"`             // the first rows of the sheet, of which one is the header
	Columns   []mapDocColumn  `json:"columns"`
	Fields    []mapChoice     `json:"fields"` // that a column may feed
	Lines     []mapDocLine    `json:"lines"`
	Shapes    []mapDocShape   `json:"shapes"`
	Questions []mapDocAsk     `json:"questions"`
	Settled   []mapDocAsk     `json:"settled"` // that need no answer, and take another
	Ignored   []mapDocIgnored `json:"ignored"`
	Exit      found.Exit      `json:"exit"`
}

type mapDocLine struct {
	At      string   `json:"at"`
	Columns []string `json:"columns"`
	Basis   string   `json:"basis"`
	Score   int      `json:"score,omitempty"`
	Reason  string   `json:"reason"`
	Doubt   string   `json:"doubt,omitempty"`
}

// mapDocShape is cells of one column that are read alike.
type mapDocShape struct {
	Field   string   `json:"field"`
	Column  string   `json:"column"`
	Example string   `json:"example"`
	Count   int      `json:"count"`
	Becomes string   `json:"becomes"`
	Reading string   `json:"reading,omitempty"`
	Asked   string   `json:"asked,omitempty"` // id of the open question that decides about it
	Refused bool     `json:"refused,omitempty"`
	Settled string   `json:"settled,omitempty"` // id of the question by whose answer it is read otherwise
	Also    []string `json:"also,omitempty"`    // further examples
}

// mapDocSheet is a sheet of a workbook.
type mapDocSheet struct {
	Name      string `json:"name"`
	HeaderRow int    `json:"header_row"`       // 0 where no row is one
	Read      bool   `json:"read"`             // its rows are
	Joined    bool   `json:"joined,omitempty"` // it says where events are
}

// mapDocTop is one of the first rows of a sheet.
type mapDocTop struct {
	Row   int      `json:"row"`
	Cells []string `json:"cells"`
}

// mapDocColumn is a column of the file.
type mapDocColumn struct {
	Letter   string   `json:"letter"` // empty for one of a joined sheet
	Header   string   `json:"header"`
	Filled   int      `json:"filled"` // cells
	Examples []string `json:"examples"`
	Feeds    []string `json:"feeds"` // lines of the mapping
	Why      string   `json:"why"`
	Doubt    string   `json:"doubt,omitempty"`
	Question string   `json:"question,omitempty"` // id of that about what it feeds
}

type mapDocAsk struct {
	ID       string      `json:"id"`
	Text     string      `json:"text"`
	Why      string      `json:"why"`
	Columns  []string    `json:"columns"`
	Choices  []mapChoice `json:"choices"`
	Free     string      `json:"free,omitempty"`
	Default  string      `json:"default,omitempty"`
	Optional bool        `json:"optional"`
	After    []string    `json:"after,omitempty"` // the answers with which alone it is a question
}

type mapChoice struct {
	Value string `json:"value"`
	Text  string `json:"text,omitempty"`
}

type mapDocIgnored struct {
	Header string `json:"header"`
	Reason string `json:"reason"`
}

func mapDocument(t *match.Table, p *match.Proposal, following []match.Following, text, written string, exit found.Exit) mapDoc {
	doc := mapDoc{
		Command: "map", File: t.File, Sheet: t.Sheet, HeaderRow: t.HeaderRow, Rows: t.Rows(), Source: p.Source, Near: p.Near,
		Needless: p.Needless(), Mapping: text, Written: written, Exit: exit,
		Lines: []mapDocLine{}, Shapes: []mapDocShape{}, Questions: []mapDocAsk{}, Ignored: []mapDocIgnored{},
		Settled: []mapDocAsk{}, Sheets: []mapDocSheet{}, Top: []mapDocTop{}, Columns: []mapDocColumn{},
		Fields: []mapChoice{},
	}
	for _, s := range t.Sheets(p) {
		doc.Sheets = append(doc.Sheets, mapDocSheet(s))
	}
	for _, r := range t.Top {
		doc.Top = append(doc.Top, mapDocTop{r.Row, briefs(r.Cells)})
	}
	for _, c := range p.Columns(t.Columns) {
		letter := ""
		if c.Index < t.Config.Width || len(t.Config.Joins) == 0 {
			letter = schema.ColumnName(c.Index)
		}
		doc.Columns = append(doc.Columns, mapDocColumn{
			letter, c.Header, c.Filled, briefs(c.Examples), append([]string{}, c.Feeds...), c.Why, c.Doubt, c.Question,
		})
		if c.Question != "" && len(doc.Fields) == 0 {
			r, _ := catalog.ResourceNamed(p.File.Resource)
			for _, f := range match.Feedable(r) {
				doc.Fields = append(doc.Fields, mapChoice(f))
			}
		}
	}
	for i := range p.Settled {
		if q := &p.Settled[i]; !q.OfColumn() {
			doc.Settled = append(doc.Settled, mapDocQuestion(q, nil))
		}
	}
	for _, l := range p.Lines {
		doc.Lines = append(doc.Lines, mapDocLine{l.At, append([]string{}, l.Columns...), string(l.Basis), l.Score, l.Reason, l.Doubt})
	}
	for _, s := range p.Shapes {
		doc.Shapes = append(doc.Shapes, mapDocShape{
			s.Field, s.Column, s.Example, s.Count, s.Becomes, s.Reading, s.Asked, s.Refused, s.Settled, s.Also,
		})
	}
	for _, q := range p.Questions {
		doc.Questions = append(doc.Questions, mapDocQuestion(&q, nil))
	}
	for _, f := range following {
		doc.Questions = append(doc.Questions, mapDocQuestion(&f.Question, f.After))
	}
	for _, i := range p.Ignored {
		doc.Ignored = append(doc.Ignored, mapDocIgnored(i))
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

func mapDocQuestion(q *match.Question, after []string) mapDocAsk {
	ask := mapDocAsk{q.ID, q.Text, q.Why, append([]string{}, q.Columns...), []mapChoice{}, q.Free, q.Default, q.Optional, after}
	if q.Refused { // no answer settles it: what to do instead is said, and not asked for
		ask.Why, ask.Free = q.Why+": "+q.Free, ""
	}
	for _, c := range q.Choices {
		ask.Choices = append(ask.Choices, mapChoice(c))
	}
	return ask
}
