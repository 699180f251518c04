package formula

import (
	"fmt"
	"math/bits"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/expr-lang/expr/builtin"
)

// maxText is as much as a cell holds.
const maxText = 1 << 20

// bounded returns the doubles of those functions, and of the operator matches, whose work
// or result is not in proportion to what they are given, by name.
func (m *meter) bounded() map[string]func(...any) (any, error) {
	// Each counts, then has the function itself do the work.
	doubles := map[string]func(args []any) error{
		"repeat": func(args []any) error { return m.product("repeat", textOf(args, 0), intOf(args, 1)) },
		"replace": func(args []any) error {
			text, old, with := textOf(args, 0), textOf(args, 1), textOf(args, 2)
			n := strings.Count(text, old)
			if len(args) == 4 && intOf(args, 3) >= 0 {
				n = min(n, intOf(args, 3))
			}
			return m.product("replace", with, n)
		},
		"join": func(args []any) error {
			return m.product("join", textOf(args, 1), lenOf(args[0]))
		},
		"split":      m.parts,
		"splitAfter": m.parts,
		"trim":       func(args []any) error { return m.take(len(textOf(args, 0)) * len(textOf(args, 1)) / 4) },
		"sort":       func(args []any) error { return m.times(args[0], bits.Len(uint(lenOf(args[0])))) },
		"uniq":       func(args []any) error { return m.times(args[0], lenOf(args[0])/8) },
		"toJSON":     func(args []any) error { return m.times(args[0], 4) },
		"string":     func(args []any) error { return m.times(args[0], 1) },
		"fromJSON": func(args []any) error {
			if len(textOf(args, 0)) > maxText {
				return tooLong("fromJSON is given")
			}
			return m.take(8 * len(textOf(args, 0)))
		},
		"date":     m.zone,
		"timezone": m.zone,
	}
	functions := map[string]func(...any) (any, error){"matches": m.matches}
	for name, count := range doubles {
		function := original(name)
		functions[name] = func(args ...any) (any, error) {
			if err := count(args); err != nil {
				return nil, err
			}
			return function(args...)
		}
	}
	return functions
}

// original returns a function of the interpreter.
func original(name string) func(...any) (any, error) {
	switch f := builtin.Builtins[builtin.Index[name]]; {
	case f.Func != nil:
		return f.Func
	case f.Safe != nil:
		return func(args ...any) (any, error) { result, _, err := f.Safe(args...); return result, err }
	default:
		return func(args ...any) (any, error) { return f.Fast(args[0]), nil }
	}
}

// product refuses a text that is made of another so many times, where no cell could hold it.
func (m *meter) product(name, text string, times int) error {
	if text != "" && times > maxText/len(text) {
		return tooLong(name + " would make")
	}
	return m.take(len(text) * max(times, 0))
}

func tooLong(what string) error { return fmt.Errorf("%s more than the 1 MiB that a cell holds", what) }

// parts counts those that a text is split into.
func (m *meter) parts(args []any) error {
	return m.take(2 * valueWork * (1 + strings.Count(textOf(args, 0), textOf(args, 1))))
}

// times counts a value that is walked through so many times.
func (m *meter) times(value any, n int) error {
	before := m.left
	if err := m.weigh(value, 0); err != nil {
		return err
	}
	return m.take((before - m.left) * n)
}

// zone counts the search for a time zone among the files of the machine.
func (m *meter) zone([]any) error { return m.take(4096) }

// pattern is a compiled regular expression.
type pattern struct {
	expression *regexp.Regexp
	steps      int // at most, for each byte of a text
}

// matches evaluates the operator matches. Patterns are kept: most stand in the expression itself.
func (m *meter) matches(args ...any) (any, error) {
	if args[0] == nil || args[1] == nil {
		return false, nil
	}
	text, source := textOf(args, 0), textOf(args, 1)
	if data, ok := args[0].([]byte); ok {
		text = string(data)
	}
	p := m.patterns[source]
	if p == nil {
		var err error
		if p, err = m.compile(source); err != nil {
			return nil, err
		}
	}
	if err := m.take(len(text) * (4 + p.steps/2)); err != nil {
		return nil, err
	}
	return p.expression.MatchString(text), nil
}

func (m *meter) compile(source string) (*pattern, error) {
	if err := m.take(nodeWork * len(source)); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if err := m.take(nodeWork * len(program.Inst)); err != nil {
		return nil, err
	}
	expression, err := regexp.Compile(source)
	if err != nil {
		return nil, err
	}
	if m.patterns == nil || len(m.patterns) >= 100 {
		m.patterns = map[string]*pattern{}
	}
	p := &pattern{expression, len(program.Inst)}
	m.patterns[source] = p
	return p, nil
}

// textOf returns an argument that should be a text; the function itself refuses another.
func textOf(args []any, i int) string {
	if i >= len(args) {
		return ""
	}
	text, _ := args[i].(string)
	return text
}

func intOf(args []any, i int) int {
	switch v := reflect.ValueOf(args[i]); {
	case v.CanInt():
		return int(v.Int())
	case v.CanFloat():
		return int(v.Float())
	}
	return 0
}

func lenOf(value any) int {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Slice, reflect.Array:
		return v.Len()
	}
	return 0
}
