package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
)

// asks returns what a page answers, with its status.
func asks(t *testing.T, d *Desk, path string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = pageAddress
	r.Header.Set(tokenHeader, d.access.token)
	got := answered(d, r)
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

// What became of the rows adds up, in words that need no plan to be understood.
func TestWhatWasSentIsSaidPlainly(t *testing.T) {
	doc := document{Rows: map[string]int{"read": 40, "created": 5, "unchanged": 34, "failed": 1}}
	if got, want := doc.sum(), "40 = 5 created + 34 already up to date + 1 not accepted"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A plan that was made a while ago says how long it takes, and no time that is past.
func TestAPlanSaysHowLongItTakes(t *testing.T) {
	made := time.Now().Add(-time.Hour)
	for span, want := range map[time.Duration]string{
		0: "1 s", 90 * time.Second: "90 s", 4 * time.Minute: "4 min", 26 * time.Hour: "26 h 00 min",
	} {
		h := &held{ops: &ops{}, made: made, document: document{
			Run: "r", Rows: map[string]int{"create": 2}, FinishAt: new(made.Add(span)), Requests: finding.Requests{Planned: 3},
		}}
		if got := h.totals(0); got != "2 to create · 3 requests, about "+want {
			t.Errorf("%v: %s", span, got)
		}
	}
}

func TestSeveralAreCalledBothOrAll(t *testing.T) {
	for n, want := range map[int]string{1: "A new event", 2: "Both are new", 3: "All 3 are new", 1200: "All 1,200 are new"} {
		if got := areNew(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// Nobody has written the file in which a page keeps decisions: what is noted of them says no line of it.
func TestDecisionsAreNotedWithoutTheFileOfThePage(t *testing.T) {
	notes := []string{"a/b c/decisions.ndjson:12: name of c was decided for other values: mine: yours", "a.csv:2: as it is"}
	got := withoutPlaces(notes, []string{"plan", "--decisions=a/b c/decisions.ndjson", "--", "a.csv"})
	if want := []string{"name of c was decided for other values: mine: yours", "a.csv:2: as it is"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := withoutPlaces(notes, []string{"plan", "a.csv"}); !slices.Equal(got, notes) {
		t.Errorf("%q, want %q", got, notes)
	}
}

// What is sent is the plan that is shown, with the ticks and the number that it asks for, whatever is posted by hand.
func TestNothingIsSentButWhatWasAgreedTo(t *testing.T) {
	d := served(t)
	var sends atomic.Int32
	var with []string
	d.Sending.Send = func(_ context.Context, _ io.Writer, allow []string, words ...string) []byte {
		sends.Add(1)
		with = append(slices.Clone(allow), words...)
		return []byte(`{"run":"20270301-1","rows":{"read":3,"created":1,"cancelled":2}}`)
	}
	d.routes = d.table()
	sound := `{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"2"}`
	if status, text := posted(t, d, "/api/apply", sound); status != http.StatusPreconditionFailed {
		t.Errorf("before there is a plan: %d %s", status, text)
	}
	if status, text := posted(t, d, "/api/plan", `{"generation":0}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	for body, want := range map[string]int{
		`{"generation":0,"run":"20270301-2","checksum":"abc","allow":["cancel"],"typed":"2"}`:                 412,
		`{"generation":0,"run":"20270301-1","checksum":"abd","allow":["cancel"],"typed":"2"}`:                 412,
		`{"generation":0,"run":"20270301-1","checksum":"","allow":["cancel"],"typed":"2"}`:                    412,
		`{"generation":0,"run":"latest","checksum":"abc","allow":["cancel"],"typed":"2"}`:                     412,
		`{"generation":1,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"2"}`:                 412,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel","refund"],"typed":"2"}`:        403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel --yes"],"typed":"2"}`:           403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel,refund"],"typed":"2"}`:          403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["mail"],"typed":"2"}`:                   403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":[],"typed":"2"}`:                         403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"1"}`:                 403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":""}`:                  403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"02"}`:                403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"]}`:                             403,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":2}`:                   400,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":"cancel","typed":"2"}`:                   400,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"2","yes":true}`:      400,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"2","fresh":"100h"}`:  400,
		`{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"2","adopt":["2=e"]}`: 400,
		`[]`: 400,
		``:   400,
	} {
		if status, text := posted(t, d, "/api/apply", body); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, text, want)
		}
	}
	if n := sends.Load(); n > 0 {
		t.Fatalf("%d were sent", n)
	}
	if status, text := posted(t, d, "/api/apply", sound); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	<-d.sending.done
	if status, text := posted(t, d, "/api/apply", sound); status != http.StatusPreconditionFailed {
		t.Errorf("a second time: %d %s", status, text)
	}
	want := []string{"cancel", "apply", "--yes", "--fresh=0s", "--checksum=abc", "--allow=cancel", "--", "20270301-1"}
	if n := sends.Load(); n != 1 || !slices.Equal(with, want) {
		t.Errorf("%d were sent, by %q", n, with)
	}
	if _, text := asks(t, d, "/api/send"); !strings.Contains(text, `"sum":"3 = 1 created + 2 cancelled"`) {
		t.Errorf("the page says %s", text)
	}
}

