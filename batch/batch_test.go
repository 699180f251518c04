package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/batch/trial"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// world is a workspace with a service in this process and a file to import.
type world struct {
	t         *testing.T
	dir       string
	sandbox   *sandbox.Service
	workspace *files.Workspace
	service   *service.Service
	config    service.Config
	hop       *hop
	transport http.RoundTripper // nil: the sandbox's own
	options   plan.Options
	problem   func(schema.Problem, Whose)
	sparse    bool
	window    time.Duration // 0: that of the service
	lag       time.Duration // 0: hardly any
	faults    []sandbox.Fault
}

// limit is more than any test sends: none of them waits.
const limit = 10_000

// newWorld makes a world whose key does not say which calendar it is for.
func newWorld(t *testing.T, keys ...profile.Key) *world {
	t.Helper()
	return newWorldWith(t, t.TempDir(), "", keys...)
}

// newWorldWith makes one in dir whose service remembers in the folder memory.
func newWorldWith(t *testing.T, dir, memory string, keys ...profile.Key) *world {
	t.Helper()
	return newWorldOf(&world{t: t, dir: dir}, sandbox.Config{Dir: memory}, keys...)
}

// newWorldOf completes a world whose service is as the config says.
func newWorldOf(w *world, config sandbox.Config, keys ...profile.Key) *world {
	t := w.t
	t.Helper()
	config.Keys = []sandbox.Key{
		{Kind: sandbox.CalendarKey, Calendar: "cal-a", Secret: "key-a"},
		{Kind: sandbox.CalendarKey, Calendar: "cal-b", Secret: "key-b"},
	}
	config.Limits = sandbox.Limits{Calendar: limit}
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	w.sandbox, w.options = service, plan.Options{Slug: "derive", Compare: "sent"}
	t.Cleanup(w.say)
	if w.workspace, err = files.OpenWorkspace(filepath.Join(w.dir, "workspace")); err != nil {
		t.Fatal(err)
	}
	if len(keys) == 0 {
		keys = []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY_A"}}}
	}
	w.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "key-b"}, keys)
	return w
}

// say says what the service of the world has seen of the trial.
func (w *world) say() {
	stats := w.sandbox.Stats()
	for _, n := range stats.Requests {
		trial.Say(w.t, trial.Requests, n)
	}
	for _, n := range stats.Faults {
		trial.Say(w.t, trial.Answers, n)
	}
	trial.Say(w.t, trial.Edits, len(w.sandbox.Edits()))
}

func (w *world) connect(variables map[string]string, keys []profile.Key) {
	w.t.Helper()
	p := profile.Default()
	p.BaseURL, p.Keys, p.Limits.Calendar = "http://localhost/api", keys, limit
	p.Limits.Window, p.Limits.Lag = cmp.Or(w.window, p.Limits.Window), cmp.Or(w.lag, 50*time.Millisecond)
	transport := w.transport
	if transport == nil {
		transport = w.sandbox.Transport()
	}
	w.hop = &hop{transport}
	w.config = service.Config{
		Connection: profile.New(p, "", profile.Env{Lookup: func(name string) (string, bool) {
			value, ok := variables[name]
			return value, ok
		}}),
		Transport: w.hop, Concurrency: 4,
	}
	var err error
	if w.service, err = service.Open(w.config); err != nil {
		w.t.Fatal(err)
	}
}

// hop carries the requests of a world, and may be led elsewhere.
type hop struct{ next http.RoundTripper }

func (h *hop) RoundTrip(req *http.Request) (*http.Response, error) { return h.next.RoundTrip(req) }

func (w *world) plan(rows ...string) (*Planned, error) {
	w.t.Helper()
	return Plan(w.t.Context(), w.planning(w.workspace, rows...))
}

func (w *world) planning(store journal.Store, rows ...string) PlanConfig {
	w.t.Helper()
	path := filepath.Join(w.dir, "events.csv")
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return PlanConfig{
		Command: "import", Options: w.options, Service: w.service, Workspace: store, Problem: w.problem, Sparse: w.sparse,
		Reading: mapping.Config{Files: []string{path}, Now: time.Now()},
	}
}

