package main

import (
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
)

// layouts are programmes of testdata, one of each way in which people lay them out.
var layouts = []string{
	"a_german_programme_with_months_and_venues",
	"days_as_headings_above_their_hours",
	"a_week_of_classes_with_a_blank_corner",
	"a_header_row_of_dates",
	"a_dutch_congress_with_rooms_as_columns",
	"a_conference_of_two_days_with_plenaries",
	"sheets_named_after_months_with_days_only",
}

// hand is how a person uses the page: by the mouse alone, or by keys alone.
type hand struct {
	deskTab

	keys    bool
	answers int
}

// press presses what a selector matches.
func (h *hand) press(t *testing.T, selector string) {
	t.Helper()
	if !h.keys {
		h.Do(t, pagetest.Click(selector))
		return
	}
	if !pagetest.Value[bool](t, h.Tab, `document.activeElement.matches('`+selector+`')`) {
		h.TabTo(t, selector)
	}
	key := kb.Enter
	if pagetest.Value[bool](t, h.Tab, `document.activeElement.matches('[type=checkbox]')`) {
		key = " "
	}
	h.Do(t, chromedp.KeyEvent(key))
}

// write types a text where a selector matches.
func (h *hand) write(t *testing.T, selector, text string) {
	t.Helper()
	if !h.keys {
		h.Do(t, pagetest.Click(selector))
	} else if !pagetest.Value[bool](t, h.Tab, `document.activeElement.matches('`+selector+`')`) {
		h.TabTo(t, selector)
	}
	h.Do(t, chromedp.KeyEvent(text))
}

// tab opens a tab of the page.
func (h *hand) tab(t *testing.T, name string) {
	t.Helper()
	if !h.keys {
		h.Do(t, pagetest.Click(`#tab-`+name))
	} else {
		if !pagetest.Value[bool](t, h.Tab, `document.activeElement.matches('[role=tab]')`) {
			h.TabTo(t, `[role=tab][aria-selected=true]`)
		}
		for range 6 {
			if pagetest.Value[bool](t, h.Tab, `document.activeElement.id === 'tab-`+name+`'`) {
				break
			}
			at := pagetest.Value[string](t, h.Tab, `document.activeElement.id`)
			h.Do(t, chromedp.KeyEvent(kb.ArrowRight))
			h.Until(t, `document.activeElement.id !== '`+at+`'`)
		}
	}
	h.Until(t, `document.querySelector('.panel.`+name+`:not([aria-busy])') !== null`)
}

// answer gives the answers that a person has to what is asked, in the order in which that stands there.
func (h *hand) answer(t *testing.T, answers map[string]string) {
	t.Helper()
	h.tab(t, "readings")
	for {
		h.Until(t, readingsDrawn+`true`)
		asked := pagetest.Value[[]string](t, h.Tab, `[...document.querySelectorAll('[data-question]')].map(q => q.dataset.question)`)
		i := slices.IndexFunc(asked, func(id string) bool { _, said := answers[id]; return said })
		if i < 0 {
			return
		}
		h.answers++
		at, value := `[data-question="`+asked[i]+`"]`, answers[asked[i]]
		switch has := func(what string) bool {
			return pagetest.Value[bool](t, h.Tab, `document.querySelector('`+at+what+`') !== null`)
		}; {
		case pagetest.Value[string](t, h.Tab, `document.querySelector('`+at+` .take')?.dataset.value || ''`) == value:
			h.press(t, at+` .take`)
		default:
			if has(` [aria-expanded=false]`) {
				h.press(t, at+` [aria-expanded=false]`)
			}
			if chosen := ` [data-value="` + value + `"]`; has(chosen) {
				h.press(t, at+chosen)
			} else {
				h.write(t, at+` input`, value)
				h.Do(t, chromedp.KeyEvent(kb.Enter))
			}
		}
		h.Until(t, readingsDrawn+fmt.Sprintf(`document.querySelectorAll('.answered li').length === %d`, h.answers))
	}
}

// inSandbox are what the sandbox of a workspace has been told, in their order: what was made, and the ids of what was called off.
func inSandbox(t *testing.T, workspace string) (made []map[string]string, off int) {
	t.Helper()
	eachLine(t, filepath.Join(workspace, "sandbox/sandbox.jsonl"), func(line []byte) {
		var event struct {
			T      string
			Fields map[string]any
		}
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatal(err)
		}
		switch event.T {
		case "create":
			fields := map[string]string{"name": fmt.Sprint(event.Fields["name"])}
			for path, name := range map[string]string{"start_at": "start", "end_at": "end"} {
				if at, err := time.Parse(time.RFC3339, fmt.Sprint(event.Fields[path])); err == nil {
					fields[name] = at.UTC().Format(time.RFC3339)
				}
			}
			made = append(made, fields)
		case "cancel":
			off++
		}
	})
	return made, off
}

// Each layout is read by the answers of a person, planned, sent, and taken back: on the page alone, by the mouse and by keys.
func TestEveryLayoutIsSentAndTakenBackOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	t.Parallel()
	for _, name := range layouts {
		p := readProgramme(t, filepath.Join("testdata/programmes", name+".txtar"))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, way := range []string{"mouse", "keys"} { // one after the other: so many tabs are drawn slowly enough
				t.Run("by "+way, func(t *testing.T) { p.onThePage(t, way == "keys") })
			}
		})
	}
}