// What is planned is named by rows and decisions, and by no word of a command.
func TestAPlanIsAskedForByRowsAndDecisions(t *testing.T) {
	d := served(t)
	var commands [][]string
	d.Sending.Plan = func(_ context.Context, words ...string) []byte {
		commands = append(commands, words)
		const of = `{"file":"a.csv","row":2,"key":"a","event_id":"e1",`
		return []byte(`{"run":"20270301-1","checksum":"abc","rows":{"read":2,"conflict":2},"exit":{"code":3},"changes":[` +
			of + `"field":"seats","base":"1","live":"2","mine":"3","decision":"conflict"},` +
			of + `"field":"name","base":"1","live":"2","mine":"3","decision":"same"},` +
			of + `"field":"start_at","base":"1","live":"4","mine":"5","decision":"conflict"},` +
			of + `"field":"end_at","base":"6","live":"7","mine":"8","decision":"conflict"}]}`)
	}
	d.Document = func(_ context.Context, words ...string) []byte {
		if words[0] == "runs" {
			return []byte(`{"runs":[{"run":"20270301-2","files":["b.csv"],"state":"unfinished","open":3},` +
				`{"run":"20270301-3","files":["a.csv"],"state":"planned","open":3},` +
				`{"run":"20270301-4","files":["a.csv"],"state":"unfinished (interrupted)","open":3}]}`)
		}
		return []byte(`{"lines":[{"file":"a.csv","row":2,"key":"a","event_id":"e1","action":"conflict","status":"in_doubt"},` +
			`{"file":"a.csv","row":3,"key":"b","event_id":"e2","action":"conflict","reason":"changed in the file and on the platform"}]}`)
	}
	step := func(body string, status int, want ...string) {
		t.Helper()
		before := len(commands)
		got, text := posted(t, d, "/api/plan", body)
		if got != status || status != http.StatusOK && len(commands) > before {
			t.Errorf("%s: %d %s, by %q", body, got, text, commands[before:])
		}
		if status == http.StatusOK && !slices.Equal(commands[len(commands)-1], want) {
			t.Errorf("%s: by %q, want %q", body, commands[len(commands)-1], want)
		}
	}
	folder, err := d.Sending.Folder("")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "decisions.ndjson")
	step(`{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"seats","decision":"mine"}]}`, 409)
	step(`{"generation":0}`, 200, "plan", "--compare=live", "--", "a.csv")
	step(`{"generation":1}`, 412)
	for _, body := range []string{
		`{"generation":0,"file":"/etc/passwd"}`, `{"generation":0,"mapping":"x"}`, `{"generation":0,"allow":["mail"]}`,
		`{"generation":0,"rows":"2-"}`, `{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"seats","decision":"both"}]}`,
		`{"generation":0,"decisions":["--yes"]}`, `{"generation":0,"leave":[{"sheet":"","row":"2"}]}`,
		`{"generation":0,"run":"20270301-4","doubt":{"sheet":"","row":2,"event_id":"e1 --yes"}}`,
	} {
		step(body, 400)
	}
	for _, body := range []string{
		`{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"name","decision":"mine"}]}`,
		`{"generation":0,"run":"20270301-2"}`, `{"generation":0,"run":"20270301-3"}`, `{"generation":0,"run":"latest"}`,
		`{"generation":0,"run":"20270301-4","doubt":{"sheet":"","row":3,"event_id":"e1"}}`,
	} {
		step(body, 409)
	}
	step(`{"generation":0,"run":"20270301-4"}`, 200, "apply", "--", "20270301-4")
	step(`{"generation":0,"run":"20270301-4","doubt":{"sheet":"","row":2,"event_id":"e1"}}`, 200,
		"apply", "--adopt=a.csv:2=e1", "--", "20270301-4")
	step(`{"generation":0,"run":"20270301-4","doubt":{"sheet":"","row":2,"event_id":""}}`, 200,
		"apply", "--not-created=a.csv:2", "--", "20270301-4")
	step(`{"generation":0,"leave":[{"sheet":"","row":5},{"sheet":"","row":2},{"sheet":"","row":5}]}`, 200,
		"plan", "--compare=live", "--rows=1-1,3-", "--", "a.csv") // the file has no row 5
	step(`{"generation":0,"leave":[],"skip_invalid":true}`, 200, "plan", "--compare=live", "--skip-invalid", "--", "a.csv")
	step(`{"generation":0,"skip_invalid":false,"decisions":[{"key":"a","event_id":"e1","field":"seats","live":"9","decision":"mine"},`+
		`{"key":"b","event_id":"e2","field":"","decision":"theirs"}]}`, 200,
		"plan", "--compare=live", "--decisions="+file, "--", "a.csv")
	text, err := os.ReadFile(file)
	want := `{"key":"a","event_id":"e1","field":"seats","live":"2","mine":"3","decision":"mine"}` + "\n" +
		`{"key":"b","event_id":"e2","field":"","decision":"theirs"}` + "\n"
	if err != nil || string(text) != want {
		t.Errorf("it keeps\n%s: %v", text, err)
	}
	if _, text := asks(t, d, "/api/plan"); strings.Count(text, `"title":"`+d.plan.ops.conflicts[0].Title+`"`) != 3 {
		t.Errorf("what was decided is not named as what is in conflict is: %s", text)
	}
	times := d.plan.ops.conflicts[1]
	if times.Field != "start_at" || times.Ours != "5; end: 8" || times.Theirs != "4; end: 7" || *times.Was != "1; end: 6" {
		t.Errorf("what is decided together is shown as %+v", times)
	}
	step(`{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"end_at","decision":"mine"}]}`, 409)
	step(`{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"start_at","decision":"theirs"}]}`, 200,
		"plan", "--compare=live", "--decisions="+file, "--", "a.csv")
	text, _ = os.ReadFile(file)
	want += `{"key":"a","event_id":"e1","field":"start_at","live":"4","mine":"5","decision":"theirs"}` + "\n" +
		`{"key":"a","event_id":"e1","field":"end_at","live":"7","mine":"8","decision":"theirs"}` + "\n"
	if string(text) != want {
		t.Errorf("it keeps\n%s", text)
	}
	step(`{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"end_at","decision":""}]}`, 200,
		"plan", "--compare=live", "--decisions="+file, "--", "a.csv")
	if text, _ = os.ReadFile(file); strings.Contains(string(text), "_at") {
		t.Errorf("a part of what is decided together is taken back alone:\n%s", text)
	}
	step(`{"generation":0,"decisions":[{"key":"a","event_id":"e1","field":"seats","decision":""},`+
		`{"key":"b","event_id":"e2","field":"","decision":""}]}`, 200, "plan", "--compare=live", "--", "a.csv")
	t.Run("a plan that is too old is made anew, and says what has moved", func(t *testing.T) {
		const agreed = `{"generation":0,"run":"20270301-1","checksum":"abc","allow":[],"typed":""}`
		d.plan.made = d.plan.made.Add(-d.Sending.Fresh)
		if status, text := posted(t, d, "/api/apply", agreed); status != http.StatusPreconditionRequired {
			t.Errorf("%d %s", status, text)
		}
		step(`{"generation":0,"since":"abd"}`, 412)
		step(`{"generation":0,"since":"abc"}`, 200, "plan", "--compare=live", "--", "a.csv")
		if text := d.plan.moved.Words; !strings.HasSuffix(text, ": nothing has moved since.") {
			t.Errorf("the page says %s", text)
		}
		shown := d.Document
		d.Document = func(ctx context.Context, words ...string) []byte {
			if words[0] == "runs" {
				return shown(ctx, words...)
			}
			return []byte(`{"lines":[{"file":"a.csv","row":3,"key":"b","event_id":"e2","action":"update"}]}`)
		}
		step(`{"generation":0,"since":"abc"}`, 200, "plan", "--compare=live", "--", "a.csv")
		want := "1 row moved since, and 1 row has no more to be done. Nothing was sent."
		if m := d.plan.moved; !strings.HasSuffix(m.Words, want) || len(m.Rows) != 1 || !strings.Contains(string(m.Rows[0]), `"row":3`) {
			t.Errorf("the page says %+v", m)
		}
		d.Document = shown
		step(`{"generation":0}`, 200, "plan", "--compare=live", "--", "a.csv")
		if d.plan.moved != nil {
			t.Errorf("the page says %+v", d.plan.moved)
		}
	})
	if _, text := asks(t, d, "/api/plan"); !strings.Contains(text, `"fields":[]`) { // for its seats are as they were, or in conflict
		t.Errorf("the page says %s", text)
	}
}

