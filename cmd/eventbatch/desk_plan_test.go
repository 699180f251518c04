package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/txtar"

	"eventbatch/batch/pagetest"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// post asks for something that changes.
func (p *openedPage) post(t testing.TB, path string, body any) (int, []byte) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, p.address+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Desk-Token", p.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// changedSeason writes a file that changes what is in the sandbox, and what somebody has changed there besides: an event is
// cancelled, one is told of by mail, and one is in conflict. It returns the name of the file.
func changedSeason(t *testing.T) string {
	t.Helper()
	name := filepath.Join(moduleRoot, "cmd/eventbatch/testdata/script/sending/a_plan_can_be_looked_at_later.txtar")
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, file := range archive.Files {
		if err := os.WriteFile(file.Name, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commanded(t, 0, "import", "events.csv", "--yes", "--sandbox")
	commanded(t, 0, "import", "guests.csv", "--resource", "guests", "--yes", "--sandbox")
	changedByOthers(t, "theirs.csv")
	return "mine.csv"
}

// changedByOthers sends a file from another workspace, which knows nothing of this one's runs; the sandbox is a folder in it.
func changedByOthers(t *testing.T, file string) {
	t.Helper()
	copied := func(to, from string) {
		if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from))); err != nil {
			t.Fatal(err)
		}
	}
	copied("other/sandbox", ".eventbatch/sandbox")
	commanded(t, 0, "import", file, "--yes", "--sandbox", "--workspace", "other", "--operation", "update")
	copied(".eventbatch/sandbox", "other/sandbox")
}

// outbox returns whom the sandbox has told, by what.
func outbox(t *testing.T) (told []string) {
	t.Helper()
	for _, mail := range decodeJSON[outboxDoc](t, commanded(t, 0, "sandbox", "outbox", "--json")).Outbox {
		told = append(told, string(mail.Effect)+" "+mail.Person+" "+mail.Cause)
	}
	slices.Sort(told)
	return told
}

// pagePlan is a plan as the page is told of it.
type pagePlan struct {
	Plan      *report.Run
	Totals    string
	Command   string
	Apply     string
	Cancels   int
	Contested int
	Fixed     string
	Refusal   *found.Exit
	Reach     []struct {
		Effect, Words string
		Needs, May    bool
	}
	Conflicts  []struct{ Key, Field, Mine, Theirs string }
	Unfinished *struct{ Run string }
}

// planned has the page make a plan.
func (p *openedPage) planned(t *testing.T, body any) pagePlan {
	t.Helper()
	status, text := p.post(t, "/api/plan", body)
	if status != http.StatusOK {
		t.Fatalf("%v: %d %s", body, status, text)
	}
	return decodeJSON[pagePlan](t, string(text))
}

// ended waits for the end of what is sent, and returns what became of it.
func (p *openedPage) ended(t *testing.T) (state struct {
	Run, Sum string
	Document report.Run
	Refusal  *found.Exit
},
) {
	t.Helper()
	for range 100 { // a look ends after a while
		lines := p.get(t, "/api/watch?after=0")
		text := p.get(t, "/api/send")
		var now struct {
			UnderWay bool `json:"under_way"`
		}
		if err := json.Unmarshal(text, &now); err != nil || now.UnderWay {
			continue
		}
		if err := json.Unmarshal(text, &state); err != nil || state.Sum == "" {
			t.Fatalf("%s: %v; it was told %s", text, err, lines)
		}
		return state
	}
	t.Fatal("the sending does not end")
	return state
}

// Nobody is told, cancelled or refunded without the tick and the number, whatever is posted by hand.
func TestNobodyIsReachedFromThePageWithoutTheTick(t *testing.T) {
	file := changedSeason(t)
	before := outbox(t)
	for _, bound := range [][]string{nil, {"mail"}, {"cancel", "refund"}} {
		flags := []string{file, "--sandbox"}
		if bound != nil {
			flags = append(flags, "--allow", strings.Join(bound, ","))
		}
		p := opened(t, flags...)
		p.enter(t)
		plan := p.planned(t, map[string]any{"generation": 0})
		for _, r := range plan.Reach {
			if r.Needs && r.May != (r.Effect == "push" || slices.Contains(bound, r.Effect)) {
				t.Errorf("--allow %v: %s may be ticked: %t", bound, r.Words, r.May)
			}
		}
		for _, allow := range [][]string{
			nil, {"mail"}, {"cancel"}, {"mail", "cancel"}, {"mail", "cancel", "refund", "charge"}, {"all"}, {"push"},
		} {
			for _, typed := range []string{"", "1", "2"} {
				status, text := p.post(t, "/api/apply", map[string]any{
					"generation": 0, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": allow, "typed": typed,
				})
				if status != http.StatusForbidden {
					t.Errorf("--allow %v, ticked %v, typed %q: %d %s", bound, allow, typed, status, text)
				}
			}
		}
		p.close()
	}
	if after := outbox(t); !slices.Equal(before, after) {
		t.Errorf("told are now %q, and were %q", after, before)
	}
	p := opened(t, file, "--sandbox", "--allow", "mail,cancel")
	p.enter(t)
	plan := p.planned(t, map[string]any{"generation": 0})
	if want := "1 to change"; plan.Cancels != 1 || plan.Contested != 1 || !strings.Contains(plan.Totals, "to change") {
		t.Errorf("the plan is %s, want %s; %d cancelled, %d in conflict", plan.Totals, want, plan.Cancels, plan.Contested)
	}
	agreed := map[string]any{
		"generation": 0, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": []string{"mail", "cancel"}, "typed": "1",
	}
	status, text := p.post(t, "/api/apply", agreed)
	if status != http.StatusForbidden || !strings.Contains(string(text), "new time or place") {
		t.Errorf("without the tick of what is pushed: %d %s", status, text)
	}
	agreed["allow"] = []string{"mail", "cancel", "push"}
	if status, text := p.post(t, "/api/apply", agreed); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	p.ended(t)
	p.close()
	if after := outbox(t); len(after) <= len(before) {
		t.Errorf("nobody was told of what was agreed to: %q", after)
	}
}

