package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/sandbox"
	"eventbatch/mapping/schema"
)

// atService is the key under which a script keeps its *miniature.
type atService struct{}

// miniature is a script's service.
type miniature struct {
	*sandbox.Service
	existing int           // events that it held from the start
	ahead    *atomic.Int64 // of the machine's clock
}

// scriptService serves the sandbox in this process, writes the eventbatch.yaml
// that reaches it, and sets the keys and SERVICE, its address:
// service [limit=200] [window=1s] [block=1s] [latency=1ms] [lag=1h] [background=1h]
// [counted=true] [edits=0.1] [badday=7]
// [fault=kind:rate[@path][*times]] [paths=legacy] [existing=slug:name] [reject=name:path: reason] …
//
// What lists show late, and what is carried out in the background, is there once the script has
// said later 1h.
func scriptService(ts *testscript.TestScript, neg bool, args []string) {
	config := sandbox.Config{
		Seed: 1, Keys: sandbox.BuiltIn("").Keys, Calendars: sandbox.BuiltIn("").Calendars,
		SiteURL: "https://events.example", ImageBase: "https://images.example",
		Limits: sandbox.Limits{Calendar: 200, Organization: 500, Window: time.Minute},
	}
	ahead := &atomic.Int64{}
	config.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	rejections := map[string][]string{}
	paths := ""
	for _, arg := range args {
		if arg == "paths=legacy" {
			paths = "    paths: legacy\n"
			continue
		}
		if text, ok := strings.CutPrefix(arg, "reject="); ok {
			name, reason, _ := strings.Cut(text, ":")
			rejections[name] = append(rejections[name], reason)
			continue
		}
		ts.Check(serviceSetting(&config, arg))
	}
	service, err := sandbox.New(config)
	ts.Check(err)
	handler := strict(service, rejections)
	if paths != "" {
		handler = older(handler)
	}
	server := httptest.NewServer(handler)
	ts.Defer(server.Close)
	*ts.Value(atService{}).(*miniature) = miniature{service, len(config.Existing), ahead}
	profile := fmt.Sprintf(`profiles:
  test:
    base_url: %s
    site_url: https://events.example
    image_cdn_base: https://images.example
    limits: {calendar: %d, organization: %d, window: %s, lag: 700ms}
    keys:
      - {kind: calendar, calendar: %s, from: "env:CALENDAR_KEY"}
      - {kind: organization, organization: %s, from: "env:ORGANIZATION_KEY"}
%sdefault_profile: test
`, server.URL, config.Limits.Calendar, config.Limits.Organization, config.Limits.Window, sandbox.CalendarID, sandbox.OrganizationID, paths)
	ts.Check(os.WriteFile(ts.MkAbs("eventbatch.yaml"), []byte(profile), 0o600))
	ts.Setenv("SERVICE", server.URL)
	ts.Setenv("CALENDAR_KEY", sandbox.CalendarSecret)
	ts.Setenv("ORGANIZATION_KEY", sandbox.OrganizationSecret)
	ts.Setenv("EVENTBATCH_CALENDAR", sandbox.CalendarID)
}

// strict is a service that also refuses events by their name, with a reason a
// line, as the platform answers what it does not like (service: Errors).
func strict(service http.Handler, rejections map[string][]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(data))
		var event struct{ Name string }
		if err == nil && json.Unmarshal(data, &event) == nil && rejections[event.Name] != nil {
			message := "Invalid request.\n- " + strings.Join(rejections[event.Name], "\n- ")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"message": message, "code": nil})
			return
		}
		service.ServeHTTP(w, r)
	})
}

func serviceSetting(config *sandbox.Config, arg string) (err error) {
	name, value, _ := strings.Cut(arg, "=")
	switch name {
	case "limit":
		config.Limits.Calendar, err = strconv.Atoi(value)
	case "window":
		config.Limits.Window, err = time.ParseDuration(value)
	case "seats":
		config.Seats, err = strconv.Atoi(value)
	case "block":
		config.Limits.Block, err = time.ParseDuration(value)
	case "latency":
		config.Latency, err = time.ParseDuration(value)
	case "lag":
		config.ListLag, err = time.ParseDuration(value)
	case "counted":
		config.CountedPages, err = strconv.ParseBool(value)
	case "edits":
		config.EditRate, err = strconv.ParseFloat(value, 64)
	case "badday":
		var seed uint64
		if seed, err = strconv.ParseUint(value, 10, 64); err == nil {
			config.BadDay(seed)
		}
	case "background":
		config.Background, err = time.ParseDuration(value)
	case "fault":
		var fault sandbox.Fault
		value, times, _ := strings.Cut(value, "*")
		value, path, _ := strings.Cut(value, "@")
		if fault, err = sandbox.ParseFault(value); err != nil {
			return err
		}
		if fault.Path = path; times != "" {
			fault.Times, err = strconv.Atoi(times)
		}
		config.Faults = append(config.Faults, fault)
	case "existing":
		slug, title, _ := strings.Cut(value, ":")
		config.Existing = append(config.Existing, sandbox.Existing{
			ID: "evt-" + slug, Calendar: sandbox.CalendarID, Name: title, Slug: slug,
			StartAt: "2027-04-01T22:00:00Z", EndAt: "2027-04-01T23:30:00Z", Timezone: "America/New_York",
		})
	default:
		err = fmt.Errorf("unknown setting %q", name)
	}
	return err
}