// Leaving rows out is what --rows says.
func TestRowsThatAreLeftOutAreTheOthersOfRows(t *testing.T) {
	d := served(t)
	if _, err := d.Session.Checked(t.Context()); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		out := rapid.SliceOfNDistinct(rapid.IntRange(1, 30), 1, 12, rapid.ID[int]).Draw(t, "out")
		var leave []rowName
		for _, row := range out {
			leave = append(leave, rowName{"", row})
		}
		text, err := d.but(leave)
		if err != nil {
			t.Fatal(err)
		}
		set, err := mapping.ParseRowSet(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for row := 1; row < 40; row++ {
			if set.Has("", row) == slices.Contains(out, row) {
				t.Errorf("%s has row %d: %t", text, row, set.Has("", row))
			}
		}
	})
}

// What was decided lies in the workspace, below which no link is followed.
func TestDecisionsFollowNoLink(t *testing.T) {
	folder := t.TempDir()
	elsewhere, file := filepath.Join(folder, "elsewhere"), filepath.Join(folder, "decisions.ndjson")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("{}\n"), 0o600), os.Symlink(elsewhere, file)); err != nil {
		t.Skip(err) // a machine without links
	}
	list, err := readDecisions(file)
	if refused, said := errors.AsType[*refusal](err); !said || !strings.Contains(refused.words, file) {
		t.Errorf("a link was read, or nobody is told why not: %v, %v", list, err)
	}
	if err := writeDecisions(file, []decision{{Key: "a"}}); err != nil { // the link itself gives way
		t.Error(err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "{}\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// Tabs are told the same lines, each from where it is, at most four times a second and of many rows the last.
func TestTabsAreToldTheSameLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		s := &sending{run: "r", done: make(chan struct{}), first: 1, news: make(chan struct{}), end: func() {}}
		d := &outgoing{display: display{sending: s}}
		for i := range 100 {
			key, more := "row:1820239200000:Tea", "{}"
			if i%2 == 0 {
				key, more = "K-7", `{"name":"Jazz"}`
			}
			fmt.Fprintf(s, `{"event":"row","row":%d,"key":%q,"more":%s}`+"\n", i+1, key, more)
		}
		watch := func(after string) (string, time.Duration) {
			began, w := time.Now(), httptest.NewRecorder()
			if err := d.watchSending(w, httptest.NewRequest(http.MethodGet, "/api/watch?after="+after, nil)); err != nil {
				t.Error(err)
			}
			return w.Body.String(), time.Since(began)
		}
		go func() {
			<-goOn
			for i := range 8 {
				fmt.Fprintf(s, `{"event":"progress","i":%d}`+"\n", i)
				time.Sleep(100 * time.Millisecond)
			}
			fmt.Fprintf(s, `{"event":"done"}`)
			close(s.done)
		}()
		time.AfterFunc(time.Second, func() { close(goOn) })
		first, took := watch("0")
		whole := strings.HasPrefix(first, `{"n":81,`) && strings.HasSuffix(first, `{"n":109,"event":"done"}`+"\n")
		for _, called := range []string{`{"n":99,"title":"K-7 Jazz (row 99)"`, `{"n":100,"title":"Tea (row 100)"`} { // and not by its key
			if !strings.Contains(first, called+`,"event":"row",`) {
				t.Errorf("a row is called otherwise: %s", first)
			}
		}
		if n := strings.Count(first, `"row"`); n != 2*mostTold || !whole {
			t.Errorf("%d rows: %s", n, first)
		}
		if took < 1800*time.Millisecond || took > 2500*time.Millisecond {
			t.Errorf("it takes %s", took)
		}
		second, _ := watch("100")
		if !strings.HasSuffix(first, second) || strings.Count(second, "\n") != 9 {
			t.Errorf("another tab is told %s", second)
		}
		for range 3 * mostLines {
			fmt.Fprintf(s, `{"event":"row"}`)
		}
		if len(s.lines) > mostLines || s.first+len(s.lines) != 110+3*mostLines {
			t.Errorf("%d lines are kept, from %d", len(s.lines), s.first)
		}
	})
}

