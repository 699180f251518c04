package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"eventbatch/mapping/schema"
)

// program is an expression over the cells of a row. A cell is a text under the
// name of its header, letter for letter or with underscores for what a name
// cannot hold, or col("Any Header"); start_at and end_at are the times that the
// row gave them, field("path") is the value of any field fed before. Workers share it.
type program struct {
	text    string
	code    *vm.Program
	columns map[string]int       // the names that it uses, and what they stand for
	times   map[string]schema.ID // likewise
	first   int                  // column of its first name, -1 if it uses none
}

// parseExpression finds what is wrong with an expression before the columns are known.
func parseExpression(text string) error {
	_, err := parser.Parse(text)
	return shortError(err)
}

// mentioned lists the columns that an expression reads, as far as can be told
// without a header.
func mentioned(text string) []string {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil
	}
	m := &mention{}
	ast.Walk(&tree.Node, m)
	return m.names
}

type mention struct{ names []string }

// Visit is called for each node.
func (m *mention) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if isIdentifier(n.Value) && timeField(n.Value) == 0 {
			m.names = append(m.names, n.Value)
		}
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && callee.Value == "col" && len(n.Arguments) == 1 {
			if name, ok := n.Arguments[0].(*ast.StringNode); ok {
				m.names = append(m.names, name.Value)
			}
		}
	}
}

// compile binds an expression to the columns of a header.
func compile(text string, header []string, want reflect.Kind) (*program, error) {
	p := &program{text: text, columns: map[string]int{}, times: map[string]schema.ID{}, first: -1}
	names := identifiers(header)
	env := map[string]any{
		"col":   func(string) string { return "" },
		"field": func(string) string { return "" },
		"now":   func() time.Time { return time.Time{} },
	}
	for name := range names {
		env[name] = ""
	}
	for _, id := range []schema.ID{schema.FieldStartAt, schema.FieldEndAt} {
		env[id.Path()] = time.Time{}
	}
	uses := &usage{program: p, names: names, header: header}
	options := []expr.Option{expr.Env(env), expr.DisableBuiltin("now"), expr.Patch(uses)}
	if want == reflect.Bool {
		options = append(options, expr.AsBool())
	}
	code, err := expr.Compile(text, options...)
	if err != nil {
		return nil, unknownName(err, env)
	}
	if uses.err != nil {
		return nil, uses.err
	}
	p.code = code
	return p, nil
}

// identifiers gives each column the names by which an expression can call it.
func identifiers(header []string) map[string]int {
	names := map[string]int{}
	add := func(name string, column int) {
		if _, taken := names[name]; !taken && isIdentifier(name) {
			names[name] = column
		}
	}
	for i, h := range header {
		add(h, i)
	}
	for i, h := range header {
		add(underscored(h), i)
	}
	for i, h := range header {
		add(underscored(normalize(h)), i)
	}
	return names
}

func underscored(s string) string {
	return strings.Map(func(r rune) rune {
		if isNameRune(r) || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.TrimSpace(s))
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if !isNameRune(r) && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != "" && s != "_" && !slices.Contains([]string{"true", "false", "nil", "in", "not", "and", "or", "let", "if", "else", "matches", "contains", "startsWith", "endsWith", "col", "field", "now"}, s)
}

func isNameRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

// usage finds the columns that an expression reads.
type usage struct {
	program *program
	names   map[string]int
	header  []string
	err     error
}

// Visit is called by the compiler for each node.
func (u *usage) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if id := timeField(n.Value); id != 0 {
			u.program.times[n.Value] = id
		} else if column, ok := u.names[n.Value]; ok {
			u.use(n.Value, column)
		}
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok || callee.Value != "col" || len(n.Arguments) != 1 {
			return
		}
		name, ok := n.Arguments[0].(*ast.StringNode)
		if !ok {
			u.err = errors.New(`col takes the name of a column, such as col("Start date")`)
			return
		}
		column := findHeader(u.header, name.Value)
		if column < 0 {
			u.err = fmt.Errorf("no column %q", name.Value)
			return
		}
		u.use(name.Value, column)
	}
}

func (u *usage) use(name string, column int) {
	u.program.columns[name] = column
	if u.program.first < 0 {
		u.program.first = column
	}
}

func timeField(name string) schema.ID {
	switch name {
	case "start_at":
		return schema.FieldStartAt
	case "end_at":
		return schema.FieldEndAt
	}
	return 0
}

// findHeader finds a column by its header, exactly, else normalised; -1 where
// there is none.
func findHeader(header []string, name string) int {
	if i := slices.Index(header, name); i >= 0 {
		return i
	}
	wanted := normalize(name)
	return slices.IndexFunc(header, func(h string) bool { return normalize(h) == wanted })
}

// run evaluates the expression. The environment is the worker's own, its functions
// already in it.
func (p *program) run(env map[string]any, cell func(column int) string, instant func(schema.ID) (time.Time, bool)) (result any, asked bool, err error) {
	for name, id := range p.times {
		t, ok := instant(id)
		if !ok {
			return nil, false, nil // what the expression rests on is blank, so it is
		}
		env[name] = t
	}
	for name, column := range p.columns {
		env[name] = cell(column)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	result, err = vm.Run(p.code, env)
	return result, true, shortError(err)
}

// textOf gives an expression's result as the text of a cell; times come back as such.
func textOf(result any) (text string, at time.Time, isTime bool, err error) {
	switch x := result.(type) {
	case nil:
		return "", time.Time{}, false, nil
	case string:
		return x, time.Time{}, false, nil
	case bool:
		return strconv.FormatBool(x), time.Time{}, false, nil
	case int:
		return strconv.Itoa(x), time.Time{}, false, nil
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), time.Time{}, false, nil
	case time.Time:
		return x.Format(time.RFC3339Nano), x, true, nil
	case time.Duration:
		return isoDuration(x), time.Time{}, false, nil
	}
	b, err := json.Marshal(result)
	if err != nil {
		return "", time.Time{}, false, fmt.Errorf("its result is no value of a cell: %T", result)
	}
	return string(b), time.Time{}, false, nil
}

// isoDuration writes a duration as the service takes it.
func isoDuration(d time.Duration) string {
	minutes := int64(d / time.Minute)
	if seconds := int64(d/time.Second) % 60; seconds != 0 {
		return "PT" + strconv.FormatInt(minutes, 10) + "M" + strconv.FormatInt(seconds, 10) + "S"
	}
	return "PT" + strconv.FormatInt(minutes, 10) + "M"
}

// shortError keeps the sentence of a compiler's error, not its drawing of the source.
func shortError(err error) error {
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[*file.Error](err); ok {
		return fmt.Errorf("%s (at letter %d)", at.Message, at.Column+1)
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// unknownName adds the name that was probably meant.
func unknownName(err error, env map[string]any) error {
	err = shortError(err)
	rest, found := strings.CutPrefix(err.Error(), "unknown name ")
	if !found {
		return err
	}
	word, _, _ := strings.Cut(rest, " ")
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	hint := didYouMean(word, names)
	if hint == "" {
		hint = `a column whose header is no single word is col("Its Header")`
	}
	return fmt.Errorf("%w: %s", err, hint)
}
