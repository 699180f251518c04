package yamldoc

import (
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Pos is a place in the file. A struct with an embedded Pos learns where it was written.
type Pos struct {
	Line, Column int // from 1; 0 where the value was not written in a file
}

// Map is a mapping with free keys, in the order in which they were written.
type Map[V any] []Item[V]

// Item is one pair of a Map.
type Item[V any] struct {
	Key   string
	Pos   Pos // of the key
	Value V
}

// Get returns the value of a key.
func (m Map[V]) Get(key string) (V, bool) {
	for i := range m {
		if m[i].Key == key {
			return m[i].Value, true
		}
	}
	var zero V
	return zero, false
}

func (m *Map[V]) grow(key string, pos Pos) any {
	*m = append(*m, Item[V]{Key: key, Pos: pos})
	return &(*m)[len(*m)-1].Value
}

func (m Map[V]) pairs(yield func(string, any) bool) {
	for i := range m {
		if !yield(m[i].Key, &m[i].Value) {
			return
		}
	}
}

// Error is one mistake in a document, at its line.
type Error struct {
	File    string
	Pos     Pos
	Path    string // of the key, such as profiles.main.keys[0].kind; empty for the document
	Message string
	Hint    string // what to do; empty where nothing better than the message can be said
}

// Error names the place first: file:line: path: message.
func (e *Error) Error() string {
	s := e.File
	if e.Pos.Line > 0 {
		s += ":" + strconv.Itoa(e.Pos.Line)
	}
	if e.Path != "" {
		s += ": " + e.Path
	}
	s += ": " + e.Message
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return strings.TrimPrefix(s, ": ")
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	posType      = reflect.TypeFor[Pos]()
)

// keysOf lists a struct's keys with the indexes of their fields.
func keysOf(t reflect.Type) (keys []string, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key == "" || key == "-" || !f.IsExported() {
			continue
		}
		keys, index = append(keys, key), append(index, i)
	}
	return keys, index
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
