package sheet

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkCSVAgainstEncodingCSV reads 200,000 rows of events with this package,
// hash, encoding check and all, and with bare encoding/csv that reuses its record, in
// turns. It reports the ratio of the medians.
func BenchmarkCSVAgainstEncodingCSV(b *testing.B) {
	for _, kind := range []struct {
		name string
		line func(i int) string
	}{
		{"plain", plainLine},
		{"some-quotes", func(i int) string {
			if i%4 == 0 {
				return quotedLine(i)
			}
			return plainLine(i)
		}},
		{"all-quoted", quotedLine},
	} {
		b.Run(kind.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "events.csv")
			size := writeLines(b, path, 200_000, kind.line)
			b.SetBytes(size)
			var ours, theirs []time.Duration
			for b.Loop() {
				for range 5 {
					theirs = append(theirs, clock(func() { readEncodingCSV(b, path) }))
					ours = append(ours, clock(func() { readOurs(b, path) }))
				}
			}
			slices.Sort(ours)
			slices.Sort(theirs)
			mine, other := ours[len(ours)/2], theirs[len(theirs)/2]
			b.ReportMetric(float64(mine)/float64(other), "ours/encoding-csv")
			b.ReportMetric(float64(size)/mine.Seconds()/1e6, "ours-MB/s")
			b.ReportMetric(float64(size)/other.Seconds()/1e6, "encoding-csv-MB/s")
		})
	}
}

func plainLine(i int) string {
	return fmt.Sprintf("ext-%d,Spring talk number %d,2026-04-%02dT18:30:00,2026-04-%02dT20:00:00,America/New_York,public,%d,%d Main "+
		"Street,https://example.com/e/%d,true",
		i, i, i%28+1, i%28+1, i%300, i%900, i)
}

func quotedLine(i int) string {
	return fmt.Sprintf(`"ext-%d","Spring talk, number %d","2026-04-%02dT18:30:00","2026-04-%02dT20:00:00","America/New_York","public",`+
		`"%d","%d ""Main"" Street","https://example.com/e/%d","true"`,
		i, i, i%28+1, i%28+1, i%300, i%900, i)
}

func writeLines(b *testing.B, path string, n int, line func(int) string) int64 {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "External ID,Title,Start,End,Zone,Access,Capacity,Venue,Link,Open")
	for i := range n {
		fmt.Fprintln(w, line(i))
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return size
}

func clock(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}

func readEncodingCSV(b *testing.B, path string) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	rows := 0
	for {
		if _, err := r.Read(); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		rows++
	}
	if rows != 200_001 {
		b.Fatal(rows)
	}
}

func readOurs(b *testing.B, path string) {
	f, err := Open(b.Context(), path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for batch, err := range f.Batches(b.Context(), "") {
		if err != nil {
			b.Fatal(err)
		}
		rows += len(batch.Rows)
		batch.Release()
	}
	if rows != 200_001 || strings.TrimLeft(f.SHA256(), "0123456789abcdef") != "" {
		b.Fatal(rows, f.SHA256())
	}
}
