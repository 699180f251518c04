package main

import (
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/match"
)

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
	Written   string          `json:"written"` // path; empty where none was asked for
	Lines     []mapDocLine    `json:"lines"`
	Shapes    []mapDocShape   `json:"shapes"`
	Questions []mapDocAsk     `json:"questions"`
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
	Field   string `json:"field"`
	Column  string `json:"column"`
	Example string `json:"example"`
	Count   int    `json:"count"`
	Becomes string `json:"becomes"`
	Reading string `json:"reading,omitempty"`
	Asked   string `json:"asked,omitempty"` // id of the open question that decides about it
	Refused bool   `json:"refused,omitempty"`
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

func mapDocument(t *table, p *match.Proposal, following []match.Following, text, written string, exit found.Exit) mapDoc {
	doc := mapDoc{
		Command: "map", File: t.file, Sheet: t.sheet, HeaderRow: t.headerRow, Rows: t.columns.Rows(), Source: p.Source, Near: p.Near,
		Needless: p.Needless(), Mapping: text, Written: written, Exit: exit,
		Lines: []mapDocLine{}, Shapes: []mapDocShape{}, Questions: []mapDocAsk{}, Ignored: []mapDocIgnored{},
	}
	for _, l := range p.Lines {
		doc.Lines = append(doc.Lines, mapDocLine{l.At, append([]string{}, l.Columns...), string(l.Basis), l.Score, l.Reason, l.Doubt})
	}
	for _, s := range p.Shapes {
		doc.Shapes = append(doc.Shapes, mapDocShape{s.Field, s.Column, s.Example, s.Count, s.Becomes, s.Reading, s.Asked, s.Refused})
	}
	for _, q := range p.Questions {
		doc.Questions = append(doc.Questions, mapDocQuestion(&q, nil))
	}
	for _, f := range following {
		doc.Questions = append(doc.Questions, mapDocQuestion(&f.Question, f.After))
	}
	for _, i := range p.Ignored {
		doc.Ignored = append(doc.Ignored, mapDocIgnored{i.Header, i.Reason})
	}
	return doc
}

func mapDocQuestion(q *match.Question, after []string) mapDocAsk {
	ask := mapDocAsk{q.ID, q.Text, q.Why, append([]string{}, q.Columns...), []mapChoice{}, q.Free, q.Default, q.Optional, after}
	for _, c := range q.Choices {
		ask.Choices = append(ask.Choices, mapChoice{c.Value, c.Text})
	}
	return ask
}
