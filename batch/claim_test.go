package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// replaying answers requests of a path with another id, as a gateway does that gives an older answer
// again. The request is carried out.
type replaying struct {
	http.RoundTripper

	path  string // its end
	id    string // empty: the answer is the service's
	times int
}

func (r *replaying) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := r.RoundTripper.RoundTrip(req)
	if err != nil || r.id == "" || r.times == 0 || answer.StatusCode != http.StatusOK || !strings.HasSuffix(req.URL.Path, r.path) {
		return answer, err
	}
	r.times--
	answer.Body.Close()
	text := []byte(`{"id":"` + r.id + `"}`)
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	answer.Header.Del("Content-Length")
	return answer, nil
}

// misled is a world whose creates are answered with ids as r says, under a way of slugs.
func misled(t *testing.T, slug, path string) (*world, *replaying) {
	t.Helper()
	w := newWorld(t)
	w.options.Slug = slug
	r := &replaying{RoundTripper: w.sandbox.Transport(), path: path, times: 1}
	w.transport = r
	w.connect(map[string]string{"KEY_A": "key-a"}, []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY_A"}}})
	return w, r
}

// names returns the names of the events that are there, in the order in which they were made.
func (w *world) names() string {
	var list []string
	for _, e := range w.sandbox.Events() {
		list = append(list, e.Name)
	}
	return strings.Join(list, ", ")
}

// TestACreateIsNotAnsweredWithAnEventThatIsKnown answers a create with the id of an event that the
// workspace knows, or that the calendar had: the row has its own event, which the next change changes
// and an undo cancels.
func TestACreateIsNotAnsweredWithAnEventThatIsKnown(t *testing.T) {
	for _, slug := range []string{"derive", "keep"} {
		for _, lost := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w, r := misled(t, slug, "/events/create")
				w.mustApply(w.mustPlan(header, tea).Run)
				id := w.sandbox.Events()[0].ID
				if lost { // and what is there is a stranger's
					w.lose()
				}
				r.id = id
				mine := strings.Replace(cake, "04-04", "04-03", 1)
				run := w.mustPlan(header, mine).Run
				if got := w.mustApply(run); got[journal.Done] != 1 {
					t.Fatalf("%s, lost %t: %+v", slug, lost, got)
				}
				r.id = ""
				w.mustApply(w.mustPlan(header, strings.Replace(mine, "Cake", "Pie", 1)).Run)
				if got := w.names(); got != "Tea, Pie" {
					t.Errorf("%s, lost %t: the calendar has %s", slug, lost, got)
				}
			})
		}
	}
}

// TestAnUndoCancelsNoOtherEvent undoes a create that was answered with the id of an event which nobody
// knew: what has that id has another slug, name and start.
func TestAnUndoCancelsNoOtherEvent(t *testing.T) {
	for _, slug := range []string{"derive", "keep"} {
		w, r := misled(t, slug, "/events/create")
		own, run := w.workspace, w.mustPlan(header, cake).Run
		w.lose()
		w.mustApply(w.mustPlan(header, tea).Run)
		w.workspace, r.id = own, w.sandbox.Events()[0].ID
		w.mustApply(run)
		undo := w.mustUndo(run)
		w.mustApply(undo.Run)
		if got := w.sandbox.Stats().Cancelled; got != 0 {
			t.Errorf("%s: %d events were cancelled", slug, got)
		}
		if want := "left: the event that has the id is another than the run has asked for"; undo.Reasons[0].Reason != want {
			t.Errorf("%s: reasons %v", slug, undo.Reasons)
		}
	}
}

