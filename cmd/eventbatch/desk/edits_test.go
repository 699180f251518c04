package desk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// threeRows is a file whose cells are all alike at first.
func threeRows(t rapid.TB) string {
	t.Helper()
	path := filepath.Join(os.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a,b\nx,x\nx,x\nx,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// laid returns the cells of the file as they are edited.
func laid(e *Edits) (cells []string) {
	for number := 2; number <= 4; number++ {
		row := sheet.Row{Number: number, Cells: []sheet.Cell{{Kind: sheet.Text, Text: "x"}, {Kind: sheet.Text, Text: "x"}}}
		e.Lay("", &row)
		cells = append(cells, shown(&row, false)...)
	}
	return cells
}

// draws has some cells be edited, in a few steps, and some steps be taken back.
func draws(t *rapid.T, e *Edits) {
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		if len(e.steps) > 0 && rapid.IntRange(0, 3).Draw(t, "back") == 0 {
			s, _ := e.back(rapid.IntRange(1, len(e.steps)).Draw(t, "step"))
			if len(s.Cells) > 0 {
				keep(t, e, s)
			}
			continue
		}
		s := fix.Step{Rule: "typed"}
		for _, at := range rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 1, 4, rapid.ID[int]).Draw(t, "cells") {
			place := schema.Place{Row: 2 + at/2, Column: at % 2}
			s.Cells = append(s.Cells, fix.Change{
				Cell: place.Cell(), Before: laid(e)[at], After: rapid.SampledFrom([]string{"x", "y", "z", "", "=1+1"}).Draw(t, "after"),
			})
		}
		keep(t, e, s)
	}
}

func keep(t *rapid.T, e *Edits, s fix.Step) {
	if _, err := e.append(s); err != nil {
		t.Fatal(err)
	}
}

func newEdits(t *rapid.T, folder, path string) *Edits {
	e := NewEdits(folder, path, sheet.Options{})
	if e.Sum(t.Context()) == "" || e.why != nil {
		t.Fatal(e.why)
	}
	return e
}

// Taken back in any order, all steps together give the file as it was, and the steps that are kept say so too.
func TestStepsAreTakenBackInAnyOrder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "desk")
		if err != nil {
			t.Fatal(err)
		}
		path := threeRows(t)
		e := newEdits(t, folder, path)
		defer e.Close()
		first := laid(e)
		draws(t, e)
		made := len(e.steps)
		order := make([]int, made)
		for i := range order {
			order[i] = i + 1
		}
		for _, step := range rapid.Permutation(order).Draw(t, "order") {
			if e.steps[step-1].Back > 0 {
				continue // it brings back what was taken back
			}
			if s, _ := e.back(step); len(s.Cells) > 0 {
				keep(t, e, s)
			}
		}
		if diff := cmp.Diff(first, laid(e)); diff != "" || len(fix.Net(e.steps)) > 0 || e.Any() {
			t.Fatalf("%s; %v are left", diff, fix.Net(e.steps))
		}
	})
}

// What is taken back twice is as it was: the second time brings it back, with what came after it.
func TestWhatIsTakenBackIsBroughtBack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "desk")
		if err != nil {
			t.Fatal(err)
		}
		e := newEdits(t, folder, threeRows(t))
		defer e.Close()
		draws(t, e)
		if len(e.steps) == 0 {
			t.Skip("nothing was done")
		}
		before := laid(e)
		s, _ := e.back(rapid.IntRange(1, len(e.steps)).Draw(t, "step"))
		if len(s.Cells) == 0 {
			t.Skip("it is not good any more")
		}
		keep(t, e, s)
		s, with := e.back(len(e.steps))
		keep(t, e, s)
		if diff := cmp.Diff(before, laid(e)); diff != "" || len(with) > 0 {
			t.Fatalf("%s; %v go with it", diff, with)
		}
	})
}

