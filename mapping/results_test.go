package mapping_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// The rows before an error come out, in order, and then the error: whatever the
// number of workers.
func TestErrorInTheMiddle(t *testing.T) {
	var b strings.Builder
	b.WriteString("key,name,start_at\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,Event %d,2026-05-01T10:00Z\n", i, i)
	}
	b.WriteString("x,\"never closed,2026-05-01T10:00Z\n")
	path := file(t, "in.csv", b.String())
	for workers := range 5 {
		r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path}, Workers: workers, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		rows, last := 0, error(nil)
		for result, err := range r.Results(t.Context()) {
			if err != nil {
				last = err
				continue
			}
			if result.Draft.Place.Row != rows+2 || result.Draft.Text(catalog.FieldName) != fmt.Sprint("Event ", rows) {
				t.Fatalf("row %d is %v", rows, result.Draft)
			}
			rows++
		}
		if e, ok := errors.AsType[*sheet.Error](last); rows != 5000 || !ok || e.Code != schema.CodeUnclosedQuote {
			t.Errorf("%d workers: %d rows, then %v", workers, rows, last)
		}
		if r.Sources()[0].Rows != 5000 {
			t.Error(r.Sources())
		}
	}
}

func TestReadingCanBeLeftAtAnyRow(t *testing.T) {
	path := programme(t, 3000, isoTimes)
	for _, stop := range []int{1, 2, 700, 2999} {
		r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path, path}, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range r.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d of %d rows", n, stop)
		}
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	path := programme(t, 20_000, isoTimes)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := mapping.Read(ctx, mapping.Config{Files: []string{path}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, error(nil)
	for _, err := range r.Results(ctx) {
		if last = err; err != nil {
			break
		}
		if n++; n == 10 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || n >= 20_000 {
		t.Errorf("%d rows, then %v", n, last)
	}
}

func TestManyWorkersAgreeWithOne(t *testing.T) {
	var b strings.Builder
	b.WriteString("key,name,start_at,timezone,,max_capacity\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "%d,Event,%d/%d/2026 10:00,Europe/London,%s,%d\n", i%3900, 1+i%12, 1+i%28, strings.Repeat("x", i%500/499), i-20)
	}
	path := file(t, "in.csv", b.String())
	one, many := read(t, mapping.Config{Files: []string{path}, Workers: 1}), read(t, mapping.Config{Files: []string{path}, Workers: 4})
	if diff := cmp.Diff(one, many); diff != "" {
		t.Error(diff)
	}
	if len(one.Rows) != 4000 {
		t.Error(len(one.Rows))
	}
}

func TestReadNoFile(t *testing.T) {
	_, err := mapping.Read(
		t.Context(), mapping.Config{Files: []string{file(t, "a.csv", "name\nx\n"), filepath.Join(t.TempDir(), "none.csv")}},
	)
	if e, ok := errors.AsType[*sheet.Error](err); !ok || e.Code != schema.CodeUnreadableFile {
		t.Error(err)
	}
}

func TestDuplicatesAcrossFiles(t *testing.T) {
	a := file(t, "a.csv", "key,name,start_at,timezone\nk1,A,2026-05-01T10:00Z,UTC\n")
	b := file(t, "b.csv", "name,key,start_at,timezone\nB,k2,2026-05-01T10:00Z,UTC\nC,k1,2026-05-01T10:00Z,UTC\n")
	o := read(t, mapping.Config{Files: []string{a, b}})
	got := o.Rows[2].(line).Problems
	want := []string{
		"error duplicate-key " + b + `:3:B3 (key) key: the key "k1" is already in row 2 of ` + a + " — give each event a key of its own",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(o.Sources) != 2 || o.Sources[1].Rows != 2 || o.Sources[0].SHA256 == o.Sources[1].SHA256 {
		t.Error(o.Sources)
	}
}

// Whatever the rows hold and however many workers share them, the outcome is one.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"actions", "headers", "one_date", "ragged", "dates_mixed"} {
		doc, err := os.ReadFile("testdata/" + name + ".csv")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(doc))
	}
	f.Fuzz(func(t *testing.T, doc string) {
		var outcomes []outcome
		for _, workers := range []int{1, 3} {
			outcomes = append(
				outcomes,
				read(
					t,
					mapping.Config{
						Files: []string{"-"}, Stdin: strings.NewReader(doc), Format: "csv", Timezone: "Europe/London",
						Workers: workers, KeepCells: true,
					},
				),
			)
		}
		if diff := cmp.Diff(outcomes[0], outcomes[1]); diff != "" {
			t.Error(diff)
		}
		for _, row := range outcomes[0].Rows {
			for _, p := range row.(line).Fields {
				if strings.Contains(p, "is not its instant") {
					t.Error(p)
				}
			}
		}
	})
}
