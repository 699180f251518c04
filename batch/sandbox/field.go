package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// The tables say which rule a field has. The rules of single values are read here
// with other means than the tables' own wherever the standard library has them,
// so that a client that shares the tables is not judged by its own mistakes.

// checkField checks the value of one field, then has the table judge what it says of
// single values beyond their kind.
func (s *Service) checkField(b *body, path string, f *schema.Field, value json.RawMessage) {
	if f.Empty && string(value) == `""` {
		return
	}
	before := len(b.troubles)
	switch {
	case value[0] == 'n', !f.Kind.JSON():
		b.checkMember(path, &schema.Member{Name: f.Path, Kind: f.Kind, Nullable: f.Nullable, Values: f.Values}, value)
	case f.Kind == schema.Array:
		b.checkArray(path, f, value)
	default:
		b.checkObject(path, f, value)
	}
	if len(b.troubles) > before || value[0] == 'n' || f.Kind.JSON() {
		return
	}
	if reason := beyond(f, value); reason != "" {
		b.refuse(path, reason)
	}
	switch f.ID {
	case schema.FieldCoverURL:
		if address := unquote(value); !schema.OnHost(s.config.ImageBase, address) || !s.uploaded(address) {
			b.refuse(path, "Has to be an image uploaded to "+s.config.ImageBase+"/.")
		}
	case schema.FieldDescriptionMD:
		for _, image := range imagePattern().FindAllStringSubmatch(unquote(value), -1) {
			if !schema.OnHost(s.config.ImageBase, image[1]) {
				b.refuse(path, "The image "+image[1]+" is not on "+s.config.ImageBase+"/.")
			}
		}
	}
}

// beyond returns the table's reason against a value of the right kind.
func beyond(f *schema.Field, value json.RawMessage) string {
	text := unquote(value)
	if n, err := strconv.ParseFloat(string(value), 64); err == nil {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	} else if value[0] != '"' {
		return ""
	}
	if fault := f.Parse(new(schema.Setting), text); fault != nil {
		return "Invalid input: " + fault.Message + "."
	}
	return ""
}

