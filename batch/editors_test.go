package batch

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
)

// editors are two people who edit the same events: one a file that is imported and compared
// with what is live, one the platform. The model knows of each field what the cell says, what
// the platform shows, and what both were when they last agreed.
type editors struct {
	*world

	t        *rapid.T
	rows     map[string]*edited // by key
	exported []string           // header of the file where it comes from an export; nil before
	records  map[string][]string
	lost     int

	run  *journal.Run            // of the last import, nil once the workspace is lost
	sent map[[2]string][2]string // what it has changed, by key and field: from and to
}

type edited struct {
	id       string // of the event; empty where the platform has none
	cells    map[string]string
	live     map[string]string
	agreed   map[string][2]string // cell and live
	known    bool                 // the workspace knows the event
	last     map[string]string    // cells that were sent or agreed to last
	letGo    bool                 // said to be cancelled
	undone   bool                 // what was sent last was taken back
	baseline map[string]string    // cells of the export
	since    map[string]bool      // fields that were agreed on since the export
}

var editedFields = map[string][]string{
	"name": {"Tea", "Cake", "Talk"}, "max_capacity": {"10", "20", "30"}, "visibility": {"public", "private"},
	"waitlist_status": {"enabled", "disabled"},
}

// TestTwoEditorsLoseNothing lets both edit, and imports, undoes and exports between: after each import
// every field of every event is what the table of decisions says, and whatever one of them
// had changed and the other's value stands is on a line of the plan. With -rapid.checks=2000 it goes further.
func TestTwoEditorsLoseNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(rt *rapid.T) { // whose deadline is not the bubble's
			newWorldWith(t, t.TempDir(), "").areEdited(rt)
		})
	})
}

// TestTwoEditorsLoseNothingOnABadDay does so while lists lag and answers are lost: a run is gone on with until it has
// ended.
func TestTwoEditorsLoseNothingOnABadDay(t *testing.T) {
	t.Parallel()
	badDaysOf(t, 6, sandbox.Config{EditRate: -1}, func(seed uint64, w *world) {
		w.draws(seed, w.areEdited)
	})
}

// areEdited has both edit the events of a world.
func (w *world) areEdited(rt *rapid.T) {
	e := &editors{world: w, t: rt, rows: map[string]*edited{}}
	for _, key := range []string{"a", "b", "c"} {
		e.rows[key] = &edited{cells: e.draw()}
	}
	e.imports(plan.Fail, plan.Mine)
	fields := slices.Sorted(maps.Keys(editedFields))
	some := func() (row *edited, field, value string) {
		row = e.rows[rapid.SampledFrom(slices.Sorted(maps.Keys(e.rows))).Draw(rt, "key")]
		field = rapid.SampledFrom(fields).Draw(rt, "field")
		return row, field, rapid.SampledFrom(editedFields[field]).Draw(rt, "value")
	}
	who := rapid.SampledFrom([]string{plan.Fail, plan.Mine, plan.Theirs})
	rt.Repeat(map[string]func(*rapid.T){
		"edit the file": func(*rapid.T) {
			row, field, value := some()
			row.cells[field] = value
		},
		"edit the platform": func(*rapid.T) {
			row, field, value := some()
			if row.id != "" {
				trial.Say(e.world.t, trial.Edits, 1)
				e.write("events/update", map[string]any{"event_id": row.id, field: member(field, value), "suppress_email": true})
				row.live[field] = value
			}
		},
		"cancel": func(rt *rapid.T) {
			row, _, _ := some()
			live := 0
			for _, other := range e.rows {
				if other.id != "" {
					live++
				}
			}
			// A calendar that lists none of its events is refused.
			if row.id != "" && live > 1 && e.exported == nil && rapid.IntRange(0, 3).Draw(rt, "cancels") == 0 {
				e.cancel(row.id)
				row.id, row.live = "", nil
			}
		},
		"import": func(rt *rapid.T) { e.imports(who.Draw(rt, "conflicts"), who.Draw(rt, "first")) },
		"undo":   func(*rapid.T) { e.undo() },
		"export": func(rt *rapid.T) {
			if rapid.IntRange(0, 2).Draw(rt, "exports") == 0 {
				e.exports()
			}
		},
		"lose the workspace": func(rt *rapid.T) {
			if rapid.IntRange(0, 5).Draw(rt, "loses") == 0 {
				e.lose()
			}
		},
	})
}

