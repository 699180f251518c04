package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// crowd is a service that takes a while, so that commands meet.
func crowd(t *testing.T, faults ...sandbox.Fault) *served {
	t.Helper()
	return serve(t, sandbox.Config{
		Limits:  sandbox.Limits{Calendar: 10_000, Window: 200 * time.Millisecond},
		Latency: 10 * time.Millisecond, Faults: faults, Seed: 7,
	})
}

// The same command started twice at the same moment: one carries it out. The
// other finds the run held, or, if it comes late, all done.
func TestSameImportTwiceAtOnce(t *testing.T) {
	t.Parallel()
	met := 0
	for round := range 6 {
		service := crowd(t)
		h := newHome(t, service.profile())
		p := newProgramme("row", 60)
		h.write(t, "rows.csv", p.text.String())
		var both []*process
		for range 2 {
			both = append(both, h.start(t, "import", "rows.csv", "--yes", "--json", "--calendar", sandbox.CalendarID, "--pace", "0"))
			time.Sleep(time.Duration(round*round) * 4 * time.Millisecond) // from at once to well after the planning
		}
		codes := map[int]int{}
		for _, one := range both {
			e := one.end(t)
			codes[e.code]++
			// One that has planned while the other was at work finds its run taken, or its plan overtaken.
			if want, refused := map[int]string{5: "stale", 6: "locked"}[e.code]; e.code != 0 &&
				(!refused || decodeJSON[report.Run](t, e.stdout).Exit.Reason != want) {
				t.Errorf("round %d: %v", round, e)
			}
		}
		met += codes[5] + codes[6]
		if codes[0] == 0 {
			t.Errorf("round %d: none of the two carried the run out", round)
		}
		service.once(t, p.wanted())
		if runs, _ := filepath.Glob(h.path(".eventbatch/runs/*/journal.jsonl")); len(runs) != 1 {
			t.Errorf("round %d: %d runs were taken up", round, len(runs))
		}
		h.must(t, 0, "import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID)
		service.once(t, p.wanted())
		service.joined(t, p, h.resultsOf(t, "latest", "key"))
	}
	if met == 0 {
		t.Error("the commands never met: the test proves nothing")
	}
}

// A plan applied twice creates once, one after the other and at once.
func TestPlanAppliedTwiceCreatesOnce(t *testing.T) {
	t.Parallel()
	service := crowd(t)
	h := newHome(t, service.profile())
	p := newProgramme("row", 40)
	h.write(t, "rows.csv", p.text.String())
	h.must(t, 0, "plan", "rows.csv", "--calendar", sandbox.CalendarID)
	first, second := h.start(t, "apply", "latest", "--yes"), h.start(t, "apply", "latest", "--yes")
	codes := map[int]int{}
	for _, one := range []*process{first, second} {
		e := one.end(t)
		codes[e.code]++
		if e.code != 0 && e.code != 6 {
			t.Errorf("want exit 0 or 6: %v", e)
		}
	}
	if codes[0] == 0 {
		t.Error("none of the two carried the plan out")
	}
	requests := service.arrived.Load()
	h.must(t, 0, "apply", "latest", "--yes")
	if n := service.arrived.Load() - requests; n > 0 {
		t.Errorf("%d requests of a plan that was carried out", n)
	}
	service.once(t, p.wanted())
}

// Two files with the same keys, in one workspace: the second leaves alone what
// the first one owes, refuses a plan that was overtaken, and never makes an
// event twice.
func TestTwoFilesWithTheSameKeysAtOnce(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 30 * time.Millisecond, 90 * time.Millisecond} {
		for _, slug := range []string{"derive", "keep"} {
			service := crowd(t)
			h := newHome(t, service.profile())
			p := newProgramme("row", 60)
			h.write(t, "one.csv", p.text.String())
			h.write(t, "two.csv", p.text.String()+"\n")
			flags := []string{"--yes", "--slug", slug, "--calendar", sandbox.CalendarID, "--pace", "0"}
			first := h.start(t, append([]string{"import", "one.csv"}, flags...)...)
			time.Sleep(delay)
			second := h.start(t, append([]string{"import", "two.csv"}, flags...)...)
			for i, one := range []*process{first, second} {
				// 3: its rows wait for the other; 5: the other was faster.
				if e := one.end(t); e.code != 0 && e.code != 3 && e.code != 5 {
					t.Errorf("%s, %v, import %d: %v", slug, delay, i+1, e)
				}
			}
			for _, file := range []string{"one.csv", "two.csv"} {
				h.must(t, 0, append([]string{"import", file}, flags...)...)
				service.joined(t, p, h.resultsOf(t, "latest", "key"))
			}
			service.once(t, p.wanted())
		}
	}
}

