package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// season is a service that is full of events, and a folder in which they are exported.
type season struct {
	service   *served
	home      *home
	calendars int // of the organization, with as many events each
	each      int
	window    time.Duration

	mu    sync.Mutex
	asked map[string]int // how often each address was asked for
}

// The limits of the service, which holds to them.
const seasonLimit, seasonOrganization = 200, 500

func newSeason(t *testing.T, calendars, events int, window time.Duration) *season {
	t.Helper()
	s := &season{calendars: calendars, each: events / calendars, window: window, asked: map[string]int{}}
	config := sandbox.Config{
		Limits: sandbox.Limits{Calendar: seasonLimit, Organization: seasonOrganization, Window: window, Strict: true},
		Keys:   []sandbox.Key{{Kind: sandbox.OrganizationKey, Organization: "org-season", Secret: sandbox.OrganizationSecret}},
	}
	for i := range calendars {
		config.Calendars = append(config.Calendars, sandbox.Calendar{ID: fmt.Sprintf("cal-%02d", i), Organization: "org-season"})
	}
	s.service = serve(t, config)
	s.service.asked = func(r *http.Request) {
		s.mu.Lock()
		s.asked[r.Header.Get("X-Service-Calendar-Id")+" "+r.URL.RequestURI()]++
		s.mu.Unlock()
	}
	for i := range calendars {
		if _, _, err := s.service.Fill(sandbox.Season{
			Calendar: fmt.Sprintf("cal-%02d", i), Zone: "Europe/Berlin", Events: s.each, From: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.home = newHome(t, fmt.Sprintf(`profiles:
  test:
    base_url: %s
    limits: {calendar: %d, organization: %d, window: %s, lag: 700ms}
    keys:
      - {kind: organization, organization: org-season, from: "env:ORGANIZATION_KEY"}
`, s.service.url, seasonLimit, seasonOrganization, window))
	return s
}

// command exports all events to a file.
func (s *season) command(file string) []string {
	return []string{"export", "events", "--calendar", "all", "--pace", "0", "-o", file}
}

// least returns how many requests an export takes at least: for the calendars, for the
// pages of each list, twice where there are several, and for each event.
func (s *season) least() int { return 1 + s.calendars*(s.pages()+s.again()+s.each) }

// pages returns how many pages the list of each calendar has, and again how many of them are asked
// for a second time, to see whether the list has shifted.
func (s *season) pages() int { return (s.each + 99) / 100 }

func (s *season) again() int {
	if s.pages() == 1 {
		return 0
	}
	return s.pages()
}

// An export asks for the least that it can, at the bound of the limits, in little memory.
func TestExportsTakeTheLeastRequestsAndLittleMemory(t *testing.T) {
	for _, tt := range []struct {
		calendars, events int
		window            time.Duration
	}{
		{3, 900, 500 * time.Millisecond},
		{12, 20_000, time.Second},
	} {
		t.Run(fmt.Sprint(tt.events), func(t *testing.T) {
			if tt.events > 1000 && os.Getenv("ENDURE") == "" {
				t.Skip("it takes a minute: ENDURE=1 runs it")
			}
			t.Parallel()
			s := newSeason(t, tt.calendars, tt.events, tt.window)
			p := s.home.start(t, append(s.command("season.xlsx"), "--json")...)
			peak := p.peak()
			if e := p.end(t); e.code != 0 {
				t.Fatal(e)
			}
			var doc exportDoc
			if err := json.Unmarshal([]byte(p.out.String()), &doc); err != nil || doc.Records != s.calendars*s.each {
				t.Errorf("%d records, %v", doc.Records, err)
			}
			limits := map[string]int{"org-season": seasonOrganization}
			for i := range s.calendars {
				limits[fmt.Sprintf("cal-%02d", i)] = seasonLimit
			}
			s.service.throttledNever(t, limits)
			got := s.service.paced(t, "org-season", seasonOrganization)
			trial.Say(t, trial.Rows, doc.Records)
			trial.Say(t, trial.Memory, peak)
			t.Logf("%v, the least is %d; %d MiB, %v of processor", got, s.least(), peak, p.ProcessState.UserTime())
			if got.requests*100 > s.least()*102 {
				t.Errorf("%d requests, want at most 2 %% above %d", got.requests, s.least())
			}
			if tt.events > 1000 && got.ratio() > 1.5 { // a busy machine must not fail the test
				t.Errorf("%.3f × the ideal", got.ratio())
			}
			if peak > 120 {
				t.Errorf("%d MiB at the most, want 120", peak)
			}
		})
	}
}

// peak waits for the command, and returns how many MiB it has held at the most. What the
// system counts for an ended one includes what this process held when it began.
func (p *process) peak() (mib int) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		if _, after, found := bytes.Cut(status, []byte("VmHWM:")); found {
			var kib int
			if _, err := fmt.Sscan(string(after), &kib); err == nil {
				mib = kib >> 10
			}
		}
		select {
		case <-p.done:
			return mib
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// An export that is killed again and again reads no page twice but those that were under
// way, and the file is what it would have been.
func TestKilledExportsGoOn(t *testing.T) {
	const kills = 10
	for _, tt := range []struct {
		calendars, events int
		window            time.Duration
	}{
		{3, 450, 200 * time.Millisecond},
		{12, 20_000, 500 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(tt.events), func(t *testing.T) {
			if tt.events > 1000 && os.Getenv("ENDURE") == "" {
				t.Skip("it takes two minutes: ENDURE=1 runs it")
			}
			t.Parallel()
			seed := *endureSeed
			if seed == 0 {
				seed = rand.Uint64()
			}
			t.Logf("seed %d (repeat with -endure.seed)", seed)
			s := newSeason(t, tt.calendars, tt.events, tt.window)
			s.home.must(t, 0, s.command("whole.csv")...)
			s.mu.Lock()
			clear(s.asked)
			s.mu.Unlock()
			under := s.kill(t, rand.New(rand.NewPCG(seed, 1)), kills)
			s.home.must(t, 0, s.command("killed.csv")...)

			trial.Struck(t, kills, "kill -9 of an export")
			again, requests := 0, 0
			for _, n := range s.asked {
				requests, again = requests+n, again+n-1
			}
			// A process that is killed has asked for the calendars once more.
			t.Logf("%d requests, %d of them again, %d were under way at %d kills", requests, again, under, kills)
			if most := under + kills + s.calendars*s.again(); again > most {
				t.Errorf("%d requests were made again, %d at most", again, most)
			}
			times := regexp.MustCompile(` 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z `) // of the baselines
			whole, err := os.ReadFile(s.home.path("whole.csv"))
			if err != nil {
				t.Fatal(err)
			}
			killed, err := os.ReadFile(s.home.path("killed.csv"))
			s.service.fate(tt.events, recordsIn(t, killed))
			if err != nil || !bytes.Equal(times.ReplaceAll(whole, nil), times.ReplaceAll(killed, nil)) {
				t.Errorf("the two files differ, %v", err)
			}
		})
	}
}

// recordsIn counts the records of an export.
func recordsIn(t *testing.T, text []byte) int {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return len(rows) - 1
}

// kill kills exports as requests arrive. It returns how many were under way, at most. What
// arrives behind the deadly request waits for the kill, however late that comes: an export
// that came to its end meanwhile would be begun anew.
func (s *season) kill(t *testing.T, random *rand.Rand, kills int) (under int) {
	t.Helper()
	due := make(chan struct{}, 1)
	var mu sync.Mutex
	var deadly int64
	killed := make(chan struct{})
	s.service.hook = func(n int64) {
		mu.Lock()
		at, over := deadly, killed
		mu.Unlock()
		if n == at {
			due <- struct{}{}
		}
		if n > at {
			<-over
		}
	}
	for i := range kills {
		s.mu.Lock()
		left := s.least() - s.calendars*s.again() - len(s.asked)
		s.mu.Unlock()
		over := make(chan struct{})
		mu.Lock()
		deadly, killed = s.service.arrived.Load()+2+random.Int64N(int64(left/(kills-i+1))), over
		mu.Unlock()
		p := s.home.start(t, s.command("killed.csv")...)
		select {
		case <-due:
			time.Sleep(time.Duration(random.Int64N(int64(5 * time.Millisecond))))
		case <-p.done:
			t.Errorf("it ended before kill %d: %v", i+1, p.ended())
		}
		_ = p.Process.Kill()
		<-p.done
		close(over)
		under += s.calendars * 10 // the default of --concurrency
	}
	mu.Lock()
	deadly = math.MaxInt64
	mu.Unlock()
	return under
}
