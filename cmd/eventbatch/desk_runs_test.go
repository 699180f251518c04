package main

import (
	"bytes"
	"encoding/json"
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
	"eventbatch/batch/report"
	"eventbatch/mapping/match"
)

// writeFiles writes files into a new folder, which is the working directory then.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// pastRuns sends two files to the sandbox: one as it should be, and one with a row that is refused.
func pastRuns(t *testing.T) (first, second string) {
	t.Helper()
	const head = "key,name,slug,start_at,timezone\n"
	writeFiles(t, map[string]string{
		"jazz.csv": head + "a,Jazz,jazz,2027-03-04 19:00,Europe/Berlin\nb,Tea,tea,2027-03-05 19:00,Europe/Berlin\n",
		"late.csv": head + "c,Late <b>jazz</b>,jazz,2027-04-04 19:00,Europe/Berlin\nd,Cake,cake,2027-04-05 19:00,Europe/Berlin\n",
	})
	commanded(t, exitDone, "import", "jazz.csv", "--sandbox", "--yes")
	commanded(t, exitPartial, "import", "late.csv", "--sandbox", "--yes")
	var doc runsDoc
	if err := json.Unmarshal([]byte(commanded(t, exitDone, "runs", "--json")), &doc); err != nil || len(doc.Runs) != 2 {
		t.Fatalf("%v: %v", doc, err)
	}
	return doc.Runs[1].Run, doc.Runs[0].Run
}

// waitForFile returns what a file holds once it is whole.
func waitForFile(t *testing.T, name string) (text []byte) {
	t.Helper()
	eventually(t, 20*time.Second, name+" is there", func() bool {
		text, _ = os.ReadFile(name) // it is called otherwise while it comes
		return len(text) > 0
	})
	return text
}

const runsDrawn = `document.querySelector('.panel.runs:not([aria-busy])') !== null`

// The runs are listed, each opens as it ended, and its files are kept beside what is there.
func TestRunsAreShownAsTheyEndedInABrowser(t *testing.T) {
	first, second := pastRuns(t)
	p := opened(t)
	b := p.tab(t)
	b.Until(t, runsDrawn)
	cells := func(from, to int) string {
		return fmt.Sprintf(`[...document.querySelectorAll('.plain tbody tr')].map(r => [...r.children].slice(%d, %d)`, from, to) +
			`.map(c => c.textContent).join(' | ')).join('\n')`
	}
	b.Want(t, cells(1, 4), "late.csv | 2 new | 1\njazz.csv | 2 new | ")
	b.Want(t, `document.getElementById('command').textContent`, "eventbatch runs")
	b.TabTo(t, `[data-run="`+second+`"]`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.Want(t, `document.getElementById('command').textContent`, "eventbatch show "+second)
	b.Want(t, `document.getElementById('became').textContent.startsWith('2 = 1 created + 1 not accepted. ')`, true)
	b.Want(t, cells(0, 3), "C2 | Late jazz | ✗ not accepted")
	t.Run("files are kept", func(t *testing.T) {
		folder := t.TempDir()
		b.Download(t, folder)
		b.Do(t, pagetest.Click(`#report`), pagetest.Click(`#results`))
		written := waitForFile(t, filepath.Join(folder, "report-"+second+".html"))
		results := waitForFile(t, filepath.Join(folder, "results-"+second+".csv"))
		commanded(t, exitDone, "report", second, "-o", "report.html")
		made, err := os.ReadFile("report.html")
		if err != nil || len(written) != len(made) || !bytes.Contains(written, []byte(`Late \u003cb`)) {
			t.Errorf("the report is of %d bytes, and not of %d: %v", len(written), len(made), err) // it says when it was made
		}
		var doc report.Shown
		if err := json.Unmarshal([]byte(commanded(t, exitDone, "show", second, "--json")), &doc); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(doc.Files.Results); err != nil || !bytes.Equal(kept, results) {
			t.Errorf("the results are %q and not %q: %v", results, kept, err)
		}
	})
	b.Do(t, pagetest.Click(`#back`))
	b.Until(t, `document.activeElement.dataset.run === '`+second+`'`)
	b.Do(t, pagetest.Click(`[data-run="`+first+`"]`))
	b.Until(t, `document.querySelector('.empty')?.textContent === 'No row needs attention.'`)
	b.Forget("blob:")
	b.quiet(t, p)
}

// A mapping that was kept beside its file is read by when the file is opened again, until a person answers anew.
func TestAKeptMappingIsFoundAgainInABrowser(t *testing.T) {
	file := oddProgramme(t)
	making := []string{"map", file, "--json"}
	for {
		doc := decodeJSON[report.Proposed](t, printed(t, making...))
		i := slices.IndexFunc(doc.Questions, func(q match.Following) bool { return !q.Optional && len(q.After) == 0 && q.Default != "" })
		if i < 0 {
			break
		}
		making = append(making, "--answer", doc.Questions[i].ID+"="+doc.Questions[i].Default)
	}
	commanded(t, exitDone, append(making, "-o", "programm-2027.map.yaml")...)
	p := opened(t, file)
	b := p.tab(t)
	const reads = "eventbatch check programm-2027.xlsx --mapping programm-2027.map.yaml"
	b.Want(t, `document.getElementById('command').textContent`, reads)
	b.Do(t, pagetest.Click(`#tab-readings`))
	b.Until(t, `document.getElementById('anew') !== null`)
	b.Want(t, `document.querySelector('.panel .alert').textContent`,
		"The rows are read by programm-2027.map.yaml, which was there. It stays as it is until you save another.")
	b.Want(t, `document.querySelectorAll('[data-question]').length`, 0)
	b.TabTo(t, `#anew`)
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, readingsDrawn+`document.querySelector('[data-question=timezone]') !== null`)
	b.Want(t, `document.getElementById('command').textContent`, "eventbatch map programm-2027.xlsx")
	b.Until(t, `document.getElementById('live').textContent.startsWith('Begun anew')`)
	b.quiet(t, p)
}

