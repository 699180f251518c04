package template

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/schema"
)

var operations = map[string]schema.Actions{"create": schema.OnCreate, "update": schema.OnUpdate, "upsert": schema.OnBoth}

// A field that the table gets is a column of the form at once.
func TestEveryFieldOfTheOperationIsInItsTemplate(t *testing.T) {
	for word, op := range operations {
		form := For(catalog.Events, op)
		columns := map[string]Column{}
		for _, c := range form.Columns {
			if _, twice := columns[c.path]; twice {
				t.Errorf("%s: two columns %s", word, c.path)
			}
			columns[c.path] = c
		}
		for _, f := range catalog.Events.Describe(op) {
			c, ok := columns[f.Path]
			switch {
			case f.Deprecated:
				if ok {
					t.Errorf("%s: %s is deprecated", word, f.Path)
				}
				continue
			case !ok:
				t.Errorf("%s: no column %s", word, f.Path)
				continue
			}
			delete(columns, f.Path)
			if !strings.HasPrefix(c.note, sentence(catalog.Titled(f.Doc))) || !strings.HasSuffix(c.note, "\nField: "+f.Path) {
				t.Errorf("%s: the note of %s lacks what the field is: %q", word, f.Path, c.note)
			}
			for _, value := range f.Values {
				if f.Kind != "action" && !slices.Contains(c.choices, value) {
					t.Errorf("%s: %s does not offer %s", word, f.Path, value)
				}
			}
			if f.Nullable && len(c.choices) > 0 && !slices.Contains(c.choices, "<clear>") {
				t.Errorf("%s: %s does not offer <clear>", word, f.Path)
			}
			needed := slices.Contains(f.Required, "create") && op != schema.OnUpdate || slices.Contains(f.Required, "update") &&
				op == schema.OnUpdate
			if needed != (c.weight == weightRequired) {
				t.Errorf("%s: %s is marked as required: %v", word, f.Path, !needed)
			}
			if !slices.ContainsFunc(form.instructions.lines, func(l line) bool { return len(l.cells) == 5 && l.cells[0] == c.Header }) {
				t.Errorf("%s: the page says nothing of %s", word, f.Path)
			}
		}
		for path := range columns {
			t.Errorf("%s: the column %s is no field of the operation", word, path)
		}
	}
}

// Rare columns come last, together, so that they fold into one.
func TestRareColumnsComeLast(t *testing.T) {
	for word, op := range operations {
		rare := false
		for _, c := range For(catalog.Events, op).Columns {
			if rare && c.weight != weightRare {
				t.Errorf("%s: %s stands behind rare columns", word, c.Header)
			}
			rare = c.weight == weightRare
		}
	}
}

// written writes a form to a file.
func written(t *testing.T, name string, op schema.Actions) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	err := durable.Replace(path, 0o600, func(w io.Writer) error {
		if filepath.Ext(name) == ".csv" {
			return For(catalog.Events, op).WriteCSV(w)
		}
		return For(catalog.Events, op).WriteXLSX(t.Context(), w)
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads a file as check does, and gives what it says of rows and the file.
func read(t *testing.T, path string, op schema.Actions) (results []mapping.Result, problems []schema.Problem) {
	t.Helper()
	r, err := mapping.Read(
		t.Context(), mapping.Config{Files: []string{path}, Operation: op, Now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)},
	)
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		kept := *result
		kept.Draft = result.Draft.Clone()
		results = append(results, kept)
		problems = append(problems, result.Problems...)
	}
	return results, append(problems, r.Problems()...)
}

func TestATemplateIsReadWithoutAWarning(t *testing.T) {
	for word, op := range operations {
		for _, name := range []string{"template.xlsx", "template.csv"} {
			results, problems := read(t, written(t, name, op), op)
			if len(problems) > 0 {
				t.Errorf("%s %s: %+v", word, name, problems)
			}
			if len(results) != 2 || results[0].Skipped == "" || results[1].Skipped == "" {
				t.Errorf("%s %s: the examples are not left out: %+v", word, name, results)
			}
		}
	}
}

// The examples would be good rows if they did not say SKIP.
func TestTheExamplesAreGood(t *testing.T) {
	for word, op := range operations {
		path := written(t, "template.xlsx", op)
		edit(t, path, func(f *excelize.File) {
			columns := headers(t, f)
			for _, row := range []int{2, 3} {
				set(t, f, columns["Action"], row, "")
				if op == schema.OnBoth {
					set(t, f, columns["Event id"], row, "")
				}
			}
		})
		results, problems := read(t, path, op)
		if len(problems) > 0 {
			t.Errorf("%s: %+v", word, problems)
		}
		if len(results) != 2 || results[0].Draft.Text(catalog.FieldStartAt) == "" {
			t.Errorf("%s: %+v", word, results)
		}
	}
}

