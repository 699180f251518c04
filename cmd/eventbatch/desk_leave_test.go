package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"eventbatch/batch/pagetest"
)

// leftOpen is a page whose rows are left out.
type leftOpen struct {
	*openedPage

	generation int
}

// edits posts something that changes what is read.
func (p *leftOpen) edits(t *testing.T, path string, body map[string]any, want string) {
	t.Helper()
	body["generation"] = p.generation
	status, text := p.post(t, path, body)
	var said struct {
		Generation int
		Words      string
	}
	if err := json.Unmarshal(text, &said); err != nil || status != http.StatusOK || said.Words != want {
		t.Fatalf("%v: %d %s, want %s", body, status, text, want)
	}
	p.generation = said.Generation
	_ = p.get(t, "/api/problems") // which waits for what is read behind it
}

// says checks the sum, the command, and that this says the same.
func (p *leftOpen) says(t *testing.T, sum, command string) {
	t.Helper()
	var state struct{ Sum, Command string }
	if err := json.Unmarshal(p.get(t, "/api/state"), &state); err != nil || state.Sum != sum || state.Command != command {
		t.Fatalf("%s by %s, want %s by %s: %v", state.Sum, state.Command, sum, command, err)
	}
	args := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(command, "eventbatch "), "'", ""))
	if got, want := string(p.get(t, "/api/problems")), printed(t, append(args, "--json")...); got != want {
		t.Errorf("the page says\n%s\nand %s\n%s", got, command, want)
	}
}

// plans checks which events a plan makes, and by which rows.
func (p *leftOpen) plans(t *testing.T, body map[string]any, rows string, titles ...string) {
	t.Helper()
	body["generation"] = p.generation
	plan := p.planned(t, body)
	if got := strings.Contains(plan.Command, "--rows"); got != (rows != "") || !strings.Contains(plan.Command, rows) {
		t.Errorf("it is planned by %s, want rows %s", plan.Command, rows)
	}
	var ops struct {
		Rows []struct{ Title, Action string }
	}
	if err := json.Unmarshal(p.get(t, "/api/plan/ops"), &ops); err != nil {
		t.Fatal(err)
	}
	var made []string
	for _, row := range ops.Rows {
		if row.Action == "create" {
			made = append(made, row.Title)
		}
	}
	if got, want := strings.Join(made, "; "), strings.Join(titles, "; "); got != want {
		t.Errorf("it makes %s, want %s; %+v", got, want, plan.Refusal)
	}
	_ = p.get(t, "/api/problems")
}

// groupedRows writes a file whose mapping reads no action, and makes one event of two rows.
func groupedRows(t *testing.T) {
	t.Helper()
	writeFiles(t, map[string]string{
		"a.csv": "Titel,Beginn,Wer\nTee,2027-03-04 19:00,Ann\nJazz,2027-03-05 20:00,Ben\nJazz,2027-03-05 20:00,Cem\n" +
			"Chor,2027-03-06 20:00,Dora\n",
		"a.map.yaml": "version: 1\ngroup: Titel\nignore: [Wer]\n" +
			"columns: {name: Titel, start_at: Beginn, timezone: {value: Europe/Berlin}}\n",
	})
}

