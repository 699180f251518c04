package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// export writes the records of the calendar to a file, each resource on a sheet of its own.
func (w *world) export(format string, resources ...*schema.Resource) (path string, sheets []record.Sheet) {
	w.t.Helper()
	var e *Exported
	if err := w.insists(func() (err error) {
		e, err = Export(w.t.Context(), ExportConfig{
			Service: w.service, Workspace: w.workspace, Resources: resources, Reads: Reads{Concurrency: 4},
		})
		if err != nil {
			return err
		}
		if err := e.Read(w.t.Context(), nil); err != nil {
			return errors.Join(err, e.Close())
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	path = filepath.Join(w.dir, "export."+format)
	f, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range resources {
		sheets = append(sheets, record.Sheet{Table: record.NewTable(r, false), Records: e.Records(r)})
	}
	if _, err := record.Write(f, format, sheets...); err != nil {
		w.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		w.t.Fatal(err)
	}
	if err := e.Done(); err != nil {
		w.t.Fatal(err)
	}
	return path, sheets
}

// planFile plans the rows of a resource in a file, and returns what each becomes.
func (w *world) planFile(t *rapid.T, path string, r *schema.Resource) ([]*plan.Op, finding.Rows) {
	reading := mapping.Config{Files: []string{path}, Resource: r, Now: time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)}
	if filepath.Ext(path) == ".xlsx" {
		reading.Sheet = r.Title()
	}
	var planned *Planned
	if err := w.insists(func() (err error) {
		planned, err = Plan(w.t.Context(), PlanConfig{
			Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace, Fresh: true,
			Problem: func(p schema.Problem, _ Whose) { t.Logf("%s", p.Error()) }, Reading: reading,
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var ops []*plan.Op
	for op, err := range planned.Run.Ops() {
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
	return ops, planned.Rows
}

// returns checks that the rows of a file are unchanged, and that a cell of one that is
// edited is an update with that one field.
func (w *world) returns(t *rapid.T, path string, s record.Sheet, rows int, field *schema.Field, value sheet.Out) {
	if ops, got := w.planFile(t, path, s.Resource); got[finding.Unchanged] != rows {
		text, _ := os.ReadFile(path)
		for _, op := range ops {
			t.Logf("%s %s", op.Action, op.Body)
		}
		t.Fatalf("%s of %s: %v\n%s", s.Resource.Name, path, got, text)
	}
	row := rapid.IntRange(2, rows+1).Draw(t, "row")
	edited := w.edit(t, path, s.Table, row, field, value)
	ops, got := w.planFile(t, edited, s.Resource)
	if got["update"] != 1 || got[finding.Unchanged] != rows-1 {
		t.Fatalf("%s of %s: %s edited to %v: %v", s.Resource.Name, path, field.Path, value, got)
	}
	var sent map[string]json.RawMessage
	changed := slices.IndexFunc(ops, func(op *plan.Op) bool { return op.Action == plan.Update })
	if err := json.Unmarshal(ops[changed].Body, &sent); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(sent, func(name string, _ json.RawMessage) bool {
		return slices.Contains([]string{"event_id", "guest_id", "email", "code", "send_email", "suppress_email"}, name)
	})
	if members := slices.Collect(maps.Keys(sent)); len(members) != 1 || members[0] != field.Sent().Path {
		t.Fatalf("%s: %s was edited, and %s is sent", path, field.Path, ops[changed].Body)
	}
}

// What the service holds comes back from a file without a write, in every format; a
// cell that was edited is one update with that one field.
func TestAnExportGoesBackAndAnEditedCellIsOneField(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorldWith(t, t.TempDir(), "")
		events := rapid.IntRange(1, 4).Draw(rt, "events")
		for range events {
			w.hold(rt, anyEvent(rt))
		}
		format := rapid.SampledFrom(record.Formats).Draw(rt, "format")
		path, sheets := w.export(format, catalog.Events)
		field, value := anyEdit(rt)
		if format == "ics" {
			field, value = catalog.Field(catalog.FieldName), sheet.Out{Kind: sheet.Text, Text: "New name"}
		}
		w.returns(rt, path, sheets[0], events, field, value)
	})
}

// So does what belongs to events, and each sheet of a workbook of all resources.
func TestWhatBelongsToEventsGoesBackToo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorldWith(t, t.TempDir(), "")
		events := rapid.IntRange(1, 3).Draw(rt, "events")
		for range events {
			w.hold(rt, anyEvent(rt))
		}
		counts := map[*schema.Resource]int{catalog.Events: events, catalog.Hosts: events} // the owner is a host of each
		for r, rows := range anyChildren(rt, w) {
			counts[r] += w.imported(rt, r, rows)
		}
		w.goesBack(rt, counts)
	})
}

// goesBack exports what belongs to events, or all resources, and checks that so many records of each go back.
func (w *world) goesBack(rt *rapid.T, counts map[*schema.Resource]int) {
	text := func(s string) sheet.Out { return sheet.Out{Kind: sheet.Text, Text: s} }
	edits := map[*schema.Resource]struct {
		path  string
		value sheet.Out
	}{
		catalog.Events:  {"name", text("New name")},
		catalog.Guests:  {"status", text("declined")},
		catalog.Coupons: {"remaining_count", sheet.Out{Kind: sheet.Number, Text: "777777"}},
		catalog.Hosts:   {"is_visible", text("false")},
	}
	format := rapid.SampledFrom([]string{"csv", "ndjson", "xlsx"}).Draw(rt, "format")
	groups := [][]*schema.Resource{{catalog.Guests}, {catalog.Coupons}, {catalog.Hosts}}
	if format == "xlsx" {
		groups = [][]*schema.Resource{slices.DeleteFunc(slices.Clone(catalog.Resources), func(r *schema.Resource) bool {
			return r == catalog.Calendars // which the key of an organization lists
		})}
	}
	for _, group := range groups {
		path, sheets := w.export(format, group...)
		for _, s := range sheets {
			if counts[s.Resource] > 0 {
				field, _ := s.Resource.ByPath(edits[s.Resource].path)
				w.returns(rt, path, s, counts[s.Resource], field, edits[s.Resource].value)
			}
		}
	}
}

// anyChildren draws rows of what belongs to the events of the calendar, by resource.
func anyChildren(t *rapid.T, w *world) map[*schema.Resource][]string {
	rows := map[*schema.Resource][]string{}
	quoted := func(label string) string {
		return `"x` + strings.NewReplacer(`"`, `""`, "\x00", "").Replace(anyText(t, label)) + `"`
	}
	for _, event := range w.sandbox.Events() {
		for n := range rapid.IntRange(0, 3).Draw(t, "guests") {
			rows[catalog.Guests] = append(rows[catalog.Guests], fmt.Sprintf("%s,g%d+x@example.org,%s,%s", event.ID, n, quoted("name"),
				rapid.SampledFrom([]string{"approved", "waitlist", ""}).Draw(t, "status")))
		}
		for n := range rapid.IntRange(0, 2).Draw(t, "hosts") {
			rows[catalog.Hosts] = append(rows[catalog.Hosts], fmt.Sprintf("%s,h%d@example.org,%s,%s,true", event.ID, n, quoted("name"),
				rapid.SampledFrom([]string{"none", "check-in", "manager", ""}).Draw(t, "access")))
		}
		for n := range rapid.IntRange(0, 2).Draw(t, "coupons") {
			of := rapid.SampledFrom([]string{event.ID, ""}).Draw(t, "of")
			code := rapid.SampledFrom([]string{"=1+1", "0123", "-5", "TRUE", "Spring", "1e5", "ÄÖ"}).Draw(t, "code")
			rows[catalog.Coupons] = append(rows[catalog.Coupons], fmt.Sprintf("%s,%s%d%s,%s,%s,2027-10-31T%02d:30:00%s", of, code, n,
				event.ID[len(event.ID)-3:], rapid.SampledFrom([]string{"12.5,,", "20,,", ",500,eur"}).Draw(t, "discount"),
				rapid.SampledFrom([]string{"", "0", "7"}).Draw(t, "left"), rapid.IntRange(0, 23).Draw(t, "hour"),
				rapid.SampledFrom([]string{"Z", "+01:00", ".250Z"}).Draw(t, "zone")))
		}
	}
	return rows
}

// imported imports rows of a resource, and returns how many there are.
func (w *world) imported(t *rapid.T, r *schema.Resource, rows []string) int {
	headers := map[*schema.Resource]string{
		catalog.Guests:  "event,email,name,status",
		catalog.Hosts:   "event,email,name,access_level,is_visible",
		catalog.Coupons: "event,code,percent_off,cents_off,currency,remaining_count,valid_start_at",
	}
	path := filepath.Join(w.dir, r.Name+"-in.csv")
	if err := os.WriteFile(path, []byte(headers[r]+"\n"+strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	planned, err := Plan(w.t.Context(), PlanConfig{
		Command: "import", Options: w.options, Service: w.service, Workspace: w.workspace, Fresh: true,
		Problem: func(p schema.Problem, _ Whose) { t.Logf("%s", p.Error()) },
		Reading: mapping.Config{Files: []string{path}, Resource: r, Now: time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if made := w.mustApply(planned.Run); made[journal.Done] != len(rows) {
		t.Fatalf("%s: %v of %d rows\n%s", r.Name, made, len(rows), strings.Join(rows, "\n"))
	}
	return len(rows)
}

// anyEdit draws a field of events and a new value for it.
func anyEdit(t *rapid.T) (*schema.Field, sheet.Out) {
	text := func(s string) sheet.Out { return sheet.Out{Kind: sheet.Text, Text: s} }
	n := rapid.IntRange(1, 1_000_000).Draw(t, "n")
	values := map[schema.ID]sheet.Out{
		catalog.FieldName:            text(fmt.Sprint("New name ", n)),
		catalog.FieldDescriptionMD:   text(fmt.Sprint("New words\n\n- ", n)),
		catalog.FieldMaxCapacity:     {Kind: sheet.Number, Text: fmt.Sprint(200_000 + n)},
		catalog.FieldEndAt:           text(fmt.Sprintf("2029-01-%02dT10:00:00Z", 1+n%28)),
		catalog.FieldTintColor:       text("#ff8800"),
		catalog.FieldSlug:            text(fmt.Sprint("new-slug-", n)),
		catalog.FieldNameRequirement: text("first-last"),
	}
	ids := slices.Sorted(maps.Keys(values))
	id := rapid.SampledFrom(ids).Draw(t, "field")
	return catalog.Field(id), values[id]
}

// edit writes a copy of a file in which a row has another value of a field.
func (w *world) edit(t *rapid.T, path string, table *record.Table, row int, field *schema.Field, value sheet.Out) string {
	edited := filepath.Join(w.dir, "edited"+filepath.Ext(path))
	var out bytes.Buffer
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(path) {
	case ".ndjson":
		lines := bytes.SplitAfter(old, []byte("\n"))
		var members map[string]any
		decoder := json.NewDecoder(bytes.NewReader(lines[row-2]))
		decoder.UseNumber()
		if err = decoder.Decode(&members); err != nil {
			t.Fatal(err)
		}
		members[field.Path] = value.Text
		line, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		lines[row-2] = append(line, '\n')
		out.Write(bytes.Join(lines, nil))
	case ".ics":
		n := 1
		out.Write(regexp.MustCompile("(?m)^SUMMARY:.*\r\n( .*\r\n)*").ReplaceAllFunc(old, func(line []byte) []byte {
			if n++; n == row {
				return []byte("SUMMARY:" + value.Text + "\r\n")
			}
			return line
		}))
	default:
		patch := sheet.Patch{Path: path, Cells: []sheet.NewCell{{Row: row, Column: slices.Index(table.Headers(), field.Path), Cell: value}}}
		if filepath.Ext(path) == ".xlsx" {
			patch.Cells[0].Sheet = table.Resource.Title()
		}
		if err := patch.Write(w.t.Context(), &out); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(edited, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return edited
}
