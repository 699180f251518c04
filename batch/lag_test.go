package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/live"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/plan"
	"eventbatch/batch/postgres"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/batch/trial"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// late is a world whose lists lag behind what was sent, and what its rows of a resource are.
type late struct {
	*world

	store journal.Store
}

// lagging makes a world whose lists lag, and where guests come later than the answer. It believes
// them after the lag of its service, zero for the usual one.
func lagging(t *testing.T, lists, background, lag time.Duration) *late {
	t.Helper()
	service, err := sandbox.New(sandbox.Config{
		Keys:   []sandbox.Key{{Kind: sandbox.CalendarKey, Calendar: "cal-a", Secret: "key-a"}},
		Limits: sandbox.Limits{Calendar: limit}, ListLag: lists, Background: background,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), sandbox: service, options: plan.Options{Slug: "derive", Compare: "sent"}, lag: lag}
	t.Cleanup(w.say)
	if w.workspace, err = files.OpenWorkspace(filepath.Join(w.dir, "workspace")); err != nil {
		t.Fatal(err)
	}
	w.connect(map[string]string{"KEY_A": "key-a"}, []profile.Key{{
		Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"},
	}})
	return &late{w, w.workspace}
}

// rows plans rows of a resource.
func (l *late) rows(resource string, compare string, rows ...string) *Planned {
	l.t.Helper()
	path := filepath.Join(l.dir, resource+".csv")
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		l.t.Fatal(err)
	}
	of, _ := catalog.ResourceNamed(resource)
	planned, err := Plan(l.t.Context(), PlanConfig{
		Command: "import", Options: plan.Options{Slug: "derive", Compare: compare}, Service: l.service, Workspace: l.store,
		Allow:   []schema.Effect{schema.Mails, schema.Cancels, schema.Charges, schema.Refunds},
		Reading: mapping.Config{Files: []string{path}, Resource: of, Now: time.Now()},
	})
	if err != nil {
		l.t.Fatalf("%s: %v", resource, err)
	}
	return planned
}

// send sends a plan, and fails the test unless all of it is done.
func (l *late) send(what string, planned *Planned) {
	l.t.Helper()
	applied, err := Apply(l.t.Context(), ApplyConfig{
		Run: planned.Run, Workspace: l.store, Service: l.service, Concurrency: 4, Fresh: live.Fresh,
	})
	if err != nil {
		l.t.Fatalf("%s: %v", what, err)
	}
	if tally := applied.State.Tally(); tally[journal.Failed]+tally[journal.Blocked]+tally.Open() > 0 {
		l.t.Fatalf("%s: %v", what, tally)
	}
}

// back undoes a run, and fails the test unless so many rows are taken back.
func (l *late) back(what string, run *journal.Run, want int) {
	l.t.Helper()
	planned, err := Undo(l.t.Context(), UndoConfig{
		Run: run, Workspace: l.store, Service: l.service, Allow: []schema.Effect{schema.Cancels, schema.Mails, schema.Refunds},
	})
	if err != nil {
		l.t.Fatalf("%s: %v", what, err)
	}
	if got := planned.Rows["update"] + planned.Rows["cancel"] + planned.Rows["create"]; got != want {
		l.t.Errorf("%s: %d rows are taken back, not %d: %v %v", what, got, want, planned.Rows, planned.Reasons)
	}
	trial.Say(l.t, trial.Rows, want)
	l.send(what, planned)
}

// lateResource has rows that make records of a resource, and rows that change some of them: back is how
// many of these an undo can put back, and gone how many of the others.
type lateResource struct {
	resource      string
	made, changed []string
	back, gone    int
}

