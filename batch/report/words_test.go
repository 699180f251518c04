package report

import (
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)

// outlook completes an outlook by the rows read, and those left by action.
func outlook(read, create, update, cancel int, o Outlook) Outlook {
	o.Rows = finding.Rows{finding.Read: read, finding.Pending: create + update + cancel}
	o.Left = map[string]Kinds{"create": {"events": create}, "update": {"events": update}, "cancel": {"events": cancel}}
	return o
}

func TestPlansAreSummedUp(t *testing.T) {
	for _, test := range []struct {
		name string
		plan PlanWords
		want string
	}{
		{
			"all kinds",
			PlanWords{
				Run: "r1", BaseURL: "https://events.example",
				Outlook: outlook(12_345, 1, 1_200, 3, Outlook{Effects: Effects{
					Asked:   reach(2, 84, 0),
					Effects: finding.Effects{Cancel: reach(3, 196, 0), Refund: reach(1, 12, 0), Push: reach(5, 84, 3)},
				}, Reasons: []ReasonCount{
					{"unchanged", "the same values were sent by run r0", 11_140},
					{"skip", "the row says SKIP", 1},
					{"invalid", "left out", 2},
				}}), Requests: 1_207, Now: noon, Finish: noon.Add(6 * time.Minute),
			},
			`planned run r1: 12,345 rows read
         1 to create
     1,200 to update
         3 to cancel
    11,140 unchanged: the same values were sent by run r0
         1 skipped: the row says SKIP
         2 invalid: left out
  3 events cancelled: 196 guests told, cannot be undone
  refunds the paid orders of 1 event
  e-mails 84 guests of 2 events
  may push a new time or place to 84 guests of 5 events, of 3 of which they were not counted
  1,207 requests to https://events.example, done in about 6 min (12:06)
`,
		},
		{
			"nothing to send",
			PlanWords{Run: "r1", Outlook: outlook(1, 0, 0, 0, Outlook{Reasons: []ReasonCount{{"unchanged", "sent before", 1}}})},
			"planned run r1: 1 row read\n         1 unchanged: sent before\n",
		},
		{
			"resumed",
			PlanWords{
				Run: "r1", Resumed: true, Outlook: outlook(150, 70, 0, 0, Outlook{}), Requests: 70, BaseURL: "x", Now: noon, Finish: noon,
			},
			"resuming run r1: 150 rows read, 70 left\n        70 to create\n  70 requests to x, done at once\n",
		},
		{
			"finished",
			PlanWords{Run: "r1", Resumed: true, Outlook: outlook(150, 0, 0, 0, Outlook{})},
			"run r1 is finished: nothing is left to send\n",
		},
		{
			"a cancellation, which nothing keeps quiet",
			PlanWords{
				Run: "r1", Outlook: outlook(3, 0, 0, 3, Outlook{Effects: Effects{Effects: finding.Effects{Cancel: reach(3, 1, 0)}}}),
				Requests: 6, BaseURL: "x", Now: noon, Finish: noon,
			},
			"planned run r1: 3 rows read\n         3 to cancel\n" +
				"  3 events cancelled: 1 guest told, cannot be undone\n  6 requests to x, done at once\n",
		},
		{
			"a cancellation beside which others than guests are told",
			PlanWords{
				Run: "r1", Outlook: outlook(4, 0, 1, 3, Outlook{
					Resource: finding.Several, Effects: Effects{Effects: finding.Effects{Cancel: reach(3, 4, 0)}},
				}), Requests: 7, BaseURL: "x", Now: noon, Finish: noon,
			},
			"planned run r1: 4 rows read\n         1 to update\n         3 to cancel\n" +
				"  3 events cancelled: 4 people told, cannot be undone\n  7 requests to x, done at once\n",
		},
		{
			"one that mails",
			PlanWords{
				Run: "r1", Outlook: outlook(1, 0, 1, 0, Outlook{
					Effects: Effects{Asked: reach(1, 0, 0), Effects: finding.Effects{Push: reach(2, 0, 2)}},
				}), Requests: 1, BaseURL: "x", Now: noon, Finish: noon.Add(90 * time.Minute),
			},
			`planned run r1: 1 row read
         1 to update
  e-mails 0 guests of 1 event
  may push a new time or place to the guests of 2 events, who were not counted
  1 request to x, done in about 1 h 30 min (Mon 13:30)
`,
		},
		{
			"pictures",
			PlanWords{
				Run: "r1", Outlook: outlook(1, 1, 0, 0, Outlook{
					Pictures: append([]Picture{{"/in/a\u202e.png", 999}, {"/in/b.png", 1_499_999}}, make([]Picture, 10)...),
				}), Requests: 3, BaseURL: "x", Now: noon, Finish: noon,
			},
			`planned run r1: 1 row read
         1 to create
  12 pictures to upload from this machine, 1.5 MB:
      /in/a.png, 999 bytes
      /in/b.png, 1.5 MB
` + strings.Repeat("      , 0 bytes\n", 8) + `      and 2 more
  3 requests to x, done at once
`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, text := page(0)
			s.Plan(test.plan)
			equal(t, test.want, text.String())
		})
	}
}