// Who reads a plan takes a while: what somebody changes on the platform meanwhile is not overwritten, and the other rows are sent.
func TestWhatIsChangedWhileAPlanIsReadIsNotOverwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	season := func(name, tea, jazz string) string {
		text := "key,slug,name,start_at,timezone\na,tea-2027," + tea + ",2027-03-04 19:00,UTC\n" +
			"b,jazz-2027," + jazz + ",2027-03-05 19:00,UTC\n"
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	commanded(t, 0, "import", season("season.csv", "Tea", "Jazz"), "--yes", "--sandbox")
	p := opened(t, season("season.csv", "Green tea", "Loud jazz"), "--sandbox")
	p.enter(t)
	plan := p.planned(t, map[string]any{"generation": 0})
	changedByOthers(t, season("theirs.csv", "Black tea", "Jazz"))
	status, text := p.post(t, "/api/apply", map[string]any{
		"generation": 0, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": []string{}, "typed": "",
	})
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	state := p.ended(t)
	commanded(t, 0, "export", "events", "--sandbox", "-o", "live.csv")
	live, err := os.ReadFile("live.csv")
	if err != nil || !bytes.Contains(live, []byte("Black tea")) || !bytes.Contains(live, []byte("Loud jazz")) {
		t.Errorf("the page says %s, and there is\n%s: %v", state.Sum, live, err)
	}
}

// The document of a plan is what plan prints, and the command that the page shows makes it.
func TestThePlanOfThePageIsThatOfItsCommand(t *testing.T) {
	file := changedSeason(t)
	p := opened(t, file, "--sandbox", "--max-update", "3", "--quota-share", "50%")
	p.enter(t)
	plan := p.planned(t, map[string]any{"generation": 0})
	if want := "eventbatch plan mine.csv --sandbox --max-update=3 --quota-share=50% --compare=live"; plan.Command != want {
		t.Errorf("its command is %s, want %s", plan.Command, want)
	}
	args := append(strings.Fields(strings.TrimPrefix(plan.Command, "eventbatch ")), "--json")
	said := decodeJSON[report.Run](t, commanded(t, 3, args...))
	for _, doc := range []*report.Run{plan.Plan, &said} {
		doc.Run, doc.Folder, doc.Files, doc.FinishAt, doc.Checksum = "", "", report.Files{}, nil, ""
		doc.Changes, doc.Problems, doc.Requests = nil, nil, found.Requests{}
	}
	one, err := json.Marshal(plan.Plan)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(said)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("the page says\n%s\nand plan\n%s: %v", one, other, err)
	}
	if !strings.Contains(plan.Apply, " --quota-share=50% ") {
		t.Errorf("it is sent by %s, whatever pace was asked for", plan.Apply)
	}
	if g := plan.Plan.Guards; len(g) != 1 || g[0].Name != "max-update" || g[0].Limit != 3 {
		t.Errorf("the guards are %v", g)
	}
	narrow := opened(t, file, "--sandbox", "--max-update", "0", "--workspace", "other")
	narrow.enter(t)
	if plan := narrow.planned(t, map[string]any{"generation": 0}); plan.Apply != "" || plan.Refusal == nil ||
		!strings.Contains(plan.Refusal.Error, "--max-update") {
		t.Errorf("a plan beyond its guard: %+v, to be sent by %q", plan.Refusal, plan.Apply)
	}
}

