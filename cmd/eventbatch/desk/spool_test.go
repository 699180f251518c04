package desk

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/sheet"
)

// Rows come back from the spool as the reader gave them, whoever reads the sheet besides.
func TestRowsComeBackFromTheSpool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSpool()
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		cell := rapid.Custom(func(t *rapid.T) sheet.Cell {
			c := sheet.Cell{Kind: sheet.CellKind(rapid.IntRange(0, int(sheet.JSON)).Draw(t, "kind")), Text: rapid.String().Draw(t, "text")}
			c.Marks = sheet.Marks(rapid.IntRange(0, 3).Draw(t, "marks"))
			return c
		})
		var rows []sheet.Row
		number := 0
		for range rapid.IntRange(0, 30).Draw(t, "rows") {
			number += rapid.IntRange(1, 3).Draw(t, "step")
			row := sheet.Row{Number: number, Cells: rapid.SliceOfN(cell, 1, 5).Draw(t, "cells")}
			rows = append(rows, row)
			s.take("A", &row)
			s.take("B", &row)
			s.take("A", &rows[rapid.IntRange(0, len(rows)-1).Draw(t, "again")])
			if rapid.Bool().Draw(t, "told") {
				for i := range rapid.IntRange(1, 3).Draw(t, "times") {
					if _, err := s.tell("A", number, good, &told{Reason: fmt.Sprint(i)}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		cells, findings := s.cursor(), s.cursor()
		for _, name := range []string{"A", "B"} {
			for i, want := range rows {
				got, err := cells.row(s.sheets[name].cells[i])
				if err != nil || !cmp.Equal(want, got) {
					t.Fatalf("row %d of %s: %v: %s", i, name, err, cmp.Diff(want, got))
				}
				said, err := findings.said(s.sheets[name].told[i])
				if err != nil || (len(said) > 0) != (s.sheets[name].verdict(i) == good) {
					t.Fatalf("row %d of %s: %v: %v", i, name, said, err)
				}
				for k := range said {
					if said[k].Reason != fmt.Sprint(k) {
						t.Fatalf("row %d of %s: %v", i, name, said)
					}
				}
			}
		}
	})
}

// Nobody else can read what is kept, by any name.
func TestTheSpoolHasNoName(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	info, err := s.file.Stat()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v: %v", left, err)
	}
}
