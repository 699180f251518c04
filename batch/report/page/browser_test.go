package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser opens pages in a headless Chromium and notes what they do besides.
type browser struct {
	ctx  context.Context
	page string // address

	mu       sync.Mutex
	said     []string // on the console, or as an exception
	requests []string
}

// open starts a browser, one for a test.
func open(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no chromium: %v", err)
		}
		t.Skipf("no chromium: %v", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	alive, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	allocated, cancel := chromedp.NewExecAllocator(alive, options...)
	t.Cleanup(cancel)
	b := &browser{}
	b.ctx, cancel = chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	if err := chromedp.Listen(b.ctx, b.note); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.said = append(b.said, fmt.Sprint(arg.Value, arg.Description))
		}
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description))
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *browser) run(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// show opens a page from a file.
func (b *browser) show(t *testing.T, page string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b.page = "file://" + path
	b.run(t, chromedp.EmulateViewport(1440, 1000), chromedp.Navigate(b.page))
}

// value gives what an expression comes to in the page.
func value[T any](t *testing.T, b *browser, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// want compares what an expression comes to in the page.
func want[T comparable](t *testing.T, b *browser, expression string, want T) {
	t.Helper()
	if got := value[T](t, b, expression); got != want {
		t.Errorf("%s is %v, want %v", expression, got, want)
	}
}

// quiet checks that the page asked for nothing but itself and complained of nothing.
func (b *browser) quiet(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		t.Errorf("the console says %q", b.said)
	}
	for _, address := range b.requests {
		if address != b.page && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asked for %s", address)
		}
	}
	if len(b.requests) == 0 {
		t.Error("no request was seen, not even that of the page")
	}
}

const (
	shownProblems = `document.querySelectorAll('.problem').length`
	answered      = `document.getElementById('answer').textContent`
	focusedCell   = `document.activeElement.querySelector('.place')?.textContent ?? document.activeElement.id`
)

