package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"eventbatch/batch/pagetest"
)

// openedPage is a page that the command open serves in this process.
type openedPage struct {
	address, link string
	token         string
	close         func() // also with the end of the test
}

// opened opens a page, which ends with the test.
func opened(t *testing.T, args ...string) *openedPage {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"PATH=" + os.Getenv("PATH")}, append([]string{"open", "--json", "--no-browser"}, args...),
			strings.NewReader(""), in, io.Discard)
		_ = in.Close() // it never fails
		ended <- code
	}()
	closes := sync.OnceFunc(func() {
		stop()
		if code := <-ended; code != exitDone {
			t.Errorf("open ended with %d", code)
		}
	})
	t.Cleanup(closes)
	var doc openDoc
	if err := json.NewDecoder(out).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return &openedPage{address: strings.TrimSuffix(doc.Address, "/"), link: doc.Link, close: closes}
}

// enter exchanges the code of the link.
func (p *openedPage) enter(t *testing.T) {
	t.Helper()
	_, code, _ := strings.Cut(p.link, "#")
	body, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(p.address+"/api/session", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var said struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil || said.Token == "" {
		t.Fatalf("%s: %v", response.Status, err)
	}
	p.token = said.Token
}

// get asks for a path.
func (p *openedPage) get(t testing.TB, path string) []byte {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, p.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Desk-Token", p.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s: %v", path, response.Status, text, err)
	}
	return text
}

// commanded carries a command out in the working directory that comes to this end, and returns what it prints.
func commanded(t *testing.T, code int, args ...string) string {
	t.Helper()
	got, out, said := carried(t, args)
	if got != code {
		t.Fatalf("%q ends with %d, want %d: %s %s", args, got, code, out, said)
	}
	return out
}

// printed carries a command out in the working directory, and returns what it prints, whatever it comes to.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	_, out, _ := carried(t, args)
	return out
}