// A page that only looks has no route by which anything is planned, decided, sent or stopped.
func TestAPageThatOnlyLooksSendsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.csv", []byte("key,name,start_at,timezone\na,Tea,2027-03-04 19:00,Europe/Berlin\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	commanded(t, exitUsage, "open", "a.csv", "--read-only", "--allow", "mail", "--no-browser")
	commanded(t, exitUsage, "open", "a.csv", "--allow", "everything", "--no-browser")
	p := opened(t, "a.csv", "--read-only", "--sandbox")
	p.enter(t)
	for _, path := range []string{"/api/plan", "/api/apply", "/api/stop"} {
		if status, text := p.post(t, path, map[string]any{"generation": 0}); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if _, err := os.Lstat(".eventbatch"); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// eveningsFile writes a file of so many events.
func eveningsFile(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("key,name,start_at,timezone\n")
	for i := range n {
		day := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i).Format(time.DateOnly)
		fmt.Fprintf(&text, "E-%03d,Evening %d,%s 19:30,Europe/Berlin\n", i, i, day)
	}
	if err := os.WriteFile("season.csv", []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "season.csv"
}

func TestAPlanIsMadeAndSentInABrowser(t *testing.T) {
	t.Chdir(t.TempDir())
	p := opened(t, eveningsFile(t, 30), "--sandbox")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-send`))
	b.Until(t, `document.querySelector('.panel.send .empty')?.textContent === 'Nothing was sent since the page was opened. `+
		`What was sent before stands under Runs, and what is left of it under Plan.See Plan'`)
	b.Do(t, pagetest.Click(`.panel.send .do`))
	b.Until(t, `document.querySelector('.panel.plan .do') !== null`)
	// What the page may not do is said before anything is made that it could not take back.
	const opens = "eventbatch open season.csv --allow cancel --sandbox"
	b.Want(t, `document.querySelector('.panel.plan .same code').textContent`, opens)
	b.Do(t, pagetest.Click(`.panel.plan .do`))
	b.Until(t, `document.getElementById('totals')?.textContent.startsWith('30 to create · 30 requests, about ') === true`)
	b.Until(t, `document.querySelectorAll('.ops li').length === 30`)
	b.Want(t, `document.getElementById('command').textContent.startsWith('eventbatch apply ')`, true)
	b.Want(t, `document.querySelector('.panel.plan .same code').textContent`, opens)
	b.Want(t, `document.querySelector('.panel.plan .alert.mild').textContent`,
		"The platform decides: 30 new events last one hour, as they have no end; 30 are public; 30 sell a free ticket")
	t.Run("there is one scrollbar", func(t *testing.T) {
		const scrolls = `[...document.querySelectorAll('*')].filter(e => e.scrollHeight > e.clientHeight + 1 && (e.tagName === 'HTML' ||` +
			` /auto|scroll/.test(getComputedStyle(e).overflowY))).map(e => e.tagName).join(' ')`
		b.Do(t, chromedp.EmulateViewport(1280, 800))
		b.Want(t, scrolls, "MAIN")
		b.Do(t, chromedp.EmulateViewport(390, 844))
		b.Want(t, scrolls, "HTML")
		b.Do(t, chromedp.EmulateViewport(1440, 900))
	})
	t.Run("a row is left out of this sending", func(t *testing.T) {
		b.Do(t, pagetest.Click(`.ops [data-row="4"] input`))
		b.Until(t, `document.getElementById('again').textContent === 'Plan again without 1 row'`)
		b.Want(t, `document.getElementById('send').disabled`, true)
		const sum = "30 read = 30 valid + 0 with mistakes"
		b.Want(t, `document.getElementById('sum').textContent`, sum+", and 1 row not ticked")
		b.Do(t, pagetest.Click(`.ops [data-row="4"] input`))
		b.Want(t, `document.getElementById('sum').textContent`, sum)
		b.Do(t, pagetest.Click(`.ops [data-row="4"] input`))
		b.Do(t, pagetest.Click(`#tab-rows`)) // a look at the rows undoes no choice
		b.Until(t, `document.querySelector('.panel.rows:not([aria-busy])') !== null`)
		b.Do(t, pagetest.Click(`#tab-plan`))
		b.Until(t, `document.getElementById('again')?.textContent === 'Plan again without 1 row'`)
		b.Want(t, `document.getElementById('send').disabled`, true)
		b.Until(t, `document.getElementById('sum').textContent === '`+sum+`, and 1 row not ticked'`)
		b.Do(t, pagetest.Click(`#again`))
		b.Until(t, `document.getElementById('totals')?.textContent.startsWith('29 to create') === true`)
		b.Want(t, `document.getElementById('sum').textContent`, "29 read = 29 valid + 0 with mistakes, and 1 row left out here")
		b.Want(t, `document.querySelector('#totals ~ button:not(#again)').textContent`, "Take row 4 (Evening 2) back in")
		for _, swap := range []struct{ out, in string }{{"6", "Take row 6 (Evening 4) back in"}, {"4", "Take row 4 (Evening 2) back in"}} {
			b.Do(t, pagetest.Click(`.ops [data-row="`+swap.out+`"] input`)) // which whatever is planned next leaves out
			b.Do(t, pagetest.Click(`#totals ~ button:not(#again)`))
			b.Until(t, `document.querySelector('#totals ~ button:not(#again)')?.textContent === '`+swap.in+`'`)
			b.Until(t, `document.getElementById('totals')?.textContent.startsWith('29 to create') === true`)
			b.Until(t, `document.querySelectorAll('.ops li').length === 29`)
		}
	})
	t.Run("who looks for it under Send is led to the plan", func(t *testing.T) {
		b.Do(t, pagetest.Click(`#tab-send`))
		b.Until(t, `document.querySelector('.panel.send .do')?.textContent === 'See Plan'`)
		b.Do(t, pagetest.Click(`.panel.send .do`))
		b.Until(t, `document.getElementById('send') !== null`)
	})
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.getElementById('became')?.textContent.startsWith('29 = 29 created. ') === true`)
	t.Run("it goes on from what was sent", func(t *testing.T) {
		b.Want(t, `[...document.querySelectorAll('.panel.send button')].map(b => b.textContent).join(', ')`,
			"Take it back…, What became of each row, Back to the rows, All runs, Copy, Keep the results, Keep the report, Copy")
		b.Do(t, pagetest.Click(`#each`))
		b.Until(t, `document.getElementById('each') === null && document.querySelectorAll('.panel.send tbody tr').length === 29`)
		const became = `[...document.querySelectorAll('.panel.send tr:nth-child(2) :is(th, td)')].map(c => c.textContent).join(' | ')`
		b.Want(t, became, "row 3 | Evening 1 | created | the key is new")
		b.Want(t, `document.getElementById('command').textContent.endsWith(' --all')`, true)
		b.Do(t, pagetest.Click(`#back`))
		b.Until(t, `document.activeElement.closest('.panel.runs [data-run]') !== null`)
		b.Do(t, pagetest.Click(`#tab-send`))
		b.Until(t, `document.getElementById('rows') !== null`)
		b.Do(t, pagetest.Click(`#rows`))
		b.Until(t, `document.getElementById('shown')?.textContent === '30 rows'`)
		b.Do(t, pagetest.Click(`#tab-send`))
		b.Until(t, `document.getElementById('undo') !== null`)
		b.Do(t, pagetest.Click(`#undo`))
		b.Until(t, `document.querySelectorAll('.panel.plan .chip').length === 3`)
	})
	t.Run("nothing goes on from a plan that nobody has sent", func(t *testing.T) {
		b.Do(t, pagetest.Click(`#tab-runs`))
		b.Until(t, runsDrawn+` && document.querySelectorAll('[data-run]').length === 5`)
		b.Do(t, pagetest.Click(`.panel.runs summary`), pagetest.Click(`details tr:last-child [data-run]`))
		b.Until(t, `document.activeElement.id === 'h-run'`)
		b.Want(t, `document.getElementById('became').textContent`, "30 = 30 waiting. Planned, not sent.")
		b.Want(t, `document.querySelectorAll('.panel.runs .do').length`, 0)
	})
	b.quiet(t, p)
	if list := decodeJSON[runsDoc](t, commanded(t, 0, "runs", "--json", "--sandbox")).Runs; list[1].State != "finished" ||
		list[1].Rows.Read() != 29 { // behind what takes it back
		t.Errorf("the runs are %+v", list)
	}
}