// A bound that a plan does not keep is marked.
func TestABoundThatIsNotKeptIsMarked(t *testing.T) {
	for _, test := range []struct {
		guard  report.Guard
		broken bool
	}{
		{report.Guard{Name: "max-create", Rows: 40, Limit: 3}, true},
		{report.Guard{Name: "max-create", Rows: 3, Limit: 3}, false},
		{report.Guard{Name: "min-rows", Rows: 40, Limit: 3}, false},
		{report.Guard{Name: "min-rows", Rows: 2, Limit: 3}, true},
	} {
		if got := guarded(test.guard); got.Doubt != test.broken {
			t.Errorf("%+v: %+v", test.guard, got)
		}
	}
}

// A new time or place may be pushed to guests, to which no command asks for leave: a person at the page ticks it.
func TestWhatIsPushedIsTicked(t *testing.T) {
	h := &held{generation: -1}
	h.Run, h.Checksum = "20270301-1", "abc"
	said := &agreed{Run: h.Run, Checksum: h.Checksum}
	h.Effects.Push = finding.Reach{Events: 1}
	if err := h.may(said, 0, nil); err != nil {
		t.Errorf("of an event without guests: %v", err)
	}
	h.Effects.Push.Guests = 2
	if err := h.may(said, 0, nil); err == nil || !strings.Contains(err.Error(), "was not ticked") {
		t.Errorf("without a tick: %v", err)
	}
	said.Allow = []string{"push"}
	if err := h.may(said, 0, nil); err != nil || len(said.leave()) > 0 {
		t.Errorf("with a tick: %v, %v", err, said.leave())
	}
}

