package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"eventbatch/batch/pagetest"
	"eventbatch/batch/report"
)

// oddProgramme writes a German programme of 45 events and four headings, of which four events have no day yet. It
// returns the name of its file.
func oddProgramme(t *testing.T) string {
	t.Helper()
	const name = "cmd/eventbatch/testdata/programmes/a_german_programme_with_months_and_venues.txtar"
	text, err := os.ReadFile(filepath.Join(moduleRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, is := range []string{"K-103 | Do, 11.03.27", "K-106 | 19.03.2027", "K-123 | Sa, 01.05.27", "K-127 | Di, 11.05.27"} {
		key, _, _ := strings.Cut(is, " | ")
		changed := bytes.Replace(text, []byte(is), []byte(key+" | noch offen"), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("the programme has no %s", is)
		}
		text = changed
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("odd.txtar", text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := readProgramme(t, "odd.txtar")
	if err := os.WriteFile("programm-2027.xlsx", p.data, 0o600); err != nil {
		t.Fatal(err)
	}
	return "programm-2027.xlsx"
}

// ended checks what the answers of a person have come to, and that commands say the same.
func (b deskTab) ended(t *testing.T, p *openedPage, file string) {
	t.Helper()
	b.Want(t, `document.getElementById('sum').textContent.startsWith('45 read = 41 valid + 4 with mistakes')`, true)
	b.Want(t, `document.getElementById('command').textContent`, "eventbatch check "+file+" --mapping programm-2027.map.yaml")
	making := pagetest.Value[string](t, b.Tab, `document.getElementById('making').textContent`)
	if n := strings.Count(making, " --answer "); n > 6 {
		t.Errorf("%d answers: %s", n, making)
	}
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	want := printed(t, "check", file, "--mapping", "programm-2027.map.yaml", "--json")
	if got := string(p.get(t, "/api/problems")); got != want || len(got) < 1000 {
		t.Errorf("the page says\n%s\nand check\n%s", got, want)
	}
	saved, err := os.ReadFile("programm-2027.map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(making, "eventbatch "), "'", ""))
	commanded(t, exitDone, args...) // over what the page has saved
	if again, err := os.ReadFile("programm-2027.map.yaml"); err != nil || !bytes.Equal(again, saved) {
		t.Errorf("%s writes\n%s\nand the page\n%s: %v", making, again, saved, err)
	}
	args[len(args)-2] = "made.map.yaml"
	commanded(t, exitDone, args...)
	if made, err := os.ReadFile("made.map.yaml"); err != nil || !bytes.Equal(made, saved) {
		t.Errorf("%s writes\n%s\nand the page\n%s: %v", making, made, saved, err)
	}
	b.quiet(t, p)
}

// readingsDrawn is that the tab of readings is shown, before what it has to show.
const readingsDrawn = `document.querySelector('.panel.readings:not([aria-busy])') !== null && `

// shapeBecomes is that cells without a bound become something.
func shapeBecomes(what string) string {
	return `[...document.querySelectorAll('.shapes li')].some(l => l.textContent.startsWith('unbegrenzt becomes ` + what + `'))`
}

func TestAProgrammeIsReadByAFewAnswersWithTheMouse(t *testing.T) {
	file := oddProgramme(t)
	p := opened(t, file)
	b := p.tab(t)
	b.Until(t, readingsDrawn+`document.querySelector('#tab-readings .open') !== null`) // where a person has to go first
	b.Want(t, `document.querySelector('#tab-readings .open').textContent`, "2 ?")
	b.Want(t, shapeBecomes("no limit7 cells"), true)
	b.Until(t, `document.getElementById('forecast').textContent.startsWith('With all taken: ')`)
	b.Do(t, pagetest.Click(`#tab-rows`)) // too early: that is no mistake
	b.Until(t, `document.querySelector('.panel.rows .empty')?.textContent.startsWith('2 questions open') === true`)
	b.Want(t, `document.querySelector('.panel.rows .alert') === null`, true)
	b.Do(t, pagetest.Click(`.panel.rows .do`))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') !== null`)
	b.Do(t, pagetest.Click(`[data-question=timezone] .take`))
	b.Until(t, readingsDrawn+`document.querySelector('#tab-readings .open')?.textContent === '1 ?'`)
	b.Until(t, `document.activeElement.matches('[data-question=hidden_rows] .take')`)         // what is open next
	b.Do(t, pagetest.Click(`[data-question=hidden_rows] .take + .small + [data-value=read]`)) // what most rows want is in sight
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=hidden_rows]') === null`)
	b.Do(t, pagetest.Click(`[data-question=key] .take`))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question]') === null`)
	b.Want(t, `document.querySelectorAll('.answered li').length`, 3)
	if _, err := os.Lstat("programm-2027.map.yaml"); !os.IsNotExist(err) {
		t.Errorf("a mapping was written that nobody asked for: %v", err)
	}
	b.Do(t, pagetest.Click(`#save`))
	b.Until(t, `document.getElementById('saved') !== null`)
	b.ended(t, p, file)
	t.Run("the events are shown in their order, before anything is sent", func(t *testing.T) {
		b.Do(t, pagetest.Click(`#tab-rows`))
		b.Until(t, `document.getElementById('shown')?.textContent === '4 rows'`)
		b.Do(t, pagetest.Click(`[data-view=events]`))
		b.Until(t, `document.getElementById('shown').textContent === '41 events'`)
		const cell = `document.querySelector('.gb .gr').children[%d].textContent`
		for column, want := range map[int]string{1: "Thu", 2: "4 Mar 2027", 9: "Europe/Berlin"} {
			b.Want(t, fmt.Sprintf(cell, column), want)
		}
		b.Do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById('search').focus()`), chromedp.KeyEvent("keller"))
		b.Until(t, `(w => w.endsWith(' events') && w !== '41 events')(document.getElementById('shown').textContent)`)
		b.Do(t, pagetest.Click(`#tab-readings`))
		b.Until(t, readingsDrawn+`document.querySelector('.answered') !== null`)
	})
	t.Run("the cells of a shape are shown", func(t *testing.T) {
		b.Script(t, `[...document.querySelectorAll('.shapes li')].find(l => l.textContent.startsWith('unbegrenzt'))`+
			`.querySelector('.link:not([data-other])').click()`)
		b.Until(t, `document.getElementById('shown')?.textContent === '7 rows'`)
		b.Do(t, pagetest.Click(`#tab-readings`))
		b.Until(t, readingsDrawn+`document.querySelector('.answered') !== null`)
	})
	t.Run("what was settled is changed, and changed back", func(t *testing.T) {
		other := `[data-other="max_capacity:unbegrenzt"]`
		b.Do(t,
			pagetest.Click(other), chromedp.Evaluate[chromedp.Void](`document.querySelector('`+other+` + form input').focus()`),
			chromedp.KeyEvent("200"), chromedp.KeyEvent(kb.Enter),
		)
		b.Until(t, readingsDrawn+shapeBecomes("200"))
		b.Do(t, pagetest.Click(`.answered li:nth-child(4) button`))
		b.Until(t, readingsDrawn+shapeBecomes("no limit"))
	})
	t.Run("an answer is taken back", func(t *testing.T) {
		b.Do(t, pagetest.Click(`.answered li:nth-child(2) button`))
		b.Until(t, readingsDrawn+`document.querySelector('[data-question=hidden_rows]') !== null`)
		b.Want(t, `document.getElementById('command').textContent`, "eventbatch map "+file+
			" --answer timezone=Europe/Berlin --answer key=Nr.")
		b.Do(t, pagetest.Click(`[data-question=hidden_rows] .take`))
		b.Until(t, `document.getElementById('sum').textContent.startsWith('43 read')`)
	})
	t.Run("what somebody else has written is not written over", func(t *testing.T) {
		if err := os.WriteFile("programm-2027.map.yaml", []byte("version: 1 # by hand\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.Until(t, `document.getElementById('save') !== null`)
		b.Do(t, pagetest.Click(`#save`))
		b.Until(t, `document.querySelector('.alert')?.textContent.includes('nothing was written') === true`)
		if text, err := os.ReadFile("programm-2027.map.yaml"); err != nil || string(text) != "version: 1 # by hand\n" {
			t.Errorf("it holds %q: %v", text, err)
		}
	})
}

func TestAProgrammeIsReadByAFewAnswersWithKeys(t *testing.T) {
	file := oddProgramme(t)
	p := opened(t, file)
	b := p.tab(t)
	b.Until(t, readingsDrawn+`document.querySelector('#tab-readings .open') !== null`)
	b.TabTo(t, `[data-question=key] .take`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=key]') === null`)
	b.TabTo(t, `[data-question=timezone] [aria-expanded]`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.activeElement.matches('[data-question=timezone] input')`)
	b.Do(t, chromedp.KeyEvent("nowhere"), chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.querySelector('.alert') !== null`) // an answer that it is not is refused as by the command
	const refusal = `document.querySelector('[data-question=timezone] .alert')?.textContent`
	b.Want(t, refusal+`.includes('That is not an answer to it')`, true) // beside what was typed, which stays there
	b.Want(t, `document.activeElement.value`, "nowhere")
	b.Do(t, chromedp.KeyEvent("=1"), chromedp.KeyEvent(kb.Enter))
	b.Until(t, refusal+`?.includes('An answer has no equals sign in it: say what nowhere=1 comes to')`)
	b.Want(t, `document.querySelectorAll('.alert').length`, 1)
	b.Forget("400")
	for range len("nowhere=1") {
		b.Do(t, chromedp.KeyEvent(kb.Backspace))
	}
	b.Do(t, chromedp.KeyEvent("Europe/Berlin"), chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') === null`)
	b.TabTo(t, `[data-question=hidden_rows] [data-value=read]`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question]') === null && document.activeElement.id === 'save'`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.getElementById('saved') !== null`)
	b.Until(t, `document.getElementById('live').textContent.startsWith('Saved. 45 read')`)
	b.ended(t, p, file)
}

// What is typed stays while another question is answered, and a person is told before what is taken and what is not sent. On
// a telephone an event is called by its name wherever that stands.
func TestWhatIsTypedOutlivesAnotherAnswer(t *testing.T) {
	writeFiles(t, map[string]string{"season.csv": "key,start_at,visibility,max_capacity,Bemerkung,name\n" +
		"a,03/04/2027 19:00,public,40,in the small hall,Tea\nb,03/05/2027 19:00,public,many,,Jazz\nc,03/06/2027 19:00,public,lots,,Song\n"})
	p := opened(t, "season.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-readings`))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') !== null`)
	for range 5 { // whoever passes by quickly does not lose the page
		b.Script(t, `for (const tab of ['columns', 'readings', 'columns', 'readings']) document.getElementById('tab-' + tab).click()`)
		b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') !== null`)
		b.Script(t, `['columns', 'readings', 'columns', 'readings'].forEach((tab, i) => `+
			`setTimeout(() => document.getElementById('tab-' + tab).click(), 5 * i))`)
		b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') !== null`)
	}
	b.Want(t, `document.querySelector('main .alert[role]') === null`, true)
	b.Want(t, `document.querySelector('.lead + .small').textContent`, "Not sent: Bemerkung · See Columns")
	b.Want(t, `document.getElementById('take-all').textContent`, "Take what is proposed: 2")
	const taken = `[...document.querySelectorAll('.lead .choices li')].map(l => l.textContent).join(' | ')`
	b.Want(t, taken, `What is "many" of "max_capacity" for seats? blank | What is "lots" of "max_capacity" for seats? blank`)
	b.Want(t, `document.querySelector('[data-question=date_order] [data-value=dmy] b').textContent`, "day.month.year")
	b.Do(t, pagetest.Click(`[data-other="max_capacity:many"]`))
	b.Do(t, pagetest.Click(`[data-question="max_capacity:many"] input`), chromedp.KeyEvent("8"))
	b.Do(t, pagetest.Click(`[data-question=date_order] [data-value=mdy]`))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=date_order]') === null`)
	b.Until(t, `document.activeElement.matches('[data-question="max_capacity:many"] input') && document.activeElement.value === '8'`)
	b.Do(t, chromedp.KeyEvent("0"), chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question="max_capacity:many"]') === null`)
	b.Want(t, `document.querySelector('.answered li:last-child b').textContent`, "80")
	b.Until(t, `document.activeElement.matches('.must :is(button, input)')`)
	b.Do(t, pagetest.Click(`[data-question="max_capacity:lots"] .take`))
	b.Until(t, readingsDrawn+`document.activeElement.matches('[data-question=timezone] input')`)
	b.Do(t, chromedp.KeyEvent("Europe/Berlin"), chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') === null`)
	b.Do(t, chromedp.EmulateViewport(390, 844), pagetest.Click(`#tab-rows`))
	b.Until(t, `document.querySelectorAll('.gb .gk').length === 3`)
	const name = `[...document.querySelectorAll('.gr .gk')].map(c => c.getBoundingClientRect())`
	b.Want(t, name+`.every(r => r.left > 0 && r.right < 390 && r.width > 60)`, true)
	b.Script(t, `document.querySelector('.grid').scrollLeft = 1e6`)
	b.Want(t, name+`.every(r => r.left > 0 && r.right < 390)`, true)
	b.Do(t, pagetest.Click(`[data-view=events]`))
	b.Until(t, `document.querySelector('.gh .gk')?.textContent === 'Event' && document.querySelectorAll('.gb .gk').length === 3`)
	for _, left := range []string{"0", "1e6"} {
		b.Script(t, `document.querySelector('.grid').scrollLeft = `+left)
		b.Want(t, name+`.every(r => r.left > 0 && r.right <= 390 && r.width > 60)`, true)
	}
	b.Script(t, `document.querySelector('.grid').scrollLeft = 0`) // where the day is not below the name
	b.Want(t, `[...document.querySelectorAll('.gr > :nth-child(3)')].map(c => c.getBoundingClientRect())`+
		`.every(r => r.right <= document.querySelector('.gk').getBoundingClientRect().left + 1)`, true)
	b.Script(t, `document.querySelector('.grid').scrollLeft = 1e6`)
	b.Do(t, pagetest.Click(`[data-view=all]`)) // which begins at its first column
	b.Until(t, `document.querySelector('.gh .gk')?.textContent === 'Fname'`)
	b.Want(t, `document.querySelector('.grid').scrollLeft`, 0)
	b.Want(t, `document.querySelector('.gh > :nth-child(3)').getBoundingClientRect().right <= `+
		`document.querySelector('.gk').getBoundingClientRect().left + 1`, true)
	const capital = `import(document.querySelector('script[src]').src.replace('main', 'parts')).then(m => m.capital(%q))`
	b.Want(t, fmt.Sprintf(capital, "start_at is missing, and so on"), "Start is missing, and so on")
	b.Want(t, fmt.Sprintf(capital, "read the key"), "Read the key")
	b.quiet(t, p)
}

// Whoever answers quickly is not too quick: answers wait for those before them.
func TestAnAnswerWaitsForTheOneBeforeIt(t *testing.T) {
	writeFiles(t, map[string]string{
		"season.csv": "key,name,start_at,max_capacity\na,Tea,03/04/2027 19:00,40\nb,Jazz,03/05/2027 19:00,many\n" +
			"c,Song,03/06/2027 19:00,few\n",
	})
	p := opened(t, "season.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-readings`))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question="max_capacity:many"] .take') !== null`)
	b.Script(t, `document.querySelector('[data-question=date_order] [data-value=mdy]').click();`+
		`document.querySelector('[data-question="max_capacity:many"] .take').click();`+
		`document.querySelector('[data-question="max_capacity:few"] .take').click()`)
	b.Until(t, readingsDrawn+`document.querySelectorAll('.answered li').length === 3`)
	b.Want(t, `[...document.querySelectorAll('[data-question].must')].map(q => q.dataset.question).join()`, "timezone")
	b.Script(t, `const zone = document.querySelector('[data-question=timezone] input'); zone.value = 'Mars/Olympus';`+
		`zone.dispatchEvent(new Event('input')); zone.form.requestSubmit();`+
		`document.querySelector('[data-question=visibility] .take').click()`)
	b.Until(t, readingsDrawn+`document.querySelectorAll('.answered li').length === 4`) // the one behind a refused one too
	b.Until(t, `document.getElementById('failed').textContent.includes('not an answer')`)
	b.Want(t, `document.querySelector('[data-question=timezone] input').value`, "Mars/Olympus")
	b.Forget("400")
	b.quiet(t, p)
}

// Whoever answers what another tab has made old sees that it was not taken, and finds what was typed.
func TestATabSeesThatAnotherHasAnswered(t *testing.T) {
	writeFiles(t, map[string]string{"season.csv": "key,start_at,visibility,max_capacity,name\n" +
		"a,03/04/2027 19:00,public,40,Tea\nb,03/05/2027 19:00,public,many,Jazz\n"})
	p := opened(t, "season.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-readings`))
	b.Until(t, readingsDrawn+`document.querySelector('[data-other="max_capacity:many"]') !== null`)
	b.Do(t, pagetest.Click(`[data-other="max_capacity:many"]`))
	b.Do(t, pagetest.Click(`[data-question="max_capacity:many"] input`), chromedp.KeyEvent("80"))
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	answer := map[string]any{"generation": 0, "answers": []map[string]string{{"id": "date_order", "value": "mdy"}}}
	if status, text := p.post(t, "/api/mapping", answer); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('#failed .alert')?.textContent.startsWith('Another tab was quicker')`)
	b.Want(t, `document.querySelector('[data-question=date_order]') === null`, true)
	b.Want(t, `document.activeElement.matches('[data-question="max_capacity:many"] input') && document.activeElement.value`, "80")
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question="max_capacity:many"]') === null`)
	b.Want(t, `document.querySelector('#failed .alert') === null`, true)
	b.Forget("412")
	b.quiet(t, p)
}

// A text typed for all cells of a kind outlives an edit of another tab, and whoever reloads the page is asked.
func TestATextForManyCellsIsNotLost(t *testing.T) {
	writeFiles(t, map[string]string{"season.csv": "key,name,start_at,timezone,visibility\na,Tea,2027-03-04 19:00,Europe/Berlin,x\n" +
		"b,Jazz,2027-03-05 19:00,Europe/Berlin,y\n"})
	p := opened(t, "season.csv")
	b := p.tab(t)
	b.sums(t, "2 read = 0 valid + 2 with mistakes")
	b.Do(t, pagetest.Click(`.groups summary`), pagetest.Click(`.groups input`), chromedp.KeyEvent("public"))
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	cell := map[string]any{"generation": 0, "cells": []map[string]string{{"cell": "B2", "before": "Tea", "after": "Tee"}}}
	if status, text := p.post(t, "/api/edits", cell); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	const typed = `document.activeElement.matches('.groups [open] input') && document.activeElement.value === 'public'`
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.querySelector('#failed .alert')?.textContent.startsWith('Another tab was quicker')`)
	b.Until(t, typed)
	asked := chromedp.Events(b.Context, page.JavascriptDialogOpening)
	b.Script(t, `setTimeout(() => location.reload())`)
	for dialog, err := range asked {
		if err != nil || dialog.Type != page.DialogTypeBeforeunload {
			t.Fatalf("%+v: %v", dialog, err)
		}
		break
	}
	if _, err := chromedp.Call(b.Context, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}); err != nil {
		t.Fatal(err)
	}
	b.Want(t, typed, true)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.sums(t, "2 read = 2 valid + 0 with mistakes")
	b.Forget("412")
	b.quiet(t, p)
}

// A text typed into a cell is taken also where another tab has answered meanwhile and the person goes elsewhere: the cell says
// what it held.
func TestATypedCellOutlivesAnAnswerOfAnotherTab(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "Nr,Titel,Beginn\n1,Tee,04.03.2027 19:00\n2,Jazz,05.03.2027 20:00\n"})
	p := opened(t, "a.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-readings`))
	b.Until(t, readingsDrawn+`document.querySelector('.must') !== null`)
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	p.answersAll(t)
	b.Do(t, pagetest.Click(`#tab-columns`), pagetest.Click(`#tab-rows`)) // which learns of it
	b.Until(t, `document.querySelector('.gb [aria-rowindex="2"] .gk')?.textContent === 'Tee'`)
	b.Do(t, pagetest.Click(`.gb [aria-rowindex="2"] .gk`))
	b.Do(t, chromedp.KeyEvent(kb.F2))
	b.Until(t, `document.activeElement.value === 'Tee'`)
	b.Do(t, chromedp.KeyEvent("Earl Grey"))
	zone := map[string]any{"generation": 1, "answers": []map[string]string{{"id": "timezone", "value": "Europe/Paris"}}}
	if status, text := p.post(t, "/api/mapping", zone); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Do(t, pagetest.Click(`#tab-rows`))
	b.Until(t, `document.querySelector('.gb [aria-rowindex="2"] .gk')?.textContent === 'Earl Grey'`)
	b.Forget("412")
	b.quiet(t, p)
}

// answersAll answers what has to be answered as is proposed, and by the zone of Berlin.
func (p *openedPage) answersAll(t *testing.T) {
	t.Helper()
	var answers []map[string]string
	for _, q := range decodeJSON[report.Proposed](t, string(p.get(t, "/api/columns"))).Questions {
		if value := q.Default; !q.Optional {
			if q.ID == "timezone" {
				value = "Europe/Berlin"
			}
			answers = append(answers, map[string]string{"id": q.ID, "value": value})
		}
	}
	if status, text := p.post(t, "/api/mapping", map[string]any{"generation": 0, "answers": answers}); status != http.StatusOK {
		t.Fatalf("%v: %d %s", answers, status, text)
	}
	_ = p.get(t, "/api/problems")
}

// Answers that no file has go with the page: it ends with the line that keeps them.
func TestAPageEndsWithWhatKeepsTheAnswers(t *testing.T) {
	h := newHome(t, "")
	h.write(t, "a.csv", "Nr,Titel,Beginn\n1,Tee,04.03.2027 19:00\n")
	ends := func(does func(p *openedPage)) string {
		t.Helper()
		proc, p := h.openAt(t, "a.csv")
		does(p)
		_ = proc.Process.Signal(os.Interrupt)
		proc.end(t)
		_, line, _ := strings.Cut(proc.err.String(), "in no file yet: ")
		return line
	}
	if line := ends(func(*openedPage) {}); line != "" {
		t.Errorf("nothing was answered: %s", line)
	}
	line := ends(func(p *openedPage) { p.answersAll(t) })
	_, line, _ = strings.Cut(line, ":\neventbatch ")
	args := strings.Fields(strings.ReplaceAll(line, "'", ""))
	if len(args) == 0 {
		t.Fatal("what was answered is gone without a word")
	}
	if e := h.run(t, args...); e.code != exitDone {
		t.Fatalf("%q: %v", args, e)
	}
	if line := ends(func(p *openedPage) { _ = p.get(t, "/api/columns") }); line != "" {
		t.Errorf("the answers are in a file: %s", line)
	}
}

// The lines that are shown can be carried out at once, and come to what the page says and writes.
func TestTheShownLinesAreCarriedOut(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "Nr,Titel,Beginn\n1,Tee,04.03.2027 19:00\n2,Jazz,05.03.2027 20:00\n"})
	p := opened(t, "a.csv")
	p.enter(t)
	does := func(path string, body map[string]any) {
		t.Helper()
		if status, text := p.post(t, path, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		_ = p.get(t, "/api/problems")
	}
	lines := func() (same, mends string) {
		t.Helper()
		s := decodeJSON[struct {
			Command string
			Edits   struct{ Command string }
		}](t, string(p.get(t, "/api/state")))
		return s.Command, s.Edits.Command
	}
	out := func(line string) (text string) {
		t.Helper()
		for one := range strings.SplitSeq(line, " && ") {
			words := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(one, "eventbatch "), "'", ""))
			text = commanded(t, exitDone, append(words, "--json")...)
		}
		return anySum().ReplaceAllString(text, "")
	}
	says := func() {
		t.Helper()
		same, _ := lines()
		if got, want := anySum().ReplaceAllString(string(p.get(t, "/api/problems")), ""), out(same); got != want {
			t.Errorf("the page says\n%s\nand %s\n%s", got, same, want)
		}
	}
	mended := func() []byte {
		t.Helper()
		copied, err := os.ReadFile("a.mended.csv")
		if err := errors.Join(err, os.Remove("a.mended.csv")); err != nil {
			t.Fatal(err)
		}
		return copied
	}
	mends := func() []byte {
		t.Helper()
		same, line := lines()
		if same != line {
			t.Errorf("before there is a copy the page does as %s, and the copy is written by %s", same, line)
		}
		out(line)
		return mended()
	}

	p.answersAll(t)
	says()
	does("/api/mapping/save", map[string]any{"generation": 1}) // over nothing but what it would write
	does("/api/edits", map[string]any{
		"generation": 1, "cells": []map[string]string{{"cell": "B2", "before": "Tee", "after": "Earl Grey"}},
	})
	want := mends()
	does("/api/mended", map[string]any{"generation": 2})
	says()
	if got := mended(); !bytes.Equal(got, want) {
		t.Errorf("the page writes\n%s\nand the line\n%s", got, want)
	}
	p.close()
	p = opened(t, "a.csv") // which is read by the mapping beside it
	p.enter(t)
	_ = p.get(t, "/api/problems")
	if got := mends(); !bytes.Equal(got, want) {
		t.Errorf("opened again, the line writes\n%s\nand not\n%s", got, want)
	}

	does("/api/mended", map[string]any{"generation": 0})
	p.close()
	p = opened(t, "a.csv") // whose copy is known again
	p.enter(t)
	_ = p.get(t, "/api/problems")
	if same, _ := lines(); !strings.HasPrefix(same, "eventbatch check a.mended.csv ") {
		t.Errorf("opened again, the page does as %s", same)
	}
	says()
	does("/api/edits", map[string]any{
		"generation": 0, "cells": []map[string]string{{"cell": "B2", "before": "Earl Grey", "after": "Mate"}},
	})
	want = bytes.ReplaceAll(want, []byte("Earl Grey"), []byte("Mate"))
	if got := mends(); !bytes.Equal(got, want) { // over the copy of before
		t.Errorf("edited again, the line writes\n%s\nand not\n%s", got, want)
	}
}

// Answers that are not saved and cells that no copy has come to what the page says by lines of which each finds its files.
func TestTheShownLinesMakeTheCopyAndThenTheMapping(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "Nr,Titel,Beginn\n1,Tee,04.03.2027 19:00\n2,Jazz,05.03.2027 20:00\n"})
	p := opened(t, "a.csv")
	p.enter(t)
	p.answersAll(t)
	edit := map[string]any{
		"generation": 1, "cells": []map[string]string{{"cell": "B2", "before": "Tee", "after": "Earl Grey"}},
	}
	if status, text := p.post(t, "/api/edits", edit); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	page := anySum().ReplaceAllString(string(p.get(t, "/api/problems")), "")
	s := decodeJSON[struct {
		Command string
		Mapping struct{ Command string }
	}](t, string(p.get(t, "/api/state")))
	if !strings.HasPrefix(s.Command, s.Mapping.Command+" && ") {
		t.Errorf("%s does not begin with %s", s.Command, s.Mapping.Command)
	}
	fix, rest, _ := strings.Cut(s.Command, "\n")
	making, checking, _ := strings.Cut(rest, " && ")
	for _, one := range []struct {
		line string
		code int
	}{{fix, exitDone}, {making, exitDone}, {checking, exitDone}} {
		words := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(one.line, "eventbatch "), "'", ""))
		said := anySum().ReplaceAllString(commanded(t, one.code, append(words, "--json")...), "")
		if words[0] == "check" && said != page {
			t.Errorf("the page says\n%s\nand the lines\n%s", page, said)
		}
	}
}

