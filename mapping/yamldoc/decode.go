// Package yamldoc reads YAML that a person wrote, strictly.
package yamldoc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/pattern"

	"go.yaml.in/yaml/v3"
)

// A document of a person's own is small. What goes past these bounds is an
// accident or an attack (an alias that multiplies), and is refused.
const (
	maxNodes = 200_000
	maxDepth = 64
)

// Decode reads one YAML document into the struct that into points to. name is
// the file's name in messages. Keys are the struct's `yaml` tags; a key that
// the struct lacks, a key written twice, a second document, a merge key and a
// value of the wrong type are errors. All of them are found in one go: the error joins
// one *Error each, in the order of the file.
//
// A scalar fits a string as it is written, whatever YAML would take it for
// (3, true, 2026-03-08); a type with UnmarshalText takes scalars by it, also
// where it is a struct or a slice, so that a shorthand can stand for the whole.
// An empty document leaves into as it is.
//
// The document is of at most the version that the program knows, 0 of any. The member version of a later one is all that is
// wrong with it: what else it says need not mean what it seems to.
func Decode(data []byte, name string, known int, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("decoding %s: into %T, want a pointer", name, into)
	}
	d := &decoder{file: name}
	root, err := parse(data, name)
	if err != nil {
		return err
	}
	if root == nil {
		return nil
	}
	if later := d.later(root, known); later != nil {
		return later
	}
	d.value(root, target.Elem(), "", 0)
	return errors.Join(d.errs...)
}

// later returns an error where the document says that it is of a later version than is known.
func (d *decoder) later(root *yaml.Node, known int) error {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		version, err := strconv.Atoi(value.Value)
		if known == 0 || key.Value != "version" || err != nil || version <= known {
			continue
		}
		return &Error{
			File: d.file, Pos: Pos{value.Line, value.Column}, Path: key.Value,
			Message: fmt.Sprintf("the file is of version %d, and this program knows %d", version, known),
			Hint:    "use the version of eventbatch that it was written for, or a later one",
		}
	}
	return nil
}

var lineOfError = pattern.New(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

func parse(data []byte, name string) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(name, err)
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, syntaxError(name, err)
	default:
		return nil, &Error{
			File: name, Pos: Pos{second.Line, second.Column}, Message: "a second document begins here",
			Hint: "keep one document in a file",
		}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

func syntaxError(name string, err error) error {
	e := &Error{File: name, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := lineOfError().FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		e.Pos.Line, _ = strconv.Atoi(m[1])
		e.Message = m[2]
	}
	if strings.Contains(e.Message, "cannot start any token") {
		e.Hint = "indent with spaces, and quote a text that begins with @, ` or a tab"
	}
	return e
}

type decoder struct {
	file  string
	errs  []error
	nodes int
}

func (d *decoder) fail(n *yaml.Node, path, message, hint string) {
	d.errs = append(d.errs, &Error{File: d.file, Pos: Pos{n.Line, n.Column}, Path: path, Message: message, Hint: hint})
}

func (d *decoder) value(n *yaml.Node, v reflect.Value, path string, depth int) {
	if d.nodes++; d.nodes > maxNodes || depth > maxDepth {
		if d.nodes <= maxNodes+1 {
			d.nodes = maxNodes + 1
			d.fail(n, path, "the document is too large or too deep", "")
		}
		return
	}
	if n.Kind == yaml.AliasNode {
		d.value(n.Alias, v, path, depth+1)
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if n.Kind == yaml.ScalarNode {
		if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			setPos(v, n)
			if err := text.UnmarshalText([]byte(n.Value)); err != nil {
				d.fail(n, path, err.Error(), "")
			}
			return
		}
	}
	if free, ok := v.Addr().Interface().(interface{ grow(string, Pos) any }); ok {
		d.free(n, free.grow, path, depth)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, path, depth)
	case reflect.Slice:
		d.list(n, v, path, depth)
	case reflect.Interface:
		v.Set(reflect.ValueOf(d.anything(n, path, depth)))
	default:
		d.scalar(n, v, path)
	}
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, path string, depth int) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected a mapping of keys to values, found "+kindOf(n), "")
		return
	}
	setPos(v, n)
	keys, index := keysOf(v.Type())
	d.pairs(n, path, func(key string, at, value *yaml.Node) {
		i := slices.Index(keys, key)
		if i < 0 {
			d.fail(at, join(path, key), "unknown key", suggestion(key, keys))
			return
		}
		d.value(value, v.Field(index[i]), join(path, key), depth+1)
	})
}

