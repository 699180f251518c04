package sim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/source"
	"eventbatch/mapping/catalog"
)

// ends has everything that was begun come to its end while nothing goes wrong any more, and looks at what there is.
func (w *world) ends() {
	w.flying.Wait()
	w.calm = true
	if err := w.platform.SetFaults(nil); err != nil {
		w.fail("%v", err)
	}
	time.Sleep(5 * time.Minute)
	for _, m := range w.machines {
		if len(m.table.rows) > 0 {
			w.wakes(m)
		}
	}
	w.flying.Wait()
	w.checkRows()
	w.checkWindows()
	w.checkGuests()
	w.checkFurther()
	for _, m := range w.machines {
		w.checkRuns(m)
		if err := w.checkMemory(m); err != nil {
			w.fail("%s: %v", m.table.prefix, err)
		}
	}
}

// finishes imports a file until nothing is left to do.
func (w *world) finishes(m *machine) {
	var last error
	for range 20 {
		done, err := w.life(m, death{}, 0, w.imports())
		if done {
			return
		}
		last = err
		time.Sleep(time.Minute)
	}
	w.fail("%s: the rows are not done: %v", m.table.prefix, last)
}

// checkRows looks whether each row has one event, as it says, or as a person has it.
func (w *world) checkRows() {
	events := map[time.Time]*sandbox.Event{}
	all := w.platform.Events()
	for i := range all {
		events[all[i].Start.UTC()] = &all[i]
	}
	rows := 0
	for _, m := range w.machines {
		for _, r := range m.table.rows {
			e := events[r.start]
			if e != nil || !r.undone {
				rows++
			}
			delete(events, r.start)
			switch {
			case e == nil && r.undone: // whoever takes an event back is not asked for it again
			case e == nil:
				w.fail("row %s has no event", r.key)
			case (r.lost || m.forgot) && w.compare == "live" && w.conflict == "theirs": // it is, where nobody knows better
			case !r.undone:
				w.checkField(r, e, "name", string(quoted(r.name)))
				w.checkField(r, e, "max_capacity", r.capacity)
				w.checkPlace(r, e)
				if w.described {
					w.checkField(r, e, "description_md", string(quoted(r.description)))
				}
			}
		}
		for _, r := range m.table.removed {
			e := events[r.start]
			delete(events, r.start)
			if e != nil {
				rows++
			}
			if e != nil && w.missing == source.Cancel && w.hand[e.ID] == nil && !r.undone && !r.lost {
				w.fail("row %s was removed, and its event is there", r.key)
			}
		}
	}
	w.say(rows, len(all))
	for _, e := range events {
		w.fail("event %s is of no row", e.ID)
	}
}

func (w *world) checkField(r *row, e *sandbox.Event, field, cell string) {
	w.checkValue(r, e.ID, field, string(e.Fields[field]), cell)
}

// checkPlace looks whether an event is on the calendar of its row, or where somebody has moved it to.
func (w *world) checkPlace(r *row, e *sandbox.Event) {
	w.checkValue(r, e.ID, "calendar_id", string(quoted(e.Calendar)), string(quoted(r.calendar)))
}

func (w *world) checkValue(r *row, id, field, is, cell string) {
	returned := slices.ContainsFunc(w.returned[id][field], func(cell string) bool { return alike(field, cell, is) })
	if by, put := w.hand[id][field]; !alike(field, is, cell) && !returned && (!put || !alike(field, is, by.value)) {
		w.fail("%s of row %s is %s; the row says %s, a person %q", field, r.key, is, cell, by.value)
	}
}

// checkReturned looks whether what somebody has put into an export is there once that is imported, unless somebody has changed it
// since.
func (w *world) checkReturned(t *table) {
	w.flying.Wait()
	now := w.look()
	for _, p := range t.puts {
		is, there := now[p.id][p.field]
		if _, byHand := w.hand[p.id][p.field]; there && !byHand && !alike(p.field, is, p.value) && alike(p.field, is, p.was) {
			w.fail("the export is imported, and %s of event %s is still %s instead of %s", p.field, p.id, is, p.value)
		}
	}
}