// A file that is gone from its place is said to be, and is no file that was saved or is as it was.
func TestAFileThatIsGoneIsSaidToBe(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "key,name,start_at,timezone\na,Tea,2027-03-04 19:00,Europe/Berlin\n"})
	p := opened(t, "a.csv")
	p.enter(t)
	_ = p.get(t, "/api/problems")
	saved := func() (changed bool, words string) {
		t.Helper()
		s := decodeJSON[struct {
			Changed bool
			Words   string
		}](t, string(p.get(t, "/api/saved")))
		return s.Changed, s.Words
	}
	if changed, words := saved(); changed {
		t.Errorf("nothing was done to the file, and the page says %q", words)
	}
	if err := os.Rename("a.csv", "b.csv"); err != nil {
		t.Fatal(err)
	}
	changed, words := saved()
	gone := strings.HasPrefix(words, "The file is not as it was read: a.csv: ") && strings.HasSuffix(words, "no such file or directory")
	if !changed || !gone {
		t.Errorf("%t, %q", changed, words)
	}
	if err := os.Rename("b.csv", "a.csv"); err != nil {
		t.Fatal(err)
	}
	if changed, words := saved(); changed {
		t.Errorf("the file is back, and the page says %q", words)
	}
}

// A copy that was asked for by a tab that has gone, or while a question is open, is the page's all the same.
func TestACopyIsWrittenForATabThatIsGone(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "Nr,Titel,Beginn\n1,Tee,04.03.2027 19:00\n2,Jazz,05.03.2027 20:00\n"})
	p := opened(t, "a.csv")
	p.enter(t)
	p.answersAll(t)
	edit := func(generation int, before, after string) {
		t.Helper()
		body := map[string]any{"generation": generation, "cells": []map[string]string{{"cell": "B2", "before": before, "after": after}}}
		if status, text := p.post(t, "/api/edits", body); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	mended := func(generation int) {
		t.Helper()
		if status, text := p.post(t, "/api/mended", map[string]any{"generation": generation}); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	}
	edit(1, "Tee", "Mate")
	gone, stop := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer stop()
	request, err := http.NewRequestWithContext(gone, http.MethodPost, p.address+"/api/mended", strings.NewReader(`{"generation":2}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Desk-Token", p.token)
	if answer, err := http.DefaultClient.Do(request); err == nil {
		_ = answer.Body.Close() // it was quicker
	}
	mended(2)
	if status, text := p.post(t, "/api/mapping", map[string]any{"generation": 2, "back": "timezone"}); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	mended(3) // a question is open
	again := map[string]any{"generation": 3, "answers": []map[string]string{{"id": "timezone", "value": "Europe/Berlin"}}}
	if status, text := p.post(t, "/api/mapping", again); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	_ = p.get(t, "/api/problems")
	edit(4, "Mate", "Kaffee")
	mended(5)
}

// What is said of the cells is said of those that stand there now, as map says it of the copy. An answer about a word that is in
// no cell any more is forgotten, and asked for again once the word is back.
func TestReadingsAreOfTheCellsAsTheyAreMended(t *testing.T) {
	writeFiles(t, map[string]string{"season.csv": "key,name,start_at,timezone,visibility,max_capacity\n" +
		"a,Tea,2027-03-04 19:00,Europe/Berlin,public,40\nb,Jazz,2027-03-05 19:00,Europe/Berlin,Everybody,many\n" +
		"c,Song,2027-03-06 19:00,Europe/Berlin,public,many\n"})
	p := opened(t, "season.csv")
	p.enter(t)
	_ = p.get(t, "/api/problems") // which waits until the file is read
	var state struct {
		Generation int
		Answers    []any
		Mapping    struct{ Command string }
	}
	change := func(path string, body map[string]any) {
		t.Helper()
		body["generation"] = state.Generation
		if status, said := p.post(t, path, body); status != http.StatusOK {
			t.Fatalf("%v: %d %s", body, status, said)
		}
		_, _ = p.get(t, "/api/problems"), p.get(t, "/api/columns")
		if err := json.Unmarshal(p.get(t, "/api/state"), &state); err != nil {
			t.Fatal(err)
		}
	}
	edit := func(cell, before, after string) {
		t.Helper()
		change("/api/edits", map[string]any{"cells": []any{map[string]any{"cell": cell, "before": before, "after": after}}})
	}
	asks := func(word string) bool {
		t.Helper()
		return bytes.Contains(p.get(t, "/api/columns"), []byte(`"id": "`+word+`"`))
	}
	if !asks("visibility:Everybody") || !asks("max_capacity:many") {
		t.Fatalf("it asks about neither word:\n%s", p.get(t, "/api/columns"))
	}
	change("/api/mapping", map[string]any{"answers": []any{map[string]any{"id": "max_capacity:many", "value": "60"}}})
	edit("E3", "Everybody", "public")
	edit("F3", "many", "80")
	if asks("visibility:Everybody") || len(state.Answers) != 1 {
		t.Errorf("it asks about a word that is in no cell, or has forgotten that of another: %v", state.Answers)
	}
	const making = "eventbatch map season.mended.csv --answer max_capacity:many=60 -o season.map.yaml"
	if got := state.Mapping.Command; !strings.HasPrefix(got, "eventbatch fix ") || !strings.HasSuffix(got, "\n"+making) {
		t.Errorf("the copy and the mapping are made by %s, want %s", got, making)
	}
	change("/api/mended", map[string]any{})
	if got := state.Mapping.Command; got != making {
		t.Errorf("once there is a copy, the mapping is made by %s, want %s", got, making)
	}
	want := strings.ReplaceAll(printed(t, "map", "season.mended.csv", "--answer", "max_capacity:many=60", "--json"), ".mended", "")
	if got := string(p.get(t, "/api/columns")); got != want {
		t.Errorf("the page says\n%s\nand map of the copy\n%s", got, want)
	}
	edit("F4", "many", "90")
	if asks("max_capacity:many") || len(state.Answers) != 0 {
		t.Errorf("%v is kept, about a word that is in no cell", state.Answers)
	}
	change("/api/edits/undo", map[string]any{})
	if !asks("max_capacity:many") {
		t.Error("what is back is not asked about")
	}
	// The file is saved with another row, and what was changed goes with it into the copy, whatever was changed since.
	if err := os.Remove("season.mended.csv"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("season.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("season.csv", append(text, "d,Late,2027-05-06 19:00,Europe/Berlin,public,5\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	change("/api/reread", map[string]any{})
	change("/api/mended", map[string]any{})
	if mended, err := os.ReadFile("season.mended.csv"); err != nil || !bytes.Contains(mended, []byte("Late")) {
		t.Errorf("%s: %v", mended, err)
	}
}

// A page that only looks, or that reads by a mapping of a person's, asks nothing and has no route that writes.
func TestAPageThatOnlyLooksWritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "Titel,Beginn\nTee,2027-03-04 19:00\n"
	if err := os.WriteFile("a.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("mine.map.yaml", []byte("version: 1\ncolumns:\n  name: Titel\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--read-only"}, {"--mapping", "mine.map.yaml"}} {
		p := opened(t, append([]string{"a.csv"}, flags...)...)
		p.enter(t)
		var state struct{ Mapping any }
		if err := json.Unmarshal(p.get(t, "/api/state"), &state); err != nil || state.Mapping != nil {
			t.Errorf("%v: %v: %v", flags, state.Mapping, err)
		}
		paths := []string{"/api/mapping", "/api/mapping/save"}
		if flags[0] == "--read-only" {
			paths = append(paths, "/api/undo", "/api/retry", "/api/plan", "/api/apply")
		}
		for _, path := range paths {
			if status, _ := p.post(t, path, map[string]int{"generation": 0}); status != http.StatusNotFound {
				t.Errorf("%v: POST %s: %s", flags, path, http.StatusText(status))
			}
		}
	}
}

// After an answer the focus is where the next one is typed, and not on one that nobody proposes: Enter once more says nothing.
func TestNoAnswerIsGivenByEnterAlone(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "Datum;Beginn;Titel\n4.3.2027;halb 8;Tee\n12.-14.3.2027;19:30;Jazz\n31.6.2027;19:30;Chor\n"})
	p := opened(t, "a.csv")
	b := p.tab(t)
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone] .take') !== null`)
	b.TabTo(t, `[data-question=timezone] .take`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelectorAll('.answered li').length === 1`)
	const asked = `document.activeElement.matches('[data-question] input')`
	b.Until(t, asked)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Want(t, asked+` && document.querySelectorAll('.answered li').length`, 1)
	b.quiet(t, p)
}

// A file without a header has no row to be clicked on: the page says what helps, and no more.
func TestAFileWithoutAHeaderIsToldWhatHelps(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "nur eine Zeile\n"})
	p := opened(t, "a.csv")
	b := p.tab(t)
	b.Until(t, `document.querySelector('.panel .alert') !== null`)
	b.Want(t, `document.querySelector('.panel .alert').innerText.replace(/\s+/g, ' ')`,
		"a.csv: no row looks like a header What to do: write a row of names above the data")
	b.quiet(t, p)
}