func TestConflictsAreDecidedAndPeopleToldByClicks(t *testing.T) {
	file := changedSeason(t)
	p := opened(t, file, "--sandbox", "--allow", "mail,cancel")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-plan`))
	b.Until(t, `document.querySelector('.panel.plan .do') !== null`)
	b.Do(t, pagetest.Click(`.panel.plan .do`))
	b.Until(t, `document.querySelectorAll('.contest').length === 1`)
	b.Want(t, `document.querySelector('.contest').textContent.includes('Jazz of theirs')`, true)
	b.Want(t, `document.getElementById('send').disabled`, true)
	b.Do(t, pagetest.Click(`.contest [value=mine]`))
	b.Until(t, `document.getElementById('again').textContent === 'Plan again with 1 decision'`)
	b.Do(t, pagetest.Click(`#again`))
	b.Until(t, `document.querySelector('.contest') === null && document.getElementById('send') !== null`)
	const heads = `[...document.querySelectorAll('.panel.plan h2')].map(h => h.textContent).join()`
	b.Want(t, heads+`.includes('In conflict')`, false)
	b.Want(t, heads+`.includes('Decided')`, true)
	kept, err := filepath.Glob(".eventbatch/desk/*/decisions.ndjson")
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v was kept: %v", kept, err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil || !strings.Contains(string(text), `"field":"name","live":"Jazz of theirs","mine":"Jazz of mine","decision":"mine"`) {
		t.Errorf("it keeps %s: %v", text, err)
	}
	agree := func() {
		t.Helper()
		b.Do(t, pagetest.Click(`[data-effect=mail] input`), pagetest.Click(`[data-effect=cancel] input[type=checkbox]`))
		b.Do(t, pagetest.Click(`[data-effect=push] input`))
		b.Want(t, `document.getElementById('send').disabled`, true)
	}
	agree()
	t.Run("a plan that is too old is made anew, and not sent", func(t *testing.T) {
		b.Do(t, chromedp.SendKeys(chromedp.CSS(`#typed`), "1"))
		b.Script(t, `(was => { window.fetch = (...of) => of[0] !== '/api/apply' ? was(...of) :`+
			` (window.fetch = was, Promise.resolve(new Response('too old', {status: 428}))); })(window.fetch)`)
		b.Do(t, pagetest.Click(`#send`))
		b.Until(t, `document.getElementById('moved')?.textContent.endsWith('nothing has moved since.') === true`)
		b.Want(t, `document.getElementById('send').disabled`, true)
	})
	agree()
	b.Want(t, `document.getElementById('command').textContent.endsWith(' --allow mail --allow cancel')`, true)
	b.Do(t, chromedp.SendKeys(chromedp.CSS(`#typed`), "1"))
	b.Until(t, `!document.getElementById('send').disabled`)
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.getElementById('became') !== null`)
	b.Want(t, `document.getElementById('became').textContent.includes('1 cancelled')`, true)
	b.Do(t, pagetest.Click(`#undo`)) // about which nothing was decided
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) .chip') !== null`)
	b.Want(t, `document.querySelector('.panel.plan').textContent.includes('In conflict')`, false)
	b.quiet(t, p)
}

// A row that waits for another end is not one that was cancelled: nobody is right about it, and the page says what to do.
func TestARowThatWaitsForItsEndIsToldApartFromOneThatWasCancelled(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(text string) {
		if err := os.WriteFile("a.csv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("key,name,start_at,end_at\na,Tea,2027-03-20 18:00,2027-03-20 20:00\n")
	commanded(t, 0, "import", "a.csv", "--sandbox", "--yes", "--timezone", "Europe/Berlin")
	write("key,name,start_at\na,Tea,2027-03-20 20:30\n")
	p := opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin")
	p.enter(t)
	plan := p.planned(t, map[string]any{"generation": 0})
	ops := string(p.get(t, "/api/plan/ops"))
	if plan.Totals != "1 in conflict" || plan.Contested != 0 || !strings.Contains(ops, "the platform has end_at as") ||
		!strings.Contains(ops, "; fill in end_at too") {
		t.Errorf("%+v, with %s", plan, ops)
	}
}

// A plan that is refused as a whole says what to do, and where a person can say it on the page, goes on by a click.
func TestARefusedPlanSaysWhatToDo(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	t.Chdir(t.TempDir())
	write := func(prefix string) {
		t.Helper()
		var text strings.Builder
		text.WriteString("key,name,start_at\n")
		for i, name := range []string{"Tea", "Jazz", "Walk", "Song"} {
			fmt.Fprintf(&text, "%s%d,%s,2027-03-2%d 18:00\n", prefix, i, name, i)
		}
		if err := os.WriteFile("a.csv", []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	commanded(t, 0, "import", "a.csv", "--sandbox", "--yes", "--timezone", "Europe/Berlin")
	write("b")
	p := opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin", "--max-create", "3")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-plan`))
	b.Until(t, `document.querySelector('.panel.plan .do') !== null`)
	b.Do(t, pagetest.Click(`.panel.plan .do`))
	const said = `document.querySelector('.panel .alert')?.innerText.replace(/\s+/g, ' ')`
	b.Until(t, said+` !== undefined`)
	b.Want(t, said, "Nothing was sent: none of the 4 keys is known to the file: was the key column renumbered? (perhaps \"a3\" is now "+
		"\"b3\", \"a2\" is now \"b2\", \"a1\" is now \"b1\") What to do: look whether the keys have changed; if they have not, the new "+
		"ones are new events")
	b.Do(t, pagetest.Click(`.panel .do`))
	b.Until(t, said+`?.includes('--max-create is 3')`)
	b.Want(t, said, "Nothing was sent: the plan creates 4 rows, and --max-create is 3 What to do: look whether the input is whole; if it "+
		"is, have the file opened with --max-create 4")
	b.Want(t, `document.querySelectorAll('.panel .do').length`, 0)
	b.quiet(t, p)
}

// A row with mistakes is left out by its name, with what is wrong.
func TestARowThatIsLeftOutForItsMistakesIsNamed(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "key,name,start_at\na,Tea,2027-03-20 18:00\nb,Jazz,2027-02-31 18:00\n"})
	p := opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin")
	p.enter(t)
	_ = p.planned(t, map[string]any{"generation": 0, "skip_invalid": true})
	ops := string(p.get(t, "/api/plan/ops"))
	if !strings.Contains(ops, `"title":"b Jazz (row 3)",`) || !strings.Contains(ops, `"words":"there is no such day in the calendar`) {
		t.Error(ops)
	}
}

// Where others would be read in the place of a row, the plan says that none is left out, and has nothing to be ticked.
func TestAPlanOfTheFirstRowsSaysThatNoneIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{"a.csv": "key,name,start_at\na,Tea,2027-03-20 18:00\nb,Jazz,2027-03-21 18:00\n"})
	p := opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin", "--limit", "1")
	p.enter(t)
	if plan := p.planned(t, map[string]any{"generation": 0}); !strings.HasPrefix(plan.Fixed, "The page was opened with --limit") {
		t.Errorf("%+v", plan)
	}
}

