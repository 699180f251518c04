package mapping_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping"
	"eventbatch/mapping/annotate"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// An annotated copy is read like its source: our marks, our column and our sheet
// are neither data nor a reason for a warning.
func TestAnAnnotatedCopyIsReadLikeItsSource(t *testing.T) {
	dir := t.TempDir()
	source, copied := filepath.Join(dir, "events.csv"), filepath.Join(dir, "events.xlsx")
	const table = "key,name,start_at,timezone\na,Tea,2027-03-20 18:00,Europe/Paris\nb,Tea,2027-03-20 " +
		"18:00,Europe/Pariss\nc,Talk,2027-03-21 18:00,Europe/Paris\n"
	if err := os.WriteFile(source, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	before, problems := readOf(t, source)
	marked := annotate.Sheet{HeaderRow: 1, Marks: annotate.MarksOf("", problems), Verdicts: func(yield func(int, string) bool) {
		_ = yield(2, "valid") && yield(3, "invalid") && yield(4, "valid")
	}}
	err := annotate.Copy(t.Context(), annotate.Config{Source: source, Out: copied, Problems: problems, Sheets: []annotate.Sheet{marked}})
	if err != nil {
		t.Fatal(err)
	}
	after, again := readOf(t, copied)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("rows (-source +copy):\n%s", diff)
	}
	if len(again) != len(problems) || again[0].Code != schema.CodeBadZone || again[0].Place.Cell() != "D3" {
		t.Errorf("problems: %+v", again)
	}

	f, err := excelize.OpenFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, ref := range []string{"A3", "B3", "C3", "D3"} {
		if err := f.SetCellValue("events", ref, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	emptied, left := readOf(t, copied)
	if len(left) > 0 || len(emptied) != 3 || emptied[1] != "the row holds nothing but an earlier check's verdict" {
		t.Errorf("a row that was emptied: %q, %+v", emptied, left)
	}
}

// readOf gives a line of words a row, and all problems.
func readOf(t *testing.T, path string) (rows []string, problems []schema.Problem) {
	t.Helper()
	r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path}, Now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := result.Skipped
		if line == "" {
			line = result.Draft.Key
			for _, s := range result.Draft.Settings {
				line += " " + catalog.Path(s.Field) + "=" + s.Text
			}
		}
		rows = append(rows, line)
		problems = append(problems, result.Problems...)
	}
	return rows, append(problems, r.Problems()...)
}