func TestPageIsUsedInABrowser(t *testing.T) {
	b := open(t)
	s := &sample{rows: 900, every: 9, summary: finding.Summary{Command: "check", Exit: finding.Exit{Code: 65, Reason: "invalid"}}}
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	s.fill(t, sink)
	for _, p := range problemsOfFiles() {
		sink.Problem(p)
	}
	if err := sink.End(&s.summary); err != nil {
		t.Fatal(err)
	}
	b.show(t, out.String())

	t.Run("rules are groups with a count and an explanation", func(t *testing.T) {
		want(t, b, `[...document.querySelectorAll('.rule .badge')].reduce((n, e) => n + Number(e.lastChild.data.replace(',', '')), 0)`, 102)
		want(t, b, answered, "102 problems · 900 rows")
		want(t, b, `document.querySelectorAll('.head[aria-expanded=true]').length`, 1)
		info, _ := catalog.Lookup(schema.CodeHiddenRows)
		b.run(t, chromedp.Click(`[data-code=hidden-rows] .head`))
		want(t, b, `document.querySelector('[data-code=hidden-rows] .explain').textContent`, info.Explain)
		b.run(t, chromedp.Click(`[data-code=hidden-rows] .head`))
		want(t, b, `document.querySelector('[data-code=hidden-rows] .inside').hidden`, true)
	})
	t.Run("a problem stands beside the cells of its row", func(t *testing.T) {
		const rule = `document.querySelector('[data-code=bad-enum]')`
		b.run(t, chromedp.Click(`[data-code=bad-enum] .head`))
		want(t, b, rule+`.querySelector('.cells td.bad').textContent`, "Friends")
		want(t, b, rule+`.querySelector('.cells th.bad').textContent`, "FVisibility")
		want(
			t, b, `'Events!F' + `+rule+`.querySelector('.cells tbody th').textContent`,
			value[string](t, b, rule+`.querySelector('.place').textContent`),
		)
		b.run(t, chromedp.Click(`[data-code=bad-enum] .whole`))
		want(t, b, rule+`.querySelectorAll('.tall tr').length`, len(columns))
		want(t, b, rule+`.querySelector('.tall tr.bad').textContent`, "FVisibilityFriends")
	})
	t.Run("a menu narrows", func(t *testing.T) {
		choose(t, b, "by-code", "no-zone")
		want(t, b, `document.querySelectorAll('.rule').length`, 1)
		want(t, b, `document.querySelector('.rule').dataset.code`, "no-zone")
		want(t, b, `document.querySelectorAll('#rows tbody tr').length < 50`, true)
		choose(t, b, "by-column", "0:5")
		want(t, b, `document.querySelector('#problems .empty').textContent`, "No problem fits the filters.")
		b.run(t, chromedp.Click(`#clear`))
		want(t, b, answered, "102 problems · 900 rows")
		choose(t, b, "by-severity", "1")
		want(t, b, answered, "2 of 102 problems · 0 of 900 rows")
		b.run(t, chromedp.Click(`#clear`))
		choose(t, b, "by-status", "invalid")
		want(t, b, answered, "100 of 102 problems · 100 of 900 rows")
		b.run(t, chromedp.Click(`#clear`))
	})
	t.Run("the keyboard searches, moves and clears", func(t *testing.T) {
		b.run(t, chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`), chromedp.KeyEvent("/"))
		want(t, b, `document.activeElement.id`, "search")
		// A key is followed by a character here even where a page has taken the key.
		b.run(t, chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent("Spring Tea 14"))
		want(t, b, `document.getElementById('search').value`, "Spring Tea 14")
		want(t, b, `document.querySelectorAll('#rows tbody tr').length`, 21) // also rows with 14 in a cell
		b.run(t, chromedp.KeyEvent(kb.Escape))
		want(t, b, `document.getElementById('search').value`, "")
		want(t, b, answered, "102 problems · 900 rows")
		b.run(t, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("j"))
		one := value[string](t, b, focusedCell)
		b.run(t, chromedp.KeyEvent("j"))
		two := value[string](t, b, focusedCell)
		b.run(t, chromedp.KeyEvent(kb.ArrowDown))
		three := value[string](t, b, focusedCell)
		if one == two || two == three || !strings.HasPrefix(three, "Events!") {
			t.Errorf("moving goes from %q to %q to %q", one, two, three)
		}
		b.run(t, chromedp.KeyEvent("k"), chromedp.KeyEvent("k"))
		want(t, b, focusedCell, one)
		b.run(
			t,
			chromedp.Evaluate[chromedp.Void](`for (let i = 0; i < 200; i++) document.activeElement.dispatchEvent(new `+
				`KeyboardEvent('keydown', {key: 'j', bubbles: true}))`),
		)
		want(t, b, focusedCell, "Events!L1")
		want(t, b, shownProblems, 102)
	})
	t.Run("a day of the calendar asks for its rows", func(t *testing.T) {
		n := value[int](t, b, `Number(document.querySelector('#calendar button.day .c').textContent)`)
		b.run(t, chromedp.Click(`#calendar button.day`))
		want(t, b, `document.querySelectorAll('#rows tbody tr').length`, n)
		want(t, b, `document.getElementById('tip').textContent.includes('event')`, true)
		b.run(t, chromedp.Click(`#clear`))
		all := value[int](
			t, b,
			`[...document.querySelectorAll('#calendar .legend .n')].reduce((n, e) => n + Number(e.textContent.replace(',', '')), 0)`,
		)
		if all != 900 {
			t.Errorf("the calendar counts %d events, want 900", all)
		}
	})
	t.Run("dark and light", func(t *testing.T) {
		const back = `getComputedStyle(document.documentElement).backgroundColor`
		light := value[string](t, b, back)
		b.run(t, chromedp.Click(`#theme`))
		dark := value[string](t, b, back)
		if light == dark {
			t.Errorf("the background stays %s", dark)
		}
		b.run(t, chromedp.Click(`#theme`), chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
		want(t, b, back, light)
		prefer := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, prefer); err != nil {
			t.Fatal(err)
		}
		b.run(t, chromedp.Reload())
		want(t, b, back, dark)
	})
	t.Run("nothing is wider than a telephone", func(t *testing.T) {
		b.run(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		want(t, b, `document.documentElement.scrollWidth`, 390)
		b.run(t, chromedp.Click(`#more`))
		want(t, b, `getComputedStyle(document.getElementById('facets')).display`, "grid")
	})
	t.Run("paper shows all rules", func(t *testing.T) {
		b.run(t, chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event('beforeprint'))`))
		want(t, b, shownProblems, 102)
		want(t, b, `document.querySelectorAll('.inside[hidden]').length`, 0)
		b.run(t, chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event('afterprint'))`))
		want(t, b, `document.querySelectorAll('.inside:not([hidden])').length`, 1)
	})
	b.quiet(t)
}

// choose takes an entry of a menu.
func choose(t *testing.T, b *browser, menu, entry string) {
	t.Helper()
	b.run(
		t,
		chromedp.Evaluate[chromedp.Void](
			`{const menu = document.getElementById('`+menu+`'); menu.value = '`+entry+`'; menu.dispatchEvent(new Event('change'))}`,
		),
	)
}

