package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
)

// replies is a service that gives one body for each path.
func replies(t *testing.T, bodies map[string]string) trip {
	return served(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		if !ok {
			t.Errorf("called %s", r.URL.Path)
		}
		_, _ = io.WriteString(w, body)
	})
}

func TestCreateFindsTheID(t *testing.T) {
	for name, body := range map[string]string{
		"new":     `{"id":"evt-1"}`,
		"old":     `{"api_id":"evt-1"}`,
		"both":    `{"api_id":"old","id":"evt-1","x":[]}`,
		"wrapped": `{"event":{"api_id":"evt-1"},"id":"entry"}`,
		"named":   `{"event_id":"evt-1"}`,
		"number":  `{"id":123}`,
	} {
		client, _ := testClient(t, "https://x.test", via(replies(t, map[string]string{"/v1/events/create": body})))
		id, err := create(t.Context(), client, []byte(`{}`), nil)
		if want := map[bool]string{true: "123", false: "evt-1"}[name == "number"]; err != nil || id != want {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
}

func TestGetEventReadsBothShapes(t *testing.T) {
	start := time.Date(2026, 3, 8, 14, 30, 0, 0, time.UTC)
	flat := `{"id":"evt-1","name":"Tea","url":"https://site.test/spring-tea/","calendar_id":"cal-1",` +
		`"start_at":"2026-03-08T14:30:00.000Z","end_at":null,"timezone":"Europe/Paris","tax_config":{"rate":12.50}}`
	old := `{"event":{"api_id":"evt-1","name":"Tea","url":"https://site.test/spring-tea/","calendar_api_id":"cal-1",` +
		`"start_at":"2026-03-08T15:30+01:00","timezone":"Europe/Paris"},"hosts":[{"api_id":"usr-1"}],"api_id":"entry-1"}`
	for name, c := range map[string]struct{ body, record string }{
		"flat": {
			flat,
			`{"calendar_id":"cal-1","end_at":null,"id":"evt-1","name":"Tea","slug":"spring-tea","start_at":"2026-03-08T14:30:00.000Z",` +
				`"tax_config":{"rate":12.50},"timezone":"Europe/Paris","url":"https://site.test/spring-tea/"}`,
		},
		"wrapped": {
			old,
			`{"api_id":"evt-1","calendar_api_id":"cal-1","hosts":[{"api_id":"usr-1"}],"name":"Tea","slug":"spring-tea",` +
				`"start_at":"2026-03-08T15:30+01:00","timezone":"Europe/Paris","url":"https://site.test/spring-tea/"}`,
		},
	} {
		client, _ := testClient(t, "https://x.test", via(replies(t, map[string]string{"/v1/events/get": c.body})))
		got, err := EventOf(ask(t.Context(), client, "events/get", url.Values{"event_id": {"evt-1"}}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.record, string(got.JSON())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got.ID != "evt-1" || got.Name() != "Tea" || got.Slug() != "spring-tea" || got.Calendar() != "cal-1" ||
			!got.Start().Equal(start) || !got.End().IsZero() {
			t.Errorf("%s: event %s %q %q on %s, %s to %s", name, got.ID, got.Name(), got.Slug(), got.Calendar(), got.Start(), got.End())
		}
	}
	client, _ := testClient(t, "https://x.test", via(replies(t, map[string]string{"/v1/events/get": `{}`})))
	if _, err := EventOf(ask(t.Context(), client, "events/get", url.Values{"event_id": {"evt-1"}})); kind(err) != "WrongAddress" {
		t.Errorf("no event: %v", err)
	}
}

func TestOddFieldsDoNotHideTheEvent(t *testing.T) {
	e, err := RecordIn(
		[]byte(`{"id":"evt-1","name":{"en":"Tea"},"slug":null,"url":7,"start_at":"soon","end_at":5,"event":"evt-2","calendar_id":["x"]}`),
		catalog.Events,
	)
	if err != nil || e.ID != "evt-1" || e.Slug() != "7" || e.Name()+e.Calendar() != "" || !e.Start().IsZero() || !e.End().IsZero() {
		t.Errorf("event %s %q %q on %q, %s to %s: %v", e.ID, e.Name(), e.Slug(), e.Calendar(), e.Start(), e.End(), err)
	}
}

func TestLookupSlug(t *testing.T) {
	start := time.Date(2026, 3, 8, 14, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		body string
		want Entity
		fail bool
	}{
		"free": {`{"entity":null}`, Entity{}, false},
		"event": {
			`{"entity":{"type":"event","event":{"id":"evt-1","name":"Tea","slug":"tea","start_at":"2026-03-08T14:30:00Z"}}}`,
			Entity{Taken: true, Type: "event", ID: "evt-1", Name: "Tea", StartAt: start},
			false,
		},
		"event, old": {`{"entity":{"event":{"api_id":"evt-1"}}}`, Entity{Taken: true, Type: "event", ID: "evt-1"}, false},
		"event, flat": {
			`{"entity":{"type":"event","id":"evt-1","slug":"tea","calendar_id":"cal-1"}}`,
			Entity{Taken: true, Type: "event", ID: "evt-1", Calendar: "cal-1"},
			false,
		},
		"calendar": {
			`{"entity":{"type":"calendar","calendar":{"id":"cal-1","name":"C","slug":"tea"}}}`,
			Entity{Taken: true, Type: "calendar", ID: "cal-1", Name: "C"},
			false,
		},
		"something else": {`{"entity":{"type":"user","user":{"id":"usr-1"}}}`, Entity{Taken: true, Type: "user"}, false},
		"no entity":      {`{}`, Entity{}, true},
		"another shape":  {`{"data":null}`, Entity{}, true},
		"no object":      {`{"entity":false}`, Entity{}, true},
	} {
		client, _ := testClient(t, "https://x.test", via(replies(t, map[string]string{"/v1/entities/lookup": c.body})))
		got, err := EntityOf(ask(t.Context(), client, "entities/lookup", url.Values{"slug": {"tea"}}))
		if (kind(err) == "WrongAddress") != c.fail {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestCancellation(t *testing.T) {
	const path = "/v1/events/cancel/request"
	for body, want := range map[string]Cancellation{
		`{"cancellation_token":"tok","is_paid":true,"guest_count":12}`: {"tok", true, 12}, `{}`: {},
	} {
		client, _ := testClient(t, "https://x.test", via(replies(t, map[string]string{path: body})))
		got, err := CancellationOf(client.Write(t.Context(), catalog.OperationNamed("events/cancel/request"), []byte(`{}`), nil))
		if got != want || (kind(err) == "WrongAddress") != (want.Token == "") {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestNewRecordsOfOtherResources(t *testing.T) {
	for _, c := range []struct{ operation, answer, id, skipped string }{
		{"events/coupons/create", `{"id":"cpn-1","code":"A"}`, "cpn-1", "[]"},
		{"events/coupons/create", `{"coupon":{"api_id":"cpn-1"}}`, "cpn-1", "[]"},
		{"calendars/coupons/create", `{}`, "", "[]"}, // a coupon is known by its code
		{"events/guests/add", `{}`, "", "[]"},
		{"events/guests/add", `{"skipped":[{"email":"a@x.test"},{"email":"b@x.test"}]}`, "", "[a@x.test b@x.test]"},
	} {
		op := catalog.OperationNamed(c.operation)
		client, _ := testClient(t, "https://x.test", via(replies(t, map[string]string{op.Path: c.answer})))
		answer, err := client.Write(t.Context(), op, []byte(`{}`), nil)
		id, err := NewID(answer, err)
		if skipped := fmt.Sprint(Skipped(answer)); id != c.id || err != nil || skipped != c.skipped {
			t.Errorf("%s %s: %q, %v, %s", c.operation, c.answer, id, err, skipped)
		}
	}
}

func TestSelfAndCalendar(t *testing.T) {
	for name, c := range map[string]struct{ self, calendar string }{
		"flat": {
			`{"id":"usr-1","name":"A","email":"a@x.test"}`,
			`{"id":"cal-1","name":"C","slug":null,"url":"u","location":{"city":"Paris","timezone":"Europe/Paris"}}`,
		},
		"wrapped": {
			`{"user":{"api_id":"usr-1","name":"A","email":"a@x.test"}}`,
			`{"calendar":{"api_id":"cal-1","name":"C","url":"u","location":{"timezone":"Europe/Paris"}}}`,
		},
	} {
		client, _ := testClient(
			t, "https://x.test", via(replies(t, map[string]string{"/v1/users/get-self": c.self, "/v1/calendars/get": c.calendar})),
		)
		user, err := UserOf(ask(t.Context(), client, "users/get-self", nil))
		if diff := cmp.Diff(User{ID: "usr-1", Name: "A", Email: "a@x.test"}, user); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		calendar, err := CalendarOf(ask(t.Context(), client, "calendars/get", nil))
		if diff := cmp.Diff(Calendar{ID: "cal-1", Name: "C", Zone: "Europe/Paris"}, calendar); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	client, _ := testClient(
		t, "https://x.test", via(replies(t, map[string]string{"/v1/users/get-self": `{"ok":true}`, "/v1/calendars/get": `{}`})),
	)
	_, self := UserOf(ask(t.Context(), client, "users/get-self", nil))
	_, calendar := CalendarOf(ask(t.Context(), client, "calendars/get", nil))
	if kind(self) != "WrongAddress" || kind(calendar) != "WrongAddress" {
		t.Errorf("%v, %v", self, calendar)
	}
}

func TestUploadGoesWithoutKeyOrSlot(t *testing.T) {
	var put *http.Request
	var picture []byte
	status := 200
	client, g := testClient(t, "https://x.test", via(trip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "x.test" {
			return replies(
				t,
				map[string]string{
					"/v1/images/create-upload-url": `{"upload_url":"https://store.test/a?sig=s","file_url":"https://img.test/a"}`,
				},
			)(r)
		}
		put = r
		picture, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("<xml/>"))}, nil
	})))
	to, err := UploadOf(client.Write(t.Context(), catalog.OperationNamed("images/create-upload-url"), []byte(`{}`), nil))
	if err != nil || to.FileURL != "https://img.test/a" {
		t.Fatalf("%+v, %v", to, err)
	}
	if err := client.Upload(t.Context(), to, "image/png", []byte("picture")); err != nil {
		t.Fatal(err)
	}
	if put.Method != "PUT" || put.URL.String() != to.URL || string(picture) != "picture" || put.ContentLength != 7 {
		t.Errorf("%s %s %q", put.Method, put.URL, picture)
	}
	want := http.Header{"Content-Type": {"image/png"}, "User-Agent": {"eventbatch"}}
	if diff := cmp.Diff(want, put.Header); diff != "" {
		t.Error(diff)
	}
	if g.taken != 1 {
		t.Errorf("%d slots, want that of the first call only", g.taken)
	}
	for status, want := range map[int]string{
		302: "WrongAddress", 403: "Forbidden", 400: "Rejected", 503: "UnknownOutcome", 429: "RateLimited",
	} {
		client.config.Transport = trip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: http.NoBody}, nil
		})
		if err := client.Upload(t.Context(), to, "image/png", nil); kind(err) != want {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
	}
	client.config.Transport = trip(func(*http.Request) (*http.Response, error) { return nil, errors.New("reset") })
	if err := client.Upload(t.Context(), to, "image/png", nil); kind(err) != "UnknownOutcome" {
		t.Errorf("reset: %v", err)
	}
	for _, address := range []string{"http://store.test/a", "store", "https://user:pw@store.test", ""} {
		to.URL = address
		client.config.Transport = trip(func(*http.Request) (*http.Response, error) {
			t.Errorf("%s is used", address)
			return nil, errors.New("used")
		})
		if err := client.Upload(t.Context(), to, "image/png", nil); err == nil {
			t.Errorf("%s: no error", address)
		}
	}
}

// Guests are counted by their statuses, with or without their tickets.
func TestGuestsOfAnEventAreCounted(t *testing.T) {
	for counts, want := range map[string]int{
		`{"approved":{"guests":3,"tickets":4},"waitlist":{"guests":2,"tickets":0},"checked_in":{"guests":1,"tickets":1}}`: 5,
		`{"approved":3,"declined":1}`: 4,
		`{}`:                          0,
		`null`:                        0,
	} {
		event := Record{Values: map[string]json.RawMessage{"guest_counts": json.RawMessage(counts)}}
		if got := event.Guests(); got != want {
			t.Errorf("%s: %d guests, want %d", counts, got, want)
		}
	}
}
