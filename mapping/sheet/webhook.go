package sheet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
)

// webhookSource reads what a service has told a webhook: one payload a line (service: Webhook
// payload objects), in an envelope or bare. It has a sheet for each resource that payloads are
// about: events of the service, listings of submitted and external events, contacts. The
// payload in line n is row n+1. Of several payloads about the same record the last counts, as
// they were told one after the other.
type webhookSource struct {
	name  string
	sheet []Info
	rows  map[string][]Row // by sheet, the header first
	seen  []schema.Problem
}

func (s *webhookSource) sheets() []Info          { return s.sheet }
func (s *webhookSource) notes() []schema.Problem { return s.seen }
func (s *webhookSource) date1904() bool          { return false }

func (s *webhookSource) batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for rows := range slices.Chunk(s.rows[sheet], maxBatchRows) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Batch{Rows: slices.Clip(rows)}, nil) {
				return
			}
		}
	}
}

// told is a record of a payload.
type told map[string]json.RawMessage

// text returns a member that is a text, empty for any other.
func (t told) text(names ...string) (text string) {
	for _, name := range names {
		if json.Unmarshal(t[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

func (t told) object(name string) (inner told) {
	_ = json.Unmarshal(t[name], &inner) // what is no object has no members
	return inner
}

func (t told) id() string { return t.text("id", "api_id") }

// names returns the names of the records in an array, with semicolons between them.
func (t told) names(member string) string {
	var list []told
	_ = json.Unmarshal(t[member], &list) // likewise
	var names []string
	for _, one := range list {
		names = append(names, one.text("name"))
	}
	return strings.Join(slices.DeleteFunc(names, func(name string) bool { return name == "" }), "; ")
}

// payload is a payload as a row says it.
type payload struct {
	told
	kind string // that the envelope tells, such as event.canceled; empty of a bare one
}

// payloadSheet is a sheet with its columns.
type payloadSheet struct {
	name    string
	columns []payloadColumn
}

type payloadColumn struct {
	header string
	cell   func(payload) string
}

// saysText is a cell with the member of the first of these names that has a text.
func saysText(names ...string) func(payload) string {
	return func(p payload) string { return p.text(names...) }
}

// The sheets that payloads make.
var (
	eventPayloads = payloadSheet{"Events", []payloadColumn{
		{"event_id", saysText("id", "api_id")},
		{"action", func(p payload) string {
			if p.kind == "event.canceled" {
				return "CANCEL" // which takes leave
			}
			return ""
		}},
		{"name", saysText("name")},
		{"start_at", saysText("start_at")},
		{"end_at", saysText("end_at")},
		{"timezone", saysText("timezone")},
		{"cover_url", saysText("cover_url")},
		{"calendar_id", func(p payload) string {
			return cmp.Or(p.object("calendar").id(), p.text("calendar_id", "calendar_api_id"))
		}},
		{"hosts", func(p payload) string { return p.names("hosts") }},
	}}
	listingPayloads = payloadSheet{"Listings", []payloadColumn{
		{"key", saysText("id", "api_id")},
		{"listing_id", func(p payload) string {
			if p.external() && p.text("url") == "" {
				return p.id()
			}
			return "" // what has an address is known by it, on whatever calendar
		}},
		{"event", func(p payload) string {
			if p.external() {
				return ""
			}
			return p.id()
		}},
		{"url", saysText("url")},
		{"name", saysText("name")},
		{"start_at", saysText("start_at")},
		{"end_at", saysText("end_at")},
		{"timezone", saysText("timezone")},
		{"host", saysText("host_name")},
		{"calendar_id", func(p payload) string { return p.object("submitted_to_calendar").id() }},
	}}
	contactPayloads = payloadSheet{"Contacts", []payloadColumn{
		{"email", func(p payload) string { return cmp.Or(p.text("email"), p.object("user").text("email")) }},
		{"name", func(p payload) string { return p.object("user").text("name") }},
		{"state", func(p payload) string {
			if p.kind == "calendar.person.unsubscribed" {
				return "removed"
			}
			return ""
		}},
		{"tags", func(p payload) string { return p.names("tags") }},
	}}
)

func (p payload) external() bool { return p.text("platform") == "external" }

// sheet returns the sheet of a record, nil of one that no row is about. An event is told by its
// platform, and a person by the user.
func (p payload) sheet() *payloadSheet {
	switch {
	case p.text("platform") != "" && (p.external() || p.object("submitted_to_calendar") != nil):
		return &listingPayloads
	case p.text("platform") != "":
		return &eventPayloads
	case p.object("user") != nil && p.told["event_approved_count"] != nil:
		return &contactPayloads
	}
	return nil
}

// Where an envelope may have its kind, its payload, and that its record.
var (
	kindMembers     = []string{"type", "event_type", "kind", "event", "action", "topic"}
	payloadMembers  = []string{"data", "payload", "object", "event", "calendar_event", "person", "contact"}
	kindsOfPayloads = []string{
		"event.created", "event.updated", "event.canceled", "calendar.event.added", "calendar.event.submitted",
		"calendar.person.subscribed", "calendar.person.unsubscribed",
	}
)

// payloadOf takes a record out of its envelope. ok is false of what no row is about.
func payloadOf(line []byte) (p payload, ok bool, err error) {
	var outer told
	if err := json.Unmarshal(line, &outer); err != nil {
		return p, false, err
	}
	if p.told = outer; p.sheet() != nil {
		return p, true, nil
	}
	for _, name := range kindMembers {
		if kind := outer.text(name); strings.Contains(kind, ".") {
			p.kind = kind
			break
		}
	}
	if p.kind != "" && !slices.Contains(kindsOfPayloads, p.kind) {
		return p, false, nil // a guest's payload has an event in it too
	}
	for _, name := range payloadMembers {
		inner := outer.object(name)
		for _, deeper := range append([]string{""}, payloadMembers...) {
			if p.told = inner; deeper != "" {
				p.told = inner.object(deeper)
			}
			if p.told != nil && p.sheet() != nil {
				return p, true, nil
			}
		}
	}
	return p, false, nil
}

// cells returns what the columns have of a payload.
func (s *payloadSheet) cells(p payload) (cells []Cell) {
	for _, column := range s.columns {
		cell := Cell{Text: column.cell(p), Kind: Text}
		if cell.Text == "" {
			cell = Cell{}
		}
		cells = append(cells, cell)
	}
	return cells
}

func openWebhook(ctx context.Context, in *input, o Options) (source, error) {
	s := &webhookSource{name: in.name, rows: map[string][]Row{}}
	pass := in.pass()
	defer pass.end()
	text, err := io.ReadAll(io.LimitReader(pass, o.Limits.FileBytes+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > o.Limits.FileBytes:
		return nil, in.refuse(schema.CodeTooManyRows, "import a part of it", "more than %d bytes", o.Limits.FileBytes)
	}
	last := map[string]int{} // the row of a record, by sheet and id
	rows := map[*payloadSheet]map[int]Row{&eventPayloads: {}, &listingPayloads: {}, &contactPayloads: {}}
	strange, older, line := 0, 0, 0
	for text := range bytes.Lines(bytes.TrimPrefix(text, []byte(utf8BOM))) {
		if line++; len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		place := schema.Place{File: in.name, Row: line + 1, Line: line, Column: -1}
		p, ok, err := payloadOf(text)
		switch {
		case err != nil:
			return nil, refuse(schema.CodeBadRecord, place, "write one whole payload a line: jq -c .", "%w", err)
		case !ok || !p.sheet().known():
			strange++
			continue
		case o.Limits.Rows > 0 && line > o.Limits.Rows:
			return nil, refuse(schema.CodeTooManyRows, place, "", "more than %d rows", o.Limits.Rows)
		}
		sheet := p.sheet()
		row := Row{Number: line + 1, Line: line, Cells: sheet.cells(p)}
		name := sheet.name + " " + cmp.Or(p.text("email"), p.id())
		if before, twice := last[name]; twice {
			older++
			delete(rows[sheet], before)
		}
		last[name], rows[sheet][line] = line, row
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, sheet := range []*payloadSheet{&eventPayloads, &listingPayloads, &contactPayloads} {
		if len(rows[sheet]) == 0 {
			continue
		}
		s.sheet = append(s.sheet, Info{Name: sheet.name})
		s.rows[sheet.name] = sheet.lay(rows[sheet])
	}
	if len(s.sheet) == 0 {
		return nil, in.refuse(schema.CodeBadRecord, "payloads of events, submissions and people are read", "no payload that a row is about")
	}
	s.note(strange, "about guests, tickets or something else that no row comes of", "payloads of events, submissions and people are read")
	s.note(older, "about what a later one tells anew", "the last payload about a record counts")
	return s, nil
}

// known reports whether rows can be about what the sheet has.
func (s *payloadSheet) known() bool {
	_, known := catalog.ResourceNamed(s.name)
	return known
}

// lay returns the rows below their header, in order, without the columns that all leave blank.
func (s *payloadSheet) lay(rows map[int]Row) []Row {
	var header []string
	var used []int
	for i, column := range s.columns {
		if slices.ContainsFunc(slices.Collect(maps.Values(rows)), func(row Row) bool { return row.Cells[i].Text != "" }) {
			header, used = append(header, column.header), append(used, i)
		}
	}
	all := headerBatch(header).Rows
	for _, line := range slices.Sorted(maps.Keys(rows)) {
		row := rows[line]
		cells := make([]Cell, len(used))
		for to, from := range used {
			cells[to] = row.Cells[from]
		}
		row.Cells = cells
		all = append(all, row)
	}
	return all
}

// note says that payloads are left out.
func (s *webhookSource) note(n int, why, hint string) {
	if n == 0 {
		return
	}
	subject := fmt.Sprintf("%d payloads are", n)
	if n == 1 {
		subject = "1 payload is"
	}
	s.seen = append(s.seen, schema.Problem{
		Severity: schema.Warning, Code: schema.CodePayloadsLeftOut, Place: schema.Place{File: s.name, Column: -1},
		Message: subject + " left out, " + why, Hint: hint,
	})
}

// payloadsIn returns the payloads of a folder, in the order of the names of its files, a line
// each. Each has so many bytes at most.
func payloadsIn(folder string, most int64) (io.Reader, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for _, path := range paths {
		text, err := regular.Read(path, most)
		if err != nil {
			return nil, err
		}
		if err := json.Compact(&all, bytes.TrimPrefix(text, []byte(utf8BOM))); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		all.WriteByte('\n')
	}
	return &all, nil
}
