package month

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/report/finding"
)

var day1 = time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)

// logged is a night on a day of November, of a minute.
func logged(source string, day, exit int, rows night.Counts) night.Entry {
	began := day1.AddDate(0, 0, day-1)
	return night.Entry{
		Sync: source, Source: source, Began: began, Ended: began.Add(time.Minute),
		Ending: night.Ending{Exit: finding.Exit{Code: exit, Reason: "r"}},
		Work:   night.Work{Rows: rows, Requests: journal.Made{Sent: 8, Reads: 2, Throttled: 1}},
	}
}

func TestNightsAreSummedUp(t *testing.T) {
	made := night.Counts{finding.Read: 2, finding.Created: 2}
	bad := night.Counts{finding.Read: 2, finding.Failed: 1, finding.InDoubt: 1}
	killed := logged("members", 6, 0, nil)
	killed.Ended, killed.Work = time.Time{}, night.Work{}
	first := logged("members", 1, 0, made)
	first.Run = "run-1"
	refused := logged("members", 4, 4, nil)
	refused.Exit.Error, refused.Told = "the feed is half", []string{"ops@example.org"}
	again := logged("members", 5, 4, nil)
	again.Exit.Error = refused.Exit.Error
	nights := []night.Entry{
		first, logged("members", 2, 0, nil), logged("members", 3, 3, bad), refused, again, killed, logged("members", 7, 6, nil),
		logged("members", 8, 0, nil), logged("other", 8, 69, nil),
	}
	of := func(e night.Entry, run, by string) Night {
		e.Run = run
		return Night{Entry: e, By: by, Results: run + ".csv"}
	}
	begun := logged("members", 6, 7, made)
	begun.Began = begun.Began.Add(time.Second)
	runs := []Night{
		of(first, "run-1", ""),
		of(begun, "run-2", ""),
		of(logged("members", 6, 0, made), "run-3", "import"),
		of(logged("before the log", 2, 0, made), "run-4", ""),
	}
	to := day1.AddDate(0, 0, 10)
	m := New(day1, to, nights, runs)
	var names []string
	for i := range m.Sources {
		names = append(names, m.Sources[i].Name)
	}
	if diff := cmp.Diff([]string{"before the log", "members", "other"}, names); diff != "" {
		t.Fatal(diff)
	}
	s := &m.Sources[1]
	want := Totals{
		Nights: 8, ByHand: 1, Outcomes: map[Outcome]int{Changed: 1, Same: 2, Partial: 1, Refused: 2, Open: 1, Locked: 1},
		Rows:     night.Counts{finding.Read: 8, finding.Created: 6, finding.Failed: 1, finding.InDoubt: 1},
		Requests: journal.Made{Sent: 72, Reads: 18, Throttled: 9},
	}
	if diff := cmp.Diff(want, s.Totals); diff != "" {
		t.Error(diff)
	}
	if want := (&Gap{day1.AddDate(0, 0, 1).Add(time.Minute), day1.AddDate(0, 0, 7).Add(time.Minute), 6 * 24 * 60 * 60}); *s.Gap != *want {
		t.Errorf("the gap is %v, want %v", s.Gap, want)
	}
	if !s.Success.Equal(day1.AddDate(0, 0, 7).Add(time.Minute)) || s.Nights[0].Results != "run-1.csv" {
		t.Errorf("last success %s, results %q", s.Success, s.Nights[0].Results)
	}
	troubles := s.Troubles()
	var told []Outcome
	for i := range troubles {
		told = append(told, troubles[i].Outcome())
	}
	if diff := cmp.Diff([]Outcome{Locked, Open, Refused, Partial}, told); diff != "" {
		t.Fatal(diff)
	}
	if r := troubles[2]; r.N != 2 || !r.Began.Equal(refused.Began) || !r.Until.Equal(again.Began) || len(r.Told) != 1 {
		t.Errorf("%+v", r)
	}
	if troubles[1].Run != "run-2" {
		t.Errorf("what was broken off had no run: %+v", troubles[1])
	}
	if last := s.Last(); last == nil || !last.Outcome().Well() {
		t.Errorf("%+v", last)
	}
	if gap := m.Sources[2].Gap; gap.Seconds != 3*24*60*60 || !gap.To.Equal(to) {
		t.Errorf("without any success: %+v", gap)
	}
}

func TestOutcomes(t *testing.T) {
	for exit, want := range map[int]Outcome{0: Same, 2: Failed, 3: Partial, 4: Refused, 6: Locked, 7: Failed, 69: Failed, 143: Failed} {
		n := Night{Entry: logged("s", 1, exit, nil)}
		if got := n.Outcome(); got != want {
			t.Errorf("exit %d is %s, want %s", exit, got, want)
		}
	}
}