// takenBack opens the last run, and has the page plan what takes it back.
func (b deskTab) takenBack(t *testing.T) {
	t.Helper()
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Do(t, pagetest.Click(`tbody tr:first-child [data-run]`))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.Do(t, pagetest.Click(`#undo`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #totals') !== null`)
}

const (
	planHeads   = `[...document.querySelectorAll('.chip')].map(h => h.textContent).join(' | ')`
	planChanges = `[...document.querySelectorAll('.ops .change')].map(c => c.textContent).join(' | ')`
)

// A run is taken back by the plan that the page shows: what goes back, what somebody has changed since, what is lost. The
// undo can be taken back too.
func TestARunIsTakenBackInABrowser(t *testing.T) {
	const head = "key,name,slug,start_at,timezone,max_capacity\n"
	writeFiles(t, map[string]string{
		"a.csv":     head + "a,Jazz,jazz,2027-03-04 19:00,Europe/Berlin,40\nb,Tea,tea,2027-03-05 19:00,Europe/Berlin,40\n",
		"b.csv":     head + "a,Jazz,jazz,2027-03-04 19:00,Europe/Berlin,60\nb,Tea,tea,2027-03-05 19:00,Europe/Berlin,60\n",
		"since.csv": "key,max_capacity\nb,70\n",
	})
	commanded(t, exitDone, "import", "a.csv", "--sandbox", "--yes", "--source", "season")
	commanded(t, exitDone, "import", "b.csv", "--sandbox", "--yes", "--source", "season")
	var before runsDoc
	if err := json.Unmarshal([]byte(commanded(t, exitDone, "runs", "--json")), &before); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "--sandbox", "--allow", "cancel")
	b := p.tab(t)
	b.takenBack(t)
	b.Want(t, `document.body.textContent.includes('take back none that are new')`, false)
	b.Want(t, planHeads, "Goes back: 2 | Kept, changed since: 0 | Lost for good: 0")
	b.Want(t, `document.getElementById('send').textContent`, "Take back 2 changes")
	b.Want(t, `document.querySelector('.ops .under').textContent`, "Goes back")
	b.Want(t, planChanges, "Seats 60 → 40 | Seats 60 → 40")
	told := func(ends string) string {
		return `[...document.querySelectorAll('.panel.plan .mild')].some(p => ` +
			`/^It takes back the run of .+: b.csv` + ends + `\.$/.test(p.textContent))`
	}
	b.Want(t, told(""), true)
	b.Want(t, `document.getElementById('command').textContent.startsWith('eventbatch apply ')`, true)
	t.Run("but not before it was sent", func(t *testing.T) {
		b.Do(t, pagetest.Click(`#tab-runs`))
		b.Until(t, runsDrawn)
		// What has sent nothing stands apart, folded.
		b.Want(t, `document.querySelectorAll('.panel.runs > section > .wide tbody tr').length`, 2)
		b.Want(t, `document.querySelector('.panel.runs summary').textContent`, "1 by which nothing was sent")
		b.Do(t, pagetest.Click(`.panel.runs summary`), pagetest.Click(`details [data-run]`))
		b.Until(t, `document.activeElement.id === 'h-run'`)
		b.Want(t, `document.getElementById('became').textContent.includes('Planned') && !document.getElementById('undo')`, true)
		b.Do(t, pagetest.Click(`#tab-plan`))
		b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #totals') !== null`)
		b.Do(t, chromedp.NavigateBack()) // as in any other page
		b.Until(t, runsDrawn)
		b.Do(t, chromedp.NavigateForward())
		b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #totals') !== null`)
	})
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.getElementById('became')?.textContent.startsWith('2 ') === true`)
	stands := func(run string) string {
		return `document.querySelector('[data-run="` + run + `"]').closest('tr').lastChild.textContent`
	}
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Want(t, stands(before.Runs[0].Run)+`.startsWith('Taken back ')`, true)
	b.Do(t, pagetest.Click(`[data-run="`+before.Runs[0].Run+`"]`))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.Want(t, `document.getElementById('became').textContent.startsWith('2 = 2 changed. Taken back ')`, true)
	b.Want(t, `document.getElementById('undo') === null`, true)
	t.Run("and the undo itself", func(t *testing.T) {
		b.takenBack(t)
		b.Want(t, planChanges, "Seats 40 → 60 | Seats 40 → 60")
		b.Want(t, told(", which took back that of .+"), true)
		b.Do(t, pagetest.Click(`#send`))
		b.Until(t, `document.getElementById('became')?.textContent.startsWith('2 ') === true`)
	})
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Want(t, stands(before.Runs[0].Run), "Finished") // again
	b.Want(t, `document.querySelectorAll('tbody tr')[1].lastChild.textContent.startsWith('Taken back ')`, true)
	b.quiet(t, p)
}

