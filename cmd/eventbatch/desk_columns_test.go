package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"eventbatch/batch/pagetest"
	"eventbatch/batch/report"
	"eventbatch/mapping/sheet"
)

// columnsDrawn is that the tab of columns is shown, before what it has to show.
const columnsDrawn = `document.querySelector('.panel.columns:not([aria-busy])') !== null && `

// choose takes an option of a select, as a person does.
func (b deskTab) choose(t *testing.T, selector, value string) {
	t.Helper()
	const option = `(s => { s.value = '%s'; s.dispatchEvent(new Event('change')); })(document.querySelector('%s'))`
	b.Script(t, fmt.Sprintf(option, value, selector))
}

// A part of a field goes by the name of the field, not by its path in a mapping.
func TestAColumnOfZonesBecomesTheTimezone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("tea.csv", []byte("Titel,Beginn,Zeitzone\nTee,2027-03-04 19:00,Europe/Berlin\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "tea.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Until(t, columnsDrawn+`document.querySelector('[name=Zeitzone]') !== null`)
	b.Want(t, `document.querySelector('[name=Zeitzone]').selectedOptions[0].textContent`, "Timezone")
	b.quiet(t, p)
}

// Keys go from choice to choice, and Enter takes one: the first that they come by is no answer.
func TestAColumnIsChosenByKeys(t *testing.T) {
	writeFiles(t, map[string]string{"tea.csv": "Titel,Beginn,Pers.\nTee,2027-03-04 19:00,40\n"})
	p := opened(t, "tea.csv", "--timezone", "Europe/Berlin")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Until(t, columnsDrawn+`document.querySelector('[name="Pers."]') !== null`)
	p.token = pagetest.Value[string](t, b.Tab, `sessionStorage.getItem('desk-token')`)
	answers := func() (said []string) {
		for _, a := range decodeJSON[struct{ Answers []struct{ ID, Value string } }](t, string(p.get(t, "/api/state"))).Answers {
			said = append(said, a.ID+"="+a.Value)
		}
		return said
	}
	const column = `[name="Pers."]`
	was := pagetest.Value[string](t, b.Tab, `document.querySelector('`+column+`').value`)
	b.TabTo(t, column)
	b.Do(t, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	chosen := pagetest.Value[string](t, b.Tab, `document.querySelector('`+column+`').value`)
	if said := answers(); chosen == was || len(said) > 0 {
		t.Errorf("%q was chosen in the place of %q, and %q answered", chosen, was, said)
	}
	b.Do(t, chromedp.KeyEvent(kb.Enter))
	b.Until(t, columnsDrawn+`document.activeElement.matches('`+column+`')`)
	if want := []string{"column:Pers.=" + chosen}; !slices.Equal(answers(), want) {
		t.Errorf("%q was answered, want %q", answers(), want)
	}
	b.quiet(t, p)
}

func TestColumnsAreChosenInABrowser(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "Spring,,,\nTitel,Beginn,Beschreibung,Plan\nTee,2027-03-04 19:00,with biscuits,40\nJazz,2027-03-05 19:00,,60\n"
	if err := os.WriteFile("season.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := opened(t, "season.csv", "--timezone", "Europe/Berlin")
	b := p.tab(t)
	making := func(want string) {
		t.Helper()
		b.Do(t, pagetest.Click(`#tab-readings`))
		b.Until(t, readingsDrawn+`document.getElementById('making')?.textContent.includes('`+want+`') === true`)
		b.Do(t, pagetest.Click(`#tab-columns`))
		b.Until(t, columnsDrawn+`document.querySelector('[name=Beschreibung]') !== null`)
	}
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Until(t, columnsDrawn+`document.querySelector('[name=Beschreibung]') !== null`)
	b.Want(t, `document.querySelector('[name=Beschreibung]').value`, "description_md")
	b.Want(t, `document.querySelector('[name=Plan]').value`, "none")
	b.Want(t, `document.querySelector('.plain tbody tr:nth-child(3) td').textContent`, "50 %")
	b.Want(t, `document.querySelector('.plain tbody tr:nth-child(3) q').textContent`, "with biscuits")
	b.choose(t, `[name=Beschreibung]`, "none")
	b.Until(t, columnsDrawn+`document.querySelector('.plain tbody tr:nth-child(3) .why')?.textContent === 'answered: it is left behind'`)
	b.choose(t, `[name=Plan]`, "max_capacity")
	b.Until(t, columnsDrawn+`document.querySelector('.plain tbody tr:nth-child(4) .why')?.textContent === 'answered'`)
	b.Want(t, `document.querySelector('[name=Plan]').value`, "max_capacity")
	making("--answer column:Beschreibung=none --answer column:Plan=max_capacity -o season.map.yaml")
	t.Run("the row of the headers is chosen", func(t *testing.T) {
		b.Do(t, pagetest.Click(`.heads summary`))
		b.Want(t, `document.querySelector('.heads p:has([aria-pressed=true])').textContent`, "Row 2Titel · Beginn · Beschreibung · Plan")
		b.Do(t, pagetest.Click(`.heads [aria-pressed=true]`))
		making("--answer header_row=2")
	})
	t.Run("the mapping and the marked copy are kept", func(t *testing.T) {
		folder := t.TempDir()
		b.Download(t, folder)
		b.Do(t, pagetest.Click(`#mapping`), pagetest.Click(`#marked`))
		if text := waitForFile(t, filepath.Join(folder, "season.map.yaml")); !strings.Contains(string(text), "max_capacity: Plan") {
			t.Errorf("the mapping is %s", text)
		}
		marked := markedName(t.Context(), []string{"season.csv"}, sheet.Options{})
		if text := waitForFile(t, filepath.Join(folder, marked)); len(text) < 20 {
			t.Errorf("the marked copy is %q", text)
		}
		b.Forget("blob:")
	})
	b.quiet(t, p)
}

// A page begins with what helps: with the questions where all rows wait for an answer, and not with their mistakes.
func TestAPageBeginsWithWhatHelps(t *testing.T) {
	t.Chdir(t.TempDir())
	const zone = "Titel;Start;Ort;Key\nFest;12.06.2027 18:00;Park;A1\nLesung;13.06.2027 19:30;Aula;A2\n"
	for first, text := range map[string]string{
		"readings": zone,
		"rows":     "name,start_at,timezone\nFest,2027-06-31,UTC\nLesung,2027-06-13T19:30,UTC\n",
		"columns":  "name,start_at,timezone\nFest,2027-06-13T18:00,UTC\n",
	} {
		t.Run(first, func(t *testing.T) {
			if err := os.WriteFile("a.csv", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p := opened(t, "a.csv")
			p.enter(t)
			p.settled(t)
			if got := decodeJSON[struct{ First string }](t, string(p.get(t, "/api/state"))).First; got != first {
				t.Errorf("it begins with %s", got)
			}
			p.close()
		})
	}
}

// What zone a file is in is asked where its columns are, and answered by a city or a zone.
func TestTheZoneOfAFileIsSaidBesideItsColumns(t *testing.T) {
	writeFiles(t, map[string]string{"season.csv": "Titel,Beginn\nTee,2027-03-04 19:00\n"})
	p := opened(t, "season.csv")
	b := p.tab(t)
	b.Do(t, pagetest.Click(`#tab-columns`))
	b.Until(t, columnsDrawn+`document.querySelector('[data-question=timezone]') !== null`)
	b.Do(t, pagetest.Click(`[data-question=timezone] [aria-expanded]`))
	b.Do(t, chromedp.SendKeys(`[data-question=timezone] input`, "Wien"), chromedp.KeyEvent(kb.Enter))
	b.Until(t, columnsDrawn+`document.querySelector('[data-question=timezone]') === null`)
	b.Until(t, `document.getElementById('sum').textContent === '1 read = 1 valid + 0 with mistakes'`)
	b.quiet(t, p)
}

// By whatever mapping the rows are read, it is what the columns and the readings show.
func TestAMappingThatIsGivenIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"season.csv": "Titel,Wann,Info\nTee,2027-03-04 abends,with biscuits\n",
		"mine.map.yaml": "version: 1\ntimezone:\n  default: Europe/Berlin\ncolumns:\n  name: Info\n  start_at: Wann\n" +
			"reads:\n  start_at:\n    2027-03-04 abends: 2027-03-04 19:00\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := opened(t, "season.csv", "--mapping", "mine.map.yaml")
	p.enter(t)
	var doc report.Proposed
	if err := json.Unmarshal(p.get(t, "/api/columns"), &doc); err != nil {
		t.Fatal(err)
	}
	fed := len(doc.Columns) == 3 && strings.Join(doc.Columns[2].Feeds, " ") == "name"
	if doc.Given != "mine.map.yaml" || len(doc.Questions) > 0 || !fed {
		t.Errorf("%+v", doc)
	}
	if i := len(doc.Shapes) - 2; doc.Shapes[i].Becomes != "Thu 4 Mar 2027 19:00" {
		t.Errorf("%+v", doc.Shapes)
	}
	p = opened(t, "season.csv", "--mapping", "mine.map.yaml")
	b := p.tab(t)
	for _, tab := range []string{"columns", "readings"} {
		b.Do(t, pagetest.Click(`#tab-`+tab))
		b.Until(t, `document.querySelector('.panel.`+tab+`:not([aria-busy])') !== null`)
		b.Want(t, `document.querySelector('.alert').textContent.includes('mine.map.yaml')`, true)
		b.Want(t, `document.querySelectorAll('main select, main form').length`, 0)
	}
	b.quiet(t, p)
}