func (w *world) mustPlan(rows ...string) *Planned {
	w.t.Helper()
	planned, err := w.plan(rows...)
	if err != nil {
		w.t.Fatal(err)
	}
	return planned
}

func (w *world) apply(ctx context.Context, run *journal.Run) (*Applied, error) {
	return Apply(ctx, ApplyConfig{Run: run, Workspace: w.workspace, Service: w.service, Concurrency: 4})
}

func (w *world) mustApply(run *journal.Run) journal.Tally {
	w.t.Helper()
	applied, err := w.apply(w.t.Context(), run)
	if err != nil {
		w.t.Fatal(err)
	}
	return applied.State.Tally()
}

const (
	header = "key,name,start_at,timezone,calendar_id"
	tea    = "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,"
	cake   = "2,Cake,2027-04-04T18:00:00Z,Etc/UTC,"
)

func TestSameFileTwiceSendsNothing(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea, cake)
	if got := w.mustApply(first.Run); got[journal.Done] != 2 {
		t.Fatalf("tally %+v", got)
	}
	again := w.mustPlan(header, tea, cake)
	if again.Total() != 0 || again.Rows["unchanged"] != 2 {
		t.Errorf("second plan: %d requests, %+v", again.Total(), again.Rows)
	}
	changed := w.mustPlan(header, tea, strings.Replace(cake, "Cake", "Pie", 1))
	if changed.Rows["update"] != 1 || changed.Rows["unchanged"] != 1 {
		t.Errorf("after one change: %+v", changed.Rows)
	}
}

func TestCalendarOfAKeyIsAskedForOnce(t *testing.T) {
	w := newWorld(t)
	planned := w.mustPlan(header, tea, cake)
	if got := planned.Run.Header().Target.Calendars; len(got) != 1 || got["cal-a"] == "" {
		t.Errorf("the run is bound to %v", got)
	}
	if asked := w.sandbox.Stats().Requests["/v1/calendars/get"]; asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	for _, u := range w.service.Usage() {
		// The other request lists the calendar's events.
		if strings.Contains(u.Owner.ID, "cal-a") && u.Limit-u.Left != 2 {
			t.Errorf("the question is not counted against its calendar: %+v", u)
		}
	}
}

func TestInvalidRowsKeepTheFileFromBeingPlanned(t *testing.T) {
	w := newWorld(t)
	_, err := w.plan(header, tea, "3,Bad,yesterday,Etc/UTC,")
	invalid, ok := errors.AsType[*InvalidError](err)
	if !ok || invalid.Rows[finding.Invalid] != 1 || invalid.Rows[finding.Read] != 2 {
		t.Fatalf("error %v", err)
	}
	if runs, err := w.workspace.Runs(); err != nil || len(runs) != 0 {
		t.Errorf("runs %v, %v", runs, err)
	}
	w.options.SkipInvalid = true
	if planned := w.mustPlan(header, tea, "3,Bad,yesterday,Etc/UTC,"); planned.Rows["invalid"] != 1 || planned.Rows["create"] != 1 {
		t.Errorf("counts %+v", planned.Rows)
	}
}

func TestUnfinishedRunIsTakenUpAgain(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea, cake)
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("stopped"))
	if _, err := w.apply(stopped, first.Run); err == nil {
		t.Fatal("no error from a stopped run")
	}
	again := w.mustPlan(header, tea, cake)
	if again.Run.ID() != first.Run.ID() || again.Total() != 2 {
		t.Errorf("run %s with %d requests, want to go on with %s", again.Run.ID(), again.Total(), first.Run.ID())
	}
	if got := w.mustApply(again.Run); got[journal.Done] != 2 {
		t.Errorf("tally %+v", got)
	}
}

