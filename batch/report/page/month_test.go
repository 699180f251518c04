package page

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/report/month"
)

// november is a month of three sources: one that goes well, one with every trouble, and a
// file that was imported by hand.
func november() *month.Month {
	begin := time.Date(2026, 10, 24, 1, 0, 0, 0, time.UTC)
	to := begin.AddDate(0, 0, 30).Add(-4 * time.Hour)
	away := night.Ending{
		Exit: finding.Exit{
			Code: 69, Reason: "unavailable", Error: "https://feeds.example.com#3f9a1c: it answers 503 Service Unavailable",
			Hint: "try again later",
		},
	}
	endings := map[int]night.Ending{
		5: away, 6: away,
		11: {Exit: finding.Exit{
			Code: 4, Reason: "refused", Error: "nothing was sent: the input has no rows, and source venue has made 212 events",
		}},
		15: {Exit: finding.Exit{Code: 3, Reason: "partial", Error: "of 200 rows, 2 failed, 1 in conflict"}},
		20: {Exit: finding.Exit{Code: 6, Reason: "locked", Error: "sync venue is held by process 4711 on backup since 02:00"}},
		29: {Exit: finding.Exit{Code: 1, Reason: "internal", Error: "<script>alert(1)</script> \u202ereversed"}},
	}
	var nights []night.Entry
	for day := range 30 {
		for _, source := range []string{"members", "venue"} {
			e := night.Entry{Sync: source, Source: source, Began: begin.AddDate(0, 0, day)}
			e.Requests.Sent = 1
			e.Ended = e.Began.Add(93 * time.Second)
			if source == "venue" {
				e.Ending = endings[day]
			}
			switch {
			case e.Exit.Code == 69 && day == 6:
			case e.Exit.Code != 0:
				e.Told = []string{"ops@example.org", "https://hooks.example.com#a1b2c3"}
			case day%3 == 0:
				e.Run = "20261124-010000-abcdef"
				e.Rows = night.Counts{finding.Read: 200, finding.Updated: 3 + day, finding.Created: 2, finding.Unchanged: 195}
				e.Requests = journal.Made{Sent: 23, Throttled: day % 2}
			}
			if day == 15 && source == "venue" {
				e.Rows = night.Counts{finding.Read: 200, finding.Failed: 2, finding.Conflict: 1, finding.Unchanged: 197}
			}
			if day == 23 && source == "venue" {
				e.Ended = time.Time{}
			}
			nights = append(nights, e)
		}
	}
	hand := night.Entry{
		Source: "/data/events/season.xlsx", Began: begin.AddDate(0, 0, 8).Add(9 * time.Hour), Run: "20261101-100000-hijklm",
		Work: night.Work{Rows: night.Counts{finding.Read: 60, finding.Created: 60}, Requests: journal.Made{Sent: 64}},
	}
	hand.Ended = hand.Began.Add(20 * time.Second)
	byHand := month.Night{Entry: hand, By: "import", Results: "/srv/club/runs/a b/results.csv"}
	return month.New(begin.Add(-time.Hour), to, nights, []month.Night{byHand})
}

func monthPageOf(t *testing.T, m *month.Month) string {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := WriteMonth(&out, m, zone, "/srv/club", "1.2.3", Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMonthSaysWhatBecameOfEachNight(t *testing.T) {
	page := monthPageOf(t, november())
	for _, want := range []string{
		"<h1>24 October 2026 – 22 November 2026</h1>", `<p class="verdict bad">`, "venue did not, the last time",
		`data-night="failed" title="Thursday 29 October; 02:00 failed"`, "2 times, from 29 Oct 2026 02:00 to 30 Oct 2026 02:00",
		"Notice sent to https://hooks.example.com#a1b2c3, ops@example.org", "season.xlsx", `href="./runs/a%20b/results.csv"`,
		"import by hand, with changes", "nobody knows of its end", "&lt;script&gt;alert(1)&lt;/script&gt; ‹U&#43;202E›reversed",
		"Longest without success", "<b>60</b> <span>created</span>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "style=") {
		t.Error("the page has a script, or a style of an element")
	}
}

func TestMonthOfNothing(t *testing.T) {
	now := time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC)
	page := monthPageOf(t, month.New(now.AddDate(0, 0, -30), now, nil, nil))
	if !strings.Contains(page, "No night is on record in this time.") || !strings.Contains(page, `verdict fair`) {
		t.Error(page)
	}
}

// A sync that runs every minute has a page that people can still read.
func TestMonthOfManyNights(t *testing.T) {
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var nights []night.Entry
	for i := range 30 * 24 * 60 {
		e := night.Entry{Source: "s", Began: begin.Add(time.Duration(i) * time.Minute)}
		e.Ended, e.Rows = e.Began.Add(time.Second), night.Counts{finding.Created: i % 2}
		nights = append(nights, e)
	}
	page := monthPageOf(t, month.New(begin, begin.AddDate(0, 0, 30), nights, nil))
	if len(page) > 1<<18 || !strings.Contains(page, "500 nights, the newest; 21,100 are older; 21,600 more had nothing new") {
		t.Errorf("%d bytes", len(page))
	}
}

func TestMonthInABrowser(t *testing.T) {
	b := open(t, monthPageOf(t, november()))
	for _, width := range []int64{1440, 390} {
		b.Do(t, chromedp.EmulateViewport(width, 1000))
		b.Want(t, `document.documentElement.scrollWidth <= innerWidth`, true)
		b.Want(t, `document.querySelectorAll('.strip li').length`, 3*30)
	}
	b.Prefer(t, "prefers-color-scheme", "dark")
	b.Want(t, `getComputedStyle(document.querySelector('.verdict.bad'), '::before').backgroundColor`, "rgb(255, 128, 133)")
	b.Want(t, `getComputedStyle(document.querySelector('[data-night=changed]')).getPropertyValue('--c')`, "#3fae78")
	b.quiet(t)
}
