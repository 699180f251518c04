package plan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"eventbatch/mapping/schema"
)

// likeness is what comparing two values has shown.
type likeness int

const (
	unlike  likeness = iota
	alike            // they mean the same
	unknown          // the service keeps one of them in a form that cannot be compared with the other
)

// differ compares what was said of a field of an event with what was said of it before, or
// with what the service tells, as the service keeps it: instants, not texts; Markdown as it
// is re-rendered; of an object what was said of it; questions by their ids.
func differ(f *schema.Field, said, other json.RawMessage) likeness {
	if bytes.Equal(said, other) {
		return alike
	}
	if nothing(said) || nothing(other) {
		return likely(nothing(said) && nothing(other))
	}
	if f.ID == schema.FieldGeoAddress {
		return places(said, other)
	}
	var a, b any
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(other, &b) != nil {
		return unlike
	}
	x, text := a.(string)
	y, texts := b.(string)
	if !text || !texts {
		return likely(within(a, b))
	}
	switch f.Kind {
	case schema.Timestamp:
		first, fault := schema.ParseTimestamp(x)
		second, other := schema.ParseTimestamp(y)
		return likely(fault == nil && other == nil && first == second)
	case schema.Markdown:
		return likely(rendered(x) == rendered(y))
	case schema.Color:
		return likely(shade(x) == shade(y))
	}
	return likely(strings.TrimSpace(x) == strings.TrimSpace(y))
}

func likely(same bool) likeness {
	if same {
		return alike
	}
	return unlike
}

// nothing reports whether a value says that there is none.
func nothing(value json.RawMessage) bool {
	text := string(value)
	return text == "" || text == "null" || text == `""`
}

// within reports whether other has what was said: of an object the members that were said,
// where null is as good as none, of a list of objects each one under its id.
func within(said, other any) bool {
	switch said := said.(type) {
	case map[string]any:
		other, ok := other.(map[string]any)
		for name, value := range said {
			ok = ok && within(value, other[name])
		}
		return ok
	case []any:
		other, ok := other.([]any)
		if !ok || len(said) != len(other) {
			return false
		}
		for i, value := range said {
			ok = ok && within(value, named(value, other, i))
		}
		return ok
	case string:
		other, ok := other.(string)
		return ok && rendered(said) == rendered(other)
	}
	return reflect.DeepEqual(said, other)
}

// named returns the item of a list that has the id of another, and its i-th where it has none.
func named(item any, list []any, i int) any {
	object, _ := item.(map[string]any)
	id, has := object["id"]
	if !has {
		return list[i]
	}
	for _, other := range list {
		if o, ok := other.(map[string]any); ok && o["id"] == id {
			return o
		}
	}
	return nil
}

// rendered returns Markdown, or a text, in the one form in which two renderings are compared:
// without zero-width spaces and blanks at line ends, with one kind of bullets and rules,
// and one blank line between paragraphs.
func rendered(text string) string {
	text = widthless.Replace(text)
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimRight(line, " \t")
		body := strings.TrimLeft(line, " ")
		if item, bullet := strings.CutPrefix(body, "* "); bullet {
			line = line[:len(line)-len(body)] + "- " + item
		} else if item, bullet := strings.CutPrefix(body, "+ "); bullet {
			line = line[:len(line)-len(body)] + "- " + item
		}
		if line == "***" || line == "___" || line == "* * *" {
			line = "---"
		}
		if line != "" || lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

var widthless = strings.NewReplacer("\u200b", "", "\ufeff", "", "\r\n", "\n", "\r", "\n")

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

// places compares a location that was sent with another. A search comes back as what it
// found, which cannot be told from what somebody has put there since.
func places(said, other json.RawMessage) likeness {
	var a, b geoPlace
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(other, &b) != nil {
		return unlike
	}
	id := b.Read
	if id == "" {
		id = b.Sent
	}
	text := strings.TrimSpace(a.Address + a.Query)
	is := text != "" && (text == strings.TrimSpace(b.Address) || text == strings.TrimSpace(b.Full) || text == strings.TrimSpace(b.Query))
	switch {
	case a.Sent != "":
		return likely(a.Sent == id && (a.Words == "" || a.Words == b.Words))
	case is:
		return alike
	case a.Query != "" && b.Query == "", a.Query == "" && b.Query != "":
		return unknown
	}
	return unlike
}
