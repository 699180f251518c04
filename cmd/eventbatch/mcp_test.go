package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"eventbatch/batch/agents"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/schema"
)

// agent is somebody who calls tools.
type agent struct {
	*mcp.ClientSession

	command *exec.Cmd
	heard   *stream // all that was said both ways
	errors  *stream // what the server said to people
	outputs map[string]*jsonschema.Resolved
}

// hire starts mcp in a home, and an agent who has read its list of tools.
func (h *home) hire(t *testing.T, args ...string) *agent {
	t.Helper()
	a := &agent{heard: &stream{}, errors: &stream{}, outputs: map[string]*jsonschema.Resolved{}}
	a.command = exec.CommandContext(t.Context(), program(t), append([]string{"mcp"}, args...)...)
	a.command.Dir, a.command.Env, a.command.Stderr = h.dir, h.env, a.errors
	transport := &mcp.LoggingTransport{
		Transport: &mcp.CommandTransport{Command: a.command, TerminateDuration: time.Minute}, Writer: a.heard,
	}
	var err error
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if a.ClientSession, err = client.Connect(t.Context(), transport, nil); err != nil {
		t.Fatal(err, a.errors)
	}
	t.Cleanup(func() { _ = a.Close() })
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		var output jsonschema.Schema
		if err := json.Unmarshal(encoded(t, tool.OutputSchema), &output); err != nil {
			t.Fatal(err)
		}
		if a.outputs[tool.Name], err = output.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// call calls a tool and returns its document, which is as its schemas say, and whether the tool says that it failed.
func (a *agent) call(ctx context.Context, t *testing.T, tool string, arguments map[string]any) (document []byte, failed bool) {
	t.Helper()
	result, err := a.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", tool, arguments, err, a.errors)
	}
	document = encoded(t, result.StructuredContent)
	if err := a.outputs[tool].Validate(result.StructuredContent); err != nil {
		t.Errorf("%s: %v", tool, err)
	}
	var text any
	line := []byte(result.Content[0].(*mcp.TextContent).Text)
	if err := json.Unmarshal(line, &text); err != nil || !bytes.Equal(encoded(t, text), document) {
		t.Errorf("%s: the text is another document: %v", tool, err)
	}
	if err := documentError(line); err != nil {
		t.Error(err)
	}
	return document, result.IsError
}

// heardDoc is what the documents of tools have.
type heardDoc struct {
	Command, Run, Checksum string
	Rows                   map[found.Status]int
	Problems               []json.RawMessage
	Effects                *report.Effects
	Needs                  []schema.Effect
	Exit                   found.Exit
}

// must calls a tool that ends with a code, and returns its document.
func (a *agent) must(t *testing.T, code int, tool string, arguments map[string]any) heardDoc {
	t.Helper()
	document, failed := a.call(t.Context(), t, tool, arguments)
	doc := decodeJSON[heardDoc](t, string(document))
	if doc.Exit.Code != code || failed != (code != exitDone) {
		t.Errorf("%s %v: exit %d, want %d, failed %t\n%s", tool, arguments, doc.Exit.Code, code, failed, document)
	}
	return doc
}

const (
	agentEvents = "key,name,start_at,timezone\nK1,Spring tea,2027-03-20 18:00,Europe/Paris\n"
	agentGuests = "event,email,send_email\nK1,ada@example.org,true\n"
)

