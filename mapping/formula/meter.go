package formula

import (
	"errors"
	"reflect"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
)

// The interpreter of expressions stops for nobody: it has neither a context nor a count
// of its steps, and what it bounds is the number of elements, not their sizes. So the
// program itself is made to count. Each value that an operation could have to walk
// through (a text, a list, a map) passes through weigh as it comes up, and each round of
// a loop through tick; what takes more than in proportion to its operands has a bounded
// double in bounded.go. Whatever else there is costs no more than the nodes of the
// expression. Work is counted, not timed, so that a row is refused on every machine or on
// none; the whole of it is below a second.

// maxWork is what the expressions of one row may do: bytes of texts and lists.
const maxWork = 64 << 20

// What things count, about their bytes in memory.
const (
	nodeWork  = 64 // of a node of the expression that is evaluated once
	valueWork = 16
	entryWork = 64 // of a map, besides its key and value
)

var (
	errTooMuch  = errors.New("more work than one row may take: texts and lists of 64 MiB in all")
	errFunction = errors.New("a function is not a value: it is called with ()")
)

// meter counts the work of one row.
type meter struct {
	left     int
	patterns map[string]*pattern
}

// take counts work before it is done.
func (m *meter) take(work int) error {
	if m.left -= work; m.left < 0 || work < 0 {
		m.left = -1
		return errTooMuch
	}
	return nil
}

// weigh counts a value with all that it holds, as often as it holds it: a list may
// hold another many times over. Depth is counted too, for some write it out as white space.
func (m *meter) weigh(value any, depth int) error {
	switch v := value.(type) {
	case nil, bool, int, float64, time.Time, time.Duration:
		return m.take(valueWork)
	case string:
		return m.take(valueWork + len(v))
	case []int:
		return m.take(valueWork * (1 + len(v)))
	case []string:
		for _, text := range v {
			if err := m.take(valueWork + 2*depth + len(text)); err != nil {
				return err
			}
		}
		return m.take(valueWork)
	case []any:
		for _, element := range v {
			if err := m.element(element, depth); err != nil {
				return err
			}
		}
		return m.take(valueWork)
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Func:
		return errFunction
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := m.element(v.Index(i).Interface(), depth); err != nil {
				return err
			}
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if err := m.take(entryWork); err != nil {
				return err
			}
			if err := errors.Join(m.element(entry.Key().Interface(), depth), m.element(entry.Value().Interface(), depth)); err != nil {
				return err
			}
		}
	}
	return m.take(valueWork)
}

func (m *meter) element(value any, depth int) error {
	if err := m.take(valueWork + 2*depth); err != nil {
		return err
	}
	return m.weigh(value, depth+1)
}

// The names of functions that no expression can write.
const (
	weighName = "weigh "
	tickName  = "tick "
)

// register has the compiler make a program that counts.
func (m *meter) register(c *conf.Config) {
	add := func(name string, of reflect.Type, function func(...any) (any, error)) {
		c.Functions[name] = &builtin.Function{Name: name, Types: []reflect.Type{of}, Func: function}
	}
	add(weighName, reflect.TypeFor[func(any) any](), func(args ...any) (any, error) { return args[0], m.weigh(args[0], 0) })
	add(tickName, reflect.TypeFor[func(int, any) any](), func(args ...any) (any, error) { return args[1], m.take(args[0].(int)) })
	bounded := m.bounded()
	for name, function := range bounded {
		add(name+" ", reflect.TypeFor[func(...any) any](), function)
	}
	c.Visitors = append(c.Visitors, meterPatcher{bounded})
}

// meterPatcher makes an expression count its work.
type meterPatcher struct {
	bounded map[string]func(...any) (any, error)
}

// Visit is called by the compiler for each node after those below it.
func (v meterPatcher) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		cost := &ast.IntegerNode{Value: work(n.Node)}
		cost.SetType(reflect.TypeFor[int]())
		ast.Patch(&n.Node, call(tickName, n.Node, cost, n.Node))
		return
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.CallNode); ok && isWeigh(callee) {
			n.Callee = callee.Arguments[0] // what is called is no operand
		}
	case *ast.BuiltinNode:
		if v.bounded[n.Name] != nil {
			ast.Patch(node, call(n.Name+" ", n, n.Arguments...))
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "matches":
			ast.Patch(node, call("matches ", n, n.Left, n.Right))
			return
		case "+", "..":
		default:
			return
		}
	case *ast.IdentifierNode, *ast.PointerNode, *ast.SliceNode:
	default:
		return // it gives on what others have made, or is of one size
	}
	switch (*node).Type().Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Interface:
		ast.Patch(node, call(weighName, *node, *node))
	}
}

// call calls a function in the place of a node, whose type the result has.
func call(name string, of ast.Node, arguments ...ast.Node) ast.Node {
	n := &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
	n.SetNature(*of.Nature())
	n.SetLocation(of.Location())
	return n
}

func isWeigh(n *ast.CallNode) bool {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	return ok && callee.Value == weighName
}

// work returns the work of evaluating the nodes of an expression once, loops aside.
func work(node ast.Node) int {
	w := new(workCount)
	ast.Walk(&node, w)
	return int(*w)
}

type workCount int

// Visit is called for each node.
func (w *workCount) Visit(node *ast.Node) {
	*w += nodeWork
	if text, ok := (*node).(*ast.StringNode); ok {
		*w += workCount(len(text.Value))
	}
}
