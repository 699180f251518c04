package match_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/sheet"
)

// gather makes the columns of a text of comma-separated values.
func gather(t testing.TB, text string) *match.Columns {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return gatherRecords(records)
}

func gatherRecords(records [][]string) *match.Columns {
	columns := match.NewColumns(records[0], false)
	for i, record := range records[1:] {
		row := sheet.Row{Number: i + 2}
		for _, text := range record {
			cell := sheet.Cell{Kind: sheet.Text, Text: text}
			if text == "" {
				cell.Kind = sheet.Blank
			}
			row.Cells = append(row.Cells, cell)
		}
		columns.Add(&row)
	}
	return columns
}

// written returns the mapping as a file, and fails where it does not read back.
func written(t testing.TB, p *match.Proposal) string {
	t.Helper()
	text, err := p.Write("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mapfile.Decode(text, "events.map.yaml"); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return string(text)
}
