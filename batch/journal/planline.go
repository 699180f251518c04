package journal

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// The lines of a plan are many, and read often: they are written and read here as
// encoding/json does it from the tags of [plan.Op] and [plan.Payload], but for what is
// zero, which is left out. What is rare goes by encoding/json itself.

// appendOp appends the line of an op in plan.jsonl.
func appendOp(dst []byte, op *plan.Op) ([]byte, error) {
	l := liner{append(dst, '{')}
	l.index("n", op.N)
	l.begin("row")
	l.line = append(l.line, '{')
	l.number("source", int64(op.Row.Sheet))
	l.number("number", int64(op.Row.Number))
	l.number("line", int64(op.Row.Line))
	l.line = append(l.line, '}')
	l.text("resource", op.Resource)
	l.text("action", string(op.Action))
	l.text("operation", op.Operation)
	l.text("reason", op.Reason)
	l.begin("event")
	l.line = append(l.line, '{')
	e := &op.Event
	l.text("calendar", e.Calendar)
	l.text("key", e.Key)
	l.text("parent", e.Parent)
	l.text("id", e.ID)
	l.text("slug", e.Slug)
	l.yes("derived", e.Derived)
	l.text("name", e.Name)
	l.number("start_at", e.StartAt)
	l.text("zone", e.Zone)
	l.line = append(l.line, '}')
	l.text("hash", op.Hash)
	if op.Known != (plan.Known{}) {
		l.begin("known")
		l.line = append(l.line, '{')
		l.text("event", op.Known.EventID)
		l.text("hash", op.Known.Hash)
		l.text("run", op.Known.Run)
		l.yes("cancelled", op.Known.Cancelled)
		l.yes("missing", op.Known.Gone)
		l.yes("undone", op.Known.Undone)
		l.text("source", op.Known.Source)
		l.line = append(l.line, '}')
	}
	l.text("agrees", op.Agrees)
	l.yes("missing", op.Missing)
	l.yes("strict", op.Strict)
	l.number("part", int64(op.Part))
	for i, n := range op.After {
		if i == 0 {
			l.begin("after")
			l.line = append(l.line, '[')
		} else {
			l.line = append(l.line, ',')
		}
		l.line = strconv.AppendInt(l.line, int64(n), 10)
	}
	if len(op.After) > 0 {
		l.line = append(l.line, ']')
	}
	if len(op.Names) > 0 {
		names, err := json.Marshal(op.Names)
		if err != nil {
			return dst, err
		}
		l.value("names", names)
	}
	l.text("group", op.Group)
	l.number("requests", int64(op.Requests))
	l.effects(&op.Effects)
	if op.Cover != nil {
		cover, err := json.Marshal(op.Cover)
		if err != nil {
			return dst, err
		}
		l.value("cover", cover)
	}
	l.number("at", op.At)
	l.number("size", int64(op.Size))
	return append(l.line, '}', '\n'), nil
}

func (l *liner) effects(e *plan.Effects) {
	if len(e.Of) == 0 && e.People == 0 && !e.Counted && !e.Paid {
		return
	}
	l.begin("effects")
	l.line = append(l.line, '{')
	for i, effect := range e.Of {
		if i == 0 {
			l.begin("of")
			l.line = append(l.line, '[')
		} else {
			l.line = append(l.line, ',')
		}
		l.line = appendText(l.line, string(effect))
	}
	if len(e.Of) > 0 {
		l.line = append(l.line, ']')
	}
	l.number("people", int64(e.People))
	l.yes("counted", e.Counted)
	l.yes("paid", e.Paid)
	l.line = append(l.line, '}')
}

