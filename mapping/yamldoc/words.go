package yamldoc

import (
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"eventbatch/mapping/spelling"
)

// suggestion is the hint for an unknown key: the nearest known one, or all of them where few are.
func suggestion(key string, known []string) string {
	if near := spelling.DidYouMean(key, known); near != "" || len(known) > 12 {
		return near
	}
	return "known here: " + strings.Join(known, ", ")
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return kindOf(n.Alias)
	}
	return strconv.Quote(n.Value)
}

func wanted(v reflect.Value) string {
	switch {
	case v.Type() == durationType:
		return "a duration"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanInt():
		return "a whole number"
	case v.CanFloat():
		return "a number"
	}
	return "a text"
}