func TestPlanAppliedTwiceCreatesOnce(t *testing.T) {
	w := newWorld(t)
	planned := w.mustPlan(header, tea)
	w.mustApply(planned.Run)
	w.mustApply(planned.Run)
	if n := w.sandbox.Stats().Created; n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestOvertakenPlanIsStale(t *testing.T) {
	w := newWorld(t)
	w.options.Slug = "keep" // no slug would catch the duplicate
	old := w.mustPlan(header, tea)
	newer := w.mustPlan(header, tea, cake)
	w.mustApply(newer.Run)
	_, err := w.apply(t.Context(), old.Run)
	if !errors.Is(err, failure.Stale) || !strings.Contains(err.Error(), "run "+newer.Run.ID()+" has dealt with row 2") {
		t.Fatalf("error %v", err)
	}
	if n := w.sandbox.Stats().Created; n != 2 {
		t.Errorf("%d events", n)
	}
	// The same file again is planned anew, not resumed.
	if again := w.mustPlan(header, tea); again.Run.ID() == old.Run.ID() || again.Rows["unchanged"] != 1 {
		t.Errorf("run %s, %+v", again.Run.ID(), again.Rows)
	}
}

// lose puts an empty workspace in the place of the world's own.
func (w *world) lose() {
	w.t.Helper()
	var err error
	if w.workspace, err = files.OpenWorkspace(filepath.Join(w.t.TempDir(), "another")); err != nil {
		w.t.Fatal(err)
	}
}

// An agency's CI runner starts with an empty workspace: of 200 rows 40 have changed
// and 20 of those have another name.
func TestALostWorkspaceFindsItsEventsAgain(t *testing.T) {
	w := newWorld(t)
	rows := func(change func(i int) (name, capacity string)) []string {
		list := []string{"key,name,start_at,timezone,max_capacity"}
		for i := range 200 {
			name, capacity := change(i)
			list = append(list, fmt.Sprintf("K%d,%s,2027-04-03T18:00:00Z,Etc/UTC,%s", i, name, capacity))
		}
		return list
	}
	w.mustApply(w.mustPlan(rows(func(i int) (string, string) { return fmt.Sprint("Event ", i), "10" })...).Run)
	made := w.sandbox.Events()
	w.lose()
	before := w.sandbox.Stats()
	changed := rows(func(i int) (string, string) {
		switch {
		case i < 20:
			return fmt.Sprint("Renamed ", i), "20"
		case i < 60:
			return fmt.Sprint("Event ", i), "20"
		}
		return fmt.Sprint("Event ", i), "10"
	})
	planned := w.mustPlan(changed...)
	if planned.Rows["update"] != 60 || planned.Rows["unchanged"] != 140 || planned.Effects.Told != 0 {
		t.Errorf("counts %+v, %d may be mailed", planned.Rows, planned.Effects.Told)
	}
	if n := w.sandbox.Stats().Requests["/v1/calendars/events/list"] - before.Requests["/v1/calendars/events/list"]; n != 2 { // pages
		t.Errorf("%d pages were listed", n)
	}
	w.mustApply(planned.Run)
	after := w.sandbox.Stats()
	if after.Created != before.Created {
		t.Errorf("%d events were made", after.Created-before.Created)
	}
	now := w.sandbox.Events()
	if len(now) != len(made) {
		t.Errorf("%d events, there were %d", len(now), len(made))
	}
	if again := w.mustPlan(changed...); again.Rows["unchanged"] != 200 {
		t.Errorf("again: %+v", again.Rows)
	}
	if n := w.sandbox.Stats().Requests["/v1/calendars/events/list"]; n != after.Requests["/v1/calendars/events/list"] {
		t.Error("the calendar was listed twice")
	}
}

func TestALostWorkspaceIsStrictAboutActions(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, tea, cake).Run)
	w.lose()
	w.options.SkipInvalid = true
	planned := w.mustPlan("action,"+header, "CREATE,"+tea, "CANCEL,"+strings.Replace(cake, "Cake", "Pie", 1))
	if planned.Rows["invalid"] != 1 || planned.Rows["cancel"] != 1 {
		t.Errorf("counts %+v", planned.Rows)
	}
}

