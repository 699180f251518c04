package batch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// takesBack undoes runs, the last one first, again and again until each is told as taken back, and
// returns what is told to stay, by the name of the record.
func (w *world) takesBack(runs []*journal.Run) (stays map[string]string) {
	w.t.Helper()
	stays = map[string]string{}
	for _, run := range slices.Backward(runs) {
		for name, why := range w.takeBack(run) {
			stays[name] += why + "; "
		}
	}
	return stays
}

func (w *world) takeBack(run *journal.Run) map[string]string {
	w.t.Helper()
	var last string
	for range 40 {
		planned, err := Undo(w.t.Context(), UndoConfig{
			Run: run, Workspace: w.workspace, Service: w.service, Allow: schema.Leaves,
		})
		if _, nothing := errors.AsType[*NothingToUndoError](err); nothing {
			return nil
		}
		if last = fmt.Sprint(err); err == nil {
			last = fmt.Sprint(planned.Rows, planned.Reasons)
			if planned.Total() == 0 && planned.Rows["blocked"] == 0 {
				return w.told(planned.Run)
			}
			var applied *Applied
			if applied, err = w.apply(w.t.Context(), planned.Run); err != nil {
				last += " " + err.Error()
			} else {
				last += fmt.Sprint(applied.State.Tally())
			}
		}
		time.Sleep(time.Minute)
	}
	w.t.Fatalf("run %s of %s is not taken back: %s", run.ID(), run.Header().Command, last)
	return nil
}

// told returns what a run leaves as it is, with the reason, by the name of the record.
func (w *world) told(run *journal.Run) map[string]string {
	w.t.Helper()
	stays := map[string]string{}
	for op, err := range run.Ops() {
		if err != nil {
			w.t.Fatal(err)
		}
		name := strings.ToLower(cmp.Or(op.Event.Slug, op.Event.Name)) // by which its list is searched
		if op.Of() == catalog.Events {
			name = strings.ToLower(op.Event.Name)
		}
		if op.Action == plan.Skip {
			stays[name] += op.Reason
		}
		for _, c := range op.Changes {
			if c.Decision != plan.Send {
				stays[name] += " " + c.Field + ": " + c.Why
			}
		}
	}
	return stays
}

// individual are what the records of two worlds differ in: ids, what follows from them, and when they were made.
var individual = regexp.MustCompile(`\b(usr-)?[a-z]{3,5}-[A-Za-z0-9]{12,16}\b|\b2000-01-0[^"]*`)

// holdings returns what the service has, by the names of the records: the events, and those of a resource that
// are of the event tea and of the calendar. What a person has touched is left out.
func (w *world) holdings(r *schema.Resource) map[string]string {
	w.t.Helper()
	all, touched := map[string]string{}, w.touched()
	add := func(name string, values map[string]json.RawMessage) {
		text, err := json.Marshal(values)
		if err != nil {
			w.t.Fatal(err)
		}
		all[strings.ToLower(name)] += individual.ReplaceAllString(string(text), "…")
	}
	w.calm(func() {
		tea := ""
		for _, e := range w.sandbox.Events() {
			if strings.HasPrefix(e.Name, "Tea") {
				tea = e.ID
			}
			switch {
			case touched[e.ID]:
			case r == catalog.Events:
				add(e.Name, e.Fields)
			default:
				add("event "+e.Name, e.Fields)
			}
		}
		now, err := live.Of(w.t.Context(), w.service, "cal-a")
		if err != nil {
			w.t.Fatal(err)
		}
		for event, of := range map[string]string{tea: r.Listed, "": r.ListedAlone} {
			if of == "" || r == catalog.Events {
				continue
			}
			listed, err := now.Records(w.t.Context(), r, event)
			if err != nil {
				w.t.Fatal(err)
			}
			for id := range listed.IDs() {
				record, _ := listed.Of(id)
				add(cmp.Or(r.NameIn(record.Values), r.OtherName(record.Values)), record.Values)
			}
			for _, name := range listed.Names(r) {
				for _, record := range listed.Find(r, "", name) {
					if record.ID == "" {
						add(name, record.Values)
					}
				}
			}
		}
	})
	for _, edit := range w.sandbox.Edits() {
		delete(all, edit.Guest)
	}
	return all
}

