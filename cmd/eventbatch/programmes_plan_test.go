package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// gotEvent is an event that a plan creates.
type gotEvent struct {
	row    int
	fields map[string]string // name, start, end, zone (as its offset at the start), seats, visibility, place, url, key
}

// plannedFile is what a plan makes of a file.
type plannedFile struct {
	events  []gotEvent
	leftOut map[string]map[int]bool // rows that are said to be no events, by their sheets, or "" where there is one
}

// readPlan reads the events that a plan creates, their times on the clock of the event.
func readPlan(t *testing.T, folder string) plannedFile {
	t.Helper()
	plan := plannedFile{leftOut: map[string]map[int]bool{"": {}}}
	ops, sheets := map[int]gotEvent{}, []string(nil)
	eachLine(t, filepath.Join(folder, "plan.jsonl"), func(line []byte) {
		var op struct {
			N      int
			Row    struct{ Source, Number int }
			Action string
			Event  struct{ Key string }

			Sources []struct {
				Sheet   string
				LeftOut map[string][]int `json:"left_out"`
			}
		}
		if err := json.Unmarshal(line, &op); err == nil && op.Action == "create" {
			ops[op.N] = gotEvent{op.Row.Number, map[string]string{"key": op.Event.Key, "visibility": "public"}}
		}
		if op.Action == "skip" {
			plan.leftOut[sheets[op.Row.Source]][op.Row.Number] = true
		}
		for _, s := range op.Sources {
			sheets = append(sheets, s.Sheet)
			plan.leftOut[s.Sheet] = map[int]bool{}
			for _, rows := range s.LeftOut {
				for _, row := range rows {
					plan.leftOut[s.Sheet][row] = true
				}
			}
		}
	})
	eachLine(t, filepath.Join(folder, "rows.jsonl"), func(line []byte) {
		var op struct {
			N    int
			Body map[string]any
		}
		if err := json.Unmarshal(line, &op); err != nil {
			t.Fatal(err)
		}
		event, made := ops[op.N]
		if !made {
			return
		}
		zone, err := time.LoadLocation(fmt.Sprint(op.Body["timezone"]))
		if err != nil {
			t.Fatal(err)
		}
		for path, name := range map[string]string{
			"name": "name", "start_at": "start", "end_at": "end", "max_capacity": "seats", "visibility": "visibility",
			"geo_address_json": "place", "meeting_url": "url",
		} {
			switch v := op.Body[path].(type) {
			case nil:
				if _, sent := op.Body[path]; sent {
					event.fields[name] = "<clear>"
				}
			case map[string]any:
				event.fields[name] = fmt.Sprint(v["address"])
			case string:
				event.fields[name] = v
				if at, err := time.Parse(time.RFC3339, v); err == nil {
					event.fields[name] = at.In(zone).Format("2006-01-02 15:04")
					if name == "start" {
						event.fields["zone"] = at.In(zone).Format("-07:00")
					}
				}
			case float64:
				event.fields[name] = strconv.FormatFloat(v, 'f', -1, 64)
			default:
				t.Fatalf("%s is %v", path, v)
			}
		}
		plan.events = append(plan.events, event)
	})
	return plan
}

func eachLine(t *testing.T, path string, each func(line []byte)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		each(scanner.Bytes())
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
}
