package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eventbatch/batch/report/finding"
)

// posted returns what a page answers to a body, with its status.
func posted(t *testing.T, d *Desk, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Host = pageAddress
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(tokenHeader, d.access.token)
	got := answered(d, r)
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

// fetched returns what a page answers to a question, and got its body.
func fetched(t *testing.T, d *Desk, path string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = pageAddress
	r.Header.Set(tokenHeader, d.access.token)
	return answered(d, r)
}

func got(t *testing.T, d *Desk, path string) string {
	t.Helper()
	answer := fetched(t, d, path)
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s: %v", path, answer.Status, text, err)
	}
	return string(text)
}

// A page that only shows has no route by which anything is changed.
func TestAPageThatOnlyShowsTakesNoAnswer(t *testing.T) {
	d := served(t)
	d.Mapping.Save, d.Editing.Edits, d.Sending = "", nil, Sending{}
	for _, r := range d.table() {
		if r.method != http.MethodGet && r.path != "/api/session" {
			t.Errorf("it has %s %s", r.method, r.path)
		}
	}
}

// What a page posts are answers: it names no path, no command and no flag.
func TestAPageNamesNoPathAndNoCommand(t *testing.T) {
	d := served(t)
	for path, bodies := range map[string][]string{
		"/api/mapping": {
			`{"generation":0,"output":"/tmp/a.yaml"}`,
			`{"generation":0,"mapping":"version: 1"}`,
			`{"generation":0,"answers":[{"id":"timezone","value":"x","force":true}]}`,
			`{"generation":0,"answers":[{"id":"timezone","value":"UTC --output=a=b"}]}`,
			`{"generation":0,"answers":[{"id":"","value":"x"}]}`,
			`{"generation":0,"answers":[{"id":"a\u0000","value":"x"}]}`,
			`[]`, `"a"`, ``,
		},
		"/api/mapping/save": {
			`{"generation":0,"file":"../b.map.yaml"}`,
			`{"generation":0,"force":true}`,
			`{"generation":"0"}`,
		},
		"/api/edits": {
			`{"generation":0,"file":"/tmp/a.csv"}`,
			`{"generation":0,"cells":[{"sheet":"../a","cell":"A2","before":"Tea","after":"x"}]}`,
			`{"generation":0,"cells":[{"cell":"A1","before":"name","after":"x"}]}`,
			`{"generation":0,"cells":[{"cell":"B2","before":"","after":"x"}]}`,
			`{"generation":0,"cells":[{"cell":"A2","before":"Tea","after":"x\u0000"}]}`,
			`{"generation":0,"cells":[{"cell":"A2","before":"Tea","after":"x"},{"cell":"A2","before":"Tea","after":"y"}]}`,
			`{"generation":0,"rule":"run","rows":[2]}`,
			`{"generation":0,"rule":"value","rows":[2]}`,
		},
		"/api/edits/undo": {`{"generation":0,"step":1,"path":"a"}`},
		"/api/mended":     {`{"generation":0,"output":"../b.csv"}`},
		"/api/reread":     {`{"generation":0,"file":"b.csv"}`},
	} {
		for _, body := range bodies {
			if status, text := posted(t, d, path, body); status != http.StatusBadRequest {
				t.Errorf("%s %s: %d %s", path, body, status, text)
			}
		}
	}
	if len(d.answers) > 0 || d.generation > 0 || d.saved.text != "" {
		t.Errorf("something was done: %v, %d, %q", d.answers, d.generation, d.saved.text)
	}
	left, err := os.ReadDir(filepath.Dir(d.Mapping.Save))
	if err != nil || len(left) > 0 {
		t.Errorf("%v was written: %v", left, err)
	}
}

// An answer that map refuses leaves all as it is, and so does one of a tab that shows an earlier reading.
func TestAnswersAreTakenOneAfterTheOther(t *testing.T) {
	d := served(t)
	var told []*Session // of rows that are read anew
	d.Told = func(s *Session) { told = append(told, s) }
	for _, step := range []struct {
		body   string
		status int
		want   []Answer
		reads  bool
	}{
		{`{"generation":0,"answers":[{"id":"refused","value":"a"}]}`, 200, nil, false},
		{`{"generation":0,"answers":[{"id":"timezone","value":"Europe/Berlin"}]}`, 200, []Answer{{"timezone", "Europe/Berlin"}}, true},
		{`{"generation":0,"answers":[{"id":"key","value":"Nr."}]}`, 412, []Answer{{"timezone", "Europe/Berlin"}}, true},
		{`{"generation":1,"answers":[{"id":"timezone","value":"Europe/Paris"}]}`, 200, []Answer{{"timezone", "Europe/Paris"}}, true},
		{`{"generation":2,"back":"timezone"}`, 200, nil, false},
	} {
		status, text := posted(t, d, "/api/mapping", step.body)
		if status != step.status || !slices.Equal(d.answers, step.want) || (d.by != "") != step.reads {
			t.Errorf("%s: %d %s; %v, read by %q", step.body, status, text, d.answers, d.by)
		}
		if step.reads && (len(told) == 0 || told[len(told)-1] != d.current) || len(told) > 3 {
			t.Errorf("%s: %d readings were told", step.body, len(told))
		}
	}
	if got := fetched(t, d, "/api/rows?view=all&g=0"); got.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("rows of an earlier reading: %s", got.Status)
	}
}