// imagePattern finds the addresses of Markdown images.
var imagePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!\[[^\]]*\]\(\s*<?([^\s)>]+)`) })

// records are the shapes of objects, and of the items of arrays, that their fields do
// not name.
var records = map[schema.ID]*schema.Record{
	schema.FieldRegistrationQuestions: &schema.Question, schema.FieldTicketTypes: &schema.TicketType,
	schema.FieldCoordinate: &schema.Coordinate, schema.FieldFeedbackEmail: &schema.FeedbackEmail,
}

func (b *body) checkArray(path string, f *schema.Field, value json.RawMessage) {
	record := records[f.ID]
	if record == nil {
		b.checkTexts(path, &schema.Member{}, value)
		return
	}
	items, ok := arrayOf(value)
	if !ok {
		b.expected(path, "array", value)
	}
	for i, item := range items {
		at := path + "." + strconv.Itoa(i)
		b.checkRecord(at, record, item)
		if f.ID == schema.FieldTicketTypes {
			b.checkTicket(at, item)
		}
	}
}

// checkObject checks an object, and each part of it that is a field too.
func (b *body) checkObject(path string, f *schema.Field, value json.RawMessage) {
	if value[0] != '{' {
		b.expected(path, "object", value)
		return
	}
	record := cmp.Or(f.Record, records[f.ID])
	if record == nil {
		return
	}
	before := len(b.troubles)
	b.checkRecord(path, record, value)
	if len(b.troubles) > before {
		return
	}
	object, _ := decodeObject(value)
	for id := f.ID + 1; int(id) < len(schema.Fields); id++ {
		part := id.Field()
		if whole, ok := part.Object(); !ok || whole != f {
			break
		}
		name := strings.TrimPrefix(part.Member(), f.Path+".")
		if sent := object.values[name]; sent != nil && part.Path == part.Sent().Path {
			if reason := beyond(part, sent); reason != "" {
				b.refuse(path+"."+name, reason)
			}
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

// checkRecord checks an object against its record: the members of every variant,
// those of the variant chosen, nothing else.
func (b *body) checkRecord(path string, r *schema.Record, value json.RawMessage) {
	object, ok := decodeObject(value)
	if !ok {
		b.expected(path, "object", value)
		return
	}
	for _, t := range object.troubles {
		b.refuse(path+"."+t.path, t.reason)
	}
	members := r.Members
	if r.By != "" {
		chosen := unquote(object.values[r.By])
		for _, v := range r.Variants {
			if v.Value == chosen {
				members = slices.Concat(members, v.Members)
			}
		}
	}
	for i := range members {
		m := &members[i]
		at := path + "." + m.Name
		switch member := object.values[m.Name]; {
		case member == nil:
			if m.Required {
				b.refuse(at, "Required.")
			}
		case m.Kind == schema.Object && m.Name == "terms":
			b.checkRecord(at, &schema.Terms, member)
		default:
			b.checkMember(at, m, member)
		}
	}
	for _, name := range object.names {
		if !slices.ContainsFunc(members, func(m schema.Member) bool { return m.Name == name }) {
			b.refuse(path+"."+name, "Unrecognized key.")
		}
	}
}

// checkMember checks one value by its kind.
func (b *body) checkMember(path string, m *schema.Member, value json.RawMessage) {
	switch value[0] {
	case 'n':
		if !m.Nullable {
			b.expected(path, wordOf(m.Kind), value)
		}
		return
	case '"':
		if wordOf(m.Kind) != "string" {
			b.expected(path, wordOf(m.Kind), value)
			return
		}
		if reason := checkText(m, unquote(value)); reason != "" {
			b.refuse(path, reason)
		}
		return
	}
	if kindOf(value) != wordOf(m.Kind) {
		b.expected(path, wordOf(m.Kind), value)
		return
	}
	switch m.Kind {
	case schema.Integer, schema.Number:
		if reason := checkNumber(m, value); reason != "" {
			b.refuse(path, reason)
		}
	case schema.Array:
		b.checkTexts(path, m, value)
	}
}

func checkNumber(m *schema.Member, value json.RawMessage) string {
	n, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil:
		return "Invalid number."
	case m.Kind == schema.Integer && n != math.Trunc(n):
		return "Invalid input: expected int, received number."
	case m.Kind == schema.Integer && n < 0:
		return "Too small: at least 0."
	case m.Kind == schema.Integer && n > 1<<53:
		return "Too big."
	}
	return ""
}

func (b *body) checkTexts(path string, m *schema.Member, value json.RawMessage) {
	items, ok := arrayOf(value)
	if !ok {
		b.expected(path, "array", value)
		return
	}
	if m.Most > 0 && len(items) > m.Most {
		b.refuse(path, fmt.Sprintf("Too big: at most %d items.", m.Most))
	}
	for i, item := range items {
		if item[0] != '"' {
			b.expected(path+"."+strconv.Itoa(i), "string", item)
		}
	}
}

var (
	timestampPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$`)
	})
	colorPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`) })
)

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

// checkText gives the reason against a string, empty where there is none.
func checkText(m *schema.Member, text string) string {
	switch m.Kind {
	case schema.Text, schema.Identifier:
		if strings.TrimSpace(text) == "" {
			return "Too short: at least 1 character."
		}
	case schema.Enum:
		if !slices.Contains(m.Values, text) {
			return "Invalid option: expected one of " + strings.Join(m.Values, "|") + "."
		}
	case schema.Timestamp:
		if _, ok := parseTimestamp(text); !ok {
			return "Invalid input: expected an ISO 8601 date-time with an offset."
		}
	case schema.Day:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return "Invalid input: expected a day such as 2026-05-31."
		}
	case schema.Email:
		if at, err := mail.ParseAddress(text); err != nil || at.Address != text {
			return "Invalid email."
		}
	case schema.Duration:
		if _, fault := schema.ParseDuration(text); fault != nil {
			return "Invalid input: expected an ISO 8601 duration of at most P7D."
		}
	case schema.URL:
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return "Invalid URL."
		}
	case schema.Color:
		if !colorPattern().MatchString(text) {
			return "Invalid color: expected # and 3 or 6 hex digits."
		}
	case schema.Slug:
		if fault := schema.ParseSlug(text); fault != nil {
			return fmt.Sprintf("Invalid slug: %d to %d characters of an address.", schema.SlugMin, schema.SlugMax)
		}
	case schema.Zone:
		if _, err := schema.LoadZone(text); err != nil {
			return "Invalid time zone: expected an IANA name."
		}
	}
	return ""
}

func (b *body) expected(path, kind string, value json.RawMessage) {
	b.refuse(path, "Invalid input: expected "+kind+", received "+kindOf(value)+".")
}

// wordOf gives the JSON type of a kind.
func wordOf(k schema.Kind) string {
	switch k {
	case schema.Bool:
		return "boolean"
	case schema.Integer, schema.Number:
		return "number"
	case schema.Object:
		return "object"
	case schema.Array:
		return "array"
	}
	return "string"
}

// kindOf gives the JSON type of a value.
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

// unquote gives the text of a JSON string, empty for anything else.
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
