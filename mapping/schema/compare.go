package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/richtext"
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
func (f *Field) Compare(said, other json.RawMessage) Likeness {
	if bytes.Equal(said, other) {
		return Alike
	}
	if f.Kind == List {
		return likely(f.sameItems(said, other))
	}
	if f.Answers != nil {
		return sameAnswers(said, other)
	}
	if nothing(said) || nothing(other) {
		return likely(nothing(said) && nothing(other))
	}
	if f.ID == FieldGeoAddress {
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
		return likely(f.Record.holds(b, a))
	case f.Kind == Timestamp:
		first, fault := ParseTimestamp(x)
		second, other := ParseTimestamp(y)
		return likely(fault == nil && other == nil && first == second)
	case f.Kind == Color:
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

// nothing reports whether a value says that there is none.
func nothing(value json.RawMessage) bool {
	text := string(value)
	return text == "" || text == "null" || text == `""`
}

// holds reports whether a value has what was said: of an object the members that were
// said, where null is as good as none. Texts are of the kinds that the record has for them.
func (r *Record) holds(value, said any) bool {
	switch said := said.(type) {
	case map[string]any:
		value, ok := value.(map[string]any)
		for name, part := range said {
			ok = ok && r.member(name).holds(value[name], part)
		}
		return ok
	case []any:
		value, ok := value.([]any)
		if !ok || len(said) != len(value) {
			return false
		}
		for i := range said {
			ok = ok && r.holds(value[i], said[i])
		}
		return ok
	}
	return (&Member{}).holds(value, said)
}

func (m *Member) holds(value, said any) bool {
	switch said := said.(type) {
	case map[string]any, []any:
		return m.Record.holds(value, said)
	case string:
		value, ok := value.(string)
		return ok && m.Kind.Meant(said) == m.Kind.Meant(value)
	}
	return reflect.DeepEqual(value, said)
}

// member returns what the record says of a member, in whichever variant: a text where it says nothing.
func (r *Record) member(name string) *Member {
	if r != nil {
		for _, v := range append(r.Variants, Variant{Members: r.Members}) {
			if i := slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name }); i >= 0 {
				return &v.Members[i]
			}
		}
	}
	return &Member{}
}

// Meant returns a text of the kind in the form in which two of them are compared: without white
// space around it and marks that nobody sees, and of Markdown the document that it is.
func (k Kind) Meant(text string) string {
	if k == Markdown {
		return richtext.Canonical(text)
	}
	return strings.TrimSpace(richtext.Visible(text))
}

// shade returns a color with six digits in small letters.
func shade(color string) string {
	if color = strings.ToLower(color); len(color) == len("#rgb") {
		return "#" + strings.Repeat(color[1:2], 2) + strings.Repeat(color[2:3], 2) + strings.Repeat(color[3:], 2)
	}
	return color
}

// geoPlace is a location as it is sent, or as it reads back.
type geoPlace struct {
	Address string `json:"address"`
	Full    string `json:"full_address"`
	Query   string `json:"query"`
	Sent    string `json:"place_id"`
	Read    string `json:"google_maps_place_id"`
	Words   string `json:"description"`
}

// places compares a location that was sent, or read back, with another. A search comes back as what it
// found, which cannot be told from what somebody has put there since.
func places(said, other json.RawMessage) Likeness {
	var a, b geoPlace
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(other, &b) != nil {
		return Unlike
	}
	id := b.Read
	if id == "" {
		id = b.Sent
	}
	text := strings.TrimSpace(a.Address + a.Query)
	is := text != "" && (text == strings.TrimSpace(b.Address) || text == strings.TrimSpace(b.Full) || text == strings.TrimSpace(b.Query))
	switch {
	case a.Sent != "" || a.Read != "":
		return likely(a.Sent+a.Read == id && (a.Words == "" || a.Words == b.Words))
	case is:
		return Alike
	case a.Query != "" && b.Query == "", a.Query == "" && b.Query != "":
		return Unclear
	}
	return Unlike
}