// As long as a file cannot be read without answers, the foot asks for those, and does not say what is wrong with its header. Its
// line gives those that there are, and a plan waits for them.
func TestTheFootAsksForAnswersBeforeAnyRowIsRead(t *testing.T) {
	var without *Session
	d := served(t, func(c *Config) {
		var err error
		without, err = NewSession(nil, func(s *Session) []byte {
			_ = s.End(&finding.Summary{Exit: finding.Exit{Code: 1, Error: "no row names a field"}})
			return nil
		})
		if c.Session = without; err != nil {
			t.Fatal(err)
		}
	})
	if err := without.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/api/state": `"command":"eventbatch map a.csv","done":true,"read":0,"rows":{},"left_out":0,` +
			`"sum":"1 question open: no row is read before the answers under Questions"`,
		"/api/plan": `"hint":"see Questions"`,
	} {
		if text := got(t, d, path); !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	const answers = `{"generation":0,"answers":[{"id":"timezone","value":"Europe/Berlin"}]}`
	if status, text := posted(t, d, "/api/mapping", answers); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if text := got(t, d, "/api/state"); strings.Contains(text, "question open") {
		t.Errorf("once it is answered: %s", text)
	}
}

// A mapping is written when that is asked for, and over nothing but what the page wrote itself.
func TestAMappingIsSavedOverNothingOfOthers(t *testing.T) {
	d := served(t)
	file := d.Mapping.Save
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("the file holds %q, want %q: %v", got, want, err)
		}
	}
	step := func(path, body string, want int) {
		t.Helper()
		if status, text := posted(t, d, path, body); status != want {
			t.Errorf("%s %s: %d %s, want %d", path, body, status, text, want)
		}
	}
	step("/api/mapping", `{"generation":0,"answers":[{"id":"timezone","value":"Europe/Berlin"}]}`, 200)
	if _, err := os.Lstat(file); !os.IsNotExist(err) {
		t.Errorf("an answer writes a file: %v", err)
	}
	step("/api/mapping/save", `{"generation":0}`, 412)
	step("/api/mapping/save", `{"generation":1}`, 200)
	holds("version: 1\ntimezone: Europe/Berlin\n")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 { // as what is decided about the file
		t.Errorf("%v: %v", info, err)
	}
	step("/api/mapping", `{"generation":1,"answers":[{"id":"timezone","value":"Europe/Paris"}]}`, 200)
	step("/api/mapping/save", `{"generation":2}`, 200)
	holds("version: 1\ntimezone: Europe/Paris\n")
	if err := os.WriteFile(file, []byte("version: 1 # by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	step("/api/mapping/save", `{"generation":2}`, 409)
	holds("version: 1 # by hand\n")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	step("/api/mapping/save", `{"generation":2}`, 200)
	holds("version: 1\ntimezone: Europe/Paris\n")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(file), "elsewhere"), file); err != nil {
		t.Fatal(err)
	}
	step("/api/mapping/save", `{"generation":2}`, 409)
	if _, err := os.Lstat(filepath.Join(filepath.Dir(file), "elsewhere")); !os.IsNotExist(err) {
		t.Errorf("a link was followed: %v", err)
	}
	// Nor is one that leads to the very text that the page has written.
	const paris = "version: 1\ntimezone: Europe/Paris\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "elsewhere"), []byte(paris), 0o600); err != nil {
		t.Fatal(err)
	}
	step("/api/mapping", `{"generation":2,"answers":[{"id":"timezone","value":"Europe/Berlin"}]}`, 200)
	step("/api/mapping/save", `{"generation":3}`, 409)
	holds(paris)
}