// openAt starts the command open as a process, and enters its page.
func (h *home) openAt(t *testing.T, args ...string) (*process, *openedPage) {
	t.Helper()
	proc := h.start(t, append([]string{"open", "--json", "--no-browser"}, args...)...)
	var doc openDoc
	eventually(t, time.Minute, "a link", func() bool { return json.Unmarshal([]byte(proc.out.String()), &doc) == nil })
	p := &openedPage{address: strings.TrimSuffix(doc.Address, "/"), link: doc.Link}
	p.enter(t)
	return proc, p
}

// Rows that are read by the names of some columns are not planned past the answers that others have got.
func TestAnswersCountOnceAllAreGiven(t *testing.T) {
	writeFiles(t, map[string]string{"l.csv": "Titel;Datum;Beginn;slug\nJazz;05.03.2027;19:30;jazz\nTee;06.03.2027;19:30;tee\n"})
	p := opened(t, "l.csv", "--sandbox")
	p.enter(t)
	refused := func(generation int, want string) {
		t.Helper()
		p.settled(t)
		if _, text := p.post(t, "/api/plan", map[string]any{"generation": generation}); !strings.Contains(string(text), want) {
			t.Errorf("%s, want %s", text, want)
		}
	}
	refused(0, `"totals":"2 `)
	if status, text := p.post(t, "/api/mapping", map[string]any{
		"generation": 0, "answers": []map[string]string{{"id": "duration", "value": "2h"}},
	}); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	const open = "1 question open: what was answered counts once all are answered under Questions"
	refused(1, open)
	if state := string(p.get(t, "/api/state")); !strings.Contains(state, `"sum":"`+open+`"`) {
		t.Error(state)
	}
}

// A file that cannot be read by its names alone is read by what is proposed for it, or says why nothing is.
func TestAFileIsNotPlannedPastWhatIsProposedForIt(t *testing.T) {
	for name, want := range map[string]string{
		"a_schedule_of_a_conference_as_json": "No row is read by the names of the columns alone: " +
			"have the rows read by what is proposed, under Questions",
		"a_list_without_a_header": "No row looks like a header",
	} {
		t.Run(name, func(t *testing.T) {
			of := readProgramme(t, "testdata/programmes/"+name+".txtar")
			writeFiles(t, map[string]string{of.file: string(of.data)})
			p := opened(t, of.file, "--sandbox")
			p.enter(t)
			p.settled(t)
			status, text := p.post(t, "/api/plan", map[string]any{"generation": 0})
			if status != http.StatusConflict || strings.TrimSpace(string(text)) != want {
				t.Errorf("%d %s", status, text)
			}
			if state := string(p.get(t, "/api/state")); !strings.Contains(state, want) || !strings.Contains(state, `"first":"readings"`) {
				t.Error(state)
			}
		})
	}
}

// Send comes before the rows for who goes by Tab, and stays in sight; so does the reason why it is refused.
func TestSendIsBeforeTheRowsAndSaysWhyItIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	writeFiles(t, map[string]string{"rows.csv": newProgramme("row", 80).text.String()})
	p := opened(t, "rows.csv", "--sandbox")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-plan`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) .do') !== null`)
	b.Do(t, pagetest.Click(`.panel.plan .do`))
	b.Until(t, `document.querySelectorAll('.ops li').length === 80`)
	const tabs = `[...document.querySelectorAll('#send, .ops input')].findIndex(e => e.id === 'send')`
	b.Want(t, tabs, 0)
	const seen = `(r => r.height > 0 && r.top >= 0 && r.bottom <= document.getElementById('foot').getBoundingClientRect().top)` +
		`(document.querySelector('%s').getBoundingClientRect())`
	b.Want(t, fmt.Sprintf(seen, "#send"), true)
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	run := p.planned(t, map[string]any{"generation": 0}).Plan.Run // as another tab does
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.getElementById('failed').textContent.startsWith('Another tab was quicker')`)
	b.Until(t, `document.querySelectorAll('.ops li').length === 80 && document.getElementById('command').textContent.includes('`+run+`')`)
	if err := os.WriteFile("rows.csv", []byte(newProgramme("row", 81).text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.querySelector('.sends .alert') !== null`)
	b.Want(t, `document.querySelector('.sends .alert').textContent`, "rows.csv is not as it was read: read it again first")
	b.Want(t, fmt.Sprintf(seen, ".sends .alert"), true)
	b.Want(t, fmt.Sprintf(seen, "#send"), true)
	b.Do(t, chromedp.EmulateViewport(390, 844))
	b.Want(t, `innerHeight - document.getElementById('send').getBoundingClientRect().bottom > 8`, true)
	b.Forget("409")
	b.Forget("412")
	b.quiet(t, p)
}