// undoStory is a story, and what came of it.
type undoStory struct {
	stages map[string]map[string]string // what the service had, by name
	stays  map[string]string            // what the undo told to stay, by name
	mails  map[sandbox.Mail]int         // without their times
}

// tell has records made and changed, and takes back the one and the other.
func (w *world) tell(of lateResource) (s undoStory) {
	w.t.Helper()
	r, _ := catalog.ResourceNamed(of.resource)
	s.stages, s.stays, s.mails = map[string]map[string]string{}, map[string]string{}, map[sandbox.Mail]int{}
	w.imports(catalog.Events, "key,name,start_at,timezone", "tea,Tea,2027-04-03T18:00:00Z,Etc/UTC")
	w.imports(r, of.made[0], of.made[2]) // by another run, which stays
	made := w.imports(r, of.made...)
	s.stages["made"] = w.holdings(r)
	if of.changed != nil {
		changed := w.imports(r, of.changed...)
		s.stages["changed"] = w.holdings(r)
		maps.Copy(s.stays, w.takesBack(changed))
		s.stages["put back"] = w.holdings(r)
	}
	for name, why := range w.takesBack(made) {
		s.stays[name] += why
	}
	s.stages["taken away"] = w.holdings(r)
	for _, mail := range w.sandbox.Outbox() {
		mail.At, mail.Event = time.Time{}, ""
		s.mails[mail]++
	}
	return s
}

// calmDay is a story as it goes where nothing goes wrong.
func calmDay(t *testing.T, of lateResource) (s undoStory) {
	synctest.Test(t, func(t *testing.T) {
		s = newWorldOf(&world{t: t, dir: t.TempDir(), lag: 35 * time.Second}, sandbox.Config{}).tell(of)
	})
	return s
}

// TestAnUndoOnABadDayIsAsOnAnother makes records, changes them, and takes back the one and the other: the service
// has what it has after a calm day, but for what is told to stay, and nobody is mailed more often.
func TestAnUndoOnABadDayIsAsOnAnother(t *testing.T) {
	t.Parallel()
	for _, of := range lateRows {
		t.Run(of.resource, func(t *testing.T) {
			calm := calmDay(t, of)
			for name, why := range calm.stays {
				if !strings.HasPrefix(why, "lost: no request ") {
					t.Errorf("on a calm day: %s stays: %s", name, why)
				}
			}
			badDays(t, 2, func(w *world) {
				for i := range w.faults {
					w.faults[i].Rate *= 3
				}
				w.fault(w.faults...)
				bad := w.tell(of)
				touched := len(w.touched()) > 0
				declined := slices.ContainsFunc(w.sandbox.Edits(), func(edit sandbox.Edit) bool { return edit.Guest != "" })
				for stage, want := range calm.stages {
					got := bad.stages[stage]
					for name := range want {
						event := of.resource == "events" || strings.HasPrefix(name, "event ")
						if _, there := got[name]; !there && !(event && touched) && bad.stays[name] == "" && !declined {
							w.t.Errorf("%s: there is no %s", stage, name)
						}
					}
					for name, is := range got {
						if is != want[name] && bad.stays[name] == "" && !strings.Contains(name, "private party") {
							w.t.Errorf("%s: %s is\n%s, want\n%s", stage, name, is, want[name])
						}
					}
				}
				for name, why := range bad.stays {
					w.t.Logf("%s stays: %s", name, why)
				}
				trial.Say(w.t, trial.Rows, len(of.made)-1)
				for mail, n := range bad.mails {
					trial.Say(w.t, trial.Mails, max(0, n-calm.mails[mail]))
					if n > calm.mails[mail] {
						w.t.Errorf("sent %d times, on a calm day %d times: %+v", n, calm.mails[mail], mail)
					}
				}
			})
		})
	}
}