// Answers are saved too where the line that the page shows has written them.
func TestAnswersThatALineHasWrittenAreSaved(t *testing.T) {
	d := served(t)
	const answer = `{"generation":0,"answers":[{"id":"date_order","value":"dmy"}]}`
	if status, text := posted(t, d, "/api/mapping", answer); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	for text, want := range map[string]string{
		"version: 1\n": `"saved":false,"command":"eventbatch map a.csv -o a.map.yaml"`,
		"# proposed for a.mended.csv\nversion: 1\ndate_order: dmy # proven\n": `"saved":true,` +
			`"command":"eventbatch map a.csv -o a.map.yaml --force"`,
	} {
		d.saved.text = ""
		if err := os.WriteFile(d.Mapping.Save, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if state := got(t, d, "/api/state"); !strings.Contains(state, want) {
			t.Errorf("%q: %s is not in %s", text, want, state)
		}
	}
}

// A mapping that was kept beside the file is read by until a person answers anew, and stays until another is saved.
func TestAKeptMappingIsReadByUntilThereAreAnswers(t *testing.T) {
	const text = "version: 1 # of last year\n"
	var planned []string
	d := served(t, func(c *Config) {
		c.Mapping.By, c.Mapping.Kept = c.Mapping.Save, text
		plan := c.Sending.Plan
		c.Sending.Plan = func(ctx context.Context, words ...string) []byte {
			planned = words
			return plan(ctx, words...)
		}
	})
	file := d.Mapping.Save
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	states := func(by, command string, reads bool) {
		t.Helper()
		var s struct {
			By, Command string
			Mapping     StateMapping
		}
		if err := json.Unmarshal([]byte(got(t, d, "/api/state")), &s); err != nil {
			t.Fatal(err)
		}
		if s.By != by || s.Command != command || s.Mapping.Reads != reads {
			t.Errorf("by %q, %q, %v", s.By, s.Command, s.Mapping)
		}
	}
	const checks = "eventbatch check a.csv"
	states("a.map.yaml", checks+" --mapping a.map.yaml", true)
	if status, said := posted(t, d, "/api/plan", `{"generation":0}`); status != 200 || !slices.Contains(planned, "--mapping="+file) {
		t.Errorf("%d %s, by %v", status, said, planned)
	}
	for _, step := range []struct {
		path, body string
		status     int
	}{
		{"/api/mapping", `{"generation":0,"answers":[]}`, 200},
		{"/api/mapping", `{"generation":1,"answers":[{"id":"timezone","value":"Europe/Berlin"}]}`, 200},
	} {
		if status, said := posted(t, d, step.path, step.body); status != step.status {
			t.Fatalf("%s: %d %s", step.body, status, said)
		}
		const makes = "eventbatch map a.csv -o a.map.yaml --force && " // over the one that is read there
		states("", map[bool]string{true: makes + checks + " --mapping a.map.yaml", false: checks}[len(d.answers) > 0], len(d.answers) > 0)
	}
	if left, err := os.ReadFile(file); err != nil || string(left) != text {
		t.Errorf("it holds %q before anything is saved: %v", left, err)
	}
	if status, said := posted(t, d, "/api/mapping/save", `{"generation":2}`); status != 200 {
		t.Errorf("%d %s", status, said)
	}
	if saved, err := os.ReadFile(file); err != nil || string(saved) != "version: 1\ntimezone: Europe/Berlin\n" {
		t.Errorf("it holds %q: %v", saved, err)
	}
	states("", checks+" --mapping a.map.yaml", true)
}

// A page that is opened again goes on with the answers that its mapping was made by, the open questions too: not with those of a
// mapping that somebody has changed since.
func TestAnswersAreGoneOnWith(t *testing.T) {
	var config Config
	first := served(t, func(c *Config) { config = *c })
	for generation, answer := range []string{`{"id":"timezone","value":"Europe/Berlin"}`, `{"id":"key","value":"none"}`} {
		body := fmt.Sprintf(`{"generation":%d,"answers":[%s]}`, generation, answer)
		if status, said := posted(t, first, "/api/mapping", body); status != 200 {
			t.Fatalf("%d %s", status, said)
		}
	}
	if status, said := posted(t, first, "/api/mapping/save", `{"generation":2}`); status != 200 {
		t.Fatalf("%d %s", status, said)
	}
	saved, err := os.ReadFile(first.Mapping.Save)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{string(saved): 2, string(saved) + "# by hand\n": 0} {
		for _, unfinished := range []bool{false, true} {
			again := served(t, func(c *Config) {
				c.Editing.Edits.folder, c.Mapping.Save = config.Editing.Edits.folder, config.Mapping.Save
				if c.Mapping.By, c.Mapping.Kept = c.Mapping.Save, text; unfinished {
					c.Mapping.By, c.Mapping.Kept, c.Mapping.Unfinished, c.Mapping.Unread = "", "", text, "it is not finished"
				}
			})
			var s struct {
				Answers  []Answer
				Kept, By string
			}
			if err := json.Unmarshal([]byte(got(t, again, "/api/state")), &s); err != nil {
				t.Fatal(err)
			}
			if len(s.Answers) != want || (s.Kept == "") != (want > 0) || (s.By == "") != (want > 0 || unfinished) {
				t.Errorf("unfinished %t: %v, by %q: %s; want %d answers", unfinished, s.Answers, s.By, s.Kept, want)
			}
		}
	}
}

// One that somebody has changed since the page read it is not written over.
func TestAKeptMappingThatHasChangedIsNotWrittenOver(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Mapping.By, c.Mapping.Kept = c.Mapping.Save, "version: 1 # of last year\n" },
		func(c *Config) {
			c.Mapping.Unread, c.Mapping.Unfinished = "timezone is open", "version: 1 # of last year\n"
		},
		func(c *Config) { c.Mapping.Unread = "it is no mapping" },
	} {
		d := served(t, change)
		const text = "version: 1 # by hand\ndate_order: mdy\n"
		if err := os.WriteFile(d.Mapping.Save, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, said := posted(t, d, "/api/mapping/save", `{"generation":0}`); status != http.StatusConflict {
			t.Errorf("%d %s", status, said)
		}
		if left, err := os.ReadFile(d.Mapping.Save); err != nil || string(left) != text {
			t.Errorf("it holds %q: %v", left, err)
		}
	}
}

