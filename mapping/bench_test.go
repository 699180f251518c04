package mapping_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"eventbatch/mapping"
	"eventbatch/mapping/sheet"
)

// benchRows is how many rows the comparisons read; EVENTBATCH_BENCH_ROWS says
// otherwise, 1000000 being the size that the claims are made for.
func benchRows(b testing.TB) int {
	rows := 50_000
	if text := os.Getenv("EVENTBATCH_BENCH_ROWS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		rows = n
	}
	return rows
}

var zones = []string{"America/New_York", "Europe/London", "Europe/Berlin", "Asia/Tokyo"}

// programme writes a CSV of events as they come out of a spreadsheet.
func programme(b testing.TB, rows int, times times) string {
	return writeCSV(b, rows, "key,name,start_at,end_at,timezone,visibility,description_md,address,max_capacity,tint_color,show_guest_list",
		func(w *bufio.Writer, i int) {
			from, to := times(i)
			fmt.Fprintf(w, "spring-%07d,Spring programme event %d,%s,%s,%s,public,\"Tea, cake and **talk** with our friends of the "+
				"society number %d.\",\"%d High Street, Leeds\",%d,#ff8800,true\n",
				i, i, from, to, zones[i%len(zones)], i%977, i%200, 20+i%300)
		})
}

// wide writes a CSV as another platform exports it: a text without quotes, a column
// that is always blank.
func wide(b testing.TB, rows int, times times) string {
	return writeCSV(b, rows, "key,name,start_at,end_at,timezone,visibility,max_capacity,address,description_md,slug",
		func(w *bufio.Writer, i int) {
			from, to := times(i)
			fmt.Fprintf(w, "K-%07d,Event number %d,%s,%s,%s,public,%d,\"%d Main Street, Springfield\",A description of the event with "+
				"**bold** words and number %d,\n",
				i, i, from, to, zones[i%len(zones)], 20+i%300, i%200, i)
		})
}