// Whoever opens a file again whose sending has stopped sees that first, and what is left of it: not what was sent.
func TestWhatIsLeftOfASendingComesFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	writeFiles(t, map[string]string{"rows.csv": newProgramme("row", 80).text.String()})
	flags := []string{"rows.csv", "--sandbox", "--pace", "20"}
	p := opened(t, flags...)
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-plan`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) .do') !== null`)
	b.Do(t, pagetest.Click(`.panel.plan .do`))
	b.Until(t, `document.querySelectorAll('.ops li').length === 80`)
	b.Want(t, `document.getElementById('send').textContent`, "Send 80 changes")
	const decides = `document.querySelector('.panel.plan .alert.mild') !== null`
	b.Want(t, decides, true)
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.querySelector('.panel.send .ops li') !== null`)
	b.Do(t, pagetest.Click(`#stop`))
	b.Until(t, `document.getElementById('became') !== null`)
	b.quiet(t, p)
	p.close()
	if err := os.Chtimes("rows.csv", time.Time{}, time.Now()); err != nil { // it was saved since
		t.Fatal(err)
	}

	p = opened(t, flags...)
	b = p.tab(t)
	b.Until(t, `document.querySelector('.panel.plan .reading') !== null`)
	b.Want(t, `document.querySelector('.reading').innerText.startsWith('A run is not finished: ')`, true)
	b.Want(t, `document.querySelector('.reading').innerText.includes('; the file was saved since, ')`, true)
	b.Do(t, pagetest.Click(`.panel.plan .do`))
	b.Until(t, `document.getElementById('totals') !== null`)
	const left = `parseInt(document.getElementById('totals').textContent)`
	b.Until(t, `document.querySelectorAll('.ops [data-action=create]').length === `+left)
	b.Want(t, left+` > 0 && `+left+` < 80`, true)
	b.Want(t, `document.getElementById('send').textContent === 'Send ' + `+left+` + ' changes'`, true)
	b.Want(t, `document.getElementById('totals').textContent.includes(' · ' + (80 - `+left+`) + ' done already · ')`, true)
	b.Want(t, decides, false) // of so many as are left
	rest := fmt.Sprintf("80 new, %d of them open", pagetest.Value[int](t, b.Tab, left))
	b.Do(t, chromedp.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Want(t, `document.querySelector('.panel.runs tbody td:nth-of-type(2)').textContent`, rest)
	b.quiet(t, p)
}

// A page whose process is killed while it sends shows the run when the file is opened again, and goes on with it: nothing
// is made twice, and nothing is lost. Whether a tab looks makes no difference.
func TestAPageThatIsKilledInMidSendGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills processes")
	}
	t.Parallel()
	const rows = 200
	service := serve(t, sandbox.Config{
		Limits: sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond}, Latency: 4 * time.Millisecond, Seed: drawnSeed(),
	})
	h := newHome(t, service.profile())
	programme := newProgramme("row", rows)
	h.write(t, "rows.csv", programme.text.String())
	begin := func() (*process, *openedPage) {
		return h.openAt(t, "rows.csv", "--calendar", sandbox.CalendarID, "--pace", "0", "--concurrency", "4")
	}
	agree := func(p *openedPage, plan *pagePlan) {
		t.Helper()
		status, text := p.post(t, "/api/apply", map[string]any{
			"generation": 0, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": []string{}, "typed": "",
		})
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	proc, p := begin()
	plan := p.planned(t, map[string]any{"generation": 0})
	run := plan.Plan.Run
	for kill := range 4 {
		agree(p, &plan)
		if status, text := p.post(t, "/api/plan", map[string]any{"generation": 0}); status != http.StatusConflict {
			t.Errorf("a plan while rows are sent: %d %s", status, text)
		}
		made := (kill + 1) * rows / 10 // a busy machine may be late to kill
		eventually(t, time.Minute, "more events", func() bool { return service.Stats().Created >= made })
		_ = proc.Process.Kill()
		<-proc.done
		proc, p = begin()
		if got := decodeJSON[pagePlan](t, string(p.get(t, "/api/plan"))); got.Unfinished == nil || got.Unfinished.Run != run {
			t.Fatalf("after %d kills the page shows %+v", kill+1, got)
		}
		plan = p.planned(t, map[string]any{"generation": 0, "run": run})
		if plan.Plan.Run != run || plan.Plan.Checksum == "" {
			t.Fatalf("it goes on with %+v", plan.Plan)
		}
	}
	agree(p, &plan)
	state := p.ended(t)
	if want := fmt.Sprintf("%d = %d created", rows, rows); state.Run != run || state.Sum != want {
		t.Errorf("run %s: %s, want %s", state.Run, state.Sum, want)
	}
	if stats := service.Stats(); stats.Created != rows || len(service.Events()) != rows {
		t.Errorf("%d events created, %d there, want %d", stats.Created, len(service.Events()), rows)
	}
	service.once(t, programme.wanted())
	if got := decodeJSON[pagePlan](t, string(p.get(t, "/api/plan"))); got.Unfinished != nil {
		t.Errorf("it still waits: %+v", got.Unfinished)
	}
	_ = proc.Process.Signal(os.Interrupt)
	if e := proc.end(t); e.code != exitInterrupted && e.code != exitDone {
		t.Errorf("it ends with %v", e)
	}
}

