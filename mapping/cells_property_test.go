package mapping_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

// partsOfCells are what cells are made of at random, besides the cells of testdata/cells.txt.
var partsOfCells = []string{
	"1.", "5.", "2027", "27", "Mai", "May", "mayo", "Sa", "Sat,", "den", "de", "à", "alle", "von", "bis", "to", "from", "19", "21 Uhr",
	"7pm", "19:30", "1930", "18.30", "24:00", "h", "Doors", "Einlass", "ab", "-", "–", "/", ".", ",", "ca.", "max.", "1.200", "1'500",
	"25", "Pers.", "unlimited", "\u00a0", "１９", "200", "000", "k", "+",
}

// whatIsRead reads rows with a mapping and returns their fields and whether a cell is refused.
func whatIsRead(ctx context.Context, t rapid.TB, dir, text string, f *mapfile.File) (fields map[string]string, refused bool) {
	path := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := mapping.Read(ctx, mapping.Config{Files: []string{path}, Mapping: f, Now: now, Timezone: berlin, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range r.Results(ctx) {
		if err != nil {
			return nil, true // of a column that proves both orders
		}
		fields, refused = fieldsOf(result.Draft), result.Invalid()
	}
	return fields, refused
}

func quote(cell string) string { return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"` }

// Whatever is read, by readings that are proposed too, is the same when its values are
// written out and read back without any mapping, and when the mapping is.
func TestWhatIsReadIsTheSameWhenItIsWrittenOut(t *testing.T) {
	table, err := os.ReadFile("testdata/cells.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for line := range strings.Lines(string(table)) {
		if parts := strings.Split(line, " | "); len(parts) == 3 && !strings.Contains(parts[1], `\u`) {
			cells = append(cells, parts[1])
		}
	}
	dir, known := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(partsOfCells), 1, 5)
		cell := rapid.OneOf(
			rapid.SampledFrom(cells),
			rapid.Map(parts, func(parts []string) string { return strings.Join(parts, " ") }),
			rapid.Map(parts, func(parts []string) string { return strings.Join(parts, "") }),
		)
		when, seats := cell.Draw(t, "cell"), "40"
		if rapid.Bool().Draw(t, "seats") {
			when, seats = "2027-05-01 19:00", when
		}
		f := &mapfile.File{Version: mapfile.Version, DateOrder: rapid.SampledFrom([]string{"dmy", "mdy"}).Draw(t, "order")}
		for _, c := range []struct {
			field schema.ID
			text  string
		}{{catalog.FieldStartAt, when}, {catalog.FieldMaxCapacity, seats}} {
			if p, ok := reads.Propose(catalog.Field(c.field), c.text, reads.Evidence{Whole: true, Years: reads.Years{First: 2027}}); ok {
				line := yamldoc.Map[string]{{Key: p.Example, Value: p.Reading}}
				f.Reads = append(f.Reads, yamldoc.Item[yamldoc.Map[string]]{Key: catalog.Path(c.field), Value: line})
			}
		}
		in := "name,Date,Time,max_capacity\nx,2027-05-01," + quote(when) + "," + quote(seats) + "\n"
		if rapid.Bool().Draw(t, "whole") {
			in = "name,start_at,max_capacity\nx," + quote(when) + "," + quote(seats) + "\n"
		}
		first, refused := whatIsRead(t.Context(), t, dir, in, f)
		if refused {
			return
		}
		known++
		text, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := mapfile.Decode(text, "m.yaml")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if back, _ := whatIsRead(t.Context(), t, dir, in, again); !cmp.Equal(first, back) {
			t.Fatalf("%s is %v, and by the mapping that was written %v", in, first, back)
		}
		var header, row []string
		for _, path := range []string{"name", "start_at", "end_at", "timezone", "max_capacity"} {
			if value, ok := first[path]; ok {
				header, row = append(header, path), append(row, quote(value))
			}
		}
		out := strings.Join(header, ",") + "\n" + strings.Join(row, ",") + "\n"
		if back, refused := whatIsRead(t.Context(), t, dir, out, nil); refused || !cmp.Equal(first, back) {
			t.Fatalf("%s is %v, written out as\n%s and read back as %v", in, first, out, back)
		}
	})
	// Of few cells that are made up it may happen that none can be read.
	if _, refused := whatIsRead(t.Context(), t, dir, "name,start_at,max_capacity\nx,2027-05-01 19:00,40\n", nil); refused {
		t.Error("nothing is read")
	}
	t.Logf("%d rows were read", known)
}