func (e *editors) draw() map[string]string {
	cells := map[string]string{}
	for _, field := range slices.Sorted(maps.Keys(editedFields)) {
		cells[field] = rapid.SampledFrom(editedFields[field]).Draw(e.t, field)
	}
	return cells
}

// member returns the value of a cell as a request has it.
func member(field, value string) any {
	if field == "max_capacity" {
		return json.Number(value)
	}
	return value
}

func (e *editors) write(operation string, body map[string]any) json.RawMessage {
	text, err := json.Marshal(body)
	if err != nil {
		e.t.Fatal(err)
	}
	e.fault() // a person on the site of the platform tries until it is done
	defer func() { e.fault(e.faults...) }()
	l, err := e.service.Line(e.world.t.Context(), "cal-a")
	if err != nil {
		e.t.Fatal(err)
	}
	answer, err := l.Client.Write(e.world.t.Context(), catalog.OperationNamed(operation), text, nil)
	if err != nil {
		e.t.Fatalf("%s %s: %v", operation, text, err)
	}
	return answer.Body
}

func (e *editors) cancel(id string) {
	var asked struct {
		Token string `json:"cancellation_token"`
	}
	if err := json.Unmarshal(e.write("events/cancel/request", map[string]any{"event_id": id}), &asked); err != nil {
		e.t.Fatal(err)
	}
	e.write("events/cancel", map[string]any{"event_id": id, "cancellation_token": asked.Token})
}

// lose takes another workspace, which knows nothing.
func (e *editors) lose() {
	e.lost++
	workspace, err := files.OpenWorkspace(filepath.Join(e.dir, fmt.Sprint("workspace", e.lost)))
	if err != nil {
		e.t.Fatal(err)
	}
	e.workspace, e.run = workspace, nil
	for _, row := range e.rows {
		row.known, row.agreed, row.last, row.letGo, row.since, row.undone = false, nil, nil, false, nil, false
	}
}

// exports makes the export of what is live the file that is edited from now on.
func (e *editors) exports() {
	time.Sleep(2 * time.Second) // a baseline tells seconds
	e.settle()                  // a workspace that was lost knows of nothing to wait for
	path, _ := e.export("csv", catalog.Events)
	time.Sleep(2 * time.Second)
	f, err := os.Open(path)
	if err != nil {
		e.t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		e.t.Fatal(err)
	}
	rows[0][0] = strings.TrimPrefix(rows[0][0], "\ufeff")
	e.exported, e.records = rows[0], map[string][]string{}
	for _, record := range rows[1:] {
		e.records[record[slices.Index(rows[0], "event_id")]] = record
	}
	for key, row := range e.rows {
		if row.id == "" {
			delete(e.rows, key) // the export has no row of it
			continue
		}
		row.cells, row.baseline, row.since = maps.Clone(row.live), maps.Clone(row.live), map[string]bool{}
		row.undone = false // a cell that is touched now asks for it anew
	}
	if len(e.rows) == 0 {
		e.t.Skip("nothing is left")
	}
}

