package batch

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// telling is a service with a store, whose rows are looked at once they are imported.
type telling struct {
	*world

	store journal.Store
	r     *schema.Resource
	asks  *live.Cache // what the service has since the last import
	files int
}

func newTelling(t *testing.T, r *schema.Resource, open func(*testing.T, *files.Workspace) journal.Store) *telling {
	t.Helper()
	w := organized(t)
	store := open(t, w.workspace)
	w.options.SkipInvalid = true
	for _, name := range []string{"one.png", "two.png"} {
		var out bytes.Buffer
		pixels := image.NewGray(image.Rect(0, 0, 1, 1+len(name)-len("one.png")))
		pixels.Pix[0] = name[0]
		if err := png.Encode(&out, pixels); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.dir, name), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tell := &telling{world: w, store: store}
	for _, setup := range []struct {
		r     *schema.Resource
		cells []map[string]string
	}{
		{catalog.EventTags, []map[string]string{{"name": "Concert"}, {"name": "Family"}, {"name": "Talk"}}},
		{catalog.ContactTags, []map[string]string{{"name": "Concert"}, {"name": "Family"}, {"name": "Talk"}}},
		{catalog.Events, []map[string]string{{
			"key": "home", "name": "Home", "start_at": "2027-05-01T10:00:00Z", "timezone": "UTC",
			"registration_questions": words["registration_questions"][0],
		}}},
		{catalog.TicketTypes, []map[string]string{
			{"event": "home", "name": "VIP", "type": "free"}, // besides the one that each event has
		}},
	} {
		for _, cells := range setup.cells {
			cells["calendar_id"] = "cal-a"
		}
		tell.r = setup.r
		for _, row := range tell.imports("sent", tell.file(nil, setup.cells)) {
			if row.Status != finding.Created {
				t.Fatalf("%s %s %v", row.Status, row.Why(), row.Problems)
			}
		}
	}
	tell.r = r
	return tell
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// file writes rows below a header, and returns where. Cells of a column that the header lacks get one.
func (w *telling) file(head []string, rows []map[string]string) string {
	w.t.Helper()
	head = slices.Clone(head)
	for _, row := range rows {
		for _, path := range slices.Sorted(maps.Keys(row)) {
			if !slices.Contains(head, path) {
				head = append(head, path)
			}
		}
	}
	all := [][]string{head}
	for _, row := range rows {
		cells := make([]string, len(head))
		for i, path := range head {
			cells[i] = row[path]
		}
		all = append(all, cells)
	}
	w.files++ // each is a source of its own, of which none is gone
	path := filepath.Join(w.dir, fmt.Sprintf("%s-%d.csv", w.r.Name, w.files))
	var out bytes.Buffer
	if err := csv.NewWriter(&out).WriteAll(all); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// told is what became of a row.
type told struct {
	finding.Row
	ops []*plan.Op
}

// imports imports a file, and returns what became of each row.
func (w *telling) imports(compare, path string) []told {
	w.t.Helper()
	options := w.options
	options.Compare = compare
	planned, err := Plan(w.t.Context(), PlanConfig{
		Command: "import", Options: options, Service: w.service, Workspace: w.store, Fresh: true,
		PictureConfig: PictureConfig{CoversFrom: w.dir},
		Reading:       mapping.Config{Files: []string{path}, Resource: w.r, Now: time.Now()},
	})
	if err != nil {
		w.t.Fatalf("%s under %s: %v", w.r.Name, compare, err)
	}
	applied, err := Apply(w.t.Context(), ApplyConfig{Run: planned.Run, Workspace: w.store, Service: w.service, Concurrency: 4})
	if err != nil {
		w.t.Fatal(err)
	}
	var rows rowsOf
	if _, err := Report(w.t.Context(), ReportConfig{
		Run: planned.Run, Workspace: w.store, Applied: applied, Report: Reporting{Sink: &rows, Cells: true, Changes: true},
	}); err != nil {
		w.t.Fatal(err)
	}
	w.asks = live.New(w.service, nil)
	var all []told
	for op, err := range plan.Rows(planned.Run.Ops()) {
		if err != nil {
			w.t.Fatal(err)
		}
		if !op.Missing {
			all = append(all, told{Row: rows[len(all)], ops: slices.Collect(op.All())})
		}
	}
	return all
}

// exported exports what there is, and returns the header and the rows by what names them.
func (w *telling) exported() (head []string, rows map[string]map[string]string) {
	w.t.Helper()
	e, err := Export(w.t.Context(), ExportConfig{
		Service: w.service, Workspace: w.store, Resources: []*schema.Resource{w.r},
		Reads: Reads{Concurrency: 4, Calendars: []string{"cal-a"}},
	})
	if err == nil {
		err = e.Read(w.t.Context(), nil)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := record.Write(&out, "csv", record.Sheet{Table: record.NewTable(w.r, true), Records: e.Records(w.r)}); err != nil {
		w.t.Fatal(err)
	}
	if err := e.Done(); err != nil {
		w.t.Fatal(err)
	}
	all, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		w.t.Fatal(err)
	}
	all[0][0] = strings.TrimPrefix(all[0][0], "\ufeff")
	rows = map[string]map[string]string{}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		rows[row[handle(w.r)]] = row
	}
	return all[0], rows
}

// handle is the column by which a test finds a row of an export.
func handle(r *schema.Resource) string {
	if r.Alike != nil {
		return r.Alike[len(r.Alike)-1]
	}
	return cmp.Or(r.Or, r.Named, "name")
}

// live returns the members of a record as the service has it, by the names that it reads back under.
func (w *telling) live(row *told) map[string]json.RawMessage {
	w.t.Helper()
	event := row.ops[0].Event
	if w.r != catalog.Events {
		if w.r.Parent != "" {
			event.Parent = cmp.Or(event.Parent, row.Event.ID)
		}
		found, err := w.asks.Record(w.t.Context(), w.r, &event)
		if found == nil || err != nil {
			w.t.Fatalf("%s: %+v: %v, %v", w.r.Name, event, found, err)
		}
		return found.Values
	}
	members := map[string]json.RawMessage{}
	event.ID = row.Event.ID
	for _, e := range w.sandbox.Events() {
		if e.ID == row.Event.ID {
			maps.Copy(members, e.Fields)
			event.Calendar = e.Calendar
		}
	}
	members["calendar_id"] = json.RawMessage(strconv.Quote(event.Calendar))
	if found, err := w.asks.Record(w.t.Context(), catalog.Events, &event); found != nil && err == nil {
		maps.Copy(members, found.Values)
	}
	return members
}

// has reports whether the service has what a cell says of a field, be it that nobody can read it back, and a
// request has brought it.
func (w *telling) has(row *told, f *schema.Field, cell string) (has, sent bool) {
	var s schema.Setting
	if fault := value.Parse(f, &s, cell); fault != nil {
		w.t.Fatalf("%s %q: %v", f.Path, cell, fault)
	}
	want := f.JSON(&s)
	if f.ID == schema.FieldCalendarID {
		want = json.RawMessage(strconv.Quote(cell))
	}
	if f.Refers != nil {
		want = value.Renamed(f, want, func(name string) string {
			event := plan.Event{Calendar: "cal-a", Name: name}
			if f.Refers.Parent != "" {
				event.Parent = cmp.Or(row.ops[0].Event.Parent, row.Event.ID)
			}
			if found, err := w.asks.Record(w.t.Context(), f.Refers, &event); found != nil && err == nil {
				return found.ID
			}
			w.t.Fatalf("there is no %s %s", f.Refers.One, name)
			return ""
		})
	}
	member := func(of map[string]json.RawMessage, name string) (json.RawMessage, bool) {
		whole, part, parted := strings.Cut(name, ".")
		if value, ok := of[name]; ok || !parted {
			return value, ok
		}
		var object map[string]json.RawMessage
		_ = json.Unmarshal(of[whole], &object)
		value, ok := object[part]
		return value, ok
	}
	is := func(raw json.RawMessage) bool { return value.Compare(f, want, raw) == value.Alike }
	own := f.Sent()
	for _, op := range row.ops {
		o := catalog.OperationNamed(op.Operation)
		if o == nil {
			continue
		}
		var body map[string]json.RawMessage
		_ = json.Unmarshal(op.Body, &body)
		if o.Gathers() {
			var items []map[string]json.RawMessage
			if json.Unmarshal(body[o.Into], &items) == nil {
				maps.Copy(body, items[0])
			}
		}
		value, ok := member(body, o.Member(own))
		sent = sent || ok && is(value) || o.Means[f.Path] != "" && o.Means[f.Path] == cell
	}
	if f.Manner || row.Status == finding.Created && f.Default == cell {
		return sent || !f.Manner, sent
	}
	live := w.live(row)
	raw, ok := member(live, own.Read())
	if w.r == catalog.Events {
		raw, ok = member(live, own.Member())
	}
	if f.ID == catalog.FieldCoverFile {
		return strings.Contains(string(live["cover_url"]), "/uploads/"), false
	}
	if f.Each != nil { // those of others stay
		there := value.Items(f, &schema.Setting{Field: f.ID, State: schema.Set, Text: string(raw)})
		return !slices.ContainsFunc(value.Items(f, &s), func(item string) bool { return !slices.Contains(there, item) }), false
	}
	return ok && is(raw), sent
}
