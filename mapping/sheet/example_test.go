package sheet_test

import (
	"context"
	"fmt"
	"strings"

	"eventbatch/mapping/sheet"
)

func ExampleOpen() {
	ctx := context.Background()
	in := strings.NewReader("sep=;\nname;start_at\n\n\"Tea\nand cake\";2026-04-03\n")
	f, err := sheet.Open(ctx, "-", sheet.Options{Format: "csv", Stdin: in})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for row, err := range f.Rows(ctx, "") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("row %d, line %d: %q\n", row.Number, row.Line, row.Cell(0).Text)
	}
	// Output:
	// row 1, line 2: "name"
	// row 3, line 4: "Tea\nand cake"
}

func ExampleWriteResults() {
	type result struct {
		Row    int    `csv:"_row"`
		Status string `csv:"_status"`
	}
	rows := func(yield func([]string, result) bool) {
		yield([]string{"Tea", "=1+1"}, result{2, "created"})
	}
	var out strings.Builder
	if err := sheet.WriteResults(&out, []string{"name", "note"}, rows); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(strings.TrimPrefix(out.String(), "\uFEFF")) // the byte-order mark
	// Output:
	// name,note,_row,_status
	// Tea,'=1+1,2,created
}