// An agent checks, plans and applies what it has planned, as the command line would.
func TestAgentsApplyWhatTheyHavePlanned(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	h.write(t, "events.csv", agentEvents)
	h.write(t, "wrong.csv", agentEvents+"K2,,someday,Mars\n")
	a := h.hire(t, "--sandbox", "--apply")
	if got := strings.Join(slices.Sorted(maps.Keys(a.outputs)), " "); got != "apply check export map plan report show" {
		t.Errorf("tools: %s", got)
	}
	a.must(t, exitDone, "check", map[string]any{"files": []string{"events.csv"}, "header-row": 1, "set": []string{"name=Tea"}})
	if doc := a.must(t, exitInvalid, "check", map[string]any{"files": []string{"wrong.csv"}}); len(doc.Problems) == 0 {
		t.Error("no problems")
	}
	a.must(t, exitInvalid, "plan", map[string]any{"files": []string{"wrong.csv"}})
	mapped, failed := a.call(t.Context(), t, "map", map[string]any{"file": "events.csv", "output": "events.map.yaml"})
	if doc := decodeJSON[report.Proposed](t, string(mapped)); failed || doc.Written != "events.map.yaml" {
		t.Errorf("%+v", doc)
	}
	planned := a.must(t, exitDone, "plan", map[string]any{"files": []string{h.path("events.csv")}})
	if planned.Rows[found.Pending] != 1 || planned.Checksum == "" {
		t.Fatalf("%+v", planned)
	}
	for wrong, code := range map[string]int{"0123456789": exitStale, " ": exitStale, "": exitUsage} {
		a.must(t, code, "apply", map[string]any{"run": planned.Run, "checksum": wrong})
	}
	a.must(t, exitUsage, "apply", map[string]any{"run": planned.Run})
	a.must(t, exitNoInput, "apply", map[string]any{"run": "none", "checksum": planned.Checksum})
	if doc := a.must(t, exitDone, "show", map[string]any{"run": "latest"}); doc.Rows[found.Created] != 0 {
		t.Errorf("a plan of another checksum was applied: %+v", doc.Rows)
	}
	for range 2 { // the second time it is done
		doc := a.must(t, exitDone, "apply", map[string]any{"run": "latest", "checksum": planned.Checksum})
		if doc.Rows[found.Created] != 1 {
			t.Errorf("%+v", doc.Rows)
		}
	}
	a.must(t, exitDone, "export", map[string]any{"resources": []string{"events"}, "output": "out.csv"})
	a.must(t, exitDone, "report", map[string]any{"run": planned.Run, "output": []string{"out.html", "out.md"}})
	if err := a.Close(); err != nil {
		t.Error(err, a.errors)
	}
	if code := a.command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d: %s", code, a.errors)
	}
	for _, name := range []string{"events.map.yaml", "out.csv", "out.html", "out.md"} {
		if _, err := os.Stat(h.path(name)); err != nil {
			t.Error(err)
		}
	}
}

// Nothing that an agent does reaches people without the leave that mcp was given: not by the profile, and not by whoever
// has planned it.
func TestAgentsReachNobodyWithoutLeave(t *testing.T) {
	t.Parallel()
	service := serve(t, sandbox.Config{Limits: bigLimits})
	h := newHome(t, service.profile())
	h.env = append(h.env, "EVENTBATCH_CALENDAR="+sandbox.CalendarID)
	h.write(t, "events.csv", agentEvents)
	h.write(t, "guests.csv", agentGuests)
	h.write(t, "allowing.yaml", strings.Replace(service.profile(), "    base_url:", "    allow: [mail]\n    base_url:", 1))
	h.must(t, 0, "import", "events.csv", "--yes")
	guests := map[string]any{"files": []string{"guests.csv"}, "resource": "guests"}
	mails := func() int { return len(service.Outbox()) }

	a := h.hire(t, "--apply", "--config", "allowing.yaml")
	planned := a.must(t, exitDone, "plan", guests)
	if planned.Effects == nil || planned.Effects.Mail.Guests != 1 || !slices.Contains(planned.Needs, "mail") {
		t.Errorf("the plan does not say that it mails: %+v", planned)
	}
	refused := a.must(t, exitRefused, "apply", map[string]any{"run": planned.Run, "checksum": planned.Checksum})
	if !strings.Contains(refused.Exit.Error, "agents have no leave") || !strings.Contains(refused.Exit.Hint, "--allow mail") {
		t.Errorf("%+v", refused.Exit)
	}
	by := decodeJSON[report.Run](t, h.must(t, 0, "plan", "guests.csv", "--resource", "guests", "--allow", "mail", "--json").stdout)
	if by.Run == planned.Run {
		t.Error("a person's plan is the agent's")
	}
	a.must(t, exitRefused, "apply", map[string]any{"run": by.Run, "checksum": by.Checksum})
	a.must(t, exitUsage, "apply", map[string]any{"run": by.Run, "checksum": by.Checksum, "allow": "mail"})
	if mails() != 0 {
		t.Fatalf("%d mails were sent without leave", mails())
	}
	h.hire(t, "--apply", "--allow", "cancel").must(t, exitRefused, "apply", map[string]any{"run": by.Run, "checksum": by.Checksum})
	given := h.hire(t, "--apply", "--allow", "mail")
	if doc := given.must(t, exitDone, "apply", map[string]any{"run": planned.Run, "checksum": planned.Checksum}); mails() != 1 {
		t.Errorf("%d mails: %+v", mails(), doc)
	}
	without := h.hire(t)
	if _, ok := without.outputs["apply"]; ok {
		t.Error("apply is served without --apply")
	}
	if _, err := without.CallTool(t.Context(), &mcp.CallToolParams{Name: "apply"}); err == nil {
		t.Error("apply can be called without --apply")
	}
}