// TestRecordsAreNotAnsweredWithIdsOfOthers does the same with records of other resources.
func TestRecordsAreNotAnsweredWithIdsOfOthers(t *testing.T) {
	for _, tt := range []struct {
		resource *schema.Resource
		path     string
		header   string
		rows     [2]string
	}{
		{catalog.EventTags, "/event-tags/create", "name,color", [2]string{"Jazz,red", "Poem,red"}},
		{catalog.Webhooks, "/webhooks/create", "url,event_types", [2]string{"https://a.example/x,*", "https://a.example/y,*"}},
		{catalog.TicketTypes, "/ticket-types/create", "event,name,type", [2]string{"evt,Free,free", "evt,More,free"}},
		{catalog.Blasts, "/blasts/create", "event,key,subject,content_md", [2]string{"evt,a,One,Text", "evt,b,Two,Text"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, r := misled(t, "derive", tt.path)
			w.mustApply(w.mustPlan(header, tea).Run)
			event := w.sandbox.Events()[0].ID
			plans := func(rows ...string) *Planned {
				config := w.planning(w.workspace, append([]string{tt.header}, rows...)...)
				config.Reading.Resource, config.Allow = tt.resource, []schema.Effect{schema.Mails}
				planned, err := Plan(t.Context(), config)
				if err != nil {
					t.Fatalf("%s: %v", tt.resource.Name, err)
				}
				return planned
			}
			for i := range tt.rows {
				tt.rows[i] = strings.Replace(tt.rows[i], "evt,", event+",", 1)
			}
			first := plans(tt.rows[0]).Run
			w.mustApply(first)
			made := func(run *journal.Run) string {
				state, err := run.State()
				if err != nil {
					t.Fatal(err)
				}
				return state.Ops[0].EventID
			}
			r.id = made(first)
			second := plans(tt.rows[1]).Run
			if got := w.mustApply(second); got[journal.Done] != 1 || made(second) == made(first) || made(second) == "" {
				t.Errorf("%s: %+v, both are %q", tt.resource.Name, got, made(second))
			}
		})
	}
}

// TestARecordThatIsFoundIsNoAnswerToAnother loses the answer to one create and gives it to the other:
// the record is that of the row that is like it, and the other row gets its own.
func TestARecordThatIsFoundIsNoAnswerToAnother(t *testing.T) {
	for _, tt := range []struct {
		resource *schema.Resource
		path     string
		rows     []string
	}{
		{catalog.EventTags, "/event-tags/create", []string{"name,color", "Jazz,red", "Poem,red"}},
		{catalog.Webhooks, "/webhooks/create", []string{"url,event_types", "https://a.example/x,*", "https://a.example/y,*"}},
		{catalog.Blasts, "/blasts/create", []string{"event,key,subject,content_md", "1,a,One,Text", "1,b,Two,Text"}},
		{catalog.Coupons, "/coupons/create", []string{"event,code,percent_off", "1,A,10", "1,B,20"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorldOf(&world{t: t, dir: t.TempDir()}, sandbox.Config{Faults: []sandbox.Fault{
				{Kind: sandbox.ResetAfter, Rate: 1, Path: tt.path, Times: 1},
				{Kind: sandbox.ReplayAfter, Rate: 1, Path: tt.path, Times: 1},
			}})
			w.mustApply(w.mustPlan(header, tea).Run)
			config := w.planning(w.workspace, tt.rows...)
			config.Reading.Resource, config.Allow = tt.resource, []schema.Effect{schema.Mails}
			planned, err := Plan(t.Context(), config)
			if err != nil {
				t.Fatalf("%s: %v", tt.resource.Name, err)
			}
			applied, err := Apply(t.Context(), ApplyConfig{
				Run: planned.Run, Workspace: w.workspace, Service: w.service, Concurrency: 1,
			})
			if err != nil {
				t.Fatalf("%s: %v", tt.resource.Name, err)
			}
			ops := applied.State.Ops
			if applied.State.Tally()[journal.Done] != 2 || ops[0].EventID == ops[1].EventID {
				t.Errorf("%s: %+v", tt.resource.Name, ops)
			}
		})
	}
}