// file writes the file as it has been edited, and returns the key of each row.
func (e *editors) file() (path string, keys []string) {
	fields, keys := slices.Sorted(maps.Keys(editedFields)), slices.Sorted(maps.Keys(e.rows))
	path = filepath.Join(e.dir, "events.csv")
	f, err := os.Create(path)
	if err != nil {
		e.t.Fatal(err)
	}
	w := csv.NewWriter(f)
	head := append([]string{"key", "start_at", "timezone"}, fields...)
	if e.exported != nil {
		head = e.exported
	}
	_ = w.Write(head)
	for i, key := range keys {
		row := e.rows[key]
		record := []string{key, fmt.Sprintf("2027-03-%02dT18:00:00Z", i+1), "Etc/UTC"}
		for _, field := range fields {
			record = append(record, row.cells[field])
		}
		if e.exported != nil {
			record = slices.Clone(e.records[row.id])
			for _, field := range fields {
				record[slices.Index(head, field)] = row.cells[field]
			}
		}
		_ = w.Write(record)
	}
	if w.Flush(); w.Error() != nil {
		e.t.Fatal(w.Error())
	}
	if err := f.Close(); err != nil {
		e.t.Fatal(err)
	}
	return path, keys
}

// decide returns what the table says of one field, as the plan's line has it.
func (row *edited) decide(field, conflicts, first string) (decision plan.Decision, agrees bool) {
	cell, live := row.cells[field], row.live[field]
	was, based := row.agreed[field]
	mine, theirs := cell != was[0], live != was[1]
	if touched := cell != row.baseline[field]; row.baseline != nil && (!row.since[field] || !touched && mine) {
		based, mine, theirs = true, touched, live != row.baseline[field]
	}
	who := first
	switch moved := mine || theirs; {
	case cell == live && based && mine:
		return plan.Same, true
	case cell == live:
		return "", moved || !based
	case based && !moved:
		return "", false
	case based && !theirs:
		return plan.Send, false
	case based && !mine:
		return plan.Left, false
	case based:
		who = conflicts
	}
	switch who {
	case plan.Mine:
		return plan.Send, false
	case plan.Theirs:
		return plan.Left, true
	}
	return plan.InConflict, false
}

// settle waits until lists show what was sent.
func (e *editors) settle() {
	wait := time.Second
	if e.faults != nil {
		wait = time.Minute
	}
	time.Sleep(wait)
}

// finish sends a run, and goes on with it until it has ended.
func (e *editors) finish(run *journal.Run) {
	if err := e.insists(func() error {
		applied, err := e.apply(e.world.t.Context(), run)
		if err == nil && applied.State.Tally().Open() > 0 {
			err = fmt.Errorf("open rows: %v", applied.State.Tally())
		}
		return err
	}); err != nil {
		e.t.Fatal(err)
	}
}

// imports imports the file, and checks what has become of each row.
func (e *editors) imports(conflicts, first string) {
	e.settle()
	path, keys := e.file()
	want := map[string]plan.Decision{}
	e.sent = map[[2]string][2]string{}
	for _, key := range keys {
		e.rows[key].becomes(key, conflicts, first, want, e.sent)
	}
	var planned *Planned
	if err := e.insists(func() (err error) {
		planned, err = Plan(e.world.t.Context(), PlanConfig{
			Command: "import", Service: e.service, Workspace: e.workspace, Fresh: true,
			Options: plan.Options{Slug: "derive", Compare: "live", First: first, OnConflict: conflicts},
			Reading: mapping.Config{Files: []string{path}, Now: time.Now()},
		})
		return err
	}); err != nil {
		e.t.Fatal(err)
	}
	got := map[string]plan.Decision{}
	for _, line := range planned.Compared {
		got[keys[line.Row-2]+" "+line.Field] = plan.Decision(line.Decision)
	}
	if !maps.Equal(got, want) {
		text, _ := os.ReadFile(path)
		e.t.Fatalf("the plan says %v, want %v\n%s", got, want, text)
	}
	e.finish(planned.Run)
	trial.Say(e.world.t, trial.Rows, len(keys))
	e.run = planned.Run
	e.compare(keys)
}

