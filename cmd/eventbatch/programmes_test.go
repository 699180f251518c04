package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"eventbatch/batch/report"
)

// TestProgrammes measures how much of what people have becomes the events that they mean. Each
// file of testdata/programmes holds a programme, and what a person says that each row is. It is
// read without a mapping; with Enter at each question of map; and with the answers that a person
// gives. None of them may make an event that nobody meant, or lose one in silence. -v prints the
// table; -update writes the numbers. Worse ones are written by hand, with the reason in the commit.
func TestProgrammes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/programmes/*.txtar")
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d programmes: %v", len(paths), err)
	}
	all := make([]*peoplesFile, len(paths))
	t.Run("all", func(t *testing.T) {
		for i, path := range paths {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
				t.Parallel()
				p := readProgramme(t, path)
				all[i] = p
				p.measure(t)
				if *update && !t.Failed() {
					p.save(t)
				}
			})
		}
	})
	t.Log("\n" + programmesTable(all))
}

// ways are how a programme is read.
var ways = []string{"bare", "enter", "answers"}

// tally counts what became of the events of a programme.
type tally struct {
	right   int // as they were meant
	poorer  int // right as far as they go: a place, seats or a link was left behind
	asked   int // a question is open, or Enter at one has left the row out, which is told
	refused int // the row or the file has an error
	wrong   int // otherwise than meant, made though no event, or lost in silence
}

func programmesTable(all []*peoplesFile) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "events\tbare\tenter\tanswers\tquestions\tanswered\tpoorer\tasked\trefused\twrong\t programme\n")
	var sum [10]int
	for _, p := range all {
		if p == nil {
			continue // of another -run
		}
		bare, enter, last := p.got["bare"], p.got["enter"], p.got["answers"]
		numbers := [10]int{
			p.events(), bare.right, enter.right, last.right, p.questions, len(p.given), last.poorer, last.asked, last.refused,
			bare.wrong + enter.wrong + last.wrong,
		}
		for i, n := range numbers {
			sum[i] += n
			fmt.Fprintf(w, "%d\t", n)
		}
		fmt.Fprintf(w, " %s\n", p.name)
	}
	for _, n := range sum {
		fmt.Fprintf(w, "%d\t", n)
	}
	fmt.Fprint(w, " sum\n")
	_ = w.Flush()
	return text.String()
}

// measure reads the programme in all ways and compares the numbers with those of its file.
func (p *peoplesFile) measure(t *testing.T) {
	t.Helper()
	if len(p.answers) > 6 {
		t.Errorf("%d answers", len(p.answers))
	}
	for _, way := range ways {
		p.got[way] = p.read(t, way)
		if got := p.got[way].right; got < p.numbers[way] {
			t.Errorf("%s: %d events are right, and %d were", way, got, p.numbers[way])
		}
	}
	if most, said := p.numbers["questions"]; said && p.questions > most && p.numbers["answers"] > 0 {
		t.Errorf("%d questions are asked, and %d were", p.questions, most)
	}
}

// read reads the programme one way, in a folder of its own, and reports each event that is wrong.
func (p *peoplesFile) read(t *testing.T, way string) tally {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, p.file)
	if err := os.WriteFile(file, p.data, 0o600); err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"plan", file, "--sandbox", "--json", "--skip-invalid"}, p.flags)
	if way == "bare" {
		if strings.Contains(p.zone, "/") {
			args = append(args, "--timezone", p.zone)
		}
	} else {
		doc := p.propose(t, dir, file, way)
		if open := openIn(doc); len(open) > 0 {
			t.Logf("%s: open are %s", way, strings.Join(open, ", "))
			return tally{asked: p.events()}
		}
		if doc.Mapping == "" {
			return tally{refused: p.events()}
		}
		mapping := filepath.Join(dir, "map.yaml")
		if err := os.WriteFile(mapping, []byte(doc.Mapping), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--mapping", mapping)
	}
	var plan planned
	code, stderr := p.do(t, dir, &plan, args...)
	if code == exitUsage {
		t.Fatalf("%v: %s", args, stderr)
	}
	if plan.Folder == "" {
		t.Logf("%s: exit %d: %s", way, code, stderr)
		return tally{refused: p.events()}
	}
	return p.compare(t, way, plan, readPlan(t, plan.Folder))
}

// planned is what the tests of programmes need of the JSON of plan.
type planned struct {
	Folder   string
	Problems []struct {
		Sheet, Severity, Code, Message string
		Row                            int
	}
}

// faults returns the errors of a row, that it is held back, or that its sheet is not read.
func (doc *planned) faults(m *meantRow) (texts []string) {
	for _, problem := range doc.Problems {
		here := problem.Row == m.row && (m.sheet == "" || problem.Sheet == m.sheet)
		if here && (problem.Severity == "error" || problem.Code == "held-back") ||
			problem.Code == "sheets-left-out" && m.sheet != "" && strings.Contains(problem.Message, m.sheet) {
			texts = append(texts, problem.Message)
		}
	}
	return texts
}

// do runs the program, decodes what it writes, and returns its exit code and what it says.
func (p *peoplesFile) do(t *testing.T, dir string, doc any, args ...string) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := []string{"HOME=" + dir, "EVENTBATCH_PACE=0", "EVENTBATCH_WORKSPACE=" + filepath.Join(dir, "workspace")}
	code := run(t.Context(), env, args, nil, &stdout, &stderr)
	if err := json.Unmarshal(stdout.Bytes(), doc); err != nil {
		t.Fatalf("%s: exit %d: %v\n%s%s", strings.Join(args, " "), code, err, &stdout, &stderr)
	}
	return code, stderr.String()
}

// openIn returns the questions that keep a mapping from being used.
func openIn(d *report.Proposed) []string {
	var ids []string
	for _, q := range d.Questions {
		if !q.Optional && len(q.After) == 0 {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// propose returns the mapping of map once its questions have answers: those of the person, or
// what stands there for Enter and, as no file says it, the zone.
func (p *peoplesFile) propose(t *testing.T, dir, file, way string) *report.Proposed {
	t.Helper()
	answers, asked := map[string]string{}, map[string]bool{}
	if way == "enter" {
		defer func() {
			p.questions = len(asked)
			t.Logf("asked: %s", strings.Join(slices.Sorted(maps.Keys(asked)), ", "))
		}()
	} else {
		defer func() { p.given = slices.Sorted(maps.Keys(answers)) }()
	}
	for {
		args := slices.Concat([]string{"map", file, "--json"}, p.flags)
		for _, id := range slices.Sorted(maps.Keys(answers)) {
			args = append(args, "--answer", id+"="+answers[id])
		}
		var doc report.Proposed
		code, said := p.do(t, dir, &doc, args...)
		if code == exitUsage {
			t.Fatalf("%s: what map asks, it does not take: %v: %s", way, args, said)
		}
		if doc.Mapping == "" {
			t.Logf("%s: no mapping: %s", way, said)
		}
		before := len(answers)
		for _, q := range doc.Questions {
			if len(q.After) > 0 {
				continue // with another answer it is none
			}
			answer, said := p.answers[q.ID]
			if way == "enter" && (q.ID != "timezone" || q.Default != "") {
				answer, said = q.Default, q.Default != ""
			}
			if said {
				answers[q.ID] = answer
			}
			if !q.Optional {
				asked[q.ID] = true
			}
		}
		if len(answers) == before {
			return &doc
		}
	}
}

// compare judges what is planned against what was meant.
func (p *peoplesFile) compare(t *testing.T, way string, doc planned, plan plannedFile) tally {
	t.Helper()
	var n tally
	got := plan.events
	open := slices.Clone(p.meant) // not yet found
	take := func(alike func(meant, got map[string]string) bool) (found int) {
		got = slices.DeleteFunc(got, func(g gotEvent) bool {
			i := slices.IndexFunc(open, func(m meantRow) bool { return m.event != nil && alike(m.event, g.fields) })
			if i < 0 {
				return false
			}
			open = slices.Delete(open, i, i+1)
			found++
			return true
		})
		return found
	}
	n.right = take(sameEvent)
	n.poorer = take(poorerEvent)
	for _, g := range got {
		n.wrong++
		t.Errorf("%s: made of row %d, and meant otherwise:\n got %v\nwant %v", way, g.row, g.fields, p.near(g.row))
	}
	for i := range open {
		m := &open[i]
		faults := doc.faults(m)
		switch {
		case m.event == nil && (len(faults) > 0 || !m.refused): // as it should be
		case m.event != nil && len(faults) > 0:
			n.refused++
			if way == "answers" {
				t.Logf("row %d is refused, and meant as %v: %s", m.row, m.event, strings.Join(faults, "; "))
			}
		case slices.ContainsFunc(got, func(g gotEvent) bool { return g.row == m.row }): // told as an event that is wrong
		case way != "answers" && plan.leftOut[m.sheet][m.row]:
			n.asked++
		default:
			n.wrong++
			t.Errorf("%s: nothing is said of row %d, which is meant as %v", way, m.row, m.event)
		}
	}
	return n
}

// near returns what is meant with a row, for a person who reads why a test fails.
func (p *peoplesFile) near(row int) (events []map[string]string) {
	for _, m := range p.meant {
		if m.row == row && m.event != nil {
			events = append(events, m.event)
		}
	}
	return events
}

// sameEvent reports whether an event is the one that is meant. A key counts where one is meant.
func sameEvent(meant, got map[string]string) bool {
	if _, keyed := meant["key"]; !keyed {
		got = maps.Clone(got)
		delete(got, "key")
	}
	return maps.Equal(meant, got)
}

// poorerEvent reports whether an event is the one that is meant but for what was left behind,
// without which it is still no other event.
func poorerEvent(meant, got map[string]string) bool {
	got = maps.Clone(got)
	for _, name := range []string{"place", "seats", "url", "key"} {
		if _, has := got[name]; !has || name == "key" {
			if value, wanted := meant[name]; wanted {
				got[name] = value
			} else {
				delete(got, name)
			}
		}
	}
	return maps.Equal(meant, got)
}