// TestWhatBelongsToAnEventWaitsUntilItsIDIsCertain answers the create of the first event with the id of the
// second, which is made next: the guests of both come to their own events, also where the process ends
// between the two.
func TestWhatBelongsToAnEventWaitsUntilItsIDIsCertain(t *testing.T) {
	for _, slug := range []string{"derive", "keep"} {
		for _, ended := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, ended %t", slug, ended), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					twin := newWorld(t)
					twin.mustApply(twin.mustPlan(header, tea).Run)
					twin.mustApply(twin.mustPlan(header, cake).Run)
					w, r := misled(t, slug, "/events/create")
					planned := w.season([]string{tea, cake}, "1,ada@example.org", "2,bob@example.org")
					r.id = twin.sandbox.Events()[1].ID
					if ended {
						w.sendSome(planned.Run, 1)
					}
					applied, err := Apply(t.Context(), ApplyConfig{
						Run: planned.Run, Workspace: w.workspace, Service: w.service, Concurrency: 1,
					})
					if err != nil {
						t.Fatal(err)
					}
					var got []string
					for _, e := range w.sandbox.Events() {
						for _, guest := range w.entries("events/guests/list", "?event_id="+e.ID) {
							got = append(got, fmt.Sprint(e.Name, " ", guest["user_email"]))
						}
					}
					want := []string{"Tea ada@example.org", "Cake bob@example.org"}
					if diff := cmp.Diff(want, got); diff != "" || applied.State.Tally()[journal.Done] != 4 {
						t.Errorf("%+v: %s", applied.State.Tally(), diff)
					}
				})
			})
		}
	}
}

// TestAnotherCalendarDoubtsAnAnswer answers the only create of one calendar with the id of the event that
// is made next, in another, by a process that goes on once that one has its key: the
// first row is in doubt then, and the next process finds its own event.
func TestAnotherCalendarDoubtsAnAnswer(t *testing.T) {
	keys := []profile.Key{
		{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
		{Kind: secret.Calendar, Calendar: "cal-b", From: secret.Ref{Scheme: "env", Value: "KEY_B"}},
	}
	for _, slug := range []string{"derive", "keep"} {
		synctest.Test(t, func(t *testing.T) {
			twin := newWorld(t, keys...)
			twin.mustApply(twin.mustPlan(header, tea+"cal-a").Run)
			twin.mustApply(twin.mustPlan(header, cake+"cal-b").Run)
			w, r := misled(t, slug, "/events/create")
			w.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "key-b"}, keys)
			r.id = twin.sandbox.Events()[1].ID
			run := w.mustPlan(header, tea+"cal-a", cake+"cal-b").Run
			w.connect(map[string]string{"KEY_A": "key-a"}, keys)
			if applied, err := w.apply(t.Context(), run); applied == nil || applied.State.Tally()[journal.Done] != 1 {
				t.Fatal(err)
			}
			w.connect(map[string]string{"KEY_A": "key-a", "KEY_B": "key-b"}, keys)
			if doubted := w.mustApply(run)[journal.InDoubt]; doubted != 1 {
				t.Errorf("%s: %d rows are in doubt", slug, doubted)
			}
			w.mustApply(run)
			var got []string
			for op := range 2 {
				id := eventID(t, run, op)
				for _, e := range w.sandbox.Events() {
					if e.ID == id {
						got = append(got, e.Name)
					}
				}
			}
			if diff := cmp.Diff([]string{"Tea", "Cake"}, got); diff != "" || w.names() != "Tea, Cake" {
				t.Errorf("%s: the calendars have %s: %s", slug, w.names(), diff)
			}
		})
	}
}

