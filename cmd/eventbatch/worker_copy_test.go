package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventbatch/batch/pgtest"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/pattern"
)

// whereItLies are the lines of a run that say where it lies: its results, and how to go on with it.
var whereItLies = pattern.New(`(?m)^(results: |to ).*\n`)

// toldOf returns what the commands say of runs, and write of them.
func (h *home) toldOf(t *testing.T, runs []string, store ...string) map[string]string {
	t.Helper()
	told := map[string]string{}
	for _, run := range runs {
		shown := h.must(t, 0, append([]string{"show", run, "--all"}, store...)...).stdout
		told["show "+run] = whereItLies().ReplaceAllString(shown, "")
		h.must(t, 0, append([]string{"report", run, "-o", "told.csv", "-o", "told.json"}, store...)...)
		for _, name := range []string{"told.csv", "told.json"} {
			text, err := os.ReadFile(h.path(name))
			if err != nil {
				t.Fatal(err)
			}
			told[name+" "+run] = string(text)
		}
	}
	return told
}

// Runs that workers have carried, one of whom dies, are copied into a folder and from there into
// another schema: what is said of them is the same, nothing is sent again, and they can be undone.
func TestRunsOfWorkersAreCopiedThereAndBack(t *testing.T) {
	if testing.Short() {
		t.Skip("it has processes of three machines")
	}
	t.Parallel()
	const calendars, rows = 3, 24
	files := sized(50, 3, 0) // each is imported twice
	f := newFleet(t, calendars, sandbox.Config{
		Limits: sandbox.Limits{Calendar: 200, Window: time.Second}, Latency: 2 * time.Millisecond,
	})
	desk, store := f.home, pgtest.Database(t)
	p := newProgramme("all", files*rows, f.calendars...)
	lines := strings.SplitAfter(p.text.String(), "\n")
	renamed := strings.NewReplacer("Session", "Meeting")
	write := func(n int, change func(string) string) string {
		name := fmt.Sprintf("rows-%d.csv", n)
		desk.write(t, name, lines[0]+change(strings.Join(lines[1+n*rows:1+(n+1)*rows], "")))
		return name
	}
	same := func(text string) string { return text }

	// While a run waits for workers it is not copied.
	desk.must(t, 0, "store", "migrate", "--store", store)
	desk.must(t, 0, "import", write(0, same), "--yes", "--detach", "--store", store)
	if e := desk.must(t, exitLocked, "store", "copy", store, "early"); !strings.Contains(e.stderr, "is under way") {
		t.Error(e)
	}
	workers := f.atWork(t, 2, store)
	f.alive(t)
	desk.must(t, 0, "apply", "latest", "--yes")
	f.service.hook = func(n int64) {
		if n == int64(files*rows) && os.Getenv("ENDURE") != "" {
			_ = workers[0].Process.Kill()
		}
	}
	for n := range files {
		if n > 0 {
			desk.must(t, 0, "import", write(n, same), "--yes")
		}
		desk.must(t, 0, "import", write(n, renamed.Replace), "--yes")
	}
	for _, worker := range workers {
		_ = worker.Process.Signal(syscall.SIGTERM) // it may be dead
		worker.end(t)
	}

	var runs []string
	for _, run := range decodeJSON[struct{ Runs []struct{ Run string } }](t, desk.must(t, 0, "runs", "--json").stdout).Runs {
		runs = append(runs, run.Run)
	}
	if len(runs) != 2*files {
		t.Fatalf("there are %d runs", len(runs))
	}
	want := desk.toldOf(t, runs)
	desk.env = slices.DeleteFunc(desk.env, func(v string) bool { return strings.HasPrefix(v, "EVENTBATCH_STORE=") })
	back := store + "&search_path=back"
	desk.must(t, 0, "store", "migrate", "--store", back)
	begin := time.Now()
	desk.must(t, 0, "store", "copy", store, "folder")
	there := time.Since(begin)
	desk.must(t, 0, "store", "copy", "folder", back)
	t.Logf("%d runs of %d rows: there in %v, back in %v", len(runs), rows, there, time.Since(begin)-there)
	for _, at := range [][]string{{"--workspace", "folder"}, {"--store", back}} {
		if diff := difference(t, want, desk.toldOf(t, runs, at...)); diff != "" {
			t.Errorf("%v: %s", at, clip(diff))
		}
	}
	if e := desk.must(t, 0, "store", "copy", back, "folder"); !strings.Contains(e.stderr, "0 runs copied") {
		t.Error(e)
	}

	desk.write(t, "all.csv", renamed.Replace(p.text.String()))
	for _, at := range [][]string{{"--workspace", "folder"}, {"--store", back}} {
		before := f.service.arrived.Load()
		e := desk.must(t, 0, append([]string{"import", "all.csv", "--yes", "--json"}, at...)...)
		doc := decodeJSON[report.Shown](t, e.stdout)
		if doc.Rows[found.Unchanged] != files*rows || f.service.arrived.Load()-before > calendars {
			t.Errorf("%v: %d requests, and %+v", at, f.service.arrived.Load()-before, doc.Rows)
		}
	}
	desk.must(t, 0, "undo", runs[0], "--yes", "--store", back) // the names of the last file
	names := map[bool]int{}
	for _, e := range f.service.Events() {
		names[strings.HasPrefix(e.Name, "Meeting")]++
	}
	if names[true] != (files-1)*rows || names[false] != rows {
		t.Errorf("of the events %d have new names, and %d old ones", names[true], names[false])
	}
	desk.must(t, 0, "retry", runs[0], "--yes", "--workspace", "folder")
}
