package desk

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/sheet"
)

// Rows that were left out are left out where they stand after lines above them are gone, unless they stand there twice; a row that
// was taken in again since is not.
func TestRowsThatWereLeftOutAreFollowed(t *testing.T) {
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.csv"), filepath.Join(dir, "desk")
	write := saves(t, path)
	write("a,b\nTea,1\nJazz,2\nSong,3\nChor,4\nTea,5\n")
	e := NewEdits(folder, path, sheet.Options{})
	e.Sum(t.Context())
	out := func(number, text string) fix.Change { return fix.Change{Cell: number, Before: text} }
	texts := map[string]string{}
	f, err := e.file(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		texts[fmt.Sprint(row.Number)] = fix.RowText(&row, false)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cells := []fix.Change{out("3", texts["3"]), out("4", texts["4"]), out("5", texts["5"])}
	if _, err := e.append(fix.Step{Rule: rules["skip"], Cells: cells}); err != nil {
		t.Fatal(err)
	}
	write("a,b\nJazz,2\nSong,3\nChor,4\nChor,4\nTea,5\n") // Chor stands there twice, at its old place too
	misfits, of, err := e.Fits(t.Context())
	if len(misfits) != 0 || of != 3 || err != nil {
		t.Errorf("of %d these do not fit: %v, %v", of, misfits, err)
	}
	write("a,b\nJazz,2\nSong,3\nTea,5\nSong,3\n")
	misfits, of, err = e.Fits(t.Context())
	if len(misfits) != 2 || misfits[0].Cell != "4" || misfits[1].Cell != "5" || of != 3 || err != nil {
		t.Errorf("of %d these do not fit: %v, %v", of, misfits, err)
	}
	write("a,b\nJazz,2\nSong,3\nTea,5\n")
	e.Open(t.Context())
	if got := fmt.Sprint(e.leftOut()); got != "[{ 2} { 3}]" {
		t.Errorf("left out are %s", got)
	}
	if _, err := e.append(fix.Step{Rule: rules["in"], Cells: []fix.Change{{Cell: "2", After: texts["3"]}}}); err != nil {
		t.Fatal(err)
	}
	e.Close()
	again := NewEdits(folder, path, sheet.Options{})
	again.Sum(t.Context())
	if got := fmt.Sprint(again.leftOut()); got != "[{ 3}]" {
		t.Errorf("left out are %s once one is taken in", got)
	}
}

// A row that was left out and holds other cells now is read, and so is the one that has come into its place.
func TestNoOtherRowIsLeftOutInThePlaceOfOne(t *testing.T) {
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.csv"), filepath.Join(dir, "desk")
	write := saves(t, path)
	write("a,b\nA,1\nB,2\nC,3\nD,4\n")
	e := NewEdits(folder, path, sheet.Options{})
	e.Sum(t.Context())
	for _, step := range []fix.Step{
		{Rule: "typed", Cells: []fix.Change{{Cell: "B3", Before: "2", After: "22", Row: "B · 2"}}},
		{Rule: rules["skip"], Cells: []fix.Change{{Cell: "5", Before: "D · 4"}}},
		{Rule: "left out", Cells: []fix.Change{{Cell: "C5", After: "SKIP", Row: "D · 4"}}}, // by a column, where the headers say all
	} {
		if _, err := e.append(step); err != nil {
			t.Fatal(err)
		}
	}
	write("a,b\nN,0\nA,1\nB,2\nC,3\nD,44\n")
	e.Open(t.Context())
	if got := fmt.Sprint(e.leftOut()); got != "[]" {
		t.Errorf("left out while the page is open are %s", got)
	}
	e.Close()
	again := NewEdits(folder, path, sheet.Options{})
	again.Sum(t.Context())
	if got := fmt.Sprint(again.leftOut()); got != "[]" {
		t.Errorf("left out are %s", got)
	}
	if again.at("", 5, 2) != nil || again.at("", 6, 2) != nil {
		t.Error("another row is marked")
	}
	misfits, _, err := again.Fits(t.Context())
	if names := fmt.Sprint(misfits); !strings.Contains(names, "a row that is gone") || err != nil {
		t.Errorf("no longer fit: %s, %v", names, err)
	}
	again.Close()
	write("a,b\nA,1\nB,2\nC,3\nD,44\n") // it is the row still
	again = NewEdits(folder, path, sheet.Options{})
	again.Sum(t.Context())
	defer again.Close()
	if c := again.at("", 5, 2); c == nil || !c.differs() {
		t.Errorf("the row with another cell is not marked: %v", c)
	}
}

// Cells that were changed are changed where their rows stand after another row was put in above them and one is gone, also where
// another row that holds the same has come into their place. What was changed of the row that is gone is named by what stood there.
func TestCellsThatWereChangedAreFollowed(t *testing.T) {
	dir := t.TempDir()
	path, folder := filepath.Join(dir, "a.csv"), filepath.Join(dir, "desk")
	write := saves(t, path)
	write("a,b\nTea,1\nJazz,many\nSong,many\nChor,many\n")
	e := NewEdits(folder, path, sheet.Options{})
	e.Sum(t.Context())
	for cell, row := range map[string]string{"B3": "Jazz · many", "B4": "Song · many", "B5": "Chor · many"} {
		step := fix.Step{Rule: "typed", Cells: []fix.Change{{Cell: cell, Before: "many", After: "80 " + row, Row: row}}}
		if _, err := e.append(step); err != nil {
			t.Fatal(err)
		}
	}
	laid := func(e *Edits, want string) {
		t.Helper()
		f, err := e.file(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		var got strings.Builder
		for row, err := range f.Rows(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			e.Lay("", &row)
			got.WriteString(fix.RowText(&row, false) + "\n")
		}
		if got.String() != want {
			t.Errorf("the rows are\n%s\nwant\n%s", got.String(), want)
		}
	}
	write("a,b\nTea,1\nNew,many\nSong,many\nJazz,many\nChor,many\n") // two have changed places, below a new one
	misfits, of, err := e.Fits(t.Context())
	if len(misfits) != 0 || of != 3 || err != nil {
		t.Errorf("of %d these do not fit: %v, %v", of, misfits, err)
	}
	const all = "a · b\nTea · 1\nNew · many\nSong · 80 Song · many\nJazz · 80 Jazz · many\nChor · 80 Chor · many\n"
	again := NewEdits(folder, path, sheet.Options{})
	again.Sum(t.Context())
	laid(again, all)
	write("a,b\nTea,1\nSong,many\nChor,many\n")
	e.Open(t.Context())
	laid(e, "a · b\nTea · 1\nSong · 80 Song · many\nChor · 80 Chor · many\n")
	misfits, _, err = e.Fits(t.Context())
	if len(misfits) != 1 || misfits[0].Name != "a row that is gone (Jazz · many)" || err != nil {
		t.Errorf("these do not fit: %+v, %v", misfits, err)
	}
	write("a,b\nTea,1\nSong,many\nSong,many\nChor,many\n") // which of the two it was nobody knows
	e.Open(t.Context())
	laid(e, "a · b\nTea · 1\nSong · 80 Song · many\nSong · many\nChor · 80 Chor · many\n")
}