// A hint stands once above the problems that it is for, a status once in its row.
func TestNothingIsSaidTwiceInABrowser(t *testing.T) {
	b := open(t)
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{
		Run: "r", Sources: []finding.Source{{File: "a.csv", Header: []string{"Start"}, HeaderRow: 1, Rows: 7}},
		Totals: []finding.Total{
			{Word: "read", Rows: 7}, {Word: "created", Rows: 0}, {Word: "updated", Rows: 1}, {Word: "invalid", Rows: 6},
		},
	}
	for i, hint := range []string{"write 18:30", "write 18:30", "add the day", "write 18:30", "", "", "-"} {
		row := &finding.Row{Number: i + 2, Action: "invalid", Status: "invalid", Reason: "the row has errors"}
		at := schema.Place{File: "a.csv", Row: i + 2}
		row.Problems = []schema.Problem{{Code: schema.CodeBadTime, Hint: hint, Message: "late", Place: at}}
		switch i {
		case 3: // another rule, with one hint for its column
			row.Problems = append(row.Problems, schema.Problem{
				Severity: schema.Warning, Code: schema.CodeNoKey, Hint: "add a key", Message: "no key",
				Place: schema.Place{File: "a.csv", Row: i + 2, Column: -1},
			})
		case 4, 5:
			row.Problems[0].Code, row.Problems[0].Hint = schema.CodeNoZone, "say --timezone"
		case 6:
			row.Action, row.Status, row.Reason, row.Problems = "update", "updated", "cells differ", nil
		}
		sink.Row(row)
	}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	b.show(t, out.String())
	b.run(t, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('.head[aria-expanded=false]').forEach(e => e.click())`))
	want(t, b, `[...document.querySelectorAll('[data-code=bad-time] .hint')].map(e => e.textContent).join()`, "write 18:30,add the day")
	want(t, b, `[...document.querySelectorAll('[data-code=bad-time] .place')].map(e => e.textContent).join()`, "A2,A3,A5,A4")
	want(t, b, `[...document.querySelectorAll('[data-code=no-zone] .hint')].map(e => e.textContent).join()`, "say --timezone")
	want(t, b, `document.querySelector('[data-code=no-zone] .inside > .hint').textContent`, "say --timezone")
	const cells = `[...document.querySelectorAll('#rows tbody tr:nth-child(%d) td')].slice(-2).map(e => e.textContent).join(' | ')`
	want(t, b, fmt.Sprintf(cells, 1), "invalid | 1 error")
	want(t, b, fmt.Sprintf(cells, 4), "invalid | 1 error, 1 warning")
	want(t, b, fmt.Sprintf(cells, 7), "updated | cells differ")
	want(t, b, `document.querySelector('#totals').textContent.replace(/\s+/g, ' ').trim()`, "7 read 1 updated 6 invalid")
	b.quiet(t)
}

func TestCellsAreTextInABrowser(t *testing.T) {
	b := open(t)
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{
		Run: hostile[0], Command: hostile[2], BaseURL: "https://name:password@example.org/" + hostile[0],
		Sources: []finding.Source{{File: hostile[0], Sheet: hostile[2], Header: hostile, HeaderRow: 1, Rows: len(hostile)}},
		Totals:  []finding.Total{{Word: "read", Rows: len(hostile)}, {Word: hostile[2], Rows: len(hostile)}},
		Exit:    finding.Exit{Error: hostile[0], Hint: hostile[1]},
		Broken:  true,
	}
	for i, text := range hostile {
		row := &finding.Row{
			Number: i + 2, Cells: hostile, Action: text, Status: finding.Status(text), Reason: text,
			Event:   finding.Event{Calendar: text, Key: text, ID: text, URL: text, Name: text, Start: first},
			Changes: []finding.Change{{Field: text, Before: hostile[0], After: text, Known: true}},
			Problems: []schema.Problem{{
				Code: schema.Code(text), Field: text, Value: text, Message: text, Hint: text,
				Place: schema.Place{File: hostile[0], Sheet: hostile[2], Row: i + 2, Column: i, Header: text},
			}},
		}
		sink.Row(row)
	}
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	b.show(t, out.String())
	b.run(t, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('.head[aria-expanded=false]').forEach(e => e.click())`))
	want(t, b, `document.querySelectorAll('.problem').length`, len(hostile))
	want(t, b, `[...document.querySelectorAll('.problem td.bad')].some(e => e.textContent === '<script>window.hit=1</script>')`, true)
	want(t, b, `[...document.querySelectorAll('.problem td.bad')].some(e => e.textContent === 'invoice‹U+202E›gpj.exe')`, true)
	want(t, b, `document.querySelectorAll('script').length`, 2)
	want(t, b, `document.querySelectorAll('main img, main svg, main a[href]').length`, 0)
	b.run(t, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('main button').forEach(e => e.click())`))
	want(t, b, `typeof window.hit`, "undefined")
	b.quiet(t)
}

func TestChangesAndRequestsInABrowser(t *testing.T) {
	b := open(t)
	s := &sample{rows: 200, every: 20, run: true, summary: finding.Summary{
		Command: "import", Run: "2026-03-02-b7k",
		Usage: []finding.Usage{{Owner: "cal-1", Limit: 200, Window: time.Minute, Sent: sent(450)}},
	}}
	b.show(t, s.draw(t))
	want(t, b, `document.querySelector('.diff tbody tr').textContent`, "nameSpring Coffee 1 (draft)Spring Tea 1")
	want(t, b, `document.querySelector('.diff del').textContent`, "Coffee 1 (draft)")
	want(t, b, `document.querySelector('.diff tr:nth-child(3) .before').textContent`, "not known")
	want(t, b, `document.querySelector('.change a').href`, "https://events.example.org/e/event-1")
	want(t, b, `document.querySelector('.chart').getAttribute('aria-label')`, "450 requests; at most 200 of 200 within 60 s")
	want(t, b, `document.querySelectorAll('.chart path').length`, 2)
	b.quiet(t)
}

func TestLongSpansAreDrawnByYearInABrowser(t *testing.T) {
	b := open(t)
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{Sources: []finding.Source{{File: "north.csv"}, {File: "south.csv"}}}
	for i := range 40 {
		row := &finding.Row{
			Source: i / 20, Number: i%20 + 2, Line: 3 * (i%20 + 2), Action: "create", Event: finding.Event{
				Name: "Tea", Start: first.AddDate(0, 7*i, 0),
			},
			Problems: []schema.Problem{
				{
					Code: schema.CodeDuplicateCreate, Message: "said twice",
					Place: schema.Place{File: summary.Sources[i/20].File, Row: i%20 + 2, Column: -1},
				},
			},
		}
		sink.Row(row)
	}
	whole := schema.Problem{Code: schema.CodeUnreadableFile, Place: schema.Place{File: "south.csv"}, Message: "it ends here"}
	sink.Problem(whole)
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	b.show(t, out.String())
	want(t, b, `document.querySelectorAll('.years tbody tr').length`, 20)
	b.run(t, chromedp.Click(`#calendar .body > .quiet`))
	want(t, b, `document.querySelectorAll('.years tbody tr').length`, 24)
	want(t, b, `[...document.querySelectorAll('.years .c')].reduce((n, e) => n + Number(e.textContent), 0)`, 40)
	b.run(t, chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-month="'+(2027 * 12 + 5)+'"]').click()`))
	want(t, b, `document.querySelector('.month h3').textContent`, "June 20271")
	want(t, b, `[...document.querySelectorAll('.rule')].map(e => e.dataset.code).join()`, "unreadable-file,duplicate-create")
	want(t, b, `document.querySelector('.rule .place').textContent`, "south.csv")
	b.run(t, chromedp.Click(`[data-code=duplicate-create] .head`))
	want(
		t, b, `[...document.querySelectorAll('[data-code=duplicate-create] h4')].map(e => e.textContent).join()`,
		"north.csv20,south.csv20",
	)
	want(t, b, `document.querySelector('[data-code=duplicate-create] .where').textContent`, "north.csv row 2line 6Tea")
	b.quiet(t)
}

