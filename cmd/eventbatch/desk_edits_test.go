package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"eventbatch/batch/pagetest"
)

// edited opens a page of a file with mistakes of a few kinds in a browser, with its rows.
func edited(t *testing.T) (*openedPage, deskTab) {
	t.Helper()
	t.Chdir(t.TempDir())
	const season = "key,name,start_at,timezone,visibility,max_capacity\n" +
		"a,Tea,2027-03-04 19:00,Europe/Berlin,public,40\n" +
		"b,Jazz,2027-02-31 19:00,Europe/Berlin,Everyone,40\n" +
		"c,Song,2027-03-05 19:00,Europe/Berlin,Everyone,many\n" +
		"d,Poems,2027-03-06 19:00,Europe/Berlin,public,60\n"
	if err := os.WriteFile("season.csv", []byte(season), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "season.csv")
	b := p.tab(t)
	b.sums(t, "4 read = 2 valid + 2 with mistakes")
	b.Until(t, `document.getElementById('shown')?.textContent === '2 rows'`)
	return p, b
}

// sums waits until the sum says so.
func (b deskTab) sums(t *testing.T, want string) {
	t.Helper()
	b.Until(t, `document.getElementById('sum').textContent === '`+want+`'`)
}

// spoken waits until the page has said so.
func (b deskTab) spoken(t *testing.T, want string) {
	t.Helper()
	b.Until(t, `document.getElementById('live').textContent.startsWith('`+want+`')`)
}

var anySum = regexp.MustCompile(`"sha256": "[0-9a-f]+"`)

// copied compares the document of the page with that of check about the copy that was written: but for the sum, which is
// that of the file.
func (b deskTab) copied(t *testing.T, p *openedPage, name string) {
	t.Helper()
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	var out bytes.Buffer
	run(t.Context(), nil, []string{"check", name, "--json"}, strings.NewReader(""), &out, io.Discard)
	got, want := anySum.ReplaceAllString(string(p.get(t, "/api/problems")), ""), anySum.ReplaceAllString(out.String(), "")
	if got != want || len(want) < 100 {
		t.Errorf("the page says\n%s\nand check says of the copy\n%s", got, want)
	}
	b.quiet(t, p)
}

// focusedCell is what the cell of the focus shows.
const focusedCell = `document.activeElement.closest('.gb') && document.activeElement.textContent`

func TestAFileIsMendedByKeys(t *testing.T) {
	p, b := edited(t)
	b.Script(t, `document.querySelector('.grid [tabindex="0"]').focus()`)
	b.Do(t, chromedp.KeyEvent(kb.F8))
	b.Until(t, focusedCell+` === '✗ 2027-02-31 19:00'`)
	t.Run("Escape leaves a cell as it was", func(t *testing.T) {
		b.Do(t, chromedp.KeyEvent(kb.F2))
		b.Until(t, `document.activeElement.value === '2027-02-31 19:00'`)
		b.Do(t, chromedp.KeyEvent("x"), chromedp.KeyEvent(kb.Escape))
		b.Until(t, focusedCell+` === '✗ 2027-02-31 19:00'`)
	})
	t.Run("Enter changes it, and goes down", func(t *testing.T) {
		b.Do(t, chromedp.KeyEvent(kb.F2))
		b.Until(t, `document.activeElement.value === '2027-02-31 19:00'`)
		b.Do(t, chromedp.KeyEvent("2027-02-28 19:00"), chromedp.KeyEvent(kb.Enter))
		b.spoken(t, "C3 is right now")
		b.Until(t, focusedCell+` === '2027-03-05 19:00'`)
		b.sums(t, "4 read = 2 valid + 2 with mistakes")
		b.Want(t, `document.getElementById('command').textContent`, "eventbatch check season.mended.csv")
	})
	t.Run("a row is right once all its cells are", func(t *testing.T) {
		b.Do(t, chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.F2))
		b.Until(t, `document.activeElement.value === 'Everyone'`)
		b.Do(t, chromedp.KeyEvent("public"), chromedp.KeyEvent(kb.Enter))
		b.spoken(t, "E3 is right now")
		b.sums(t, "4 read = 3 valid + 1 with mistakes")
	})
	b.quiet(t, p)
}

func TestAFileIsMendedByTheMouse(t *testing.T) {
	p, b := edited(t)
	in := func(title, selector string) string {
		return `[...document.querySelectorAll('.groups .rule')].find(r => r.querySelector('.title')?.textContent === '` + title +
			`').querySelector('` + selector + `')`
	}
	b.Until(t, `document.querySelector('.history') !== null`)
	t.Run("one value goes into all cells of a kind", func(t *testing.T) {
		b.Script(t, in("visibility", "input")+`.value = 'public'`)
		b.Script(t, in("visibility", "form button:not([type])")+`.click()`)
		b.spoken(t, "2 cells changed")
		b.sums(t, "4 read = 2 valid + 2 with mistakes")
	})
	t.Run("rows are left out", func(t *testing.T) {
		b.Until(t, in("max_capacity", "form")+` !== null`)
		b.Script(t, `[...`+in("max_capacity", "form")+`.querySelectorAll('button')].at(-1).click()`)
		b.spoken(t, "1 row left out")
		b.sums(t, "4 read = 3 valid + 1 with mistakes")
	})
	t.Run("a step is taken back by itself, and the copy is written", func(t *testing.T) {
		b.Until(t, `document.querySelector('.history') !== null`)
		b.Do(t, chromedp.Click(`.history summary`))
		b.Until(t, `document.querySelectorAll('.history li').length === 2`)
		b.Do(t, chromedp.Click(`.history [data-step="2"] button`))
		b.spoken(t, "2 cells taken back")
		b.sums(t, "4 read = 2 valid + 2 with mistakes")
		b.Until(t, `document.querySelector('.history') !== null`)
		b.Do(t, chromedp.Click(`.history summary`))
		b.Until(t, `document.getElementById('mended') !== null`)
		b.Do(t, chromedp.Click(`#mended`))
		b.spoken(t, "Written")
		b.copied(t, p, "season.mended.csv")
	})
}
