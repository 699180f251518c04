package main

import (
	"encoding/csv"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// scriptBook makes a workbook of CSV files, a sheet each: book season.xlsx Events=events.csv Venues=venues.csv.
// A cell such as @2027-03-04 is a real date, @2027-03 one that shows as a month, a number is one. What else is done to a
// sheet comes behind: merge=Events!A2:A4, hide=Events!7, hide=Events!C, hide=Events!. With from=season.xlsx in the first place it
// is a copy of that workbook, of which drop=Events!3 takes a row, set=Events!B3:text fills a cell, and
// swap=Events!A2:A3 has two of them trade places.
func scriptBook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: book OUT.xlsx SHEET=FILE.csv … merge=SHEET!RANGE hide=SHEET!ROW")
	}
	f := excelize.NewFile()
	if from, ok := strings.CutPrefix(args[1], "from="); ok {
		var err error
		f, err = excelize.OpenFile(ts.MkAbs(from))
		ts.Check(err)
	}
	dates, err := f.NewStyle(&excelize.Style{NumFmt: 14})
	ts.Check(err)
	months, err := f.NewStyle(&excelize.Style{CustomNumFmt: new("mmmm yyyy")})
	ts.Check(err)
	for i, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		sheet, at, _ := strings.Cut(value, "!")
		switch {
		case name == "from":
		case name == "drop":
			row, err := strconv.Atoi(at)
			ts.Check(err)
			ts.Check(f.RemoveRow(sheet, row))
		case name == "set":
			cell, text, _ := strings.Cut(at, ":")
			ts.Check(f.SetCellValue(sheet, cell, text))
		case name == "swap":
			one, other, _ := strings.Cut(at, ":")
			first, err := f.GetCellValue(sheet, one)
			ts.Check(err)
			second, err := f.GetCellValue(sheet, other)
			ts.Check(err)
			ts.Check(f.SetCellValue(sheet, one, second))
			ts.Check(f.SetCellValue(sheet, other, first))
		case name == "merge":
			from, to, _ := strings.Cut(at, ":")
			ts.Check(f.MergeCell(sheet, from, to))
		case name == "hide" && at == "":
			ts.Check(f.SetSheetVisible(sheet, false))
		case name == "hide" && at >= "A":
			ts.Check(f.SetColVisible(sheet, at, false))
		case name == "hide":
			row, err := strconv.Atoi(at)
			ts.Check(err)
			ts.Check(f.SetRowVisible(sheet, row, false))
		default:
			if i == 0 {
				ts.Check(f.SetSheetName("Sheet1", name))
			} else {
				_, err := f.NewSheet(name)
				ts.Check(err)
			}
			fillSheet(ts, f, name, ts.ReadFile(value), dates, months)
		}
	}
	ts.Check(f.SaveAs(ts.MkAbs(args[0])))
	ts.Check(f.Close())
}

func fillSheet(ts *testscript.TestScript, f *excelize.File, name, text string, dates, months int) {
	row := 0
	for line := range strings.Lines(text) { // a blank line is a row
		row++
		r := csv.NewReader(strings.NewReader(line))
		cells, err := r.Read()
		if err != nil {
			continue
		}
		for i, cell := range cells {
			at, err := excelize.CoordinatesToCellName(i+1, row)
			ts.Check(err)
			if day, ok := strings.CutPrefix(cell, "@"); ok {
				style := dates
				if len(day) == len("2027-03") {
					day, style = day+"-01", months
				}
				t, err := time.Parse(time.DateOnly, day)
				ts.Check(err)
				ts.Check(f.SetCellValue(name, at, t))
				ts.Check(f.SetCellStyle(name, at, at, style))
			} else if n, err := strconv.Atoi(cell); err == nil {
				ts.Check(f.SetCellValue(name, at, n))
			} else if cell != "" {
				ts.Check(f.SetCellValue(name, at, cell))
			}
		}
	}
}
