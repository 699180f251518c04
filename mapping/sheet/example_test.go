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
