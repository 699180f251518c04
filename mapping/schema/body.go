package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// AppendBody appends the JSON object that asks the operation for what the draft sets
// and clears, without the id of the event that a record belongs to. Objects are
// assembled from their parts, deprecated names are sent under the new ones, fields that
// the operation does not take are left out, and the order is that of Fields, so that
// equal drafts give equal bytes. The error is a *Fault for a draft whose parts make no
// object; mapping/check keeps such drafts from coming here.
func AppendBody(dst []byte, d *Draft, op *Operation) ([]byte, error) {
	b := bodyWriter{dst: dst, draft: d, operation: op}
	if !op.Gathers() {
		return b.write(op.Takes)
	}
	// The row is the only item of the array, into which others are gathered later.
	var err error
	b.dst = append(AppendName(append(b.dst, '{'), op.Into), '[')
	if op.Item != "" {
		b.dst = AppendText(b.dst, d.Value(op.Item))
	} else if b.dst, err = b.write(func(f *Field) bool { return op.Takes(f) && op.ofItem(f) }); err != nil {
		return b.dst, err
	}
	b.dst = append(b.dst, ']')
	mark := len(b.dst)
	if b.dst, err = b.write(func(f *Field) bool { return op.Takes(f) && !op.ofItem(f) }); err != nil {
		return b.dst, err
	}
	if b.dst[mark] = ','; b.dst[mark+1] == '}' {
		b.dst = append(b.dst[:mark], '}')
	}
	return b.dst, nil
}

// Gather puts the rows of several requests of an operation, whose bodies agree in all
// but their rows, into one.
func (o *Operation) Gather(bodies []json.RawMessage) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	var items []json.RawMessage
	for _, body := range bodies {
		var members map[string]json.RawMessage
		var own []json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			return nil, fmt.Errorf("gathering %s: %w", o.Name, err)
		}
		if err := json.Unmarshal(members[o.Into], &own); err != nil {
			return nil, fmt.Errorf("gathering %s: %w", o.Name, err)
		}
		whole, items = members, append(items, own...)
	}
	all, err := json.Marshal(items)
	if err != nil {
		return nil, err
	}
	whole[o.Into] = all
	return json.Marshal(whole)
}

// Shared returns what a body says beside its rows: requests that agree in it can be
// gathered into one.
func (o *Operation) Shared(body json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, fmt.Errorf("gathering %s: %w", o.Name, err)
	}
	delete(members, o.Into)
	return json.Marshal(members)
}

// Below returns the body of a request about a record that belongs to the parent of that id.
func (o *Operation) Below(id string, body json.RawMessage) json.RawMessage {
	if o.Item == "" || o.Item != o.Resource.Parent {
		return AppendWith(nil, body, o.Resource.Of().ID, id)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body // which no body of ours is
	}
	members[o.Into] = append(AppendText([]byte{'['}, id), ']')
	body, _ = json.Marshal(members) // they were JSON
	return body
}

// AppendContent appends what names the content that a row asks for, whichever
// operation brings it there: the body without the event's id, without
// suppress_email and without what only create takes, with cover_file, and with
// timestamps as instants. The row that created an event and the same row that
// would now update it give equal bytes.
func AppendContent(dst []byte, d *Draft) ([]byte, error) {
	b := bodyWriter{dst: dst, draft: d}
	return b.write(func(f *Field) bool { return f.On.Has(OnBoth) && !f.Manner && f.Each == nil || f.Uploads != "" })
}

// AppendCreateOnly appends what [AppendContent] leaves out because an update does not
// take it.
func AppendCreateOnly(dst []byte, d *Draft) ([]byte, error) {
	b := bodyWriter{dst: dst, draft: d}
	return b.write(func(f *Field) bool { return f.On.Has(OnCreate) && !f.On.Has(OnUpdate) && !f.Manner })
}

// AppendWith appends the body with one more text field in front: the event id or
// the slug that is known only after the body was made.
func AppendWith(dst, body []byte, member, text string) []byte {
	dst = append(dst, '{')
	dst = AppendName(dst, member)
	dst = AppendText(dst, text)
	if len(body) > len("{}") {
		dst = append(dst, ',')
	}
	return append(dst, body[1:]...)
}

type bodyWriter struct {
	dst   []byte
	draft *Draft
	// operation is the one that the body asks, nil of a content, which has the
	// fields' own names.
	operation *Operation
	// settings gives one more than the index of a field's setting, under the field's
	// own name: deprecated names and short columns are resolved. It is indexed as those
	// of a [Draft] are.
	settings [maxColumns]uint8
}

// at returns one more than the index of the field's setting.
func (b *bodyWriter) at(id ID) int { return int(b.settings[id-b.draft.Resource.first]) }

// has reports whether the draft says something of the field.
func (b *bodyWriter) has(f *Field) bool { return b.at(f.ID) > 0 }

// name returns the member that the field is sent as.
func (b *bodyWriter) name(f *Field) string {
	if b.operation == nil {
		return f.Member()
	}
	return b.operation.Member(f)
}

