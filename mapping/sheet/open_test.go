package sheet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

func TestFormatsAreTold(t *testing.T) {
	book := new(bytes.Buffer)
	if err := WriteXLSX(
		book,
		[]SheetData{{Name: "Events", Header: []string{"a", "b"}, Rows: func(yield func([]Out) bool) { yield(Texts([]string{"1", "2"})) }}},
	); err != nil {
		t.Fatal(err)
	}
	want := []string{"a|b", "1|2"}
	for _, tc := range []struct {
		name, content string
		want          []string
		err           string
	}{
		{"f.csv", "a,b\n1,2\n", want, ""},
		{"f.CSV", "a;b\n1;2\n", want, ""},
		{"f.txt", "a|b\n1|2\n", want, ""},
		{"f.tsv", "a\tb\n1\t2\n", want, ""},
		{"attendees.xls", "a\tb\n1\t2\n", want, ""},
		{"f.ndjson", `{"a":"1","b":"2"}`, want, ""},
		{"f", " {\"a\":\"1\",\"b\":\"2\"}\n", want, ""},
		{"f.xlsx", book.String(), want, ""},
		{"f.bin", book.String(), want, ""},
		{"f.csv", book.String(), want, ""},
		{"f.xlsx", "a,b\n1,2\n", nil, "the file is not an .xlsx workbook"},
		{"f.xlsx", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", nil, "the file is an old .xls workbook or one with a password"},
		{"f.xls", "<HTML><table>", nil, "the page has no table"},
		{"f.xls", "<table><tr><td>a<td>b<tr><td>1<td>2</table>", want, ""},
		{"f.csv", "<!DOCTYPE html><table>", nil, "the file is HTML"},
		{"f.csv", "%PDF-1.7", nil, "the file is a PDF"},
		{"f.json", "[{\"a\":1,\"b\":2}]", want, ""},
		{"f.csv", "BEGIN:VCALENDAR\r\n", nil, "the file is an iCalendar file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Open(t.Context(), writeTemp(t, tc.name, tc.content), Options{})
			if err != nil {
				if tc.err == "" || !strings.HasSuffix(err.Error(), tc.err) {
					t.Fatalf("got %v, want %s", err, tc.err)
				}
				return
			}
			defer f.Close()
			var got []string
			for row, err := range f.Rows(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				var cells []string
				for _, c := range row.Cells {
					cells = append(cells, c.Text)
				}
				got = append(got, strings.Join(cells, "|"))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			sum := sha256.Sum256([]byte(tc.content))
			if f.SHA256() != hex.EncodeToString(sum[:]) {
				t.Errorf("hash %s", f.SHA256())
			}
		})
	}
}

func TestUnreadableFiles(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(folder, "none.csv"): "no such file or directory",
		folder:                            "reading the file: is a directory",
		"-":                               "no standard input to read",
	} {
		_, err := Open(t.Context(), path, Options{})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Code != schema.CodeUnreadableFile || !strings.HasSuffix(e.Message, want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(folder, "none.csv"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
	if _, err := Open(
		t.Context(), "-", Options{Stdin: strings.NewReader("a")},
	); err == nil || !strings.Contains(err.Error(), "no name to tell its format by") {
		t.Errorf("standard input without a format: %v", err)
	}
}

// A stream is held, so that it can be searched for what its rows need as a file can.
func TestStandardInputIsReadTwice(t *testing.T) {
	f, err := Open(t.Context(), "-", Options{Format: "csv", Stdin: strings.NewReader("a,b\n" + strings.Repeat("1,2\n", 50_000))})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		n := 0
		for _, err := range f.Rows(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 50_001 {
			t.Errorf("%d rows", n)
		}
	}
}

// A file in memory is read as often as one on a disk, where there is no room for another one.
func TestFileInMemoryIsReadTwice(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	f, err := Open(t.Context(), "a call", Options{Bytes: []byte(`{"a": 1}` + "\n" + `{"a": 2}` + "\n"), Format: "ndjson"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var cells []string
		for row, err := range f.Rows(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, row.Cells[0].Text)
		}
		if want := []string{"a", "1", "2"}; !slices.Equal(cells, want) {
			t.Errorf("%q, want %q", cells, want)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestWorkbookFromStandardInput(t *testing.T) {
	book := new(bytes.Buffer)
	if err := WriteXLSX(book, []SheetData{{Name: "E", Header: []string{"a"}, Rows: func(func([]Out) bool) {}}}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), "-", Options{Format: "xlsx", Stdin: bytes.NewReader(book.Bytes())})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		n := 0
		for _, err := range f.Rows(t.Context(), "E") {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%d rows", n)
		}
	}
	_, err = Open(t.Context(), "-", Options{Format: "xlsx", Stdin: bytes.NewReader(book.Bytes()), Limits: Limits{FileBytes: 100}})
	if err == nil || !strings.Contains(err.Error(), "more than 100 bytes from a stream") {
		t.Errorf("got %v", err)
	}
}

func TestFileThatChangesBetweenReadings(t *testing.T) {
	for _, unsummed := range []bool{false, true} {
		path := writeTemp(t, "f.csv", "a,b\n1,2\n")
		f, err := Open(t.Context(), path, Options{Unsummed: unsummed})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		read := func() (last error) {
			for _, err := range f.Rows(t.Context(), "") {
				last = err
			}
			return last
		}
		for range 2 {
			if err := read(); err != nil {
				t.Fatal(err)
			}
		}
		if empty := f.SHA256() == ""; empty != unsummed {
			t.Errorf("the hash is %q", f.SHA256())
		}
		if err := os.WriteFile(path, []byte("a,b\n1,3\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(); err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
			t.Errorf("got %v where unsummed is %t", err, unsummed)
		}
	}
}

// What takes the place of a file once it is open is not read, not even where the file
// is read again; what is written into it is noticed.
func TestFileIsOpenedOnce(t *testing.T) {
	book := func(name string) string {
		var text bytes.Buffer
		if err := WriteXLSX(&text, []SheetData{{Name: "E", Header: []string{name}, Rows: func(func([]Out) bool) {}}}); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	for _, tc := range []struct{ name, before, after string }{
		{"f.csv", "mine\n", "else\n"},
		{"f.ndjson", "{\"mine\":1}\n", "{\"else\":1}\n"},
		{"f.xlsx", book("mine"), book("else")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := writeTemp(t, tc.name, tc.before)
			f, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.Sum(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(writeTemp(t, "other", tc.after), path); err != nil {
				t.Fatal(err)
			}
			again, err := f.Again(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []*File{f, again} {
				for row, err := range f.Rows(t.Context(), "") {
					if err != nil {
						t.Fatal(err)
					}
					if row.Number == 1 && row.Cell(0).Text != "mine" {
						t.Errorf("the header is %q", row.Cell(0).Text)
					}
				}
			}
		})
	}
}

func TestWorkbookThatIsWrittenTo(t *testing.T) {
	var text bytes.Buffer
	if err := WriteXLSX(&text, []SheetData{{Name: "E", Header: []string{"a"}, Rows: func(func([]Out) bool) {}}}); err != nil {
		t.Fatal(err)
	}
	for _, unsummed := range []bool{false, true} {
		path := writeTemp(t, "f.xlsx", text.String())
		f, err := Open(t.Context(), path, Options{Unsummed: unsummed})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := os.WriteFile(path, append(text.Bytes(), 0), 0o600); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range f.Rows(t.Context(), "") {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "changed while it was being read") {
			t.Errorf("got %v where unsummed is %t", last, unsummed)
		}
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	f, err := Open(t.Context(), writeTemp(t, "f.csv", strings.Repeat("1,2\n", 100_000)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n, last := 0, error(nil)
	for batch, err := range f.Batches(ctx, "") {
		cancel()
		if last = err; err == nil {
			n++
			batch.Release()
		}
	}
	if n != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d batches, then %v", n, last)
	}
}

func TestStandardInputIsGivenUpWithItsContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = out.Write([]byte("a,b\n")) // returns once it is read
		cancel()
	}()
	if _, err := Open(ctx, "-", Options{Format: "csv", Stdin: in}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownSheet(t *testing.T) {
	f, err := Open(t.Context(), writeTemp(t, "f.csv", "a,b\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, err := range f.Batches(t.Context(), "Events") {
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeNoSheet || e.Hint != "a text file has no named sheets" {
			t.Errorf("got %v", err)
		}
	}
}

// TestBatchesAreReleasedByOthers is for the race detector: batches are read
// while others are worked on and given back, twice too.
func TestBatchesAreReleasedByOthers(t *testing.T) {
	const rows = 30_000
	f, err := Open(t.Context(), writeTemp(t, "f.csv", strings.Repeat("abc,'=1,\"x\ny\"\n", rows)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	batches := make(chan *Batch)
	var workers sync.WaitGroup
	var mu sync.Mutex
	seen := 0
	for range 3 {
		workers.Go(func() {
			for batch := range batches {
				good := 0
				for _, row := range batch.Rows {
					if row.Cell(0).Text == "abc" && row.Cell(1).Text == "=1" && row.Cell(2).Text == "x\ny" && row.Line == row.Number*2-1 {
						good++
					}
				}
				mu.Lock()
				seen += good
				mu.Unlock()
				batch.Release()
				batch.Release()
			}
		})
	}
	for batch, err := range f.Batches(t.Context(), "") {
		if err != nil {
			t.Error(err)
			break
		}
		batches <- batch
	}
	close(batches)
	workers.Wait()
	if seen != rows {
		t.Errorf("%d good rows of %d", seen, rows)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestFailureOfTheStreamIsNoEnd(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Open(t.Context(), "-", Options{Format: "csv", Stdin: io.MultiReader(strings.NewReader("a,b\n1,2\n"), failing{broken})})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