// checkUndone looks whether what a run had done is taken back, but for what the undo tells to stay, nil where there is nothing to
// undo, and what a person has touched.
func (w *world) checkUndone(run, undo *journal.Run) error {
	w.flying.Wait()
	state, err := run.State()
	if err != nil {
		return err
	}
	told := map[string]bool{}
	lines := func(func(*plan.Op, error) bool) {}
	if undo != nil {
		lines = undo.Ops()
	}
	for op, err := range lines {
		if err != nil {
			return err
		}
		w.checkLeft(op, run)
		if op.Action == plan.Skip || slices.ContainsFunc(op.Changes, func(c plan.Change) bool { return c.Decision != plan.Send }) {
			told[op.Event.ID] = true
		}
	}
	now := w.look()
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		o := state.Op(op.N)
		if !op.Action.Sends() || o.Status != journal.Done || told[o.EventID] || w.hand[o.EventID] != nil || w.returned[o.EventID] != nil {
			continue
		}
		switch is, there := now[o.EventID]; {
		case op.Action == plan.Create && there:
			w.fail("run %s was taken back, and event %s that it has made is there", run.ID(), o.EventID)
		case op.Action == plan.Update && there:
			was := w.before[run.ID()][o.EventID]
			for _, field := range []string{"name", "max_capacity", "calendar_id", "description_md"} {
				if !alike(field, is[field], was[field]) {
					w.fail("run %s was taken back, and %s of %s is %s and was %s", run.ID(), field, o.EventID, is[field], was[field])
				}
			}
		}
	}
	return nil
}

// checkLeft looks whether a description that an undo leaves, as changed on the platform, has been changed since its run.
func (w *world) checkLeft(op *plan.Op, run *journal.Run) {
	const field = "description_md"
	left := func(c plan.Change) bool { return c.Field == field && c.Decision == plan.Left }
	if !slices.ContainsFunc(op.Changes, left) {
		return
	}
	is := w.look()[op.Event.ID][field]
	for sent, err := range run.Ops() {
		var body map[string]json.RawMessage
		if err != nil || sent.Event.ID != op.Event.ID || json.Unmarshal(sent.Payload.Body, &body) != nil {
			continue
		}
		if said, says := body[field]; says && alike(field, string(said), is) {
			w.fail("the undo of run %s leaves the description of %s as changed, and it is as it was sent", run.ID(), op.Event.ID)
		}
	}
}

// takesBack notes that something of the rows of a run is taken back, by whatever name the run knows their events.
func (w *world) takesBack(run *journal.Run) error {
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		w.mu.Lock()
		start, there := w.existed[op.Event.ID]
		w.mu.Unlock()
		for _, m := range w.machines {
			for _, r := range append(slices.Clone(m.table.rows), m.table.removed...) {
				if r.key == op.Event.Key || there && r.start.Equal(start) {
					r.undone = true
				}
			}
		}
	}
	return nil
}

// checkGuests looks whether each row of a guest has one guest, and nobody was mailed twice, or without leave.
func (w *world) checkGuests() {
	want, mailed := map[string]bool{}, map[string]bool{}
	tickets := map[string][]string{}
	events := map[string]string{}
	for _, e := range w.platform.Events() {
		for _, m := range w.machines {
			for _, r := range m.table.rows {
				if r.start.Equal(e.Start) {
					events[e.ID] = r.key
				}
			}
		}
	}
	for _, m := range w.machines {
		for _, g := range m.table.guests {
			want[g.event+" "+g.email] = true
			mailed[g.event+" "+g.email] = g.mailed
			tickets[g.event+" "+g.email] = g.tickets
		}
	}
	for id, key := range events {
		for _, guest := range w.guestsOf(id) {
			name := fmt.Sprint(key, " ", guest["user_email"])
			if has := ticketsOf(guest); w.tickets && !slices.Equal(has, tickets[name]) {
				w.fail("guest %s has tickets %v, and should have %v", name, has, tickets[name])
			}
			if !want[name] {
				w.fail("guest %s is there twice, or of no row", name)
			}
			delete(want, name)
		}
	}
	for name := range want {
		w.fail("guest %s is not there", name)
	}
	for _, mail := range w.platform.Outbox() {
		if w.further != nil {
			continue
		}
		name := events[mail.Event] + " " + mail.Person
		if !mailed[name] || mail.Cause != "added" {
			w.fail("%s was mailed %q by %s, twice or without leave", name, mail.Cause, mail.Operation)
		}
		delete(mailed, name)
	}
}

