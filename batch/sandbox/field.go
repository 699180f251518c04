package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// The tables say which rule a field has. Times are read here with other means than the
// tables' own, so that a client that shares the tables is not judged by its own mistakes.

// checkField checks the value of one field.
func (b *body) checkField(path string, f *schema.Field, value json.RawMessage) {
	switch word := wordOf(f.Kind); {
	case (f.Empty || strings.HasSuffix(path, "_handle")) && string(value) == `""`, f.Nullable && value[0] == 'n':
	case kindOf(value) != word:
		b.expected(path, word, value)
	case f.Kind == schema.Array:
		b.checkItems(path, f, value)
	case f.Kind == schema.List:
		var s schema.Setting
		if fault := f.Parse(&s, string(value)); fault != nil {
			b.refuse(path, "Invalid input: "+fault.Message+".")
		}
	case f.Kind == schema.Object:
		if record := cmp.Or(f.Record, shapes[f.ID]); record != nil {
			b.checkRecord(path, f, record, value)
		}
	default:
		if reason := wrong(f, value); reason != "" {
			b.refuse(path, reason)
		}
	}
}

// wrong returns the reason against a value of the right kind, empty where there is none.
// What the table would mend is refused.
func wrong(f *schema.Field, value json.RawMessage) string {
	text := unquote(value)
	switch f.Kind {
	case schema.Bool, schema.Markdown:
		return ""
	case schema.Integer, schema.Number:
		n, err := strconv.ParseFloat(string(value), 64)
		if whole := f.Kind == schema.Integer; err != nil || whole && (n != math.Trunc(n) || n < 0 || n > 1<<53) {
			return "Invalid input: expected " + f.Kind.String() + ", received " + string(value) + "."
		}
		text = strconv.FormatFloat(n, 'f', -1, 64)
	case schema.Timestamp:
		if _, ok := parseTimestamp(text); !ok {
			return "Invalid input: expected an ISO 8601 date-time with an offset."
		}
		return ""
	case schema.Enum:
		if !slices.Contains(f.Values, text) {
			return "Invalid option: expected one of " + strings.Join(f.Values, "|") + "."
		}
		return ""
	}
	var set schema.Setting
	switch fault := f.Parse(&set, text); {
	case fault != nil:
		return "Invalid input: " + fault.Message + "."
	case f.Kind != schema.Text && set.Text != text:
		return "Invalid input: " + text + " is not exact."
	}
	return ""
}

// checkImages refuses pictures of an event that are not on the image host.
func (s *Service) checkImages(b *body) {
	if cover := unquote(b.values["cover_url"]); cover != "" && (!schema.OnHost(s.config.ImageBase, cover) || !s.uploaded(cover)) {
		b.refuse("cover_url", "Has to be an image uploaded to "+s.config.ImageBase+"/.")
	}
	for _, image := range imagePattern().FindAllStringSubmatch(unquote(b.values["description_md"]), -1) {
		if !schema.OnHost(s.config.ImageBase, image[1]) {
			b.refuse("description_md", "The image "+image[1]+" is not on "+s.config.ImageBase+"/.")
		}
	}
}

// imagePattern finds the addresses of Markdown images.
var imagePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!\[[^\]]*\]\(\s*<?([^\s)>]+)`) })

// shapes are the records of objects whose fields do not name them.
var shapes = map[schema.ID]*schema.Record{
	schema.FieldCoordinate: &schema.Coordinate, schema.FieldFeedbackEmail: &schema.FeedbackEmail,
}

func (b *body) checkItems(path string, f *schema.Field, value json.RawMessage) {
	if f.Answers != nil {
		return // by the questions: see [checkAnswers]
	}
	items, _ := arrayOf(value)
	for i, item := range items {
		at := path + "." + strconv.Itoa(i)
		if record := f.Record; record != nil {
			b.checkRecord(at, nil, record, item)
		} else if item[0] != '"' {
			b.expected(at, "string", item)
		}
		if f.ID == schema.FieldTicketTypes {
			b.checkTicket(at, item)
		}
	}
}

// checkTicket checks what the members of a ticket type keep together.
func (b *body) checkTicket(path string, value json.RawMessage) {
	var ticket struct {
		Type     string
		Cents    float64
		MinCents float64 `json:"min_cents"`
	}
	if json.Unmarshal(value, &ticket) == nil && ticket.Type == "free" && ticket.Cents+ticket.MinCents > 0 {
		b.refuse(path+".cents", "A free ticket has no price.")
	}
}

// checkRecord checks an object against its record: the members of every variant, those
// of the variant chosen, nothing else. The parts of whole that are fields too are checked
// as such.
func (b *body) checkRecord(path string, whole *schema.Field, r *schema.Record, value json.RawMessage) {
	object, ok := decodeObject(value)
	if !ok {
		b.expected(path, "object", value)
		return
	}
	for _, t := range object.troubles {
		b.refuse(path+"."+t.path, t.reason)
	}
	members := r.Members
	for _, v := range r.Variants {
		if v.Value == unquote(object.values[r.By]) {
			members = slices.Concat(members, v.Members)
		}
	}
	for _, m := range members {
		at := path + "." + m.Name
		switch member := object.values[m.Name]; {
		case member == nil && m.Required:
			b.refuse(at, "Required.")
		case member == nil:
		case m.Record != nil:
			b.checkRecord(at, nil, m.Record, member)
		case m.Blank && member[0] == '"': // any text
		default:
			b.checkField(at, partOf(whole, m), member)
			if items, _ := arrayOf(member); m.Most > 0 && len(items) > m.Most {
				b.refuse(at, fmt.Sprintf("Too big: at most %d items.", m.Most))
			}
		}
	}
	for _, name := range object.names {
		if !slices.ContainsFunc(members, func(m schema.Member) bool { return m.Name == name }) {
			b.refuse(path+"."+name, "Unrecognized key.")
		}
	}
}

// partOf returns the member of an object as a field, which the table has where it is a
// part of a field.
func partOf(whole *schema.Field, m schema.Member) *schema.Field {
	part := schema.Field{Path: m.Name, Kind: m.Kind, Values: m.Values}
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if of, ok := f.Object(); ok && of == whole && !f.Deprecated && f.Member() == whole.Path+"."+m.Name {
			part = *f
		}
	}
	part.Nullable, part.Empty = m.Nullable, false
	return &part
}

var timestampPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$`)
})

// parseTimestamp reads a time by the words of the document (service: Conventions).
func parseTimestamp(text string) (time.Time, bool) {
	if !timestampPattern().MatchString(text) {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func (b *body) expected(path, kind string, value json.RawMessage) {
	b.refuse(path, "Invalid input: expected "+kind+", received "+kindOf(value)+".")
}

// wordOf returns the JSON type of a kind.
func wordOf(k schema.Kind) string {
	switch k {
	case schema.Bool:
		return "boolean"
	case schema.Integer, schema.Number:
		return "number"
	case schema.Object:
		return "object"
	case schema.Array, schema.List:
		return "array"
	}
	return "string"
}

// kindOf returns the JSON type of a value.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// unquote returns the text of a JSON string, empty for anything else.
func unquote(value json.RawMessage) string {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

func arrayOf(value json.RawMessage) (items []json.RawMessage, ok bool) {
	return items, value[0] == '[' && json.Unmarshal(value, &items) == nil
}