// Ctrl-C ends what is sent as it ends apply, and so does the button: what has left is recorded, and the rest waits.
func TestASendingIsStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	t.Parallel()
	for _, by := range []string{"button", "signal"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			const rows = 1_000 // seconds of them, so that it is stopped in the middle on a busy machine too
			service := serve(t, sandbox.Config{
				Limits: sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond}, Latency: 10 * time.Millisecond,
			})
			h := newHome(t, service.profile())
			h.env = append(h.env, "EVENTBATCH_YES=true", "EVENTBATCH_ALLOW=mail,cancel") // which agree to nothing on the page
			programme := newProgramme("row", rows)
			h.write(t, "rows.csv", programme.text.String())
			proc, p := h.openAt(t, "rows.csv", "--calendar", sandbox.CalendarID, "--pace", "0", "--concurrency", "2")
			plan := p.planned(t, map[string]any{"generation": 0})
			said := map[string]any{
				"generation": 0, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": []string{}, "typed": "",
			}
			if status, text := p.post(t, "/api/apply", said); status != http.StatusOK {
				t.Fatalf("%d %s", status, text)
			}
			if status, text := p.post(t, "/api/apply", said); status != http.StatusPreconditionFailed {
				t.Errorf("a second time: %d %s", status, text)
			}
			eventually(t, time.Minute, "ten events", func() bool { return service.Stats().Created >= 10 })
			if state := decodeJSON[pagePlan](t, string(p.get(t, "/api/plan"))); state.Refusal == nil || state.Refusal.Hint != "see Send" {
				t.Errorf("while they are sent the plan is %+v", state)
			}
			if by == "button" {
				if status, text := p.post(t, "/api/stop", map[string]any{"run": plan.Plan.Run}); status != http.StatusOK {
					t.Errorf("%d %s", status, text)
				}
				state := p.ended(t)
				if state.Document.Exit.Code != exitInterrupted || state.Document.Rows[found.Pending] == 0 {
					t.Errorf("it ended as %+v", state)
				}
				made := service.Stats().Created
				left := p.planned(t, map[string]any{"generation": 0, "run": plan.Plan.Run})
				if now := service.Stats().Created; now != made || left.Apply == "" {
					t.Errorf("a look at what is left has made %d events: %+v", now-made, left.Plan)
				}
			}
			_ = proc.Process.Signal(os.Interrupt)
			proc.end(t)
			shown := h.show(t, plan.Plan.Run)
			made := service.Stats().Created
			if shown.Rows[found.Created] != made || shown.Rows[found.InDoubt] > 0 || made == rows {
				t.Errorf("%d were made, and the run says %v", made, shown.Rows)
			}
		})
	}
}

// A page that looks, and a browser beside it, hold nothing up: rows leave as fast as by apply.
func TestAPageThatLooksHoldsNothingUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes windows of the quota")
	}
	t.Parallel()
	const rows, limit = 700, 200
	var took [2]time.Duration // from the first event that is made to the last
	for i, looked := range []bool{false, true} {
		service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: limit, Window: 2 * time.Second, Strict: true}})
		h := newHome(t, service.profile())
		programme := newProgramme("row", rows)
		h.write(t, "rows.csv", programme.text.String())
		proc, p := h.openAt(t, "rows.csv", "--calendar", sandbox.CalendarID, "--pace", "0")
		plan := p.planned(t, map[string]any{"generation": 0})
		if looked {
			b := pagetest.Open(t)
			b.Do(t, chromedp.Navigate(p.address))
			b.Script(t, `sessionStorage.setItem('desk-token', '`+p.token+`')`)
			b.Do(t, chromedp.Navigate(p.address))
			b.Until(t, `document.querySelector('#tab-plan') !== null`)
			b.Do(t, pagetest.Click(`#tab-plan`))
			b.Until(t, `document.getElementById('send') !== null`)
			b.Do(t, pagetest.Click(`#send`))
			b.Until(t, `document.getElementById('progress')?.textContent.includes(' of 700') === true`)
			eventually(t, time.Minute, "the end", func() bool { return service.Stats().Created == rows })
			b.Until(t, `document.getElementById('became')?.textContent.startsWith('700 = 700 created. ') === true`)
		} else {
			h.must(t, 0, "apply", plan.Plan.Run, "--yes", "--pace", "0", "--calendar", sandbox.CalendarID)
		}
		_ = proc.Process.Signal(os.Interrupt)
		proc.end(t)
		service.throttledNever(t, map[string]int{sandbox.CalendarID: limit})
		service.once(t, programme.wanted())
		at := service.Arrivals(sandbox.CalendarID)
		took[i] = at[len(at)-1].Sub(at[len(at)-rows])
	}
	ratio := float64(took[1]) / float64(took[0])
	t.Logf("by apply %v; with the page %v; %.4f times as long", took[0], took[1], ratio)
	if ratio > slack() {
		t.Errorf("with the page it takes %.3f times as long", ratio)
	}
}

// A row whose answer was lost is settled by what a person has seen on the calendar.
func TestARowInDoubtIsSettledOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	t.Parallel()
	service := serve(t, sandbox.Config{
		Limits: sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond},
		Existing: []sandbox.Existing{{
			ID: "evt-tea", Calendar: sandbox.CalendarID, Name: "Tea", Slug: "tea", StartAt: "2027-04-20T17:00:00Z",
			EndAt: "2027-04-20T18:00:00Z", Timezone: "Europe/Paris",
		}},
	})
	h := newHome(t, service.profile())
	h.write(t, "two.csv", "key,name,start_at,timezone\na,Tea,2027-03-20 18:00,Europe/Paris\nb,Jazz,2027-03-20 20:00,Europe/Paris\n")
	proc, p := h.openAt(t, "two.csv", "--calendar", sandbox.CalendarID, "--slug", "keep")
	plan := p.planned(t, map[string]any{"generation": 0})
	lost := []sandbox.Fault{
		{Kind: "reset-before", Rate: 1, Path: "/events/create"},
		{Kind: "502-html", Rate: 1, Path: "/entities/lookup"},
		{Kind: "502-html", Rate: 1, Path: "/list"},
	}
	if err := service.SetFaults(lost); err != nil {
		t.Fatal(err)
	}
	agreed := func() {
		t.Helper()
		status, text := p.post(t, "/api/apply", map[string]any{
			"generation": 0, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": []string{}, "typed": "",
		})
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	agreed()
	eventually(t, time.Minute, "lost answers", func() bool { return h.show(t, plan.Plan.Run).Rows[found.InDoubt] == 2 })
	run := plan.Plan.Run
	if status, text := p.post(t, "/api/stop", map[string]any{"run": run}); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	if state := p.ended(t); state.Document.Rows[found.InDoubt] != 2 {
		t.Fatalf("it ended as %+v", state)
	}
	if err := service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	doubt := func(row int, event string) map[string]any {
		return map[string]any{"generation": 0, "run": run, "doubt": map[string]any{"sheet": "", "row": row, "event_id": event}}
	}
	if got := p.planned(t, doubt(2, "evt-nothing")); got.Refusal == nil || got.Apply != "" {
		t.Errorf("an event that is not there is taken: %+v", got)
	}
	b := deskTab{pagetest.Open(t)}
	b.Do(t, chromedp.Navigate(p.address))
	b.Script(t, `sessionStorage.setItem('desk-token', '`+p.token+`')`)
	b.Do(t, chromedp.Navigate(p.address))
	b.Until(t, `document.querySelector('.panel.plan .alert')?.textContent.includes('evt-nothing') === true`) // and how to go on
	b.Want(t, `document.querySelector('.panel.plan .alert + .reading .do').textContent`, "Go on")
	p.planned(t, doubt(2, "evt-tea"))
	plan = p.planned(t, doubt(3, ""))
	agreed()
	if state := p.ended(t); state.Sum != "2 = 2 created" || len(service.Events()) != 2 {
		t.Errorf("%d events are there: %s", len(service.Events()), state.Sum)
	}
	_ = proc.Process.Signal(os.Interrupt)
	proc.end(t)
}

