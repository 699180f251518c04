package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// pace is how long a service's requests took, against the least that its limits
// allow.
type pace struct {
	requests int
	took     time.Duration // from the first arrival to the last
	windows  int           // that N requests need: floor((N−1)/limit)
	last     time.Duration // what the last burst took
	ideal    time.Duration
}

// ratio is 1 where nothing was lost.
func (p pace) ratio() float64 { return float64(p.took) / float64(p.ideal) }

func (p pace) String() string {
	return fmt.Sprintf("%d requests in %v: %.4f × (%d windows and a last burst of %v)", p.requests, p.took, p.ratio(), p.windows, p.last)
}

// paced measures the owner's requests.
func (s *served) paced(t *testing.T, owner string, limit int) pace {
	t.Helper()
	at := s.Arrivals(owner)
	if len(at) == 0 {
		t.Fatalf("no request of %s", owner)
	}
	n := len(at)
	p := pace{requests: n, took: at[n-1].Sub(at[0]), windows: (n - 1) / limit}
	p.last = at[n-1].Sub(at[p.windows*limit])
	p.ideal = time.Duration(p.windows)*s.limits.Window + p.last
	trial.Say(t, trial.Pace, p.ratio())
	return p
}

// slack bounds how much longer than the ideal requests take. The promise is 3 %. The long form, which has the machine to
// itself, is held to a little more; beside all other tests only what stands still is found: the log tells the number, and the
// page of benchmarks has it.
func slack() float64 { return sized(1.10, 2, 2) }

// A thousand rows leave as fast as a strict service allows, and not faster.
func TestFullSpeedWithoutA429(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes five windows")
	}
	t.Parallel()
	const rows, limit = 1000, 200
	service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: limit, Window: 2 * time.Second, Strict: true}})
	h := newHome(t, service.profile())
	p := newProgramme("solo", rows)
	h.write(t, "solo.csv", p.text.String())
	doc := decodeJSON[report.Run](
		t, h.must(t, 0, "import", "solo.csv", "--yes", "--pace", "0", "--json", "--calendar", sandbox.CalendarID).stdout,
	)

	service.throttledNever(t, map[string]int{sandbox.CalendarID: limit})
	service.once(t, p.wanted())
	if doc.Rows[found.Created] != rows || doc.Requests.Sent != rows || doc.Requests.Throttled != 0 {
		t.Errorf("the document says %+v, %+v", doc.Rows, doc.Requests)
	}
	got := service.paced(t, sandbox.CalendarID, limit)
	t.Log(got)
	if got.ratio() > slack() {
		t.Errorf("%.3f × the ideal, want at most %v", got.ratio(), slack())
	}
}

// Four processes with one key share its limit through the machine's ledger.
func TestFourProcessesShareOneKey(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes five windows")
	}
	t.Parallel()
	const rows, processes, limit = 1000, 4, 200
	service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: limit, Window: 2 * time.Second, Strict: true}})
	first := newHome(t, service.profile())
	want := map[string]int{}
	var running []*process
	for i := range processes {
		h := newHome(t, service.profile())
		h.sharing(first)
		p := newProgramme(fmt.Sprint("part", i), rows/processes)
		h.write(t, "part.csv", p.text.String())
		for name, n := range p.wanted() {
			want[name] += n
		}
		running = append(running, h.start(t, "import", "part.csv", "--yes", "--pace", "0", "--calendar", sandbox.CalendarID))
	}
	for _, p := range running {
		if e := p.end(t); e.code != 0 {
			t.Errorf("want exit 0\n%v", e)
		}
	}
	service.throttledNever(t, map[string]int{sandbox.CalendarID: limit})
	service.once(t, want)
	got := service.paced(t, sandbox.CalendarID, limit)
	t.Log(got)
	if got.ratio() > slack() {
		t.Errorf("%.3f × the ideal, want at most %v", got.ratio(), slack())
	}
}

// Three calendars of 498 rows each, one after the other in the file, under one
// organization key: with the listing of each calendar, and of the calendars, 1,498 requests, which at 500 a
// window need two windows, if no calendar stands idle while the organization has slots.
func TestThreeCalendarsOfOneOrganization(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two windows")
	}
	t.Parallel()
	const limit, organization, window = 200, 500, 5 * time.Second
	calendars := append(slices.Clone(sandbox.OrganizationCalendars), "cal-west")
	service := serve(t, sandbox.Config{
		Calendars: []sandbox.Calendar{{ID: "cal-west", Organization: sandbox.OrganizationID}},
		Limits:    sandbox.Limits{Calendar: limit, Organization: organization, Window: window, Strict: true},
	})
	h := newHome(t, service.profile())
	want := map[string]int{}
	var text strings.Builder
	for i, calendar := range calendars {
		p := newProgramme(calendar, 498, calendar)
		lines := p.text.String()
		if i > 0 {
			_, lines, _ = strings.Cut(lines, "\n")
		}
		text.WriteString(lines)
		for name, n := range p.wanted() {
			want[name] += n
		}
	}
	h.write(t, "three.csv", text.String())
	h.must(t, 0, "import", "three.csv", "--yes", "--pace", "0")

	limits := map[string]int{sandbox.OrganizationID: organization}
	for _, calendar := range calendars {
		limits[calendar] = limit
	}
	service.throttledNever(t, limits)
	service.once(t, want)
	at := service.Arrivals(sandbox.OrganizationID)
	took := at[len(at)-1].Sub(at[0])
	ratio := float64(took) / float64(2*window)
	trial.Say(t, trial.Pace, ratio)
	t.Logf("%d requests in %v: %.3f × two windows", len(at), took, ratio)
	// The promise is 1.1; in file order it would be 3.
	if ratio > slack() {
		t.Errorf("%.3f × the bound of two windows", ratio)
	}
}