// op reads the line of an op, and reports whether it could.
func (s *scanner) op(op *plan.Op) bool {
	s.members(func(name []byte) {
		switch string(name) {
		case "n":
			op.N = int(s.number())
		case "row":
			s.row(&op.Row)
		case "resource":
			op.Resource = s.word()
		case "action":
			op.Action = plan.Action(s.word())
		case "operation":
			op.Operation = s.word()
		case "reason":
			op.Reason = s.word()
		case "event":
			s.event(&op.Event)
		case "hash":
			op.Hash = s.text()
		case "known":
			s.known(&op.Known)
		case "agrees":
			op.Agrees = s.word()
		case "missing":
			op.Missing = s.yes()
		case "strict":
			op.Strict = s.yes()
		case "after":
			s.items(func() { op.After = append(op.After, int(s.number())) })
		case "names":
			if json.Unmarshal(s.object(), &op.Names) != nil {
				s.fail()
			}
		case "part":
			op.Part = int(s.number())
		case "group":
			op.Group = s.word()
		case "requests":
			op.Requests = int(s.number())
		case "effects":
			s.effects(&op.Effects)
		case "at":
			op.At = s.number()
		case "size":
			op.Size = int(s.number())
		default:
			s.fail()
		}
	})
	return s.done()
}

func (s *scanner) effects(e *plan.Effects) {
	s.members(func(name []byte) {
		switch string(name) {
		case "of":
			s.items(func() { e.Of = append(e.Of, schema.Effect(s.word())) })
		case "people":
			e.People = int(s.number())
		case "counted":
			e.Counted = s.yes()
		case "paid":
			e.Paid = s.yes()
		default:
			s.fail()
		}
	})
}

func (s *scanner) row(row *plan.Row) {
	s.members(func(name []byte) {
		switch string(name) {
		case "source":
			row.Sheet = int(s.number())
		case "number":
			row.Number = int(s.number())
		case "line":
			row.Line = int(s.number())
		default:
			s.fail()
		}
	})
}

func (s *scanner) event(e *plan.Event) {
	s.members(func(name []byte) {
		switch string(name) {
		case "calendar":
			e.Calendar = s.word()
		case "key":
			e.Key = s.text()
		case "parent":
			e.Parent = s.word()
		case "id":
			e.ID = s.text()
		case "slug":
			e.Slug = s.text()
		case "derived":
			e.Derived = s.yes()
		case "name":
			e.Name = s.text()
		case "start_at":
			e.StartAt = s.number()
		case "zone":
			e.Zone = s.word()
		default:
			s.fail()
		}
	})
}

func (s *scanner) known(k *plan.Known) {
	s.members(func(name []byte) {
		switch string(name) {
		case "event":
			k.EventID = s.text()
		case "hash":
			k.Hash = s.text()
		case "run":
			k.Run = s.word()
		case "cancelled":
			k.Cancelled = s.yes()
		case "missing":
			k.Gone = s.yes()
		case "undone":
			k.Undone = s.yes()
		case "source":
			k.Source = s.word()
		default:
			s.fail()
		}
	})
}

// appendPayload appends the line of an op in rows.jsonl.
func appendPayload(dst []byte, n int, p *plan.Payload) ([]byte, error) {
	l := liner{append(dst, '{')}
	l.index("n", n)
	if p.Cells != nil {
		l.begin("cells")
		l.line = append(l.line, '[')
		for i, cell := range p.Cells {
			if i > 0 {
				l.line = append(l.line, ',')
			}
			l.line = appendText(l.line, cell)
		}
		l.line = append(l.line, ']')
	}
	body := p.Body
	if bytes.IndexByte(body, '\n') >= 0 { // in the JSON of a cell
		var flat bytes.Buffer
		if err := json.Compact(&flat, body); err != nil {
			return dst, err
		}
		body = flat.Bytes()
	}
	l.value("body", body)
	if len(p.From) > 0 {
		l.begin("from")
		l.line = append(l.line, '{')
		for _, path := range slices.Sorted(maps.Keys(p.From)) {
			l.index(path, p.From[path])
		}
		l.line = append(l.line, '}')
	}
	if len(p.Problems) > 0 {
		l.begin("problems")
		l.line = append(l.line, '[')
		for i := range p.Problems {
			if i > 0 {
				l.line = append(l.line, ',')
			}
			l.problem(&p.Problems[i])
		}
		l.line = append(l.line, ']')
	}
	l.value("before", p.Before)
	l.text("base", p.Base)
	l.text("says", p.Says)
	if len(p.Agreed) > 0 {
		agreed, err := json.Marshal(p.Agreed)
		if err != nil {
			return dst, err
		}
		l.value("agreed", agreed)
	}
	if len(p.Changes) > 0 {
		changes, err := json.Marshal(p.Changes)
		if err != nil {
			return dst, err
		}
		l.value("changes", changes)
	}
	return append(l.line, '}', '\n'), nil
}