// A plan is of the copy that has the edits, and by the mapping that the answers make, which is saved before.
func TestAPlanIsOfTheCopyAndByTheMapping(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.csv", []byte("Nr,Titel,Beginn\n1,Tee,04.03.2027 19:00\n2,Jazz,05.03.2027 20:00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "a.csv", "--sandbox")
	p.enter(t)
	p.answersAll(t)
	status, text := p.post(t, "/api/edits", map[string]any{
		"generation": 1, "cells": []map[string]string{{"cell": "B2", "before": "Tee", "after": "Earl Grey"}},
	})
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	plan := p.planned(t, map[string]any{"generation": 2})
	if want := "eventbatch plan a.mended.csv --sandbox --compare=live --mapping=a.map.yaml"; plan.Command != want || plan.Apply == "" {
		t.Errorf("it is planned by %s, want %s; %+v", plan.Command, want, plan.Refusal)
	}
	var ops struct{ Rows []struct{ Title string } }
	err := json.Unmarshal(p.get(t, "/api/plan/ops"), &ops)
	if err != nil || len(ops.Rows) != 2 || !strings.Contains(ops.Rows[0].Title, "Earl Grey") {
		t.Errorf("the rows are %+v: %v", ops, err)
	}
	if text, err := os.ReadFile("a.csv"); err != nil || !strings.Contains(string(text), "Tee") {
		t.Errorf("the file itself is %s: %v", text, err)
	}
	status, text = p.post(t, "/api/edits", map[string]any{
		"generation": 2, "cells": []map[string]string{{"cell": "B3", "before": "Jazz", "after": "Blues"}},
	})
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	status, text = p.post(t, "/api/apply", map[string]any{
		"generation": 3, "run": plan.Plan.Run, "checksum": plan.Plan.Checksum, "allow": []string{}, "typed": "",
	})
	if status != http.StatusPreconditionFailed {
		t.Errorf("a plan of what was edited since: %d %s", status, text)
	}
}

// Two tabs see the same of a sending, and one that is closed changes nothing.
func TestTwoTabsSeeTheSameSending(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	t.Parallel()
	const rows = 60
	service := serve(t, sandbox.Config{
		Limits: sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond}, Latency: 50 * time.Millisecond,
	})
	looked := make(chan struct{})
	service.asked = func(*http.Request) {
		if service.Stats().Created >= rows-10 {
			<-looked // however slow the tabs are
		}
	}
	look := sync.OnceFunc(func() { close(looked) })
	t.Cleanup(look)
	h := newHome(t, service.profile())
	programme := newProgramme("row", rows)
	h.write(t, "rows.csv", programme.text.String())
	proc, p := h.openAt(t, "rows.csv", "--calendar", sandbox.CalendarID, "--pace", "0", "--concurrency", "1")
	tab := func(name string) deskTab {
		b := deskTab{pagetest.Open(t)}
		b.Do(t, chromedp.Navigate(p.address))
		b.Script(t, `sessionStorage.setItem('desk-token', '`+p.token+`')`)
		b.Do(t, chromedp.Navigate(p.address))
		b.Until(t, `document.getElementById('tab-`+name+`') !== null`)
		b.Do(t, pagetest.Click(`#tab-`+name))
		return b
	}
	other, late := tab("plan"), tab("columns")
	late.Do(t, chromedp.Navigate("about:blank"))
	p.planned(t, map[string]any{"generation": 0})
	b := tab("plan")
	b.Until(t, `document.getElementById('send') !== null`)
	b.Do(t, pagetest.Click(`#send`))
	const moving = `document.getElementById('progress')?.textContent.includes(' of 60 · ') === true && ` +
		`document.querySelectorAll('.ops li').length === 20`
	b.Until(t, moving)
	other.Do(t, pagetest.Click(`#tab-send`))
	other.Until(t, moving)
	late.Do(t, chromedp.Navigate(p.address))
	late.Until(t, moving) // without a click
	late.Until(t, `document.getElementById('live').textContent.includes(' of 60 · ')`)
	b.Do(t, chromedp.Navigate("about:blank"))
	if made := service.Stats().Created; made == rows {
		t.Errorf("%d rows were made before a tab was closed", made)
	}
	look()
	other.Until(t, `document.getElementById('became')?.textContent.startsWith('60 = 60 created. ') === true`)
	service.once(t, programme.wanted())
	_ = proc.Process.Signal(os.Interrupt)
	proc.end(t)
}