// A plan that is refused for mistakes names them: those that only the platform knows stand nowhere else on the page. What a
// person has once left out may be asked about again.
func TestARefusedPlanNamesItsMistakes(t *testing.T) {
	d := served(t)
	var commands [][]string
	d.Sending.Plan = func(_ context.Context, words ...string) []byte {
		commands = append(commands, words)
		return []byte(`{"rows":{"read":2,"invalid":1},"exit":{"code":65,"reason":"invalid","error":"1 of 2 rows is invalid"},"problems":[` +
			`{"row":3,"severity":"warning","message":"odd"},{"row":3,"severity":"error","message":"both","code":"conflict"},` +
			`{"row":2,"header":"Title","severity":"error","message":"there is none","hint":"write one","value":"x"}]}`)
	}
	var page struct {
		Told          []string
		Needs, Offers []offer
	}
	for _, step := range []struct{ body, offers, flag string }{
		{`{"generation":0}`, "", ""},
		{`{"generation":0,"skip_invalid":true}`, "Leave no rows with mistakes out", "--skip-invalid"},
		{`{"generation":0,"skip_invalid":false}`, "", ""},
	} {
		if status, text := posted(t, d, "/api/plan", step.body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", step.body, status, text)
		}
		_, text := asks(t, d, "/api/plan")
		page.Told, page.Needs, page.Offers = nil, nil, nil
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		var offers string
		if len(page.Offers) > 0 {
			offers = page.Offers[0].Words
		}
		if offers != step.offers || slices.Contains(commands[len(commands)-1], "--skip-invalid") != (step.flag != "") {
			t.Errorf("%s: it offers %q, and was planned by %q", step.body, offers, commands[len(commands)-1])
		}
		if want := []string{`Row 2: Title, "x": there is none: write one`}; !slices.Equal(page.Told, want) {
			t.Errorf("%s: told %q, want %q", step.body, page.Told, want)
		}
	}
}
