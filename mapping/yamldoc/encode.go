package yamldoc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Encode writes a value as a YAML document that Decode reads back to the same.
// Zero fields are left out. A type with MarshalText is written as that text, unless it is empty:
// then its fields are written, so that a struct takes its shorthand only where that says everything.
// A text that is not UTF-8 is an error.
func Encode(value any) ([]byte, error) {
	n, err := node(reflect.ValueOf(value))
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, nil
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, fmt.Errorf("encoding YAML: %w", err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("encoding YAML: %w", err)
	}
	return out.Bytes(), nil
}

func node(v reflect.Value) (*yaml.Node, error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, nil
	}
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		b, err := text.MarshalText()
		if err != nil {
			return nil, fmt.Errorf("encoding YAML: %w", err)
		}
		if len(b) > 0 {
			return textNode(string(b))
		}
	}
	if free, ok := v.Interface().(interface{ pairs(func(string, any) bool) }); ok {
		m := &yaml.Node{Kind: yaml.MappingNode}
		var failed error
		free.pairs(func(key string, value any) bool {
			failed = put(m, key, reflect.ValueOf(value))
			return failed == nil
		})
		return m, failed
	}
	switch v.Kind() {
	case reflect.Struct:
		return structNode(v)
	case reflect.Slice:
		return listNode(v)
	case reflect.Map:
		m := &yaml.Node{Kind: yaml.MappingNode}
		byKey := make(map[string]reflect.Value, v.Len())
		for it := v.MapRange(); it.Next(); {
			byKey[it.Key().String()] = it.Value()
		}
		for _, key := range slices.Sorted(maps.Keys(byKey)) {
			if err := put(m, key, byKey[key]); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return scalarNode(v)
}

// listNode writes a list of scalars on one line.
func listNode(v reflect.Value) (*yaml.Node, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	flat := true
	for i := range v.Len() {
		item, err := node(v.Index(i))
		if err != nil {
			return nil, err
		}
		if item == nil {
			item = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
		}
		flat = flat && item.Kind == yaml.ScalarNode
		list.Content = append(list.Content, item)
	}
	if flat {
		list.Style = yaml.FlowStyle
	}
	return list, nil
}

func structNode(v reflect.Value) (*yaml.Node, error) {
	m := &yaml.Node{Kind: yaml.MappingNode}
	keys, index := keysOf(v.Type())
	for i, key := range keys {
		f := v.Field(index[i])
		if f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		if err := put(m, key, f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func put(m *yaml.Node, key string, v reflect.Value) error {
	name, err := textNode(key)
	if err != nil {
		return err
	}
	n, err := node(v)
	if err != nil {
		return err
	}
	if n == nil {
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	m.Content = append(m.Content, name, n)
	return nil
}

func scalarNode(v reflect.Value) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch {
	case v.Type() == durationType:
		n.Tag, n.Value = "!!str", time.Duration(v.Int()).String()
	case v.Type() == reflect.TypeFor[json.Number]():
		n.Tag, n.Value = "!!int", v.String()
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case v.Kind() == reflect.String:
		return textNode(v.String())
	case v.Kind() == reflect.Bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v.Bool())
	case v.CanInt():
		n.Tag, n.Value = "!!int", strconv.FormatInt(v.Int(), 10)
	case v.CanFloat():
		n.Tag, n.Value = "!!float", strconv.FormatFloat(v.Float(), 'g', -1, 64)
	default:
		panic("yamldoc: cannot encode " + v.Type().String())
	}
	return n, nil
}

// textNode quotes what YAML would take for something else. What is no UTF-8 would be
// written as something else, which no decoder gives back as the text that it was.
func textNode(s string) (*yaml.Node, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("encoding YAML: %q is not UTF-8", s)
	}
	n := &yaml.Node{}
	n.SetString(s)
	if n.Style == yaml.LiteralStyle && strings.ContainsAny(s, "\t\u0085\u2028\u2029") {
		n.Style = yaml.DoubleQuotedStyle // a tab where a literal begins is taken for its indentation, and the others end its lines
	}
	return n, nil
}