// The same rows from two workspaces, which know nothing of each other, over a
// service that loses answers: the derived slug keeps them from making an event
// twice, and both end with the same ids.
func TestTwoWorkspacesWithTheSameKeysAtOnce(t *testing.T) {
	t.Parallel()
	service := crowd(t, faults(t, "reset-after:10%", "reset-before:5%", "500-after:10%", "cut-body:5%")...)
	p := newProgramme("row", 120)
	var homes []*home
	var running []*process
	for range 2 {
		h := newHome(t, service.profile())
		h.write(t, "rows.csv", p.text.String())
		homes = append(homes, h)
		running = append(running, h.start(t, "import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID, "--pace", "0"))
	}
	for i, one := range running {
		if e := one.end(t); e.code != 0 && e.code != 3 {
			t.Errorf("import %d: %v", i+1, e)
		}
	}
	if err := service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	for _, h := range homes {
		h.must(t, 0, "import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID)
		service.joined(t, p, h.resultsOf(t, "latest", "key"))
	}
	service.once(t, p.wanted())
}

// Rows that are told apart by nothing but their key, in files that overlap.
func TestOverlappingFilesInTurn(t *testing.T) {
	t.Parallel()
	service := crowd(t)
	h := newHome(t, service.profile())
	want := map[string]int{}
	for turn := range 4 {
		p := newProgramme("row", 0)
		for i := turn * 10; i < turn*10+20; i++ {
			p.add(fmt.Sprint("row-", i), "Open evening", time.Date(2031, 5, 1, 18, 0, 0, 0, time.UTC).AddDate(0, 0, i), "")
		}
		file := fmt.Sprintf("turn%d.csv", turn)
		h.write(t, file, p.text.String())
		e := h.must(t, 0, "import", file, "--yes", "--slug", "keep", "--calendar", sandbox.CalendarID, "--json")
		doc := decodeJSON[report.Run](t, e.stdout)
		fresh := 20
		if turn > 0 {
			fresh = 10
		}
		want["Open evening"] += fresh
		if doc.Rows[found.Created] != fresh || doc.Rows[found.Unchanged] != 20-fresh || !strings.Contains(doc.Exit.Reason, "done") {
			t.Errorf("turn %d: %+v", turn, doc.Rows)
		}
	}
	service.once(t, want)
}

// Two syncs and an import by hand at once, in one workspace and under one key of their
// organization: each has calendars of its own or shares them, and brings about what its file
// says, the next night too, without a 429.
func TestTwoSyncsAndAnImportAtOnce(t *testing.T) {
	const limit, organization, rows = 50, 90, 60
	for _, calendars := range [][]string{
		{sandbox.OrganizationCalendars[0], sandbox.OrganizationCalendars[1], "cal-west"},
		{sandbox.OrganizationCalendars[0], sandbox.OrganizationCalendars[0], sandbox.OrganizationCalendars[0]},
	} {
		t.Run(strings.Join(calendars, " "), func(t *testing.T) {
			t.Parallel()
			service := serve(t, sandbox.Config{
				Calendars: []sandbox.Calendar{{ID: "cal-west", Organization: sandbox.OrganizationID}},
				Limits:    sandbox.Limits{Calendar: limit, Organization: organization, Window: 500 * time.Millisecond, Strict: true},
			})
			h := newHome(t, service.profile()+`default_profile: test
syncs:
  one: {file: one.csv}
  two: {file: two.csv}
`)
			commands := map[string][]string{
				"one": {"sync", "one", "--pace", "0"}, "two": {"sync", "two", "--pace", "0"},
				"three": {"import", "three.csv", "--yes", "--pace", "0"},
			}
			for night := range 2 {
				want := map[string]int{}
				running := map[string]*process{}
				for i, name := range []string{"one", "two", "three"} {
					p := newProgramme(name, 0)
					for row := range rows {
						session := fmt.Sprintf("Session %s %d", name, row)
						if row < 20*night {
							session += ", which has changed"
						}
						at := time.Date(2031, 3, 1, row, 0, 0, 0, time.UTC)
						p.add(fmt.Sprintf("%s-%d", name, row), strconv.Quote(session), at, calendars[i])
						want[session]++
					}
					h.write(t, name+".csv", p.text.String())
				}
				for name, command := range commands {
					running[name] = h.start(t, command...)
				}
				for name, p := range running {
					if e := p.end(t); e.code != 0 {
						t.Errorf("night %d, %s: %v", night, name, e)
					}
				}
				got := map[string]int{}
				for _, e := range service.Events() {
					got[e.Name]++
				}
				if !maps.Equal(got, want) || service.Stats().Created != 3*rows {
					t.Errorf("night %d: %d events, %d of them made, want %d", night, len(got), service.Stats().Created, len(want))
				}
			}
			service.fate(3*rows, len(service.Events()))
			limits := map[string]int{sandbox.OrganizationID: organization}
			for _, calendar := range calendars {
				limits[calendar] = limit
			}
			service.throttledNever(t, limits)
		})
	}
}