// undo takes the last import back, but for what it has made: a field that still is what was
// sent goes back, whatever else has changed.
func (e *editors) undo() {
	if e.run == nil || e.exported != nil {
		e.t.Skip("there is nothing to undo")
	}
	e.settle()
	want := map[string]bool{}
	for of, change := range e.sent {
		row := e.rows[of[0]]
		if row == nil || row.live == nil || row.live[of[1]] != change[1] {
			continue
		}
		row.live[of[1]], row.undone, want[of[0]] = change[0], true, true
		row.agreed[of[1]] = [2]string{row.agreed[of[1]][0], change[0]}
	}
	var planned *Planned
	nothing := false
	err := e.insists(func() (err error) {
		planned, err = Undo(e.world.t.Context(), UndoConfig{
			Run: e.run, Workspace: e.workspace, Service: e.service, KeepCreated: true,
		})
		if _, nothing = errors.AsType[*NothingToUndoError](err); nothing {
			return nil
		}
		return err
	})
	e.run = nil
	if nothing && len(want) == 0 {
		return
	}
	if err != nil {
		e.t.Fatal(err)
	}
	if planned.Total() != len(want) {
		e.t.Fatalf("the undo sends %d requests, want one for each of %v", planned.Total(), want)
	}
	e.finish(planned.Run)
	e.compare(slices.Sorted(maps.Keys(e.rows)))
}

// compare holds what is live against the model.
func (e *editors) compare(keys []string) {
	events := map[string]sandbox.Event{}
	for _, event := range e.sandbox.Events() {
		events[event.ID] = event
	}
	for i, key := range keys {
		row := e.rows[key]
		if row.live != nil && row.id == "" { // it was made
			for _, event := range events {
				if event.Start.Day() == i+1 {
					row.id = event.ID
				}
			}
		}
		event, there := events[row.id]
		if there != (row.live != nil) {
			e.t.Fatalf("row %s: on the platform %v, want %v", key, there, row.live != nil)
		}
		for field, value := range row.live {
			if text := strings.Trim(string(event.Fields[field]), `"`); text != value {
				e.t.Fatalf("row %s: %s is %s, want %s", key, field, text, value)
			}
		}
	}
}

// becomes changes the model as an import of the row does, and adds what the plan says of it.
func (row *edited) becomes(key, conflicts, first string, want map[string]plan.Decision, sent map[[2]string][2]string) {
	if row.undone && maps.Equal(row.cells, row.last) {
		return // it asks for what was taken back
	}
	if row.live == nil {
		row.lacks(conflicts)
		return
	}
	decisions, agrees, waits := map[string]plan.Decision{}, map[string]bool{}, false
	for field := range row.cells {
		decision, agree := row.decide(field, conflicts, first)
		decisions[field], agrees[field] = decision, agree
		waits = waits || decision == plan.InConflict
	}
	row.known = row.known || !waits // a row that is held back leaves no word of its event
	for field, decision := range decisions {
		if decision != "" && !(waits && decision == plan.Send) {
			want[key+" "+field] = decision
		}
		if waits || decision != plan.Send && !agrees[field] {
			continue
		}
		if decision == plan.Send {
			sent[[2]string{key, field}] = [2]string{row.live[field], row.cells[field]}
			row.live[field] = row.cells[field]
		}
		row.agree(field)
	}
}

// lacks is what becomes of a row whose event is not there.
func (row *edited) lacks(conflicts string) {
	unchanged := maps.Equal(row.cells, row.last)
	switch {
	case row.known && (unchanged || conflicts == plan.Theirs):
		row.letGo, row.last = true, maps.Clone(row.cells)
		return
	case row.known && conflicts == plan.Fail:
		return
	}
	row.live, row.known = maps.Clone(row.cells), true
	for field := range row.cells {
		row.agree(field)
	}
}

func (row *edited) agree(field string) {
	if row.agreed == nil {
		row.agreed, row.since = map[string][2]string{}, map[string]bool{}
	}
	row.since[field], row.undone = true, false
	row.agreed[field], row.last = [2]string{row.cells[field], row.live[field]}, maps.Clone(row.cells)
}