func TestFilterAnswersAtOnce(t *testing.T) {
	for _, reader := range Audiences {
		t.Run(string(reader), func(t *testing.T) { filterAnswersAtOnce(t, reader) })
	}
}

func filterAnswersAtOnce(t *testing.T, reader Audience) {
	t.Helper()
	b := open(t)
	s := &sample{rows: 10_000, every: 3, reader: reader}
	b.show(t, s.draw(t))
	// The answer is there when the page has been laid out again.
	const measure = `(() => {
		const box = document.getElementById('search'), times = [];
		for (const words of ['t', 'te', 'tea', 'tea 1', 'friends', 'EV-0', 'no such word', '', 'quay', '']) {
			const began = performance.now();
			box.value = words;
			box.dispatchEvent(new Event('input'));
			document.body.offsetHeight;
			times.push(performance.now() - began);
		}
		return times;
	})()`
	value[[]float64](t, b, measure)
	times := value[[]float64](t, b, measure)
	slices.Sort(times)
	median, worst := times[len(times)/2], times[len(times)-1]
	t.Logf("a filter over 10,000 rows answers in %.0f ms (median), %.0f ms (worst)", median, worst)
	if median > 250 {
		t.Errorf("a filter takes %.0f ms", median)
	}
	b.quiet(t)
}