func TestRetrySendsTheFailedRowsAlone(t *testing.T) {
	w := newWorld(t)
	// Another event has the slug.
	w.mustApply(w.mustPlan("key,name,start_at,timezone,slug", "0,Other,2027-04-01T18:00:00Z,Etc/UTC,tea").Run)
	first := w.mustPlan(
		"key,name,start_at,timezone,slug", "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,tea", "2,Cake,2027-04-04T18:00:00Z,Etc/UTC,cake",
	)
	if got := w.mustApply(first.Run); got[journal.Done] != 1 || got[journal.Failed] != 1 {
		t.Fatalf("tally %+v", got)
	}
	retry := func() (*Planned, error) {
		return Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service})
	}
	planned, err := retry()
	if err != nil || planned.Rows["create"] != 1 || planned.Run.Header().Parent != first.Run.ID() {
		t.Fatalf("retry plans %+v, %v", planned, err)
	}
	if got := w.mustApply(planned.Run); got[journal.Failed] != 1 {
		t.Errorf("tally %+v", got)
	}
	if _, err := Retry(
		t.Context(), RetryConfig{Run: w.mustPlan(header, cake).Run, Workspace: w.workspace, Service: w.service},
	); err == nil {
		t.Error("a run without a failed row was retried")
	}
}

// A retry that was planned and not sent is gone on with, unless another run has dealt with one of its rows since.
func TestARetryThatIsOvertakenIsPlannedAnew(t *testing.T) {
	w := newWorld(t)
	const slugs = "key,name,start_at,timezone,slug"
	w.mustApply(w.mustPlan(slugs, "8,Other,2027-04-01T18:00:00Z,Etc/UTC,tea", "9,Another,2027-04-01T19:00:00Z,Etc/UTC,cake").Run)
	first := w.mustPlan(slugs, "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,tea", "2,Cake,2027-04-04T18:00:00Z,Etc/UTC,cake")
	if got := w.mustApply(first.Run); got[journal.Failed] != 2 {
		t.Fatalf("tally %+v", got)
	}
	retry := func() *Planned {
		return must(Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service}))
	}
	planned := retry()
	if again := retry(); again.Run.ID() != planned.Run.ID() {
		t.Errorf("the retry is planned again as %s", again.Run.ID())
	}
	w.mustApply(w.mustPlan(slugs, "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,tea-2").Run)
	again := retry()
	if again.Run.ID() == planned.Run.ID() || again.Rows["create"] != 1 {
		t.Fatalf("%s retries %v", again.Run.ID(), again.Rows)
	}
	w.mustApply(again.Run)
}

// What another run did before the retry was planned does not overtake it.
func TestRetryIsPlannedWhenTheWorkspaceIsFree(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan("key,name,start_at,timezone,slug", "0,Other,2027-04-01T18:00:00Z,Etc/UTC,tea").Run)
	first := w.mustPlan("key,name,start_at,timezone,slug", "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,tea")
	w.mustApply(first.Run)
	begin := time.Now()
	planned, err := Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service})
	if err != nil {
		t.Fatal(err)
	}
	if created := planned.Run.Header().Created; created.Before(begin.Truncate(time.Second)) {
		t.Errorf("planned %v before it was", begin.Sub(created))
	}
}

// A process that asks nothing before it plans a retry knows the service's time from the run: by that of a machine whose clock is
// put right meanwhile, an event that the retry makes may seem to have been there before it.
func TestARetryKnowsTheTimeOfTheServiceFromItsRun(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan("key,name,start_at,timezone,slug", "0,Other,2027-04-01T18:00:00Z,Etc/UTC,tea").Run)
	first := w.mustPlan("key,name,start_at,timezone,slug", "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,tea")
	w.mustApply(first.Run)
	var err error
	if w.service, err = service.Open(w.config); err != nil {
		t.Fatal(err)
	}
	planned, err := Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service})
	if err != nil {
		t.Fatal(err)
	}
	if asked := planned.Run.Header().Asked; asked.IsZero() || !asked.Equal(first.Run.Header().Asked) {
		t.Errorf("asked %v, its run %v", asked, first.Run.Header().Asked)
	}
}

