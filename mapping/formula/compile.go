package formula

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// Config says what an expression is bound to.
type Config struct {
	Headers []string
	// May reports whether a column may be missing: it is blank then. Nil: none may.
	May func(name string) bool
	// Truth: the result has to be true or false.
	Truth bool
}

// Compile binds an expression to columns.
func Compile(text string, c Config) (*Program, error) {
	headers := c.headers(text)
	names := namesOf(headers)
	addMeant(names, text)
	called := callsOf(text)
	for _, name := range called.names {
		if _, column := names[name]; column && called.bare[name] > 0 {
			return nil, fmt.Errorf("%s is a function here: the column is col(%q)", name, name)
		}
		delete(names, name)
	}
	env := map[string]any{}
	for name := range names {
		env[name] = ""
	}
	for _, id := range []schema.ID{catalog.FieldStartAt, catalog.FieldEndAt} {
		env[catalog.Path(id)] = time.Time{}
	}
	p := &Program{
		text: text, columns: map[string]int{}, times: map[string]schema.ID{}, first: -1,
		lengths: slices.Contains(called.names, "duration"),
	}
	// The optimizer would do work while it compiles, which nothing bounds.
	p.options = []expr.Option{expr.Env(env), expr.DisableBuiltin("now"), expr.Optimize(false)}
	for _, name := range []string{"keys", "values", "toPairs"} { // in another order each time
		p.options = append(p.options, expr.DisableBuiltin(name))
	}
	if c.Truth {
		p.options = append(p.options, expr.AsBool())
	}
	uses := &usage{program: p, names: names, headers: headers, called: map[ast.Node]bool{}}
	if _, err := expr.Compile(text, append(slices.Clip(p.options), (&Runner{}).functions(p), expr.Patch(uses))...); err != nil {
		return nil, unknownName(err, env)
	}
	if err := uses.wrong(); err != nil {
		return nil, err
	}
	p.forget(len(c.Headers))
	return p, nil
}

// headers returns the headers of the columns, and behind them those that the expression reads
// and that may be missing.
func (c *Config) headers(text string) []string {
	headers := slices.Clip(c.Headers)
	if c.May == nil {
		return headers
	}
	called := namesOf(headers)
	for _, name := range Mentioned(text) {
		if _, ok := called[name]; !ok && sheet.FindColumn(c.Headers, name) < 0 && c.May(name) {
			headers = append(headers, name)
		}
	}
	return headers
}

// usage finds the columns that an expression reads.
type usage struct {
	program   *Program
	names     map[string]int
	headers   []string
	functions []*ast.IdentifierNode // that come up, with those that are called
	called    map[ast.Node]bool
	err       error
}

// Visit is called by the compiler for each node.
func (u *usage) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			u.err = errors.New(`there is no $env: a column is called by its name, or as col("Its Header")`)
		}
		if id := timeField(n.Value); id != 0 {
			u.program.times[n.Value] = id
		} else if column, ok := u.names[n.Value]; ok {
			u.use(n.Value, column)
		} else if slices.Contains(rowFunctions, n.Value) {
			u.functions = append(u.functions, n)
		}
	case *ast.CallNode:
		u.called[n.Callee] = true
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok || callee.Value != "col" || len(n.Arguments) != 1 {
			return
		}
		name, ok := n.Arguments[0].(*ast.StringNode)
		if !ok {
			u.err = errors.New(`col takes the name of a column, such as col("Start date")`)
			return
		}
		column := sheet.FindColumn(u.headers, name.Value)
		if column < 0 {
			u.err = fmt.Errorf("no column %q", name.Value)
			return
		}
		u.use(name.Value, column)
	}
}

// wrong tells what the compiler takes and a row has not.
func (u *usage) wrong() error {
	for _, n := range u.functions {
		if u.err == nil && !u.called[n] {
			return fmt.Errorf("%s: %w", n.Value, errFunction)
		}
	}
	return u.err
}

func (u *usage) use(name string, column int) {
	u.program.columns[name] = column
	if u.program.first < 0 {
		u.program.first = column
	}
}

// unknownName adds the name that was probably meant.
func unknownName(err error, env map[string]any) error {
	err = short(err)
	rest, found := strings.CutPrefix(err.Error(), "unknown name ")
	if !found {
		return err
	}
	word, _, _ := strings.Cut(rest, " ")
	names := slices.Clone(rowFunctions)
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	hint := spelling.DidYouMean(word, names)
	if hint == "" {
		hint = `a column whose header is no single word is col("Its Header")`
	}
	return fmt.Errorf("%w: %s", err, hint)
}
