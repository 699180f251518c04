package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// programme is a file of some rows below a header, each of which is told of with its event.
type programme struct {
	*Session

	row int
}

func (p *programme) header(names ...string) {
	p.row++
	row := &sheet.Row{Number: p.row}
	for _, name := range names {
		row.Cells = append(row.Cells, sheet.Cell{Kind: sheet.Text, Text: name})
	}
	p.Take("", row)
	p.Sheet(&mapping.Source{File: "a.csv", Header: names, HeaderRow: p.row})
}

// add has a row read, and told of as an event with a place that starts on an hour; of no hour as a mistake.
func (p *programme) add(name, seats, place string, hour int) {
	p.row++
	p.Take("", &sheet.Row{Number: p.row, Cells: []sheet.Cell{{Kind: sheet.Text, Text: name}, {Kind: sheet.Text, Text: seats}}})
	row := &finding.Row{Number: p.row, Status: finding.Valid, Event: finding.Event{
		Name: name, Zone: "Europe/Berlin", Place: place, Seats: seats, Visibility: "private",
	}}
	if hour == 0 {
		row.Status = finding.Invalid
	} else {
		row.Event.Start = time.Date(2027, 3, 4, hour, 0, 0, 0, time.UTC)
		row.Event.End = row.Event.Start.Add(90 * time.Minute)
	}
	p.Row(row)
}

func (p *programme) end() {
	source := plan.Sheet{File: "a.csv", Header: []string{"name", "seats"}, Row: 1, Rows: p.row - 1}
	_ = p.End(&finding.Summary{Sources: []plan.Sheet{source}})
}

// read returns a session about a programme.
func readProgramme(t *testing.T, read func(p *programme)) *Session {
	t.Helper()
	s, err := NewSession(nil, func(s *Session) []byte {
		read(&programme{Session: s})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// window returns the numbers of the rows of a view, with how many there are.
func window(t *testing.T, s *Session, v View, from, n int) string {
	t.Helper()
	w, err := s.Window(t.Context(), v, from, n)
	if err != nil {
		t.Fatal(err)
	}
	numbers := []int{}
	for _, row := range w.Rows {
		numbers = append(numbers, row.Row)
	}
	return fmt.Sprint(numbers, " of ", w.Total)
}

// The rows so far are shown while the file is read; what is counted at its end is waited for.
func TestRowsAreShownWhileTheFileIsRead(t *testing.T) {
	told, goOn := make(chan struct{}), make(chan struct{})
	s := readProgramme(t, func(p *programme) {
		p.header("name", "seats")
		p.add("Tea", "40", "Quay 1", 19)
		p.add("Jazz", "60", "Quay 2", 0)
		p.Take("", &sheet.Row{Number: 4}) // which is read, and not told of
		close(told)
		<-goOn
		p.row++
		p.add("Choir", "12", "Quay 3", 18)
		p.end()
	})
	<-told
	state := s.State()
	if state.Done || state.Read != 2 || len(state.Sheets) != 1 || state.Sheets[0].Header[1] != "seats" || state.Exit != nil {
		t.Errorf("%+v", state)
	}
	if got := window(t, s, View{Of: "all"}, 0, 10); got != "[2 3] of 2" {
		t.Error(got)
	}
	if got := window(t, s, View{Of: "all"}, 1, 10); got != "[3] of 2" {
		t.Error(got)
	}
	waits, cancel := context.WithCancel(t.Context())
	cancel()
	for _, of := range []string{"wrong", "events"} {
		if _, err := s.Window(waits, View{Of: of}, 0, 10); !errors.Is(err, context.Canceled) {
			t.Errorf("%s is not waited for: %v", of, err)
		}
	}
	close(goOn)
	if got := window(t, s, View{Of: "wrong"}, 0, 10); got != "[3] of 1" {
		t.Error(got)
	}
	if got := window(t, s, View{Of: "all"}, 0, 10); got != "[2 3 4 5] of 4" {
		t.Error(got)
	}
}

// Whoever asks again is answered the moment the file was read, and before that not at once but soon.
func TestWhoAsksAgainIsAnsweredOnceTheFileWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := readProgramme(t, func(p *programme) {
			p.header("name", "seats")
			time.Sleep(40 * time.Millisecond)
			p.end()
		})
		d, begin := New(Config{File: "a.csv", Session: s}), time.Now()
		for _, want := range []struct {
			after time.Duration
			done  string
		}{{30 * time.Millisecond, `"done":false`}, {40 * time.Millisecond, `"done":true`}, {40 * time.Millisecond, `"done":true`}} {
			text := strings.ReplaceAll(got(t, d, "/api/state?again"), " ", "")
			if after := time.Since(begin); after != want.after || !strings.Contains(text, want.done) {
				t.Errorf("after %v: %s, want %s after %v", after, text, want.done, want.after)
			}
		}
	})
}