func (d *decoder) free(n *yaml.Node, grow func(string, Pos) any, path string, depth int) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected a mapping of keys to values, found "+kindOf(n), "")
		return
	}
	d.pairs(n, path, func(key string, at, value *yaml.Node) {
		into := grow(key, Pos{at.Line, at.Column})
		d.value(value, reflect.ValueOf(into).Elem(), join(path, key), depth+1)
	})
}

// pairs walks a mapping, reporting keys that are written twice, are no plain
// text, or merge another mapping in.
func (d *decoder) pairs(n *yaml.Node, path string, each func(key string, at, value *yaml.Node)) {
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		if at.Kind == yaml.AliasNode {
			at = at.Alias
		}
		switch {
		case at.Kind != yaml.ScalarNode:
			d.fail(at, path, "a key has to be a plain text, found "+kindOf(at), "")
			continue
		case at.ShortTag() == "!!merge":
			d.fail(at, path, "merge keys (<<) are not understood", "write the keys out")
			continue
		}
		if line, twice := seen[at.Value]; twice {
			d.fail(at, join(path, at.Value), "the key is written twice, first on line "+strconv.Itoa(line), "")
			continue
		}
		seen[at.Value] = at.Line
		each(at.Value, at, value)
	}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, path string, depth int) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, path, "expected a list, found "+kindOf(n), "write [a, b], or one item a line after a dash")
		return
	}
	for i, item := range n.Content {
		v.Grow(1)
		v.SetLen(i + 1)
		v.Index(i).SetZero()
		d.value(item, v.Index(i), path+"["+strconv.Itoa(i)+"]", depth+1)
	}
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "expected "+wanted(v)+", found "+kindOf(n), "")
		return
	}
	bad := func(hint string) { d.fail(n, path, "expected "+wanted(v)+", found "+strconv.Quote(n.Value), hint) }
	switch {
	case v.Kind() == reflect.String:
		v.SetString(n.Value)
	case v.Type() == durationType:
		if t, err := time.ParseDuration(n.Value); err != nil {
			bad("write it like 90s, 5m or 1h30m")
		} else {
			v.SetInt(int64(t))
		}
	case v.Kind() == reflect.Bool:
		if n.ShortTag() != "!!bool" || n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			bad("")
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case v.CanInt():
		if i, err := strconv.ParseInt(n.Value, 10, v.Type().Bits()); err != nil {
			bad("")
		} else {
			v.SetInt(i)
		}
	case v.CanFloat():
		if f, err := strconv.ParseFloat(n.Value, 64); err != nil {
			bad("")
		} else {
			v.SetFloat(f)
		}
	default:
		panic("yamldoc: cannot decode into " + v.Type().String())
	}
}

// anything gives a value in the terms of encoding/json, numbers with the digits that were written.
func (d *decoder) anything(n *yaml.Node, path string, depth int) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		d.pairs(n, path, func(key string, _, value *yaml.Node) {
			var x any
			d.value(value, reflect.ValueOf(&x).Elem(), join(path, key), depth+1)
			m[key] = x
		})
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			d.value(item, reflect.ValueOf(&list[i]).Elem(), path+"["+strconv.Itoa(i)+"]", depth+1)
		}
		return list
	}
	switch n.ShortTag() {
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

func setPos(v reflect.Value, n *yaml.Node) {
	if v.Kind() != reflect.Struct {
		return
	}
	if f, ok := v.Type().FieldByName("Pos"); ok && f.Anonymous && f.Type == posType {
		v.FieldByIndex(f.Index).Set(reflect.ValueOf(Pos{n.Line, n.Column}))
	}
}