// A call that makes no sense, or leads out of the folder, is told, and the next one is heardDoc.
func TestAgentsAreToldWhatTheyMayNotDo(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	h.write(t, "events.csv", agentEvents)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "events.csv"), []byte(agentEvents), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, h.path("link")); err != nil {
		t.Fatal(err)
	}
	a := h.hire(t, "--sandbox")
	planned := a.must(t, exitDone, "plan", map[string]any{"files": []string{"events.csv"}})
	list := func(paths ...string) []string { return paths }
	for _, test := range []struct {
		tool string
		with map[string]any
	}{
		{"check", nil},
		{"check", map[string]any{"files": "events.csv"}},
		{"check", map[string]any{"files": []string{}}},
		{"check", map[string]any{"files": []int{1}}},
		{"check", map[string]any{"files": list("events.csv"), "header-row": 1.5}},
		{"check", map[string]any{"files": list("events.csv"), "no-such": true}},
		{"check", map[string]any{"files": list("events.csv"), "watch": true}},
		{"check", map[string]any{"files": list("events.csv"), "report": list("r.html")}},
		{"check", map[string]any{"files": list("events.csv"), "base-url": "https://elsewhere.example.com"}},
		{"check", map[string]any{"files": list("-")}},
		{"check", map[string]any{"files": list("https://feeds.example.com/a.csv")}},
		{"check", map[string]any{"files": list("../events.csv")}},
		{"check", map[string]any{"files": list(filepath.Join(outside, "events.csv"))}},
		{"check", map[string]any{"files": list("link/events.csv")}},
		{"check", map[string]any{"files": list("events.csv"), "mapping": "../events.map.yaml"}},
		{"check", map[string]any{"files": list("events.csv"), "join": list("venues=../venues.csv")}},
		{"check", map[string]any{"files": list("events.csv"), "covers-from": ".."}},
		{"plan", map[string]any{"files": list("events.csv"), "allow": list("mail")}},
		{"map", map[string]any{"file": "events.csv", "output": "../events.map.yaml"}},
		{"map", map[string]any{"file": "events.csv", "output": "link/events.map.yaml"}},
		{"map", map[string]any{"file": "events.csv", "output": "events.csv"}},
		{"map", map[string]any{"file": "events.csv", "output": "events.csv", "force": true}},
		{"map", map[string]any{"file": "events.csv", "output": ".eventbatch/events.map.yaml"}},
		{"export", map[string]any{"resources": list("events")}},
		{"export", map[string]any{"resources": list("events"), "output": ".git/hooks.csv"}},
		{"report", map[string]any{"run": planned.Run, "output": list("events.csv")}},
		{"report", map[string]any{"run": planned.Run, "logo": "../logo.png"}},
		{"report", map[string]any{"since": "30d"}},
	} {
		if doc := a.must(t, exitUsage, test.tool, test.with); doc.Exit.Error == "" || doc.Exit.Hint == "" || doc.Command != test.tool {
			t.Errorf("%s %v: %+v", test.tool, test.with, doc)
		}
	}
	a.must(t, exitNoInput, "check", map[string]any{"files": list("--none.csv")})
	a.must(t, exitDone, "check", map[string]any{"files": list("events.csv")})

	named := h.hire(t, "--sandbox", "--workspace", "memory")
	named.must(t, exitDone, "plan", map[string]any{"files": list("events.csv")})
	named.must(t, exitUsage, "map", map[string]any{"file": "events.csv", "output": "memory/events.map.yaml"})
	for _, args := range [][]string{{"mcp", "--json"}, {"mcp", "--allow", "mail"}, {"mcp", "--apply", "--allow", "males"}, {"mcp", "now"}} {
		h.must(t, exitUsage, args...)
	}
}

