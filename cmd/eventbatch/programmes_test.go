package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/tools/txtar"
)

// A programme that somebody wrote for people to read becomes events with a few answers:
// each row is the event that a person would say it is.
func TestProgrammesOfPeopleAreRead(t *testing.T) {
	paths, err := filepath.Glob("testdata/programmes/*.txtar")
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d programmes: %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := readProgramme(t, path)
			if len(p.answers) > 6 {
				t.Errorf("%d answers", len(p.answers))
			}
			dir := t.TempDir()
			book, mapping := filepath.Join(dir, name+".xlsx"), filepath.Join(dir, "map.yaml")
			if err := p.book.SaveAs(book); err != nil {
				t.Fatal(err)
			}
			args := []string{"map", book, "-o", mapping}
			for _, answer := range p.answers {
				args = append(args, "--answer", answer)
			}
			p.do(t, dir, args...)
			var plan struct{ Folder string }
			if err := json.Unmarshal(p.do(t, dir, "plan", book, "--mapping", mapping, "--sandbox", "--json"), &plan); err != nil {
				t.Fatal(err)
			}
			p.compare(t, plannedEvents(t, plan.Folder))
		})
	}
}

// peoplesBook is a workbook, the answers that its mapping needs, and the events that it holds.
type peoplesBook struct {
	book    *excelize.File
	answers []string
	events  []map[string]string // by the names of its lines: name, start, end, seats, visibility, place, key
}

// do runs the program, which has to succeed, and returns what it writes.
func (p *peoplesBook) do(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := []string{"HOME=" + dir, "EVENTBATCH_PACE=0", "EVENTBATCH_WORKSPACE=" + filepath.Join(dir, "workspace")}
	if code := run(t.Context(), env, args, nil, &stdout, &stderr); code != exitDone {
		t.Fatalf("%s: exit %d\n%s%s", strings.Join(args, " "), code, &stdout, &stderr)
	}
	return stdout.Bytes()
}

func (p *peoplesBook) compare(t *testing.T, got []map[string]string) {
	t.Helper()
	order := func(a, b map[string]string) int {
		return strings.Compare(a["start"]+a["place"]+a["name"], b["start"]+b["place"]+b["name"])
	}
	slices.SortStableFunc(got, order)
	want := slices.SortedStableFunc(slices.Values(p.events), order)
	if len(got) != len(want) {
		t.Errorf("%d events are planned, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if _, keyed := want[i]["key"]; !keyed {
			delete(got[i], "key")
		}
		if !maps.Equal(got[i], want[i]) {
			t.Errorf("event %d\n got %v\nwant %v", i, got[i], want[i])
		}
	}
}

// plannedEvents returns the events that a plan creates, their times on the clock of the event.
func plannedEvents(t *testing.T, folder string) []map[string]string {
	t.Helper()
	var events []map[string]string
	keys := map[int]string{}
	eachLine(t, filepath.Join(folder, "plan.jsonl"), func(line []byte) {
		var op struct {
			N     int
			Event struct{ Key string }
		}
		if err := json.Unmarshal(line, &op); err == nil && op.Event.Key != "" {
			keys[op.N] = op.Event.Key
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
		event := map[string]string{}
		if key := keys[op.N]; key != "" {
			event["key"] = key
		}
		for path, name := range map[string]string{
			"name": "name", "start_at": "start", "end_at": "end", "max_capacity": "seats", "visibility": "visibility",
			"geo_address_json": "place", "meeting_url": "url",
		} {
			value, sent := op.Body[path]
			if !sent {
				continue
			}
			switch v := value.(type) {
			case nil:
				event[name] = "<clear>"
			case map[string]any:
				event[name] = fmt.Sprint(v["address"])
			case string:
				event[name] = v
				if at, err := time.Parse(time.RFC3339, v); err == nil {
					zone, err := time.LoadLocation(fmt.Sprint(op.Body["timezone"]))
					if err != nil {
						t.Fatal(err)
					}
					event[name] = at.In(zone).Format("2006-01-02 15:04")
				}
			default:
				event[name] = fmt.Sprint(v)
			}
		}
		events = append(events, event)
	})
	return events
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

// readProgramme reads a fixture. Its section "answers" has one a line. In "book", a line
// in brackets begins a sheet, one with an exclamation mark does something to it (merge
// A1:C1, hide row 7, comment D8 text), and any other is a row: its cells between bars,
// then perhaps => and the events that a person reads in it, parted by &. A cell @2027-03-04
// is a real date, @19:30 a real time, #40 a number, =SUM(A1:A3)#6 a formula with its value.
func readProgramme(t *testing.T, path string) *peoplesBook {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &peoplesBook{book: excelize.NewFile()}
	t.Cleanup(func() { _ = p.book.Close() })
	w := &bookWriter{t: t, f: p.book}
	for _, section := range archive.Files {
		for line := range strings.Lines(string(section.Data)) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case line == "":
			case section.Name == "answers":
				p.answers = append(p.answers, line)
			default:
				p.events = append(p.events, w.line(line)...)
			}
		}
	}
	w.must(p.book.DeleteSheet("Sheet1"))
	return p
}