// What a sending has done is in sight at its end, with the fields that it has changed; what stays as it was is not.
func TestWhatWasJustSentIsInSightInABrowser(t *testing.T) {
	season := func(seats, clock string) string {
		var text strings.Builder
		text.WriteString("key,name,start_at,timezone,max_capacity\n")
		for i := range 30 {
			text.WriteString(fmt.Sprintf("E-%02d,Evening %d,2027-03-%02d %s,Europe/Berlin,%s\n", i, i, i+1, "19:00", "40"))
		}
		return text.String() + "F,Fair,2027-04-01 " + clock + ",Europe/Berlin," + seats + "\n"
	}
	writeFiles(t, map[string]string{"season.csv": season("40", "19:00")})
	commanded(t, exitDone, "import", "season.csv", "--sandbox", "--yes")
	if err := os.WriteFile("season.csv", []byte(season("77", "18:30")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "season.csv", "--sandbox", "--allow", "mail")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-plan`), pagetest.Click(`.panel.plan .do`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #send') !== null`)
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.querySelector('.panel.send #became') !== null`)
	const rows = `[...document.querySelectorAll('.plain tbody tr')].map(r => [...r.children].map(c => c.textContent).join(' | '))`
	b.Want(t, rows+`.join('\n')`, "row 32 | Fair | changed | the platform has other values"+
		"Start Thu 1 Apr 2027 19:00 → 18:30End Thu 1 Apr 2027 20:00 → 19:30, moved by the platform with the start, "+
		"as it was given noneSeats 40 → 77")
	b.Want(t, `document.getElementById('command').textContent.endsWith(' --all')`, true)
	b.Do(t, pagetest.Click(`#each`))
	b.Until(t, rows+`.length === 31`)
	b.Want(t, rows+`[0].startsWith('row 32 | Fair | changed') && `+rows+`[1].startsWith('row 2 | Evening 0 | already up to date')`, true)
	b.quiet(t, p)
}

// The rows that a run has failed at are shown in its file, and are sent again by a plan of their own.
func TestFailedRowsAreMendedOrSentAgainInABrowser(t *testing.T) {
	_, second := pastRuns(t)
	p := opened(t, "late.csv", "--sandbox")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Do(t, pagetest.Click(`[data-run="`+second+`"]`))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	// What has to be done before is said before the click.
	const said = `document.querySelector('.panel.runs .bar + .small').textContent`
	b.Want(t, said+`.startsWith('This page may make and change events. It may cancel none')`, true)
	const opens = `document.querySelector('.panel.runs .same code').textContent`
	b.Want(t, opens, "eventbatch open late.csv --allow cancel --sandbox")
	b.Do(t, pagetest.Click(`#mend`))
	b.Until(t, `document.getElementById('shown')?.textContent === '1 row'`)
	b.Want(t, `document.querySelector('.grid [data-i] [data-c="2"]').textContent`, "Late <b>jazz</b>")
	b.Do(t, pagetest.Click(`.grid [data-i] [data-c="2"]`))
	b.Until(t, `document.querySelector('#detail .small')?.textContent.startsWith('Slug jazz is taken by event ') === true`)
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Do(t, pagetest.Click(`[data-run="`+second+`"]`))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.Do(t, pagetest.Click(`#retry`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #send') !== null`)
	b.Want(t, `document.getElementById('send').textContent`, "Send 1 change")
	// Whoever has only looked plans the file instead.
	b.Do(t, pagetest.Click(`#again`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #again')?.textContent === 'Plan again'`)
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Do(t, pagetest.Click(`[data-run="`+second+`"]`))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.Do(t, pagetest.Click(`#retry`))
	b.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #send')?.textContent === 'Send 1 change'`)
	b.Do(t, pagetest.Click(`#send`))
	b.Until(t, `document.querySelector('.panel.send #became') !== null`)
	b.Do(t, pagetest.Click(`#mend`))
	b.Until(t, `document.getElementById('shown')?.textContent === '1 row'`)
	b.Do(t, pagetest.Click(`#tab-runs`))
	b.Until(t, runsDrawn)
	b.Do(t, pagetest.Click(`[data-run="`+second+`"]`))
	b.Until(t, `document.activeElement.id === 'h-run'`)
	b.Do(t, pagetest.Click(`#h-run ~ .wide .link`))
	b.Until(t, `document.activeElement.closest('.gb') && `+focusedPlace+` === '2:3'`)
	b.quiet(t, p)
}
