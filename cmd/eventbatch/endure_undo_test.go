package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// TestKilledUndosPutBackWhatNobodyHasTouched changes 300 rows, has somebody change 60 of them
// after, and undoes the run over a service that loses answers, killed again and again: the
// 240 are as they were, the 60 as they were left, and no guest was told twice.
func TestKilledUndosPutBackWhatNobodyHasTouched(t *testing.T) {
	const rows, touched = 300, 60
	t.Parallel()
	kills := sized(40, 15, 4)
	seed := *endureSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d (repeat with -endure.seed)", seed)
	k := &killing{t: t, rand: rand.New(rand.NewPCG(seed, 1)), kills: kills}
	k.start(seed, sandbox.Config{Limits: sandbox.Limits{Calendar: 100_000, Window: 200 * time.Millisecond}})
	file := func(seats int, name string) string {
		var text strings.Builder
		text.WriteString("key,name,start_at,timezone,max_capacity\n")
		for i := range rows {
			day := time.Date(2031, 6, 1, 18, 0, 0, 0, time.UTC).AddDate(0, 0, i)
			fmt.Fprintf(&text, "row-%d,%s %d,%s,Etc/UTC,%d\n", i, name, i, day.Format(time.RFC3339), seats)
		}
		return text.String()
	}
	k.home.write(t, "rows.csv", file(10, "Talk"))
	flags := []string{"--yes", "--json", "--calendar", sandbox.CalendarID, "--pace", "0"}
	k.home.must(t, 0, append([]string{"import", "rows.csv"}, flags...)...)
	before := k.service.Events()
	k.home.write(t, "rows.csv", file(20, "Session"))
	run := decodeJSON[report.Run](t, k.home.must(t, 0, append([]string{"import", "rows.csv"}, flags...)...).stdout).Run
	events := k.service.Events()
	edited := map[string]bool{}
	for _, i := range k.rand.Perm(rows)[:touched] {
		id := events[i].ID
		edited[id] = true
		k.service.ask(t, "POST", "/v1/events/update", `{"event_id":"`+id+`","max_capacity":77,"name":"Theirs","suppress_email":true}`)
	}
	updates := k.service.Stats().Updated
	trial.Say(t, trial.Edits, touched)
	k.left = func() int { return rows - touched - (k.service.Stats().Updated - updates) }
	k.lose()
	k.command = []string{"undo", run, "--yes", "--pace", "0"}
	k.torment()
	if err := k.service.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	k.service.fate(rows, len(k.service.Events()))
	after := map[string]*sandbox.Event{}
	for _, e := range k.service.Events() {
		after[e.ID] = &e
	}
	for _, was := range before {
		now := after[was.ID]
		k.service.figures[trial.Unasked] += now.Mails
		seats, name := "10", was.Name
		if edited[was.ID] {
			seats, name = "77", "Theirs"
		}
		if got := string(now.Fields["max_capacity"]); got != seats || now.Name != name || now.Mails != 0 {
			t.Errorf("%s (edited %t): %s seats, %d mails, want %s with %s", now.Name, edited[was.ID], got, now.Mails, name, seats)
		}
	}
	// Once more, and the run itself: nothing is sent.
	updates = k.service.Stats().Updated
	k.home.must(t, 0, k.command...)
	k.home.must(t, 0, "apply", run, "--yes")
	doc := decodeJSON[report.Run](t, k.home.must(t, 0, append([]string{"import", "rows.csv"}, flags...)...).stdout)
	if n := k.service.Stats().Updated - updates; n != 0 || doc.Rows["unchanged"] != rows {
		text, _ := json.Marshal(doc.Rows)
		t.Errorf("%d more updates, %s", n, text)
	}
}
