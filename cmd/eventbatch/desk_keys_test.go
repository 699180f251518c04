package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"eventbatch/batch/pagetest"
)

// manyTabs opens a page of every tab: about a file with a mistake, from a folder with a run.
func manyTabs(t *testing.T) (*openedPage, deskTab) {
	t.Helper()
	pastRuns(t)
	rows := "key,name,start_at,timezone,visibility,Notes\na,Tea,2027-03-04 19:00,Europe/Berlin,Friends,\n"
	if err := os.WriteFile("season.csv", []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "season.csv", "--sandbox")
	return p, p.tab(t)
}

// deskTabs are the tabs of a page about a file, with a name that a screen reader is told on each.
var deskTabs = []struct{ id, name, role, says string }{
	{"columns", "Columns", "columnheader", "Becomes"},
	{"readings", "Questions", "heading", "name → Name"},
	{"rows", "Rows 1 ✗", "grid", "Rows of the file"},
	{"plan", "Plan", "button", "Make the plan"},
	{"send", "Send", "button", "See Plan"},
	{"runs", "Runs", "columnheader", "How it stands"},
}

// used are the roles of what a person uses.
var used = []string{"button", "tab", "textbox", "searchbox", "combobox", "checkbox", "radio", "link"}

func TestNoTabIsDrawnOfAnEndedProcessFromMemory(t *testing.T) {
	_, b := manyTabs(t)
	drawn := func(tab string) string {
		return `document.querySelector('.panel.` + tab + `:not([aria-busy])') !== null`
	}
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Until(t, drawn("columns"))
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, drawn("runs"))
	b.Script(t, `window.fetch = () => Promise.reject(new TypeError('nobody answers'))`)
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Until(t, `document.getElementById('main').textContent.includes('The page has lost its program')`)
}

func TestAPageThatIsLoadedAgainShowsTheTabThatItShowed(t *testing.T) {
	p, b := manyTabs(t)
	for _, tab := range []string{"runs", "rows"} {
		b.Do(t, pagetest.Click(`#tab-`+tab), chromedp.Reload())
		b.Until(t, `document.querySelector('[role=tabpanel]:not([aria-busy])') !== null`)
		b.Want(t, `document.querySelector('[role=tab][aria-selected=true]').id`, "tab-"+tab)
	}
	b.quiet(t, p)
}