// checkFurther looks whether each row of a further resource has one record, and nobody was told of it twice.
func (w *world) checkFurther() {
	f := w.further
	if f == nil {
		return
	}
	want, got, values := map[string]int{}, map[string]int{}, map[string]string{}
	ofEvent := f.resource.Parent != ""
	for _, m := range w.machines {
		for _, o := range m.table.others {
			name := f.name(o)
			if values[name] = o.value; !o.removed {
				want[name]++
			}
		}
	}
	add := func(calendar, query string) {
		for _, entry := range w.list(calendar, f.list+query, cmp.Or(f.within, "entries")) {
			name, _ := entry[f.by].(string)
			if want[name] > 0 || w.ours(name) {
				got[name]++
			}
			if value, there := values[name]; there && f.has != "" && entry[f.has] != value {
				w.fail("%s has %s %v, and should have %s", name, f.has, entry[f.has], value)
			}
		}
	}
	if ofEvent {
		for _, e := range w.platform.Events() {
			add(e.Calendar, "?event_id="+e.ID)
		}
	} else {
		for _, calendar := range w.calendars {
			add(calendar, "")
		}
	}
	if !maps.Equal(got, want) {
		w.fail("of %s there are %v, and should be %v", f.resource.Name, got, want)
	}
	told := map[string]int{}
	for _, mail := range w.platform.Outbox() {
		if told[mail.Person+mail.Cause+mail.Event]++; told[mail.Person+mail.Cause+mail.Event] > 1 && f.resource != catalog.Blasts {
			w.fail("%s was mailed %q by %s twice", mail.Person, mail.Cause, mail.Operation)
		}
	}
}

// ours reports whether a name is as those of rows are.
func (w *world) ours(name string) bool {
	return slices.ContainsFunc(w.machines, func(m *machine) bool { return strings.Contains(name, m.table.prefix) })
}

// guestsOf returns the guests of an event.
func (w *world) guestsOf(event string) []map[string]any {
	return w.list(w.calendarOf(event), "events/guests/list?event_id="+event, "entries")
}

// ticketsOf returns the names of the types of a guest's tickets.
func ticketsOf(guest map[string]any) (names []string) {
	list, _ := guest["event_tickets"].([]any)
	for _, ticket := range list {
		of, _ := ticket.(map[string]any)
		names = append(names, fmt.Sprint(of["name"]))
	}
	slices.Sort(names)
	return names
}

// list returns the entries of a list, which a member of the answer has.
func (w *world) list(calendar, path, member string) []map[string]any {
	time.Sleep(2 * time.Minute) // the window is empty
	res, err := w.platform.Transport().RoundTrip(w.request(http.MethodGet, "/v1/"+path, calendar, nil))
	if err != nil {
		w.fail("%v", err)
		return nil
	}
	var page map[string]json.RawMessage
	var entries []map[string]any
	err = json.NewDecoder(res.Body).Decode(&page)
	if err == nil {
		err = json.Unmarshal(page[member], &entries)
	}
	if err != nil || res.StatusCode != http.StatusOK {
		w.fail("%s: %s, %v", path, res.Status, err)
	}
	return entries
}