func TestPlanningIsCountedAsReads(t *testing.T) {
	w := newWorld(t, profile.Key{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY_A"}})
	w.options.Slug = "keep"
	w.mustPlan(header, tea, cake)
	// Which calendar the key is for, and which events there are.
	if got := w.service.Requests(); got != (journal.Made{Reads: 2}) {
		t.Errorf("requests %+v", got)
	}
}

func TestBadKeyFailsItsLaneOnly(t *testing.T) {
	keys := []profile.Key{
		{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
		{Kind: secret.Calendar, Calendar: "cal-b", From: secret.Ref{Scheme: "env", Value: "KEY_B"}},
	}
	w := newWorld(t, keys...)
	w.mustApply(w.mustPlan(header, tea+"cal-a", cake+"cal-b").Run)
	w.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "wrong"}, keys)
	planned := w.mustPlan(header, strings.Replace(tea, "Tea", "Te", 1)+"cal-a", strings.Replace(cake, "Cake", "Pie", 1)+"cal-b")
	applied, err := w.apply(t.Context(), planned.Run)
	if err == nil || applied.Refused["cal-b"] == nil || applied.Refused["cal-a"] != nil {
		t.Fatalf("refused %v, %v", applied.Refused, err)
	}
	if got := applied.State.Tally(); got[journal.Done] != 1 || got[journal.Pending] != 1 {
		t.Errorf("tally %+v", got)
	}
}

// A key that is refused when the calendar's events are listed holds up the rows of
// that calendar until it is mended: none of them is planned as a create blindly.
func TestBadKeyOfANewCalendarBlocksItsRows(t *testing.T) {
	keys := []profile.Key{
		{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
		{Kind: secret.Calendar, Calendar: "cal-b", From: secret.Ref{Scheme: "env", Value: "KEY_B"}},
	}
	w := newWorld(t, keys...)
	good := w.service
	w.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "wrong"}, keys)
	planned := w.mustPlan(header, tea+"cal-a", cake+"cal-b")
	if planned.Rows["create"] != 1 || planned.Rows["blocked"] != 1 {
		t.Fatalf("counts %+v", planned.Rows)
	}
	if err := planned.Stuck(); err != nil {
		t.Errorf("the other calendar can be sent: %v", err)
	}
	stuck := w.mustPlan(header, cake+"cal-b").Stuck()
	if _, ok := errors.AsType[*send.CredentialError](stuck); !ok {
		t.Errorf("with no other key: %v", stuck)
	}
	w.mustApply(planned.Run)
	w.service = good
	if again := w.mustPlan(header, tea+"cal-a", cake+"cal-b"); again.Rows["create"] != 1 || again.Rows["unchanged"] != 1 {
		t.Errorf("with the key mended: %+v", again.Rows)
	}
}

func TestUnreadableKeyBlocksItsCalendarOnly(t *testing.T) {
	keys := []profile.Key{
		{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
		{Kind: secret.Calendar, Calendar: "cal-b", From: secret.Ref{Scheme: "env", Value: "KEY_B"}},
	}
	w := newWorld(t, keys...)
	w.connect(map[string]string{"KEY_A": "key-a"}, keys)
	planned := w.mustPlan(header, tea+"cal-a", cake+"cal-b")
	if planned.Rows["create"] != 1 || planned.Rows["blocked"] != 1 {
		t.Fatalf("counts %+v", planned.Rows)
	}
	w.mustApply(planned.Run)
	w.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "key-b"}, keys)
	if again := w.mustPlan(header, tea+"cal-a", cake+"cal-b"); again.Rows["create"] != 1 || again.Rows["unchanged"] != 1 {
		t.Errorf("with the key mended: %+v", again.Rows)
	}
	w.connect(nil, keys)
	_, err := w.plan(header, strings.Replace(tea, "Tea", "Milk", 1)+"cal-a")
	if !errors.Is(err, failure.NoKey) {
		t.Errorf("without any key: %v", err)
	}
}

func TestRunGoesToItsTargetOnly(t *testing.T) {
	keys := []profile.Key{{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}}}
	w := newWorld(t, keys...)
	planned := w.mustPlan(header, tea)
	w.connect(map[string]string{"KEY_A": "another"}, keys)
	_, err := w.apply(t.Context(), planned.Run)
	if _, ok := errors.AsType[*journal.StaleTargetError](err); !ok {
		t.Errorf("error %v", err)
	}
}

func TestExistingEventsAreNotedUnderKeep(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan(header, tea).Run)
	w.options.Slug = "keep"
	known := w.mustPlan(header, cake).Run.Header().Known
	if len(known["cal-a"]) != 0 {
		t.Errorf("known %v: the other event starts a day earlier", known)
	}
	known = w.mustPlan(header, strings.Replace(cake, "04-04", "04-03", 1)).Run.Header().Known
	if len(known["cal-a"]) != 1 {
		t.Errorf("known %v", known)
	}
}
