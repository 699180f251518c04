package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"eventbatch/batch/pagetest"
)

const (
	// noted has a page record when its first rows and the sum of its whole check were painted, in milliseconds since it was asked for.
	noted = `new MutationObserver(() => {
		const at = window.noted ||= {}, paint = name => requestAnimationFrame(() => { at[name] = performance.now(); });
		if (!at.rows && document.querySelector('.gb .gr .gc:nth-child(3)')?.textContent) { at.rows = -1; paint('rows'); }
		if (!at.sum && document.getElementById('sum')?.textContent.includes(' read = ')) { at.sum = -1; paint('sum'); }
	}).observe(document, {subtree: true, childList: true, characterData: true});`

	// jumps takes the times of twelve jumps within 100,000 rows, in milliseconds until their rows are painted, the shortest first.
	jumps = `(async () => {
		const g = document.querySelector('.grid'), times = [];
		for (let i = 1; i <= 12; i++) {
			const at = (i * 37 % 100) / 100, began = performance.now();
			g.scrollTop = g.scrollHeight * at;
			await new Promise(done => { const look = () => {
				const c = g.querySelector('.gb .gr:nth-child(8) .gc:nth-child(2)');
				if (c && c.textContent && Math.abs(c.parentNode.dataset.i - 1e5 * at) < 60) done(); else requestAnimationFrame(look);
			}; requestAnimationFrame(look); });
			await new Promise(requestAnimationFrame);
			times.push(performance.now() - began);
		}
		return times.sort((a, b) => a - b);
	})()`

	// frames takes the times of 180 frames of a grid that is scrolled by 400 pixels in each, in milliseconds, the shortest first.
	frames = `(async () => {
		const g = document.querySelector('.grid'), times = [];
		let last = await new Promise(requestAnimationFrame);
		for (let i = 0; i < 180; i++) {
			g.scrollTop += 400;
			const now = await new Promise(requestAnimationFrame);
			times.push(now - last);
			last = now;
		}
		return times.sort((a, b) => a - b);
	})()`

	// counts takes the times of seven edits that make the first wrong row right and wrong in turns, in milliseconds from Enter
	// until the page counts one mistake less or more, the shortest first.
	counts = `(async () => {
		const times = [];
		for (let i = 0; i < 7; i++) {
			const cell = () => document.querySelector('.gb [data-i="7"] [data-c="4"]');
			document.querySelector('.grid').scrollTop = 0;
			while (!cell()?.textContent) await new Promise(requestAnimationFrame);
			cell().focus();
			cell().dispatchEvent(new KeyboardEvent('keydown', {key: 'F2', bubbles: true, cancelable: true}));
			document.activeElement.value = i % 2 ? '2027-01-08 18:00' : '2027-01-08 21:00';
			const began = performance.now(), want = i % 2 ? '5,000' : '4,999';
			document.activeElement.form.requestSubmit();
			while (document.querySelector('.groups .badge')?.textContent !== want) await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			times.push(performance.now() - began);
			await new Promise(done => setTimeout(done, 700)); // until nothing is under way
		}
		return times.sort((a, b) => a - b);
	})()`

	// facets takes the times of ten changes between all rows and those with mistakes, in milliseconds until the rows are painted,
	// the shortest first.
	facets = `(async () => {
		const times = [];
		for (let i = 0; i < 10; i++) {
			const began = performance.now(), want = i % 2 ? '100,000 rows' : '5,000 rows';
			document.querySelector(i % 2 ? '[data-view=all]' : '[data-view=wrong]').click();
			while (document.getElementById('shown').textContent !== want) await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			times.push(performance.now() - began);
		}
		return times.sort((a, b) => a - b);
	})()`
)

func median(sorted []float64) float64 { return sorted[len(sorted)/2] }