// TestACreateIsNotAnsweredWithAnEventThatNobodyHasHeardOf answers a create with the id of an event that a run has made which
// was killed meanwhile: each row has its own event, once.
func TestACreateIsNotAnsweredWithAnEventThatNobodyHasHeardOf(t *testing.T) {
	for _, slug := range []string{"derive", "keep"} {
		synctest.Test(t, func(t *testing.T) {
			w, r := misled(t, slug, "/events/create")
			killed := w.mustPlan(header, tea).Run
			sent := w.dies(killed)
			later := w.mustPlan(header, cake).Run
			w.somebodyCalls(sent.Operation, string(sent.Body))
			r.id = w.sandbox.Events()[0].ID
			w.mustApply(later)
			w.mustApply(killed)
			if got := w.names(); got != "Tea, Cake" {
				t.Errorf("%s: the calendar has %s", slug, got)
			}
			w.mustApply(w.mustPlan(header, strings.Replace(cake, "Cake", "Pie", 1)).Run)
			if got := w.names(); got != "Tea, Pie" {
				t.Errorf("%s: after a change the calendar has %s", slug, got)
			}
		})
	}
}

// TestAnEventInDoubtMayHaveBeenChangedByAnotherRun has a process be killed that has made an event without a slug, and another
// run change that event by its id: the row has made it all the same, and makes none again.
func TestAnEventInDoubtMayHaveBeenChangedByAnotherRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.options.Slug = "keep"
		killed := w.mustPlan(header, tea).Run
		sent := w.dies(killed)
		w.somebodyCalls(sent.Operation, string(sent.Body))
		id := w.sandbox.Events()[0].ID
		time.Sleep(time.Minute)
		if got := w.mustApply(w.mustPlan("event_id,max_capacity", id+",50").Run); got[journal.Done] != 1 {
			t.Fatalf("%+v: the test proves nothing", got)
		}
		time.Sleep(time.Minute)
		w.mustApply(killed)
		state, err := killed.State()
		if err != nil || state.Op(0).EventID != id || w.names() != "Tea" {
			t.Errorf("the row has made %q, want %s, and the calendar has %s: %v", state.Op(0).EventID, id, w.names(), err)
		}
	})
}

// What an attempt has made is told by the age of its event, which the clock of the next process may have wrong by much, as where
// another machine goes on with the run. One that was there before the plan is none of it.
func TestAnEventIsOfItsAttemptByAnyClock(t *testing.T) {
	for _, ahead := range []time.Duration{-10 * time.Minute, 0, 10 * time.Minute} {
		for _, before := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var clock time.Duration
				now := func() time.Time { return time.Now().Add(clock) }
				w := newWorldOf(&world{t: t, dir: t.TempDir()}, sandbox.Config{Now: now})
				killed := w.mustPlan(header, tea).Run
				sent := w.dies(killed)
				if clock = time.Second; before {
					clock = -time.Hour
				}
				w.somebodyCalls(sent.Operation, string(sent.Body))
				clock = ahead
				time.Sleep(time.Minute)
				if got := w.mustApply(killed); got[journal.Done] == 1 == before {
					t.Errorf("the service is %v ahead, the event there before: %t: %v", ahead, before, got)
				}
			})
		}
	}
}

// dies has a process be killed that is about to send the first row of a run that sends, and returns that row.
func (w *world) dies(run *journal.Run) *plan.Op {
	w.t.Helper()
	for op, err := range run.Ops() {
		if err != nil {
			w.t.Fatal(err)
		}
		if !op.Action.Sends() {
			continue
		}
		memory, err := w.workspace.Memory(w.service.BaseURL())
		if err != nil {
			w.t.Fatal(err)
		}
		j, _, err := run.Attach(journal.Attachment{Target: run.Header().Target, Turn: memory.Turn()})
		if err != nil {
			w.t.Fatal(err)
		}
		intent := journal.Record{
			Type: journal.Intent, Op: op.N, Operation: op.Operation, EventID: op.Event.ID, Hash: op.Hash,
			Key: journal.KeyHash(op.Event.Calendar, op.Event.Key),
		}
		if err := errors.Join(j.Append(intent), j.Close(), memory.Close()); err != nil {
			w.t.Fatal(err)
		}
		return op
	}
	w.t.Fatal("the run has no rows")
	return nil
}
