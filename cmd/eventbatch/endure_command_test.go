package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// home is a folder that commands run in, with a workspace, a home and an
// eventbatch.yaml of its own.
type home struct {
	dir     string
	env     []string
	command string // the name of the test binary, empty for that of the command
}

func newHome(t testing.TB, profile string) *home {
	t.Helper()
	dir := t.TempDir()
	h := &home{dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(),
		"XDG_STATE_HOME=" + filepath.Join(dir, ".state"), "XDG_CONFIG_HOME=" + filepath.Join(dir, ".config"),
		"CALENDAR_KEY=" + sandbox.CalendarSecret, "ORGANIZATION_KEY=" + sandbox.OrganizationSecret,
	}}
	h.write(t, "eventbatch.yaml", profile)
	return h
}

// sharing has the home's commands count requests in the folder of another.
func (h *home) sharing(with *home) {
	h.env = append(h.env, "XDG_STATE_HOME="+filepath.Join(with.dir, ".state"))
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program is the command: the test binary under its name.
func program(t testing.TB) string {
	t.Helper()
	return standIn(t, "eventbatch")
}

// standIn is the test binary under another name.
func standIn(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// ended is how a command ended.
type ended struct {
	code   int // -1 where a signal ended it
	signal string
	stdout string
	stderr string
}

func (e ended) String() string {
	return fmt.Sprintf("exit %d %s\nstdout: %s\nstderr: %s", e.code, e.signal, clip(e.stdout), clip(e.stderr))
}

func clip(text string) string {
	if len(text) > 4000 {
		return text[:2000] + "\n…\n" + text[len(text)-2000:]
	}
	return text
}

// process is a command under way.
type process struct {
	*exec.Cmd
	out, err stream
	done     chan struct{} // closed when it has ended
}

// stream is a standard stream of a command, to be read while it runs.
type stream struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(b)
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// start begins a command.
func (h *home) start(t testing.TB, args ...string) *process {
	t.Helper()
	return h.startProgram(t, standIn(t, cmp.Or(h.command, "eventbatch")), args...)
}

func (h *home) startProgram(t testing.TB, path string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.Dir, p.Env, p.Stdout, p.Stderr = h.dir, h.env, &p.out, &p.err
	p.WaitDelay = 10 * time.Second
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.Wait()
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.done
	})
	return p
}

// end waits for the command.
func (p *process) end(t testing.TB) ended {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(3 * time.Minute):
		_ = p.Process.Kill()
		<-p.done
		t.Fatalf("%v did not end: %v", p.Args, p.ended())
	}
	return p.ended()
}

// ended tells how it ended, once it has.
func (p *process) ended() ended {
	e := ended{code: p.ProcessState.ExitCode(), stdout: p.out.String(), stderr: p.err.String()}
	if e.code < 0 {
		e.signal = p.ProcessState.String()
	}
	return e
}

func (h *home) run(t testing.TB, args ...string) ended {
	t.Helper()
	return h.start(t, args...).end(t)
}

// must runs a command that has to end with this code.
func (h *home) must(t testing.TB, code int, args ...string) ended {
	t.Helper()
	e := h.run(t, args...)
	if e.code != code {
		t.Fatalf("eventbatch %s: want exit %d\n%v", strings.Join(args, " "), code, e)
	}
	return e
}

// show gives every row of a run, and how far it is.
func (h *home) show(t testing.TB, run string) report.Shown {
	t.Helper()
	return decodeJSON[report.Shown](t, h.must(t, 0, "show", run, "--all", "--json").stdout)
}

func decodeJSON[T any](t testing.TB, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, clip(text))
	}
	return value
}

// unsettled counts the rows of a document that did not come to a good end.
func unsettled(rows found.Rows) int { return rows.Open() + rows[found.Failed] + rows[found.Blocked] }

// resultsOf reads the results of a run: by the column that names the rows, each row by column name.
func (h *home) resultsOf(t testing.TB, run, by string) map[string]map[string]string {
	t.Helper()
	path := h.show(t, run).Files.Results
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	rows := map[string]map[string]string{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, name := range header {
			row[name] = record[i]
		}
		if rows[row[by]] != nil {
			t.Fatalf("%s %q is in the results twice", by, row[by])
		}
		rows[row[by]] = row
	}
}

// programme is an input file of new events.
type programme struct {
	text  strings.Builder
	names map[string]string // by key
}

// newProgramme gives rows keyed prefix-0, prefix-1, … of the calendars in turn;
// without any the column is left out. Every tenth row starts when the one
// before does.
func newProgramme(prefix string, rows int, calendars ...string) *programme {
	p := &programme{names: map[string]string{}}
	p.text.WriteString("key,name,start_at,timezone,calendar_id\n")
	start := time.Date(2031, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range rows {
		calendar := ""
		if len(calendars) > 0 {
			calendar = calendars[i%len(calendars)]
		}
		at := start.Add(time.Duration(i-i%10/9) * time.Hour)
		p.add(fmt.Sprintf("%s-%d", prefix, i), fmt.Sprintf("Session %s %d", prefix, i), at, calendar)
	}
	return p
}

func (p *programme) add(key, name string, at time.Time, calendar string) {
	fmt.Fprintf(&p.text, "%s,%s,%s,America/New_York,%s\n", key, name, at.Format(time.RFC3339), calendar)
	p.names[key] = name
}

// wanted counts the events that the programme asks for by name.
func (p *programme) wanted() map[string]int {
	want := map[string]int{}
	for _, name := range p.names {
		want[name]++
	}
	return want
}

// joined fails the test unless each row of the results has the id of an event of
// its own with the row's name.
func (s *served) joined(t *testing.T, p *programme, rows map[string]map[string]string) {
	t.Helper()
	names := map[string]string{}
	for _, e := range s.Events() {
		names[e.ID] = e.Name
	}
	taken := map[string]string{}
	wrong := 0
	for key, name := range p.names {
		id := rows[key]["_event_id"]
		if other := taken[id]; names[id] != name || id == "" || other != "" {
			if wrong++; wrong <= 10 {
				t.Errorf("row %s (%s): event %q is %q, taken by row %q", key, name, id, names[id], other)
			}
		}
		taken[id] = key
	}
	if len(rows) != len(p.names) {
		t.Errorf("%d rows in the results, want %d", len(rows), len(p.names))
	}
}