func carried(t *testing.T, args []string) (code int, out, said string) {
	var stdout, stderr strings.Builder
	code = run(t.Context(), []string{"PATH=" + os.Getenv("PATH")}, args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Each document of the page is what its command prints.
func TestThePageAnswersWithTheDocumentsOfCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	sample, err := os.ReadFile(filepath.Join(samplesFolder(t), "mistakes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("mistakes.csv", sample, 0o600); err != nil {
		t.Fatal(err)
	}
	printed(t, "import", "mistakes.csv", "--sandbox", "--yes", "--skip-invalid")
	p := opened(t, "mistakes.csv", "--date-order", "mdy")
	p.enter(t)
	for path, args := range map[string][]string{
		"/api/problems": {"check", "mistakes.csv", "--date-order", "mdy"},
		"/api/columns":  {"map", "mistakes.csv", "--date-order", "mdy"},
	} {
		if got, want := string(p.get(t, path)), printed(t, append(args, "--json")...); got != want || len(want) < 100 {
			t.Errorf("%s is\n%s\nand not\n%s", path, got, want)
		}
	}
	// Of these the page puts the lists into words.
	type wrapped struct{ Document map[string]any }
	runs := decodeJSON[runsDoc](t, printed(t, "runs", "--json"))
	if len(runs.Runs) != 1 {
		t.Fatalf("%v", runs)
	}
	for path, args := range map[string][]string{"/api/runs": {"runs"}, "/api/run?id=" + runs.Runs[0].Run: {"show", runs.Runs[0].Run}} {
		want := decodeJSON[map[string]any](t, printed(t, append(args, "--json")...))
		for _, list := range []string{"runs", "lines", "problems"} {
			delete(want, list)
		}
		if diff := difference(t, want, decodeJSON[wrapped](t, string(p.get(t, path))).Document); diff != "" {
			t.Errorf("%s is not as %v: %s", path, args, diff)
		}
	}
}

// samplesFolder returns where the samples are, whatever the working directory becomes.
func samplesFolder(t *testing.T) string {
	t.Helper()
	return filepath.Join(moduleRoot, "samples")
}

var moduleRoot = func() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}()

// deskTab is a tab of a browser that shows the page.
type deskTab struct{ *pagetest.Tab }

// tab opens the page in a browser, by its link.
func (p *openedPage) tab(t *testing.T) deskTab {
	t.Helper()
	b := deskTab{pagetest.Open(t)}
	b.Do(t, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(p.link))
	b.Until(t, `document.querySelector('[role=tabpanel]:not([aria-busy])') !== null`)
	return b
}

// quiet checks that nothing left the page's address, and that the page complained of nothing.
func (b deskTab) quiet(t *testing.T, p *openedPage) {
	t.Helper()
	b.Quiet(t, 8, func(address string) bool { return strings.HasPrefix(address, p.address+"/") })
}

const (
	focusedPlace = `(c => c.parentNode.children[0].textContent.replace(/\D/g, '') + ':' + c.dataset.c)(document.activeElement)`
	elements     = `document.querySelectorAll('*').length`
)

// manyRows writes a file of so many rows of twelve columns, of which every twentieth is wrong.
func manyRows(t testing.TB, n int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("key,name,start_at,end_at,timezone,visibility,max_capacity,address,description_md,tint_color,theme,slug\n")
	for i := range n {
		end := "21:00"
		if i%20 == 7 {
			end = "18:00"
		}
		day := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%300).Format(time.DateOnly)
		fmt.Fprintf(&text, "K-%06d,Evening %d,%s 19:30,%s %s,Europe/Berlin,public,%d,Quay %d,An evening with tea,#aabbcc,,evening-%06d\n",
			i, i, day, day, end, 20+i%80, i%90, i)
	}
	if err := os.WriteFile("many.csv", []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "many.csv"
}

func TestThePageIsUsedInABrowser(t *testing.T) {
	t.Chdir(t.TempDir())
	hostile := `<img src=x onerror="window.hit=1">`
	doubled := `"` + strings.ReplaceAll(hostile, `"`, `""`) + `"`
	text := "key,name,start_at,timezone,visibility,Notes\n" +
		"a,Tea,2027-03-04 19:00,Europe/Berlin,public,\n" +
		"b," + doubled + ",31.02.2027,Europe/Berlin," + doubled + ",\n" +
		"a,invoice\u202egpj.exe,2027-03-05 19:00,Berlin,Everyone,=1+1\n" +
		"c,Jazz,2027-03-05 19:00,Europe/Berlin,Friends,\n"
	if err := os.WriteFile("season.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "season.csv")
	b := p.tab(t)
	t.Run("the code is gone from the address", func(t *testing.T) {
		b.Want(t, `location.href`, p.address+"/")
		b.Want(t, `sessionStorage.length`, 1)
		b.Want(t, `localStorage.length + document.cookie.length`, 0)
	})
	t.Run("the sum adds up, and names its command", func(t *testing.T) {
		b.Want(t, `document.getElementById('sum').textContent`, "4 read = 1 valid + 3 with mistakes")
		b.Want(t, `document.getElementById('command').textContent`, "eventbatch check season.csv")
	})
	t.Run("cells are texts", func(t *testing.T) {
		b.Do(t, pagetest.Click(`[data-view=all]`))
		b.Until(t, `document.getElementById('shown').textContent === '4 rows'`)
		b.Until(t, `[...document.querySelectorAll('.gc')].filter(c => c.textContent.includes('onerror')).length === 2`)
		b.Want(t, `[...document.querySelectorAll('.gc')].some(c => c.textContent === 'invoice‹U+202E›gpj.exe')`, true)
		b.Want(t, `document.querySelectorAll('main img, main a').length + typeof window.hit`, "0undefined")
	})
	t.Run("a kind of mistake shows its rows, a place its cell", func(t *testing.T) {
		b.Script(t,
			`[...document.querySelectorAll('.groups .head')].find(h => h.textContent.includes('visibility')).click()`)
		b.Until(t, `document.getElementById('shown').textContent === '3 rows'`)
		b.Script(t,
			`[...document.querySelectorAll('.groups .place')].find(h => h.textContent === 'E4').click()`)
		b.Until(t, focusedPlace+` === '4:5'`)
		b.Want(t, `document.activeElement.getAttribute('aria-invalid')`, "true")
		b.Want(t, `document.getElementById('detail').textContent.includes('"Everyone" is not one of the allowed values')`, true)
	})
	t.Run("the grid is moved in by keys, and left by one Tab", func(t *testing.T) {
		b.Do(t, pagetest.Click(`[data-view=all]`))
		b.Until(t, `document.getElementById('shown').textContent === '4 rows'`)
		b.Script(t, `document.querySelector('.grid [tabindex="0"]').focus()`)
		for _, step := range []struct{ key, at string }{
			{kb.ArrowRight, "2:1"},
			{kb.ArrowDown, "3:1"},
			{kb.End, "3:6"},
			{kb.Home, "3:0"},
			{kb.PageDown, "5:0"},
			{kb.PageUp, "2:0"},
			{kb.F8, "3:2"},
			{kb.F8, "3:3"},
			{kb.F8, "3:5"},
			{kb.F8, "4:1"},
		} {
			b.Do(t, chromedp.KeyEvent(step.key))
			b.Until(t, focusedPlace+` === '`+step.at+`'`)
		}
		b.Want(t, `document.querySelectorAll('.grid [tabindex="0"]').length`, 1)
		b.Do(t, chromedp.KeyEvent(kb.Tab))
		b.Want(t, `document.activeElement.closest('.grid') === null`, true)
	})
	t.Run("a search finds rows", func(t *testing.T) {
		b.Do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById('search').focus()`), chromedp.KeyEvent("jazz"))
		b.Until(t, `document.getElementById('shown').textContent === '1 row'`)
	})
	t.Run("columns say what they feed", func(t *testing.T) {
		b.Do(t, pagetest.Click(`#tab-columns`))
		b.Until(t, `document.querySelector('.panel.columns:not([aria-busy])') !== null`)
		b.Want(t, `[...document.querySelectorAll('.plain tbody tr')].length`, 6)
		b.Want(t, `document.querySelector('.plain tbody tr:nth-child(3) select').value`, "start_at")
		b.Want(t, `document.querySelector('.plain tbody tr:nth-child(6) select').value`, "none")
		b.Do(t, pagetest.Click(`#tab-readings`))
		b.Until(t, `document.querySelector('.panel.readings:not([aria-busy])') !== null`)
		b.Want(t, `document.querySelector('main').textContent.includes('onerror')`, true)
		b.Want(t, `document.querySelectorAll('main img, main a').length + typeof window.hit`, "0undefined")
	})
	t.Run("a screen reader is told of a grid", func(t *testing.T) {
		b.Do(t, pagetest.Click(`#tab-rows`))
		b.Until(t, `document.querySelector('.panel.rows:not([aria-busy])') !== null`) // the mistakes are drawn last
		roles, apart := map[string]int{}, false
		for _, node := range b.Tree(t) {
			roles[node.Role]++
			apart = apart || node.Role == "heading" && strings.HasPrefix(node.Name, "Mistakes, ")
		}
		if !apart {
			t.Error("the number of mistakes is read as a part of its heading's word")
		}
		want := map[string]int{
			"grid": 1, "rowgroup": 2, "columnheader": 7, "row": 4, "gridcell": 21, "tab": 6, "tabpanel": 1, "main": 1,
		}
		for role, want := range want {
			if roles[role] != want {
				t.Errorf("%d of the role %s, want %d", roles[role], role, want)
			}
		}
		b.Want(t, `document.querySelector('.grid').getAttribute('aria-rowcount')`, "4")
		b.Want(t, `document.querySelector('.grid').getAttribute('aria-colcount')`, "7")
	})
	t.Run("nothing is wider than a telephone", func(t *testing.T) {
		b.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		for _, tab := range []string{"columns", "readings", "rows", "runs"} {
			b.Script(t, `document.getElementById('tab-`+tab+`').click()`)
			b.Until(t, `document.querySelector('.panel.`+tab+`:not([aria-busy])') !== null`)
			b.Want(t, `document.documentElement.scrollWidth`, 390)
		}
	})
	t.Run("a second tab with the same link closes the page", func(t *testing.T) {
		b.Do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(p.link))
		b.Until(t, `document.querySelector('.alert') !== null && document.querySelector('.alert').textContent.includes('used before')`)
		b.Forget("403") // the answer itself
		b.Forget("about:blank")
	})
	b.quiet(t, p)
}

const firstPaint = `performance.getEntriesByType('paint')[0].startTime`

// paintedWord returns after how many milliseconds the browser paints a page of one word, which no page can do without.
func paintedWord(t testing.TB) float64 {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<!doctype html><link rel=icon href=data:,><title>A word</title>Word")
	}))
	defer server.Close()
	b := deskTab{pagetest.Open(t)}
	b.Do(t, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(server.URL))
	b.Until(t, `performance.getEntriesByType('paint').length > 0`)
	return pagetest.Value[float64](t, b.Tab, firstPaint)
}

func TestManyRowsAreShownAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a large file")
	}
	t.Chdir(t.TempDir())
	file := manyRows(t, 100_000)
	began := time.Now()
	p := opened(t, file)
	listening := time.Since(began)
	p.enter(t)
	_ = p.get(t, "/api/rows?view=all")
	checked := time.Since(began)
	_ = p.get(t, "/api/problems")
	documented := time.Since(began)
	began = time.Now()
	window := p.get(t, "/api/rows?view=all&from=50000&n=200")
	t.Logf("listening after %s, rows after %s, the document of check after %s; a window of %d bytes takes %s",
		listening, checked, documented, len(window), time.Since(began))
	word := paintedWord(t)
	p = opened(t, file)
	b := p.tab(t)
	b.Until(t, `document.getElementById('shown').textContent === '5,000 rows'`)
	first := pagetest.Value[float64](t, b.Tab, firstPaint)
	b.Do(t, pagetest.Click(`[data-view=all]`))
	b.Until(t, `document.getElementById('shown').textContent === '100,000 rows'`)
	jumped := pagetest.Value[[]float64](t, b.Tab, jumps)
	b.Script(t, `document.querySelector('.grid').scrollTop = 0`)
	scrolled := pagetest.Value[[]float64](t, b.Tab, frames)
	count := pagetest.Value[int](t, b.Tab, elements)
	b.endsAreReached(t, "100001")
	t.Logf("first paint %.0f ms, of a page of one word %.0f ms", first, word)
	t.Logf("a jump %.0f ms (median), %.0f ms (worst); a frame %.0f ms (median), %.0f ms (worst); %d elements",
		jumped[len(jumped)/2], jumped[len(jumped)-1], scrolled[len(scrolled)/2], scrolled[len(scrolled)-1], count)
	if count > 2000 {
		t.Errorf("%d elements", count)
	}
	if jumped[0] > sized(100.0, 400, 400) { // other tests hold it up, and machines differ
		t.Errorf("the fastest jump takes %.0f ms", jumped[0])
	}
	b.quiet(t, p)
}

