package value

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// Likeness is what comparing two values of a field has shown.
type Likeness uint8

// The results of comparing two values.
const (
	Unlike  Likeness = iota
	Alike            // they mean the same
	Unclear          // the service keeps one of them in a form that cannot be compared with the other
)

// Compare compares what was said of the field, as it is sent, with what was said of it
// before, or with what the service tells: instants, not texts; Markdown as the document that
// it is; shades, however they are written; of an object what was said of it; the items
// of a list in any order; none as null.
func Compare(f *schema.Field, said, other json.RawMessage) Likeness {
	if bytes.Equal(said, other) {
		return Alike
	}
	if f.Kind == schema.List {
		return likely(sameItems(f, said, other))
	}
	if f.Answers != nil {
		return sameAnswers(said, other)
	}
	if Blank(said) || Blank(other) {
		return likely(Blank(said) && Blank(other))
	}
	if f.Place {
		return places(said, other)
	}
	var a, b any
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(other, &b) != nil {
		return Unlike
	}
	x, text := a.(string)
	y, texts := b.(string)
	switch {
	case f.Kind.Numeric():
		first, err := strconv.ParseFloat(strings.Trim(string(said), `"`), 64)
		second, fault := strconv.ParseFloat(strings.Trim(string(other), `"`), 64)
		return likely(err == nil && fault == nil && first == second)
	case !text || !texts:
		return likely(holds(f.Record, b, a))
	case f.Kind == schema.Timestamp:
		first, fault := ParseTimestamp(x)
		second, other := ParseTimestamp(y)
		return likely(fault == nil && other == nil && first == second)
	case f.Kind == schema.Color:
		return likely(shade(x) == shade(y))
	}
	return likely(f.Kind.Meant(x) == f.Kind.Meant(y))
}

func likely(same bool) Likeness {
	if same {
		return Alike
	}
	return Unlike
}

// Blank reports whether a value says that there is none.
func Blank(value json.RawMessage) bool {
	text := string(value)
	return text == "" || text == "null" || text == `""`
}

// holds reports whether a value has what was said: of an object the members that were
// said, where null is as good as none. Texts are of the kinds that the record has for them.
func holds(r *schema.Record, value, said any) bool {
	switch said := said.(type) {
	case map[string]any:
		value, ok := value.(map[string]any)
		for name, part := range said {
			ok = ok && memberHolds(Member(r, name), value[name], part)
		}
		return ok
	case []any:
		value, ok := value.([]any)
		if !ok || len(said) != len(value) {
			return false
		}
		for i := range said {
			ok = ok && holds(r, value[i], said[i])
		}
		return ok
	}
	return memberHolds(&schema.Member{}, value, said)
}

func memberHolds(m *schema.Member, value, said any) bool {
	switch said := said.(type) {
	case map[string]any, []any:
		return holds(m.Record, value, said)
	case string:
		value, ok := value.(string)
		return ok && m.Kind.Meant(said) == m.Kind.Meant(value)
	}
	return reflect.DeepEqual(value, said)
}

// Member returns what the record says of a member, in whichever variant: a text where it says nothing.
func Member(r *schema.Record, name string) *schema.Member {
	if r != nil {
		for _, v := range append(r.Variants, schema.Variant{Members: r.Members}) {
			if i := slices.IndexFunc(v.Members, func(m schema.Member) bool { return m.Name == name }); i >= 0 {
				return &v.Members[i]
			}
		}
	}
	return &schema.Member{}
}

// shade returns a color with six digits in small letters.
func shade(color string) string {
	if color = strings.ToLower(color); len(color) == len("#rgb") {
		return "#" + strings.Repeat(color[1:2], 2) + strings.Repeat(color[2:3], 2) + strings.Repeat(color[3:], 2)
	}
	return color
}