func TestAnyRowIsLeftOutByAKey(t *testing.T) {
	groupedRows(t)
	p := opened(t, "a.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-rows`))
	b.Until(t, `document.getElementById('shown')?.textContent === '4 rows'`)
	b.focusOn(t, "3:0")
	b.Do(t, chromedp.KeyEvent("s"))
	b.spoken(t, "2 rows left out. 2 read = 2 valid + 0 with mistakes, and 2 rows left out here")
	b.Until(t, `document.querySelector('.gb [data-state="left-out"]') !== null`)
	const offered = `document.querySelector('.detail form button:last-child')?.textContent`
	b.Until(t, offered+` === 'Take row 3 in again'`) // and not to leave it out once more
	b.Do(t, chromedp.KeyEvent("s"))
	b.spoken(t, "1 row taken in again. 3 read = 3 valid + 0 with mistakes, and 1 row left out here")
	b.Until(t, offered+` === 'Leave row 3 out'`)
	b.Do(t, chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.spoken(t, "1 row taken back. 2 read")
	b.Do(t, chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.spoken(t, "2 rows taken back. 4 read = 3 valid + 0 with mistakes + 1 in the event of another row")
	b.quiet(t, p)
}

// Any row can be left out of what is sent, be there no column that says so, and rows that make one event together.
func TestAnyRowIsLeftOut(t *testing.T) {
	groupedRows(t)
	page := func() *leftOpen {
		p := &leftOpen{openedPage: opened(t, "a.csv", "--sandbox")}
		p.enter(t)
		_ = p.get(t, "/api/problems")
		return p
	}
	const another = " + 1 in the event of another row"
	const check, all = "eventbatch check a.csv --mapping a.map.yaml", "4 read = 3 valid + 0 with mistakes" + another
	p := page()
	p.edits(t, "/api/edits", map[string]any{"rule": "skip", "rows": []int{5}}, "1 row left out")
	p.says(t, "3 read = 2 valid + 0 with mistakes"+another+", and 1 row left out here", check+" --rows 1-4,6-")
	t.Run("one of the rows of an event", func(t *testing.T) {
		p.edits(t, "/api/edits", map[string]any{"rule": "skip", "rows": []int{4}}, "1 row left out")
		p.plans(t, map[string]any{}, "1-3,6-", "Tee (row 2)", "Jazz (row 3)")
		p.edits(t, "/api/edits/undo", map[string]any{}, "1 row taken back")
	})
	t.Run("the first row, which stands for all of its event", func(t *testing.T) {
		p.edits(t, "/api/edits", map[string]any{"rule": "skip", "rows": []int{3}}, "2 rows left out")
		p.says(t, "1 read = 1 valid + 0 with mistakes, and 3 rows left out here", check+" --rows 1-2,6-")
		var left struct{ Rows []struct{ Row int } }
		if err := json.Unmarshal(p.get(t, "/api/rows?view=left"), &left); err != nil || len(left.Rows) != 3 || left.Rows[0].Row != 3 {
			t.Errorf("%+v are left out: %v", left.Rows, err)
		}
	})
	p.close()
	p = page() // which knows them
	p.says(t, "1 read = 1 valid + 0 with mistakes, and 3 rows left out here", check+" --rows 1-2,6-")
	if _, err := os.Lstat("a.mended.csv"); !os.IsNotExist(err) {
		t.Errorf("a copy was written, and no cell was changed: %v", err)
	}
	t.Run("from the plan, where they are ticked", func(t *testing.T) {
		p.plans(t, map[string]any{"leave": []any{}}, "", "Tee (row 2)", "Jazz (row 3)", "Chor (row 5)")
		p.says(t, all, check)
		p.plans(t, map[string]any{"leave": []any{map[string]any{"sheet": "", "row": 3}}}, "1-2,5-", "Tee (row 2)", "Chor (row 5)")
		var plan struct {
			Totals string
			Offers []struct{ Words string }
		}
		err := json.Unmarshal(p.get(t, "/api/plan"), &plan)
		if err != nil || !strings.HasPrefix(plan.Totals, "2 to create · 2 left out here · ") {
			t.Errorf("%s: %v", plan.Totals, err)
		}
		const offers = "[{Take row 3 (Jazz) back in} {Take row 4 (Jazz) back in} {Take both back in}]"
		if got := fmt.Sprint(plan.Offers); got != offers {
			t.Errorf("%s, want %s", got, offers)
		}
		p.edits(t, "/api/edits/undo", map[string]any{}, "2 rows taken back")
		p.says(t, all, check)
		p.edits(t, "/api/edits/undo", map[string]any{"forth": true}, "2 rows done again")
	})
	t.Run("not once the file was saved with another row in its place", func(t *testing.T) {
		text := "Titel,Beginn,Wer\nTee,2027-03-04 19:00,Ann\nJazz,2027-03-05 20:00,Eva\nJazz,2027-03-05 20:00,Cem\n"
		if err := os.WriteFile("a.csv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, body := p.post(t, "/api/reread", map[string]any{"generation": p.generation}); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		_ = p.get(t, "/api/problems")
		p.says(t, "2 read = 2 valid + 0 with mistakes, and 1 row left out here", check+" --rows 1-3,5-")
	})
}

// What the file itself leaves out is sent no more than what has a mistake: the sum is that of the plan.
func TestWhatTheFileLeavesOutIsNotCalledValid(t *testing.T) {
	writeFiles(t, map[string]string{"a.csv": "name,start_at,timezone,action\nTee,2027-03-04 19:00,Europe/Berlin,\n" +
		"Jazz,2027-03-05 20:00,Europe/Berlin,SKIP\nChor,2027-03-06 20:00,Europe/Berlin,\n"})
	p := &leftOpen{openedPage: opened(t, "a.csv", "--sandbox")}
	p.enter(t)
	_ = p.get(t, "/api/problems")
	p.says(t, "3 read = 2 valid + 0 with mistakes + 1 left out", "eventbatch check a.csv")
	if plan := p.planned(t, map[string]any{"generation": 0}); !strings.HasPrefix(plan.Totals, "2 to create · 1 left out · ") {
		t.Error(plan.Totals)
	}
}

// A page that was opened with some of the rows leaves out further ones of them; with a number of rows it says why it does not.
func TestRowsOfSomeAreLeftOut(t *testing.T) {
	groupedRows(t)
	p := &leftOpen{openedPage: opened(t, "a.csv", "--sandbox", "--rows", "2-4")}
	p.enter(t)
	_ = p.get(t, "/api/problems")
	p.edits(t, "/api/edits", map[string]any{"rule": "skip", "rows": []int{2}}, "1 row left out")
	p.says(t, "2 read = 1 valid + 0 with mistakes + 1 in the event of another row, and 1 row left out here",
		"eventbatch check a.csv --mapping a.map.yaml --rows 3-4")
	p.plans(t, map[string]any{}, "3-4", "Jazz (row 3)")
	p.close()
	first := opened(t, "a.csv", "--limit", "2")
	first.enter(t)
	_ = first.get(t, "/api/problems")
	status, text := first.post(t, "/api/edits", map[string]any{"generation": 0, "rule": "skip", "rows": []int{3}})
	if status != http.StatusBadRequest || !strings.Contains(string(text), "opened with --limit") {
		t.Errorf("%d %s", status, text)
	}
}

func TestARowOfASheetWithACommaInItsNameIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{"book.txtar": "Two sheets.\n-- book --\n" +
		"[Tea, coffee]\nname | start_at | timezone\nTea | 2027-03-04 19:00 | Europe/Berlin\nCoffee | 2027-03-05 19:00 | Europe/Berlin\n" +
		"[Other]\nname | start_at | timezone\nChor | 2027-03-06 19:00 | Europe/Berlin\n"})
	book := readProgramme(t, "book.txtar")
	if err := os.WriteFile(book.file, book.data, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &leftOpen{openedPage: opened(t, book.file, "--sandbox", "--sheet", "*")}
	p.enter(t)
	_ = p.get(t, "/api/problems")
	p.plans(t, map[string]any{"leave": []any{map[string]any{"sheet": "Tea, coffee", "row": 2}}}, "!1-1", "Coffee (row 3)", "Chor (row 2)")
	var state struct{ Command string }
	if err := json.Unmarshal(p.get(t, "/api/state"), &state); err != nil || !strings.Contains(state.Command, "Tea, coffee'\\''!1-1,") {
		t.Errorf("%s: %v", state.Command, err)
	}
}

// A row that looks like one that is gone, with another start, waits until a person says whether it is, also where others are left
// out. Two buttons say it, and the command line that is shown does the same.
func TestARowThatIsHeldBackIsAnsweredOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	t.Chdir(t.TempDir())
	const season = "name,start_at,end_at\nTea,2027-03-20 18:00,2027-03-20 20:00\n" +
		"Jazz,2027-03-21 18:00,2027-03-21 20:00\nWalk,2027-03-22 09:00,2027-03-22 11:00\n"
	writeFiles(t, map[string]string{"a.csv": season})
	_ = commanded(t, 0, "import", "a.csv", "--sandbox", "--yes", "--timezone", "Europe/Berlin")
	moved := strings.NewReplacer("03-21", "03-28", "03-22", "03-29").Replace(season)
	if err := os.WriteFile("a.csv", []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &leftOpen{openedPage: opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin")}
	b := p.tab(t)
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	_ = p.planned(t, map[string]any{"generation": 0, "leave": []any{map[string]any{"sheet": "", "row": 2}}})
	b.Do(t, pagetest.Click(`#tab-plan`))
	const ticks = `document.querySelectorAll('.ops input').length`
	const totals, none = `document.getElementById('totals')?.textContent`, `document.querySelector('[data-rename=none]').textContent`
	b.Until(t, totals+` === '2 held back · 1 left out here' && document.querySelectorAll('.ops li').length === 2`)
	b.Want(t, `document.querySelector('.ops .small').textContent.trim()`, "Sun 28 Mar 2027 18:00 · looks like \"Jazz\", "+
		"Sun 21 Mar 2027 18:00, of the last run with another start: is it the same event?")
	b.Want(t, none, "Both are new")
	b.Want(t, ticks, 0) // what is not sent needs no tick
	b.Do(t, pagetest.Click(`.ops li:first-child [data-rename^="row:"]`))
	b.Until(t, totals+`?.startsWith('1 to change · 1 held back') && document.querySelector('[data-rename=none]') !== null`)
	b.Want(t, none, "A new event")
	b.Want(t, ticks, 1)
	b.Do(t, pagetest.Click(`[data-rename=none]`))
	b.Until(t, totals+`?.startsWith('1 to create · 1 to change')`)
	var plan struct{ Command string }
	if err := json.Unmarshal(p.get(t, "/api/plan"), &plan); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{":Jazz=row:", "--rename=none", "--rows="} {
		if !strings.Contains(plan.Command, words) {
			t.Errorf("%s is without %s", plan.Command, words)
		}
	}
	b.quiet(t, p.openedPage)
}

// What was taken back by cancelling it can be sent again: the plan offers it, and leaves it where nobody says so.
func TestWhatWasTakenBackIsMadeAnewOnThePage(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{"a.csv": "key,name,start_at\na,Tea,2027-03-20 18:00\nb,Jazz,2027-03-21 18:00\n"})
	_ = commanded(t, 0, "import", "a.csv", "--sandbox", "--yes", "--timezone", "Europe/Berlin")
	_ = commanded(t, 0, "undo", "latest", "--sandbox", "--yes", "--allow", "cancel")
	p := opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin")
	p.enter(t)
	for _, want := range []struct {
		remake         any
		totals, offers string
	}{
		{nil, "2 taken back, and not asked for again", "[Make 2 anew that were taken back]"},
		{true, "2 to create", "[Make nothing anew that was taken back]"},
		{nil, "2 to create", "[Make nothing anew that was taken back]"},
		{false, "2 taken back, and not asked for again", "[Make 2 anew that were taken back]"},
	} {
		_ = p.planned(t, map[string]any{"generation": 0, "remake": want.remake})
		var plan struct {
			Totals string
			Offers []struct{ Words string }
		}
		if err := json.Unmarshal(p.get(t, "/api/plan"), &plan); err != nil {
			t.Fatal(err)
		}
		var offers []string
		for _, o := range plan.Offers {
			offers = append(offers, o.Words)
		}
		if !strings.HasPrefix(plan.Totals, want.totals) || fmt.Sprint(offers) != want.offers {
			t.Errorf("%v: %s, %s", want.remake, plan.Totals, offers)
		}
	}
}

// Where a person has just changed the start of an event on the page, the question whether it is the same one says so.
func TestTheQuestionSaysWhatWasChangedOnThePage(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{"a.csv": "name,start_at\nTea,2027-03-20 18:00\nJazz,2027-03-21 18:00\n"})
	_ = commanded(t, 0, "import", "a.csv", "--sandbox", "--yes", "--timezone", "Europe/Berlin")
	p := opened(t, "a.csv", "--sandbox", "--timezone", "Europe/Berlin")
	p.enter(t)
	status, text := p.post(t, "/api/edits", map[string]any{"generation": 0, "cells": []any{
		map[string]any{"sheet": "", "cell": "B3", "before": "2027-03-21 18:00", "after": "2027-03-28 18:00"},
	}})
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	_ = p.planned(t, map[string]any{"generation": 1})
	var ops struct {
		Rows []struct {
			Asks   []string
			Fields []struct{ Field, Before, After string }
		}
	}
	if err := json.Unmarshal(p.get(t, "/api/plan/ops"), &ops); err != nil || len(ops.Rows) != 1 || len(ops.Rows[0].Asks) == 0 {
		t.Fatalf("nothing is asked: %+v, %v", ops, err)
	}
	const want = "[{You changed start_at 2027-03-21 18:00 2027-03-28 18:00}]"
	if got := fmt.Sprint(ops.Rows[0].Fields); got != want {
		t.Errorf("it says %s, want %s", got, want)
	}
}