// endsAreReached goes to the last row, whose number this is, by the wheel and by keys, and back to the first.
func (b deskTab) endsAreReached(t *testing.T, last string) {
	t.Helper()
	const seen = `(() => {
		const at = e => e.getBoundingClientRect(), of = s => at(document.querySelector(s)).bottom, top = of('.gh'), bottom = of('.grid');
		return [...document.querySelectorAll('.gb .gr')].filter(r => at(r).top >= top - 1 && at(r).bottom <= bottom + 1)
			.map(r => r.firstChild.textContent);
	})()`
	b.Script(t, `document.querySelector('.grid').scrollTop = 1e9`)
	b.Until(t, seen+`.at(-1) === '`+last+`'`)
	b.Want(t, `(n => n.scrollWidth <= n.clientWidth)(document.querySelector('.gb .gn'))`, true)
	b.Script(t, `document.querySelector('.grid').scrollTop = 0`)
	b.focusOn(t, "2:2")
	for _, to := range [][2]string{{kb.End, last}, {kb.Home, "2"}} {
		b.Do(t, chromedp.KeyEvent(to[0], chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.Until(t, seen+`.includes('`+to[1]+`') && !`+seen+`.includes('…')`)
	}
}

// Of more rows than a browser scrolls the page says so, and each can be reached.
func TestMoreRowsThanABrowserScrollsAreReached(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a large file")
	}
	t.Chdir(t.TempDir())
	b := opened(t, manyRows(t, 700_000)).tab(t)
	b.Do(t, pagetest.Click(`[data-view=all]`))
	b.Until(t, `document.getElementById('shown').textContent.startsWith('700,000 rows, scrolled in steps')`)
	b.endsAreReached(t, "700001")
}

// What a hint says by a flag that nothing on the page stands for is said where the file is opened: open takes it.
func TestWhatHintsSayIsSaidToOpenToo(t *testing.T) {
	flags, said := newOpenCommand(newEnv(nil, nil, io.Discard, io.Discard)).Flags(), regexp.MustCompile(`say --([a-z-]+)`)
	clicked, met := []string{"first", "on-conflict", "skip-invalid", "forget-missing"}, 0
	for _, folder := range []string{"mapping", "batch/plan", "batch/source"} {
		err := filepath.WalkDir(filepath.Join(moduleRoot, folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			for _, flag := range said.FindAllSubmatch(text, -1) {
				met++
				if name := string(flag[1]); flags.Lookup(name) == nil && !slices.Contains(clicked, name) {
					t.Errorf("%s says --%s, which open does not take", path, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if met < 20 {
		t.Errorf("%d flags are said", met)
	}
}