// A call that is taken back stops, and leaves what the next one goes on with; so does the end of the agent.
func TestAgentsTakeACallBack(t *testing.T) {
	t.Parallel()
	service := serve(t, sandbox.Config{Limits: bigLimits, Latency: 20 * time.Millisecond})
	h := newHome(t, service.profile())
	h.env = append(h.env, "EVENTBATCH_CALENDAR="+sandbox.CalendarID)
	const rows = 150
	h.write(t, "rows.csv", newProgramme("row", rows).text.String())
	a := h.hire(t, "--apply")
	planned := a.must(t, exitDone, "plan", map[string]any{"files": []string{"rows.csv"}})
	apply := map[string]any{"run": planned.Run, "checksum": planned.Checksum}
	begun := func(events int) {
		eventually(t, time.Minute, "nothing is sent", func() bool { return service.Stats().Created >= events })
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		begun(5)
		cancel()
	}()
	if _, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "apply", Arguments: apply}); err == nil {
		t.Error("the call was not taken back")
	}
	eventually(t, time.Minute, "the run goes on", func() bool { // until what had left is recorded
		document, failed := a.call(t.Context(), t, "show", map[string]any{"run": planned.Run})
		return !failed && decodeJSON[report.Shown](t, string(document)).State == "unfinished, stopped: interrupted"
	})
	stopped := service.Stats().Created
	if stopped >= rows {
		t.Fatal("all was sent: the test proves nothing")
	}
	go func() { _, _ = a.CallTool(t.Context(), &mcp.CallToolParams{Name: "apply", Arguments: apply}) }()
	begun(stopped + 5)
	if err := a.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = a.Wait()
	_ = a.Close()
	if code := a.command.ProcessState.ExitCode(); code != exitTerminated {
		t.Errorf("exit %d: %s", code, a.errors)
	}
	last := h.hire(t, "--apply")
	if doc := last.must(t, exitDone, "apply", apply); doc.Rows[found.Created] != rows || service.Stats().Created != rows {
		t.Errorf("%d events: %+v", service.Stats().Created, doc.Rows)
	}
}

// A defect ends the call, and not the server.
func TestADefectIsAnAnswer(t *testing.T) {
	c := &mcpCommand{env: newEnv(nil, strings.NewReader(""), io.Discard, io.Discard)}
	var printed bytes.Buffer
	end := c.answer(t.Context(), &agents.Tool{Name: "check"}, func() ([]string, error) { panic("a defect") }, &printed)
	doc := decodeJSON[struct {
		Command string
		Exit    found.Exit
	}](t, printed.String())
	ended := end.Code == exitInternal && doc.Exit.Code == exitInternal && doc.Command == "check"
	if !ended || !strings.Contains(doc.Exit.Error, "a defect") {
		t.Errorf("%+v", doc)
	}
}

// A flag whose value is a path is guarded as one: a new one has to be judged.
func TestToolsGuardEveryPath(t *testing.T) {
	c := &mcpCommand{env: newEnv(nil, strings.NewReader(""), io.Discard, io.Discard)}
	root := c.env.root()
	mcpOf, _, err := root.Find([]string{"mcp"})
	if err != nil {
		t.Fatal(err)
	}
	c.command = mcpOf
	for i := range tools {
		cmd, _, err := root.Find([]string{tools[i].name})
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range c.properties(&tools[i], cmd) {
			path := strings.Contains(p.Value, "FILE") || strings.Contains(p.Value, "FOLDER")
			if guarded := p.Path != agents.NoPath; p.IsFlag && path != guarded {
				t.Errorf("%s %s: its value is %s, and it is guarded as a path: %t", tools[i].name, name, p.Value, guarded)
			}
		}
	}
}
