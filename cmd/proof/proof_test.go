package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/trial"
)

var update = flag.Bool("update", false, "write the golden pages anew")

// spoken is what go test -json says of a test with two parts, of one that is skipped, and of one that fails.
const spoken = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestKills"}
{"Action":"attr","Package":"p","Test":"TestKills/a","Key":"trial.rows","Value":"40"}
{"Action":"attr","Package":"p","Test":"TestKills/b","Key":"trial.rows","Value":"2"}
{"Action":"attr","Package":"p","Test":"TestKills/a","Key":"trial.strikes","Value":"3 kill -9"}
{"Action":"attr","Package":"p","Test":"TestKills/b","Key":"trial.strikes","Value":"4 kill -9"}
{"Action":"attr","Package":"p","Test":"TestKills/a","Key":"trial.silence","Value":"2.5"}
{"Action":"attr","Package":"p","Test":"TestKills/b","Key":"trial.silence","Value":"0.5"}
{"Action":"attr","Package":"p","Test":"TestKills/b","Key":"issue","Value":"12"}
{"Action":"skip","Package":"p","Test":"TestKills/b"}
{"Action":"pass","Package":"p","Test":"TestKills"}
{"Action":"output","Package":"p","Test":"TestSpin","Output":"    model_test.go:150: spin: not found\n"}
{"Action":"output","Package":"p","Test":"TestSpin","Output":"--- SKIP: TestSpin (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestSpin"}
`

const fails = `{"Action":"output","Package":"p","Test":"TestCuts/x","Output":"    c_test.go:1: seed 77 (repeat)\n"}
{"Action":"output","Package":"p","Test":"TestCuts/x","Output":"    c_test.go:9: made twice\n"}
{"Action":"fail","Package":"p","Test":"TestCuts/x"}
{"Action":"fail","Package":"p","Test":"TestCuts"}
{"Action":"fail","Package":"p"}
`

type figures = map[trial.Figure]float64

func reading(t *testing.T, text string) *result {
	t.Helper()
	all, err := read(strings.NewReader(text), func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatTestsCountIsAddedUp(t *testing.T) {
	all := reading(t, spoken)
	want := map[string]*outcome{
		"":          newOutcome(),
		"TestKills": {true, "", figures{trial.Rows: 42, trial.Strikes: 7, trial.Silence: 2.5}, map[string]int{"kill -9": 7}},
		"TestSpin":  {false, "spin: not found", figures{}, map[string]int{}},
	}
	if diff := cmp.Diff(want, all.tests); diff != "" {
		t.Error(diff)
	}
	if err := all.err(5); err != nil {
		t.Error(err)
	}
}

func TestAFailureIsToldWithItsSeed(t *testing.T) {
	err := reading(t, spoken+fails).err(5)
	for _, want := range []string{"TestCuts/x", "seed 5, 77;", "-seed 5 repeats it", "c_test.go:9: made twice"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if _, err := read(strings.NewReader("# no package\n"), nil); err == nil {
		t.Error("words that are no JSON are read")
	}
}

func TestAPackageThatDoesNotBuildFails(t *testing.T) {
	dir, err := os.MkdirTemp("testdata", "unbuilt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("package unbuilt\n\nvar _ = nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = tests{dir: filepath.ToSlash(dir)}.run(t.Context(), form{Seed: 5})
	if err == nil || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Errorf("it says %v", err)
	}
}

func TestAnOldPageStaysWhereATestFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "PAGE.md")
	if err := os.WriteFile(path, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		data any
		err  error
	}{{tried(), errors.New("a test failed")}, {struct{}{}, nil}} { // and one that the template cannot draw
		err := publish(path, "reliability", tt.data, tt.err)
		if text, _ := os.ReadFile(path); err == nil || string(text) != "as it was" {
			t.Errorf("%v: %v: %s", tt.err, err, text)
		}
	}
	if err := publish(path, "reliability", tried(), nil); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); !strings.HasPrefix(string(text), "# Reliability") {
		t.Errorf("%s", text)
	}
}

func TestATrialSaysSomethingOrIsNone(t *testing.T) {
	all := reading(t, spoken+`{"Action":"pass","Package":"p","Test":"TestMute"}`)
	for _, tt := range []struct{ name, system, wrong, skipped string }{
		{"TestKills", "linux", "", ""},
		{"TestSpin", "linux", "", "spin: not found"},
		{"TestMute", "linux", "says nothing", ""},
		{"TestGone", "linux", "there is no test", ""},
		{"TestGone", "darwin", "", "it needs Linux"},
	} {
		r := &row{Test: tt.name}
		if err := r.settle(all, tt.system); (err == nil) != (tt.wrong == "") || !strings.Contains(fmt.Sprint(err), tt.wrong) {
			t.Errorf("%v: %v", tt, err)
		}
		if r.Skipped != tt.skipped {
			t.Errorf("%v: skipped is %q", tt, r.Skipped)
		}
	}
}

// Each trial of the pages is a test of its package.
func TestEveryTrialIsATest(t *testing.T) {
	sources := map[string]string{}
	for _, r := range append(reliability{Chapters: chapters()}.Rows(), limits()...) {
		if sources[r.Dir] == "" {
			files, _ := filepath.Glob(filepath.Join("../..", r.Dir, "*_test.go"))
			for _, path := range files {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				sources[r.Dir] += string(text)
			}
		}
		if !strings.Contains(sources[r.Dir], "\nfunc "+r.Test+"(t *testing.T) {") {
			t.Errorf("%s: there is no %s in %s", r.What, r.Test, r.Dir)
		}
	}
}

var fixed = form{
	Seed: 7, Begun: time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC),
	Machine: machine{2, "a processor", "8 GiB", "Linux 6.1 on amd64", "go1.26"},
}

// tried is a page on which each trial has numbers of its own, and one was not tried.
func tried() reliability {
	p := reliability{form: fixed, Chapters: chapters(), Took: 8*time.Minute + 5*time.Second}
	for i, r := range p.Rows() {
		r.outcome = *newOutcome()
		if i == 9 {
			r.Skipped = "strace is not to be had"
			continue
		}
		r.count(trial.Rows, float64(1000*i), "")
		r.count(trial.Strikes, float64(i), []string{"kill -9", "full disk"}[i%2])
		r.count(trial.Twice, 0, "")
		r.count(trial.Silence, float64(i)/4, "")
	}
	return p
}

// held are contests of two runs each.
func contested() *benchmarks {
	p := &benchmarks{form: fixed, Absent: []string{"DuckDB", "xsv stats"}, Took: 90 * time.Second, Limits: limits()}
	p.Metrics = map[string]float64{}
	metrics(strings.Join([]string{
		"BenchmarkSend/create-10-at-once-latency-1ms-2   1   0.56 of-bare   2000 rows/s   3500 bare-rows/s",
		"BenchmarkSend/update-10-at-once-latency-1ms     1   0.75 of-bare   3000 rows/s   4000 bare-rows/s",
		"BenchmarkOwnTime-2 1 3 plan 4 plan-cpu 50 plan-MiB 2 again 2.5 again-cpu 40 again-MiB 0.05 leave-s",
		"BenchmarkPage-2 1 2 listening-ms 44 word-ms 80 paint-ms 160 rows-ms 150 check-ms 40 facet-ms 70 jump-ms 17 frame-worst-ms " +
			"33 edit-ms 34 edit-p95-ms 250 counts-ms 12 paste-1000-ms 100 paste-10000-ms 39.4 server-MiB 3 browser-MiB 616 elements",
		"PASS",
	}, "\n"), p.Metrics)
	c := &contest{Title: "A CSV", Contenders: []*contender{{Name: "`eventbatch check`"}, {Name: "another"}}}
	c.Contenders[0].runs = []spent{{2, 3, 50}, {2.2, 3.5, 52}, {4, 6, 51}}
	c.Contenders[1].runs = []spent{{0.05, 0.02, 8}, {1, 1, 9}, {1, 1, 10}}
	p.Contests = []*contest{c}
	for i, r := range p.Limits {
		r.outcome = *newOutcome()
		r.count(trial.Requests, float64(1000+i), "")
		r.count(trial.Pace, 1+float64(i)/100, "")
	}
	return p
}

func TestPagesAreDrawn(t *testing.T) {
	for page, data := range map[string]any{"reliability": tried(), "benchmarks": contested()} {
		got, err := render(page, data)
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", page+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s: -update writes it anew\n%s", golden, diff)
		}
	}
}

// shape is what pages of the same templates have in common whatever the figures: headings, paragraphs without a number,
// and of tables the heads, what was tried and by what.
func shape(page string) (lines []string) {
	titles := regexp.MustCompile(`(?m)^### .*\n`) // of contests
	for line := range strings.Lines(titles.ReplaceAllString(page, "")) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		switch {
		case strings.HasPrefix(line, "#"):
			lines = append(lines, line)
		case len(cells) > 2 && strings.Contains(cells[0], "#"), len(cells) == 3 && strings.Contains(cells[1], "`Test"):
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

// The pages that are published are those that the templates and the trials of today make.
func TestPublishedPagesAreOfTheseTemplates(t *testing.T) {
	for page, data := range map[string]any{"reliability": tried(), "benchmarks": contested()} {
		text, err := os.ReadFile(filepath.Join("../..", fileOf(page)))
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := render(page, data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shape(drawn), shape(string(text))); diff != "" {
			t.Errorf("%s is of another form: go run ./cmd/proof %s makes it anew\n%s", fileOf(page), page, diff)
		}
	}
}

func TestContendersRunInTurns(t *testing.T) {
	c := &contest{Title: "versions", Contenders: []*contender{
		{Name: "ours", args: []string{"go", "version"}}, {Name: "theirs", args: []string{"go", "no-command"}, code: 2},
	}}
	if err := c.hold(t.Context(), t.TempDir(), 3); err != nil {
		t.Fatal(err)
	}
	for _, line := range c.Lines() {
		if c.Runs() != 3 || len(line) != 6 || strings.HasPrefix(line[1], "0.0 ") || line[5] == "" {
			t.Errorf("%d runs: %v", c.Runs(), line)
		}
	}
	c.Contenders[1].code = 0
	if err := c.hold(t.Context(), t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "go no-command") {
		t.Errorf("a contender that fails: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := c.hold(ctx, t.TempDir(), 1); err == nil {
		t.Error("it goes on when it is told to stop")
	}
}

func TestRivalsReadWhatIsCompared(t *testing.T) {
	dir := t.TempDir()
	clean, spoiled, book := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv"), filepath.Join(dir, "c.xlsx")
	if err := errors.Join(
		writeCSV(clean, programme(100, false)), writeCSV(spoiled, programme(100, true)), writeXLSX(book, programme(100, false)),
	); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"rival-csv": spoiled, "rival-inflate": book, "rival-excelize": book} {
		if err := rivals[name](path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if rivals[name](filepath.Join(dir, "none")) == nil {
			t.Errorf("%s reads a file that is not there", name)
		}
	}
	one, _ := os.ReadFile(clean)
	other, _ := os.ReadFile(spoiled)
	differ, lines := 0, strings.Split(string(other), "\n")
	for i, line := range strings.Split(string(one), "\n") {
		if lines[i] != line {
			differ++
		}
	}
	if differ != 5 {
		t.Errorf("%d of 100 rows are spoiled", differ)
	}
}
