package mapping_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping"
)

// Dates with dots have the day first, unless another date of their column is written otherwise or proves that the
// month is.
func TestDatesWithDotsHaveTheDayFirst(t *testing.T) {
	for dates, want := range map[string]string{
		"4.9.2027 11.9.2027":          "2027-09-04 2027-09-11",
		"4.9.2027 9.25.2027":          "2027-04-09 2027-09-25",
		"4.9.2027 4/10/2027":          "refused refused",
		"4.9.2027 25/9/2027":          "2027-09-04 2027-09-25",
		"4.9.2027 4.9.2027 13.9.2027": "2027-09-04 2027-09-04 2027-09-13",
	} {
		var text strings.Builder
		text.WriteString("name,start_at,timezone\n")
		for i, date := range strings.Fields(dates) {
			text.WriteString(string(rune('A'+i)) + "," + date + " 18:00,UTC\n")
		}
		r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{file(t, "in.csv", text.String())}, Now: now, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for result, err := range r.Results(t.Context()) {
			switch {
			case err != nil:
				t.Fatal(err)
			case result.Invalid():
				got = append(got, "refused")
			default:
				got = append(got, meaningOf("day", kinds["date"].field, result.Draft))
			}
		}
		if slices.Compare(got, strings.Fields(want)) != 0 {
			t.Errorf("%s is read as %v, not %s", dates, got, want)
		}
	}
}
