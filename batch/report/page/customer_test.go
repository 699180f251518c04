package page

import (
	"encoding/base64"
	"strings"
	"testing"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"

	"github.com/chromedp/chromedp"
)

// The customer's page is a list of things to do, one card for what is mended alike.
func TestACustomerTicksWhatIsDoneInABrowser(t *testing.T) {
	var out strings.Builder
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>window.hit=1; window.parent.hit=1</script></svg>`
	logo := Logo("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(svg)))
	sink := New(&out, Options{Title: "Spring 2027", Logo: logo})
	summary := &finding.Summary{
		Command: "check", Version: "devel", Sources: []plan.Sheet{
			{File: "a.csv", SHA256: strings.Repeat("9f2c", 16), Header: []string{"Title", "From"}, Row: 1, Rows: 12},
		},
		LeftBehind: []schema.LeftBehind{{What: "prices", Columns: []string{"Fee"}, Cells: 12}},
		Totals:     []finding.Total{{Word: "read", Rows: 12}, {Word: "valid", Rows: 1}, {Word: "invalid", Rows: 11}},
	}
	for i, value := range []string{"14h", "17h", "late", "21h", "late", "25:00", "26:00", "", "", "Berlin", "Paris", "18:00"} {
		row := &finding.Row{
			Number: i + 2, Action: "upsert", Status: finding.Invalid, Cells: []string{"Tea", value},
			Event: finding.Event{Name: "Tea", ID: "evt-1"},
		}
		p := schema.Problem{
			Code: schema.CodeBadTime, Field: "start_at", Value: value, Message: `"` + value + `" is not a time`,
			Hint: "write it like 18:30", Place: schema.Place{File: "a.csv", Row: i + 2, Column: 1, Header: "From"},
		}
		switch value {
		case "":
			p.Code, p.Message, p.Hint = schema.CodeMissingValue, "start_at is missing", "fill it in, or say --set start_at=…"
		case "25:00", "26:00":
			p.Message, p.Hint = "there is no such time of day", "hours go to 23"
		case "Berlin", "Paris":
			p.Code, p.Message, p.Hint = schema.CodeBadZone, `"`+value+`" is not a zone`, "did you mean Europe/"+value+"?"
			p.Proposal = "Europe/" + value
		}
		if row.Problems = []schema.Problem{p}; value == "18:00" {
			row.Status, row.Problems = finding.Valid, nil
		}
		sink.Row(row)
	}
	sink.Problem(schema.Problem{
		Severity: schema.Warning, Code: schema.CodeHiddenRows, Message: "2 hidden rows are read too", Place: schema.Place{File: "a.csv"},
	})
	if err := sink.End(summary); err != nil {
		t.Fatal(err)
	}
	b := open(t, out.String())
	const card = `[...document.querySelectorAll('.card')].map(e => ['.title', '.columns', '.badge', '.hint', 'li:not([hidden])'].map(s =>` +
		` [...e.querySelectorAll(s)].map(e => e.textContent.trim()).join(' / ')).join(' | ')).join('\n')`
	b.Want(t, card, strings.Join([]string{
		"The value is not a time | Column B: From | 7 cells | Write it like 18:30 / Hours go to 23 | " +
			"14h, 17h, 21h B2–B3, B5 / late B4, B6 / 25:00, 26:00 there is no such time of day B7–B8",
		"The value is not a zone | Column B: From | 2 cells | Write what the arrow points to | " +
			"Berlin → Europe/Berlin B11 / Paris → Europe/Paris B12",
		"Start is missing | Column B: From | 2 cells | Fill it in | B9–B10",
		"2 hidden rows are read too |  |  |  | ",
	}, "\n"))
	b.Want(t, `document.querySelector('#totals').textContent.replace(/\s+/g, ' ').trim()`, "12 rows 1 ready 11 to mend")
	b.Want(t, `document.querySelector('.facts').textContent.includes('Not imported12 prices (column "Fee")')`, true)
	for _, inner := range []string{"upsert", "devel", "9f2c", "bad-time", "start_at", "--set", "evt-1", "valid"} {
		b.Want(t, `document.body.innerText.includes('`+inner+`')`, false)
	}

	// What is ticked stays so.
	click := func(selector string) chromedp.Action[chromedp.Void] {
		return chromedp.Evaluate[chromedp.Void](`document.querySelector('` + selector + `').click()`)
	}
	b.Do(t, click(`.card input`))
	b.Want(t, `document.getElementById('done').textContent`, "1 of 4 done")
	b.Do(t, chromedp.Reload())
	b.Want(t, `document.querySelectorAll('.card.done').length`, 1)
	b.Want(t, `document.querySelector('.card input').checked`, true)
	b.Do(t, click(`.card input`), chromedp.Reload())
	b.Want(t, `document.querySelectorAll('.card.done').length`, 0)

	b.Do(t, click(`.do > button`))
	b.Want(t, `document.querySelectorAll('.card .problem').length`, 7)
	b.Want(t, `document.querySelector('.card .problem .bad').textContent`, "BFrom")
	b.Script(t, `document.querySelectorAll('#rows .link')[9].click()`)
	b.Want(t, focusedCell, "B11")

	// A telephone shows the list, and the rest where it is asked for.
	b.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Reload())
	b.Want(t, `document.documentElement.scrollWidth`, 390)
	b.Want(t, `document.documentElement.scrollHeight < 2200`, true)
	b.Want(t, `document.querySelectorAll('#rows.folded').length`, 1)
	b.Do(t, click(`#parts a[href="#rows"]`))
	b.Want(t, `document.querySelectorAll('#rows.folded').length`, 0)
	b.Want(t, `typeof window.hit`, "undefined")
	b.Want(t, `document.querySelector('.logo').naturalWidth`, 9)
	b.quiet(t)
}
