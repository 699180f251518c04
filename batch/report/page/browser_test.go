package page

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"eventbatch/batch/pagetest"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pagetest.End()
	os.Exit(code)
}

// open has a browser show a page, from a file.
func open(t *testing.T, page string) *shownPage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &shownPage{pagetest.Open(t), "file://" + path}
	b.Do(t, chromedp.EmulateViewport(1440, 1000), chromedp.Navigate(b.address))
	return b
}

// shownPage is a page that a browser shows.
type shownPage struct {
	*pagetest.Tab

	address string
}

// quiet checks that the page asked for nothing but itself and complained of nothing.
func (b *shownPage) quiet(t *testing.T) {
	t.Helper()
	b.Quiet(t, 1, func(address string) bool { return address == b.address || strings.HasPrefix(address, "data:") })
}

const (
	shownProblems = `document.querySelectorAll('.problem').length`
	answered      = `document.getElementById('answer').textContent`
	focusedCell   = `document.activeElement.querySelector('.place')?.textContent ?? document.activeElement.id`
)

func TestPageIsUsedInABrowser(t *testing.T) {
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
	b := open(t, out.String())

	t.Run("rules are groups with a count and an explanation", func(t *testing.T) {
		b.Want(t, `[...document.querySelectorAll('.rule .badge')].reduce((n, e) => n + Number(e.lastChild.data.replace(',', '')), 0)`, 102)
		b.Want(t, answered, "102 problems · 900 rows")
		b.Want(t, `document.querySelectorAll('.head[aria-expanded=true]').length`, 1)
		info, _ := catalog.Lookup(schema.CodeHiddenRows)
		b.Do(t, pagetest.Click(`[data-code=hidden-rows] .head`))
		b.Want(t, `document.querySelector('[data-code=hidden-rows] .explain').textContent`, info.Explain)
		b.Do(t, pagetest.Click(`[data-code=hidden-rows] .head`))
		b.Want(t, `document.querySelector('[data-code=hidden-rows] .inside').hidden`, true)
	})
	t.Run("a problem stands beside the cells of its row", func(t *testing.T) {
		const rule = `document.querySelector('[data-code=bad-enum]')`
		b.Do(t, pagetest.Click(`[data-code=bad-enum] .head`))
		b.Want(t, rule+`.querySelector('.cells td.bad').textContent`, "Friends")
		b.Want(t, rule+`.querySelector('.cells th.bad').textContent`, "FVisibility")
		b.Want(
			t, `'Events!F' + `+rule+`.querySelector('.cells tbody th').textContent`,
			pagetest.Value[string](t, b.Tab, rule+`.querySelector('.place').textContent`),
		)
		b.Do(t, pagetest.Click(`[data-code=bad-enum] .whole`))
		b.Want(t, rule+`.querySelectorAll('.tall tr').length`, len(columns))
		b.Want(t, rule+`.querySelector('.tall tr.bad').textContent`, "FVisibilityFriends")
	})
	t.Run("a menu narrows", func(t *testing.T) {
		choose(t, b, "by-code", "no-zone")
		b.Want(t, `document.querySelectorAll('.rule').length`, 1)
		b.Want(t, `document.querySelector('.rule').dataset.code`, "no-zone")
		b.Want(t, `document.querySelectorAll('#rows tbody tr').length < 50`, true)
		choose(t, b, "by-column", "0:5")
		b.Want(t, `document.querySelector('#problems .empty').textContent`, "No problem fits the filters.")
		b.Do(t, pagetest.Click(`#clear`))
		b.Want(t, answered, "102 problems · 900 rows")
		choose(t, b, "by-severity", "1")
		b.Want(t, answered, "2 of 102 problems · 0 of 900 rows")
		b.Do(t, pagetest.Click(`#clear`))
		choose(t, b, "by-status", "invalid")
		b.Want(t, answered, "100 of 102 problems · 100 of 900 rows")
		b.Do(t, pagetest.Click(`#clear`))
	})
	t.Run("the keyboard searches, moves and clears", func(t *testing.T) {
		b.Do(t, chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`), chromedp.KeyEvent("/"))
		b.Want(t, `document.activeElement.id`, "search")
		// A key is followed by a character here even where a page has taken the key.
		b.Do(t, chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent("Spring Tea 14"))
		b.Want(t, `document.getElementById('search').value`, "Spring Tea 14")
		b.Want(t, `document.querySelectorAll('#rows tbody tr').length`, 21) // also rows with 14 in a cell
		b.Do(t, chromedp.KeyEvent(kb.Escape))
		b.Want(t, `document.getElementById('search').value`, "")
		b.Want(t, answered, "102 problems · 900 rows")
		b.Do(t, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("j"))
		one := pagetest.Value[string](t, b.Tab, focusedCell)
		b.Do(t, chromedp.KeyEvent("j"))
		two := pagetest.Value[string](t, b.Tab, focusedCell)
		b.Do(t, chromedp.KeyEvent(kb.ArrowDown))
		three := pagetest.Value[string](t, b.Tab, focusedCell)
		if one == two || two == three || !strings.HasPrefix(three, "Events!") {
			t.Errorf("moving goes from %q to %q to %q", one, two, three)
		}
		b.Do(t, chromedp.KeyEvent("k"), chromedp.KeyEvent("k"))
		b.Want(t, focusedCell, one)
		b.Script(t, `for (let i = 0; i < 200; i++) document.activeElement.dispatchEvent(new `+
			`KeyboardEvent('keydown', {key: 'j', bubbles: true}))`)
		b.Want(t, focusedCell, "Events!L1")
		b.Want(t, shownProblems, 102)
	})
	t.Run("a day of the calendar asks for its rows", func(t *testing.T) {
		n := pagetest.Value[int](t, b.Tab, `Number(document.querySelector('#calendar button.day .c').textContent)`)
		b.Do(t, pagetest.Click(`#calendar button.day`))
		b.Want(t, `document.querySelectorAll('#rows tbody tr').length`, n)
		b.Want(t, `document.getElementById('tip').textContent.includes('event')`, true)
		b.Do(t, pagetest.Click(`#clear`))
		all := pagetest.Value[int](
			t, b.Tab,
			`[...document.querySelectorAll('#calendar .legend .n')].reduce((n, e) => n + Number(e.textContent.replace(',', '')), 0)`,
		)
		if all != 900 {
			t.Errorf("the calendar counts %d events, want 900", all)
		}
	})
	t.Run("dark and light", func(t *testing.T) {
		const back = `getComputedStyle(document.documentElement).backgroundColor`
		light := pagetest.Value[string](t, b.Tab, back)
		b.Do(t, pagetest.Click(`#theme`))
		dark := pagetest.Value[string](t, b.Tab, back)
		if light == dark {
			t.Errorf("the background stays %s", dark)
		}
		b.Do(t, pagetest.Click(`#theme`), chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
		b.Want(t, back, light)
		b.Prefer(t, "prefers-color-scheme", "dark")
		b.Do(t, chromedp.Reload())
		b.Want(t, back, dark)
	})
	t.Run("nothing is wider than a telephone", func(t *testing.T) {
		b.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		b.Want(t, `document.documentElement.scrollWidth`, 390)
		b.Do(t, pagetest.Click(`#more`))
		b.Want(t, `getComputedStyle(document.getElementById('facets')).display`, "grid")
	})
	t.Run("paper shows all rules", func(t *testing.T) {
		b.Script(t, `dispatchEvent(new Event('beforeprint'))`)
		b.Want(t, shownProblems, 102)
		b.Want(t, `document.querySelectorAll('.inside[hidden]').length`, 0)
		b.Script(t, `dispatchEvent(new Event('afterprint'))`)
		b.Want(t, `document.querySelectorAll('.inside:not([hidden])').length`, 1)
	})
	b.quiet(t)
}

// choose takes an entry of a menu.
func choose(t *testing.T, b *shownPage, menu, entry string) {
	t.Helper()
	b.Script(t, `{const menu = document.getElementById('`+menu+`'); menu.value = '`+entry+`'; menu.dispatchEvent(new Event('change'))}`)
}

// A hint stands once above the problems that it is for, a status once in its row.
func TestNothingIsSaidTwiceInABrowser(t *testing.T) {
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{
		Run: "r", Sources: []plan.Sheet{{File: "a.csv", Header: []string{"Start"}, Row: 1, Rows: 7}},
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
	b := open(t, out.String())
	b.Script(t, `document.querySelectorAll('.head[aria-expanded=false]').forEach(e => e.click())`)
	b.Want(t, `[...document.querySelectorAll('[data-code=bad-time] .hint')].map(e => e.textContent).join()`, "write 18:30,add the day")
	b.Want(t, `[...document.querySelectorAll('[data-code=bad-time] .place')].map(e => e.textContent).join()`, "A2,A3,A5,A4")
	b.Want(t, `[...document.querySelectorAll('[data-code=no-zone] .hint')].map(e => e.textContent).join()`, "say --timezone")
	b.Want(t, `document.querySelector('[data-code=no-zone] .inside > .hint').textContent`, "say --timezone")
	const cells = `[...document.querySelectorAll('#rows tbody tr:nth-child(%d) td')].slice(-2).map(e => e.textContent).join(' | ')`
	b.Want(t, fmt.Sprintf(cells, 1), "invalid | 1 error")
	b.Want(t, fmt.Sprintf(cells, 4), "invalid | 1 error, 1 warning")
	b.Want(t, fmt.Sprintf(cells, 7), "updated | cells differ")
	b.Want(t, `document.querySelector('#totals').textContent.replace(/\s+/g, ' ').trim()`, "7 read 1 updated 6 invalid")
	b.quiet(t)
}

func TestCellsAreTextInABrowser(t *testing.T) {
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{
		Run: hostile[0], Command: hostile[2], BaseURL: "https://name:password@example.org/" + hostile[0],
		Sources: []plan.Sheet{{File: hostile[0], Sheet: hostile[2], Header: hostile, Row: 1, Rows: len(hostile)}},
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
	b := open(t, out.String())
	b.Script(t, `document.querySelectorAll('.head[aria-expanded=false]').forEach(e => e.click())`)
	b.Want(t, `document.querySelectorAll('.problem').length`, len(hostile))
	b.Want(t, `[...document.querySelectorAll('.problem td.bad')].some(e => e.textContent === '<script>window.hit=1</script>')`, true)
	b.Want(t, `[...document.querySelectorAll('.problem td.bad')].some(e => e.textContent === 'invoice‹U+202E›gpj.exe')`, true)
	b.Want(t, `document.querySelectorAll('script').length`, 2)
	b.Want(t, `document.querySelectorAll('main img, main svg, main a[href]').length`, 0)
	b.Script(t, `document.querySelectorAll('main button').forEach(e => e.click())`)
	b.Want(t, `typeof window.hit`, "undefined")
	b.quiet(t)
}

func TestChangesAndRequestsInABrowser(t *testing.T) {
	s := &sample{rows: 200, every: 20, run: true, summary: finding.Summary{
		Command: "import", Run: "2026-03-02-b7k",
		Usage: []finding.Usage{{Owner: "cal-1", Limit: 200, Window: time.Minute, Sent: sent(450)}},
	}}
	b := open(t, s.draw(t))
	b.Want(t, `document.querySelector('.diff tbody tr').textContent`, "nameSpring Coffee 1 (draft)Spring Tea 1")
	b.Want(t, `document.querySelector('.diff del').textContent`, "Coffee 1 (draft)")
	b.Want(t, `document.querySelector('.diff tr:nth-child(3) .before').textContent`, "not known")
	b.Want(t, `document.querySelector('.change a').href`, "https://events.example.org/e/event-1")
	b.Want(t, `document.querySelector('.chart').getAttribute('aria-label')`, "450 requests; at most 200 of 200 within 60 s")
	b.Want(t, `document.querySelectorAll('.chart path').length`, 2)
	b.quiet(t)
}

func TestLongSpansAreDrawnByYearInABrowser(t *testing.T) {
	var out strings.Builder
	sink := New(&out, Options{For: Engineer})
	summary := &finding.Summary{Sources: []plan.Sheet{{File: "north.csv"}, {File: "south.csv"}}}
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
	b := open(t, out.String())
	b.Want(t, `document.querySelectorAll('.years tbody tr').length`, 20)
	b.Do(t, pagetest.Click(`#calendar .body > .quiet`))
	b.Want(t, `document.querySelectorAll('.years tbody tr').length`, 24)
	b.Want(t, `[...document.querySelectorAll('.years .c')].reduce((n, e) => n + Number(e.textContent), 0)`, 40)
	b.Script(t, `document.querySelector('[data-month="'+(2027 * 12 + 5)+'"]').click()`)
	b.Want(t, `document.querySelector('.month h3').textContent`, "June 20271")
	b.Want(t, `[...document.querySelectorAll('.rule')].map(e => e.dataset.code).join()`, "unreadable-file,duplicate-create")
	b.Want(t, `document.querySelector('.rule .place').textContent`, "south.csv")
	b.Do(t, pagetest.Click(`[data-code=duplicate-create] .head`))
	b.Want(
		t, `[...document.querySelectorAll('[data-code=duplicate-create] h4')].map(e => e.textContent).join()`,
		"north.csv20,south.csv20",
	)
	b.Want(t, `document.querySelector('[data-code=duplicate-create] .where').textContent`, "north.csv row 2line 6Tea")
	b.quiet(t)
}

func TestFilterAnswersAtOnce(t *testing.T) {
	for _, reader := range Audiences {
		t.Run(string(reader), func(t *testing.T) { filterAnswersAtOnce(t, reader) })
	}
}

func filterAnswersAtOnce(t *testing.T, reader Audience) {
	t.Helper()
	s := &sample{rows: 10_000, every: 3, reader: reader}
	b := open(t, s.draw(t))
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
	pagetest.Value[[]float64](t, b.Tab, measure)
	times := pagetest.Value[[]float64](t, b.Tab, measure)
	slices.Sort(times)
	median, worst := times[len(times)/2], times[len(times)-1]
	t.Logf("a filter over 10,000 rows answers in %.0f ms (median), %.0f ms (worst)", median, worst)
	if median > 250 {
		t.Errorf("a filter takes %.0f ms", median)
	}
	b.quiet(t)
}
