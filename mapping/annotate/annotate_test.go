package annotate

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/sheet/ooxml"
)

// Only what the marks need differs: no part that has nothing to do with them, and
// in the sheet no cell but those of the verdicts.
func TestAnnotateLeavesTheRestAsItWas(t *testing.T) {
	for name, source := range map[string]string{
		"as excelize writes": writeFile(t, "rich.xlsx", richBook(t)),
		"as an office saves": office(t, writeFile(t, "rich.xlsx", richBook(t)), "xlsx"),
	} {
		t.Run(name, func(t *testing.T) {
			before, after := fileParts(t, source), fileParts(t, annotateRich(t, source, richProblems()))
			var changed []string
			for part, content := range before {
				if after[part] != content {
					changed = append(changed, part)
				}
			}
			slices.Sort(changed)
			drawing := "xl/drawings/vmlDrawing1.vml"
			if _, ok := before[drawing]; !ok {
				drawing = "xl/drawings/vmlDrawing2.vml"
			}
			want := []string{
				"[Content_Types].xml", "xl/_rels/workbook.xml.rels", "xl/comments1.xml", drawing, "xl/styles.xml", "xl/workbook.xml",
				"xl/worksheets/sheet1.xml",
			}
			if diff := cmp.Diff(want, changed); diff != "" {
				t.Errorf("changed parts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnnotateChangesNoCellButTheVerdicts(t *testing.T) {
	source := writeFile(t, "rich.xlsx", richBook(t))
	out := annotateRich(t, source, richProblems())
	before, after := statesOf(t, source), statesOf(t, out)
	for ref, cell := range after {
		if strings.HasPrefix(ref, "Events!I") {
			delete(after, ref)
			if want := map[bool]string{
				true: "_eventbatch", false: "valid",
			}[ref == "Events!I1"]; cell.text != want && cell.text != "invalid" {
				t.Errorf("%s: %+v", ref, cell)
			}
		}
	}
	if diff := cmp.Diff(before, after, cmp.AllowUnexported(cellState{})); diff != "" {
		t.Errorf("cells (-before +after):\n%s", diff)
	}
	rows := map[string]int{}
	for _, path := range []string{source, out} {
		f, err := sheet.Open(t.Context(), path, sheet.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range f.Rows(t.Context(), "Events") {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range row.Cells[:min(8, len(row.Cells))] {
				if c.Kind != sheet.Blank {
					rows[c.Text]++
				}
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for text, n := range rows {
		if n%2 != 0 {
			t.Errorf("%q is %d times in both together", text, n)
		}
	}
}

type cellState struct {
	text, formula string
	style         *excelize.Style
}

// statesOf reads all cells but those of our own sheet, as excelize sees them.
func statesOf(t *testing.T, path string) map[string]cellState {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]cellState{}
	for _, name := range f.GetSheetList() {
		for row := 1; row <= 52 && name != "Problems"; row++ {
			for column := range 12 {
				ref := ooxml.CellRef(row, column)
				var s cellState
				if s.text, err = f.GetCellValue(name, ref); err == nil {
					s.formula, err = f.GetCellFormula(name, ref)
				}
				id, err2 := f.GetCellStyle(name, ref)
				if err == nil && err2 == nil {
					s.style, err = f.GetStyle(id)
				}
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				if s.text != "" || s.formula != "" || id != 0 {
					all[name+"!"+ref] = s
				}
			}
		}
	}
	return all
}

func TestAnnotateSpeaksBehindNotesThatAreThere(t *testing.T) {
	source := writeFile(t, "rich.xlsx", richBook(t))
	out := annotateRich(t, source, richProblems())
	want := map[string]string{
		"B3":  "please check <this> title\n── eventbatch ──\nerror: the title is <too> odd & long\nmend it\n────────────",
		"D4":  "── eventbatch ──\nerror: no such zone\ndid you mean Europe/Paris?\nwarning: and a warning\n────────────",
		"D5":  "Bob:\nwhich zone?\n── eventbatch ──\nwarning: a warning alone\n────────────",
		"I6":  "── eventbatch ──\nerror: name is missing\n────────────",
		"H6":  "[Threaded comment]\nComment:\n  is it so?\n── eventbatch ──\nerror: a bad note\n────────────",
		"C50": "── eventbatch ──\nerror: below the last row\n────────────",
	}
	if diff := cmp.Diff(want, notesIn(t, out)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if parts := fileParts(t, out); !strings.Contains(
		parts["xl/threadedComments/threadedComment1.xml"], "is it so?",
	) || parts["xl/persons/person.xml"] == "" {
		t.Error("the thread of comments is gone")
	}
}

func notesIn(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	comments, err := f.GetComments("Events")
	if err != nil {
		t.Fatal(err)
	}
	notes := map[string]string{}
	for _, c := range comments {
		var text strings.Builder
		for _, r := range c.Paragraph {
			text.WriteString(r.Text)
		}
		notes[c.Cell] = text.String()
	}
	return notes
}

// Annotating a copy gives what annotating its source gives, part for part; and with
// nothing to say, what the source was but for the verdicts.
func TestAnnotateTakesEarlierMarksOut(t *testing.T) {
	source := writeFile(t, "rich.xlsx", richBook(t))
	once := annotateRich(t, source, richProblems())
	twice := annotateRich(t, once, richProblems())
	if diff := cmp.Diff(fileParts(t, once), fileParts(t, twice)); diff != "" {
		t.Errorf("twice is not once:\n%s", diff)
	}
	clean := annotateRich(t, source, nil)
	if diff := cmp.Diff(plain(fileParts(t, clean)), plain(fileParts(t, annotateRich(t, twice, nil)))); diff != "" {
		t.Errorf("marks are left (-never marked +cleared):\n%s", diff)
	}
	other := richProblems()[3:4]
	if diff := cmp.Diff(
		plain(fileParts(t, annotateRich(t, source, other))), plain(fileParts(t, annotateRich(t, once, other))),
	); diff != "" {
		t.Errorf("stale marks (-of the source +of the copy):\n%s", diff)
	}
}

// plain leaves out what may stay behind unused, and what may be numbered otherwise.
func plain(parts map[string]string) map[string]string {
	delete(parts, "xl/styles.xml")
	for name, content := range parts {
		for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
			content = strings.ReplaceAll(content, `priority="`+n+`"`, `priority="n"`)
			content = strings.ReplaceAll(content, `dxfId="`+n+`"`, `dxfId="n"`)
		}
		if strings.HasPrefix(name, "xl/comments") { // one run more or less, and an author
			content = strings.NewReplacer(
				"<author>eventbatch</author>", "", "<text><t>", "<text><r><t xml:space=\"preserve\">", "<text><r><t>",
				"<text><r><t xml:space=\"preserve\">", "</t></text>", "</t></r></text>", "<r><t>", "<r><t xml:space=\"preserve\">",
			).Replace(content)
		}
		parts[name] = strings.ReplaceAll(content, "&#xA;", "\n")
	}
	return parts
}

// A program that saves the copy writes all of it anew, and still our marks are
// known and taken out, and the user's stay.
func TestAnnotateTakesMarksOutThatAnOfficeSaved(t *testing.T) {
	source := writeFile(t, "rich.xlsx", richBook(t))
	saved := office(t, annotateRich(t, source, richProblems()), "xlsx")
	cleared := annotateRich(t, saved, nil)
	notes := notesIn(t, cleared)
	if len(notes) != 3 || notes["B3"] != "please check <this> title" {
		t.Errorf("notes: %q", notes)
	}
	for part, content := range fileParts(t, cleared) {
		if strings.Contains(content, "LEN(") || strings.Contains(content, noteBegin) || strings.Contains(content, sheet.AnnotationSheet) {
			t.Errorf("%s still holds marks", part)
		}
	}
	f, err := sheet.Open(t.Context(), cleared, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if diff := cmp.Diff([]sheet.Info{{Name: "Events"}, {Name: "Venues"}}, f.Sheets()); diff != "" {
		t.Error(diff)
	}
}

func TestAnnotateListsAllProblemsWithLinks(t *testing.T) {
	out := annotateRich(t, writeFile(t, "rich.xlsx", richBook(t)), richProblems())
	f, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Problems")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+len(richProblems()) {
		t.Fatalf("%d rows", len(rows))
	}
	want := []string{
		"Events D4", "4", "timezone", "error", "no such zone", "did you mean Europe/Paris?", "'=1+1", "",
		"timezone", "bad-zone",
	}
	if diff := cmp.Diff(want, rows[2]); diff != "" {
		t.Error(diff)
	}
	if linked, target, err := f.GetCellHyperLink("Problems", "A3"); err != nil || !linked || target != "'Events'!D4" {
		t.Errorf("link: %v %q %v", linked, target, err)
	}
	if rows[8][0] != "Events the sheet" {
		t.Errorf("the place of a problem of the sheet: %q", rows[8][0])
	}
	if panes, err := f.GetPanes("Problems"); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes: %+v %v", panes, err)
	}
}

func TestAnnotatedCopyOpensInAnOffice(t *testing.T) {
	saved := office(t, annotateRich(t, writeFile(t, "rich.xlsx", richBook(t)), richProblems()), "xlsx")
	notes := notesIn(t, saved)
	if len(notes) != 6 || !strings.Contains(notes["D4"], "no such zone") {
		t.Errorf("notes: %q", notes)
	}
	f, err := sheet.Open(t.Context(), saved, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if diff := cmp.Diff([]sheet.Info{{Name: "Events"}, {Name: "Venues"}, {Name: "Problems", Own: true}}, f.Sheets()); diff != "" {
		t.Error(diff)
	}
	part := fileParts(t, saved)["xl/worksheets/sheet1.xml"]
	for _, formula := range []string{"eventbatch error", "eventbatch warning"} {
		if !strings.Contains(part, formula) {
			t.Errorf("no colour of %q", formula)
		}
	}
}

func TestAnnotateMakesAWorkbookOfText(t *testing.T) {
	const table = "key,name,start_at\n\nx,=1+1,\"a\nb\"\n007,\x01 odd," + "2026\n"
	for name, content := range map[string]string{
		"list.csv": table, "list.tsv": strings.ReplaceAll(table, ",", "\t"),
	} {
		t.Run(name, func(t *testing.T) {
			source, out := writeFile(t, name, []byte(content)), filepath.Join(t.TempDir(), "out.xlsx")
			problems := []schema.Problem{{Message: "bad", Place: schema.Place{File: source, Row: 4, Line: 5, Column: 1}}}
			err := Copy(t.Context(), Config{Source: source, Out: out, Problems: problems, Sheets: []Sheet{{
				HeaderRow: 1, Marks: MarksOf("", problems), Verdicts: maps.All(map[int]string{4: "invalid"}),
			}}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := sheet.Open(t.Context(), out, sheet.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if diff := cmp.Diff([]sheet.Info{{Name: "list"}, {Name: "Problems", Own: true}}, f.Sheets()); diff != "" {
				t.Error(diff)
			}
			var got [][]string
			for row, err := range f.Rows(t.Context(), "list") {
				if err != nil {
					t.Fatal(err)
				}
				line := []string{ooxml.CellRef(row.Number, 0)}
				for _, c := range row.Cells {
					if c.Kind > sheet.Text {
						t.Errorf("row %d: %+v is no text", row.Number, c)
					}
					line = append(line, c.Text)
				}
				got = append(got, line)
			}
			want := [][]string{
				{
					"A1", "key", "name", "start_at", "_eventbatch",
				}, {"A3", "x", "=1+1", "a\nb"}, {"A4", "007", "\uFFFD odd", "2026", "invalid"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of a text that cannot be read to its end, the rows before that place are annotated.
func TestAnnotateShowsWhatCouldBeRead(t *testing.T) {
	source, out := writeFile(t, "cut.csv", []byte("name,key\nTea,1\n\"Talk,2\n")), filepath.Join(t.TempDir(), "out.xlsx")
	problems := []schema.Problem{{Message: "a quote is never closed", Place: schema.Place{File: source, Row: 3, Line: 3}}}
	if err := Copy(
		t.Context(),
		Config{Source: source, Out: out, Problems: problems, Sheets: []Sheet{{HeaderRow: 1, Marks: MarksOf("", problems)}}},
	); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for ref, want := range map[string]string{"cut!A2": "Tea", "Problems!E2": "a quote is never closed"} {
		name, cell, _ := strings.Cut(ref, "!")
		if got, err := f.GetCellValue(name, cell); err != nil || got != want {
			t.Errorf("%s: %q, %v", ref, got, err)
		}
	}
}

func TestAnnotateRefuses(t *testing.T) {
	source := writeFile(t, "rich.xlsx", richBook(t))
	link := filepath.Join(t.TempDir(), "link.xlsx")
	if err := os.Symlink(source, link); err != nil {
		t.Fatal(err)
	}
	macros := writeFile(t, "macros.xlsm", withParts(t, richBook(t), map[string]string{
		"xl/vbaProject.bin": "macros",
	}, func(name, content string) string {
		return strings.Replace(content, "spreadsheetml.sheet.main+xml", "sheet.macroEnabled.main+xml", 1)
	}))
	fine := filepath.Join(t.TempDir(), "out.xlsx")
	for name, c := range map[string]Config{
		"itself":                  {Source: source, Out: source},
		"itself, by another name": {Source: source, Out: link},
		"standard input":          {Source: "-", Out: fine},
		"a file that changed":     {Source: source, Out: fine, SHA256: "00"},
		"macros without the name": {Source: macros, Out: fine},
		"the name without macros": {Source: source, Out: filepath.Join(t.TempDir(), "out.xlsm")},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.Source)
			err := Copy(t.Context(), c)
			if !errors.Is(err, failure.Output) {
				t.Errorf("error: %v", err)
			}
			if after, _ := os.ReadFile(c.Source); string(after) != string(before) {
				t.Error("the source has changed")
			}
			if _, err := os.Lstat(fine); err == nil {
				t.Error("there is a copy")
			}
		})
	}
	out := filepath.Join(t.TempDir(), "out.xlsm")
	if err := Copy(t.Context(), Config{Source: macros, Out: out}); err != nil {
		t.Fatal(err)
	}
	if fileParts(t, out)["xl/vbaProject.bin"] != "macros" {
		t.Error("the macros are gone")
	}
}

// What is damaged is the file, not where the copy would lie: also a part that reading rows
// does not look at, and one that was read already. A problem that says so is listed.
func TestAnnotateTellsThatTheFileIsDamaged(t *testing.T) {
	for _, part := range []string{"[Content_Types].xml", "xl/worksheets/sheet1.xml"} {
		damaged := zipped(t, bookParts(sheetXML(`<row r="1"><c r="A1"><v>1</v></c></row>`))...)
		damaged[bytes.Index(damaged, []byte(part))+len(part)+8] ^= 0xFF
		c := Config{
			Source: writeFile(t, "damaged.xlsx", damaged), Out: filepath.Join(t.TempDir(), "out.xlsx"),
			Sheets: []Sheet{{Name: "Events", HeaderRow: 1, Header: []string{"1"}}},
		}
		if err := Copy(t.Context(), c); !errors.Is(err, failure.Invalid) || !strings.Contains(err.Error(), "damaged.xlsx is damaged: ") {
			t.Errorf("%s: error: %v", part, err)
		}
		c.Problems = []schema.Problem{{Code: schema.CodeBadZip, Message: "damaged", Place: schema.Place{File: c.Source}}}
		if err := Copy(t.Context(), c); err != nil {
			t.Errorf("%s: the problems are not listed: %v", part, err)
		}
	}
	cut := zipped(t, bookParts(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1`)...)
	c := Config{Source: writeFile(t, "cut.xlsx", cut), Out: filepath.Join(t.TempDir(), "out.xlsx")}
	if err := Copy(t.Context(), c); !errors.Is(err, failure.Invalid) || !strings.Contains(err.Error(), "cut.xlsx is damaged: ") {
		t.Errorf("a part that is cut: error: %v", err)
	}
}
