package report

import (
	"strings"
	"testing"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// A row that changes something is told in few words at 80 columns and at 110.
func TestChangesFitTheScreen(t *testing.T) {
	start := time.Date(2027, 3, 5, 20, 0, 0, 0, time.UTC)
	long := strings.TrimSpace(strings.Repeat("A description that goes on. ", 20))
	p := PlanWords{
		Run: "r1", Outlook: outlook(30, 0, 24, 1, Outlook{}), Requests: 26, BaseURL: "x", Now: noon, Finish: noon, Page: "report r1",
		Changed: []Changed{
			{
				Row: finding.Row{
					Number: 17,
					Event:  finding.Event{Key: "S-014", Name: "Jazz in the cellar", Start: start},
					Changes: []finding.Change{
						{Field: "start_at", Before: "2027-03-05T19:30:00Z", After: "2027-03-05T20:00:00Z", Known: true},
						{Field: "end_at", Before: "2027-03-05T21:30:00Z", After: "2027-03-06T01:00:00Z", Known: true},
						{Field: "description_md", Before: long, After: "<clear>", Known: true},
						{Field: "tint_color", After: "#fff"},
						{Field: "visibility", After: "public"},
					},
				},
				Effects: plan.Effects{Of: []schema.Effect{schema.Mails, schema.Pushes}, People: 84, Counted: true},
			},
			{
				Row: finding.Row{Number: 40, Event: finding.Event{Key: "S-031", Name: "Poetry slam"}}, Takes: true,
				Effects: plan.Effects{Of: []schema.Effect{schema.Mails, schema.Cancels, schema.Refunds}, People: 112, Counted: true},
			},
			{
				Row: finding.Row{
					Number: 41, Source: 1, File: "b.xlsx", Sheet: "Hosts",
					Event: finding.Event{Key: "ada@x.test", Name: "ada@x.test"},
				},
				Takes: true,
			},
		},
	}
	const rows = `  ~ S-014 Jazz in the cellar, Fri 5 Mar 2027 20:00 (row 17)
      start_at        Fri 5 Mar 2027 19:30 → 20:00
      end_at          Fri 5 Mar 2027 21:30 +00:00 → Sat 6 Mar 2027 01:00 +00:00
      description_md  A description that goes on. A descripti… → <clear>
      sets tint_color, visibility: this workspace does not know what was there
      e-mails 84 guests
      may push a new time or place to 84 guests
  - S-031 Poetry slam (row 40)
      cancelled: 112 guests told, cannot be undone
      refunds what was paid
  - ada@x.test (b.xlsx:Hosts, row 41)
      removed
  and 22 more that change something: report r1
`
	for _, width := range []int{wide, 110, 80} {
		var out strings.Builder
		s := NewScreen(&out, ScreenConfig{})
		s.width = func() int { return width }
		s.Plan(p)
		if !strings.Contains(out.String(), rows) {
			t.Errorf("at %d columns:\n%s", width, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if Width(strings.TrimRight(line, "\n")) >= width {
				t.Errorf("at %d columns: %q", width, line)
			}
		}
	}
}

func TestAPlaceIsShownByItsAddress(t *testing.T) {
	const was = `{"address":"Hall","apple_maps_place_id":"x","full_address":"Hall, Long Street 3"}`
	for _, test := range []struct{ before, after, from, to string }{
		{was, `{"type":"manual","address":"Cellar"}`, "Hall, Long Street 3", "Cellar"},
		{`{"place_id":"a"}`, `{"type":"manual","address":"Cellar"}`, `{"place_id":"a"}`, "Cellar"},
		{`{"address":"Hall","n":1}`, `{"address":"Hall","n":2}`, `{"address":"Hall","n":1}`, `{"address":"Hall","n":2}`},
		{"{not one}", "Hall", "{not one}", "Hall"},
	} {
		if from, to := Values(finding.Value{Text: test.before}, finding.Value{Text: test.after}); from != test.from || to != test.to {
			t.Errorf("%s and %s are shown as %s → %s", test.before, test.after, from, to)
		}
	}
}

func TestEachTimeIsShownWithTheOffsetOfItsOwnDay(t *testing.T) {
	const winter, summer, later = "2027-03-27T18:00:00Z", "2027-03-29T18:00:00+02:00", "2027-03-29T17:30:00.000Z"
	for _, test := range []struct{ zone, before, after, from, to string }{
		{"Europe/Zurich America/New_York", winter, winter, "Sat 27 Mar 2027 19:00 +01:00", "Sat 27 Mar 2027 14:00 -04:00"},
		{"Europe/Zurich Europe/Paris", winter, "2027-03-27T18:30:00Z", "Sat 27 Mar 2027 19:00", "19:30"},
		{"Europe/Zurich", winter, summer, "Sat 27 Mar 2027 19:00 +01:00", "Mon 29 Mar 2027 18:00 +02:00"},
		{"Europe/Zurich", summer, winter, "Mon 29 Mar 2027 18:00 +02:00", "Sat 27 Mar 2027 19:00 +01:00"},
		{"Europe/Zurich", summer, later, "Mon 29 Mar 2027 18:00", "19:30"},
		{"", winter, summer, "Sat 27 Mar 2027 20:00 +02:00", "Mon 29 Mar 2027 18:00 +02:00"},
		{"Europe/Zurich", winter, "<clear>", winter, "<clear>"},
	} {
		was, is, moves := strings.Cut(test.zone, " ")
		if !moves {
			is = was
		}
		from, to := Values(finding.Value{Text: test.before, Zone: was}, finding.Value{Text: test.after, Zone: is})
		if from != test.from || to != test.to {
			t.Errorf("%s and %s in %q are shown as %s → %s", test.before, test.after, test.zone, from, to)
		}
	}
}

// Records of one name that become the same are told once.
func TestRecordsThatChangeAlikeAreToldOnce(t *testing.T) {
	p := PlanWords{Outlook: outlook(25, 0, 25, 0, Outlook{}), Run: "r1", Page: "report r1"}
	for n := range 25 {
		change := finding.Change{Field: "cents", Before: "1800", After: "2000", Known: true, Currency: "eur"}
		name := "Normal"
		if n == 3 {
			change.After = "2500"
		}
		if n == 4 {
			name, change.Currency = "Seki", "jpy"
		}
		p.Add(Changed{Resource: "ticket-types", Row: finding.Row{
			Number: n + 2, Event: finding.Event{Name: name}, Changes: []finding.Change{change},
		}})
	}
	var out strings.Builder
	NewScreen(&out, ScreenConfig{}).Plan(p)
	const rows = `  ~ 23 ticket types "Normal" (row 2 and 22 more)
      price  18.00 EUR → 20.00 EUR
  ~ Normal (row 5)
      price  18.00 EUR → 25.00 EUR
  ~ Seki (row 6)
      price  1800 JPY → 2000 JPY
`
	if !strings.Contains(out.String(), rows) || strings.Contains(out.String(), "more that change") {
		t.Error(out.String())
	}
}