// Every tab is reached by keys alone, and a screen reader is told where it is and what is there.
func TestEveryTabIsReachedByKeysAndTold(t *testing.T) {
	p, b := manyTabs(t)
	b.TabTo(t, `[role=tab][aria-selected=true]`)
	b.Do(t, chromedp.KeyEvent(kb.Home))
	for i, tab := range deskTabs {
		b.Until(t, `document.querySelector('.panel.`+tab.id+`:not([aria-busy])') !== null`)
		b.Until(t, `document.activeElement.id === 'tab-`+tab.id+`'`)
		tree := b.Tree(t)
		told := func(role, name string) bool { return slices.Contains(tree, pagetest.Node{Role: role, Name: name}) }
		for _, node := range []pagetest.Node{
			{Role: "tab", Name: tab.name},
			{Role: "tabpanel", Name: tab.name},
			{Role: tab.role, Name: tab.says},
			{Role: "tablist", Name: "Views"},
			{Role: "link", Name: "Skip to the content"},
			{Role: "button", Name: "Switch to dark colours"},
			{Role: "heading", Name: "season.csv · sandbox on this machine"},
		} {
			if !told(node.Role, node.Name) {
				t.Errorf("on %s nobody is told of the %s %q", tab.id, node.Role, node.Name)
			}
		}
		for _, node := range tree { // what can be used has a name
			if slices.Contains(used, node.Role) && strings.TrimSpace(node.Name) == "" {
				t.Errorf("on %s a %s has no name", tab.id, node.Role)
			}
		}
		b.Want(t, `document.querySelectorAll('[role=tab][tabindex="0"]').length`, 1)
		b.Want(t, `document.querySelectorAll('[role=tabpanel]').length`, 1)
		if i < len(deskTabs)-1 {
			b.Do(t, chromedp.KeyEvent(kb.ArrowRight))
		}
	}
	b.Do(t, chromedp.KeyEvent(kb.ArrowRight))
	b.Until(t, `document.activeElement.id === 'tab-columns'`)
	b.Do(t, chromedp.KeyEvent(kb.End))
	b.Until(t, `document.activeElement.id === 'tab-runs' && `+runsDrawn)
	b.TabTo(t, `[data-run]`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.quiet(t, p)
}

// Nothing but a table of its own is wider than what is seen, on a telephone and at twice the size; nothing moves for whoever
// wants that; what is chosen is seen without colours; and paper has the rows without the frame.
func TestThePageFitsWhoeverLooksAtIt(t *testing.T) {
	p, b := manyTabs(t)
	for _, tab := range deskTabs {
		b.Do(t, chromedp.EmulateViewport(1440, 900), pagetest.Click(`#tab-`+tab.id))
		b.Until(t, `document.querySelector('.panel.`+tab.id+`:not([aria-busy])') !== null`)
		b.Do(t, chromedp.EmulateViewport(720, 450, chromedp.EmulateScale(2)))
		b.Want(t, `document.documentElement.scrollWidth`, 720)
		b.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		b.Want(t, `document.documentElement.scrollWidth`, 390)
		b.Want(t, `[...document.querySelectorAll('.wide')].every(w => w.scrollWidth <= w.clientWidth)`, true)
	}
	b.Do(t, pagetest.Click(`#tab-rows`))
	b.Until(t, `document.querySelectorAll('.groups .rule').length > 0`)
	// On a telephone the mistakes come before the rows, as long as these are those with mistakes, and behind them else.
	const down = `['.views', '.groups', '.grid'].map(s => document.querySelector(s).offsetTop).every((y, i, all) => !i || y > all[i - 1])`
	b.Want(t, down, true)
	b.Want(t, `document.querySelector('.groups form').offsetHeight`, 0)
	b.Do(t, pagetest.Click(`.groups .head`))
	b.Until(t, `document.querySelector('.groups form').offsetHeight > 0`)
	b.Do(t, pagetest.Click(`[data-view=all]`))
	b.Until(t, `document.querySelector('[data-view=all]').getAttribute('aria-pressed') === 'true'`)
	b.Want(t, down, false)
	b.Do(t, chromedp.EmulateViewport(1440, 900), pagetest.Click(`#tab-rows`))
	b.Until(t, `document.querySelectorAll('.grid [role=gridcell]').length > 0`)
	b.Prefer(t, "prefers-reduced-motion", "reduce")
	b.Want(t, `[...document.querySelectorAll('*')].map(e => getComputedStyle(e))`+
		`.every(s => s.transitionDuration === '0s' && s.animationName === 'none')`, true)
	b.Prefer(t, "forced-colors", "active")
	for _, chosen := range []string{"[role=tab][aria-selected=true]", ".facet[aria-pressed=true]", ".gc.error"} {
		b.Want(t, `getComputedStyle(document.querySelector('`+chosen+`')).outlineStyle`, "solid")
	}
	b.Do(t, pagetest.Click(`#theme`))
	b.Want(t, `document.documentElement.dataset.theme`, "dark")
	b.Paper(t)
	b.Want(t, `getComputedStyle(document.documentElement).backgroundColor`, "rgb(255, 255, 255)")
	b.Want(t, `['.foot', '.bar', '#theme'].every(s => getComputedStyle(document.querySelector(s)).display === 'none')`, true)
	const shown = `getComputedStyle(document.querySelector('%s')).display`
	b.Do(t, chromedp.EmulateViewport(700, 900))            // a sheet of paper, on which the rows stay rows
	b.Script(t, `dispatchEvent(new Event('beforeprint'))`) // as a browser does that is told to print
	b.Want(t, fmt.Sprintf(shown, ".paper tr"), "table-row")
	b.Want(t, fmt.Sprintf(shown, ".paper"), "table")
	b.Want(t, fmt.Sprintf(shown, "main"), "none")
	b.Want(t, `document.querySelector('.paper').innerText.trim().replace(/\s+/g, ' ')`, "Row key name start_at timezone visibility Notes "+
		"2 a Tea 2027-03-04 19:00 Europe/Berlin Friends")
	b.Script(t, `dispatchEvent(new Event('afterprint'))`)
	b.Want(t, fmt.Sprintf(shown, "main"), "flex")
	b.quiet(t, p)
}

// Whoever looks at the last columns sees which row they are of, and no cell with the focus lies behind the names.
func TestTheNameOfARowStaysInSight(t *testing.T) {
	t.Chdir(t.TempDir())
	p := opened(t, manyRows(t, 60))
	b := p.tab(t)
	b.Do(t, chromedp.EmulateViewport(1280, 800), pagetest.Click(`[data-view=all]`))
	b.Until(t, `document.getElementById('shown').textContent === '60 rows'`)
	b.focusOn(t, "2:0")
	b.Do(t, chromedp.KeyEvent(kb.End))
	b.Until(t, focusedPlace+` === '2:12'`)
	const edge = `(e => Math.round(e.getBoundingClientRect().left - document.querySelector('.grid').getBoundingClientRect().left))`
	b.Want(t, edge+`(document.querySelector('.gh .gk'))`, 70)
	b.Want(t, edge+`(document.querySelector('.gb .gk'))`, 70)
	b.Want(t, `document.querySelector('.gb .gk').textContent`, "Evening 0")
	for range 9 {
		b.Do(t, chromedp.KeyEvent(kb.ArrowLeft))
	}
	b.Until(t, focusedPlace+` === '2:3'`)
	const right = `document.querySelector('.gb .gk').getBoundingClientRect().right`
	b.Want(t, `document.activeElement.getBoundingClientRect().left >= `+right+` - 1`, true)
	b.quiet(t, p)
}

// Columns are as wide as what stands in them, within bounds, in the header as below it, and stay so while a person looks around.
func TestColumnsAreAsWideAsTheirCells(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	text.WriteString("key,name,start_at,timezone,description_md\n")
	for i := range 300 {
		name := "A long evening of chamber music"
		if i > 200 {
			name = "Tea"
		}
		text.WriteString(fmt.Sprintf("K%d,%s,2027-03-04 19:00,Europe/Berlin,%s\n", i, name, strings.Repeat("with tea and cake ", 20)))
	}
	if err := os.WriteFile("wide.csv", []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "wide.csv")
	b := p.tab(t)
	b.Do(t, chromedp.EmulateViewport(1000, 800), pagetest.Click(`#tab-rows`), pagetest.Click(`[data-view=all]`))
	b.Until(t, `document.getElementById('shown').textContent === '300 rows'`)
	const widths = `((selector, of) => [...document.querySelector(selector).children].map(c => Math.round(c.getBoundingClientRect()[of])))`
	w := pagetest.Value[[]int](t, b.Tab, widths+`('.gb .gr', 'width')`)
	if w[1] > 120 || w[2] < 220 || w[5] > 300 || w[5] < w[2] {
		t.Errorf("the columns are %v px wide", w)
	}
	for _, of := range []string{"left", "right"} {
		b.Want(t, fmt.Sprintf(`String(%s('.gb .gr', %q)) === String(%s('.gh', %q))`, widths, of, widths, of), true)
	}
	// What was clicked may still be on its way, and begins at the first row.
	b.Until(t, `(document.querySelector('.grid').scrollTop = 1e6, document.querySelector('.gb .gr:last-child').dataset.i === '299')`)
	b.Want(t, `String(`+widths+`('.gb .gr', 'width'))`, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(w)), ","), "[]"))
	b.Do(t, chromedp.EmulateViewport(390, 844))
	b.Until(t, `Math.max(...`+widths+`('.gb .gr', 'width')) < 140`)
	b.quiet(t, p)
}