// Cut at any byte, a file of edits opens with the steps that are whole in it, and takes further ones.
func TestEditsThatAreCutAnywhereOpen(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "desk")
		if err != nil {
			t.Fatal(err)
		}
		path := threeRows(t)
		e := newEdits(t, folder, path)
		draws(t, e)
		e.Close()
		if len(e.steps) == 0 {
			t.Skip("nothing was done")
		}
		text, err := os.ReadFile(e.name())
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if err := os.WriteFile(e.name(), text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again := newEdits(t, folder, path)
		defer again.Close()
		whole := bytes.Count(text[:cut], []byte("\n"))
		if diff := cmp.Diff(fmt.Sprint(e.steps[:whole]), fmt.Sprint(again.steps)); diff != "" {
			t.Fatal(diff)
		}
		draws(t, again)
		steps, _, err := readSteps(again.name())
		if err != nil || len(steps) != len(again.steps) {
			t.Fatalf("%d steps are kept of %d: %v", len(steps), len(again.steps), err)
		}
	})
}

// saves returns what saves a file with a text.
func saves(t *testing.T, path string) func(text string) {
	return func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder that is moved with its workspace, and whose file is saved then, goes on with the edits.
func TestEditsGoWithAFolderThatIsMoved(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	open := func(dir string) *Edits {
		t.Helper()
		e := NewEdits(filepath.Join(dir, ".eventbatch", "desk"), filepath.Join(dir, "a.csv"), sheet.Options{})
		e.Sum(t.Context())
		t.Cleanup(e.Close)
		return e
	}
	if err := os.Mkdir(before, 0o700); err != nil {
		t.Fatal(err)
	}
	saves(t, filepath.Join(before, "a.csv"))("a,b\nx,x\n")
	e := open(before)
	if _, err := e.append(fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: "A2", Before: "x", After: "y"}}}); err != nil {
		t.Fatal(err)
	}
	e.Close()
	if err := os.Rename(before, after); err != nil {
		t.Fatal(err)
	}
	saves(t, filepath.Join(after, "a.csv"))("a,b\nx,x\nz,z\n")
	if again := open(after); len(again.steps) != 1 {
		t.Errorf("%d steps are taken over: %v", len(again.steps), again.why)
	}
}

// A file that was saved since has the edits of the earlier one that fit, and names the others; one that none fits has none.
func TestEditsGoWithAFileThatIsSaved(t *testing.T) {
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.csv"), filepath.Join(dir, "desk")
	write := saves(t, path)
	open := func() *Edits {
		t.Helper()
		e := NewEdits(folder, path, sheet.Options{})
		e.Sum(t.Context())
		t.Cleanup(e.Close)
		return e
	}
	write("a,b\nx,x\nx,x\n")
	e := open()
	for _, cell := range []string{"A2", "B2", "A3"} {
		if _, err := e.append(fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: cell, Before: "x", After: "y"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if e.changed(t.Context()) {
		t.Error("the file is said to be another one")
	}
	write("a,b\nx,q\ny,x,\n") // one cell is another, and one was edited so in the file itself
	misfits, of, err := e.Fits(t.Context())
	if !e.changed(t.Context()) || len(misfits) != 1 || misfits[0].Cell != "B2" || of != 3 || err != nil {
		t.Errorf("of %d these do not fit: %v, %v", of, misfits, err)
	}
	again := open()
	if len(again.steps) != 3 {
		t.Fatalf("%d steps are taken over", len(again.steps))
	}
	if path, err := again.Written(); err != nil {
		t.Errorf("what was taken over is not written: %v", err)
	} else if steps, _, err := readSteps(path); len(steps) != 3 || err != nil {
		t.Errorf("%d steps are written: %v", len(steps), err)
	}
	row := sheet.Row{Number: 2, Cells: []sheet.Cell{{Kind: sheet.Text, Text: "x"}, {Kind: sheet.Text, Text: "q"}}}
	if again.Lay("", &row); row.Cells[0].Text != "y" || row.Cells[1].Text != "q" {
		t.Errorf("the row is %v", row.Cells)
	}
	if _, err := again.append(fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: "B2", Before: "q", After: "z"}}}); err != nil {
		t.Fatal(err)
	}
	row.Cells = []sheet.Cell{{Kind: sheet.Text, Text: "x"}, {Kind: sheet.Text, Text: "q"}}
	if again.Lay("", &row); row.Cells[1].Text != "z" {
		t.Errorf("the row is %v", row.Cells)
	}
	net := fix.Net(again.steps)
	if !slices.Contains(net, fix.Change{Cell: "B2", Before: "q", After: "z"}) || len(net) != 3 {
		t.Errorf("they come to %v", net)
	}
	if other := open(); true {
		if _, err := other.append(fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: "A2", Before: "y", After: "z"}}}); err == nil {
			t.Error("two pages edit one file")
		}
	}
	write("c,d\n1,2\n3,4\n")
	if none := open(); len(none.steps) > 0 {
		t.Errorf("another file has %v", none.steps)
	}
}