var lateRows = []lateResource{
	{
		"events",
		[]string{"key,name,start_at,timezone,max_capacity", "a,A,2027-05-01T18:00:00Z,Etc/UTC,50", "b,B,2027-05-02T18:00:00Z,Etc/UTC,50"},
		[]string{"key,name,start_at,timezone,max_capacity", "a,A,2027-05-01T18:00:00Z,Etc/UTC,77", "b,B,2027-05-02T18:00:00Z,Etc/UTC,50"},
		1, 2,
	},
	{
		"guests",
		[]string{"event,email,status", "tea,ada@example.org,approved", "tea,bob@example.org,approved"},
		[]string{"event,email,status", "tea,ada@example.org,waitlist", "tea,bob@example.org,approved"},
		1, 2,
	},
	{
		"ticket-types",
		[]string{"event,name,type,max_capacity", "tea,Door,free,10", "tea,Stage,free,20"},
		[]string{"event,name,type,max_capacity", "tea,Door,free,11", "tea,Stage,free,20"},
		1, 2,
	},
	{
		"coupons",
		[]string{"event,code,percent_off,remaining_count", "tea,EARLY,20,50", ",FRIENDS,10,200"},
		[]string{"event,code,percent_off,remaining_count", "tea,EARLY,20,40", ",FRIENDS,10,100"},
		2, 2,
	},
	{
		"hosts",
		[]string{"event,email,access_level,is_visible", "tea,ada@example.org,manager,true", "tea,bob@example.org,none,false"},
		[]string{"event,email,access_level,is_visible", "tea,ada@example.org,check-in,true", "tea,bob@example.org,none,true"},
		2, 2,
	},
	{
		"event-tags",
		[]string{"name,color", "Jazz,red", "Tea,blue"},
		[]string{"name,color", "Jazz,green", "Tea,blue"},
		1, 2,
	},
	{
		"contact-tags",
		[]string{"name,color", "Press,red", "Crew,blue"},
		[]string{"name,color", "Press,green", "Crew,blue"},
		1, 2,
	},
	{
		"contacts",
		[]string{"email,name,state", "ada@example.org,Ada,active", "bob@example.org,Bob,"},
		[]string{"email,name,state", "ada@example.org,Ada,blocked", "bob@example.org,Bob,"},
		1, 2,
	},
	{
		"members",
		[]string{"email,tier", "ada@example.org,Friend", "bob@example.org,Crew"},
		[]string{"email,tier,status", "ada@example.org,Friend,declined", "bob@example.org,Crew,"},
		1, 2,
	},
	{
		"webhooks",
		[]string{"url,event_types,status", "https://a.example/a,event.created,active", "https://a.example/b,event.created,active"},
		[]string{"url,event_types,status", "https://a.example/a,event.updated,active", "https://a.example/b,event.created,active"},
		1, 2,
	},
	{
		"blasts",
		[]string{
			"key,event,subject,content_md,scheduled_for",
			"w,tea,Hello,Soon.,2027-04-01T10:00:00Z", "x,tea,Again,Now.,2027-04-02T10:00:00Z",
		},
		[]string{
			"key,event,subject,content_md,scheduled_for",
			"w,tea,Hello,Later.,2027-04-01T10:00:00Z", "x,tea,Again,Now.,2027-04-02T10:00:00Z",
		},
		1, 2,
	},
	{
		"listings",
		[]string{
			"url,name,start_at,end_at,timezone", "https://a.example/a,A,2027-04-02T18:00:00Z,2027-04-02T20:00:00Z,Etc/UTC",
			"https://a.example/b,B,2027-04-03T18:00:00Z,2027-04-03T20:00:00Z,Etc/UTC",
		},
		nil,
		0, 2,
	},
	{"admins", []string{"email", "ada@example.org", "bob@example.org"}, nil, 0, 0},
}

// The stories of a resource: nothing comes between their parts.
const (
	again     = "imported again"
	takenBack = "made and taken away"
	putBack   = "changed and put back"
)

// story goes through a story of a resource.
func (l *late) story(settled time.Duration, resource, story string) {
	l.send("tea", l.rows("events", "sent", "key,name,start_at,timezone", "tea,Tea,2027-04-03T18:00:00Z,Etc/UTC"))
	time.Sleep(settled)
	r := lateRows[slices.IndexFunc(lateRows, func(r lateResource) bool { return r.resource == resource })]
	made := l.rows(resource, "sent", r.made...)
	l.send(resource, made)
	switch story {
	case takenBack:
		l.back(resource, made.Run, r.gone)
		return
	case again:
		l.still(resource, r.made...)
	}
	if r.changed == nil {
		return
	}
	changed := l.rows(resource, "sent", r.changed...)
	if changed.Total() == 0 {
		l.t.Errorf("%s: no change is sent: %v", resource, changed.Reasons)
	}
	l.send(resource, changed)
	if story == again {
		l.still(resource, r.changed...)
	} else {
		l.back(resource, changed.Run, r.back)
	}
}

// still imports the same rows again, whatever they are compared with, and fails the test if
// anything would be sent.
func (l *late) still(resource string, rows ...string) {
	l.t.Helper()
	for _, compare := range []string{"sent", "live"} {
		again := l.rows(resource, compare, rows...)
		trial.Fate(l.t, len(rows)-1, len(rows)-1+again.Total())
		if again.Total() > 0 || again.Rows["unchanged"] != len(rows)-1 {
			l.t.Errorf("%s again, compared with what is %s: %v %v", resource, compare, again.Rows, again.Reasons)
		}
	}
}

// Whatever lists show within the lag, nothing is sent twice and an undo takes everything back.
func TestWhatWasJustSentOutweighsAList(t *testing.T) {
	lags := []struct{ lists, background time.Duration }{{20 * time.Second, 15 * time.Second}, {35 * time.Second, 0}}
	if testing.Short() {
		lags = lags[:1]
	}
	for _, lag := range lags {
		for _, r := range lateRows {
			for _, story := range []string{again, takenBack, putBack} {
				t.Run(fmt.Sprintf("%s %s, %s", r.resource, story, lag.lists), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						lagging(t, lag.lists, lag.background, 35*time.Second).story(2*time.Minute, r.resource, story)
					})
				})
			}
		}
	}
}

// So it is in a database.
func TestWhatWasJustSentOutweighsAListInADatabase(t *testing.T) {
	l := lagging(t, 400*time.Millisecond, 300*time.Millisecond, 1200*time.Millisecond)
	l.store = database(t, l.workspace)
	for resource, story := range map[string]string{"events": putBack, "guests": takenBack, "members": again} {
		l.story(1500*time.Millisecond, resource, story)
	}
}

// database is the store of a workspace in a database of its own.
func database(t *testing.T, workspace *files.Workspace) journal.Store {
	t.Helper()
	address, err := postgres.Told(pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := postgres.Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	shared := postgres.OpenStore(db, workspace)
	t.Cleanup(func() { _ = shared.Close() })
	return shared
}
