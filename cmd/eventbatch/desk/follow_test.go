package desk

import (
	"fmt"
	"path/filepath"
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
