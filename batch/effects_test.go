package batch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/schema"
)

// A plan over 200 events with 5,000 guests says how many are told of what before anything
// is sent; without leave nobody is, and with it the outbox holds exactly those. The
// guests of an event are counted only where they would hear of it.
func TestAPlanSaysWhomItTells(t *testing.T) {
	const events, guests = 200, 5000
	w := newWorld(t)
	rows := []string{"key,name,start_at,timezone,max_capacity"}
	for i := range events {
		rows = append(rows, fmt.Sprintf("K%d,Event %d,2027-04-03T18:00:00Z,Etc/UTC,10", i, i))
	}
	w.mustApply(w.mustPlan(rows...).Run)
	random, people, of := rand.New(rand.NewPCG(1, 2)), []string{}, [events]int{}
	for i := range guests {
		n := random.IntN(events)
		of[n]++
		status := []string{"approved", "waitlist", "pending_approval"}[i%9/4] // all of them are told
		people = append(people, fmt.Sprintf("K%d,guest-%d@example.org,%s,,", n, i, status))
	}
	w.mustApply(w.guests(people...).Run)
	if told := w.sandbox.Outbox(); len(told) != 0 {
		t.Fatalf("%d people were told that they were added", len(told))
	}

	// What becomes of each event: its kinds follow each other.
	rows = []string{"key,name,start_at,timezone,max_capacity,suppress_email,action"}
	var want report.Effects
	add := func(reach *finding.Reach, n int) {
		reach.Events++
		reach.Guests += of[n]
	}
	reads := 0
	for i := range events {
		name, start, capacity, quiet, action := fmt.Sprint("Event ", i), "18:00:00", "10", "", ""
		switch i % 6 {
		case 0: // cancelled: everybody is told
			action = "CANCEL"
			add(&want.Cancel, i)
			add(&want.Mail, i)
			reads += 2 // its first step may count those who come
		case 1: // renamed, in silence
			name += " anew"
		case 2: // renamed, and the row asks for mail
			name, quiet = name+" anew", "false"
			add(&want.Mail, i)
			add(&want.Asked, i)
			reads++
		case 3: // moved: a push goes out whatever is said
			start = "19:00:00"
			add(&want.Push, i)
			reads++
		case 4: // the row asks for mail about a field that nobody is told of
			capacity, quiet = "20", "false"
		}
		rows = append(rows, fmt.Sprintf("K%d,%s,2027-04-03T%sZ,Etc/UTC,%s,%s,%s", i, name, start, capacity, quiet, action))
	}
	want.Told = want.Mail.Guests + want.Push.Guests
	before := w.service.Requests()
	planned := w.mustPlan(rows...)
	if diff := cmp.Diff(want, planned.Effects); diff != "" {
		t.Errorf("-want +planned\n%s", diff)
	}
	if took := since(before, w.service.Requests()); took.Sent != 0 || took.Reads != reads {
		t.Errorf("planning took %+v, want %d reads", took, reads)
	}
	err := planned.Leave(nil, "apply")
	if err == nil || !strings.Contains(err.Error(), report.Count(want.Asked.Guests, "guest")) ||
		planned.Leave([]schema.Effect{schema.Mails, schema.Cancels}, "apply") != nil {
		t.Errorf("without leave: %v", err)
	}
	if told := w.sandbox.Outbox(); len(told) != 0 {
		t.Errorf("%d people were told before anything was sent", len(told))
	}
	w.mustApply(planned.Run)
	var got report.Effects
	heard := map[sandbox.Mail]int{}
	for _, told := range w.sandbox.Outbox() {
		got.Of(told.Effect).Guests++
		heard[sandbox.Mail{Effect: told.Effect, Event: told.Event, Person: told.Person}]++
	}
	if got.Mail.Guests != want.Mail.Guests || got.Push.Guests != want.Push.Guests || got.Refund.Guests != 0 {
		t.Errorf("the outbox holds %+v, want %+v", got, want)
	}
	for told, times := range heard {
		if times > 1 {
			t.Errorf("%d times: %+v", times, told)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, test := range []struct {
		text  string
		usual int
		want  int // -1: refused
	}{
		{"0", 10, 0},
		{"30", 10, 30},
		{" 5 ", 0, 5},
		{"30%", 10, 3},
		{"30%", 11, 4},
		{"30%", 1, 1},
		{"0%", 10, 1},
		{"12.5%", 80, 10},
		{"100%", 7, 7},
		{"-1", 0, -1},
		{"", 0, -1},
		{"%", 0, -1},
		{"NaN%", 0, -1},
		{"1.5", 0, -1},
		{"-3%", 0, -1},
	} {
		bound, err := plan.ParseBound(test.text)
		if got := bound.Of(test.usual); err == nil && got != test.want || (err != nil) != (test.want < 0) {
			t.Errorf("%q of %d: %d, %v", test.text, test.usual, got, err)
		}
	}
}