func (b *bodyWriter) write(takes func(*Field) bool) ([]byte, error) {
	var conflict *Fault
	b.draft.Conflicts(func(_ ID, fault *Fault) { conflict = cmp.Or(conflict, fault) })
	if conflict != nil {
		return b.dst, conflict
	}
	for i := range b.draft.Settings {
		if s := &b.draft.Settings[i]; b.draft.Sends(s) {
			b.settings[b.draft.field(s).Sent().ID-b.draft.Resource.first] = uint8(i + 1)
		}
	}
	b.dst = append(b.dst, '{')
	first := len(b.dst)
	for i := range b.draft.Resource.Own {
		f := &b.draft.Resource.Own[i]
		if f.Deprecated || f.whole != nil || !takes(f) {
			continue
		}
		mark := len(b.dst)
		if mark > first {
			b.dst = append(b.dst, ',')
		}
		switch {
		case b.has(f):
			b.member(f, b.name(f))
		case f.Kind == Object && b.object(f):
		default:
			b.dst = b.dst[:mark]
		}
	}
	b.dst = append(b.dst, '}')
	return b.dst, nil
}

// object writes an object from its parts and reports whether there were any. The
// member that chooses the variant follows from the parts where the row does not say it.
func (b *bodyWriter) object(whole *Field) bool {
	mark, any := len(b.dst), false
	b.dst = append(AppendName(b.dst, b.name(whole)), '{')
	next := func(name string) {
		if any {
			b.dst = append(b.dst, ',')
		}
		any = true
		b.dst = AppendName(b.dst, name)
	}
	parts := whole.parts
	if value := b.implied(whole, parts); value != "" {
		next(whole.Record.By)
		b.dst = AppendText(b.dst, value)
	}
	for i := range parts {
		if part := &parts[i]; b.has(part) {
			next(part.Part())
			b.value(part)
		}
	}
	if !any {
		b.dst = b.dst[:mark]
		return false
	}
	b.dst = append(b.dst, '}')
	return true
}

func (b *bodyWriter) member(f *Field, name string) {
	b.dst = AppendName(b.dst, name)
	b.value(f)
}

func (b *bodyWriter) value(f *Field) {
	s := &b.draft.Settings[b.at(f.ID)-1]
	if s.State == Set && f.Kind == Timestamp && b.operation == nil {
		b.dst = strconv.AppendInt(b.dst, s.Instant, 10)
		return
	}
	if s.State == Set && f.Kind == List && b.operation == nil {
		b.dst = appendItems(b.dst, s.Text)
		return
	}
	if f.Since != "" && b.operation != nil {
		from, _ := b.draft.Resource.ByPath(f.Since)
		if since := b.draft.Get(from.ID); since != nil { // a row that makes a record has both
			b.dst = AppendText(b.dst, Interval(time.Duration(s.Instant-since.Instant)*time.Millisecond))
			return
		}
	}
	if r := b.draft.Resource; b.operation == nil && f.Path == r.Named && r.IDField() != nil {
		b.dst = AppendText(b.dst, strings.ToLower(s.Text)) // a name is one in any letter case
		return
	}
	b.dst = s.appendJSON(b.dst, f)
}

// JSON returns the value that is sent of a setting of the field.
func (f *Field) JSON(s *Setting) json.RawMessage { return s.appendJSON(nil, f) }

func (s *Setting) appendJSON(dst []byte, f *Field) []byte {
	switch {
	case s.State == Clear:
		return append(dst, "null"...)
	case f.Kind == Bool || f.Kind == Integer || f.Kind == Number || f.Kind == List || f.Kind.JSON():
		return append(dst, s.Text...)
	}
	return AppendText(dst, s.Text)
}

// implied returns the value of the member By that follows from the parts of an object;
// empty where they say it themselves.
func (b *bodyWriter) implied(whole *Field, parts []Field) (value string) {
	if whole.Record == nil {
		return ""
	}
	for i := range parts {
		switch name := parts[i].Part(); {
		case !b.has(&parts[i]):
		case name == whole.Record.By:
			return ""
		default:
			for _, v := range whole.Record.Variants {
				if slices.ContainsFunc(v.Members, func(m Member) bool { return m.Name == name }) {
					value = v.Value
				}
			}
		}
	}
	return value
}

// appendItems appends the array with its items in one order, since the service keeps none.
func appendItems(dst []byte, array string) []byte {
	var items []json.RawMessage
	_ = json.Unmarshal([]byte(array), &items) // it was read from a cell
	slices.SortFunc(items, slices.Compare[json.RawMessage])
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, item...)
	}
	return append(dst, ']')
}

// Interval writes a duration as ISO 8601.
func Interval(d time.Duration) string {
	text := "P"
	if days := d / (24 * time.Hour); days > 0 {
		text += fmt.Sprintf("%dD", days)
		d -= days * 24 * time.Hour
	}
	if d == 0 && text != "P" {
		return text
	}
	clock := strings.ReplaceAll(strings.ToUpper(d.String()), "M0S", "M")
	return text + "T" + strings.ReplaceAll(clock, "H0M", "H")
}