// What is handed out is an attachment under a name of the page's own, whatever is asked for.
func TestFilesAreHandedOutUnderFixedNames(t *testing.T) {
	d := served(t)
	for path, want := range map[string]string{
		"/api/files/report?id=20270301-1&name=../evil.exe": `attachment; filename=report-20270301-1.html`,
		"/api/files/results?id=20270301-1":                 `attachment; filename=results-20270301-1.csv`,
		"/api/files/marked?id=20270301-1":                  `attachment; filename=marked.xlsx`,
		"/api/files/mapping":                               `attachment; filename=a.map.yaml`,
	} {
		answer := fetched(t, d, path)
		if header := answer.Header.Get("Content-Disposition"); header != want || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %s", path, answer.Status, header)
		}
	}
	for _, path := range []string{"/api/files/report", "/api/files/report?id=../../etc/passwd", "/api/files/results?id=-o"} {
		if answer := fetched(t, d, path); answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
	d.Make = func(context.Context, Wanted) (io.ReadCloser, error) { return nil, Refused("there is none") }
	if answer := fetched(t, d, "/api/files/report?id=20270301-1"); answer.StatusCode != http.StatusConflict {
		t.Error(answer.Status)
	}
}

// How many rows would be wrong is counted by a reading of its own, with all that is proposed, and once for each mapping.
func TestWhatIsProposedIsCountedBeforeItIsTaken(t *testing.T) {
	d := served(t)
	if err := d.current.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	known, readings := d.Mapping.Map, 0
	d.Mapping.Map = func(ctx context.Context, answers []Answer) Mapped {
		mapped := known(ctx, answers)
		if mapped.Open > 0 {
			mapped.Ready = []Answer{{"timezone", "Europe/Berlin"}}
		}
		return mapped
	}
	read := d.Mapping.Read
	d.Mapping.Read = func(ctx context.Context, mapping string) (*Session, error) {
		if mapping == "" { // behind the edit
			return read(ctx, mapping)
		}
		if readings++; mapping != "version: 1\ntimezone: Europe/Berlin\n" {
			t.Errorf("it is read by %q", mapping)
		}
		return read(ctx, mapping)
	}
	const foretold = `{"open":0,"read":1,"invalid":0,"words":"With all taken: no mistake in 1 row"}`
	for range 2 {
		if status, text := asks(t, d, "/api/forecast?g=0"); status != http.StatusOK || text != foretold {
			t.Errorf("%d %s", status, text)
		}
	}
	if readings != 1 || len(d.answers) > 0 || d.by != "" || d.generation != 0 {
		t.Errorf("%d readings; %v, %q, %d", readings, d.answers, d.by, d.generation)
	}
	const edit = `{"generation":0,"cells":[{"cell":"A2","before":"Tea","after":"Coffee"}]}`
	if status, text := posted(t, d, "/api/edits", edit); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if _, text := asks(t, d, "/api/forecast?g=1"); text != foretold || readings != 2 {
		t.Errorf("%s: after an edit it is not counted again", text)
	}
	const nothing = `{"open":0,"read":0,"invalid":0,"words":""}`
	if status, text := asks(t, d, "/api/forecast?g=7"); status != http.StatusOK || strings.TrimSpace(text) != nothing {
		t.Errorf("of an earlier reading: %d %s", status, text)
	}
	d.Mapping.Map = known // which proposes nothing
	d.known = Mapped{}
	if _, text := asks(t, d, "/api/forecast?g=0"); !strings.HasPrefix(text, `{"open":1,`) {
		t.Error(text)
	}
}