// bookWriter writes a workbook line by line.
type bookWriter struct {
	t     *testing.T
	f     *excelize.File
	sheet string
	row   int
	date  int // styles
	clock int
}

func (w *bookWriter) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// line takes one line and returns the events that stand behind its arrow.
func (w *bookWriter) line(line string) []map[string]string {
	switch {
	case line[0] == '[':
		w.sheet, w.row = strings.Trim(line, "[]"), 0
		_, err := w.f.NewSheet(w.sheet)
		w.must(err)
		return nil
	case line[0] == '!':
		w.act(strings.Fields(line[1:]))
		return nil
	}
	w.row++
	cells, events, _ := strings.Cut(line, " => ")
	for i, text := range strings.Split(cells, "|") {
		if text = strings.TrimSpace(text); text != "" {
			ref, err := excelize.CoordinatesToCellName(i+1, w.row)
			w.must(err)
			w.cell(ref, text)
		}
	}
	var want []map[string]string
	for event := range strings.SplitSeq(events, " & ") {
		if event == "" {
			continue
		}
		fields := map[string]string{}
		for field := range strings.SplitSeq(event, "; ") {
			name, value, _ := strings.Cut(field, " ")
			fields[name] = value
		}
		want = append(want, fields)
	}
	return want
}

func (w *bookWriter) act(words []string) {
	switch words[0] {
	case "merge":
		from, to, _ := strings.Cut(words[1], ":")
		w.must(w.f.MergeCell(w.sheet, from, to))
	case "hide":
		row, err := strconv.Atoi(words[2])
		w.must(err)
		w.must(w.f.SetRowVisible(w.sheet, row, false))
	case "comment":
		w.must(w.f.AddComment(w.sheet, excelize.Comment{Cell: words[1], Author: "Jana", Text: strings.Join(words[2:], " ")}))
	case "style":
		from, to, _ := strings.Cut(words[1], ":")
		style, err := w.f.NewStyle(&excelize.Style{Border: []excelize.Border{{Type: "bottom", Style: 1, Color: "CCCCCC"}}})
		w.must(err)
		w.must(w.f.SetCellStyle(w.sheet, from, to, style))
	default:
		w.t.Fatalf("%s is not known", words[0])
	}
}

func (w *bookWriter) cell(ref, text string) {
	styled := func(value any, format string, style *int) {
		if *style == 0 {
			var err error
			*style, err = w.f.NewStyle(&excelize.Style{CustomNumFmt: &format})
			w.must(err)
		}
		w.must(w.f.SetCellValue(w.sheet, ref, value))
		w.must(w.f.SetCellStyle(w.sheet, ref, ref, *style))
	}
	formula, value, isFormula := strings.Cut(text, ")#")
	switch {
	case text[0] == '=' && isFormula:
		n, err := strconv.ParseFloat(value, 64)
		w.must(err)
		w.must(w.f.SetCellValue(w.sheet, ref, n))
		w.must(w.f.SetCellFormula(w.sheet, ref, formula[1:]+")"))
	case text[0] == '#':
		n, err := strconv.ParseFloat(text[1:], 64)
		w.must(err)
		w.must(w.f.SetCellValue(w.sheet, ref, n))
	case text[0] == '@' && strings.Contains(text, ":"):
		at, err := time.Parse("15:04", text[1:])
		w.must(err)
		styled(float64(at.Hour()*60+at.Minute())/(24*60), "hh:mm", &w.clock)
	case text[0] == '@':
		at, err := time.Parse(time.DateOnly, text[1:])
		w.must(err)
		styled(at, "dd.mm.yyyy", &w.date)
	default:
		w.must(w.f.SetCellStr(w.sheet, ref, text))
	}
}
