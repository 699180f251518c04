// Package formula computes values from the cells of a row.
//
// A cell is a text under the name of its header, letter for letter or with underscores
// for what a name cannot hold, or col("Any Header"). start_at and end_at are the times
// that the row gave them, by the clock of the row: a length that is added counts real
// hours, start_at.AddDate(0, 0, 7) keeps the time on the clock. field("path") is the value
// of any field fed before, now() is the time of the reading, and duration("1:30") a length
// of time, as people write it.
package formula

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Check finds what is wrong with an expression before the columns are known.
func Check(text string) error {
	_, err := parser.Parse(text)
	return short(err)
}

// Mentioned lists the columns that an expression reads, as far as can be told
// without a header.
func Mentioned(text string) []string { return mentionsOf(text).names }

// Fields lists the paths of the fields that an expression reads: the values that they have been given.
func Fields(text string) []string { return mentionsOf(text).fields }

type mention struct{ names, fields []string }

func mentionsOf(text string) (m mention) {
	if tree, err := parser.Parse(text); err == nil {
		ast.Walk(&tree.Node, &m)
	}
	return m
}

// Visit is called for each node.
func (m *mention) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		switch {
		case timeField(n.Value) != 0:
			m.fields = append(m.fields, n.Value)
		case isName(n.Value):
			m.names = append(m.names, n.Value)
		}
	case *ast.CallNode:
		callee, called := n.Callee.(*ast.IdentifierNode)
		if !called || len(n.Arguments) != 1 {
			return
		}
		name, ok := n.Arguments[0].(*ast.StringNode)
		switch {
		case ok && callee.Value == "col":
			m.names = append(m.names, name.Value)
		case ok && callee.Value == "field":
			m.fields = append(m.fields, name.Value)
		}
	}
}

// calls are the functions that an expression calls: a column of such a name does not hide one.
type calls struct {
	names []string
	bare  map[string]int // how often a name stands there that is not called
}

func callsOf(text string) *calls {
	c := &calls{bare: map[string]int{}}
	if tree, err := parser.Parse(text); err == nil {
		ast.Walk(&tree.Node, c)
	}
	return c
}

// Visit is called for each node.
func (c *calls) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		c.bare[n.Value]++
	case *ast.BuiltinNode:
		c.names = append(c.names, n.Name)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			c.names = append(c.names, callee.Value)
			c.bare[callee.Value]--
		}
	}
}

// namesOf returns the columns by the names by which an expression can call them.
func namesOf(headers []string) map[string]int {
	names := map[string]int{}
	add := func(name string, column int) {
		if _, taken := names[name]; !taken && isName(name) {
			names[name] = column
		}
	}
	for i, h := range headers {
		add(h, i)
	}
	for i, h := range headers {
		add(underscored(h), i)
	}
	for i, h := range headers {
		add(underscored(sheet.NormalHeader(h)), i)
	}
	return names
}

// addMeant adds the names by which an expression calls columns in other
// letter case, as everything else that names a column may.
func addMeant(names map[string]int, text string) {
	for _, name := range Mentioned(text) {
		if _, known := names[name]; known {
			continue
		}
		if column, found := names[underscored(sheet.NormalHeader(name))]; found {
			names[name] = column
		}
	}
}

func underscored(s string) string {
	return strings.Map(func(r rune) rune {
		if isNameRune(r) || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.TrimSpace(s))
}

func isName(s string) bool {
	for i, r := range s {
		if !isNameRune(r) && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != "" && s != "_" && !slices.Contains(reserved, s)
}

var reserved = append([]string{
	"true", "false", "nil", "in", "not", "and", "or", "let", "if", "else", "matches", "contains", "startsWith", "endsWith",
}, rowFunctions...)

// rowFunctions are those that know the row, or the service's currencies: minor("12.50", "eur") is 1250.
var rowFunctions = []string{"col", "field", "minor", "now"}

func isNameRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

func timeField(name string) schema.ID {
	switch name {
	case "start_at":
		return catalog.FieldStartAt
	case "end_at":
		return catalog.FieldEndAt
	}
	return 0
}

// short keeps the sentence of a compiler's error, not its drawing of the source.
func short(err error) error {
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[*file.Error](err); ok {
		if at.Message == "memory budget exceeded" {
			at.Message = errTooMuch.Error()
		}
		return fmt.Errorf("%s (at letter %d)", at.Message, at.Column+1)
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}
