package annotate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// Of what cannot be read there is nothing to copy, but why is worth a sheet.
func TestAnnotateListsTheProblemsOfWhatCannotBeRead(t *testing.T) {
	whole := richBook(t)
	for name, source := range map[string]struct {
		path    string
		options sheet.Options
	}{
		"missing":     {path: filepath.Join(t.TempDir(), "gone.xlsx")},
		"cut":         {path: writeFile(t, "cut.xlsx", whole[:len(whole)/2])},
		"no workbook": {path: writeFile(t, "text.xlsx", []byte("hello"))},
		"delimiter":   {writeFile(t, "a.csv", []byte("name;start_at\nTea;x\nJazz;y\n")), sheet.Options{Delimiter: ','}},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.xlsx")
			c := Config{Source: source.path, Options: source.options, Out: out}
			if err := Copy(t.Context(), c); err == nil {
				t.Fatal("without a problem to list it is no error")
			}
			if _, err := os.Stat(out); err == nil {
				t.Fatal("there is a copy of what cannot be read")
			}
			c.Problems = []schema.Problem{{
				Severity: schema.Error, Code: schema.CodeUnreadableFile, Message: "it cannot be read", Hint: "look for it",
				Place: schema.Place{File: source.path, Column: -1},
			}}
			if err := Copy(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			book, err := excelize.OpenFile(out)
			if err != nil {
				t.Fatal(err)
			}
			defer book.Close()
			sheets := book.GetSheetList()
			if len(sheets) != 2 || sheets[1] != "Problems" {
				t.Fatalf("sheets %q", sheets)
			}
			if words, err := book.GetCellValue(sheets[0], "A1"); err != nil || !strings.Contains(
				words, filepath.Base(source.path)+" could not be read",
			) {
				t.Errorf("%q: %v", words, err)
			}
			if message, err := book.GetCellValue("Problems", "E2"); err != nil || message != "it cannot be read" {
				t.Errorf("%q: %v", message, err)
			}
		})
	}
}

// Spreadsheet programs call a workbook damaged that has an attribute too many.
func TestAnnotateCountsNoNames(t *testing.T) {
	source := writeFile(t, "a.csv", []byte("name\nTea\n"))
	out := filepath.Join(t.TempDir(), "out.xlsx")
	problems := []schema.Problem{{Message: "m", Place: schema.Place{File: source, Row: 2, Line: 2}}}
	err := Copy(
		t.Context(),
		Config{Source: source, Out: out, Problems: problems, Sheets: []Sheet{{HeaderRow: 1, Marks: MarksOf("", problems)}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range fileParts(t, out) {
		if found := regexp.MustCompile(`<(?:definedNames|authors)\s[^>]*>`).FindString(content); found != "" {
			t.Errorf("%s has %s", name, found)
		}
	}
}

func TestProblemsBeyondTheListAreCounted(t *testing.T) {
	for n, want := range map[int]string{problemsListed: "", problemsListed + 3: "and 3 more"} {
		l := &problemList{problems: make([]schema.Problem, n)}
		text := string(l.xml())
		if rows := strings.Count(text, "<row "); rows != problemsListed+1 && want == "" || rows != problemsListed+2 && want != "" {
			t.Errorf("%d problems: %d rows", n, rows)
		}
		if !strings.Contains(text, want) || want == "" && strings.Contains(text, " more,") {
			t.Errorf("%d problems: want %q", n, want)
		}
	}
}
