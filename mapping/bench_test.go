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

// programme writes a CSV of events as they come out of a spreadsheet.
func programme(b testing.TB, rows int, start func(i int) (string, string)) string {
	path := filepath.Join(b.TempDir(), "programme.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	zones := []string{"America/New_York", "Europe/London", "Europe/Berlin", "Asia/Tokyo"}
	fmt.Fprintln(w, "key,name,start_at,end_at,timezone,visibility,description_md,address,max_capacity,tint_color,show_guest_list")
	for i := range rows {
		from, to := start(i)
		fmt.Fprintf(w, "spring-%07d,Spring programme event %d,%s,%s,%s,public,\"Tea, cake and **talk** with our friends of the society number %d.\",\"%d High Street, Leeds\",%d,#ff8800,true\n",
			i, i, from, to, zones[i%len(zones)], i%977, i%200, 20+i%300)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func isoTimes(i int) (string, string) {
	day := time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i%300).Add(time.Duration(i%8) * time.Hour)
	return day.Format("2006-01-02 15:04"), day.Add(2 * time.Hour).Format("2006-01-02 15:04")
}

func slashTimes(i int) (string, string) {
	day := time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i%300).Add(time.Duration(i%8) * time.Hour)
	return day.Format("1/2/2006 3:04 PM"), day.Add(2 * time.Hour).Format("1/2/2006 3:04 PM")
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

func bareCSV(b testing.TB, path string, rows int) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
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

// compare runs two things in turn and reports how many times as long the second
// takes, as the median of the pairs.
func compare(b *testing.B, base, other func()) {
	const pairs = 7
	var ratios, bases, others []float64
	for b.Loop() {
		for range pairs {
			runtime.GC()
			t0 := time.Now()
			base()
			t1 := time.Now()
			runtime.GC()
			t2 := time.Now()
			other()
			t3 := time.Now()
			bases, others = append(bases, t1.Sub(t0).Seconds()), append(others, t3.Sub(t2).Seconds())
			ratios = append(ratios, t3.Sub(t2).Seconds()/t1.Sub(t0).Seconds())
		}
	}
	median := func(xs []float64) float64 { slices.Sort(xs); return xs[len(xs)/2] }
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(1000*median(bases), "bare-ms")
	b.ReportMetric(1000*median(others), "check-ms")
}

// BenchmarkReadAgainstEncodingCSV compares a whole check of a CSV with bare
// reading of it by encoding/csv.
func BenchmarkReadAgainstEncodingCSV(b *testing.B) {
	rows := benchRows(b)
	for _, bench := range []struct {
		name  string
		times func(int) (string, string)
		order string
	}{{"iso", isoTimes, ""}, {"slashes", slashTimes, "mdy"}, {"slashes-proved", slashTimes, ""}} {
		b.Run(bench.name, func(b *testing.B) {
			path := programme(b, rows, bench.times)
			compare(b, func() { bareCSV(b, path, rows) }, func() {
				checkAll(b, mapping.Config{Files: []string{path}, DateOrder: bench.order}, rows)
			})
		})
	}
}

// book writes a workbook of events with spreadsheet dates.
func book(b testing.TB, rows int) string {
	zones := []string{"America/New_York", "Europe/London", "Europe/Berlin", "Asia/Tokyo"}
	cells := func(yield func([]sheet.Out) bool) {
		for i := range rows {
			at := time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i%300).Add(time.Duration(i%8) * time.Hour)
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
		Name:   "Programme",
		Header: []string{"key", "name", "start_at", "end_at", "timezone", "visibility", "description_md", "address", "max_capacity", "tint_color", "show_guest_list"},
		Rows:   cells,
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
	compare(b, func() { inflate(b, path) }, func() { checkAll(b, mapping.Config{Files: []string{path}}, rows) })
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

// TestMemoryOfAMillionRows is run where EVENTBATCH_BENCH_ROWS asks for it.
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
