package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/pattern"
)

// What is imported, exported and undone by the older paths is what it is by the others, for
// every resource.
func TestOlderPathsLeadToTheSame(t *testing.T) {
	t.Parallel()
	current := transcript(t, "current")
	if len(current) < 4*len(catalog.Resources) {
		t.Errorf("%d steps for %d resources", len(current), len(catalog.Resources))
	}
	if diff := difference(t, current, transcript(t, "legacy")); diff != "" {
		t.Error(diff)
	}
}

// now is when a row was exported.
var now = pattern.New(`(?m) \S+Z( |$)`)

// transcript returns what a season's way into an empty calendar and back comes to, step by
// step.
func transcript(t *testing.T, paths string) (steps []string) {
	t.Helper()
	service, err := sandbox.New(sandbox.Config{
		Seed: 1, Keys: sandbox.BuiltIn("").Keys, Calendars: sandbox.BuiltIn("").Calendars,
		Limits: sandbox.Limits{Calendar: 9000, Organization: 9000},
		Now:    func() time.Time { return time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var handler http.Handler = service
	if paths == "legacy" {
		handler = older(service)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	config := filepath.Join(dir, "eventbatch.yaml")
	if err := os.WriteFile(config, []byte("profiles:\n  test:\n    base_url: "+server.URL+"\n    paths: "+paths+`
    limits: {calendar: 9000, organization: 9000, lag: 700ms}
    keys:
      - {kind: calendar, calendar: `+sandbox.CalendarID+`, from: "env:CALENDAR_KEY"}
      - {kind: organization, organization: `+sandbox.OrganizationID+`, from: "env:ORGANIZATION_KEY"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HOME=" + dir, "EVENTBATCH_PACE=0", "EVENTBATCH_CONFIG=" + config, "EVENTBATCH_WORKSPACE=" + filepath.Join(dir, "workspace"),
		"CALENDAR_KEY=" + sandbox.CalendarSecret, "ORGANIZATION_KEY=" + sandbox.OrganizationSecret,
		"EVENTBATCH_CALENDAR=" + sandbox.CalendarID,
	}
	var doc struct {
		Run  string
		Rows json.RawMessage
	}
	do := func(args ...string) {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), env, append(args, "--json"), strings.NewReader(""), &stdout, &stderr)
		if code != exitDone && (code != exitPartial || args[0] != "undo") { // what was sold, or is the last of its kind, stays
			t.Errorf("%s paths: %q: exit %d: %s%s", paths, args, code, &stdout, &stderr)
		}
		step := strings.ReplaceAll(strings.Join(args, " "), dir, "")
		if args[0] == "undo" {
			step = "undo"
		}
		doc.Rows = nil
		if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		steps = append(steps, step+": "+string(doc.Rows))
	}
	all := []string{"--yes", "--allow", "mail,cancel,refund,charge", "--concurrency", "1"}
	send := func(args ...string) { do(append(args, all...)...) }
	var made []string // runs
	for _, r := range catalog.Resources {
		sample := filepath.Join("..", "..", "samples", r.Name+".csv")
		first := []string{"import", sample, "--resource", r.Name}
		if r == catalog.Events {
			first = []string{"import", filepath.Join("..", "..", "samples", "spring.csv"), "--rows", "2-6"}
		}
		of := "--calendar=" + sandbox.CalendarID
		if r == catalog.Calendars { // which the key of an organization makes
			of = "--calendar=" + sandbox.OrganizationCalendars[0]
		}
		first = append(first, of)
		send(first...)
		made = append(made, doc.Run)
		send(first...)
		out := filepath.Join(dir, r.Name+".csv")
		do("export", r.Name, "-o", out, of)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, now().ReplaceAllString(string(text), " NOW "))
		send("import", out, "--resource", r.Name, of)
	}
	for _, run := range slices.Backward(made) {
		send("undo", run)
	}
	return steps
}

// older is a service that has the older paths only, where there are any, and whose answers
// have the older names of ids and no others.
func older(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		old := false
		for i := range catalog.Operations {
			o := &catalog.Operations[i]
			if old = o.Legacy == r.URL.Path; old {
				break
			}
			if o.Path == r.URL.Path && o.Legacy != "" {
				http.NotFound(w, r)
				return
			}
		}
		answer := httptest.NewRecorder()
		service.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if old && strings.HasPrefix(answer.Header().Get("Content-Type"), "application/json") {
			body = withoutIDs(body)
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	})
}

// withoutIDs takes id out of every object that has api_id.
func withoutIDs(body []byte) []byte {
	var value any
	in := json.NewDecoder(bytes.NewReader(body))
	in.UseNumber()
	if in.Decode(&value) != nil {
		return body
	}
	var clean func(any)
	clean = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if v["api_id"] != nil {
				delete(v, "id")
			}
			for _, inner := range v {
				clean(inner)
			}
		case []any:
			for _, inner := range v {
				clean(inner)
			}
		}
	}
	clean(value)
	body, _ = json.Marshal(value) // it came from JSON
	return body
}
