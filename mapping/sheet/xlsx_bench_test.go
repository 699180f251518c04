package sheet

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"
)

const benchRows = 100_000

// benchBook is a workbook of 12 columns as spreadsheet programs write it: texts
// shared, dates as numbers, a few numbers and booleans.
func benchBook(tb testing.TB, inline bool) []byte {
	tb.Helper()
	var rows, shared strings.Builder
	text := func(ref, s string, unique bool, index int) {
		switch {
		case inline:
			fmt.Fprintf(&rows, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, ref, s)
		case unique:
			fmt.Fprintf(&rows, `<c r="%s" t="s"><v>%d</v></c>`, ref, index)
		}
	}
	shared.WriteString(xmlHead + `<sst ` + xmlMain + `>`)
	for _, s := range []string{"public", "America/New_York", "guests-only"} {
		shared.WriteString("<si><t>" + s + "</t></si>")
	}
	for i := range benchRows {
		n := i + 2
		name, about := fmt.Sprintf("Spring evening %d", i), fmt.Sprintf(
			"Join us for evening number %d of the programme &amp; bring a friend.", i,
		)
		shared.WriteString("<si><t>" + name + "</t></si><si><t>" + about + "</t></si>")
		fmt.Fprintf(&rows, `<row r="%d" spans="1:12" x14ac:dyDescent="0.25">`, n)
		text(fmt.Sprintf("A%d", n), fmt.Sprintf("ext-%d", i), false, 0)
		if !inline {
			fmt.Fprintf(&rows, `<c r="A%d"><v>%d</v></c>`, n, 100000+i)
		}
		text(fmt.Sprintf("B%d", n), name, true, 3+2*i)
		text(fmt.Sprintf("C%d", n), about, true, 4+2*i)
		fmt.Fprintf(
			&rows, `<c r="D%d" s="2"><v>%d.%d</v></c><c r="E%d" s="2"><v>%d.%d</v></c>`, n, 46000+i%300, 75+i%20, n, 46000+i%300,
			85+i%10,
		)
		text(fmt.Sprintf("F%d", n), "America/New_York", true, 1)
		text(fmt.Sprintf("G%d", n), "public", true, 0)
		fmt.Fprintf(&rows, `<c r="H%d"><v>%d</v></c><c r="I%d" t="b"><v>1</v></c><c r="J%d" s="1"/>`, n, 10+i%500, n, n)
		fmt.Fprintf(&rows, `<c r="K%d"><v>40.%d</v></c><c r="L%d"><v>-73.%d</v></c></row>`, n, 700000+i, n, 900000+i)
	}
	shared.WriteString("</sst>")
	sheet := strings.Replace(
		sheetXML(rows.String()), "<worksheet ",
		`<worksheet xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" `, 1,
	)
	return zipped(tb, bookParts(sheet, "xl/sharedStrings.xml", shared.String())...)
}

// BenchmarkXLSX prints what reading a workbook of 100,000 rows costs against
// inflating its parts and doing nothing else, by the same decompressor, and by
// the standard library's; the medians of runs that take turns.
func BenchmarkXLSX(b *testing.B) {
	for _, inline := range []bool{false, true} {
		b.Run(map[bool]string{false: "shared", true: "inline"}[inline], func(b *testing.B) {
			file := benchBook(b, inline)
			var read, bare, standard []time.Duration
			for b.Loop() {
				for range 5 {
					read = append(read, timed(func() { countRows(b, file) }))
					bare = append(bare, timed(func() { inflateAll(b, file, true) }))
					standard = append(standard, timed(func() { inflateAll(b, file, false) }))
				}
			}
			b.ReportMetric(median(read)/median(bare), "read/inflate")
			b.ReportMetric(median(read)/median(standard), "read/std-inflate")
			b.ReportMetric(benchRows/median(read), "rows/s")
		})
	}
}

// BenchmarkXLSXAgainstExcelize prints how many times faster the reader is than
// excelize's row iterator over the same file, spared the formatting of values,
// which takes it several times as long again.
func BenchmarkXLSXAgainstExcelize(b *testing.B) {
	file := benchBook(b, false)
	var ours, theirs []time.Duration
	for b.Loop() {
		for range 5 {
			ours = append(ours, timed(func() { countRows(b, file) }))
			theirs = append(theirs, timed(func() { excelizeRows(b, file) }))
		}
	}
	b.ReportMetric(median(theirs)/median(ours), "times-faster")
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// median gives the middle of the durations, in seconds.
func median(d []time.Duration) float64 {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2].Seconds()
}

func countRows(b *testing.B, file []byte) {
	w, err := openBytes(b.Context(), file, Limits{})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for batch, err := range w.batches(b.Context(), "Events") {
		if err != nil {
			b.Fatal(err)
		}
		n += len(batch.Rows)
		batch.Release()
	}
	if n != benchRows {
		b.Fatalf("%d rows, want %d", n, benchRows)
	}
}

func inflateAll(b *testing.B, file []byte, same bool) {
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		b.Fatal(err)
	}
	if same {
		r.RegisterDecompressor(zip.Deflate, flate.NewReader)
	}
	for _, f := range r.File {
		part, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, part)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func excelizeRows(b *testing.B, file []byte) {
	f, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rows, err := f.Rows("Events")
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for rows.Next() {
		if _, err := rows.Columns(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if n < benchRows {
		b.Fatalf("%d rows, want %d", n, benchRows)
	}
}