func (l *liner) problem(p *schema.Problem) {
	l.line = append(l.line, '{')
	l.text("file", p.Place.File)
	l.text("sheet", p.Place.Sheet)
	l.number("row", int64(p.Place.Row))
	l.number("line", int64(p.Place.Line))
	if p.Place.Row > 0 {
		l.text("column", schema.ColumnName(p.Place.Column))
	}
	l.text("header", p.Place.Header)
	l.text("field", p.Field)
	l.text("severity", p.Severity.String())
	l.text("code", string(p.Code))
	l.text("message", p.Message)
	l.text("hint", p.Hint)
	l.text("value", p.Value)
	l.text("proposal", p.Proposal)
	l.line = append(l.line, '}')
}

// payload reads the line of an op in rows.jsonl, and reports whether it could.
func (s *scanner) payload(n *int, p *plan.Payload) bool {
	s.members(func(name []byte) {
		switch string(name) {
		case "n":
			*n = int(s.number())
		case "cells":
			p.Cells = make([]string, 0, s.width)
			s.items(func() { p.Cells = append(p.Cells, s.text()) })
			s.width = len(p.Cells)
		case "body":
			p.Body = bytes.Clone(s.object())
		case "before":
			p.Before = bytes.Clone(s.object())
		case "base":
			p.Base = s.text()
		case "says":
			p.Says = s.text()
		case "agreed":
			if json.Unmarshal(s.object(), &p.Agreed) != nil {
				s.fail()
			}
		case "changes":
			s.items(func() {
				p.Changes = append(p.Changes, plan.Change{})
				if json.Unmarshal(s.object(), &p.Changes[len(p.Changes)-1]) != nil {
					s.fail()
				}
			})
		case "from":
			p.From = map[string]int{}
			s.members(func(path []byte) { p.From[s.share(path)] = int(s.number()) })
		case "problems":
			s.items(func() {
				p.Problems = append(p.Problems, schema.Problem{Place: schema.Place{Column: -1}})
				s.problem(&p.Problems[len(p.Problems)-1])
			})
		default:
			s.fail()
		}
	})
	return s.done()
}

func (s *scanner) problem(p *schema.Problem) {
	s.members(func(name []byte) {
		switch string(name) {
		case "file":
			p.Place.File = s.word()
		case "sheet":
			p.Place.Sheet = s.word()
		case "row":
			p.Place.Row = int(s.number())
		case "line":
			p.Place.Line = int(s.number())
		case "column":
			column, ok := schema.ColumnIndex(s.word())
			if p.Place.Column = column; !ok {
				s.fail()
			}
		case "header":
			p.Place.Header = s.word()
		case "field":
			p.Field = s.word()
		case "severity":
			if p.Severity.UnmarshalText([]byte(s.word())) != nil {
				s.fail()
			}
		case "code":
			p.Code = schema.Code(s.word())
		case "message":
			p.Message = s.word()
		case "hint":
			p.Hint = s.word()
		case "value":
			p.Value = s.text()
		case "proposal":
			p.Proposal = s.text()
		default:
			s.fail()
		}
	})
}