// A copy is known as the page's from before it is in its place, and so is the one that was there until then: its writing may be
// cut short anywhere.
func TestACopyIsThePagesWhereverItsWritingEnds(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.mended.csv")
	saves(t, path)("a,b\nx,x\n")
	put := saves(t, copied)
	e := NewEdits(filepath.Join(dir, "desk"), path, sheet.Options{})
	e.Sum(t.Context())
	defer e.Close()
	wrote := func(steps int) {
		t.Helper()
		if got, want := e.wrote(copied), fmt.Sprintf("%s %d", e.sum, steps); got != want && (got != "" || steps > 0) {
			t.Errorf("the copy is %q, want %q", got, want)
		}
	}
	text := ""
	for n := 1; n <= 3; n++ {
		step := fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: "A2", Before: "x" + text, After: "x" + strings.Repeat("y", n)}}}
		if _, err := e.append(step); err != nil {
			t.Fatal(err)
		}
		text = strings.Repeat("y", n)
		copies := CopiesBy(e.name(), n)
		if err := copies.Expect(sumOfText("a,b\n" + text + ",x\n")); err != nil {
			t.Fatal(err)
		}
		wrote(n - 1) // the copy of before, where there is one
		put("a,b\n" + text + ",x\n")
		wrote(n)
		if n == 2 { // what was expected is noted, or not
			if err := copies.Put(copied); err != nil {
				t.Fatal(err)
			}
			wrote(n)
		}
	}
	put("a,b\nmine,x\n")
	wrote(0)
}

// Edits whose workspace was taken away are not kept, and whoever makes one is told.
func TestAnEditWithoutItsWorkspaceIsRefused(t *testing.T) {
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.csv"), filepath.Join(dir, "desk")
	saves(t, path)("a,b\nx,x\n")
	e := NewEdits(folder, path, sheet.Options{})
	e.Sum(t.Context())
	defer e.Close()
	edit := func(cell string) error {
		_, err := e.append(fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: cell, Before: "x", After: "y"}}})
		return err
	}
	if err := edit("A2"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := edit("B2"); err == nil || err.Error() != folder+", where edits are kept, is gone: end this page, and open the file again" {
		t.Error(err)
	}
	if len(e.steps) != 1 {
		t.Errorf("%d steps", len(e.steps))
	}
}

// What takes back what takes back is told by the edit that it is about, however often.
func TestAStepIsToldByItsEdit(t *testing.T) {
	e := NewEdits("", "", sheet.Options{})
	const cell = `"cells":[{"cell":"A2","before":"Tea","after":"Coffee"}]}`
	var text strings.Builder
	text.WriteString(`{"step":1,` + cell + "\n")
	for n := 2; n <= 5; n++ {
		fmt.Fprintf(&text, `{"step":%d,"back":%d,%s`+"\n", n, n-1, cell)
	}
	steps, _, err := fix.ReadSteps(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		e.take(&steps[i])
	}
	for n, before := range []string{"", "taken back: ", "done again: ", "taken back: ", "done again: "} {
		if got, want := e.text(n+1), before+"A2 · Tea → Coffee"; got != want {
			t.Errorf("step %d: %s, want %s", n+1, got, want)
		}
	}
	if _, _, err := fix.ReadSteps(strings.NewReader(`{"step":1,"cells":[]}` + "\n")); err == nil {
		t.Error("a step that changes no cell is read")
	}
}