// The calendar has the events of all rows without a mistake, in the order of their starts.
func TestTheCalendarHasTheEventsAsTheyWillBe(t *testing.T) {
	s := readProgramme(t, func(p *programme) {
		p.header("name", "seats")
		p.add("Tea", "40", "Quay 1", 19)
		p.add("Jazz", "60", "Saal", 0)
		p.add("Choir", "12", "Quay 3", 18)
		p.add("Late tea", "12", "Saal", 22)
		p.end()
	})
	for view, want := range map[View]string{
		{Of: "events"}:                 "[4 2 5] of 3",
		{Of: "events", Text: "saal"}:   "[5] of 1",
		{Of: "events", Text: "tea"}:    "[2 5] of 2",
		{Of: "events", Text: "berlin"}: "[4 2 5] of 3",
	} {
		if got := window(t, s, view, 0, 10); got != want {
			t.Errorf("%v: %s, want %s", view, got, want)
		}
	}
	if got := window(t, s, View{Of: "events"}, 1, 1); got != "[2] of 3" {
		t.Error(got)
	}
	w, err := s.Window(t.Context(), View{Of: "events"}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(w.Rows[0].Cells), "[Thu 4 Mar 2027 18:00 19:30 Choir Quay 3 12 private Europe/Berlin]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The rows whose cells have the shape of one are found by the server.
func TestAShapeFindsTheRowsOfItsCells(t *testing.T) {
	s := readProgramme(t, func(p *programme) {
		p.header("name", "seats")
		p.add("25 Pers.", "25 Pers.", "", 19)
		p.add("Jazz", "120 Pers.", "", 0)
		p.add("Choir", "12", "", 18)
		p.add("Band", "no limit", "", 18)
		p.end()
	})
	// Of texts with one shape, some are read otherwise than most.
	of := strings.NewReplacer(", ", "\x00")
	for view, want := range map[View]string{
		{Of: "shape", In: "seats", Text: "25 pers.", But: of.Replace("40, 120 pers.")}: "[2] of 1",
		{Of: "cells", In: "seats", Text: of.Replace("120 pers., 25 pers.")}:            "[2 3] of 2",
		{Of: "cells", In: "seats", Text: "120 pers."}:                                  "[3] of 1",
		{Of: "shape", In: "seats", Text: "30 pers."}:                                   "[2 3] of 2",
		{Of: "shape", In: "seats", Text: "40"}:                                         "[4] of 1",
		{Of: "shape", In: "seats", Text: "no limit"}:                                   "[5] of 1",
		{Of: "shape", In: "name", Text: "30 pers."}:                                    "[2] of 1",
		{Of: "shape", In: "place", Text: "40"}:                                         "[] of 0",
	} {
		if got := window(t, s, view, 0, 10); got != want {
			t.Errorf("%v: %s, want %s", view, got, want)
		}
	}
}

// Rows of huge cells come a few at a time, and all of them.
func TestAWindowIsBoundedByBytes(t *testing.T) {
	const rows, envelope = 12, 200
	for _, huge := range []string{strings.Repeat("x", mostBytes/5), strings.Repeat("<", mostBytes/20)} { // each of these takes six bytes
		s := readProgramme(t, func(p *programme) {
			p.header("name", "seats")
			for range rows {
				p.add(huge, "40", "Quay", 19)
			}
			p.end()
		})
		if err := s.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, of := range []string{"all", "events"} {
			met := 0
			for met < rows {
				w, err := s.Window(t.Context(), View{Of: of}, met, mostWindow)
				if err != nil || w.Total != rows || len(w.Rows) == 0 {
					t.Fatalf("%s from %d: %d of %d: %v", of, met, len(w.Rows), w.Total, err)
				}
				if text, err := json.Marshal(w); err != nil || len(w.Rows) > 1 && len(text) > mostBytes+envelope {
					t.Errorf("%s: %d bytes at once: %v", of, len(text), err)
				}
				met += len(w.Rows)
			}
		}
	}
}

// Rows that were mended stay where a tab names them, and a kind of mistakes is found again though others are gone before it.
func TestRowsThatWereMendedStayWhereTheyAreNamed(t *testing.T) {
	s := readProgramme(t, func(p *programme) {
		p.header("name", "seats")
		for range 4 {
			p.add("Tea", "40", "Quay", 19)
		}
		p.end()
	})
	rows := func(v View) (numbers []int) {
		t.Helper()
		w, err := s.Window(t.Context(), v, 0, mostWindow)
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Rows {
			numbers = append(numbers, w.Rows[i].Row)
		}
		return numbers
	}
	for _, c := range []struct {
		of   View
		want string
	}{
		{View{Of: "wrong"}, "[]"},
		{View{Of: "wrong", Also: "4,2,4"}, "[2 4]"},
		{View{Of: "wrong", Also: "99,x,"}, "[]"},
		{View{Of: "group", Group: 3, In: "bad-date B", Also: "3"}, "[3]"},
	} {
		if got := fmt.Sprint(rows(c.of)); got != c.want {
			t.Errorf("%+v has the rows %s, want %s", c.of, got, c.want)
		}
	}
	for _, code := range []schema.Code{schema.CodeBadDate, schema.CodeBadEnum} {
		s.Problem(schema.Problem{Code: code, Place: schema.Place{Row: 2, Column: 1}})
	}
	for i, kind := range []string{"bad-date B", "bad-enum B"} {
		for shown := range 3 { // with whatever index the tab has seen it
			if got := s.group(View{Group: shown, In: kind}); got != i {
				t.Errorf("%s, which was %d, is found at %d, want %d", kind, shown, got, i)
			}
		}
	}
}

// The next mistake is found wherever it is, round the ends, and the row itself is the last of all.
func TestTheNextMistakeIsFoundHoweverFarItIs(t *testing.T) {
	const rows = 5000
	s := readProgramme(t, func(p *programme) {
		p.header("name", "seats")
		for i := range rows {
			hour := 19
			if i == 7 || i == 4500 {
				hour = 0
			}
			p.add("Tea", "40", "Quay", hour)
		}
		p.end()
	})
	for _, c := range []struct {
		of               string
		from, step, want int
	}{
		{"all", 7, 1, 4500},
		{"all", 4500, 1, 7},
		{"all", 7, -1, 4500},
		{"all", 8, 1, 4500},
		{"all", 8, -1, 7},
		{"wrong", 0, 1, 1},
		{"wrong", 1, 1, 0},
		{"left", 0, 1, 0},
	} {
		if got, err := s.mistake(t.Context(), View{Of: c.of}, c.from, c.step); got != c.want || err != nil {
			t.Errorf("of %s, from %d by %d: %d %v, want %d", c.of, c.from, c.step, got, err, c.want)
		}
	}
}
