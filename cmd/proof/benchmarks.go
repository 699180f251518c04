package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// benchmarks is what its page tells.
type benchmarks struct {
	form
	Contests []*contest
	Absent   []string // programs that would have taken part
	Metrics  map[string]float64
	Limits   []*row
	Took     time.Duration
}

// rows of the files that contests read.
const (
	csvRows  = 1_000_000
	xlsxRows = 100_000
)

func benchmarksOf(ctx context.Context, f form) (any, error) {
	begun := time.Now()
	dir, err := os.MkdirTemp("", "proof")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	page := &benchmarks{form: f, Metrics: map[string]float64{}, Limits: limits()}
	if err := page.contests(ctx, dir); err != nil {
		return nil, err
	}
	for _, of := range []struct{ dir, name string }{
		{story, `^BenchmarkSend$/^(create|update)-10-at-once-latency-1ms$`}, {story, `^BenchmarkOwnTime$`}, {command, `^BenchmarkPage$`},
	} {
		fmt.Fprintln(os.Stderr, of.name)
		bench := exec.CommandContext(ctx, "go", "test", "./"+of.dir, "-run=^$", "-bench="+of.name, "-benchtime=1x", "-timeout=1h")
		said, err := bench.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", of.name, err, said)
		}
		metrics(string(said), page.Metrics)
	}
	for _, r := range page.Limits {
		// One after the other: each is timed.
		all, err := tests{dir: r.Dir, names: []string{r.Test}}.run(ctx, f)
		if err == nil {
			err = r.settle(all, runtime.GOOS)
		}
		if err != nil {
			return nil, err
		}
	}
	page.Took = time.Since(begun).Round(time.Second)
	return page, nil
}

// hello is the least that a program of Go does.
const hello = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"

// contests builds what is compared, and has it run in turns.
func (page *benchmarks) contests(ctx context.Context, dir string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("hello.go"), []byte(hello), 0o600); err != nil {
		return err
	}
	for out, source := range map[string]string{"eventbatch": "./" + command, "proof": "./cmd/proof", "hello": at("hello.go")} {
		build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", at(out), source)
		if said, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, said)
		}
	}
	clean, spoiled, book := at("clean.csv"), at("spoiled.csv"), at("clean.xlsx")
	// Others write them: what a process has held counts for those that it starts.
	for path, word := range map[string]string{clean: "write-clean", spoiled: "write-spoiled", book: "write-book"} {
		if said, err := exec.CommandContext(ctx, at("proof"), word, path).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", word, err, said)
		}
	}
	others := page.others()
	csv := func(title, file string, code int) *contest {
		c := &contest{Title: title, Contenders: []*contender{
			{Name: "`eventbatch check`", args: []string{at("eventbatch"), "check", file}, code: code},
			{Name: "encoding/csv of Go", args: []string{at("proof"), "rival-csv", file}},
		}}
		for _, other := range others {
			args := append([]string(nil), other.args...)
			for i, arg := range args {
				args[i] = strings.ReplaceAll(arg, "FILE", file)
			}
			c.Contenders = append(c.Contenders, &contender{Name: other.Name, args: args})
		}
		return c
	}
	page.Contests = []*contest{
		csv("A CSV of 1,000,000 rows, all of them right", clean, 0),
		csv("The same with a mistake in every twentieth row", spoiled, 65),
		{Title: "A workbook of 100,000 rows", Contenders: []*contender{
			{Name: "`eventbatch check`", args: []string{at("eventbatch"), "check", book}},
			{Name: "unpacking it by archive/zip of Go", args: []string{at("proof"), "rival-inflate", book}},
			{Name: "excelize", args: []string{at("proof"), "rival-excelize", book}},
		}},
		{Title: "To begin at all", Contenders: []*contender{
			{Name: "`eventbatch version`", args: []string{at("eventbatch"), "version"}},
			{Name: "a program of Go that prints a word", args: []string{at("hello")}},
		}},
	}
	for i, c := range page.Contests {
		fmt.Fprintln(os.Stderr, c.Title)
		rounds := []int{5, 5, 5, 51}[i]
		if page.Long {
			rounds = 4*rounds + 1
		}
		if err := c.hold(ctx, dir, rounds); err != nil {
			return err
		}
	}
	return nil
}

// others are programs that read a CSV, where they are installed.
func (page *benchmarks) others() (list []contender) {
	const counts = "import csv, sys\nfor row in csv.reader(open(sys.argv[1], newline='')): pass"
	for _, one := range []contender{
		{Name: "csv of Python", args: []string{"python3", "-c", counts, "FILE"}},
		{Name: "DuckDB", args: []string{"duckdb", "-c", "create table t as select * from read_csv('FILE', header = true)"}},
		{Name: "qsv stats", args: []string{"qsv", "stats", "FILE"}},
		{Name: "xsv stats", args: []string{"xsv", "stats", "FILE"}},
	} {
		path, err := exec.LookPath(one.args[0])
		if err != nil {
			page.Absent = append(page.Absent, one.Name)
			continue
		}
		one.args[0] = path
		list = append(list, one)
	}
	return list
}

// metrics reads what benchmarks report: by the name of the benchmark, a colon and the unit.
func metrics(said string, into map[string]float64) {
	for line := range strings.Lines(said) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if at := strings.LastIndex(name, "-"); at >= 0 {
			if _, err := strconv.Atoi(name[at+1:]); err == nil { // the number of processors
				name = name[:at]
			}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if n, err := strconv.ParseFloat(fields[i], 64); err == nil {
				into[name+":"+fields[i+1]] = n
			}
		}
	}
}

// Seen reports whether the local page was looked at, which takes a browser.
func (page *benchmarks) Seen() bool { return page.Metrics["Page:paint-ms"] > 0 }

// Metric is what a benchmark has reported.
func (page *benchmarks) Metric(name, unit, format string) (string, error) {
	n, ok := page.Metrics[name+":"+unit]
	if !ok {
		return "", fmt.Errorf("the benchmark %s does not report %s", name, unit)
	}
	return fmt.Sprintf(format, n), nil
}

// limits are the tests that hold how fast requests leave against what the limits allow.
func limits() []*row {
	return []*row{
		{What: "1,000 new events, 200 a window", Dir: command, Test: "TestFullSpeedWithoutA429"},
		{What: "the same by four processes", Dir: command, Test: "TestFourProcessesShareOneKey"},
		{What: "three calendars of one organization", Dir: command, Test: "TestThreeCalendarsOfOneOrganization"},
		{What: "a season on six sheets, 50 a window", Dir: command, Test: "TestASeasonAtFullSpeed"},
		{What: "an export of 900 events", Dir: command, Test: "TestExportsTakeTheLeastRequestsAndLittleMemory"},
	}
}