func TestFinishIsSaidAsPeopleDo(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		-time.Hour: "at once", 0: "at once", 3 * time.Second: "in about 3 s", 59 * time.Second: "in about 59 s",
		59*time.Second + 900*time.Millisecond: "in about 1 min (12:00)",
		100 * time.Second:                     "in about 2 min (12:01)",
		59*time.Minute + 50*time.Second:       "in about 1 h 00 min (Mon 12:59)",
		26 * time.Hour:                        "in about 26 h 00 min (Tue 14:00)",
		50 * time.Hour:                        "in about 2 days (4 Mar 14:00)",
		10 * 365 * 24 * time.Hour:             "in more than a year",
	} {
		if got := finish(noon, noon.Add(wait)); got != want {
			t.Errorf("%v: %s, want %s", wait, got, want)
		}
	}
}

func TestWhatIsLeftIsSaidShortly(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "", 3 * time.Second: "3 s left", 6 * time.Minute: "6 min left",
		83 * time.Minute: "1 h 23 min left, until 13:23", 50 * time.Hour: "2 days left, until 14:00", 10 * year: "more than a year left",
	} {
		if got := left(noon, noon.Add(wait)); got != want {
			t.Errorf("%v: %s, want %s", wait, got, want)
		}
	}
}

func TestSpansAreSaidAsPeopleDo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		60 * time.Second: "60 s", 1500 * time.Millisecond: "2 s", 5 * time.Minute: "5 min", 90 * time.Minute: "1 h 30 min",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		2340 * time.Millisecond: "2.3 s", 59*time.Second + 970*time.Millisecond: "1 min 00 s", 61 * time.Second: "1 min 01 s",
		2 * time.Hour: "2 h 00 min",
	} {
		if got := spent(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestRunsAreSummedUp(t *testing.T) {
	for _, test := range []struct {
		name string
		done DoneWords
		want string
	}{
		{"nothing", DoneWords{}, "0 rows: nothing to do\n"},
		{
			"all sent",
			DoneWords{
				Rows: finding.Rows{finding.Read: 150, finding.Created: 146, finding.Updated: 4}, Requests: journal.Made{Sent: 154},
				Took: 3100 * time.Millisecond, Results: "out.csv",
			},
			"150 rows: 146 created, 4 updated\n154 requests in 3.1 s\nresults: out.csv\n",
		},
		{
			"everything else",
			DoneWords{
				Rows: finding.Rows{
					finding.Read: 11, finding.Created: 1, finding.Updated: 1, finding.Cancelled: 1, finding.Unchanged: 1,
					finding.Skipped: 2, finding.Invalid: 1, finding.Failed: 1, finding.InDoubt: 1,
					finding.Blocked: 1, finding.Pending: 1,
				},
				Requests: journal.Made{Sent: 4, Reads: 2, Throttled: 1}, GoOn: "eventbatch apply r1", Retry: "eventbatch retry r1",
			},
			`11 rows: 1 created, 1 updated, 1 cancelled, 1 unchanged, 2 skipped, 1 invalid, 1 failed, 1 in doubt, 1 blocked, 1 pending
6 requests, 1 throttled
to go on: eventbatch apply r1
to try the failed rows again: eventbatch retry r1
`,
		},
		{"one", DoneWords{Rows: finding.Rows{finding.Read: 1, finding.Unchanged: 1}}, "1 row: 1 unchanged\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, text := page(0)
			s.Done(test.done)
			equal(t, test.want, text.String())
		})
	}
}

func TestVerdictsAndFindings(t *testing.T) {
	s, text := page(0)
	s.Printf("%s\n", s.Verdict(Checked{Read: 1, Valid: 1}, 0))
	s.Printf("%s\n", s.Verdict(Checked{Read: 150, Valid: 150}, 2))
	s.Printf("%s\n", s.Verdict(Checked{Read: 9, Valid: 9, Skipped: 2}, 1))
	s.Finding(&Finding{Level: Good, Subject: "service", Detail: "https://events.example"})
	s.Finding(&Finding{Level: Note, Subject: "pictures", Detail: "not known", Hint: "set image_cdn_base"})
	s.Finding(&Finding{Level: Bad, Subject: "connection", Detail: "a.yaml:3: no\na.yaml:4: no", Hint: "mend it"})
	equal(t, `1 row can be imported
150 rows can be imported, 2 warnings
7 rows can be imported, 2 skipped, 1 warning
ok   service: https://events.example
note pictures: not known
     hint: set image_cdn_base
fail connection: a.yaml:3: no
     a.yaml:4: no
     hint: mend it
`, text.String())
	for want, n := range map[string][2]int{
		"the only row is invalid": {1, 1}, "all 3 rows are invalid": {3, 3}, "1 of 3 rows is invalid": {1, 3},
		"1,300 of 16,000 rows are invalid": {1300, 16000},
	} {
		if got := Invalids(n[0], n[1]); got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
}

func reach(events, guests, uncounted int) finding.Reach {
	return finding.Reach{Events: events, Guests: guests, Uncounted: uncounted}
}