// Rows that are left out are counted, and not the cells that say so, of which one may be the header of a new column.
func TestRowsThatAreLeftOutAreTold(t *testing.T) {
	e := NewEdits("", "", sheet.Options{})
	one := fix.Change{Cell: "H7", After: "SKIP"}
	e.take(&fix.Step{Step: 1, Rule: rules["skip"], Cells: []fix.Change{{Cell: "H1", After: "action"}, one, {Cell: "H9", After: "SKIP"}}})
	e.take(&fix.Step{Step: 2, Rule: rules["skip"], Cells: []fix.Change{one}})
	if got, want := e.text(1)+", "+e.text(2), "2 rows, row 7"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is posted by hand changes cells of the rows only, and none twice in one step.
func TestEditsThatArePostedByHand(t *testing.T) {
	for body, words := range map[string]string{
		`"cells":[{"cell":"A2","before":"Tea","after":"X"},{"cell":"A02","before":"Tea","after":"Y"}]`: "that is not a cell of the file",
		`"cells":[{"cell":"A2","before":"Tea","after":"X"},{"cell":"a2","before":"Tea","after":"Y"}]`:  "that is not a cell of the file",
		`"rule":"paste","rows":[1,2],"column":0,"value":"X\nY"`:                                        "A1 is not a cell of the rows",
		`"cells":[{"cell":"A1","before":"name","after":"X"}]`:                                          "A1 is not a cell of the rows",
	} {
		d := served(t)
		if status, text := posted(t, d, "/api/edits", `{"generation":0,`+body+`}`); status != http.StatusBadRequest ||
			strings.TrimSpace(text) != words {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
}

// What is planned, sent or answered of a file that was saved since waits until it is read again: nothing is kept of what is refused.
func TestAFileThatWasSavedSinceIsReadFirst(t *testing.T) {
	d := served(t)
	var sends atomic.Int32
	d.Sending.Send = func(context.Context, io.Writer, []string, ...string) []byte {
		sends.Add(1)
		return nil
	}
	d.routes = d.table()
	if status, text := posted(t, d, "/api/plan", `{"generation":0}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	saves(t, d.Editing.Edits.of)("name\nCoffee\n")
	for path, body := range map[string]string{
		"/api/apply":   `{"generation":0,"run":"20270301-1","checksum":"abc","allow":["cancel"],"typed":"2"}`,
		"/api/plan":    `{"generation":0,"leave":[{"sheet":"","row":2}]}`,
		"/api/mapping": `{"generation":0,"answers":[{"id":"timezone","value":"Europe/Berlin"}]}`,
	} {
		status, text := posted(t, d, path, body)
		if status != http.StatusConflict || text != "a.csv is not as it was read: read it again first\n" {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if n := len(d.Editing.Edits.steps); n > 0 || sends.Load() > 0 {
		t.Errorf("%d steps were kept, %d sent", n, sends.Load())
	}
}

// A cell that the file has another text in since is not told as one that was changed.
func TestWhatNoLongerFitsIsNoChange(t *testing.T) {
	e := NewEdits("", "", sheet.Options{})
	e.take(&fix.Step{Step: 1, Cells: []fix.Change{
		{Cell: "A2", Before: "Tea", After: "Mate"},
		{Cell: "B2", Before: "8 pm", After: "20:00"},
	}})
	text := func(s string) sheet.Cell { return sheet.Cell{Kind: sheet.Text, Text: s} }
	columns, before, after := e.changedIn("", &sheet.Row{Number: 2, Cells: []sheet.Cell{text("Coffee"), text("8 pm")}})
	if got, want := fmt.Sprint(columns, before, after), "[1] [8 pm] [20:00]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
