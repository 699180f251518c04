package template

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/schema"
)

func season(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "season.xlsx")
	if err := durable.Replace(path, 0o600, func(w io.Writer) error { return Season().WriteXLSX(t.Context(), w) }); err != nil {
		t.Fatal(err)
	}
	return path
}

// A season has a sheet for each resource, whose rows are examples, and is read as it is.
func TestASeasonIsReadWithoutAWarning(t *testing.T) {
	path := season(t)
	results, problems := read(t, path, 0)
	if len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
	seen := map[*schema.Resource]bool{}
	for _, row := range results {
		seen[row.Draft.Resource] = true
		if row.Draft.Action != schema.Skip {
			t.Errorf("%v is no example", row.Draft.Place)
		}
	}
	if len(seen) != len(catalog.Resources) {
		t.Errorf("rows of %d resources", len(seen))
	}
	if _, examples := Season().Size(); examples != len(results) {
		t.Errorf("%d examples, and %d rows", examples, len(results))
	}
}

// What belongs to an event offers the keys that stand on the sheet of events.
func TestASeasonOffersTheKeysOfItsEvents(t *testing.T) {
	offers(t, season(t))
}

func TestAnOfficeKeepsTheKeysThatASeasonOffers(t *testing.T) {
	path := soffice(t, season(t))
	if _, problems := read(t, path, 0); len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
	offers(t, path)
}

func offers(t *testing.T, path string) {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if key, err := f.GetCellValue("Events", "A1"); err != nil || key != "Key" {
		t.Fatalf("%q, %v", key, err)
	}
	for _, r := range catalog.Resources {
		if r.Parent == "" {
			continue
		}
		rows, err := f.GetRows(r.Title())
		if err != nil {
			t.Fatal(err)
		}
		column := slices.Index(rows[0], "Event")
		if got := rows[1][column]; got != "example-1" {
			t.Errorf("%s: the example is of event %q", r.Name, got)
		}
		validations, err := f.GetDataValidations(r.Title())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(validations, func(v *excelize.DataValidation) bool {
			return strings.HasPrefix(v.Sqref, schema.ColumnName(column)+"2:") && strings.Contains(v.Formula1, "$A$2")
		}) {
			t.Errorf("%s: no list of keys", r.Name)
		}
	}
}
