package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"eventbatch/batch/sandbox"
)

// Every tool, before a service that is sound and before one that repeats the key in every form.
func TestKeyStaysInEveryTool(t *testing.T) {
	t.Parallel()
	c := newCage(t, "http://127.0.0.1:1")
	sound := serve(t, sandbox.Config{Keys: c.keys(), Limits: bigLimits})
	repeats := newRepeater(c.key)
	server := httptest.NewServer(repeats)
	t.Cleanup(server.Close)
	for name, url := range map[string]string{"sound": sound.url, "repeats": server.URL} {
		c.write(t, "eventbatch.yaml", profileOf(url, bigLimits))
		a := c.hire(t, "-v", "--apply", "--workspace", name, "--calendar", sandbox.CalendarID)
		call := func(tool string, arguments map[string]any) []byte {
			document, _ := a.call(t.Context(), t, tool, arguments)
			return document
		}
		call("check", map[string]any{"files": []string{"rows.csv"}})
		call("map", map[string]any{"file": "rows.csv"})
		planned := decodeJSON[heardDoc](t, string(call("plan", map[string]any{"files": []string{"rows.csv"}})))
		call("apply", map[string]any{"run": "latest", "checksum": planned.Checksum})
		call("show", map[string]any{"run": "latest", "all": true})
		call("report", map[string]any{"run": "latest", "output": []string{name + ".html"}})
		call("export", map[string]any{"resources": []string{"events"}, "output": name + ".csv"})
		call("check", map[string]any{"files": []string{"rows.csv"}, "mapping": "none"})
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		c.examine(t, name+": protocol", []byte(a.heard.String()))
		c.examine(t, name+": errors", []byte(a.errors.String()))
		c.search(t, name)
		if !strings.Contains(a.errors.String(), "path=/v1/") {
			t.Errorf("%s: nothing was logged: the test proves nothing: %s", name, a.errors)
		}
	}
	if sound.Stats().Created != 12 || repeats.n.Load() == 0 {
		t.Errorf("%d created, %d repeated: the test proves nothing", sound.Stats().Created, repeats.n.Load())
	}
}