func (p *peoplesFile) onThePage(t *testing.T, keys bool) {
	began := time.Now()
	dir := t.TempDir()
	file, workspace := filepath.Join(dir, p.file), filepath.Join(dir, ".eventbatch")
	if err := os.WriteFile(file, p.data, 0o600); err != nil {
		t.Fatal(err)
	}
	at := []string{"--workspace", workspace}
	page := opened(t, slices.Concat([]string{file, "--sandbox", "--allow", "cancel", "--pace", "0"}, at, p.flags)...)
	h := &hand{deskTab: page.tab(t), keys: keys}
	h.answer(t, p.answers)
	if h.answers > 6 {
		t.Errorf("%d answers", h.answers)
	}
	h.tab(t, "plan")
	h.press(t, `.panel.plan .do`)
	h.Until(t, `document.getElementById('totals') !== null`)
	if pagetest.Value[bool](t, h.Tab, `document.getElementById('send') === null`) { // rows that were meant to be refused
		h.press(t, `.panel.plan .do`)
		h.Until(t, `document.getElementById('send') !== null`)
	}
	page.token = pagetest.Value[string](t, h.Tab, `sessionStorage.getItem('desk-token')`)
	var doc planned
	if err := json.Unmarshal(page.get(t, "/api/problems"), &doc); err != nil {
		t.Fatal(err)
	}
	before, _ := inSandbox(t, workspace)
	h.Until(t, `document.activeElement !== document.body`) // the page has moved it, and with it perhaps what is clicked
	h.press(t, `#send`)
	h.Until(t, `document.getElementById('became') !== null`)
	run := decodeJSON[runsDoc](t, commanded(t, 0, slices.Concat([]string{"runs", "--json"}, at)...)).Runs[0].Run
	plan := readPlan(t, filepath.Join(workspace, "runs", run))
	want := inWords(plannedEvents(t, plan))
	tally := p.compare(t, "answers", doc, plan)
	if tally.right != p.numbers["answers"] || tally.wrong > 0 {
		t.Errorf("%+v of the events are right, and %d were", tally, p.numbers["answers"])
	}
	made, _ := inSandbox(t, workspace)
	made = made[len(before):]
	if got := inWords(made); !slices.Equal(got, want) {
		t.Errorf("the sandbox has\n%s\nplanned was\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	h.press(t, `#undo`)
	h.Until(t, `document.querySelector('.panel.plan:not([aria-busy]) #typed') !== null`)
	h.press(t, `[data-effect=cancel] [type=checkbox]`)
	h.write(t, `#typed`, fmt.Sprint(len(made)))
	h.Until(t, `document.getElementById('send').disabled === false`)
	h.press(t, `#send`)
	h.Until(t, `document.getElementById('became')?.textContent.includes(' cancelled') === true`)
	if _, off := inSandbox(t, workspace); off != len(made) {
		t.Errorf("%d of %d events are taken back", off, len(made))
	}
	h.quiet(t, page)
	t.Logf("%d events by %d answers in %v", len(made), h.answers, time.Since(began).Round(100*time.Millisecond))
}

// plannedEvents are the events of a plan as those of the sandbox are.
func plannedEvents(t *testing.T, plan plannedFile) (events []map[string]string) {
	for _, event := range plan.events {
		fields := map[string]string{"name": event.fields["name"]}
		for _, name := range []string{"start", "end"} {
			if text := event.fields[name]; text != "" {
				at, err := time.Parse("2006-01-02 15:04 -07:00", text+" "+event.fields["zone"])
				if err != nil {
					t.Fatal(err)
				}
				fields[name] = at.UTC().Format(time.RFC3339)
			}
		}
		events = append(events, fields)
	}
	return events
}

// inWords are events in words, sorted.
func inWords(events []map[string]string) (list []string) {
	for _, event := range events {
		list = append(list, event["start"]+" "+event["end"]+" "+event["name"])
	}
	slices.Sort(list)
	return list
}

// A month in weeks is refused: the page says so with what to do, asks nothing that nobody can answer, and plans nothing.
func TestAMonthGridIsRefusedOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	p := readProgramme(t, "testdata/programmes/a_month_of_a_cinema_as_a_calendar_page.txtar")
	t.Chdir(t.TempDir())
	if err := os.WriteFile(p.file, p.data, 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = "This looks like a month grid, which cannot be read"
	page := opened(t, p.file, "--sandbox")
	h := &hand{deskTab: page.tab(t)}
	h.Until(t, readingsDrawn+`document.querySelector('#tab-readings .open') !== null`)
	h.Want(t, `document.querySelector('.lead').innerText`, refused+".")
	h.Want(t, `document.getElementById('sum').textContent`, refused)
	h.Want(t, `document.querySelector('.asked').innerText.replace(/\s+/g, ' ')`, refused+" The columns are days of the week, and "+
		"their cells hold the numbers of days: write a list: the columns Date, Time and Event, and a row for each event, and open that")
	h.Want(t, `document.querySelectorAll('.asked :is(button, input)').length`, 0)
	h.tab(t, "plan")
	h.Until(t, `document.querySelector('.panel.plan .message')?.textContent === '`+refused+`'`)
	h.Want(t, `document.querySelectorAll('.panel button').length`, 0)
}
