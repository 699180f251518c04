package main

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// rivals are what somebody who writes Go would read a file by, and what writes the files. This command is each of them where
// its first word is the name and the second the file.
var rivals = map[string]func(path string) error{
	"rival-csv": readCSV, "rival-inflate": inflate, "rival-excelize": readExcelize,
	"write-clean":   func(path string) error { return writeCSV(path, programme(csvRows, false)) },
	"write-spoiled": func(path string) error { return writeCSV(path, programme(csvRows, true)) },
	"write-book":    func(path string) error { return writeXLSX(path, programme(xlsxRows, false)) },
}

// readCSV reads the cells of a CSV in the fastest way that encoding/csv has.
func readCSV(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	for err == nil {
		_, err = r.Read()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// inflate unpacks a workbook, and reads nothing of it.
func inflate(path string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, part := range z.File {
		r, err := part.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readExcelize reads the cells of a workbook, and spares their formatting, which takes several times as long again.
func readExcelize(path string) error {
	f, err := excelize.OpenFile(path, excelize.Options{RawCellValue: true})
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := f.Rows("Sheet1")
	if err != nil {
		return err
	}
	for rows.Next() {
		if _, err := rows.Columns(); err != nil {
			return err
		}
	}
	return rows.Error()
}

var columns = strings.Fields("key name start_at end_at timezone visibility description_md address max_capacity tint_color show_guest_list")

// programme gives a header and rows of events, as lists of cells. Where some are spoiled every twentieth row has a mistake, of
// four kinds in turn.
func programme(rows int, spoiled bool) iter.Seq[[]string] {
	zones := []string{"America/New_York", "Europe/London", "Europe/Berlin", "Asia/Tokyo"}
	return func(yield func([]string) bool) {
		more := yield(columns)
		for i := 0; i < rows && more; i++ {
			start := time.Date(2027, 2, 1, 9+i%8, 0, 0, 0, time.UTC).AddDate(0, 0, i%300)
			row := []string{
				fmt.Sprintf("spring-%07d", i), fmt.Sprintf("Spring programme event %d", i), start.Format("2006-01-02 15:04"),
				start.Add(2 * time.Hour).Format("2006-01-02 15:04"), zones[i%4], "public",
				fmt.Sprintf("Tea, cake and **talk** with our friends of the society number %d.", i%977),
				fmt.Sprintf("%d High Street, Leeds", i%200), fmt.Sprint(20 + i%300), "#ff8800", "true",
			}
			if spoiled && i%20 == 0 {
				row[[]int{3, 2, 4, 8}[i/20%4]] = []string{"2020-01-01 09:00", "on Friday", "Europe/Lodnon", "many"}[i/20%4]
			}
			more = yield(row)
		}
	}
}

func writeCSV(path string, rows iter.Seq[[]string]) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	for row := range rows {
		_ = w.Write(row) // whose error stays
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}

func writeXLSX(path string, rows iter.Seq[[]string]) error {
	f := excelize.NewFile()
	defer f.Close()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	n := 0
	for row := range rows {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		n++
		if err := w.SetRow(fmt.Sprint("A", n), cells); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.SaveAs(path)
}