func serviceOf(ts *testscript.TestScript) *miniature {
	service := ts.Value(atService{}).(*miniature)
	if service.Service == nil {
		ts.Fatalf("there is no service yet")
	}
	return service
}

// scriptLater has time pass for the service: later 1h.
func scriptLater(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: later TIME")
	}
	passed, err := time.ParseDuration(args[0])
	ts.Check(err)
	serviceOf(ts).ahead.Add(int64(passed))
}

// scriptCounted compares what the service has counted: counted created 3. The
// counters are requests, created, updated, cancelled, throttled, the changes that guests
// are mailed about (mails), the people who were mailed (outbox), pushed or refunded, and the paths of
// requests.
func scriptCounted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 0 {
		ts.Fatalf("usage: counted COUNTER NUMBER …")
	}
	service := serviceOf(ts)
	stats := service.Stats()
	counts := map[string]int{
		"requests": 0, "created": stats.Created - service.existing, "updated": stats.Updated, "cancelled": stats.Cancelled,
		"throttled": stats.Throttled, "mails": 0, "outbox": 0, "pushed": 0, "refunded": 0,
	}
	for path, n := range stats.Requests {
		counts["requests"] += n
		counts[path] = n
	}
	for _, told := range service.Outbox() {
		counts[map[schema.Effect]string{schema.Mails: "outbox", schema.Pushes: "pushed", schema.Refunds: "refunded"}[told.Effect]]++
	}
	for _, e := range service.Events() {
		counts["mails"] += e.Mails
	}
	for pair := range slices.Chunk(args, 2) {
		have, known := counts[pair[0]]
		known = known || strings.HasPrefix(pair[0], "/")
		want, err := strconv.Atoi(pair[1])
		ts.Check(err)
		if !known || have != want {
			ts.Fatalf("%s: %d (known: %t), want %d", pair[0], have, known, want)
		}
	}
}

// scriptEvent compares one field of an event that the service holds, found by its
// name: event 'Tea' visibility public. A field that was never set is "nothing".
func scriptEvent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: event NAME FIELD VALUE")
	}
	for _, e := range serviceOf(ts).Events() {
		if e.Name != args[0] {
			continue
		}
		have := "nothing"
		if value, ok := e.Fields[args[1]]; ok {
			have = string(value)
			var text string
			if json.Unmarshal(value, &text) == nil && have != "null" {
				have = text
			}
		}
		switch args[1] {
		case "calendar":
			have = e.Calendar
		case "slug":
			have = e.Slug
		}
		if have == args[2] == neg {
			ts.Fatalf("%s of %s: %s, want %s (neg: %t)", args[1], args[0], have, args[2], neg)
		}
		return
	}
	ts.Fatalf("there is no event %q", args[0])
}

// scriptCancel takes an event away behind the back of everybody: cancel SLUG.
func scriptCancel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cancel SLUG")
	}
	service := serviceOf(ts)
	id := ""
	for _, e := range service.Events() {
		if e.Slug == args[0] {
			id = e.ID
		}
	}
	post := func(path string, body map[string]any, into any) {
		data, err := json.Marshal(body)
		ts.Check(err)
		req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(data))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("x-service-api-key", sandbox.CalendarSecret)
		res := httptest.NewRecorder()
		service.ServeHTTP(res, req)
		if res.Code != http.StatusOK {
			ts.Fatalf("%s: %d %s", path, res.Code, res.Body)
		}
		ts.Check(json.Unmarshal(res.Body.Bytes(), into))
	}
	var request struct {
		Token string `json:"cancellation_token"`
	}
	post("/v1/events/cancel/request", map[string]any{"event_id": id}, &request)
	post("/v1/events/cancel", map[string]any{"event_id": id, "cancellation_token": request.Token}, &struct{}{})
}