// BenchmarkPage measures what a person waits for on the local page: a file of 100,000 rows is opened by a program of its own, as
// often as it takes for a median, and looked at and edited in the last of its tabs. Milliseconds are those of the browser but for
// listening and pastes, and MiB what the program and the page hold once they were looked at.
func BenchmarkPage(b *testing.B) {
	b.Chdir(b.TempDir())
	program := filepath.Join(b.TempDir(), "eventbatch") // of which the tests are no part
	build := exec.Command("go", "build", "-o", program, "./cmd/eventbatch")
	build.Dir = moduleRoot
	if said, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, said)
	}
	file := manyRows(b, 100_000)
	told := map[string][]float64{}
	tell := func(name string, n float64) { told[name] = append(told[name], n) }
	const times = 11
	for i := range times {
		b.Setenv("XDG_STATE_HOME", filepath.Join(b.TempDir(), ".state"))
		began := time.Now()
		cmd := exec.Command(program, "open", "--json", "--no-browser", file)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		var doc openDoc
		if err == nil {
			err = json.NewDecoder(out).Decode(&doc)
		}
		if err != nil {
			b.Fatal(err)
		}
		tell("listening-ms", float64(time.Since(began).Microseconds())/1000)
		tab := deskTab{pagetest.Open(b)}
		p := &openedPage{address: strings.TrimSuffix(doc.Address, "/"), link: doc.Link}
		note := page.AddScriptToEvaluateOnNewDocumentParams{Source: noted}
		if _, err := chromedp.Call(tab.Context, page.AddScriptToEvaluateOnNewDocument, note); err != nil {
			b.Fatal(err)
		}
		tab.Do(b, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(p.link))
		tab.Until(b, `window.noted?.sum > 0 && noted.rows > 0`)
		tell("paint-ms", pagetest.Value[float64](b, tab.Tab, firstPaint))
		tell("rows-ms", pagetest.Value[float64](b, tab.Tab, `noted.rows`))
		tell("check-ms", pagetest.Value[float64](b, tab.Tab, `noted.sum`))
		if i == times-1 {
			p.token = pagetest.Value[string](b, tab.Tab, `sessionStorage.getItem('desk-token')`)
			p.used(b, tab, tell, func() { tell("server-MiB", float64(anonymous(b, cmd.Process.Pid))/1024) })
		}
		_ = chromedp.Cancel(tab.Context)
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	tell("word-ms", paintedWord(b))
	for name, all := range told {
		slices.Sort(all)
		b.ReportMetric(median(all), name)
	}
	b.ReportMetric(0, "ns/op")
}

// used measures the page of a file that is open. It calls looked before anything is changed.
func (p *openedPage) used(b *testing.B, tab deskTab, tell func(name string, n float64), looked func()) {
	tab.Until(b, `document.getElementById('shown')?.textContent === '5,000 rows'`)
	tab.Do(b, pagetest.Click(`[data-view=all]`))
	tab.Until(b, `document.getElementById('shown').textContent === '100,000 rows'`)
	measure := func(script, of string, most float64, ofMost string) {
		all := pagetest.Value[[]float64](b, tab.Tab, script)
		tell(of, median(all))
		tell(ofMost, all[min(len(all)-1, int(float64(len(all))*most))])
	}
	measure(jumps, "jump-ms", 1, "jump-worst-ms")
	tab.Script(b, `document.querySelector('.grid').scrollTop = 0`)
	measure(frames, "frame-ms", 1, "frame-worst-ms")
	tell("elements", float64(pagetest.Value[int](b, tab.Tab, elements)))
	tell("browser-MiB", pagetest.Value[float64](b, tab.Tab, `performance.memory.usedJSHeapSize / 1048576`))
	measure(facets, "facet-ms", 1, "facet-worst-ms")
	looked()
	tab.Script(b, `document.querySelector('.grid').scrollTop = 0`)
	tab.focusOn(b, "2:2")
	measure(edits, "edit-ms", 0.95, "edit-p95-ms")
	p.settled(b) // or the first would wait for the check behind the last edit
	measure(counts, "counts-ms", 1, "counts-worst-ms")
	generation := p.settled(b)
	for _, n := range []int{1000, 10_000} {
		tell(fmt.Sprintf("paste-%d-ms", n), float64(p.pastes(b, generation, n).Milliseconds()))
		generation = p.settled(b)
	}
}

// anonymous returns how many KiB a process has in memory that are in no file.
func anonymous(t testing.TB, pid int) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, found := bytes.Cut(status, []byte("RssAnon:"))
	if err != nil || !found {
		t.Skip("the system does not tell what a process holds")
	}
	if _, err := fmt.Sscan(string(after), &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}
