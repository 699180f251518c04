package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// The tables say which rule a field has. Times are read here with other means than the
// tables' own, so that a client that shares the tables is not judged by its own mistakes.

// checkField checks the value of one field.
func (b *body) checkField(path string, f *schema.Field, raw json.RawMessage) {
	switch word := wordOf(f.Kind); {
	case (f.Empty || strings.HasSuffix(path, "_handle")) && string(raw) == `""`, f.Nullable && raw[0] == 'n':
	case kindOf(raw) != word:
		b.expected(path, word, raw)
	case f.Kind == schema.Array:
		b.checkItems(path, f, raw)
	case f.Kind == schema.List:
		var s schema.Setting
		if fault := value.Parse(f, &s, string(raw)); fault != nil {
			b.refuse(path, "Invalid input: "+fault.Message+".")
		}
	case f.Kind == schema.Object:
		if record := cmp.Or(f.Record, shapes[f.ID]); record != nil {
			b.checkRecord(path, f, record, raw)
		}
	default:
		if reason := wrong(f, raw); reason != "" {
			b.refuse(path, reason)
		}
	}
}

// wrong returns the reason against a value of the right kind, empty where there is none.
// What the table would mend is refused.
func wrong(f *schema.Field, raw json.RawMessage) string {
	text := unquote(raw)
	switch f.Kind {
	case schema.Bool, schema.Markdown:
		return ""
	case schema.Integer, schema.Number:
		n, err := strconv.ParseFloat(string(raw), 64)
		if whole := f.Kind == schema.Integer; err != nil || whole && (n != math.Trunc(n) || n < 0 || n > 1<<53) {
			return "Invalid input: expected " + f.Kind.String() + ", received " + string(raw) + "."
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
	switch fault := value.Parse(f, &set, text); {
	case fault != nil:
		return "Invalid input: " + fault.Message + "."
	case f.Kind != schema.Text && set.Text != text:
		return "Invalid input: " + text + " is not exact."
	}
	return ""
}

func (b *body) checkItems(path string, f *schema.Field, value json.RawMessage) {
	if f.Answers != nil {
		return // by the questions: see [checkAnswers]
	}
	for i, item := range arrayOf(value) {
		at := path + "." + strconv.Itoa(i)
		if record := f.Record; record != nil {
			b.checkRecord(at, nil, record, item)
		} else if item[0] != '"' {
			b.expected(at, "string", item)
		}
		if f.ID == catalog.FieldTicketTypes {
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
			if items := arrayOf(member); m.Most > 0 && len(items) > m.Most {
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
	for i := range catalog.Fields {
		f := &catalog.Fields[i]
		if of, ok := f.Object(); ok && of == whole && !f.Deprecated && f.Member() == whole.Path+"."+m.Name {
			part = *f
		}
	}
	part.Nullable, part.Empty = m.Nullable, false
	return &part
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
