package batch

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
)

func TestRunOfAKeyThatDoesNotSayItsCalendarIsTakenUpByAnotherProcess(t *testing.T) {
	w := newWorld(t)
	planned := w.mustPlan(header, tea)
	w.connect(map[string]string{"KEY_A": "key-a"}, []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY_A"}}})
	if got := w.mustApply(planned.Run); got[journal.Done] != 1 {
		t.Errorf("tally %+v", got)
	}
}

func TestKeyTwiceInOneCalendarIsRefused(t *testing.T) {
	w := newWorld(t, profile.Key{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}})
	_, err := w.plan(header, tea, "1,Other,2027-04-03T18:00:00Z,Etc/UTC,cal-a")
	if _, ok := errors.AsType[*InvalidError](err); !ok {
		t.Errorf("error %v: one key would make two events", err)
	}
}

func eventID(t *testing.T, run *journal.Run, op int) string {
	t.Helper()
	state, err := run.State()
	if err != nil {
		t.Fatal(err)
	}
	return state.Ops[op].EventID
}

func TestOneEventUnderTwoNamesIsRefused(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea)
	w.mustApply(first.Run)
	_, err := w.plan("key,name,start_at,timezone,event_id", "1,Tee,2027-04-03T18:00:00Z,Etc/UTC,", ",Thé,,,"+eventID(t, first.Run, 0))
	if _, ok := errors.AsType[*InvalidError](err); !ok {
		t.Errorf("error %v: two rows change one event", err)
	}
}

func TestKeyKnowsWhatItsEventIdBroughtAbout(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea)
	w.mustApply(first.Run)
	id := eventID(t, first.Run, 0)
	w.mustApply(w.mustPlan("event_id,name", id+",Coffee").Run)
	if again := w.mustPlan(header, tea); again.Rows["update"] != 1 {
		t.Errorf("the name was changed by event id, so the first file has to bring it back: %+v", again.Rows)
	}
	if again := w.mustPlan("event_id,name", id+",Coffee"); again.Rows["unchanged"] != 1 {
		t.Errorf("nothing was sent since: %+v", again.Rows)
	}
	w.mustApply(w.mustPlan("event_id,action", id+",CANCEL").Run)
	if again := w.mustPlan(header, tea); again.Rows["create"] != 1 {
		t.Errorf("its event was cancelled by event id: %+v", again.Rows)
	}
}

func TestEventThatAnotherRunOwesIsBlockedUnderEveryName(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea)
	w.mustApply(first.Run)
	id := eventID(t, first.Run, 0)
	second := w.mustPlan(header, strings.Replace(tea, "Tea", "Tee", 1))
	j, _, err := second.Run.Attach(journal.Attachment{Target: second.Run.Header().Target})
	if err != nil {
		t.Fatal(err)
	}
	intent := journal.Record{Type: journal.Intent, Operation: "events/update", Key: journal.KeyHash("cal-a", "1"), EventID: id}
	if err := errors.Join(j.Append(intent), j.Close()); err != nil {
		t.Fatal(err)
	}
	if again := w.mustPlan("event_id,name", id+",Coffee"); again.Rows["blocked"] != 1 {
		t.Errorf("counts %+v", again.Rows)
	}
}

func TestKilledAfterItsLastRowTheRunIsOver(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea)
	// A process that was killed before it could record its end.
	target := first.Run.Header().Target
	j, _, err := first.Run.Attach(journal.Attachment{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	intent := journal.Record{Type: journal.Intent, Operation: "events/create", Key: journal.KeyHash("cal-a", "1"), Hash: "earlier"}
	if err := errors.Join(j.Append(intent), j.Append(journal.Record{Type: journal.OK, EventID: "evt-1"}), j.Close()); err != nil {
		t.Fatal(err)
	}
	if again := w.mustPlan(header, tea); again.Run.ID() == first.Run.ID() {
		t.Error("a run with nothing left to do is taken up for ever")
	}
}

func TestRowThatFailedAgainIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.mustApply(w.mustPlan("key,name,start_at,timezone,slug", "0,Other,2027-04-01T18:00:00Z,Etc/UTC,tea").Run)
	first := w.mustPlan("key,name,start_at,timezone,slug", "1,Tea,2027-04-03T18:00:00Z,Etc/UTC,tea")
	w.mustApply(first.Run)
	for range 2 {
		planned, err := Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service})
		if err != nil || planned.Rows["create"] != 1 {
			t.Fatalf("retry plans %+v, %v", planned, err)
		}
		if got := w.mustApply(planned.Run); got[journal.Failed] != 1 {
			t.Errorf("tally %+v", got)
		}
	}
}