// checkWindows looks whether more was sent in any window than the owner may.
func (w *world) checkWindows() {
	for name, times := range w.arrivals {
		slices.SortFunc(times, time.Time.Compare)
		first := 0
		for last, at := range times {
			for times[first].Before(at.Add(-time.Minute)) {
				first++
			}
			limit := w.limits.Calendar
			if name == organizationKey {
				limit = w.limits.Organization
			}
			if n := last - first + 1; n > limit {
				w.fail("%s has %d requests in a window, and may have %d", name, n, limit)
				break
			}
		}
	}
}

// checkRuns looks whether what is on record is so: each op that sends has one outcome, and what is said to be done is there,
// as an event of its row.
func (w *world) checkRuns(m *machine) {
	p, err := w.begin(m, death{}, 0)
	if err != nil {
		w.fail("%v", err)
		return
	}
	defer p.end()
	runs, err := p.workspace.Runs()
	if err != nil {
		w.fail("%v", err)
	}
	for _, summary := range runs {
		run, err := p.workspace.Find(summary.ID)
		if err == nil {
			err = w.checkRun(run)
		}
		if err != nil {
			w.fail("run %s: %v", summary.ID, err)
		}
	}
}

// checkMemory looks whether the memory of keys says what the journals come to where they are read anew. Nobody goes on in the
// workspace afterwards.
func (w *world) checkMemory(m *machine) error {
	is, err := m.remembers()
	if err != nil {
		return err
	}
	kept, err := filepath.Glob(filepath.Join(m.folder, "keys-*"))
	if err != nil {
		return err
	}
	for _, path := range kept {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	want, err := m.remembers()
	if err != nil {
		return err
	}
	for key := range want {
		if is[key] != want[key] {
			w.fail("of row %s the memory has %+v, and the journals %+v", key, is[key], want[key])
		}
	}
	return nil
}

// remembers returns what the workspace knows of the rows of the table.
func (m *machine) remembers() (map[string]plan.Known, error) {
	workspace, err := files.OpenWorkspace(m.folder)
	if err != nil {
		return nil, err
	}
	memory, err := workspace.Memory("http://localhost/api")
	if err != nil {
		return nil, err
	}
	known := map[string]plan.Known{}
	for _, r := range slices.Concat(m.table.rows, m.table.removed) {
		known[r.key], _ = memory.Recall(r.calendar, r.key)
	}
	return known, errors.Join(memory.Err(), memory.Close())
}

func (w *world) checkRun(run *journal.Run) error {
	state, err := run.State()
	if err != nil {
		return err
	}
	tally := -state.Tally()[journal.Agreed]
	for _, n := range state.Tally() {
		tally += n
	}
	sends := 0
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		if !op.Action.Sends() {
			continue
		}
		sends++
		o := state.Op(op.N)
		if o.Status == journal.Failed && op.Action == plan.Create && w.makers[o.EventID] == run.ID() && !w.moves {
			w.fail("run %s says that row %d has not made event %s, and it has: %s", run.ID(), op.Row.Number, o.EventID, o.Why.Error)
		}
		if o.Status != journal.Done || op.Action != plan.Create || !op.Of().Keyed() {
			continue
		}
		start, there := w.existed[o.EventID]
		var body struct {
			StartAt time.Time `json:"start_at"`
		}
		if err := json.Unmarshal(op.Payload.Body, &body); err != nil {
			return fmt.Errorf("row %d: %w", op.Row.Number, err)
		}
		if !there || !start.Equal(body.StartAt) {
			w.fail("run %s says that row %d has made event %q, which begins at %v instead of %v",
				run.ID(), op.Row.Number, o.EventID, start, body.StartAt)
		}
	}
	if tally != sends {
		return fmt.Errorf("%d outcomes of %d ops: %s", tally, sends, strings.TrimSpace(fmt.Sprint(state.Tally())))
	}
	return nil
}