// Filled in, and saved by an office, the form is read without a mapping, and
// nothing is to be said of it.
func TestAFilledTemplateThatAnOfficeSavedIsReadWithoutAWarning(t *testing.T) {
	path := written(t, "template.xlsx", schema.OnBoth)
	edit(t, path, func(f *excelize.File) {
		columns := headers(t, f)
		for i := range 3 {
			row := 4 + i
			for header, value := range map[string]any{
				"Key": fmt.Sprintf("00%d", i), "Name": "Tea", "Start": time.Date(2027, 6, 1+i, 18, 30, 0, 0, time.UTC),
				"End": time.Date(2027, 6, 1+i, 20, 0, 0, 0, time.UTC), "Time zone": "Europe/Berlin", "Visibility": "members-only",
				"Seats": 40, "Registration open": true, "Theme": "warp", "Address": "1 High Street, Leeds",
			} {
				set(t, f, columns[header], row, value)
			}
		}
	})
	results, problems := read(t, soffice(t, path), schema.OnBoth)
	if len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
	if len(results) != 5 {
		t.Fatalf("%d rows", len(results))
	}
	d := results[4].Draft
	got := map[schema.ID]string{}
	for _, s := range d.Settings {
		got[s.Field] = s.Text
	}
	want := map[schema.ID]string{
		catalog.FieldName: "Tea", catalog.FieldStartAt: "2027-06-03T18:30:00+02:00", catalog.FieldEndAt: "2027-06-03T20:00:00+02:00",
		catalog.FieldTimezone: "Europe/Berlin", catalog.FieldVisibility: "members-only", catalog.FieldMaxCapacity: "40",
		catalog.FieldRegistrationOpen: "true", catalog.FieldTheme: "warp", catalog.FieldAddress: "1 High Street, Leeds",
	}
	if diff := cmp.Diff(want, got); diff != "" || d.Key != "002" {
		t.Errorf("key %q\n%s", d.Key, diff)
	}
}

// Each resource's workbook has headers that people say, and a row of it is read without
// a mapping, each cell into its field.
func TestAFilledTemplateOfEachResourceIsReadWithoutAMapping(t *testing.T) {
	for _, r := range catalog.Resources {
		path := filepath.Join(t.TempDir(), r.Name+".xlsx")
		form := For(r, schema.OnBoth)
		err := durable.Replace(path, 0o600, func(w io.Writer) error { return form.WriteXLSX(t.Context(), w) })
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		edit(t, path, func(f *excelize.File) {
			for i, c := range form.Columns {
				field, _ := r.ByPath(c.path)
				value := field.Example
				switch field.ID {
				case schema.FieldAction, schema.FieldCalendarID, catalog.FieldEventID:
					value = ""
				default:
					want[c.path] = true
				}
				if err := f.SetCellValue(r.Title(), fmt.Sprint(schema.ColumnName(i), 2), value); err != nil {
					t.Fatal(err)
				}
			}
		})
		reader, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path}, Now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		for result, err := range reader.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if result.Draft.Resource != r {
				t.Errorf("a sheet of %s is read as %s", r.Name, result.Draft.Resource.Name)
			}
			if result.Skipped != "" {
				continue
			}
			delete(want, "key")
			for _, s := range result.Draft.Settings {
				delete(want, catalog.Path(s.Field))
			}
			for _, f := range r.Columns() {
				if amount, ok := r.ByPath(f.Becomes); ok && !want[amount.Path] {
					delete(want, f.Path)
				}
			}
			problems := slices.DeleteFunc(slices.Concat(result.Problems, reader.Problems()), func(p schema.Problem) bool {
				return p.Severity == schema.Warning || p.Code == schema.CodeExclusiveFields // every column is filled in
			})
			if len(problems) > 0 || len(want) > 0 {
				t.Errorf("%s: fields that are not read: %v, problems: %+v", r.Name, want, problems)
			}
		}
	}
}

func edit(t *testing.T, path string, change func(*excelize.File)) {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	change(f)
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

func headers(t *testing.T, f *excelize.File) map[string]string {
	t.Helper()
	rows, err := f.GetRows("Events")
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]string{}
	for i, header := range rows[0] {
		columns[header] = schema.ColumnName(i)
	}
	return columns
}

func set(t *testing.T, f *excelize.File, column string, row int, value any) {
	t.Helper()
	if column == "" {
		return
	}
	ref := fmt.Sprint(column, row)
	style, err := f.GetCellStyle("Events", ref)
	if err == nil {
		err = f.SetCellValue("Events", ref, value)
	}
	if err == nil && row > 3 {
		style, err = f.GetColStyle("Events", column)
	}
	if err == nil {
		err = f.SetCellStyle("Events", ref, ref, style)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The columns fold, the header stays in view, and cells offer what they can hold.
func TestATemplateIsAWorkbookToFillIn(t *testing.T) {
	path := written(t, "template.xlsx", schema.OnBoth)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) string {
		f, err := r.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	table := part("xl/worksheets/sheet1.xml")
	for _, want := range []string{`outlineLevelCol="1"`, `collapsed="1"`, `state="frozen"`, `<dimension ref="A1:`, `Lists!$A$2`} {
		if !strings.Contains(table, want) {
			t.Errorf("the sheet lacks %s", want)
		}
	}
	if book := part("xl/workbook.xml"); strings.Count(book, `hidden="true"`) != 2 {
		t.Errorf("names: %s", book)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	comments, err := f.GetComments("Events")
	if err != nil || len(comments) != len(For(catalog.Events, schema.OnBoth).Columns) {
		t.Errorf("%d notes, %v", len(comments), err)
	}
	if visible, err := f.GetSheetVisible("Lists"); err != nil || visible {
		t.Errorf("the lists are in view: %v", err)
	}
}

// Whoever keeps templates under version control sees a change only where there is one.
func TestATemplateIsTheSameEachTime(t *testing.T) {
	var first []byte
	for range 8 {
		content, err := os.ReadFile(written(t, "template.xlsx", schema.OnBoth))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = content
		}
		if !bytes.Equal(content, first) {
			t.Fatal("two templates of the same fields differ")
		}
	}
}
