package batch

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
)

// organized is a world whose calendars one key reaches, as that of their organization.
func organized(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.sandbox = must(sandbox.New(sandbox.Config{
		Keys: []sandbox.Key{
			{Kind: sandbox.OrganizationKey, Organization: "org-1", Calendar: "cal-a", Secret: "key-a"},
			{Calendar: "cal-b", Organization: "org-1", Secret: "key-b"},
		},
		Limits: sandbox.Limits{Calendar: limit, Organization: limit},
	}))
	w.connect(map[string]string{"KEY_A": "key-a"}, []profile.Key{
		{Kind: secret.Organization, Organization: "org-1", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
	})
	return w
}

// moves has a person give the only event to another calendar.
func (w *world) moves(to string) {
	w.t.Helper()
	body := must(json.Marshal(map[string]string{"event_id": w.sandbox.Events()[0].ID, "calendar_id": to}))
	req := must(http.NewRequestWithContext(w.t.Context(), http.MethodPost,
		"http://localhost/api/v1/organizations/events/transfer-calendar", strings.NewReader(string(body))))
	req.Header.Set("x-service-api-key", "key-a")
	req.Header.Set("Content-Type", "application/json")
	if res := must(w.sandbox.Transport().RoundTrip(req)); res.StatusCode != http.StatusOK {
		w.t.Fatal(res.Status)
	}
}

// What the list of a calendar lacks because somebody has moved it to another calendar of the organization is no sign that the
// list cannot be believed, be it all that was there.
func TestAListLacksNothingThatWasMoved(t *testing.T) {
	w := organized(t)
	w.options.Compare, w.options.First = "live", plan.Mine
	w.mustApply(w.mustPlan(header, tea+"cal-a").Run)
	w.moves("cal-b")
	planned := w.mustPlan(header, strings.Replace(tea, "Tea", "Pie", 1)+"cal-a")
	if planned.Rows["update"] != 1 {
		t.Fatal(planned.Rows)
	}
	w.mustApply(planned.Run)
	if e := w.sandbox.Events(); len(e) != 1 || e[0].Name != "Pie" || e[0].Calendar != "cal-b" {
		t.Error(e)
	}
}

// A row that is not compared with what is live finds out by its failure that somebody has moved its event to another calendar of
// the organization. The next import looks where the event is, and changes it there, whatever is said about events that are gone.
func TestAMovedEventIsFollowedWhereItWasMissed(t *testing.T) {
	w := organized(t)
	w.mustApply(w.mustPlan(header, tea+"cal-a").Run)
	w.moves("cal-b")
	pie := strings.Replace(tea, "Tea", "Pie", 1) + "cal-a"
	w.mustApply(w.mustPlan(header, pie).Run)
	w.options.ForgetMissing = true
	for _, row := range []string{pie, strings.Replace(pie, "Pie", "Cake", 1)} {
		planned := w.mustPlan(header, row)
		if planned.Rows["update"] != 1 {
			t.Fatal(planned.Rows)
		}
		w.mustApply(planned.Run)
		if again := w.mustPlan(header, row); again.Rows[finding.Unchanged] != 1 {
			t.Fatal(again.Rows)
		}
	}
	if e := w.sandbox.Events(); len(e) != 1 || e[0].Name != "Cake" || e[0].Calendar != "cal-b" {
		t.Error(e)
	}
}

// What became of a guest in doubt is looked for where the event is that somebody has moved meanwhile: the row comes to an end, and
// the next import adds who is not there.
func TestAGuestInDoubtIsLookedForWhereTheEventIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := organized(t)
		w.mustApply(w.mustPlan(header, tea+"cal-a").Run)
		guest := func() *journal.Run {
			config := w.planning(w.workspace, "event,email,calendar_id", "1,ada@example.org,cal-a")
			config.Reading.Resource = catalog.Guests
			return must(Plan(t.Context(), config)).Run
		}
		killed := guest()
		w.dies(killed)
		w.moves("cal-b")
		time.Sleep(time.Minute)
		if got := w.mustApply(killed); got[journal.Failed] != 1 {
			t.Fatalf("%v: the guest is not known to be missing", got)
		}
		w.mustApply(guest())
		if guests := w.entries("events/guests/list", "?event_id="+w.sandbox.Events()[0].ID); len(guests) != 1 {
			t.Errorf("%v", guests)
		}
	})
}

// What an undo looks at is found as what is sent again is: a transfer in doubt, and a guest whose event somebody has moved.
func TestAnUndoLooksWhereAnEventIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := organized(t)
		w.options.Compare = "live"
		w.mustApply(w.mustPlan(header, tea+"cal-a").Run)
		id := w.sandbox.Events()[0].ID
		planned := w.mustPlan("event_id,calendar_id", id+",cal-b").Run
		if sent := w.dies(planned); sent.Operation != catalog.Transfer {
			t.Fatalf("%s is in doubt: the test proves nothing", sent.Operation)
		}
		w.moves("cal-b")
		time.Sleep(time.Minute)
		undo, err := Undo(t.Context(), UndoConfig{Run: planned, Workspace: w.workspace, Service: w.service})
		if err != nil {
			t.Fatal(err)
		}
		w.mustApply(undo.Run)
		if e := w.sandbox.Events()[0]; e.Calendar != "cal-a" {
			t.Errorf("the event is on %s", e.Calendar)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := organized(t)
		w.mustApply(w.mustPlan(header, tea+"cal-a").Run)
		config := w.planning(w.workspace, "event,email,calendar_id", "1,ada@example.org,cal-a")
		config.Reading.Resource = catalog.Guests
		killed := must(Plan(t.Context(), config)).Run
		sent := w.dies(killed)
		w.moves("cal-b")
		time.Sleep(time.Minute)
		if err := look(t.Context(), w.workspace, w.service, killed); err != nil {
			t.Fatal(err)
		}
		state, err := killed.State()
		if err != nil || inDoubt(state.Op(sent.N)) {
			t.Errorf("the guest is %v: %v", state.Op(sent.N).Status, err)
		}
	})
}