// TestRetryDoesNotTakeTheEventOfATwin loses the answer to a row without slug,
// while a row of the run before it has made an event that looks the same.
func TestRetryDoesNotTakeTheEventOfATwin(t *testing.T) {
	w := newWorld(t)
	w.options.Slug = "keep"
	first := w.mustPlan(header, tea, strings.Replace(tea, "1,", "2,", 1))
	target := first.Run.Header().Target
	j, _, err := first.Run.Attach(journal.Attachment{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	intent := journal.Record{Type: journal.Intent, Operation: "events/create", Key: journal.KeyHash("cal-a", "1")}
	if err := errors.Join(j.Append(intent), j.Append(journal.Record{Type: journal.Fail, Code: "busy"}), j.Close()); err != nil {
		t.Fatal(err)
	}
	if got := w.mustApply(first.Run); got[journal.Done] != 1 || got[journal.Failed] != 1 {
		t.Fatalf("tally %+v", got)
	}
	planned, err := Retry(t.Context(), RetryConfig{Run: first.Run, Workspace: w.workspace, Service: w.service})
	if err != nil {
		t.Fatal(err)
	}
	w.fault(sandbox.Fault{Kind: sandbox.ErrorBefore, Rate: 1, Path: "/events/create", Times: 1})
	if got := w.mustApply(planned.Run); got[journal.Done] != 1 {
		t.Fatalf("tally %+v", got)
	}
	if a, b := eventID(t, planned.Run, 0), eventID(t, first.Run, 1); a == b || w.sandbox.Stats().Created != 2 {
		t.Errorf("two rows, %d events: %s and %s", w.sandbox.Stats().Created, a, b)
	}
}

func TestOvertakenWhereTheClockWasSetBack(t *testing.T) {
	w := newWorld(t)
	w.options.Slug = "keep"
	old := w.mustPlan(header, tea)
	newer := w.mustPlan(header, tea, cake)
	// The newer run's clock is an hour behind.
	j, _, err := newer.Run.Attach(journal.Attachment{Target: newer.Run.Header().Target})
	if err != nil {
		t.Fatal(err)
	}
	early := time.Now().Add(-time.Hour)
	if err := errors.Join(
		j.Append(journal.Record{Type: journal.Intent, Operation: "events/create", Key: journal.KeyHash("cal-a", "1"), At: early}),
		j.Append(journal.Record{Type: journal.OK, EventID: "evt-1", At: early}), j.Close(),
	); err != nil {
		t.Fatal(err)
	}
	_, err = w.apply(t.Context(), old.Run)
	if !errors.Is(err, failure.Stale) {
		t.Errorf("error %v", err)
	}
}

func (w *world) fault(list ...sandbox.Fault) {
	w.t.Helper()
	if err := w.sandbox.SetFaults(list); err != nil {
		w.t.Fatal(err)
	}
}

// storage answers uploads in a way of its own.
type storage struct {
	http.RoundTripper

	answer func() (*http.Response, error)
}

func (s storage) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPut {
		return s.RoundTripper.RoundTrip(req)
	}
	return s.answer()
}

// TestStorageOfPicturesIsNotTheService has the host of the pictures fail: that
// costs the rows with a picture, and stops nothing else.
func TestStorageOfPicturesIsNotTheService(t *testing.T) {
	status := func(code int) func() (*http.Response, error) {
		return func() (*http.Response, error) {
			return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<Error>no</Error>"))}, nil
		}
	}
	for name, answer := range map[string]func() (*http.Response, error){
		"401":         status(401),
		"404":         status(404),
		"307":         status(307),
		"429":         status(429),
		"unreachable": func() (*http.Response, error) { return nil, &api.NotSentError{Err: errors.New("no such host")} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.hop.next = storage{w.hop.next, answer}
				if err := os.WriteFile(filepath.Join(w.dir, "a.png"), []byte("\x89PNG\r\n\x1a\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				planned := w.mustPlan(header+",cover_file", tea+",a.png", cake+",")
				if got := w.mustApply(planned.Run); got[journal.Failed] != 1 || got[journal.Done] != 1 {
					t.Errorf("tally %+v", got)
				}
				if asked := w.sandbox.Stats().Requests["/v1/images/create-upload-url"]; asked > 8 {
					t.Errorf("%d addresses asked for", asked)
				}
				if err := w.service.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestRequestsAreCountedByWhatLeft(t *testing.T) {
	w := newWorld(t, profile.Key{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}})
	planned := w.mustPlan(header, tea, cake)
	l, err := w.service.Line(t.Context(), "cal-a")
	if err != nil {
		t.Fatal(err)
	}
	before := w.service.Requests()
	through := w.hop.next
	w.hop.next = unsent{}
	if _, err := l.Client.Read(t.Context(), catalog.OperationNamed("users/get-self"), nil); err == nil {
		t.Fatal("an answer from nowhere")
	}
	w.hop.next = through
	w.mustApply(planned.Run)
	if _, err := l.Client.Read(t.Context(), catalog.OperationNamed("users/get-self"), nil); err != nil {
		t.Fatal(err)
	}
	if got := since(before, w.service.Requests()); got != (journal.Made{Sent: 2, Reads: 1}) {
		t.Errorf("requests %+v", got)
	}
}

// unsent lets nothing out.
type unsent struct{}

func (unsent) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &api.NotSentError{Err: errors.New("connection refused")}
}

func TestForecastOfAResumedRunIsOfWhatIsLeft(t *testing.T) {
	w := newWorld(t)
	first := w.mustPlan(header, tea, cake, strings.Replace(cake, "2,", "3,", 1))
	j, _, err := first.Run.Attach(journal.Attachment{Target: first.Run.Header().Target})
	if err != nil {
		t.Fatal(err)
	}
	for op := range 2 {
		intent := journal.Record{Type: journal.Intent, Op: op, Operation: "events/create", Key: journal.KeyHash("cal-a", "1")}
		if err := errors.Join(j.Append(intent), j.Append(journal.Record{Type: journal.Fail, Op: op})); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	resumed, err := Describe(first.Run)
	if err != nil {
		t.Fatal(err)
	}
	resumed.Requests["cal-a"] *= 300 // as if each row took so many
	if got := resumed.Spread(1)["cal-a"]; got != 300 {
		t.Errorf("%d requests for the one row left", got)
	}
}