func writeCSV(b testing.TB, rows int, header string, row func(w *bufio.Writer, i int)) string {
	path := filepath.Join(b.TempDir(), "events.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, header)
	for i := range rows {
		row(w, i)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// times gives the start and the end of an event as they are written.
type times func(i int) (start, end string)

func day(i int) time.Time {
	return time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i%300).Add(time.Duration(i%8) * time.Hour)
}

func isoTimes(i int) (string, string) {
	return day(i).Format("2006-01-02 15:04"), day(i).Add(2 * time.Hour).Format("2006-01-02 15:04")
}

func offsetTimes(i int) (string, string) {
	zone, err := time.LoadLocation(zones[i%len(zones)])
	if err != nil {
		panic(err)
	}
	year, month, at := day(i).Date()
	start := time.Date(year, month, at, day(i).Hour(), 0, 0, 0, zone)
	return start.Format(time.RFC3339), day(i).Add(3 * time.Hour).Format("2006-01-02 15:04")
}

func slashTimes(i int) (string, string) {
	return day(i).Format("1/2/2006 3:04 PM"), day(i).Add(2 * time.Hour).Format("1/2/2006 3:04 PM")
}

func checkAll(b testing.TB, c mapping.Config, rows int) {
	c.Now = now
	r, err := mapping.Read(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for result, err := range r.Results(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		if len(result.Problems) > 0 {
			b.Fatal(words(result.Problems[0]))
		}
		n++
	}
	if n != rows {
		b.Fatalf("%d rows of %d", n, rows)
	}
}

func bareCSV(b testing.TB, path string, rows int, reuse bool) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = reuse
	n := -1
	for {
		if _, err := r.Read(); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		n++
	}
	if n != rows {
		b.Fatalf("%d rows of %d", n, rows)
	}
}

// contender is one way to do a thing.
type contender struct {
	name string
	run  func()
}

// compare runs a check and the contenders that it is held against in turn. It
// reports how many times as long as each of them the check takes, as the median
// over the rounds, and the median time of each.
func compare(b *testing.B, check func(), against ...contender) {
	const rounds = 7
	all := append([]contender{{"check", check}}, against...)
	times, ratios := make([][]float64, len(all)), make([][]float64, len(all))
	for b.Loop() {
		for range rounds {
			for i, c := range all {
				runtime.GC()
				begin := time.Now()
				c.run()
				took := time.Since(begin).Seconds()
				times[i] = append(times[i], took)
				ratios[i] = append(ratios[i], times[0][len(times[0])-1]/took)
			}
		}
	}
	median := func(xs []float64) float64 { slices.Sort(xs); return xs[len(xs)/2] }
	for i, c := range all {
		b.ReportMetric(1000*median(times[i]), c.name+"-ms")
		if i > 0 {
			b.ReportMetric(median(ratios[i]), "x-"+c.name)
		}
	}
}

// BenchmarkReadAgainstEncodingCSV compares a whole check of a CSV with bare
// reading of it by encoding/csv, which makes a slice for each record, or is told to
// use one for all.
func BenchmarkReadAgainstEncodingCSV(b *testing.B) {
	rows := benchRows(b)
	for _, bench := range []struct {
		name  string
		write func(testing.TB, int, times) string
		times times
		order string
	}{
		{"programme", programme, isoTimes, ""},
		{"programme-slashes", programme, slashTimes, "mdy"},
		{"programme-slashes-proved", programme, slashTimes, ""},
		{"wide", wide, offsetTimes, ""},
		{"wide-slashes-proved", wide, slashTimes, ""},
	} {
		b.Run(bench.name, func(b *testing.B) {
			path := bench.write(b, rows, bench.times)
			compare(b, func() { checkAll(b, mapping.Config{Files: []string{path}, DateOrder: bench.order}, rows) },
				contender{"csv", func() { bareCSV(b, path, rows, false) }},
				contender{"csv-reuse", func() { bareCSV(b, path, rows, true) }})
		})
	}
}

// book writes a workbook of events with spreadsheet dates.
func book(b testing.TB, rows int) string {
	cells := func(yield func([]sheet.Out) bool) {
		for i := range rows {
			at := day(i)
			ok := yield([]sheet.Out{
				text(fmt.Sprintf("spring-%07d", i)), text(fmt.Sprintf("Spring programme event %d", i)),
				{Kind: sheet.Date, Time: at},
				{Kind: sheet.Date, Time: at.Add(2 * time.Hour)},
				text(zones[i%4]), text("public"),
				text(fmt.Sprintf("Tea, cake and **talk** with our friends of the society number %d.", i)),
				text(fmt.Sprintf("%d High Street, Leeds", i%200)), number(strconv.Itoa(20 + i%300)), text("#ff8800"),
				{Kind: sheet.Bool, Text: "true"},
			})
			if !ok {
				return
			}
		}
	}
	return workbook(b, sheet.SheetData{
		Name: "Programme",
		Header: []string{
			"key", "name", "start_at", "end_at", "timezone", "visibility", "description_md", "address", "max_capacity", "tint_color",
			"show_guest_list",
		},
		Rows: cells,
	})
}

func inflate(b testing.TB, path string) {
	z, err := zip.OpenReader(path)
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	for _, part := range z.File {
		r, err := part.Open()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadAgainstInflate compares a whole check of a workbook with bare
// inflating of its parts by the standard library.
func BenchmarkReadAgainstInflate(b *testing.B) {
	rows := benchRows(b)
	path := book(b, rows)
	compare(b, func() { checkAll(b, mapping.Config{Files: []string{path}}, rows) }, contender{"inflate", func() { inflate(b, path) }})
}

// TestRowsWithoutProblemsTakeNoMemory counts the allocations of a whole check: what
// there is, is a matter of files and batches and not of rows.
func TestRowsWithoutProblemsTakeNoMemory(t *testing.T) {
	measure := func(rows int) float64 {
		path := programme(t, rows, isoTimes)
		c := mapping.Config{Files: []string{path}, Workers: 1}
		return testing.AllocsPerRun(3, func() { checkAll(t, c, rows) })
	}
	few, many := measure(2_000), measure(22_000)
	if perRow := (many - few) / 20_000; perRow > 0.1 {
		t.Errorf("%.3f allocations a row", perRow)
	}
}

// TestMemoryOfManyRows is run where EVENTBATCH_BENCH_ROWS asks for it.
func TestMemoryOfManyRows(t *testing.T) {
	if os.Getenv("EVENTBATCH_BENCH_ROWS") == "" {
		t.Skip("EVENTBATCH_BENCH_ROWS is not set")
	}
	rows := benchRows(t)
	path := programme(t, rows, isoTimes)
	debug.FreeOSMemory()
	peak := uint64(0)
	done := make(chan struct{})
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				peak = max(peak, rss(t))
			}
		}
	}()
	checkAll(t, mapping.Config{Files: []string{path}}, rows)
	close(done)
	<-sampled
	t.Logf("peak of %d MiB with %d rows", peak>>20, rows)
	if peak > 100<<20 {
		t.Errorf("%d MiB", peak>>20)
	}
}

func rss(t *testing.T) uint64 {
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc")
	}
	fields := bytes.Fields(status)
	pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize())
}
